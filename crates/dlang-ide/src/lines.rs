//! Where the lines of a text are.

use dlang_syntax::{TextRange, TextSize};

/// The lines of a text, without their ends.
pub struct Lines {
    lines: Vec<TextRange>,
}

impl Lines {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Self {
        let mut start = TextSize::new(0);
        let mut lines = Vec::new();
        for line in text.split('\n') {
            let content = line.strip_suffix('\r').unwrap_or(line);
            lines.push(TextRange::at(start, TextSize::of(content)));
            start += TextSize::of(line) + TextSize::of('\n');
        }
        Self { lines }
    }

    /// The number of the line in which an offset lies, from 0.
    pub fn number(&self, offset: TextSize) -> usize {
        self.lines.partition_point(|line| line.start() <= offset).saturating_sub(1)
    }

    /// A line by its number; the end of the text if there is none.
    pub fn line(&self, number: usize) -> TextRange {
        let end = || self.lines.last().map_or(TextSize::new(0), |line| line.end());
        self.lines.get(number).copied().unwrap_or_else(|| TextRange::empty(end()))
    }
}
