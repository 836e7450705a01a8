//! Detects whether a file has changed since it was read, without reading it.

use std::time::Duration;

use camino::Utf8Path;

/// The metadata that changes with a file's content. Two contents can have the same stamp only if both were written
/// within one tick of the file system's clock; [`Stamp::is_settled`] shows when that is impossible.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The time of the last modification since the Unix epoch.
    modified: Duration,
    bytes: u64,
    /// Changes if an editor writes a new file and renames it over the old one, even if all else is equal.
    inode: u64,
}

/// Longer than the coarsest clock tick of common Linux file systems (4 ms at 250 Hz). The file watcher's events cover
/// ext3 and FAT, whose ticks are whole seconds.
const CLOCK_TICK: Duration = Duration::from_millis(20);

impl Stamp {
    /// Returns the stamp of a file after resolving links; `None` if there is no regular file.
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

    /// Returns the stamp of a directory, which stays the same while its entries change.
    pub(crate) fn of_directory(metadata: &std::fs::Metadata) -> Self {
        let created = metadata.created().ok();
        Self {
            modified: created.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok()).unwrap_or_default(),
            bytes: 0,
            inode: inode(metadata),
        }
    }

    /// Whether a later change must change the stamp, because the last one is more than a clock tick ago.
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
