//! A tool's JavaScript in its process, `zubi __js`: its result, and the reasons for its end.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::process::{Spawner, descendants};
use zubi_exec::sandbox::{Level, Sandbox};
use zubi_exec::script::{
    MAX_CALLS, MAX_DEPTH, NestedCaller, NoCalls, Runner, ScriptEnd, ScriptError, ScriptJob, ScriptLimits,
};

const ZUBI: &str = env!("CARGO_BIN_EXE_zubi");

fn job(code: &str) -> ScriptJob {
    ScriptJob {
        code: code.to_owned(),
        args: json!({"n": 2}).as_object().unwrap().clone(),
        limits: ScriptLimits::default(),
    }
}

async fn run(code: &str, nested: &dyn NestedCaller) -> Result<ScriptEnd, ScriptError> {
    Runner::new(Spawner::with_supervisor(ZUBI), ZUBI).run(&job(code), 0, nested, &CancellationToken::new()).await
}

/// Answers with the arguments, denies `rm`, and records the requests.
#[derive(Default)]
struct Tools(Mutex<Vec<String>>);

#[async_trait::async_trait]
impl NestedCaller for Tools {
    async fn call(&self, tool: &str, args: Value) -> Result<Value, String> {
        self.0.lock().unwrap().push(tool.to_owned());
        if tool == "rm" { Err("`rm` was denied by the policy".to_owned()) } else { Ok(args) }
    }
}

#[tokio::test]
async fn code_runs_and_calls_tools() {
    let tools = Tools::default();
    let finished =
        run("const x = tools.call('echo', {n: args.n * 21}); console.log('hi'); return x.n", &tools).await.unwrap();
    assert_eq!((finished.outcome, finished.log), (Ok(json!(42)), vec!["hi".to_owned()]));
    let error = run("return tools.call('rm', {})", &tools).await.unwrap().outcome.unwrap_err();
    assert_eq!(error.to_string(), "1:14: `rm` was denied by the policy");
    let many = format!(
        "for (let n = 0; n < {MAX_CALLS}; n++) tools.call('echo')
        try {{ tools.call('echo') }} catch (e) {{ return e.message }}"
    );
    let finished = run(&many, &tools).await.unwrap();
    assert_eq!(finished.outcome, Ok(json!("more than 100 calls")));
    assert_eq!(tools.0.lock().unwrap().len(), 2 + MAX_CALLS);
    let error = run("tools.call('echo')", &NoCalls).await.unwrap().outcome.unwrap_err();
    assert_eq!(error.message, "`echo` cannot be called here");
}

#[tokio::test]
async fn time_limit_and_cancellation_end_a_job() {
    let runner = Runner::new(Spawner::with_supervisor(ZUBI), ZUBI);
    let mut endless = job("for (;;);");
    endless.limits.time_ms = 100;
    let finished = runner.run(&endless, 0, &NoCalls, &CancellationToken::new()).await.unwrap();
    assert_eq!(finished.outcome.unwrap_err().message, "the code ran longer than 100 ms");

    // With this limit only the caller's cancellation can end the code.
    endless.limits.time_ms = 3_600_000;
    let cancel = CancellationToken::new();
    let started = Instant::now();
    let (finished, ()) = tokio::join!(runner.run(&endless, 0, &NoCalls, &cancel), async { cancel.cancel() });
    assert!(matches!(finished, Err(ScriptError::Cancelled)), "{finished:?}");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert_eq!(descendants(std::process::id()), Vec::<u32>::new());

    assert!(matches!(runner.run(&job(""), MAX_DEPTH, &NoCalls, &cancel).await, Err(ScriptError::TooDeep)));
}

/// Kills every process below this one.
struct Killer;

#[async_trait::async_trait]
impl NestedCaller for Killer {
    async fn call(&self, _tool: &str, _args: Value) -> Result<Value, String> {
        for pid in descendants(std::process::id()) {
            let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
        Ok(Value::Null)
    }
}

#[tokio::test]
async fn dead_or_wrong_child_processes() {
    let direct = Runner::new(Spawner::direct(), ZUBI);
    let error = direct.run(&job("tools.call('x')"), 0, &Killer, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "the JavaScript process ended before it answered (signal: 9 (SIGKILL))");
    for (program, expected) in
        [("/bin/true", "Died"), ("/bin/cat", "Died"), ("/usr/bin/yes", "Garbled"), ("/absent", "Start")]
    {
        let error = Runner::new(Spawner::direct(), program)
            .run(&job(""), 0, &NoCalls, &CancellationToken::new())
            .await
            .unwrap_err();
        assert!(format!("{error:?}").starts_with(expected), "{program}: {error:?}");
    }
}

/// The process has an empty environment, and its directory is not one of the user's.
#[tokio::test]
async fn process_has_no_environment_and_no_directory() {
    struct StderrCheck(Mutex<Vec<u8>>);
    #[async_trait::async_trait]
    impl NestedCaller for StderrCheck {
        async fn call(&self, _tool: &str, _args: Value) -> Result<Value, String> {
            let pid = descendants(std::process::id())[0];
            *self.0.lock().unwrap() = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
            Ok(json!(std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap()))
        }
    }
    let stderr_check = StderrCheck(Mutex::new(vec![1]));
    let runner = Runner::new(Spawner::direct(), ZUBI);
    let finished =
        runner.run(&job("return tools.call('look')"), 0, &stderr_check, &CancellationToken::new()).await.unwrap();
    assert_eq!(finished.outcome, Ok(json!("/")));
    assert_eq!(*stderr_check.0.lock().unwrap(), Vec::<u8>::new());
}

/// The kernel confines the process while the code runs, independently of the engine.
#[tokio::test]
async fn the_process_is_confined() {
    struct StdoutCheck(Mutex<String>);
    #[async_trait::async_trait]
    impl NestedCaller for StdoutCheck {
        async fn call(&self, _tool: &str, _args: Value) -> Result<Value, String> {
            // The supervisor, and its child, the process of the code.
            let pid = *descendants(std::process::id()).last().unwrap();
            *self.0.lock().unwrap() = String::from_utf8(std::fs::read(format!("/proc/{pid}/status")).unwrap()).unwrap();
            Ok(Value::Null)
        }
    }
    let sandbox = Sandbox::new(Spawner::with_supervisor(ZUBI), None, None);
    let (confinement, level) = sandbox.for_scripts(ZUBI.into()).await.unwrap();
    println!("the process of JavaScript is held by {}", level.name());
    let runner = Runner::new(Spawner::with_supervisor(ZUBI), ZUBI).with_confinement(confinement);
    let stdout_check = StdoutCheck(Mutex::default());
    let code = "tools.call('look'); return [1 + 1, new Date(0).getTimezoneOffset()]";
    let finished = runner.run(&job(code), 0, &stdout_check, &CancellationToken::new()).await.unwrap();
    assert_eq!(finished.outcome.unwrap()[0], json!(2));
    let status = stdout_check.0.lock().unwrap().clone();
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
    if level >= Level::LandlockSeccomp {
        // Every confined process has three filters; the fourth seals this one.
        assert_eq!((field("NoNewPrivs:"), field("Seccomp:"), field("Seccomp_filters:")), ("1", "2", "4"), "{status}");
    }
}

/// A process that cannot be confined fully does not run the code.
#[tokio::test]
async fn code_does_not_run_in_a_less_confined_process() {
    let sandbox = Sandbox::new(Spawner::with_supervisor(ZUBI), None, None);
    let (mut confinement, _) = sandbox.for_scripts(ZUBI.into()).await.unwrap();
    confinement.executable = Some(Vec::new());
    confinement.readable = Vec::new();
    if confinement.backends.landlock {
        let runner = Runner::new(Spawner::with_supervisor(ZUBI), ZUBI).with_confinement(confinement);
        let error = runner.run(&job("return 1"), 0, &NoCalls, &CancellationToken::new()).await.unwrap_err();
        assert!(error.to_string().contains("ermission denied"), "{error}");
    }
}
