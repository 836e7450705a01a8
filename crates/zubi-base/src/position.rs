//! Places in a text, in the three units that language servers count in.
//!
//! Inside zubi a place is a byte offset ([`TextSize`]) or a [`LineCol`] with UTF-8 byte columns. Servers count columns
//! in UTF-8, UTF-16 or UTF-32 code units, whichever was negotiated ([`Encoding`]); people and agents count lines from
//! one and columns in characters. [`TextIndex`] converts between all of them and never panics: what lies past the end
//! of a line or of the text is clamped to it, as the protocol demands of servers.

use line_index::{LineIndex, WideEncoding, WideLineCol};
pub use text_size::{TextRange, TextSize};

use crate::lsp;

/// The unit in which a language server counts columns (LSP 3.17 `PositionEncodingKind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    Utf8,
    /// The protocol's default: what a server means when it says nothing.
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// From the name a server answered to `initialize`. Anything unknown counts as the default.
    pub fn from_lsp(kind: Option<&lsp::PositionEncodingKind>) -> Self {
        match kind {
            Some(lsp::PositionEncodingKind::UTF8) => Self::Utf8,
            Some(lsp::PositionEncodingKind::UTF32) => Self::Utf32,
            _ => Self::Utf16,
        }
    }
}

/// A line (0-based) and a column in UTF-8 bytes (0-based).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineCol {
    pub line: u32,
    pub col: u32,
}

/// Converts places of one text. Cheap to build (one pass) and independent of the text's lifetime.
#[derive(Debug, Clone)]
pub struct TextIndex {
    lines: LineIndex,
    len: TextSize,
    /// End of each line before its terminator (`\n` or `\r\n`), so that a column never lands inside one.
    ends: Box<[TextSize]>,
}

impl TextIndex {
    pub fn new(text: &str) -> Self {
        let lines = LineIndex::new(text);
        let ends = (0..)
            .map_while(|line| lines.line(line))
            .map(|range| {
                let line = text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default();
                let content = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
                range.start() + size(content.len())
            })
            .collect();
        Self { lines, len: size(text.len()), ends }
    }

    /// How many lines the text has; an empty text has one.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    /// Length of the text in bytes.
    pub fn len(&self) -> TextSize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == TextSize::new(0)
    }

    /// The bytes of a line (0-based) without its terminator, or `None` past the last line.
    pub fn line_range(&self, line: u32) -> Option<TextRange> {
        let end = *self.ends.get(line as usize)?;
        let start = self.lines.line(line)?.start();
        Some(TextRange::new(start, end.max(start)))
    }

    /// Line and byte column of an offset; an offset past the end of the text counts as its end, and an offset inside a
    /// character as that character's start. An offset inside a line terminator is left unchanged.
    pub fn line_col(&self, offset: TextSize) -> LineCol {
        let at = self.lines.line_col(self.boundary(offset));
        LineCol { line: at.line, col: at.col }
    }

    /// Offset of a line and byte column, clamped to the line and to the text, and moved back to the start of a
    /// character that it cuts.
    pub fn offset(&self, at: LineCol) -> TextSize {
        match self.line_range(at.line) {
            Some(line) => self.boundary(line.start() + TextSize::new(at.col).min(line.len())),
            None => self.len,
        }
    }

    /// The start of the character that holds this offset; the offset itself where a character begins.
    fn boundary(&self, offset: TextSize) -> TextSize {
        let mut offset = offset.min(self.len);
        // A character has at most four bytes, so this looks at most three back; offset 0 always is a boundary.
        while self.lines.try_line_col(offset).is_none() && offset > TextSize::new(0) {
            offset -= TextSize::new(1);
        }
        offset
    }

    /// The position a server means, as an offset; clamped, and moved back to the start of a character that it cuts.
    pub fn from_lsp(&self, position: lsp::Position, encoding: Encoding) -> TextSize {
        let Some(line) = self.line_range(position.line) else { return self.len };
        let col = match encoding {
            Encoding::Utf8 => position.character,
            Encoding::Utf16 => self.narrow(position, WideEncoding::Utf16, line),
            Encoding::Utf32 => self.narrow(position, WideEncoding::Utf32, line),
        };
        self.boundary(line.start() + TextSize::new(col).min(line.len()))
    }

    fn narrow(&self, position: lsp::Position, encoding: WideEncoding, line: TextRange) -> u32 {
        // A wide column is never larger than the byte column that it corresponds to, so a column past the line's bytes
        // is past the line; clamped first because `to_utf8` walks only the wide characters of the line.
        let col = position.character.min(line.len().into());
        self.lines
            .to_utf8(encoding, WideLineCol { line: position.line, col })
            .map_or(u32::from(line.len()), |at| at.col)
    }

    /// An offset as the position a server with this encoding expects.
    pub fn to_lsp(&self, offset: TextSize, encoding: Encoding) -> lsp::Position {
        let at = self.line_col(offset);
        let character = match encoding {
            Encoding::Utf8 => at.col,
            Encoding::Utf16 => self.widen(at, WideEncoding::Utf16),
            Encoding::Utf32 => self.widen(at, WideEncoding::Utf32),
        };
        lsp::Position { line: at.line, character }
    }

    fn widen(&self, at: LineCol, encoding: WideEncoding) -> u32 {
        self.lines.to_wide(encoding, line_index::LineCol { line: at.line, col: at.col }).map_or(at.col, |wide| wide.col)
    }

    /// A server's range as bytes. A range that ends before it starts is turned round, as editors do.
    pub fn range_from_lsp(&self, range: &lsp::Range, encoding: Encoding) -> TextRange {
        let (start, end) = (self.from_lsp(range.start, encoding), self.from_lsp(range.end, encoding));
        TextRange::new(start.min(end), start.max(end))
    }

    /// A byte range as a server with this encoding expects it.
    pub fn range_to_lsp(&self, range: TextRange, encoding: Encoding) -> lsp::Range {
        lsp::Range { start: self.to_lsp(range.start(), encoding), end: self.to_lsp(range.end(), encoding) }
    }
}

/// A length or offset in bytes. Texts are capped at [`crate::fs::MAX_TEXT_BYTES`], far below the limit of `u32`.
pub fn size(bytes: usize) -> TextSize {
    TextSize::new(u32::try_from(bytes).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
