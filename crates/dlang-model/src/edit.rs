//! Changes of a text.

use std::ops::Range;

use dlang_syntax::{TextRange, TextSize};

/// One replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The range to replace; empty for an insertion.
    pub range: TextRange,
    /// The new text.
    pub insert: String,
}

impl TextEdit {
    pub(crate) fn insert(at: TextSize, text: impl Into<String>) -> Self {
        Self { range: TextRange::empty(at), insert: text.into() }
    }

    pub(crate) fn delete(range: TextRange) -> Self {
        Self { range, insert: String::new() }
    }
}

/// Applies edits to a text. They must be in text order and must not overlap; an edit that overlaps another, or that is
/// outside the text, is skipped.
pub fn apply(text: &str, edits: &[TextEdit]) -> String {
    let added: usize = edits.iter().map(|edit| edit.insert.len()).sum();
    let mut result = String::with_capacity(text.len() + added);
    let mut done = 0;
    for edit in edits {
        let range = Range::<usize>::from(edit.range);
        let (Some(unchanged), Some(_)) = (text.get(done..range.start), text.get(range.clone())) else { continue };
        result.push_str(unchanged);
        result.push_str(&edit.insert);
        done = range.end;
    }
    result.push_str(text.get(done..).unwrap_or_default());
    result
}

#[cfg(test)]
mod tests {
    use dlang_syntax::{TextRange, TextSize};

    use super::{TextEdit, apply};

    fn edit(from: u32, to: u32, insert: &str) -> TextEdit {
        TextEdit { range: TextRange::new(TextSize::new(from), TextSize::new(to)), insert: insert.to_owned() }
    }

    #[test]
    fn edits_are_applied_in_order() {
        assert_eq!(apply("abc", &[edit(0, 0, "x"), edit(1, 2, ""), edit(3, 3, "yz")]), "xacyz");
    }

    #[test]
    fn invalid_edits_are_skipped() {
        assert_eq!(apply("aéb", &[edit(0, 1, "x"), edit(0, 1, "y"), edit(2, 3, "z"), edit(9, 9, "w")]), "xéb");
    }
}
