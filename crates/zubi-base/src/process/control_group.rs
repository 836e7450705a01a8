//! A control group of a program's own (cgroups(7), version 2), in which the kernel ends all processes in one step.
//!
//! A process that starts others faster than anyone can list them, and that leaves its session and its parents, is still
//! in the group: only a process that may write the files of another group can leave it, and a sandboxed one cannot.
//! If this user may not make a group, the supervisor ends what it finds in the list of processes.
//!
//! The group is below the supervisor's own. No controller is needed, so it does not matter which ones are delegated.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use camino::Utf8Path;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::fs;

/// The prefix of the names of groups; the id of the supervisor follows.
const NAME: &str = "zubi-";

/// The time in which the kernel removes killed processes from a group.
const EMPTY: Duration = Duration::from_secs(1);

/// A group without subgroups. Dropping it removes it.
#[derive(Debug)]
pub(super) struct ControlGroup {
    directory: PathBuf,
    /// Files that stay open: a program that lowers the supervisor's limits cannot prevent their use.
    kill: File,
    events: File,
}

impl ControlGroup {
    /// Starts a program in a new group, or in the supervisor's own one if there can be no new one. Must run on the only
    /// thread.
    pub(super) fn start<T>(start: impl FnOnce() -> io::Result<T>) -> io::Result<(T, Option<Self>)> {
        let Ok((group, own)) = Self::create() else { return Ok((start()?, None)) };
        // The program is in the group from its beginning, because the supervisor is while it starts the program.
        let entered = enter(&group.directory.join("cgroup.procs"));
        let outcome = start();
        let left = (&own).write_all(b"0");
        let program = outcome?;
        // With the supervisor in it, the group must not be killed.
        Ok((program, (entered.is_ok() && left.is_ok()).then_some(group)))
    }

    /// Creates a group, and opens the file through which a process enters the present one again.
    fn create() -> io::Result<(Self, File)> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let parent = own_directory().ok_or_else(missing)?;
        let own = OpenOptions::new().write(true).open(parent.join("cgroup.procs"))?;
        remove_stale(&parent);
        let directory = parent.join(format!("{NAME}{}", std::process::id()));
        // Left by a supervisor that was killed and had the same id.
        std::fs::remove_dir(&directory).ok();
        std::fs::create_dir(&directory)?;
        let files = || Ok((open_to_kill(&directory)?, File::open(directory.join("cgroup.events"))?));
        match files() {
            Ok((kill, events)) => Ok((Self { directory, kill, events }, own)),
            Err(error) => {
                std::fs::remove_dir(&directory).ok();
                Err(error)
            }
        }
    }

    /// Kills all processes of the group, and those that they start meanwhile.
    pub(super) fn kill(&self) -> io::Result<()> {
        (&self.kill).write_all(b"1")
    }

    /// Waits until no process is in the group.
    fn wait_until_empty(&self) {
        let end = Instant::now() + EMPTY;
        while !self.is_empty() && Instant::now() < end {
            // The kernel reports a change of the file as an exceptional condition.
            let mut watched = [PollFd::new(&self.events, PollFlags::PRI)];
            let remaining = end.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(remaining).ok();
            poll(&mut watched, timeout.as_ref()).ok();
        }
    }

    fn is_empty(&self) -> bool {
        let mut text = String::new();
        let mut events = &self.events;
        let read = events.rewind().and_then(|()| events.read_to_string(&mut text));
        read.is_err() || text.lines().any(|line| line == "populated 0")
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        self.wait_until_empty();
        // If it is not empty yet, a later supervisor removes it.
        std::fs::remove_dir(&self.directory).ok();
    }
}

/// Opens the file that kills a group (Linux 5.14).
fn open_to_kill(directory: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(directory.join("cgroup.kill"))
}

fn enter(processes: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(processes)?.write_all(b"0")
}

/// Removes the empty groups of supervisors that were killed. A group with a process cannot be removed.
fn remove_stale(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let supervisor = name.to_str().and_then(|name| name.strip_prefix(NAME)?.parse::<u32>().ok());
        if supervisor.is_some_and(|id| !Path::new("/proc").join(id.to_string()).exists()) {
            std::fs::remove_dir(entry.path()).ok();
        }
    }
}

/// The directory of this process's group of version 2.
fn own_directory() -> Option<PathBuf> {
    let groups = fs::read_text(Utf8Path::new("/proc/self/cgroup")).ok()?;
    let mounts = fs::read_text(Utf8Path::new("/proc/self/mountinfo")).ok()?;
    directory(&groups, &mounts)
}

/// Combines the group in `/proc/self/cgroup` with the place where its hierarchy is mounted (`proc_pid_mountinfo(5)`:
/// `id parent device root mount-point options … - type …`). Paths with escaped characters are not supported.
fn directory(groups: &str, mounts: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (fields, kind) = line.split_once(" - ")?;
        let mut fields = fields.split(' ').skip(3);
        let (root, mount_point) = (fields.next()?, fields.next()?);
        // A container may have mounted a part of the hierarchy.
        let below = Path::new(path).strip_prefix(root).ok()?;
        let is_usable = kind.starts_with("cgroup2 ") && !path.contains("..") && !mount_point.contains('\\');
        is_usable.then(|| Path::new(mount_point).join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_of_the_own_group_is_found() {
        let unified = "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        let hybrid = "31 30 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n40 30 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let part = "30 24 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        for (groups, mounts, expected) in [
            ("0::/user.slice/a.scope\n", unified, Some("/sys/fs/cgroup/user.slice/a.scope")),
            ("9:cpu:/\n0::/\n", hybrid, Some("/sys/fs/cgroup/unified/")),
            ("0::/docker/1/x\n", part, Some("/sys/fs/cgroup/x")),
            ("0::/other\n", part, None),
            ("0::/../outside\n", unified, None),
            ("9:cpu:/\n", hybrid, None),
            ("0::/\n", "31 30 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", None),
        ] {
            assert_eq!(directory(groups, mounts), expected.map(PathBuf::from), "{groups}{mounts}");
        }
    }
}
