//! The formatter: one layout for every text, without settings.
//!
//! It changes only white space and the starts and ends of comment lines. Tokens stay as they are, strings byte for
//! byte; every comment stays between the same two tokens. Formatting is idempotent.
//!
//! - Four spaces for each block around a line. An import, an element, a property, an entry of a block each begin a
//!   line; all their tokens are on it, however long it gets.
//! - A block that was written on one line stays there if the line is then not longer than [`WIDTH`] characters; any
//!   other block has its entries on lines of their own. An empty block is `{}`.
//! - `contains` is on one line if it fits, and otherwise has one entry a line. A term that does not fit has `aka` and
//!   `examples` on lines of their own, which are treated in the same way.
//! - One space around arrows, `=` and `is`, none inside brackets, none before and one behind `,` and `:`, none around
//!   the dots of names.
//! - At most one empty line stays between entries, none at the edges of a block.
//! - A comment behind a token stays behind it; a comment that begins a line begins a line, and the construct around it
//!   is then broken into lines. So is a list with a comment behind which an item begins a line. Documentation begins a
//!   line before the entry that it documents. If a comment forces a line to end inside of an entry, the rest of the
//!   entry is indented by four more spaces. If every line of a `/* … */` begins with `*`, the stars are aligned; other
//!   comments of several lines retain their layout.
//! - Line ends are those that most lines of the text have; the last line has one; a byte order mark stays.
//!
//! A text with errors is left alone, because its intended structure is unknown. A range in its sound parts can still be
//! formatted.

mod comments;
mod layout;
mod leaves;
mod region;

use dlang_syntax::{Parse, Severity, SyntaxCode, TextRange};

use dlang_model::edit::{TextEdit, apply};

/// The indentation of a block, in spaces.
pub const INDENT: usize = 4;

/// The maximum width of a line, in characters, beyond which it is broken if possible.
pub const WIDTH: usize = 100;

/// A formatted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormattedText {
    /// The whole text afterwards.
    pub text: String,
    /// Small replacements that lead to the formatted text, in the order of the text; empty if nothing changes.
    pub edits: Vec<TextEdit>,
}

/// The reason for which a text is left alone: it has errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// The range of the first error that prevents formatting.
    pub first: TextRange,
    /// The number of errors.
    pub count: usize,
}

/// Formats a whole text.
pub fn format(parse: &Parse) -> Result<FormattedText, Refusal> {
    refuse(parse, |_, _| true)?;
    Ok(format_ranges(parse, |_| true))
}

/// Formats the entries that a range touches: as few of them and as deep inside as possible. Errors elsewhere in the
/// text do not matter, except a string without an end, because it is then unknown which text is inside a string.
pub fn format_range(parse: &Parse, range: TextRange) -> Result<FormattedText, Refusal> {
    let region = region::find(&parse.syntax(), range);
    refuse(parse, |code, range| {
        let is_everywhere =
            matches!(code, SyntaxCode::UnterminatedString | SyntaxCode::FileTooLarge | SyntaxCode::TooManyErrors);
        is_everywhere || region.is_some_and(|region| region.entries.intersect(range).is_some())
    })?;
    if let Some(error) = region.and_then(|region| region.error) {
        return Err(Refusal { first: error, count: 1 });
    }
    Ok(format_ranges(parse, |edit_range| region.is_some_and(|region| region.full.contains_range(edit_range))))
}

fn format_ranges(parse: &Parse, is_selected: impl Fn(TextRange) -> bool) -> FormattedText {
    let root = parse.syntax();
    let text = root.text().to_string();
    let leaves = leaves::collect(&root);
    let mut edits = layout::edits(&text, &leaves);
    edits.retain(|edit| is_selected(edit.range));
    FormattedText { text: apply(&text, &edits), edits }
}

fn refuse(parse: &Parse, is_relevant: impl Fn(SyntaxCode, TextRange) -> bool) -> Result<(), Refusal> {
    let errors = parse.diagnostics().iter().filter(|it| it.severity() == Severity::Error);
    let ranges: Vec<_> = errors.filter(|it| is_relevant(it.code, it.range)).map(|it| it.range).collect();
    match ranges.iter().min_by_key(|range| range.start()) {
        Some(first) => Err(Refusal { first: *first, count: ranges.len() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
