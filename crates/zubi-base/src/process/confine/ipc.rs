//! An IPC namespace and a directory of shared memory of the program's own (`ipc_namespaces(7)`, `shm_overview(7)`).
//!
//! Python's `multiprocessing`, PostgreSQL and browsers use `/dev/shm` or System V IPC. Those of the machine have the
//! data of other programs, and neither Landlock nor seccomp can distinguish the segments of one user.

use std::io::{self, Write as _};
use std::path::PathBuf;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

use super::confinement::ConfineError;

/// The directory of POSIX semaphores and shared memory, which the C library names.
pub(super) const SHARED_MEMORY: &str = "/dev/shm";

/// The maximum number of names of other programs that the own directory reserves.
const MAX_RESERVED: usize = 1000;

/// Moves this process into namespaces in which nothing of other programs is. Must run on the only thread.
pub(super) fn separate() -> Result<(), ConfineError> {
    let foreign = std::fs::read_dir(SHARED_MEMORY).into_iter().flatten().flatten().take(MAX_RESERVED);
    let foreign: Vec<PathBuf> = foreign.map(|entry| entry.path()).collect();
    let failed = |step| move |source: io::Error| ConfineError::Namespaces { step, source };
    let namespaces = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC;
    // A user namespace would take root's rights to the files of other users.
    if rustix::process::geteuid().is_root() {
        unshare(namespaces).map_err(io::Error::from).map_err(failed("leave those of the machine"))?;
    } else {
        let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        unshare(namespaces | CloneFlags::CLONE_NEWUSER)
            .map_err(io::Error::from)
            .map_err(failed("leave those of the machine"))?;
        // The program has the ids that it had; `setgroups` must be off before the group may be written.
        for (file, line) in [
            ("/proc/self/setgroups", "deny".to_owned()),
            ("/proc/self/uid_map", format!("{user} {user} 1")),
            ("/proc/self/gid_map", format!("{group} {group} 1")),
        ] {
            let written = std::fs::OpenOptions::new().write(true).open(file);
            written.and_then(|mut file| file.write_all(line.as_bytes())).map_err(failed("name the user"))?;
        }
    }
    // Mounts of the machine still appear here, and those made here appear nowhere else.
    mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_SLAVE, None::<&str>)
        .map_err(io::Error::from)
        .map_err(failed("separate the mounts"))?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("tmpfs"), SHARED_MEMORY, Some("tmpfs"), flags, Some("mode=1777"))
        .map_err(io::Error::from)
        .map_err(failed("mount a directory of shared memory"))?;
    // A program that opens the shared memory of another one gets an error. It must not take an empty file of its own for
    // it. No error matters: the file would be empty then.
    for name in foreign {
        std::fs::create_dir(name).ok();
    }
    Ok(())
}
