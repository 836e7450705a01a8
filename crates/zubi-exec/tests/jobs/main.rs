//! Jobs on real programs: how they end, their stored output, and the limits of the sandbox.
//!
//! The binary has its own `main` because it is also the supervisor of its children (`__child`). The sandbox tests run
//! with and without bubblewrap as the current user. If that is root, they run once more as `nobody`, in a copy of this
//! program that other users cannot read.

#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test from its first line to its last; the lints know only functions marked as tests"
)]

mod escapes;
mod standby;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use libtest_mimic::{Arguments, Failed, Trial};
use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;
use zubi_base::process::{CommandSpec, SUPERVISOR_ARGUMENT, Spawner, confine, supervise};
use zubi_exec::job::{ExitReason, JobResult, Jobs, ProcessCommand, ProcessJob, RunError, Runner};
use zubi_exec::sandbox::{Level, Net, Sandbox, SandboxError, SandboxRequest, SandboxStatus};
use zubi_exec::store::OutputStore;

/// The time limit for an event that must happen.
const TEST_TIMEOUT: Duration = Duration::from_mins(1);

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == SUPERVISOR_ARGUMENT) {
        return supervise(args);
    }
    if std::env::args_os().nth(1).is_some_and(|first| first == SEALED) {
        return run_sealed();
    }
    libtest_mimic::run(&Arguments::from_args(), trials()).exit_code()
}

type Test = fn(&World);

/// Tests of jobs, with any sandbox.
const JOBS: &[(&str, Test)] = &[
    ("both_outputs_and_the_exit_code_are_reported", both_outputs_and_the_exit_code_are_reported),
    ("arguments_are_not_interpreted_by_a_shell", arguments_are_not_interpreted_by_a_shell),
    ("timed_out_jobs_end_with_their_processes", timed_out_jobs_end_with_their_processes),
    ("grandchildren_do_not_delay_the_end", grandchildren_do_not_delay_the_end),
    ("endless_output_is_stored_up_to_a_limit", endless_output_is_stored_up_to_a_limit),
    ("output_before_a_timeout_is_stored", output_before_a_timeout_is_stored),
    ("a_cancelled_job_ends", a_cancelled_job_ends),
    ("secrets_are_not_stored", secrets_are_not_stored),
    ("background_jobs_can_be_stopped", background_jobs_can_be_stopped),
];

/// Tests of the sandbox.
const SANDBOX: &[(&str, Test)] = &[
    ("the_level_matches_the_machine_capabilities", the_level_matches_the_machine_capabilities),
    ("file_access_is_confined", file_access_is_confined),
    ("credential_stores_are_hidden", credential_stores_are_hidden),
    ("network_access_is_confined", network_access_is_confined),
    ("other_processes_are_isolated", other_processes_are_isolated),
    ("the_manifest_is_enforced", the_manifest_is_enforced),
    ("unavailable_levels_are_refused", unavailable_levels_are_refused),
    ("a_failed_probe_is_repeated", a_failed_probe_is_repeated),
    ("nothing_outside_is_reached", escapes::nothing_outside_is_reached),
    ("programs_work_inside", escapes::programs_work_inside),
    ("the_script_process_has_no_access", the_script_process_has_no_access),
];

/// Tests of supervisors that start before their jobs.
const STANDBY: &[(&str, Test)] = &[
    ("the_next_job_uses_the_waiting_supervisor", standby::the_next_job_uses_the_waiting_supervisor),
    ("changes_between_two_jobs_are_seen", standby::changes_between_two_jobs_are_seen),
];

fn trials() -> Vec<Trial> {
    let trial = |group: &str, (name, test): &(&str, Test), world: fn() -> World| {
        let test = *test;
        Trial::test(format!("{group}::{name}"), move || {
            test(&world());
            Ok::<(), Failed>(())
        })
    };
    let mut trials: Vec<Trial> = JOBS.iter().map(|test| trial("job", test, World::without_bubblewrap)).collect();
    trials.extend(SANDBOX.iter().map(|test| trial("sandbox", test, World::without_bubblewrap)));
    trials.extend(SANDBOX.iter().chain(STANDBY).map(|test| trial("standby", test, World::with_standby)));
    trials.extend(JOBS.iter().chain(SANDBOX).map(|test| trial("bubblewrap", test, World::with_bubblewrap)));
    if is_root() {
        trials.push(Trial::test("unprivileged", || {
            run_as_nobody();
            Ok(())
        }));
    }
    trials
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The path of `bwrap`: the machine's, else the one that `cargo xtask setup` unpacked.
fn bwrap() -> Utf8PathBuf {
    let on_path = search_path().into_iter().map(|directory| directory.join("bwrap"));
    let unpacked = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/bin/bubblewrap/bwrap");
    let found = on_path.chain([unpacked]).find(|program| program.is_file());
    found.expect("there is no `bwrap`: run `cargo xtask setup --only bubblewrap`")
}

fn search_path() -> Vec<Utf8PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|directory| Utf8PathBuf::from_path_buf(directory).unwrap()).collect()
}

/// Runs the tests of the sandbox once more, as `nobody`.
fn run_as_nobody() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let copy = directory.path().join("jobs");
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    std::fs::copy(bwrap(), directory.path().join("bwrap")).unwrap();
    let path = std::iter::once(directory.path().to_owned()).chain(search_path().into_iter().map(Into::into));
    #[expect(clippy::disallowed_methods, reason = "these tests play the person who runs zubi")]
    let output = std::process::Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(copy)
        .args(["--test-threads", "1", "--skip", "job::"])
        .env("TMPDIR", "/tmp")
        .env("PATH", std::env::join_paths(path).unwrap())
        .output()
        .expect("setpriv is part of util-linux");
    let stdout = String::from_utf8_lossy(&output.stdout);
    eprintln!("{stdout}{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        output.status.success()
            && stdout.contains(&format!("{} passed", JOBS.len() + 3 * SANDBOX.len() + STANDBY.len())),
        "{stdout}"
    );
}

/// A workspace, its surroundings, and a runner.
struct World {
    _directory: tempfile::TempDir,
    root: Utf8PathBuf,
    /// The program `bwrap`, if the test uses it.
    bwrap: Option<Utf8PathBuf>,
    runner: Runner,
    runtime: tokio::runtime::Runtime,
}

impl World {
    fn with_bubblewrap() -> Self {
        Self::new(Some(bwrap()))
    }

    /// Creates a world with a `bwrap` that does not work, so that the search stops there.
    fn without_bubblewrap() -> Self {
        Self::new(None)
    }

    /// Creates a world whose jobs use a supervisor that was started before them.
    fn with_standby() -> Self {
        let mut world = Self::new(None);
        world.runner = world.runner.with_standby();
        world
    }

    /// Creates `root` with the folders `work` (the workspace), `work-too`, `home` with an SSH key, `bin` and `state`.
    fn new(bwrap: Option<Utf8PathBuf>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for name in ["work", "work-too", "home/.ssh", "bin", "state"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        zubi_base::fs::write_atomic(&root.join("home/.ssh/id"), b"the key").unwrap();
        zubi_base::fs::write_atomic(&root.join("home/notes"), b"notes").unwrap();
        let target = bwrap.clone().unwrap_or_else(|| "/bin/false".into());
        std::os::unix::fs::symlink(target, root.join("bin/bwrap")).unwrap();
        let path = std::env::join_paths(std::iter::once(root.join("bin")).chain(search_path())).unwrap();
        let executable = Utf8PathBuf::from_path_buf(std::env::current_exe().unwrap()).unwrap();
        let spawner = Spawner::with_supervisor(executable);
        let sandbox = Sandbox::new(spawner.clone(), Some(path), Some(root.join("home")));
        let runner = Runner::new(spawner, Arc::new(sandbox), OutputStore::new(&root.join("state")));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        Self { _directory: directory, root, bwrap, runner, runtime }
    }

    fn script(&self, text: &str) -> ProcessJob {
        let command = ProcessCommand::Script { text: text.to_owned(), arguments: vec![self.root.to_string()] };
        ProcessJob {
            timeout: TEST_TIMEOUT,
            ..ProcessJob::new(command, self.root.join("work"), vec![self.root.join("work")])
        }
    }

    fn run(&self, job: &ProcessJob) -> Result<JobResult, RunError> {
        self.wait(self.runner.run(job, &CancellationToken::new()))
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime
            .block_on(async { tokio::time::timeout(TEST_TIMEOUT, work).await.expect("the test takes too long") })
    }

    fn status(&self) -> SandboxStatus {
        self.wait(self.runner.sandbox().probe()).unwrap()
    }

    fn level(&self) -> Level {
        self.status().level
    }

    /// Runs each script with the folder above the workspace as `$1`, and checks whether it succeeds.
    fn check(&self, manifest: &SandboxRequest, table: &[(&str, bool)]) {
        for (script, allowed) in table {
            let finished = self.run(&ProcessJob { manifest: manifest.clone(), ..self.script(script) }).unwrap();
            let end = finished.end;
            assert_eq!(end == ExitReason::Exited(0), *allowed, "{script}: {end:?} {}", finished.stderr.text());
        }
    }
}

fn both_outputs_and_the_exit_code_are_reported(world: &World) {
    let job = ProcessJob { stdin: Some("input".to_owned()), ..world.script("cat; echo; pwd; echo wrong >&2; exit 3") };
    let finished = world.run(&job).unwrap();
    assert_eq!(finished.end, ExitReason::Exited(3));
    assert_eq!(finished.stdout.text(), format!("input\n{}/work\n", world.root));
    assert_eq!(finished.stderr.text(), "wrong\n");
    let stored = world.runner.store().read(finished.stderr.id.as_ref().unwrap()).unwrap();
    assert_eq!(stored, b"wrong\n");
}

fn arguments_are_not_interpreted_by_a_shell(world: &World) {
    let hostile = ["'; touch hacked; '", "$(touch hacked)", "`touch hacked`", "a\nb", "-rf", ""];
    let mut job = world.script("for one; do printf '<%s>' \"$one\"; done; ls");
    job.command = match job.command {
        ProcessCommand::Script { text, .. } => {
            ProcessCommand::Script { text, arguments: hostile.map(str::to_owned).to_vec() }
        }
        other => other,
    };
    assert_eq!(world.run(&job).unwrap().stdout.text(), format!("<{}>", hostile.join("><")));
}

/// A script that ignores SIGTERM, SIGINT and SIGHUP, with helpers in its process group and outside of it.
const UNKILLABLE_SCRIPT: &str =
    "trap '' TERM INT HUP; tail -f /dev/null & setsid tail -f /dev/null & echo started; wait";

fn timed_out_jobs_end_with_their_processes(world: &World) {
    let job = ProcessJob { timeout: Duration::from_millis(500), ..world.script(UNKILLABLE_SCRIPT) };
    let finished = world.run(&job).unwrap();
    assert_eq!((finished.end, finished.stdout.text().as_str()), (ExitReason::TimedOut, "started\n"));
    assert_eq!(zubi_base::process::descendants(std::process::id()), Vec::<u32>::new());
}

fn grandchildren_do_not_delay_the_end(world: &World) {
    let finished = world.run(&world.script("(setsid tail -f /dev/null &); tail -f /dev/null & echo done")).unwrap();
    assert_eq!((finished.end, finished.stdout.text().as_str()), (ExitReason::Exited(0), "done\n"));
}

fn endless_output_is_stored_up_to_a_limit(world: &World) {
    let job = ProcessJob { timeout: Duration::from_secs(2), ..world.script("yes") };
    let finished = world.run(&job).unwrap();
    assert_eq!(finished.end, ExitReason::TimedOut);
    let stored = world.runner.store().read(finished.stdout.id.as_ref().unwrap()).unwrap();
    assert_eq!(stored.len() as u64, finished.stdout.bytes.min(zubi_exec::store::MAX_OUTPUT));
    let view = finished.stdout.excerpt(1000);
    assert!(view.len() < 1100 && view.contains("are not shown"), "{view}");
}

fn output_before_a_timeout_is_stored(world: &World) {
    let job =
        ProcessJob { timeout: Duration::from_millis(500), ..world.script("echo one; echo two >&2; tail -f /dev/null") };
    let finished = world.run(&job).unwrap();
    assert_eq!((finished.stdout.text().as_str(), finished.stderr.text().as_str()), ("one\n", "two\n"));
    assert!(finished.stdout.id.is_some());
}

fn a_cancelled_job_ends(world: &World) {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let finished = world.wait(world.runner.run(&world.script("tail -f /dev/null"), &cancel)).unwrap();
    assert_eq!(finished.end, ExitReason::Cancelled);
}

fn secrets_are_not_stored(world: &World) {
    let mut job = world.script("echo \"token: $TOKEN\"");
    job.environment = vec![("TOKEN".to_owned(), "hunter2".to_owned())];
    job.secrets = vec!["hunter2".to_owned()];
    assert_eq!(world.run(&job).unwrap().stdout.text(), "token: (redacted)\n");
}

fn background_jobs_can_be_stopped(world: &World) {
    world.wait(async {
        let jobs = Jobs::new(world.runner.clone());
        let job = jobs.start(world.script("echo ready; tail -f /dev/null"), "a server").unwrap();
        assert!(!job.wait(Duration::from_millis(1)).await);
        let same_job = jobs.get(&job.handle).unwrap();
        same_job.stop().await;
        let outcome = job.outcome().expect("it has ended");
        let finished = outcome.as_ref().as_ref().unwrap();
        assert_eq!(finished.end, ExitReason::Cancelled);
        assert!(jobs.get("j-99").is_err() && jobs.get("../1").is_err());
        for _ in 0..16 {
            jobs.start(world.script("tail -f /dev/null"), "one of many").unwrap();
        }
        assert!(jobs.start(world.script("true"), "one too many").is_err());
        jobs.stop_all().await;
        assert!(jobs.list().iter().all(|job| job.outcome().is_some()));
    });
    assert_eq!(zubi_base::process::descendants(std::process::id()), Vec::<u32>::new());
}

fn the_level_matches_the_machine_capabilities(world: &World) {
    let status = world.status();
    eprintln!("the sandbox of this machine: {status}");
    // If `bwrap` works by itself, it must work for zubi.
    if let Some(bwrap) = &world.bwrap {
        #[expect(clippy::disallowed_methods, reason = "these tests play the person who runs zubi")]
        let output = std::process::Command::new(bwrap)
            .args(["--ro-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--unshare-net", "true"])
            .output()
            .unwrap();
        assert_eq!(status.level == Level::Bubblewrap, output.status.success(), "{status}");
    }
    // Every kernel with Landlock has seccomp. This file lists the modules that the kernel was started with.
    let modules = zubi_base::fs::read_text("/sys/kernel/security/lsm".into()).unwrap_or_default();
    if modules.contains("landlock") || status.landlock_abi.is_some() {
        assert!(status.level >= Level::LandlockSeccomp, "{status}");
    }
}

fn file_access_is_confined(world: &World) {
    std::os::unix::fs::symlink("../work-too", world.root.join("work/link")).unwrap();
    world.check(
        &SandboxRequest::default(),
        &[
            ("echo x > new && mkdir deep && echo x > deep/new && rm -r deep new", true),
            ("echo x > \"$TMPDIR/new\" && cat \"$TMPDIR/new\"", true),
            ("cat \"$1/home/notes\"", true),
            ("echo x > \"$1/outside\"", false),
            ("echo x > \"$1/work-too/sibling\"", false),
            ("echo x > ../work-too/up", false),
            ("echo x > link/through", false),
            ("ln -s \"$1/home/.ssh\" keys && cat keys/id", false),
            ("cat \"$1/home/.ssh/id\"", false),
            ("echo x >> \"$1/home/.ssh/id\"", false),
            ("echo x > /dev/tty", false),
            ("rm \"$1/home/notes\"", false),
            ("cat /etc/shadow", false),
        ],
    );
    let written: Vec<_> = world.root.join("work-too").read_dir_utf8().unwrap().flatten().collect();
    assert!(written.is_empty(), "{written:?}");
}

/// The policy and the sandbox have the same list of stores.
fn credential_stores_are_hidden(world: &World) {
    let home = world.root.join("home");
    let in_home = [".env", "my.pem", ".yarnrc.yml", ".tool_history"];
    for store in zubi_base::credentials::store_paths().iter().copied().filter(|store| *store != ".ssh").chain(in_home) {
        std::fs::create_dir_all(home.join(store).parent().unwrap()).unwrap();
        zubi_base::fs::write_atomic(&home.join(store), b"the content").unwrap();
    }
    zubi_base::fs::write_atomic(&home.join(".codex/config.toml"), b"the settings").unwrap();
    world.check(
        &SandboxRequest::default(),
        &[
            ("! grep -rs 'the content' \"$1/home\" | grep .", true),
            ("cat \"$1/home/.codex/config.toml\" \"$1/home/notes\"", true),
        ],
    );
}

fn network_access_is_confined(world: &World) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{}", listener.local_addr().unwrap().port());
    let python = "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)'";
    let local = "python3 -c 'import socket; socket.socket(socket.AF_UNIX)'";
    let pair = "python3 -c 'import socket; socket.socketpair()'";
    world.check(&SandboxRequest::default(), &[(&connect, false), (python, false), (local, false), (pair, true)]);
    let manifest = |net| SandboxRequest { net, ..SandboxRequest::default() };
    world.check(&manifest(Net::Internet), &[(&connect, true), (python, true), (local, false)]);
    world.check(&manifest(Net::All), &[(local, true)]);
}

fn other_processes_are_isolated(world: &World) {
    let process_id = std::process::id();
    let ptrace =
        format!("python3 -c 'import ctypes; raise SystemExit(ctypes.CDLL(None).ptrace(16, {process_id}, 0, 0) != 0)'");
    let memory = format!("head -c 1 /proc/{process_id}/environ | grep -q .");
    world.check(&SandboxRequest::default(), &[(&ptrace, false), (&memory, false), ("unshare -U true", false)]);
    if world.status().landlock_abi.is_some_and(|abi| abi >= 6) {
        world.check(&SandboxRequest::default(), &[(&format!("kill -CONT {process_id}"), false)]);
    }
}

fn the_manifest_is_enforced(world: &World) {
    let read = |text: &str| serde_json::from_str::<SandboxRequest>(text).unwrap();
    world.check(&read(r#"{"fs": {"write": ["out"]}}"#), &[("echo x > new", false), ("echo x > \"$TMPDIR/new\"", true)]);
    world.check(&read(r#"{"fs": {"read": ["~/.ssh"]}}"#), &[("cat \"$1/home/.ssh/id\"", true)]);
    world.check(&read(r#"{"fs": {"read": ["."]}}"#), &[("cat \"$1/home/notes\"", false), ("ls", true)]);
    let exec = read(r#"{"exec": ["bash", "sh", "cat"]}"#);
    world.check(&exec, &[("cat /etc/passwd", true), ("ls", false)]);
}

fn unavailable_levels_are_refused(world: &World) {
    let machine_level = world.level();
    let result = world.run(&ProcessJob { min_level: Level::Bubblewrap, ..world.script("true") });
    if machine_level == Level::Bubblewrap {
        assert!(result.is_ok());
    } else {
        assert!(matches!(result, Err(RunError::Sandbox(SandboxError::TooLow { .. }))), "{result:?}");
    }
}

/// Creates a program that fails until `file` exists, which it creates, and is `program` from then on.
fn failing_once(world: &World, name: &str, program: &str) -> Utf8PathBuf {
    let (script, mark) = (world.root.join(name), world.root.join(format!("{name}-failed")));
    let text = format!("#!/bin/sh\nif [ ! -e {mark} ]; then : > {mark}; exit 1; fi\nexec {program} \"$@\"\n");
    zubi_base::fs::write_atomic(&script, text.as_bytes()).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    script
}

/// A failed attempt says nothing about the machine that is stored, and no job runs because of it.
fn a_failed_probe_is_repeated(world: &World) {
    let level = world.level();
    let executable = std::env::current_exe().unwrap();
    let spawner = Spawner::with_supervisor(failing_once(world, "supervisor", executable.to_str().unwrap()));
    let path = std::env::join_paths([world.root.join("bin")]).unwrap();
    let runner =
        |sandbox: Sandbox| Runner::new(spawner.clone(), Arc::new(sandbox), OutputStore::new(&world.root.join("state")));
    let run = |runner: &Runner| world.wait(runner.run(&world.script("exit 0"), &CancellationToken::new()));
    let failing = runner(Sandbox::new(spawner.clone(), Some(path), Some(world.root.join("home"))));
    let error = run(&failing).unwrap_err().to_string();
    assert!(error.starts_with("cannot confine: the sandbox cannot be tested: "), "{error}");
    assert_eq!(run(&failing).unwrap().level, level);

    let Some(bwrap) = &world.bwrap else { return };
    failing_once(world, "bwrap", bwrap.as_str());
    let path = std::env::join_paths([&world.root]).unwrap();
    let failing = runner(Sandbox::new(spawner.clone(), Some(path.clone()), Some(world.root.join("home"))));
    let levels = [run(&failing).unwrap().level, run(&failing).unwrap().level, run(&failing).unwrap().level];
    assert_eq!(levels, [level.min(Level::LandlockSeccomp), level, level]);

    std::fs::remove_file(world.root.join("bwrap-failed")).unwrap();
    let demanding = Sandbox::new(spawner.clone(), Some(path), Some(world.root.join("home")));
    let demanding = runner(demanding.at_least(Some(Level::Bubblewrap)));
    let result = run(&demanding);
    assert!(matches!(result, Err(RunError::Sandbox(SandboxError::TooLow { .. }))), "{result:?}");
    assert_eq!(run(&demanding).is_ok(), level == Level::Bubblewrap);
}

/// The argument for a process that is confined like a tool's JavaScript and tries what such a process must not do.
const SEALED: &str = "__sealed";

/// Prints one line for each forbidden action that succeeded.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "what it tries is what nothing of the product does"
)]
fn run_sealed() -> ExitCode {
    let mut args = std::env::args().skip(2);
    let (backends, port, readable) = (args.next().unwrap(), args.next().unwrap(), args.next().unwrap());
    let executable = std::env::current_exe().unwrap();
    let file = std::fs::File::open(&executable).unwrap();
    confine::lock_down(&serde_json::from_str(&backends).unwrap()).unwrap();
    let attempts = [
        ("reading", std::fs::read(&readable).map(drop)),
        ("reading its own program", std::fs::read(&executable).map(drop)),
        ("listing", std::fs::read_dir("/").map(drop)),
        ("reading of itself", std::fs::read("/proc/self/environ").map(drop)),
        ("writing", std::fs::write("/tmp/zubi-sealed", "x")),
        ("making a directory", std::fs::create_dir("/tmp/zubi-sealed")),
        ("changing rights", std::fs::set_permissions(&readable, std::os::unix::fs::PermissionsExt::from_mode(0o777))),
        ("changing rights of what is open", file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777))),
        ("a connection", std::net::TcpStream::connect(format!("127.0.0.1:{port}")).map(drop)),
        ("a socket", std::net::UdpSocket::bind("127.0.0.1:0").map(drop)),
        ("a local socket", std::os::unix::net::UnixDatagram::unbound().map(drop)),
        ("a program", std::process::Command::new("/bin/true").status().map(drop)),
        ("its own program", std::process::Command::new(&executable).status().map(drop)),
        (
            "becoming a program",
            Err(std::os::unix::process::CommandExt::exec(&mut std::process::Command::new("/bin/true"))),
        ),
    ];
    for (label, outcome) in attempts {
        if outcome.is_ok() {
            println!("could do: {label}");
        }
    }
    println!("a thread: {}", std::thread::spawn(|| 1).join().is_ok());
    ExitCode::SUCCESS
}

fn the_script_process_has_no_access(world: &World) {
    let executable = Utf8PathBuf::from_path_buf(std::env::current_exe().unwrap()).unwrap();
    let (confinement, level) = world.wait(world.runner.sandbox().for_scripts(&executable)).unwrap();
    eprintln!("the process of code is held by {}", level.name());
    let machine_level = world.level();
    assert_eq!(level, machine_level.min(Level::LandlockSeccomp));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let backends = serde_json::to_string(&confinement.backends).unwrap();
    let readable = world.root.join("home/notes");
    let spec = CommandSpec::new(executable.clone(), "/").args([SEALED, &backends, &port, readable.as_str()]);
    let spec = spec.with_confinement(confinement);
    let output = world.wait(async {
        let mut child = Spawner::with_supervisor(executable).spawn(&spec).unwrap();
        let mut output = String::new();
        child.stdout.take().unwrap().read_to_string(&mut output).await.unwrap();
        child.stderr.take().unwrap().read_to_string(&mut output).await.unwrap();
        output
    });
    let expected = match level {
        Level::LandlockSeccomp | Level::Bubblewrap => "a thread: true\n",
        // The machine lacks some confinement; the level reports that, and the available parts were applied.
        Level::Landlock | Level::Seccomp | Level::None => output.as_str(),
    };
    assert_eq!(output, expected);
}
