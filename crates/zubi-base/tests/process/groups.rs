//! The control group of a confined program.

use std::fs::File;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::process::{Confinement, Spawner};

use super::{ExitMonitor, TEST_TIMEOUT, run, shell};

/// A program that replaces itself without end: each process starts its successor in a new session, twice removed, and
/// ends. There are never many processes, and no list of them is up to date. They end if the pipe's file is removed, so
/// that a defect does not take the machine.
const REPLACED: &str = r#"[ -e "$1" ] && (setsid sh "$0" "$1" &)"#;

pub(super) fn a_storm_that_changes_sessions_ends(spawner: &Spawner) {
    let monitor = ExitMonitor::new();
    let script = monitor.path.with_file_name("replaced");
    zubi_base::fs::write_atomic(&script, REPLACED.as_bytes()).unwrap();
    let start =
        r#"exec 9>"$1"; i=0; while [ $i -lt 20 ]; do sh "$2" "$1" >/dev/null 2>&1; i=$((i + 1)); done; echo ready"#;
    let spec = shell(start, &[monitor.path.as_str(), script.as_str()]).with_confinement(Confinement::default());
    run(async {
        let output = spawner.output(&spec, 1000, TEST_TIMEOUT).await.unwrap();
        assert_eq!((String::from_utf8_lossy(&output.stdout).as_ref(), output.status.code()), ("ready\n", Some(0)));
    });
    monitor.assert_all_exited_within(TEST_TIMEOUT);
}

/// The program has a group of its own exactly if this user may make one, and the group is gone afterwards.
pub(super) fn a_confined_program_has_a_control_group(spawner: &Spawner) {
    let own_group = |groups: &str| groups.lines().find_map(|line| line.strip_prefix("0::").map(str::to_owned));
    let read = |file: &str| zubi_base::fs::read_text(Utf8Path::new(file)).unwrap();
    let (own, mounts) = (own_group(&read("/proc/self/cgroup")), read("/proc/self/mounts"));
    let mount =
        mounts.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2")).and_then(|line| line.split(' ').nth(1));
    let directory = own.as_ref().zip(mount).map(|(own, mount)| Utf8PathBuf::from(format!("{mount}{own}")));
    let probe = directory.as_ref().map(|directory| directory.join(format!("probe-{}", std::process::id())));
    let may_make = probe.is_some_and(|probe| {
        let may_kill =
            std::fs::create_dir(&probe).is_ok() && File::options().write(true).open(probe.join("cgroup.kill")).is_ok();
        std::fs::remove_dir(&probe).ok();
        may_kill
    });
    let spec = shell("cat /proc/self/cgroup", &[]).with_confinement(Confinement::default());
    let output = run(async { spawner.output(&spec, 10_000, TEST_TIMEOUT).await.unwrap() });
    let group = own_group(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(group != own, may_make, "{own:?} {group:?}");
    if let (true, Some(mount), Some(group)) = (may_make, mount, group) {
        assert!(!Utf8Path::new(mount).join(group.trim_start_matches('/')).exists(), "it is removed");
    }
}
