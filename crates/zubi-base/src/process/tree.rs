//! Facts about processes from Linux's `/proc` (proc(5)). Other systems return nothing.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustc_hash::FxHashMap;
use rustix::fs::{CWD, Mode, OFlags, RawDir, SeekFrom, openat, seek};
use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, waitid};

use super::signal::pid_of;

/// Returns all direct and indirect descendants of a process, nearest first. A snapshot: processes start and end during
/// the scan, and one whose parent ends meanwhile may be missing. Empty if the system shows no processes.
pub fn descendants(pid: u32) -> Vec<u32> {
    let found = ProcessList::open().and_then(|processes| processes.descendants_with_groups(pid));
    found.unwrap_or_default().into_iter().map(|(pid, _)| pid).collect()
}

/// The system's list of processes, through a descriptor that stays open: the list can be read again whatever limits a
/// program has set for this process meanwhile.
#[derive(Debug)]
pub(super) struct ProcessList {
    directory: OwnedFd,
}

/// More than the largest process id of Linux (`PID_MAX_LIMIT`).
const MAX_PID: u32 = 1 << 22;

/// The size of the buffer for the names in `/proc`, in bytes.
const NAMES: usize = 32 * 1024;

/// More than the first fields of `/proc/<pid>/stat`, in bytes.
const STAT: usize = 512;

impl ProcessList {
    pub(super) fn open() -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { directory: openat(CWD, "/proc", flags, Mode::empty())? })
    }

    /// Returns the ids of all processes. Needs no further descriptor.
    fn ids(&self) -> io::Result<Vec<u32>> {
        seek(&self.directory, SeekFrom::Start(0))?;
        let mut buffer = vec![MaybeUninit::uninit(); NAMES];
        let mut entries = RawDir::new(&self.directory, &mut buffer);
        let mut ids = Vec::new();
        while let Some(entry) = entries.next() {
            ids.extend(entry?.file_name().to_str().ok().and_then(|name| name.parse::<u32>().ok()));
        }
        Ok(ids)
    }

    /// Returns the direct and indirect descendants of a process, nearest first, each with its process group.
    ///
    /// Reads the parent of every process. `/proc/<pid>/task/<tid>/children` would be faster, but many kernels are built
    /// without it (`CONFIG_PROC_CHILDREN`).
    ///
    /// # Errors
    /// If a process that exists cannot be examined, so that the result would be incomplete.
    pub(super) fn descendants_with_groups(&self, pid: u32) -> io::Result<Vec<(u32, u32)>> {
        let mut children: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
        for child in self.ids()? {
            if let Some((parent, group)) = self.parent_and_group(child)? {
                children.entry(parent).or_default().push((child, group));
            }
        }
        let mut found = Vec::new();
        let mut next = children.remove(&pid).unwrap_or_default();
        // Removes each list from the map, so that this ends even if a reused id makes the snapshot a cycle.
        while !next.is_empty() {
            found.extend_from_slice(&next);
            next = next.iter().flat_map(|(pid, _)| children.remove(pid).unwrap_or_default()).collect();
        }
        Ok(found)
    }

    /// Returns the direct children of this process, without opening anything: the kernel reports an error for a process
    /// that is not one.
    pub(super) fn children(&self) -> Vec<u32> {
        let is_child = |pid: &u32| {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            pid_of(*pid).is_some_and(|pid| waitid(WaitId::Pid(pid), options).is_ok())
        };
        match self.ids() {
            Ok(ids) => ids.into_iter().filter(is_child).collect(),
            Err(_) => (1..MAX_PID).filter(is_child).collect(),
        }
    }

    /// Returns the parent and the group of a process; `None` if it has ended, or belongs to another user and is hidden.
    fn parent_and_group(&self, pid: u32) -> io::Result<Option<(u32, u32)>> {
        let name = format!("{pid}/stat");
        let mut stat = [0; STAT];
        let file = openat(&self.directory, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        match file.and_then(|file| rustix::io::read(&file, &mut stat)) {
            Ok(length) => Ok(parent_and_group_in_stat(stat.get(..length).unwrap_or_default())),
            Err(Errno::NOENT | Errno::SRCH | Errno::ACCESS | Errno::PERM) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether `pid` is a running direct or indirect parent of this process.
pub fn is_ancestor(pid: u32) -> bool {
    let parents = std::iter::successors(parent(std::process::id()), |pid| parent(*pid));
    // The first process of a system or container has the parent 0, which is not a process. The limit prevents an
    // endless loop if the system has reused an id.
    parents.take_while(|parent| *parent != 0).take(MAX_ANCESTORS).any(|parent| parent == pid)
}

/// The maximum number of parents to follow.
const MAX_ANCESTORS: usize = 1000;

/// Returns the parent of a process: its creator, or the process that has adopted it.
fn parent(pid: u32) -> Option<u32> {
    parent_and_group(pid).map(|(parent, _)| parent)
}

fn parent_and_group(pid: u32) -> Option<(u32, u32)> {
    let stat = std::fs::read(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    parent_and_group_in_stat(&stat)
}

/// Parses the parent and the group in `/proc/<pid>/stat`: `pid (name) state parent group …`. The program chooses the
/// name, which may contain brackets and spaces, so only the last bracket is significant.
fn parent_and_group_in_stat(stat: &[u8]) -> Option<(u32, u32)> {
    let text = String::from_utf8_lossy(stat);
    let (_, after_name) = text.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(1);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// Returns the present resident set size of a process, in bytes; `None` if it has ended.
pub fn rss_bytes(pid: u32) -> Option<u64> {
    let status = std::fs::read(Path::new("/proc").join(pid.to_string()).join("status")).ok()?;
    let text = String::from_utf8_lossy(&status);
    let kibibytes: u64 =
        text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents() {
        assert_eq!(parent_and_group_in_stat(b"12 (a) b) R 7 1 1 0"), Some((7, 1)));
        assert_eq!(parent_and_group_in_stat(b"12 (cat) S 1 12 12"), Some((1, 12)));
        assert_eq!(parent_and_group_in_stat(b""), None);
    }

    #[test]
    fn children_are_found_without_their_files() {
        let processes = ProcessList::open().unwrap();
        #[expect(clippy::disallowed_methods, reason = "a child of this process itself")]
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let own: Vec<u32> = processes.children();
        let family = processes.descendants_with_groups(std::process::id()).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(own.contains(&child.id()) && family.iter().any(|(pid, _)| *pid == child.id()), "{own:?} {family:?}");
        assert!(!own.contains(&std::process::id()) && !own.contains(&1), "{own:?}");
        assert!(!processes.children().contains(&child.id()), "it has ended");
    }

    #[test]
    fn ancestors() {
        let parent = std::os::unix::process::parent_id();
        assert!(is_ancestor(parent));
        assert!(is_ancestor(super::parent(parent).unwrap()));
        assert!(!is_ancestor(std::process::id()));
        // More than the maximum process id of Linux.
        assert!(!is_ancestor((1 << 22) + 1));
        assert!(!is_ancestor(0));
    }

    #[test]
    fn memory_of_this_process() {
        let rss = rss_bytes(std::process::id()).unwrap();
        assert!((100_000..100_000_000_000).contains(&rss), "{rss}");
        assert_eq!(rss_bytes(u32::MAX), None);
    }
}
