//! Supervisors that wait for their program.

use camino::Utf8Path;
use rustix::process::{Pid, Signal};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use zubi_base::process::confine::Network;
use zubi_base::process::{Child, ChildEnvironment, CommandSpec, Confinement, Spawner, descendants};

use super::{ExitMonitor, STORM_SCRIPT, STUBBORN, TEST_TIMEOUT, landlock_and_seccomp, run, shell};

/// Starts a program with a supervisor that was prepared for a confinement, and checks that this one runs it.
async fn start_prepared(spawner: &Spawner, likely: &Confinement, spec: &CommandSpec) -> Child {
    let standby = spawner.prepare(likely).unwrap();
    let before = descendants(std::process::id());
    let child = standby.start(spec).await.expect("it waits");
    assert!(before.contains(&child.id()), "{before:?}");
    child
}

/// Returns the exit code and both outputs.
async fn finish(mut child: Child) -> (Option<i32>, String, String) {
    drop(child.stdin.take());
    let (mut output, mut errors) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut output).await.unwrap();
    child.stderr.take().unwrap().read_to_string(&mut errors).await.unwrap();
    (child.wait().await.unwrap().code(), output, errors)
}

pub(super) fn a_prepared_supervisor_runs_a_program(spawner: &Spawner) {
    let likely = landlock_and_seccomp("/tmp".into());
    let script = "cat; pwd; echo \"$A-$HOME\" \"$1\" >&2; ls /proc/$$/fd; exit 7";
    let mut spec = shell(script, &["$x\n"]).with_confinement(likely.clone());
    spec.directory = "/usr".into();
    spec.environment = ChildEnvironment::default().with_variable("A", "1 2").with_variable("PATH", "/usr/bin:/bin");
    let (code, output, errors) = run(async {
        let mut child = start_prepared(spawner, &likely, &spec).await;
        child.stdin.as_mut().unwrap().write_all("grüße\n".as_bytes()).await.unwrap();
        finish(child).await
    });
    // The program has no file of the supervisor open.
    assert_eq!((output.as_str(), code), ("grüße\n/usr\n0\n1\n2\n", Some(7)), "{errors}");
    assert_eq!(errors, "1 2- $x\n\n");
}

/// The confinement of the program applies, and not the one that was likely.
pub(super) fn a_prepared_program_has_only_the_granted_access(spawner: &Spawner) {
    let directory = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
    for name in ["mine", "other", "secret"] {
        std::fs::create_dir(root.join(name)).unwrap();
        zubi_base::fs::write_atomic(&root.join(name).join("file"), b"text").unwrap();
    }
    let mut confinement = landlock_and_seccomp(&root.join("mine"));
    confinement.excluded.push(root.join("secret"));
    let mut wider = landlock_and_seccomp(&root.join("other"));
    wider.network = Network::All;
    for likely in [&confinement, &wider] {
        for (script, is_allowed) in [
            ("cat mine/file other/file && echo x > mine/new && rm mine/new", true),
            ("echo x > other/new", false),
            ("cat secret/file", false),
            ("exec 3<>/dev/udp/127.0.0.1/9", false),
            ("unshare -U true", false),
        ] {
            let spec = CommandSpec::new("/bin/bash", root.clone()).args(["-c", script]);
            let spec = spec.with_confinement(confinement.clone());
            let (code, _, errors) = run(async { finish(start_prepared(spawner, likely, &spec).await).await });
            assert_eq!(code == Some(0), is_allowed, "{script}: {errors}");
            assert!(is_allowed || !errors.contains("zubi:"), "it started: {errors}");
        }
    }
}

pub(super) fn processes_of_a_prepared_program_are_counted(spawner: &Spawner) {
    let monitor = ExitMonitor::new();
    let confinement = landlock_and_seccomp(monitor.path.parent().unwrap());
    let spec = shell(STORM_SCRIPT, &[monitor.path.as_str()]).with_confinement(confinement.clone());
    let (code, _, errors) = run(async { finish(start_prepared(spawner, &confinement, &spec).await).await });
    assert_eq!(code, Some(137), "{errors}");
    assert!(errors.contains("zubi: ended the program: it had more than 200 processes at once"), "{errors}");
    monitor.assert_all_exited_within(TEST_TIMEOUT);
}

pub(super) fn a_prepared_supervisor_ends_its_program(spawner: &Spawner) {
    let monitor = ExitMonitor::new();
    let confinement = landlock_and_seccomp(monitor.path.parent().unwrap());
    let spec = shell(STUBBORN, &[monitor.path.as_str()]).with_confinement(confinement.clone());
    run(async {
        let mut child = start_prepared(spawner, &confinement, &spec).await;
        child.stdout.as_mut().unwrap().read_u8().await.unwrap();
        drop(child);
    });
    monitor.assert_all_exited_within(TEST_TIMEOUT);
}

pub(super) fn an_unused_supervisor_ends(spawner: &Spawner) {
    run(async {
        drop(spawner.prepare(&landlock_and_seccomp("/tmp".into())).unwrap());
        while !descendants(std::process::id()).is_empty() {
            tokio::task::yield_now().await;
        }
    });
}

/// Without a waiting supervisor, the caller starts a new one.
pub(super) fn what_cannot_be_prepared_is_reported(spawner: &Spawner) {
    let confinement = landlock_and_seccomp("/tmp".into());
    let mut with_bubblewrap = confinement.clone();
    with_bubblewrap.backends.bubblewrap = Some("/usr/bin/bwrap".into());
    let without_landlock = Confinement::default();
    let spec = shell("true", &[]).with_confinement(confinement.clone());
    let missing_directory = CommandSpec { directory: "/no/such".into(), ..spec.clone() };
    let missing_program = CommandSpec { program: "/no/such".into(), ..spec.clone() };
    run(async {
        assert!(spawner.prepare(&with_bubblewrap).is_err() && spawner.prepare(&without_landlock).is_err());
        assert!(Spawner::direct().prepare(&confinement).is_err());
        let bubblewrap = spec.clone().with_confinement(with_bubblewrap.clone());
        for spec in [&missing_directory, &missing_program, &bubblewrap, &shell("true", &[])] {
            assert!(spawner.prepare(&confinement).unwrap().start(spec).await.is_none(), "{spec:?}");
        }
        let standby = spawner.prepare(&confinement).unwrap();
        // A killed process is in the list until its parent has noticed its end.
        while !descendants(std::process::id()).iter().all(|process| kill_and_check_end(*process)) {
            tokio::task::yield_now().await;
        }
        assert!(standby.start(&spec).await.is_none());
    });
}

/// Kills a process and returns whether it has ended.
fn kill_and_check_end(process: u32) -> bool {
    let id = Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
    rustix::process::kill_process(id, Signal::KILL).ok();
    let status = zubi_base::fs::read_text(Utf8Path::new(&format!("/proc/{process}/stat"))).unwrap_or_default();
    status.rsplit_once(')').is_none_or(|(_, fields)| fields.starts_with(" Z"))
}
