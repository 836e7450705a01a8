//! Facts about processes from Linux's `/proc` (proc(5)). Other systems return nothing.

use std::path::Path;

use rustc_hash::FxHashMap;

/// Returns all direct and indirect descendants of a process, nearest first. A snapshot: processes start and end during
/// the scan, and one whose parent ends meanwhile may be missing.
///
/// Reads the parent of every process. `/proc/<pid>/task/<tid>/children` would be faster, but many kernels are built
/// without it (`CONFIG_PROC_CHILDREN`).
pub fn descendants(pid: u32) -> Vec<u32> {
    descendants_with_groups(pid).into_iter().map(|(pid, _)| pid).collect()
}

/// Returns the descendants, each with its process group.
pub(super) fn descendants_with_groups(pid: u32) -> Vec<(u32, u32)> {
    let mut children: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    for entry in entries.flatten() {
        if let Some(child) = entry.file_name().to_str().and_then(|name| name.parse().ok())
            && let Some((parent, group)) = parent_and_group(child)
        {
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
    found
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
