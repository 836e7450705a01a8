//! Texts on disk that were read before and have not changed since.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::{DiskText, SourceText, TextSource};
use crate::clock::{Clock as _, SystemClock};
use crate::fs::{self, ReadError};
use crate::sync::lock;

/// The maximum size of all texts in memory, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The time after the last change of a file before which another change can have the same stamp. The clocks of file systems
/// have ticks of at most 2 s (FAT).
const SETTLED_AFTER: Duration = Duration::from_secs(3);

/// The texts on disk, of which it holds recent ones. A question about references shows lines of many files, and most
/// questions concern the same ones: examining a file takes a tenth of the time of reading it, and wakes no watcher.
#[derive(Debug, Default)]
pub struct RecentTexts(Mutex<TextCache>);

#[derive(Debug, Default)]
struct TextCache {
    by_path: FxHashMap<Utf8PathBuf, (ContentStamp, SourceText)>,
    bytes: usize,
}

/// The metadata of a regular file that differ after a change of its content: programs cannot set the time of the last change
/// of the metadata, which every write updates. After a write through a memory mapping, the system updates it only when it writes the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ContentStamp {
    device: u64,
    inode: u64,
    bytes: u64,
    /// The time of the last modification since the Unix epoch, in seconds and nanoseconds. Programs can set it.
    modified: (i64, i64),
    /// The time of the last change of content or metadata since the Unix epoch.
    changed: Duration,
}

impl ContentStamp {
    /// Returns the stamp of a file. `None` if the path leads through a link or is not a regular file, and on systems without
    /// such a time.
    fn read(path: &Utf8Path) -> Option<Self> {
        Self::from_metadata(&fs::metadata_no_follow(path).ok()?)
    }

    #[cfg(unix)]
    fn from_metadata(metadata: &std::fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let nanoseconds = u32::try_from(metadata.ctime_nsec()).ok()?;
        let changed = Duration::new(u64::try_from(metadata.ctime()).ok()?, nanoseconds);
        let stamp = Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed,
        };
        // A file system that does not know the time reports 0.
        (metadata.is_file() && changed > Duration::ZERO).then_some(stamp)
    }

    #[cfg(not(unix))]
    fn from_metadata(_metadata: &std::fs::Metadata) -> Option<Self> {
        None
    }

    /// Whether every later change of the file results in another stamp.
    fn is_settled(&self, now: Duration) -> bool {
        now.saturating_sub(self.changed) > SETTLED_AFTER
    }
}

impl TextCache {
    fn insert(&mut self, path: &Utf8Path, stamp: ContentStamp, text: &SourceText) {
        self.remove(path);
        let bytes = bytes_of(path, text);
        if bytes > MAX_BYTES {
            return;
        }
        if self.bytes + bytes > MAX_BYTES {
            *self = Self::default();
        }
        self.bytes += bytes;
        self.by_path.insert(path.to_owned(), (stamp, text.clone()));
    }

    fn remove(&mut self, path: &Utf8Path) {
        if let Some((_, text)) = self.by_path.remove(path) {
            self.bytes -= bytes_of(path, &text);
        }
    }
}

/// Returns the memory that a text needs, about.
fn bytes_of(path: &Utf8Path, text: &SourceText) -> usize {
    const PER_ENTRY: usize = 200;
    text.text.len() + path.as_str().len() + PER_ENTRY
}

impl RecentTexts {
    /// Reads a file at a time since the Unix epoch.
    fn read_at(&self, path: &Utf8Path, now: Duration) -> Result<SourceText, ReadError> {
        // Before the read: a change during it changes the stamp of the next one.
        let stamp = ContentStamp::read(path);
        let held = stamp.and_then(|stamp| {
            let texts = lock(&self.0);
            texts.by_path.get(path).filter(|(known, _)| *known == stamp).map(|(_, text)| text.clone())
        });
        if let Some(text) = held {
            return Ok(text);
        }
        let text = DiskText::read_in_place(path);
        let mut texts = lock(&self.0);
        match (&text, stamp.filter(|stamp| stamp.is_settled(now) && fs::has_own_times(path))) {
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
        // The same size, inode and time of the last modification. The clock of the file system may need to advance first.
        let before = ContentStamp::read(&fixture.file);
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while ContentStamp::read(&fixture.file) == before && std::time::Instant::now() < deadline {
            let file = std::fs::OpenOptions::new().write(true).open(&fixture.file).unwrap();
            std::io::Write::write_all(&mut &file, b"two").unwrap();
            file.set_modified(modified).unwrap();
        }
        assert_eq!(&*fixture.read(SETTLED_AFTER), "two");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_is_refused_although_it_leads_to_the_same_file() {
        let fixture = Fixture::new();
        fixture.read(SETTLED_AFTER);
        let other = fixture.file.with_file_name("b.txt");
        std::fs::rename(&fixture.file, &other).unwrap();
        std::os::unix::fs::symlink(&other, &fixture.file).unwrap();
        let refused = fixture.texts.read_at(&fixture.file, SystemClock.now() + SETTLED_AFTER);
        assert!(matches!(refused, Err(ReadError::Linked { .. })), "{refused:?}");
    }

    #[test]
    fn the_memory_is_bounded() {
        let fixture = Fixture::new();
        let now = SystemClock.now() + SETTLED_AFTER;
        let bytes = || lock(&fixture.texts.0).bytes;
        let read = |name: &str, size: usize| {
            let path = fixture.file.with_file_name(name);
            crate::fs::write_atomic(&path, "x".repeat(size).as_bytes()).unwrap();
            fixture.texts.read_at(&path, now + SETTLED_AFTER).unwrap();
        };
        read("half.txt", MAX_BYTES / 2);
        // Other texts stay when a text does not fit at all.
        read("large.txt", MAX_BYTES);
        assert!((MAX_BYTES / 2..MAX_BYTES).contains(&bytes()));
        read("more.txt", MAX_BYTES / 2);
        assert!((MAX_BYTES / 2..MAX_BYTES).contains(&bytes()));
        assert_eq!(lock(&fixture.texts.0).by_path.len(), 1);
    }
}
