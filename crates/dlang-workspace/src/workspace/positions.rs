//! Positions in a text for people.

use std::cell::Cell;
use std::ops::Range;

use dlang_ide::Lines;
use text_size::{TextRange, TextSize};

/// A 1-based line and column. Columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinePosition {
    pub line: u32,
    pub column: u32,
}

impl LinePosition {
    pub(super) const FIRST: Self = Self { line: 1, column: 1 };
}

/// Finds positions in a text.
pub struct PositionFinder<'t> {
    text: &'t str,
    lines: Lines,
    /// The last position and its offset. Most requests are in text order, and a line can be as long as its text:
    /// counting from its beginning each time would be quadratic.
    last: Cell<(TextSize, LinePosition)>,
}

impl<'t> PositionFinder<'t> {
    /// Finds the lines of a text.
    pub fn new(text: &'t str) -> Self {
        Self { text, lines: Lines::new(text), last: Cell::new((TextSize::new(0), LinePosition::FIRST)) }
    }

    /// Returns the position of a byte offset; the end of the text for an offset after it.
    pub fn position(&self, offset: TextSize) -> LinePosition {
        let offset = offset.min(TextSize::of(self.text));
        let number = self.lines.number(offset);
        let line_start = self.lines.line(number).start();
        let line = u32::try_from(number).unwrap_or(u32::MAX - 1) + 1;
        let (from, column) = match self.last.get() {
            (last, position) if position.line == line && last <= offset => (last, position.column),
            _ => (line_start, 1),
        };
        let between = self.text.get(Range::<usize>::from(TextRange::new(from, offset))).unwrap_or_default();
        let column = column.saturating_add(u32::try_from(between.chars().count()).unwrap_or(u32::MAX));
        let position = LinePosition { line, column };
        self.last.set((offset, position));
        position
    }
}

#[cfg(test)]
mod tests {
    use super::PositionFinder;

    #[test]
    fn positions_in_any_order() {
        let finder = PositionFinder::new("aé\nb\r\rc");
        let positions = [0, 1, 3, 4, 5, 6, 7, 8, 99, 3].map(|offset: u32| {
            let position = finder.position(offset.into());
            (position.line, position.column)
        });
        assert_eq!(positions, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1), (4, 1), (4, 2), (4, 2), (1, 3)]);
    }
}
