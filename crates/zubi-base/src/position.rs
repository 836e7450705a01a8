//! Positions in a text, in the three units that language servers use.
//!
//! Inside zubi a position is a byte offset ([`TextSize`]) or a [`LineCol`] with UTF-8 byte columns. Servers count
//! columns in UTF-8, UTF-16 or UTF-32 code units, as negotiated ([`Encoding`]); users and agents use 1-based lines and
//! columns in characters. [`TextIndex`] converts between all of them and never panics: it clamps positions after the
//! end of a line or of the text, as LSP requires of servers.

use line_index::{LineIndex, WideEncoding, WideLineCol};
pub use text_size::{TextRange, TextSize};

use crate::lsp;

/// The unit in which a language server counts columns (LSP 3.17 `PositionEncodingKind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
pub enum Encoding {
    #[serde(rename = "utf-8")]
    Utf8,
    /// The default of LSP, for a server that does not name an encoding.
    #[default]
    #[serde(rename = "utf-16")]
    Utf16,
    #[serde(rename = "utf-32")]
    Utf32,
}

impl Encoding {
    /// Converts the encoding in the server's response to `initialize`. An unknown one counts as the default.
    pub fn from_lsp(kind: Option<&lsp::PositionEncodingKind>) -> Self {
        match kind {
            Some(lsp::PositionEncodingKind::UTF8) => Self::Utf8,
            Some(lsp::PositionEncodingKind::UTF32) => Self::Utf32,
            _ => Self::Utf16,
        }
    }

    /// Returns the length of a text in this encoding's units.
    pub fn length(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Utf32 => text.chars().count(),
        }
    }
}

/// A 0-based line and a 0-based column in UTF-8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineCol {
    pub line: u32,
    pub col: u32,
}

/// Converts positions of one text. Built in one pass, and independent of the text's lifetime.
#[derive(Debug, Clone)]
pub struct TextIndex {
    lines: LineIndex,
    len: TextSize,
    /// The end of each line before its terminator (`\n` or `\r\n`), so that a column is never inside the terminator.
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

    /// The number of lines; an empty text has one.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    /// The length of the text in bytes.
    pub fn len(&self) -> TextSize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == TextSize::new(0)
    }

    /// Returns the byte range of a 0-based line without its terminator, or `None` after the last line.
    pub fn line_range(&self, line: u32) -> Option<TextRange> {
        let end = *self.ends.get(line as usize)?;
        let start = self.lines.line(line)?.start();
        Some(TextRange::new(start, end.max(start)))
    }

    /// Returns the line and byte column of an offset. Clamps an offset to the text, and moves one inside a character to
    /// the character's start. An offset inside a line terminator is not changed.
    pub fn line_col(&self, offset: TextSize) -> LineCol {
        let at = self.lines.line_col(self.boundary(offset));
        LineCol { line: at.line, col: at.col }
    }

    /// Returns the byte offset of a line and byte column. Clamps them to the line and the text, and moves a column
    /// inside a character to the character's start.
    pub fn offset(&self, at: LineCol) -> TextSize {
        match self.line_range(at.line) {
            Some(line) => self.boundary(line.start() + TextSize::new(at.col).min(line.len())),
            None => self.len,
        }
    }

    /// Returns the start of the character that contains this offset.
    fn boundary(&self, offset: TextSize) -> TextSize {
        let mut offset = offset.min(self.len);
        // A character has at most four bytes, so this takes at most three steps; offset 0 is always a boundary.
        while self.lines.try_line_col(offset).is_none() && offset > TextSize::new(0) {
            offset -= TextSize::new(1);
        }
        offset
    }

    /// Converts a server's position to a byte offset, clamped and moved to the start of its character.
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
        // A wide column is never larger than its byte column, so a column after the line's bytes is after the line.
        // Clamped first, because `to_utf8` only walks the wide characters of the line.
        let col = position.character.min(line.len().into());
        self.lines
            .to_utf8(encoding, WideLineCol { line: position.line, col })
            .map_or(u32::from(line.len()), |at| at.col)
    }

    /// Converts a byte offset to a position for a server with this encoding.
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

    /// Converts a server's range to a byte range. Swaps the ends of a range that ends before it starts, as editors do.
    pub fn range_from_lsp(&self, range: &lsp::Range, encoding: Encoding) -> TextRange {
        let (start, end) = (self.from_lsp(range.start, encoding), self.from_lsp(range.end, encoding));
        TextRange::new(start.min(end), start.max(end))
    }

    /// Converts a byte range to a range for a server with this encoding.
    pub fn range_to_lsp(&self, range: TextRange, encoding: Encoding) -> lsp::Range {
        lsp::Range { start: self.to_lsp(range.start(), encoding), end: self.to_lsp(range.end(), encoding) }
    }
}

/// Converts a byte length or offset. [`crate::fs::MAX_TEXT_BYTES`] is far below the limit of `u32`.
pub fn size(bytes: usize) -> TextSize {
    TextSize::new(u32::try_from(bytes).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
