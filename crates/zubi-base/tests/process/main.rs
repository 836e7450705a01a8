//! Children with and without a supervisor, on real processes.
//!
//! The binary has its own `main` because it has three roles: the tests, the supervisor that they start (`__child`), and
//! a program that owns a child and gets killed (`__owner`). No test guesses by waiting whether a process is left:
//! everything that a tested program starts holds the writing end of a named pipe, so the pipe ends exactly when the
//! last of them has ended.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test from its first line to its last; the lints know only functions marked as tests"
)]

mod groups;
mod standby;

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use libtest_mimic::{Arguments, Failed, Trial};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use zubi_base::process::confine::{CANNOT_CONFINE, Network, ResourceLimits, SandboxBackends};
use zubi_base::process::{
    Child, ChildEnvironment, CommandSpec, Confinement, SUPERVISOR_ARGUMENT, Spawner, descendants, supervise,
};

/// The time limit for an event that must happen.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

/// The time limit for the end of a killed owner's children: the supervisor's grace period, on a busy machine.
const OWNER_EXIT_TIMEOUT: Duration = Duration::from_secs(1);

const OWNER_ARGUMENT: &str = "__owner";

/// A program that ignores the end of its input and every signal except SIGKILL. It has two helpers: one in its process
/// group, one that left it. It prints `ready` when all of them run. Its argument is the named pipe. (`tail -f` would
/// end by itself if its output were a pipe without a reader.)
const STUBBORN: &str = r#"
    exec 9>"$1"
    trap '' TERM INT HUP
    tail -f /dev/null >/dev/null &
    setsid tail -f /dev/null >/dev/null &
    tail -f /dev/null >/dev/null &
    echo ready
    wait
"#;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(first) if first == SUPERVISOR_ARGUMENT => supervise(args),
        Some(first) if first == OWNER_ARGUMENT => {
            run_owner(args.next().unwrap().to_str().unwrap());
            ExitCode::SUCCESS
        }
        _ => libtest_mimic::run(&Arguments::from_args(), trials()).exit_code(),
    }
}

/// Returns one test per way of starting children; tests of the supervisor run once.
fn trials() -> Vec<Trial> {
    type Test = fn(&Spawner);
    let both: &[(&str, Test)] = &[
        ("pipes_reach_the_program", pipes_reach_the_program),
        (
            "a_program_that_closes_its_output_is_noticed_while_it_runs",
            a_program_that_closes_its_output_is_noticed_while_it_runs,
        ),
        ("a_program_that_cannot_start_is_an_error", a_program_that_cannot_start_is_an_error),
        ("directory_and_environment_are_applied", directory_and_environment_are_applied),
        ("a_stubborn_program_is_ended", a_stubborn_program_is_ended),
        ("dropping_ends_the_program", dropping_ends_the_program),
        ("program_that_ends_itself_is_not_killed", program_that_ends_itself_is_not_killed),
        ("output_is_bounded", output_is_bounded),
        ("output_times_out", output_times_out),
        ("output_does_not_wait_for_background_processes", output_does_not_wait_for_background_processes),
    ];
    let supervised: &[(&str, Test)] = &[
        ("exit_codes_pass_through", exit_codes_pass_through),
        ("nothing_survives_a_killed_owner", nothing_survives_a_killed_owner),
        ("nothing_survives_a_terminated_supervisor", nothing_survives_a_terminated_supervisor),
        ("helpers_end_with_the_program", helpers_end_with_the_program),
        ("a_blinded_supervisor_ends_everything", a_blinded_supervisor_ends_everything),
        ("a_supervisor_that_does_not_answer_is_killed_too", a_supervisor_that_does_not_answer_is_killed_too),
        ("confined_program_has_only_the_granted_access", confined_program_has_only_the_granted_access),
        ("program_that_cannot_be_confined_does_not_start", program_that_cannot_be_confined_does_not_start),
        ("a_storm_of_forks_ends", a_storm_of_forks_ends),
        ("a_storm_that_changes_sessions_ends", groups::a_storm_that_changes_sessions_ends),
        ("a_confined_program_has_a_control_group", groups::a_confined_program_has_a_control_group),
        ("limits_hold", limits_hold),
        ("a_prepared_supervisor_runs_a_program", standby::a_prepared_supervisor_runs_a_program),
        ("a_prepared_program_has_only_the_granted_access", standby::a_prepared_program_has_only_the_granted_access),
        ("processes_of_a_prepared_program_are_counted", standby::processes_of_a_prepared_program_are_counted),
        ("a_prepared_supervisor_ends_its_program", standby::a_prepared_supervisor_ends_its_program),
        ("an_unused_supervisor_ends", standby::an_unused_supervisor_ends),
        ("what_cannot_be_prepared_is_reported", standby::what_cannot_be_prepared_is_reported),
    ];
    let trial = |kind: &str, name: &str, spawner: Spawner, test: Test| {
        Trial::test(format!("{kind}::{name}"), move || {
            test(&spawner);
            Ok::<(), Failed>(())
        })
    };
    both.iter()
        .flat_map(|(name, test)| {
            [trial("direct", name, Spawner::direct(), *test), trial("supervised", name, supervised_spawner(), *test)]
        })
        .chain(supervised.iter().map(|(name, test)| trial("supervised", name, supervised_spawner(), *test)))
        .collect()
}

/// Creates a spawner with this binary as the supervisor.
fn supervised_spawner() -> Spawner {
    Spawner::with_supervisor(this_binary())
}

fn this_binary() -> Utf8PathBuf {
    Utf8PathBuf::from_path_buf(std::env::current_exe().unwrap()).unwrap()
}

/// Runs the asynchronous part of a test, with a deadline.
fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(TEST_TIMEOUT, test).await.expect("the test takes too long") })
}

/// `sh -c script sh args…`
fn shell(script: &str, args: &[&str]) -> CommandSpec {
    CommandSpec::new("/bin/sh", "/").args(["-c", script, "sh"]).args(args.iter().copied())
}

/// A named pipe that reports when all processes that have it open are gone.
struct ExitMonitor {
    _directory: tempfile::TempDir,
    path: Utf8PathBuf,
    closed: mpsc::Receiver<()>,
}

impl ExitMonitor {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(directory.path()).unwrap().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, path.as_std_path(), rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let (sender, closed) = mpsc::channel();
        let pipe = path.clone();
        // Opening waits for the first writer, reading for the end of the last one.
        thread::spawn(move || {
            let mut text = Vec::new();
            File::open(pipe).unwrap().read_to_end(&mut text).unwrap();
            sender.send(()).unwrap();
        });
        Self { _directory: directory, path, closed }
    }

    fn assert_all_exited_within(&self, timeout: Duration) {
        self.closed.recv_timeout(timeout).expect("a process is still running");
    }
}

async fn stubborn(spawner: &Spawner, monitor: &ExitMonitor) -> Child {
    let mut child = spawner.spawn(&shell(STUBBORN, &[monitor.path.as_str()])).unwrap();
    let mut ready = [0; 6];
    child.stdout.as_mut().unwrap().read_exact(&mut ready).await.unwrap();
    assert_eq!(&ready, b"ready\n");
    child
}

fn pipes_reach_the_program(spawner: &Spawner) {
    run(async {
        let mut child = spawner.spawn(&shell("cat; echo done >&2", &[])).unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all("grüße\n".as_bytes()).await.unwrap();
        drop(stdin);
        let (mut output, mut errors) = (String::new(), String::new());
        child.stdout.take().unwrap().read_to_string(&mut output).await.unwrap();
        child.stderr.take().unwrap().read_to_string(&mut errors).await.unwrap();
        assert_eq!((output.as_str(), errors.as_str()), ("grüße\n", "done\n"));
        assert!(child.wait().await.unwrap().success());
    });
}

fn a_program_that_closes_its_output_is_noticed_while_it_runs(spawner: &Spawner) {
    run(async {
        let mut child = spawner.spawn(&shell("echo last; exec >/dev/null; cat", &[])).unwrap();
        let mut output = String::new();
        // The output ends because no other process, including the supervisor, has the pipe open.
        child.stdout.take().unwrap().read_to_string(&mut output).await.unwrap();
        assert_eq!(output, "last\n");
        drop(child.stdin.take());
        assert!(child.wait().await.unwrap().success(), "it ran on until its input ended");
    });
}

fn a_program_that_cannot_start_is_an_error(spawner: &Spawner) {
    run(async {
        let refused = |program: &str| spawner.spawn(&CommandSpec::new(program, "/")).unwrap_err().to_string();
        assert!(refused("/no/such/program").starts_with("cannot start `/no/such/program`: No such file"));
        assert_eq!(refused("/etc/passwd"), "cannot start `/etc/passwd`: it is not an executable file");
        assert_eq!(refused("/bin"), "cannot start `/bin`: it is not an executable file");
        assert_eq!(refused("sh"), "cannot start `sh`: the path is not absolute");
    });
}

fn directory_and_environment_are_applied(spawner: &Spawner) {
    run(async {
        let mut spec = shell("pwd; echo \"$A-$HOME-$SECRET\"", &[]);
        spec.directory = "/usr".into();
        spec.environment = ChildEnvironment::default().with_variable("A", "1 2");
        let output = spawner.output(&spec, 1000, TEST_TIMEOUT).await.unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "/usr\n1 2--\n");
    });
}

fn exit_codes_pass_through(spawner: &Spawner) {
    run(async {
        for (script, expected) in [("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", 137), ("kill -TERM $$", 143)] {
            let output = spawner.output(&shell(script, &[]), 0, TEST_TIMEOUT).await.unwrap();
            assert_eq!(output.status.code(), Some(expected), "{script}");
        }
        // The interpreter is missing. Only the kernel notices, when `spawn` can no longer fail.
        let directory = tempfile::tempdir().unwrap();
        let script = Utf8Path::from_path(directory.path()).unwrap().join("script");
        let mut file = File::create(&script).unwrap();
        file.write_all(b"#!/no/such/interpreter\n").unwrap();
        drop(file);
        std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let output = spawner.output(&CommandSpec::new(script.as_str(), "/"), 1000, TEST_TIMEOUT).await.unwrap();
        assert_eq!(output.status.code(), Some(127));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.starts_with(&format!("zubi: cannot start `{script}`: No such file")), "{errors}");
    });
}

fn a_stubborn_program_is_ended(spawner: &Spawner) {
    let monitor = ExitMonitor::new();
    run(async {
        let mut child = stubborn(spawner, &monitor).await;
        let family = descendants(child.id());
        assert!(family.len() >= 3, "{family:?}");
        child.end(Duration::from_millis(10)).await.unwrap();
        assert_eq!(descendants(child.id()), Vec::<u32>::new());
    });
    monitor.assert_all_exited_within(TEST_TIMEOUT);
}

fn dropping_ends_the_program(spawner: &Spawner) {
    let monitor = ExitMonitor::new();
    run(async { drop(stubborn(spawner, &monitor).await) });
    monitor.assert_all_exited_within(TEST_TIMEOUT);
}

fn program_that_ends_itself_is_not_killed(spawner: &Spawner) {
    run(async {
        let mut child = spawner.spawn(&shell("cat; exit 5", &[])).unwrap();
        assert_eq!(child.end(TEST_TIMEOUT).await.unwrap().code(), Some(5));
        let mut child =
            spawner.spawn(&shell("trap 'exit 6' TERM; echo ready; while :; do read -r x; done", &[])).unwrap();
        child.stdout.as_mut().unwrap().read_u8().await.unwrap();
        assert_eq!(child.end(Duration::ZERO).await.unwrap().code(), Some(6));
        // Ending a child twice is harmless.
        assert_eq!(child.end(Duration::ZERO).await.unwrap().code(), Some(6));
    });
}

fn output_is_bounded(spawner: &Spawner) {
    run(async {
        let script = "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; exit 2";
        let output = spawner.output(&shell(script, &[]), 1000, TEST_TIMEOUT).await.unwrap();
        assert_eq!((output.stdout.len(), output.stderr.len(), output.status.code()), (1000, 1000, Some(2)));
    });
}

fn output_times_out(spawner: &Spawner) {
    let monitor = ExitMonitor::new();
    run(async {
        let spec = shell(STUBBORN, &[monitor.path.as_str()]);
        let error = spawner.output(&spec, 1000, Duration::from_millis(500)).await.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
        assert_eq!(error.to_string(), "`/bin/sh` did not end within 0.5 s");
    });
    monitor.assert_all_exited_within(TEST_TIMEOUT);
}

fn output_does_not_wait_for_background_processes(spawner: &Spawner) {
    let monitor = ExitMonitor::new();
    run(async {
        let spec = shell("exec 9>\"$1\"; tail -f /dev/null >/dev/null & echo started", &[monitor.path.as_str()]);
        let output = spawner.output(&spec, 1000, TEST_TIMEOUT).await.unwrap();
        assert_eq!(output.stdout, b"started\n");
    });
    monitor.assert_all_exited_within(TEST_TIMEOUT);
}

fn helpers_end_with_the_program(spawner: &Spawner) {
    let monitor = ExitMonitor::new();
    run(async {
        let script =
            "exec 9>\"$1\"; setsid tail -f /dev/null >/dev/null & (setsid tail -f /dev/null >/dev/null &); exit 3";
        let output = spawner.output(&shell(script, &[monitor.path.as_str()]), 0, TEST_TIMEOUT).await.unwrap();
        assert_eq!(output.status.code(), Some(3));
    });
    monitor.assert_all_exited_within(TEST_TIMEOUT);
}

/// The program takes the supervisor's right to open files, so that it cannot examine any process.
fn a_blinded_supervisor_ends_everything(spawner: &Spawner) {
    for blinded in ["true", "prlimit --pid $PPID --nofile=0:0"] {
        let monitor = ExitMonitor::new();
        run(async {
            let helpers =
                "setsid tail -f /dev/null >/dev/null 2>&1 & (setsid sh -c 'tail -f /dev/null' >/dev/null 2>&1 &)";
            // Until the supervisor has closed its copy of the output, it cannot watch the program.
            let script = format!("exec 9>\"$1\"; echo; exec >&-; read -r x; {helpers}; {blinded} || exit 9; exit 3");
            let mut child = spawner.spawn(&shell(&script, &[monitor.path.as_str()])).unwrap();
            let mut output = Vec::new();
            child.stdout.take().unwrap().read_to_end(&mut output).await.unwrap();
            child.stdin.take().unwrap().write_all(b"go\n").await.unwrap();
            assert_eq!(child.wait().await.unwrap().code(), Some(3), "{blinded}");
        });
        monitor.assert_all_exited_within(TEST_TIMEOUT);
    }
}

fn nothing_survives_a_terminated_supervisor(spawner: &Spawner) {
    let monitor = ExitMonitor::new();
    run(async {
        let mut child = stubborn(spawner, &monitor).await;
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, Signal::INT).unwrap();
        assert_eq!(child.wait().await.unwrap().code(), Some(137));
    });
    monitor.assert_all_exited_within(TEST_TIMEOUT);
}

fn a_supervisor_that_does_not_answer_is_killed_too(spawner: &Spawner) {
    let monitor = ExitMonitor::new();
    run(async {
        let mut child = stubborn(spawner, &monitor).await;
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, Signal::STOP).unwrap();
        assert_eq!(child.end(Duration::ZERO).await.unwrap().signal(), Some(9));
    });
    monitor.assert_all_exited_within(TEST_TIMEOUT);
}

/// The owner's role: starts a stubborn child, prints its supervisor's process id, and runs until it is killed.
fn run_owner(pipe: &str) {
    run(async {
        let mut child = supervised_spawner().spawn(&shell(STUBBORN, &[pipe])).unwrap();
        child.stdout.as_mut().unwrap().read_u8().await.unwrap();
        println!("{}", child.id());
        std::future::pending::<()>().await;
    });
}

fn nothing_survives_a_killed_owner(_: &Spawner) {
    let monitor = ExitMonitor::new();
    #[expect(clippy::disallowed_methods, reason = "the owner must not itself be a supervised child")]
    let mut owner = std::process::Command::new(this_binary())
        .args([OWNER_ARGUMENT, monitor.path.as_str()])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(owner.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let supervisor = Pid::from_raw(line.trim().parse().unwrap()).unwrap();
    let supervisor = rustix::process::pidfd_open(supervisor, PidfdFlags::empty()).unwrap();
    let killed = Instant::now();
    owner.kill().unwrap();
    owner.wait().unwrap();
    monitor.assert_all_exited_within(OWNER_EXIT_TIMEOUT);
    // A process descriptor becomes readable when the process has ended.
    let mut watched = [PollFd::new(&supervisor, PollFlags::IN)];
    let remaining = OWNER_EXIT_TIMEOUT.saturating_sub(killed.elapsed());
    let ended = poll(&mut watched, Some(&remaining.try_into().unwrap())).unwrap();
    assert_eq!(ended, 1, "the supervisor is still running");
}

/// Landlock and seccomp with read access to everything and write access below `writable`.
fn landlock_and_seccomp(writable: &Utf8Path) -> Confinement {
    Confinement {
        backends: SandboxBackends { landlock: true, seccomp: true, ..SandboxBackends::default() },
        readable: vec!["/".into()],
        writable: vec![writable.to_owned()],
        ..Confinement::default()
    }
}

fn confined_program_has_only_the_granted_access(spawner: &Spawner) {
    let directory = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
    for name in ["mine", "mine-too", "secret"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    std::fs::File::create(root.join("secret/key")).unwrap().write_all(b"key").unwrap();
    let mut confinement = landlock_and_seccomp(&root.join("mine"));
    confinement.excluded.push(root.join("secret"));
    // A script, whether it is allowed, and the network of its sandbox.
    let table: &[(&str, bool, Network)] = &[
        ("echo x > mine/new && mkdir mine/deep && mv mine/new mine/deep/other && rm -r mine/deep", true, Network::None),
        ("ls mine-too && cat /etc/passwd && echo x > /dev/null && (echo x | cat)", true, Network::None),
        ("echo x > mine-too/new", false, Network::None),
        ("cat secret/key", false, Network::None),
        ("ln -s ../secret/key mine/link && cat mine/link", false, Network::None),
        ("ln secret/key mine/hard && cat mine/hard", false, Network::None),
        ("mknod mine/null c 1 3", false, Network::None),
        ("exec 3<>/dev/udp/127.0.0.1/9", false, Network::None),
        ("exec 3<>/dev/udp/127.0.0.1/9", true, Network::Internet),
        ("unshare -U true", false, Network::None),
        ("kill -0 $PPID && kill -TERM $ZUBI_TEST", false, Network::None),
    ];
    run(async {
        for (script, allowed, network) in table {
            let mut spec = CommandSpec::new("/bin/bash", root.clone()).args(["-c", *script]);
            spec.environment = spec.environment.with_variable("ZUBI_TEST", std::process::id().to_string());
            let spec = spec.with_confinement(Confinement { network: *network, ..confinement.clone() });
            let output = spawner.output(&spec, 10_000, TEST_TIMEOUT).await.unwrap();
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.success(), *allowed, "{script}: {errors}");
            assert!(*allowed || !errors.contains("zubi:"), "it started: {errors}");
        }
    });
}

fn program_that_cannot_be_confined_does_not_start(spawner: &Spawner) {
    let spec =
        CommandSpec::new("/bin/sh", "/").args(["-c", "echo ran"]).with_confinement(landlock_and_seccomp("/tmp".into()));
    run(async {
        let error = Spawner::direct().spawn(&spec).unwrap_err();
        assert_eq!(error.to_string(), "cannot start `/bin/sh`: only a supervised program can be confined");
        let mut broken = spec.clone();
        broken.confinement.as_mut().unwrap().backends.bubblewrap = Some("/no/bwrap".into());
        let output = spawner.output(&broken, 1000, TEST_TIMEOUT).await.unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(127), b"".as_slice()));

        let script = format!("exec {} {SUPERVISOR_ARGUMENT} --apply '{{}}' -- /bin/echo ran", this_binary());
        let output = spawner.output(&shell(&script, &[]), 1000, TEST_TIMEOUT).await.unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(CANNOT_CONFINE.into()), b"".as_slice()));
        assert!(errors.starts_with("zubi: cannot confine the program, so it was not started: "), "{errors}");
    });
}

/// A script that doubles nine times, so that it ends at about 500 processes whatever the supervisor does. (An unbounded
/// bomb, with a defective supervisor, took the whole machine.) Each process abandons its children at once and most end,
/// as in a fork bomb, so a process list has chains with missing links.
const STORM_SCRIPT: &str = r#"
    exec 9>"$1"
    storm() { if [ "$1" -gt 0 ]; then (storm $(($1 - 1)) &); (storm $(($1 - 1)) &); else exec tail -f /dev/null; fi; }
    storm 9
    exec tail -f /dev/null
"#;

fn a_storm_of_forks_ends(spawner: &Spawner) {
    let monitor = ExitMonitor::new();
    let spec = shell(STORM_SCRIPT, &[monitor.path.as_str()]).with_confinement(Confinement::default());
    run(async {
        let mut child = spawner.spawn(&spec).unwrap();
        let mut errors = String::new();
        child.stderr.as_mut().unwrap().read_to_string(&mut errors).await.unwrap();
        assert_eq!(child.wait().await.unwrap().code(), Some(137), "{errors}");
        assert!(errors.contains("zubi: ended the program: it had more than 200 processes at once"), "{errors}");
        assert_eq!(descendants(child.id()), Vec::<u32>::new());
    });
    monitor.assert_all_exited_within(TEST_TIMEOUT);
}

fn limits_hold(spawner: &Spawner) {
    let limits = ResourceLimits { file_size: Some(4096), memory: Some(1 << 28), ..ResourceLimits::default() };
    let spec = shell("ulimit -f; ulimit -v; ulimit -c; ulimit -f unlimited && echo raised", &[])
        .with_confinement(Confinement { limits, ..Confinement::default() });
    run(async {
        let output = spawner.output(&spec, 1000, TEST_TIMEOUT).await.unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        // The units are 512 and 1024 bytes. Root may raise a limit again.
        assert!(text.starts_with("8\n262144\n0\n"), "{text}");
        assert!(rustix::process::geteuid().is_root() || !text.contains("raised"), "{text}");
    });
}
