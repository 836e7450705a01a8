//! Jobs with a supervisor that was started before them, and files that change between it and the job.

use std::time::Instant;

use zubi_base::process::descendants;
use zubi_exec::sandbox::SandboxRequest;

use super::{TEST_TIMEOUT, World};

/// Waits until a supervisor waits for the next job, and returns the process ids of the children of this process.
fn wait_for_standby() -> Vec<u32> {
    let deadline = Instant::now() + TEST_TIMEOUT;
    loop {
        let processes = descendants(std::process::id());
        // The supervisor and the process below it.
        if processes.len() >= 2 {
            return processes;
        }
        assert!(Instant::now() < deadline, "no supervisor waits");
        std::thread::yield_now();
    }
}

pub(super) fn the_next_job_uses_the_waiting_supervisor(world: &World) {
    for round in 0..3 {
        let before = if round > 0 { wait_for_standby() } else { Vec::new() };
        let finished = world.run(&world.script("echo $PPID; cat \"$1/home/notes\"")).unwrap();
        let output = finished.stdout.text();
        let (parent, notes) = output.split_once('\n').unwrap();
        assert_eq!(before.contains(&parent.parse().unwrap()), round > 0, "{parent} {before:?}");
        assert_eq!(notes, "notes");
    }
}

/// The waiting process has made its rules before these changes, or makes them between them; no job may notice.
pub(super) fn changes_between_two_jobs_are_seen(world: &World) {
    let home = world.root.join("home");
    let write = |path: &str| {
        std::fs::create_dir_all(home.join(path).parent().unwrap()).unwrap();
        zubi_base::fs::write_atomic(&home.join(path), b"text").unwrap();
    };
    let check = |table: &[(&str, bool)]| {
        for line in table {
            world.check(&SandboxRequest::default(), &[*line]);
            wait_for_standby();
        }
    };
    check(&[("cat \"$1/home/notes\"", true), ("cat \"$1/home/.ssh/id\"", false)]);
    write("new");
    check(&[("cat \"$1/home/new\"", true)]);
    write(".aws/credentials");
    check(&[("cat \"$1/home/.aws/credentials\"", false), ("cat \"$1/home/new\"", true)]);
    write(".config/app/settings");
    check(&[("cat \"$1/home/.config/app/settings\"", true)]);
    write(".config/gh/hosts.yml");
    check(&[("cat \"$1/home/.config/gh/hosts.yml\"", false), ("cat \"$1/home/.config/app/settings\"", true)]);
    std::fs::rename(home.join("new"), home.join(".netrc")).unwrap();
    check(&[("cat \"$1/home/.netrc\"", false)]);
    std::fs::rename(home.join("notes"), home.join(".ssh/id")).unwrap();
    check(&[("cat \"$1/home/.ssh/id\"", false)]);
    std::fs::rename(home.join(".netrc"), home.join("public")).unwrap();
    check(&[("cat \"$1/home/public\"", true)]);
}
