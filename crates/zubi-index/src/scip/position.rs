//! Positions of a document in its text. A producer counts columns in the units of the document's encoding, and the index
//! stores them so; the text that has the stored content converts them.

use std::ops::Range;

use zubi_base::position::TextIndex;

use super::codec::StoredRange;

/// The unit of columns in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnUnit {
    /// The producer does not say it. Columns after characters outside ASCII are unknown.
    Unknown,
    Utf8,
    Utf16,
    Utf32,
}

impl ColumnUnit {
    /// Returns the unit of a document by the number in `Document.position_encoding`. Producers that leave it out and count
    /// UTF-16 units, as their data show, are listed by name.
    pub(crate) fn from_scip(encoding: u64, tool: &str) -> Self {
        match (encoding, tool) {
            (1, _) => Self::Utf8,
            (2, _) | (0, "scip-typescript" | "scip-python") => Self::Utf16,
            (3, _) => Self::Utf32,
            _ => Self::Unknown,
        }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Unknown => 0,
            Self::Utf8 => 1,
            Self::Utf16 => 2,
            Self::Utf32 => 3,
        }
    }

    pub(crate) fn from_code(code: u8) -> Self {
        match code {
            1 => Self::Utf8,
            2 => Self::Utf16,
            3 => Self::Utf32,
            _ => Self::Unknown,
        }
    }
}

/// A text with its lines.
pub(crate) struct DocumentText<'a> {
    text: &'a str,
    lines: TextIndex,
    unit: ColumnUnit,
    /// Producers disagree whether a byte-order mark counts as a character of the first line.
    has_mark: bool,
}

impl<'a> DocumentText<'a> {
    /// `text` is without the byte-order mark.
    pub(crate) fn new(text: &'a str, has_mark: bool, unit: ColumnUnit) -> Self {
        Self { text, lines: TextIndex::new(text), unit, has_mark }
    }

    /// Converts a range to bytes. Returns `None` if the text does not have it, or its columns are unknown.
    pub(crate) fn convert(&self, range: StoredRange) -> Option<Range<usize>> {
        let start = self.offset(range.line, range.column)?;
        let end = self.offset(range.end_line, range.end_column)?;
        (start <= end).then_some(start..end)
    }

    /// Whether a range that cannot be converted may be right: the text has its lines, and its columns are unknown.
    pub(crate) fn is_uncertain(&self, range: StoredRange) -> bool {
        (self.unit == ColumnUnit::Unknown || self.has_mark && range.line == 0)
            && self.lines.line_range(range.end_line).is_some()
    }

    fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let range: Range<usize> = self.lines.line_range(line)?.into();
        let start = range.start;
        let line_text = self.text.get(range)?;
        let column = column as usize;
        let is_ascii = |text: &str| text.is_ascii();
        if self.has_mark && line == 0 && column > 0 {
            return None;
        }
        let column = match self.unit {
            ColumnUnit::Utf8 => line_text.is_char_boundary(column).then_some(column)?,
            ColumnUnit::Unknown => line_text.get(..column).is_some_and(is_ascii).then_some(column)?,
            // Most lines are ASCII.
            _ if line_text.get(..column).is_some_and(is_ascii) => column,
            ColumnUnit::Utf16 => byte_column(line_text, column, char::len_utf16)?,
            ColumnUnit::Utf32 => byte_column(line_text, column, |_| 1)?,
        };
        Some(start + column)
    }

    /// Whether a range can be that of a name: it begins and ends between words.
    pub(crate) fn has_whole_words(&self, range: &Range<usize>) -> bool {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let cuts = |at: usize| {
            let before = self.text.get(..at).and_then(|text| text.chars().next_back());
            let after = self.text.get(at..).and_then(|text| text.chars().next());
            before.is_some_and(is_word) && after.is_some_and(is_word)
        };
        range.is_empty() || !cuts(range.start) && !cuts(range.end)
    }

    pub(crate) fn slice(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// Returns the 0-based line of an offset.
    pub(crate) fn line(&self, offset: usize) -> u32 {
        self.lines.line_col(zubi_base::position::size(offset)).line
    }
}

fn byte_column(line: &str, column: usize, units: impl Fn(char) -> usize) -> Option<usize> {
    let mut at = 0;
    for (byte, character) in line.char_indices() {
        if at >= column {
            return (at == column).then_some(byte);
        }
        at += units(character);
    }
    (at == column).then_some(line.len())
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test that cuts a character should fail")]
mod tests {
    use zubi_base::position::{Encoding, size};

    use super::*;

    const TEXT: &str = "let ä😀 = x;\r\nend";

    #[test]
    fn columns_are_converted_from_every_unit() {
        for (unit, columns, expected) in [
            (ColumnUnit::Utf8, (13, 14), Some("x")),
            (ColumnUnit::Utf16, (10, 11), Some("x")),
            (ColumnUnit::Utf32, (9, 10), Some("x")),
            (ColumnUnit::Utf8, (5, 6), None),
            (ColumnUnit::Utf16, (6, 7), None),
            (ColumnUnit::Utf16, (10, 12), Some("x;")),
            (ColumnUnit::Utf16, (10, 13), None),
            (ColumnUnit::Unknown, (0, 3), Some("let")),
            (ColumnUnit::Unknown, (0, 5), None),
            (ColumnUnit::Utf32, (3, 2), None),
        ] {
            let text = DocumentText::new(TEXT, false, unit);
            let range = StoredRange { line: 0, column: columns.0, end_line: 0, end_column: columns.1 };
            assert_eq!(text.convert(range).map(|range| text.slice(&range)), expected, "{unit:?} {columns:?}");
        }
    }

    #[test]
    fn ranges_over_lines_and_behind_a_mark() {
        let range = |line, column, end_line, end_column| StoredRange { line, column, end_line, end_column };
        let text = DocumentText::new(TEXT, false, ColumnUnit::Utf8);
        assert_eq!(text.convert(range(0, 0, 1, 3)), Some(0..TEXT.len()));
        assert_eq!(text.convert(range(0, 0, 2, 0)), None);
        assert_eq!(text.convert(range(1, 0, 0, 0)), None);
        let text = DocumentText::new(TEXT, true, ColumnUnit::Utf8);
        assert_eq!((text.convert(range(0, 0, 0, 3)), text.convert(range(1, 0, 1, 3))), (None, Some(17..20)));
    }

    #[test]
    fn a_range_that_cuts_a_word_is_not_a_name() {
        let text = DocumentText::new("one two", false, ColumnUnit::Utf8);
        for (range, expected) in [(0..3, true), (0..2, false), (1..3, false), (3..4, true), (1..1, true), (4..7, true)]
        {
            assert_eq!(text.has_whole_words(&range), expected, "{range:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_range_is_converted_back(text in "([a-z ]|ä|😀|\\r?\\n){0,40}", at in (0..60_usize, 0..60_usize)) {
            let boundaries: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            let pick = |at: usize| boundaries[at % boundaries.len()];
            let (start, end) = (pick(at.0.min(at.1)), pick(at.0.max(at.1)));
            let lines = TextIndex::new(&text);
            for (unit, encoding) in [
                (ColumnUnit::Utf8, Encoding::Utf8),
                (ColumnUnit::Utf16, Encoding::Utf16),
                (ColumnUnit::Utf32, Encoding::Utf32),
            ] {
                let [from, to] = [start.min(end), start.max(end)].map(|at| lines.to_lsp(size(at), encoding));
                let range = StoredRange {
                    line: from.line,
                    column: from.character,
                    end_line: to.line,
                    end_column: to.character,
                };
                let converted = DocumentText::new(&text, false, unit).convert(range);
                // A position between the characters of a line terminator is not in a line.
                let is_in_line = |at: usize| !text[..at].ends_with('\r') || !text[at..].starts_with('\n');
                if is_in_line(start) && is_in_line(end) {
                    proptest::prop_assert_eq!(converted, Some(start.min(end)..start.max(end)), "{:?}", unit);
                }
            }
        }
    }
}
