//! Identifiers in plain text: their ranges, and their whole-word occurrences.
//!
//! Identifiers follow Unicode (UAX #31, XID). This fits all languages so far closely enough to find the identifier at a
//! cursor and to count whole words.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::position::{Encoding, TextIndex, size};
use zubi_base::text::BOM;
use zubi_base::{credentials, fs, lsp};

use crate::cache::RevisionCache;
use crate::embedding;
use crate::lexical::NonCode;
use crate::searched_files::SearchedFiles;
use crate::unread_files::{self, TextObstacle};

fn starts(character: char) -> bool {
    character == '_' || unicode_ident::is_xid_start(character)
}

/// Whether a character may be in an identifier after its first one.
pub(crate) fn continues_identifier(character: char) -> bool {
    character == '_' || unicode_ident::is_xid_continue(character)
}

/// Returns the identifiers of a line as byte ranges, from left to right. An identifier does not begin with a digit.
pub fn identifiers(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start: Option<(usize, bool)> = None;
    for (at, character) in line.char_indices().chain([(line.len(), ' ')]) {
        match start {
            None if continues_identifier(character) => start = Some((at, starts(character))),
            Some((begin, is_identifier)) if !continues_identifier(character) => {
                if is_identifier {
                    found.push(begin..at);
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Returns the identifier that contains or touches a byte column.
pub fn identifier_at(line: &str, column: usize) -> Option<Range<usize>> {
    let all = identifiers(line);
    all.iter().find(|range| range.contains(&column)).or_else(|| all.iter().find(|range| range.end == column)).cloned()
}

/// Finds `word` in `text` as a whole word; returns byte offsets, from left to right.
pub fn occurrences(text: &str, word: &str) -> impl Iterator<Item = usize> {
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| !word.is_empty() && !cuts_before(text, *at) && !cuts_after(text, at + word.len()))
}

/// Finds the first occurrence of `fragment` in `text` that does not cut a word at either end; returns a byte offset.
pub fn find_whole(text: &str, fragment: &str) -> Option<usize> {
    let (first, last) = (fragment.chars().next()?, fragment.chars().next_back()?);
    text.match_indices(fragment).map(|(at, _)| at).find(|at| {
        !(continues_identifier(first) && cuts_before(text, *at)
            || continues_identifier(last) && cuts_after(text, at + fragment.len()))
    })
}

fn cuts_before(text: &str, at: usize) -> bool {
    text.get(..at).and_then(|head| head.chars().next_back()).is_some_and(continues_identifier)
}

fn cuts_after(text: &str, at: usize) -> bool {
    text.get(at..).and_then(|tail| tail.chars().next()).is_some_and(continues_identifier)
}

/// Whether a byte range begins or ends inside a word; `None` if its first or last character is not part of a word.
pub(crate) fn cuts_word(text: &str, start: usize, end: usize) -> Option<bool> {
    let inside = text.get(start..end)?;
    let is_in_word = inside.chars().next().is_some_and(continues_identifier)
        && inside.chars().next_back().is_some_and(continues_identifier);
    is_in_word.then(|| cuts_before(text, start) || cuts_after(text, end))
}

/// The maximum number of bytes in which zubi looks for an open bracket.
const MAX_BRACKET_DISTANCE: usize = 4_000;

/// Returns the offset of the innermost bracket that a text leaves open. Brackets in strings and comments count.
pub(crate) fn open_bracket(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in text.bytes().enumerate().rev().take(MAX_BRACKET_DISTANCE) {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' if depth == 0 => return Some(offset),
            b'(' | b'[' | b'{' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Counts the whole-word occurrences of `word` in `text`.
pub fn count(text: &str, word: &str) -> usize {
    occurrences(text, word).count()
}

/// The result of a search of the workspace's files, with limits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordSearchResult {
    /// Files that contain the word, most occurrences first, with their counts.
    pub files: Vec<(Utf8PathBuf, usize)>,
    /// Whether the search reached a limit, so that there may be more.
    pub cut: bool,
}

impl WordSearchResult {
    pub fn total(&self) -> usize {
        self.files.iter().map(|(_, count)| count).sum()
    }
}

/// Searches files until the time `until`. Reads them on the calling thread.
pub fn search(files: &SearchedFiles, word: &str, until: Instant) -> WordSearchResult {
    let mut found = WordSearchResult::default();
    for path in files.paths().filter(|path| !credentials::is_credential_path(path)) {
        if Instant::now() >= until {
            found.cut = true;
            break;
        }
        if let Ok(text) = fs::read_text_in_place(&path) {
            let count = count(&embedding::searchable_text(&path, &text), word);
            if count > 0 {
                found.files.push((path, count));
            }
        }
    }
    found.files.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    found
}

/// The maximum number of occurrences of one search; a more frequent word is too common for a name.
const MAX_OCCURRENCES: usize = 10_000;

/// A file that contains a word.
#[derive(Debug, Clone)]
pub struct WordFile {
    /// The absolute path.
    pub path: Utf8PathBuf,
    pub kind: FileKind,
    /// The occurrences of the word in the file, in order. A file of another kind than [`FileKind::Own`] has only those
    /// in code; a notebook has none, see [`FileKind::Notebook`].
    pub occurrences: Vec<WordPosition>,
}

/// How a file relates to the servers of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileKind {
    /// A file of a language that the servers support.
    Own,
    /// A file of another language whose texts may contain code of the symbol's language (`.vue`, a template).
    Embedding,
    /// A Jupyter notebook, with the cells, lines and columns of the occurrences: `cell 3:2:5`, all 1-based.
    Notebook(Vec<String>),
    /// A file of the symbol's language that contains the word and that zubi cannot read.
    Unread(TextObstacle),
}

impl WordFile {
    /// Whether the file is of a language that the symbol's servers support.
    pub fn is_own(&self) -> bool {
        self.kind == FileKind::Own
    }
}

/// The position where a word begins. The type is small because a search finds thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordPosition {
    line: u32,
    /// The 0-based columns in UTF-8, UTF-16 and UTF-32 units.
    columns: [u32; 3],
    /// Whether the word is in code, not in a comment or a string.
    pub is_code: bool,
    pub quotation: Quotation,
}

/// The part of a string literal that a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotation {
    /// None, or an arbitrary part.
    Other,
    /// The whole literal: `"area"`.
    Whole,
    /// A part of a dotted path: `"shapes.area"`.
    Path,
}

impl WordPosition {
    /// Returns the start as an LSP position in an encoding.
    pub fn start(&self, encoding: Encoding) -> lsp::Position {
        let [utf8, utf16, utf32] = self.columns;
        let character = match encoding {
            Encoding::Utf8 => utf8,
            Encoding::Utf16 => utf16,
            Encoding::Utf32 => utf32,
        };
        lsp::Position { line: self.line, character }
    }
}

/// The occurrences of a word in the files of a workspace.
#[derive(Debug, Clone, Default)]
pub struct WordOccurrences {
    /// Files that contain the word, sorted by path.
    pub files: Vec<WordFile>,
}

/// The last 16 searched words, with their occurrences.
pub(crate) type RecentWords = RevisionCache<WordKey, WordOccurrences, 16>;

/// A word, the extension of the request's file, and the searched directories.
type WordKey = (String, Option<String>, Vec<Utf8PathBuf>);

/// The reason why a search has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchLimit {
    /// The deadline.
    Time,
    /// The maximum number of occurrences.
    Matches,
}

/// Finds every whole-word occurrence in those files that are of the servers' languages, or may contain code of the language
/// that `extension` names. Reads files on the calling thread, except those with an unsaved text.
pub fn find_occurrences(
    files: &SearchedFiles,
    word: &str,
    deadline: Instant,
    unsaved: &BTreeMap<Utf8PathBuf, Arc<str>>,
    extension: &str,
    is_own: impl Fn(&Utf8Path) -> bool,
) -> Result<WordOccurrences, SearchLimit> {
    let mut found = WordOccurrences::default();
    let mut total = 0;
    for path in files.paths() {
        if Instant::now() >= deadline {
            return Err(SearchLimit::Time);
        }
        let own = is_own(&path);
        if credentials::is_credential_path(&path) || !own && !embedding::may_embed(&path, extension) {
            continue;
        }
        let text = match unsaved.get(&path) {
            Some(text) => Arc::clone(text),
            None => match fs::read_text_in_place(&path) {
                // As servers see it: the text of an open document has no byte-order mark.
                Ok(text) => text.strip_prefix(BOM).map_or_else(|| Arc::from(text.as_str()), Arc::from),
                Err(error) => {
                    if let Some(obstacle) =
                        own.then(|| unread_files::find_obstacle(&error, &path, word, deadline)).flatten()
                    {
                        found.files.push(WordFile { path, kind: FileKind::Unread(obstacle), occurrences: Vec::new() });
                    }
                    continue;
                }
            },
        };
        if path.extension() == Some("ipynb") && !own {
            let places = embedding::notebook_places(&text, word);
            if !places.is_empty() {
                found.files.push(WordFile { path, kind: FileKind::Notebook(places), occurrences: Vec::new() });
            }
            continue;
        }
        let starts: Vec<usize> = occurrences(&text, word).take(MAX_OCCURRENCES).collect();
        total += starts.len();
        if total >= MAX_OCCURRENCES {
            return Err(SearchLimit::Matches);
        }
        if starts.is_empty() {
            continue;
        }
        let index = TextIndex::new(&text);
        let non_code = NonCode::of_known_file(&path, &text);
        let to_position = |at: usize| {
            let column = |encoding| index.to_lsp(size(at), encoding).character;
            let columns = [column(Encoding::Utf8), column(Encoding::Utf16), column(Encoding::Utf32)];
            let is_code = match &non_code {
                Some(non_code) => !non_code.contains(at),
                None => own && !embedding::is_mixed(&path) || embedding::is_code(&text, at),
            };
            let quotation = match &non_code {
                Some(non_code) if non_code.is_literal(&text, at, word) => Quotation::Whole,
                Some(_) if !is_code && path_before(&text, at).is_some() => Quotation::Path,
                _ => Quotation::Other,
            };
            WordPosition { line: index.line_col(size(at)).line, columns, is_code, quotation }
        };
        let mut occurrences: Vec<_> = starts.into_iter().map(to_position).collect();
        if !own {
            occurrences.retain(|occurrence| occurrence.is_code);
        }
        if !occurrences.is_empty() {
            let kind = if own { FileKind::Own } else { FileKind::Embedding };
            found.files.push(WordFile { path, kind, occurrences });
        }
    }
    // The order of a walk is the disk's.
    found.files.sort_by(|a, b| a.path.as_str().cmp(b.path.as_str()));
    Ok(found)
}

/// Returns the dotted path before a word in a string literal that is a path: `a.shapes` for `area` in `"a.shapes.area"`.
pub(crate) fn path_before(text: &str, at: usize) -> Option<&str> {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | ':');
    let head = text.get(..at)?;
    let begin = head.trim_end_matches(is_part).len();
    let path = head.get(begin..)?.strip_suffix(['.', ':'])?;
    let tail = text.get(at..)?;
    let after = tail.trim_start_matches(is_part).chars().next();
    let quote = head.get(..begin)?.chars().next_back();
    (quote == after && matches!(quote, Some('"' | '\'' | '`')) && !path.is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_strings() {
        for (text, expected) in [
            ("patch(\"a.shapes.word\")", Some("a.shapes")),
            ("patch('a.Word.word.x')", Some("a.Word")),
            ("x = \"a:word\"", Some("a")),
            ("\"see a.word.\"", None),
            ("\"word\"", None),
            ("\".word\"", None),
            ("a.word", None),
        ] {
            assert_eq!(path_before(text, text.find("word").unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn identifiers_of_a_line() {
        let line = "let naïve_1 = 2x + parse(&text)?;";
        let words: Vec<_> = identifiers(line).into_iter().filter_map(|range| line.get(range)).collect();
        assert_eq!(words, ["let", "naïve_1", "parse", "text"]);
    }

    #[test]
    fn an_identifier_is_found_inside_and_at_both_ends() {
        let line = "a parse(x)";
        for (column, expected) in [(2, Some(2..7)), (4, Some(2..7)), (7, Some(2..7)), (8, Some(8..9)), (10, None)] {
            assert_eq!(identifier_at(line, column), expected, "{column}");
        }
    }

    #[test]
    fn only_whole_words_count() {
        assert_eq!(count("parse parser _parse parse_ (parse) éparse parse", "parse"), 3);
        assert_eq!(count("", ""), 0);
    }

    #[test]
    fn a_fragment_does_not_cut_words() {
        for (text, fragment, expected) in [
            ("from dataclasses import dataclass, field", "dataclass", Some(24)),
            ("def parse_all(): parse(", "parse(", Some(17)),
            ("x = parser", "parse", None),
            ("a->b", "->", Some(1)),
            ("a", "", None),
        ] {
            assert_eq!(find_whole(text, fragment), expected, "{fragment}");
        }
    }
}
