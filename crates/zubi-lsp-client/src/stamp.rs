//! Whether a file is the one that was read before, determined without reading it.

use std::time::Duration;

use camino::Utf8Path;

/// The metadata that changes when a file's content does. Two different contents can have the same stamp only when both
/// were written within one tick of the file system's clock; [`Stamp::is_settled`] shows when that is impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Time of the last modification since the Unix epoch.
    modified: Duration,
    bytes: u64,
    /// Editors that write a new file and rename it over the old one change this even when all else is equal.
    inode: u64,
}

/// Longer than the coarsest clock tick of Linux file systems in use (4 ms at 250 Hz; ext3 and FAT, with whole seconds,
/// are covered by the file watcher's events).
const CLOCK_TICK: Duration = Duration::from_millis(20);

impl Stamp {
    /// Returns the stamp of a file, links followed; `None` when there is no regular file.
    pub(crate) fn from_file(path: &Utf8Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        metadata.is_file().then(|| Self::from_metadata(&metadata))
    }

    pub(crate) fn from_metadata(metadata: &std::fs::Metadata) -> Self {
        let modified = metadata.modified().ok();
        Self {
            modified: modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok()).unwrap_or_default(),
            bytes: metadata.len(),
            inode: inode(metadata),
        }
    }

    /// Whether a later change must change the stamp: the last one is further back than a tick of the clock.
    pub(crate) fn is_settled(&self, now: Duration) -> bool {
        now.saturating_sub(self.modified) > CLOCK_TICK
    }
}

#[cfg(unix)]
fn inode(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_metadata: &std::fs::Metadata) -> u64 {
    0
}
