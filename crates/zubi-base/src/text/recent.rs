//! Texts on disk that were read before and have not changed since.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::{DiskText, SourceText, TextSource};
use crate::clock::{Clock as _, SystemClock};
use crate::fs::ReadError;
use crate::sync::lock;

/// The maximum size of all texts in memory, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The time after the last change of a file before which another change can have the same stamp. The clocks of file systems
/// have ticks of at most 2 s (FAT).
const SETTLED_AFTER: Duration = Duration::from_secs(3);

/// The texts on disk, of which it holds recent ones. A question about references shows lines of many files, and most
/// questions concern the same ones: examining a file takes a tenth of the time of reading it, and wakes no watcher.
#[derive(Debug, Default)]
pub struct RecentTexts(Mutex<HeldTexts>);

#[derive(Debug, Default)]
struct HeldTexts {
    by_path: FxHashMap<Utf8PathBuf, (FileStamp, SourceText)>,
    bytes: usize,
}

/// The metadata of a regular file that differ after every change of its content: programs cannot set the time of the last
/// change of the metadata, which every write updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    device: u64,
    inode: u64,
    bytes: u64,
    /// Since the Unix epoch.
    changed: Duration,
}

impl FileStamp {
    /// Returns the stamp of a file after links. `None` if it is not a regular file, and on systems without such a time.
    fn read(path: &Utf8Path) -> Option<Self> {
        Self::from_metadata(&std::fs::metadata(path).ok()?)
    }

    #[cfg(unix)]
    fn from_metadata(metadata: &std::fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let nanoseconds = u32::try_from(metadata.ctime_nsec()).ok()?;
        let changed = Duration::new(u64::try_from(metadata.ctime()).ok()?, nanoseconds);
        let stamp = Self { device: metadata.dev(), inode: metadata.ino(), bytes: metadata.len(), changed };
        metadata.is_file().then_some(stamp)
    }

    #[cfg(not(unix))]
    fn from_metadata(_metadata: &std::fs::Metadata) -> Option<Self> {
        None
    }

    /// Whether a later change must change the stamp.
    fn is_settled(&self, now: Duration) -> bool {
        now.saturating_sub(self.changed) > SETTLED_AFTER
    }
}

impl HeldTexts {
    fn insert(&mut self, path: &Utf8Path, stamp: FileStamp, text: &SourceText) {
        self.remove(path);
        if self.bytes + text.text.len() > MAX_BYTES {
            *self = Self::default();
        }
        if text.text.len() <= MAX_BYTES {
            self.bytes += text.text.len();
            self.by_path.insert(path.to_owned(), (stamp, text.clone()));
        }
    }

    fn remove(&mut self, path: &Utf8Path) {
        if let Some((_, text)) = self.by_path.remove(path) {
            self.bytes -= text.text.len();
        }
    }
}

impl RecentTexts {
    /// Reads a file at a time since the Unix epoch.
    fn read_at(&self, path: &Utf8Path, now: Duration) -> Result<SourceText, ReadError> {
        // Before the read: a change during it changes the stamp of the next one. A path that leads through a link by now
        // has the stamp of the same file only if it leads to it.
        let stamp = FileStamp::read(path);
        let held = stamp.and_then(|stamp| {
            let texts = lock(&self.0);
            texts.by_path.get(path).filter(|(known, _)| *known == stamp).map(|(_, text)| text.clone())
        });
        if let Some(text) = held {
            return Ok(text);
        }
        let text = DiskText::read_in_place(path);
        let mut texts = lock(&self.0);
        match (&text, stamp.filter(|stamp| stamp.is_settled(now))) {
            (Ok(text), Some(stamp)) => texts.insert(path, stamp, text),
            _ => texts.remove(path),
        }
        text
    }
}

#[async_trait]
impl TextSource for RecentTexts {
    async fn read(&self, path: &Utf8Path) -> Result<SourceText, ReadError> {
        // Reading a local source file takes microseconds, less than a switch to another thread.
        self.read_at(path, SystemClock.now())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    struct Fixture {
        _directory: tempfile::TempDir,
        file: Utf8PathBuf,
        texts: RecentTexts,
    }

    impl Fixture {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let root = crate::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
            let file = root.join("a.txt");
            crate::fs::write_atomic(&file, b"one").unwrap();
            Self { _directory: directory, file, texts: RecentTexts::default() }
        }

        /// Reads the file some time after its last change.
        fn read(&self, after: Duration) -> Arc<str> {
            self.texts.read_at(&self.file, SystemClock.now() + after).unwrap().text
        }
    }

    #[test]
    fn an_unchanged_file_is_read_once() {
        let fixture = Fixture::new();
        let first = fixture.read(SETTLED_AFTER);
        assert!(Arc::ptr_eq(&first, &fixture.read(Duration::ZERO)));
    }

    #[test]
    fn a_file_that_was_just_written_is_read_again() {
        let fixture = Fixture::new();
        let first = fixture.read(Duration::ZERO);
        assert!(!Arc::ptr_eq(&first, &fixture.read(SETTLED_AFTER)));
    }

    #[test]
    fn a_change_of_the_content_alone_is_seen() {
        let fixture = Fixture::new();
        let modified = std::fs::metadata(&fixture.file).unwrap().modified().unwrap();
        assert_eq!(&*fixture.read(SETTLED_AFTER), "one");
        // The same size, inode and time of the last modification.
        let file = std::fs::OpenOptions::new().write(true).open(&fixture.file).unwrap();
        std::io::Write::write_all(&mut &file, b"two").unwrap();
        file.set_modified(modified).unwrap();
        assert_eq!(&*fixture.read(SETTLED_AFTER), "two");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_in_place_of_the_file_is_refused() {
        let fixture = Fixture::new();
        fixture.read(SETTLED_AFTER);
        let other = fixture.file.with_file_name("b.txt");
        crate::fs::write_atomic(&other, b"two").unwrap();
        std::fs::remove_file(&fixture.file).unwrap();
        std::os::unix::fs::symlink(&other, &fixture.file).unwrap();
        let refused = fixture.texts.read_at(&fixture.file, SystemClock.now() + SETTLED_AFTER);
        assert!(matches!(refused, Err(ReadError::Linked { .. })), "{refused:?}");
    }

    #[test]
    fn the_memory_is_bounded() {
        let fixture = Fixture::new();
        let large = "x".repeat(MAX_BYTES - 2);
        crate::fs::write_atomic(&fixture.file.with_file_name("large.txt"), large.as_bytes()).unwrap();
        fixture.read(SETTLED_AFTER);
        let now = SystemClock.now() + SETTLED_AFTER;
        fixture.texts.read_at(&fixture.file.with_file_name("large.txt"), now).unwrap();
        assert_eq!(lock(&fixture.texts.0).bytes, large.len());
        fixture.read(SETTLED_AFTER);
        assert_eq!(lock(&fixture.texts.0).bytes, 3);
    }
}
