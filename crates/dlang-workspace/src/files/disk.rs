//! The disk. Only this module accesses a file system; it limits the size of reads and never waits for a pipe.
//!
//! `zubi-base` has similar functions, but DomainLang's crates do not depend on zubi.

use std::io::{self, Read as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use ignore::WalkBuilder;

use super::{Bounds, EXTENSION, Files, GENERATED, Kind, MAX_CUTS, ReadError, Stamp, Walk, WalkGap, is_of_interest};

/// The maximum time between two changes with the same timestamp: Linux's clock for files ticks at least every 10 ms,
/// other file systems count in steps of a second or two.
const COARSEST_CLOCK: Duration = Duration::from_secs(2);

/// Files as they are on disk, read again on each call.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        let Ok(metadata) = std::fs::metadata(path) else {
            return std::fs::symlink_metadata(path).is_ok().then_some(Kind::Special);
        };
        Some(if metadata.is_dir() {
            Kind::Directory
        } else if metadata.is_file() {
            Kind::File
        } else {
            Kind::Special
        })
    }

    fn read(&self, path: &Utf8Path, max: usize) -> Result<Vec<u8>, ReadError> {
        // Checked before opening: opening a named pipe would wait for its writer.
        let metadata = std::fs::metadata(path).map_err(|error| read_error(&error))?;
        if !metadata.is_file() {
            return Err(ReadError::NotAFile);
        }
        let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        if size > max {
            return Err(ReadError::TooLarge { max });
        }
        let mut bytes = Vec::with_capacity(size + 1);
        let file = open(path).map_err(|error| read_error(&error))?;
        // The file may grow while it is read, so the limit also applies to the read.
        let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
        file.take(limit).read_to_end(&mut bytes).map_err(|error| read_error(&error))?;
        if bytes.len() > max { Err(ReadError::TooLarge { max }) } else { Ok(bytes) }
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        path.canonicalize_utf8().ok()
    }

    /// Returns a stamp. That of a file that has just changed equals no other, because the file may change again within
    /// the resolution of the clock; callers read it again until it has not changed for a while.
    fn stamp(&self, path: &Utf8Path) -> Option<Stamp> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let metadata = std::fs::metadata(path).ok()?;
        let stamp = stamp(&metadata);
        let is_quiet = metadata.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > COARSEST_CLOCK));
        Some(if is_quiet { stamp } else { Stamp([u64::MAX - 1, NEXT.fetch_add(1, Ordering::Relaxed), 0, 0, 0, 0]) })
    }

    /// Skips what `.gitignore` and `.ignore` name, in a repository or not, and generated folders. Enters hidden folders
    /// and does not follow links.
    fn walk(&self, folder: &Utf8Path, bounds: Bounds) -> Walk {
        let mut walk = Walk::default();
        let mut unlisted = 0_usize;
        let mut cut =
            |walk: &mut Walk, gap| if walk.skipped.len() < MAX_CUTS { walk.skipped.push(gap) } else { unlisted += 1 };
        let mut builder = WalkBuilder::new(folder);
        builder.hidden(false).require_git(false).follow_links(false).max_depth(Some(bounds.depth)).filter_entry(
            |entry| {
                let generated = entry.file_name().to_str().is_some_and(|name| GENERATED.contains(&name));
                // The requested folder is walked whatever its name.
                entry.depth() == 0 || !(generated && entry.file_type().is_some_and(|kind| kind.is_dir()))
            },
        );
        for (count, entry) in builder.build().enumerate() {
            if count >= bounds.entries {
                cut(&mut walk, WalkGap::Entries(bounds.entries));
                break;
            }
            match entry {
                Err(error) => cut(&mut walk, unreadable(folder, &error)),
                Ok(entry) => {
                    let Some(kind) = entry.file_type() else { continue };
                    let depth = entry.depth();
                    let path = match Utf8PathBuf::from_path_buf(entry.into_path()) {
                        Ok(path) => path,
                        Err(path) => {
                            let path = Utf8PathBuf::from(path.to_string_lossy().into_owned());
                            if kind.is_dir() || is_of_interest(&path) {
                                cut(
                                    &mut walk,
                                    WalkGap::Unreadable { path, reason: "its name is not UTF-8".to_owned() },
                                );
                            }
                            continue;
                        }
                    };
                    if kind.is_dir() && depth >= bounds.depth {
                        cut(&mut walk, WalkGap::Depth(path));
                    } else if kind.is_dir() {
                        walk.folders.push(path);
                    } else if kind.is_file() && is_of_interest(&path) {
                        walk.files.push(path);
                    } else if path.extension() == Some(EXTENSION)
                        && let Some(kind) = path_kind(folder, &path, kind.is_symlink())
                    {
                        cut(&mut walk, WalkGap::PassedOver { path, kind });
                    }
                }
            }
        }
        if unlisted > 0 {
            walk.skipped.push(WalkGap::Unlisted(unlisted));
        }
        walk.files.sort();
        walk.skipped.sort();
        walk
    }
}

/// Describes a path that is named like a model and is not a file. Returns `None` for a link to a model inside the
/// folder, because the walk finds that model under its own name.
fn path_kind(folder: &Utf8Path, path: &Utf8Path, is_link: bool) -> Option<&'static str> {
    if !is_link {
        return Some("not a file");
    }
    let (Ok(folder), Ok(target)) = (folder.canonicalize(), path.canonicalize()) else {
        return Some("a link that leads nowhere");
    };
    if !target.starts_with(folder) {
        Some("a link that leads out of the folder, which is not followed")
    } else if target.is_dir() {
        Some("a link to a folder, which is not followed")
    } else if target.is_file() && target.extension().is_some_and(|extension| extension == EXTENSION) {
        None
    } else {
        Some("a link to a path that is not a model")
    }
}

/// Returns the gap for a path at which the walk failed, with only the system's message.
fn unreadable(folder: &Utf8Path, error: &ignore::Error) -> WalkGap {
    let (mut path, mut error) = (folder.as_std_path(), error);
    loop {
        match error {
            ignore::Error::WithPath { path: failed_path, err } => (path, error) = (failed_path, err),
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => error = err,
            _ => break,
        }
    }
    // The full message repeats the path.
    let reason = error.io_error().map_or_else(|| error.to_string(), |error| error.kind().to_string());
    WalkGap::Unreadable { path: Utf8PathBuf::from(path.to_string_lossy().into_owned()), reason }
}

#[cfg(unix)]
fn stamp(metadata: &std::fs::Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt as _;
    let times = [metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()];
    let [modified, modified_nano, changed, changed_nano] = times.map(i64::cast_unsigned);
    Stamp([modified, modified_nano, changed, changed_nano, metadata.size(), metadata.ino()])
}

#[cfg(not(unix))]
fn stamp(metadata: &std::fs::Metadata) -> Stamp {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let modified = modified.unwrap_or_default();
    Stamp([modified.as_secs(), modified.subsec_nanos().into(), 0, 0, metadata.len(), 0])
}

fn read_error(error: &io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::NotFound,
        _ => ReadError::Io(error.to_string()),
    }
}

/// Opens a file for reading. Some files of the kernel look regular but block their reader forever, and so does a pipe
/// that has replaced the file since the check; those give an error instead.
#[cfg(unix)]
fn open(path: &Utf8Path) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Utf8Path) -> io::Result<std::fs::File> {
    std::fs::File::open(path)
}
