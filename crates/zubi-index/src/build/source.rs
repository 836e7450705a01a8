//! The files of the folder as the index reads them.

use std::fs::Metadata;
use std::io::{self, Read as _};

use camino::Utf8Path;
use zubi_base::fs;
use zubi_base::text::BOM;
use zubi_syntax::{Notebook, SyntaxLanguage};

use crate::limits::{MAX_LINE, MAX_PARSED, MAX_WORDS};
use crate::store::record::{FileStamp, StoredContent};

/// The number of bytes of a large file that show whether it is text.
const SNIFF: u64 = 8 * 1024;

/// The time of change of a file that cannot be read. The next comparison reads it again, because a change of permissions
/// does not change the time.
const UNREADABLE: i64 = -1;

/// A file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SourceFile {
    /// Read before the text, so that a change during the reading is visible later.
    pub(crate) stamp: FileStamp,
    pub(crate) content: StoredContent,
    /// The text without a byte-order mark, if the content has words.
    pub(crate) text: Option<String>,
}

/// Returns the stamp of a regular file.
pub(crate) fn stamp_of(metadata: &Metadata) -> Option<FileStamp> {
    if !metadata.is_file() {
        return None;
    }
    let size = i64::try_from(metadata.len()).unwrap_or(i64::MAX);
    Some(FileStamp { size, changed_ns: changed_at(metadata) })
}

#[cfg(unix)]
fn changed_at(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt as _;
    // Programs set the time of the last modification, but not this one, which every change of the content changes.
    metadata.ctime().wrapping_mul(1_000_000_000).wrapping_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed_at(metadata: &Metadata) -> i64 {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or_default()
}

/// Reads a file, given by its path without links. Returns `None` if it does not exist, is not a regular file, or is behind a
/// link by now.
pub(crate) fn read(path: &Utf8Path) -> Option<SourceFile> {
    match try_read(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
        Err(_) => {
            let size = stamp_of(&std::fs::symlink_metadata(path).ok()?)?.size;
            let stamp = FileStamp { size, changed_ns: UNREADABLE };
            Some(SourceFile { stamp, content: StoredContent::NotText, text: None })
        }
    }
}

fn try_read(path: &Utf8Path) -> io::Result<Option<SourceFile>> {
    // Before opening, because opening a device can have effects.
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Ok(None);
    }
    let file = fs::open_no_follow(path)?;
    let Some(stamp) = stamp_of(&file.metadata()?) else { return Ok(None) };
    let size = stamp.size.unsigned_abs();
    let limit = if size > MAX_WORDS { SNIFF } else { MAX_WORDS + 1 };
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(limit)).unwrap_or(0) + 1);
    file.take(limit).read_to_end(&mut bytes)?;
    let is_too_large = size > MAX_WORDS || bytes.len() as u64 > MAX_WORDS;
    let without_text = |content| Ok(Some(SourceFile { stamp, content, text: None }));
    if is_too_large {
        // The end may be inside a character.
        let is_text = !bytes.contains(&0)
            && std::str::from_utf8(&bytes).map_or_else(|error| error.error_len().is_none(), |_| true);
        return without_text(if is_text { StoredContent::TooLarge } else { StoredContent::NotText });
    }
    if bytes.contains(&0) {
        return without_text(StoredContent::NotText);
    }
    let Ok(mut text) = String::from_utf8(bytes) else { return without_text(StoredContent::NotText) };
    if text.starts_with(BOM) {
        text.drain(..BOM.len());
    }
    let content = content_of(path, &text);
    Ok(Some(SourceFile { stamp, content, text: Some(text) }))
}

fn content_of(path: &Utf8Path, text: &str) -> StoredContent {
    if path.file_name().is_some_and(Notebook::is_notebook) {
        // Its outputs are neither parsed nor read for words beyond the lines' lengths: only its code counts.
        return StoredContent::Pending;
    }
    if path.file_name().and_then(SyntaxLanguage::from_file_name).is_none() {
        return StoredContent::NoLanguage;
    }
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let has_long_line = ends.into_iter().any(|end| end - std::mem::replace(&mut start, end) > MAX_LINE);
    if text.len() > MAX_PARSED || has_long_line { StoredContent::WordsOnly } else { StoredContent::Pending }
}
