//! The document that a request reads, and a cache of recent documents.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextIndex, TextRange, TextSize, size};
use zubi_base::text::BOM;
use zubi_syntax::Notebook;

use crate::text_search::cuts_word;

/// A document's text with its line index.
#[derive(Debug)]
pub struct SourceDocument {
    /// The text without a byte-order mark.
    pub text: Arc<str>,
    pub index: TextIndex,
    /// Whether the file begins with a byte-order mark.
    bom: bool,
    /// The offset of the first carriage return without a line feed. LSP counts it as the end of a line, and many
    /// programs do not.
    lone_carriage_return: Option<TextSize>,
    /// The cells, if the file is a notebook; read when they are first needed.
    notebook: OnceLock<Option<Notebook>>,
}

impl SourceDocument {
    pub(crate) fn new(text: Arc<str>, bom: bool) -> Self {
        let lone_carriage_return = find_lone_carriage_return(&text).map(size);
        Self { index: TextIndex::new(&text), text, bom, lone_carriage_return, notebook: OnceLock::new() }
    }

    /// Returns the cells of a file with a path, if it is a notebook.
    pub fn notebook(&self, path: &Utf8Path) -> Option<&Notebook> {
        if !path.file_name().is_some_and(Notebook::is_notebook) {
            return None;
        }
        self.notebook.get_or_init(|| Notebook::parse(&self.text).ok()).as_ref()
    }

    /// Returns the line (0-based) after which programs count lines differently, if an offset is after it.
    pub(crate) fn uncertain_after(&self, offset: TextSize) -> Option<u32> {
        let at = self.lone_carriage_return.filter(|at| *at < offset)?;
        Some(self.index.line_col(at).line)
    }

    /// Converts a server's range to a byte range.
    pub(crate) fn range_from_server(&self, range: &lsp::Range, encoding: Encoding) -> TextRange {
        let corrected = self.without_mark(range, encoding);
        self.index.range_from_lsp(corrected.as_ref().unwrap_or(range), encoding)
    }

    /// Corrects a range on the first line of a file with a byte-order mark: many servers count the mark as a character
    /// if the file is not open (pyright 1.1, ty 0.0, gopls 0.2x, clangd 22, rust-analyzer 1.9x), and others do not
    /// (TypeScript 7). Returns a range only if the text proves it: the range that was sent cuts a word, and the
    /// corrected one covers whole words.
    pub(crate) fn without_mark(&self, range: &lsp::Range, encoding: Encoding) -> Option<lsp::Range> {
        if !self.bom || range.start.line != 0 {
            return None;
        }
        let width = match encoding {
            Encoding::Utf8 => BOM.len(),
            Encoding::Utf16 | Encoding::Utf32 => 1,
        };
        let shift = |position: lsp::Position| match position.line {
            0 => Some(lsp::Position {
                character: position.character.checked_sub(u32::try_from(width).ok()?)?,
                ..position
            }),
            _ => Some(position),
        };
        let corrected = lsp::Range { start: shift(range.start)?, end: shift(range.end)? };
        (!self.covers_words(range, encoding) && self.covers_words(&corrected, encoding)).then_some(corrected)
    }

    /// Whether a range is in the text, and begins and ends with a whole word.
    fn covers_words(&self, range: &lsp::Range, encoding: Encoding) -> bool {
        let bytes = self.index.range_from_lsp(range, encoding);
        let is_exact = self.index.range_to_lsp(bytes, encoding) == *range;
        is_exact && cuts_word(&self.text, bytes.start().into(), bytes.end().into()) == Some(false)
    }
}

/// Returns the offset of the first carriage return that no line feed follows.
pub(crate) fn find_lone_carriage_return(text: &str) -> Option<usize> {
    let mut found = text.match_indices('\r').map(|(at, _)| at);
    found.find(|at| text.as_bytes().get(at + 1) != Some(&b'\n'))
}

/// The last documents. Each request receives their texts again. The cache saves the computation of the line index of an
/// unchanged text, which takes longer than reading for large files.
#[derive(Debug, Default)]
pub(crate) struct RecentDocuments(Mutex<VecDeque<(Utf8PathBuf, Arc<SourceDocument>)>>);

/// The number of cached documents of any size: most requests concern a few files.
const MIN_RECENT: usize = 4;

/// The maximum number of cached documents, and of bytes in their texts: an answer about references shows many files.
const MAX_RECENT: usize = 64;
const MAX_RECENT_BYTES: usize = 2 * 1024 * 1024;

impl RecentDocuments {
    /// Returns the document with this text, from the cache if the text is unchanged.
    pub(crate) fn document(&self, path: &Utf8Path, text: Arc<str>, bom: bool) -> Arc<SourceDocument> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = recent.iter().position(|(known, _)| known == path).and_then(|at| recent.remove(at));
        let document = match cached {
            Some((_, document))
                if (Arc::ptr_eq(&document.text, &text) || document.text == text) && document.bom == bom =>
            {
                document
            }
            _ => Arc::new(SourceDocument::new(text, bom)),
        };
        recent.push_front((path.to_owned(), Arc::clone(&document)));
        let mut bytes = 0;
        let is_beyond = |(_, document): &(Utf8PathBuf, Arc<SourceDocument>)| {
            bytes += document.text.len();
            bytes > MAX_RECENT_BYTES
        };
        let count = recent.iter().position(is_beyond).unwrap_or(MAX_RECENT);
        recent.truncate(count.clamp(MIN_RECENT, MAX_RECENT));
        document
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: u32, to: u32) -> lsp::Range {
        lsp::Range { start: lsp::Position { line: 0, character: from }, end: lsp::Position { line: 0, character: to } }
    }

    #[test]
    fn a_counted_byte_order_mark_is_subtracted_where_the_text_proves_it() {
        let document = SourceDocument::new("from g import gauge; gauge(ab cd)".into(), true);
        let corrected = |from, to, encoding| document.without_mark(&range(from, to), encoding);
        assert_eq!(corrected(15, 20, Encoding::Utf16), Some(range(14, 19)));
        assert_eq!(corrected(17, 22, Encoding::Utf8), Some(range(14, 19)));
        assert_eq!(corrected(14, 19, Encoding::Utf8), None, "the server does not count the mark");
        assert_eq!(corrected(0, 0, Encoding::Utf16), None);
        assert_eq!(corrected(30, 32, Encoding::Utf8), None, "both ranges are words, so nothing is proved");
        let second_line = lsp::Range {
            start: lsp::Position { line: 1, character: 15 },
            end: lsp::Position { line: 1, character: 20 },
        };
        assert_eq!(document.without_mark(&second_line, Encoding::Utf16), None);
        let unmarked = SourceDocument::new("from g import gauge; gauge(ab cd)".into(), false);
        assert_eq!(unmarked.without_mark(&range(15, 20), Encoding::Utf16), None);
        // At the end of the line, the range that was sent is not in the text.
        let short = SourceDocument::new("a = gauge".into(), true);
        assert_eq!(short.without_mark(&range(7, 12), Encoding::Utf8), Some(range(4, 9)));
    }

    #[test]
    fn recent_documents_are_bounded() {
        let check = |count: usize, bytes: usize| {
            let recent = RecentDocuments::default();
            let text: Arc<str> = "x".repeat(bytes).into();
            for index in 0..count {
                recent.document(Utf8Path::new(&format!("{index}.py")), Arc::clone(&text), false);
            }
            recent.0.lock().unwrap().len()
        };
        assert_eq!(check(100, 10), MAX_RECENT);
        assert_eq!(check(20, MAX_RECENT_BYTES / 8), 8);
        assert_eq!(check(20, MAX_RECENT_BYTES), MIN_RECENT);
    }

    #[test]
    fn positions_are_uncertain_after_a_lone_carriage_return() {
        let uncertain_after =
            |text: &str, offset| SourceDocument::new(text.into(), false).uncertain_after(TextSize::new(offset));
        assert_eq!(uncertain_after("a\r\nb\n", 5), None);
        assert_eq!(uncertain_after("a\r\nb\rc\nd", 4), None);
        assert_eq!(uncertain_after("a\r\nb\rc\nd", 5), Some(1));
        assert_eq!(uncertain_after("a\r", 2), Some(0));
    }
}
