//! A fix, and the text that it changes.

use dlang_syntax::TextRange;

use crate::edit::TextEdit;

/// Change that resolves a diagnostic. All edits are in the file of the diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Effect of the fix, in a few words.
    pub title: String,
    /// Edits in text order; they do not overlap.
    pub edits: Vec<TextEdit>,
    /// Whether it most likely matches the intention. At most one fix of a diagnostic is preferred.
    pub is_preferred: bool,
}

/// Returns the text of a range; empty if the range is outside the text.
pub(super) fn text_at(text: &str, range: TextRange) -> &str {
    text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
}
