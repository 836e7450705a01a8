//! The positions of a text's lines.

use dlang_syntax::{TextRange, TextSize};

/// The lines of a text, without their ends.
pub struct Lines {
    lines: Vec<TextRange>,
}

impl Lines {
    /// Finds the lines of a text. As in editors, a line feed, a carriage return, or both end a line.
    pub fn new(text: &str) -> Self {
        let mut start = 0;
        let mut lines = Vec::new();
        let bytes = text.as_bytes();
        for (end, byte) in bytes.iter().enumerate() {
            let is_second = *byte == b'\n' && end > 0 && bytes.get(end - 1) == Some(&b'\r');
            if is_second {
                // The carriage return has ended the line; the next one begins after both.
                start = end + 1;
            } else if matches!(byte, b'\n' | b'\r') {
                lines.push(range(start, end));
                start = end + 1;
            }
        }
        lines.push(range(start, text.len()));
        Self { lines }
    }

    /// Returns the 0-based number of the line that contains an offset.
    pub fn number(&self, offset: TextSize) -> usize {
        self.lines.partition_point(|line| line.start() <= offset).saturating_sub(1)
    }

    /// Returns the range of a line by its number; empty at the end of the text if the line does not exist.
    pub fn line(&self, number: usize) -> TextRange {
        let end = || self.lines.last().map_or(TextSize::new(0), |line| line.end());
        self.lines.get(number).copied().unwrap_or_else(|| TextRange::empty(end()))
    }
}

/// Creates a range; the parser limits texts to what 32 bits can count.
fn range(start: usize, end: usize) -> TextRange {
    let offset = |at: usize| TextSize::new(u32::try_from(at).unwrap_or(u32::MAX));
    TextRange::new(offset(start), offset(end))
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn all_line_ends_of_lsp_are_recognized() {
        let lines = Lines::new("a\nb\r\nc\rd\n\re\r\n");
        let rendered: Vec<String> = (0..8).map(|number| format!("{:?}", lines.line(number))).collect();
        assert_eq!(rendered, ["0..1", "2..3", "5..6", "7..8", "9..9", "10..11", "13..13", "13..13"]);
        assert_eq!([0, 2, 4, 5, 12, 13].map(|at| lines.number(at.into())), [0, 1, 1, 2, 5, 6]);
    }
}
