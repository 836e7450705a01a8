//! The formatter: one layout for every text, without settings.
//!
//! It changes only white space, and the starts and ends of comment lines. Tokens stay unchanged, strings byte for byte;
//! every comment stays between the same two tokens. Formatting is idempotent.
//!
//! - Each block indents its lines by four spaces. Each import, element, property and entry of a block begins a line and
//!   has all its tokens on it, however long.
//! - A block that was written on one line stays there if the line then has at most [`WIDTH`] characters; any other
//!   block has its entries on lines of their own. An empty block is `{}`.
//! - `contains` is on one line if it fits, and otherwise has one entry per line. A term that does not fit has `aka` and
//!   `examples` on lines of their own, which follow the same rule.
//! - One space around arrows, `=` and `is`; none inside brackets; none before and one after `,` and `:`; none around
//!   the dots of names.
//! - At most one empty line stays between entries, none at the edges of a block.
//! - A comment after a token stays after it. A comment that begins a line still begins one, and the construct around it
//!   is broken into lines; so is a list with a comment after which an item begins a line. Documentation begins a line
//!   before its entry. If a comment forces a line break inside an entry, the rest of the entry is indented by four more
//!   spaces. If every line of a `/* … */` begins with `*`, the stars are aligned; other comments of several lines
//!   retain their layout.
//! - Line ends are those of most lines of the text; the last line has one; a byte order mark stays.
//!
//! A text with errors is not formatted, because its intended structure is unknown. A range in its valid parts can still
//! be formatted.

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
    /// The whole formatted text.
    pub text: String,
    /// Small edits that produce the formatted text, in text order; empty if nothing changes.
    pub edits: Vec<TextEdit>,
}

/// A refusal to format a text, because it has errors.
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

/// Formats the entries that a range touches, as few and as deeply nested as possible. Errors elsewhere in the text are
/// ignored, except an unterminated string, which makes it unknown what text is inside strings.
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
