//! Files of code that may contain a word and whose text zubi cannot read: other encodings, and very large ones.

use std::fmt;
use std::io::Read as _;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;
use zubi_base::credentials;
use zubi_base::fs::{self, MAX_TEXT_BYTES, ReadError};
use zubi_base::text::{display_size, list_first};

use crate::features::index_search::is_code_file;
use crate::query::CodeQuery;
use crate::searched_files::SearchedFiles;
use crate::status::AnswerStatus;
use crate::symbol_index::WordFiles;
use crate::text_search;

/// The time limit of a search for unread files, which an answer needs only for its mark.
const SEARCH_TIME: Duration = Duration::from_millis(500);

/// The maximum number of files that an answer names.
const MAX_NAMED: usize = 3;

/// The number of bytes at the beginning of a file that show whether it is text.
const SNIFFED: usize = 8 * 1024;

/// The reason why zubi cannot read a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextObstacle {
    NotUtf8,
    /// The file is larger than the texts that zubi reads, with its size in bytes.
    TooLarge(u64),
}

impl fmt::Display for TextObstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("not UTF-8"),
            Self::TooLarge(bytes) => write!(f, "{}, too large to read", display_size(*bytes)),
        }
    }
}

impl CodeQuery<'_> {
    /// Marks an answer that has nothing from files of code that may contain its word, below `scope` or in the workspace.
    pub(crate) async fn mark_unread_files(&self, word: &str, scope: Option<&Utf8Path>, status: &mut AnswerStatus) {
        let roots = scope.map_or_else(|| self.workspace().roots(), |scope| vec![scope.to_owned()]);
        let until = self.cx.deadline.min(Instant::now() + SEARCH_TIME);
        let indexed = self.indexed_files(&roots, word).await;
        let word = word.to_owned();
        let search = move || {
            let files = match indexed {
                Some(WordFiles::Files { unread, others, .. }) => {
                    let all = unread.into_iter().chain(others);
                    SearchedFiles::Listed(all.filter(|path| roots.iter().any(|root| path.starts_with(root))).collect())
                }
                _ => SearchedFiles::Below(roots),
            };
            find_unread(files.paths(), &word, until)
        };
        // Reading many files would block other tasks of this thread.
        let (found, is_cut) = tokio::task::spawn_blocking(search).await.unwrap_or_default();
        if is_cut {
            status
                .gaps
                .push("zubi did not look at all files for those that it cannot read: there are too many".to_owned());
        }
        if !found.is_empty() {
            let describe = |(path, obstacle): &(Utf8PathBuf, TextObstacle)| {
                format!("`{}` ({obstacle})", self.workspace().display(path))
            };
            let files = list_first(found.iter().map(describe), MAX_NAMED);
            status.gaps.push(format!("zubi cannot read files that may contain the word: {files}"));
        }
    }
}

/// Returns the files of code that may contain a word and cannot be read, sorted by path, and whether the time limit ended
/// the search.
fn find_unread(
    files: impl Iterator<Item = Utf8PathBuf>,
    word: &str,
    until: Instant,
) -> (Vec<(Utf8PathBuf, TextObstacle)>, bool) {
    let mut found = Vec::new();
    let mut is_cut = false;
    for path in files.filter(|path| is_code_file(path) && !credentials::is_credential_path(path)) {
        if Instant::now() >= until {
            is_cut = true;
            break;
        }
        let Err(error) = fs::read_text_in_place(&path) else { continue };
        if let Some(obstacle) = find_obstacle(&error, &path, word, until) {
            found.push((path, obstacle));
        }
    }
    found.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
    (found, is_cut)
}

/// Returns the reason why a text that may contain a word cannot be read. Without one, the file is not text or does not
/// contain the word.
pub(crate) fn find_obstacle(error: &ReadError, path: &Utf8Path, word: &str, until: Instant) -> Option<TextObstacle> {
    match error {
        ReadError::NotText { .. } if bytes_contain(path, word) => Some(TextObstacle::NotUtf8),
        ReadError::TooLarge { bytes, .. } if large_file_may_contain(path, word, until) => {
            Some(TextObstacle::TooLarge(*bytes))
        }
        _ => None,
    }
}

/// Whether a file contains a word in one of the encodings that are neither UTF-8 nor its subsets.
pub(crate) fn bytes_contain(path: &Utf8Path, word: &str) -> bool {
    let Ok(bytes) = fs::read_bytes(path) else { return false };
    let utf16_unit: fn([u8; 2]) -> u16 = match bytes.as_slice() {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => {
            let is_text = !bytes.iter().take(SNIFFED).any(|byte| *byte == 0);
            return is_text && contains_word(&bytes, word.as_bytes());
        }
    };
    let (units, _) = bytes.as_chunks::<2>();
    let text = String::from_utf16_lossy(&units.iter().map(|unit| utf16_unit(*unit)).collect::<Vec<_>>());
    text_search::occurrences(&text, word).next().is_some()
}

/// Whether bytes contain a word as a whole. Western encodings have the letters of ASCII; the others may be parts of words
/// or not, so they end a word.
fn contains_word(bytes: &[u8], word: &[u8]) -> bool {
    let continues = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    memmem::find_iter(bytes, word).any(|at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !continues(before) && !continues(bytes.get(at + word.len()))
    })
}

/// Whether a large text contains a word, or may contain it after the time limit.
fn large_file_may_contain(path: &Utf8Path, word: &str, until: Instant) -> bool {
    const CHUNK: u64 = 1024 * 1024;
    let Ok(mut file) = fs::open_no_follow(path) else { return false };
    let mut chunk = Vec::new();
    let mut is_first = true;
    loop {
        match (&mut file).take(CHUNK).read_to_end(&mut chunk) {
            Err(_) | Ok(0) => return false,
            Ok(_) => {}
        }
        if std::mem::take(&mut is_first) && chunk.iter().take(SNIFFED).any(|byte| *byte == 0) {
            return false;
        }
        if contains_word(&chunk, word.as_bytes()) || Instant::now() >= until {
            return true;
        }
        // The word may begin in this chunk and end in the next one; the byte before it shows whether it is whole.
        chunk.drain(..chunk.len().saturating_sub(word.len() + 1));
    }
}

/// Whether a large file, or one that is not UTF-8 text, may contain a word.
pub(crate) fn may_contain(path: &Utf8Path, word: &str) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > MAX_TEXT_BYTES) || bytes_contain(path, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &[u8], word: &str) -> Option<TextObstacle> {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let path = root.join("a.c");
        fs::write_atomic(&path, content).unwrap();
        let until = Instant::now() + Duration::from_mins(1);
        find_unread(std::iter::once(path), word, until).0.first().map(|(_, obstacle)| *obstacle)
    }

    #[test]
    fn the_time_limit_is_reported() {
        let files = || std::iter::once(Utf8PathBuf::from("/absent/a.c"));
        assert_eq!(find_unread(files(), "area", Instant::now()), (Vec::new(), true));
        assert_eq!(find_unread(files(), "area", Instant::now() + Duration::from_mins(1)), (Vec::new(), false));
    }

    #[test]
    fn whole_words_of_other_encodings() {
        let utf16 = |text: &str, to_bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(to_bytes).collect()
        };
        let not_utf8 = Some(TextObstacle::NotUtf8);
        assert_eq!(check(b"// \xe9\nint area;", "area"), not_utf8);
        assert_eq!(check(b"// \xe9\nint areas;", "area"), None);
        assert_eq!(check(b"// \xe9\nint an_area;", "area"), None);
        assert_eq!(check(&utf16("int area;", u16::to_le_bytes), "area"), not_utf8);
        assert_eq!(check(&utf16("int area;", u16::to_be_bytes), "area"), not_utf8);
        assert_eq!(check(&utf16("int areas;", u16::to_le_bytes), "area"), None);
        assert_eq!(check(b"G\0 area \xff", "area"), None, "a video in MPEG also ends in .ts");
        assert_eq!(check("int area; // é".as_bytes(), "area"), None, "zubi reads UTF-8");
    }

    #[test]
    fn large_texts() {
        let large =
            |word: &str| [" ".repeat(usize::try_from(MAX_TEXT_BYTES).unwrap()).as_bytes(), word.as_bytes()].concat();
        let size = |content: &[u8]| Some(TextObstacle::TooLarge(content.len() as u64));
        let content = large("area");
        assert_eq!(check(&content, "area"), size(&content));
        assert_eq!(check(&large("areas"), "area"), None);
        assert_eq!(check(&[b"\0", large("area").as_slice()].concat(), "area"), None);
    }
}
