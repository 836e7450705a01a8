//! The formatter: one layout for every text, without a setting.
//!
//! Only white space changes, and the beginnings and ends of comments' lines. Tokens stay as they are, strings byte for
//! byte; every comment stays between the same two tokens. What is formatted already does not change.
//!
//! - Four spaces for each block around a line. An import, an element, a property, an entry of a block each begin a line;
//!   their tokens stand together on it, however long it gets.
//! - A block that was written on one line stays there if the line is then not longer than [`WIDTH`] characters; any other
//!   block has its entries on lines of their own. One without anything in it is `{}`.
//! - `contains` is on one line if it fits, and otherwise has one entry a line. A term that does not fit has `aka` and
//!   `examples` on lines of their own, which are treated in the same way.
//! - One space around arrows, `=` and `is`, none inside brackets, none before and one behind `,` and `:`, none around the
//!   dots of names.
//! - Between entries at most one empty line is kept, at the edges of a block none.
//! - A comment that stands behind something stays behind it; one that begins a line begins a line, and what it stands in is
//!   broken then. So is a list with a comment behind which an item begins a line. Documentation begins a
//!   line before what it documents. A comment that forces a line to end inside of an entry lets the rest go on four spaces
//!   further in. Where every line of a `/* … */` begins with `*`, the stars are aligned; other comments of several
//!   lines keep their layout.
//! - Line ends are those that most lines of the text have; the last line has one; a byte order mark stays.
//!
//! A text with errors is left alone, because nobody knows what it is to be. In its sound parts a range can be formatted.

mod comments;
mod layout;
mod leaves;
mod region;

use dlang_syntax::{Code, Parse, Severity, TextRange};

use crate::edit::{TextEdit, apply};

/// How many spaces a block is indented by.
pub const INDENT: usize = 4;

/// How many characters a line may have before what can be broken is broken.
pub const WIDTH: usize = 100;

/// A formatted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormattedText {
    /// The whole text afterwards.
    pub text: String,
    /// How to get there: small replacements in the order of the text; none if nothing is to be done.
    pub edits: Vec<TextEdit>,
}

/// Why a text is left alone: it has errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Where the first error is that stands in the way.
    pub first: TextRange,
    /// How many there are.
    pub count: usize,
}

/// Formats a whole text.
pub fn format(parse: &Parse) -> Result<FormattedText, Refusal> {
    refuse(parse, |_, _| true)?;
    Ok(format_ranges(parse, |_| true))
}

/// Formats the entries that a range touches: as few of them and as deep inside as possible. Errors elsewhere in the
/// text do not matter, unless a string has no end: then nobody knows what is a string.
pub fn format_range(parse: &Parse, range: TextRange) -> Result<FormattedText, Refusal> {
    let region = region::find(&parse.syntax(), range);
    refuse(parse, |code, place| {
        let is_everywhere = matches!(code, Code::UnterminatedString | Code::FileTooLarge | Code::TooManyErrors);
        is_everywhere || region.is_some_and(|region| region.entries.intersect(place).is_some())
    })?;
    if let Some(error) = region.and_then(|region| region.error) {
        return Err(Refusal { first: error, count: 1 });
    }
    Ok(format_ranges(parse, |place| region.is_some_and(|region| region.whole.contains_range(place))))
}

fn format_ranges(parse: &Parse, is_wanted: impl Fn(TextRange) -> bool) -> FormattedText {
    let root = parse.syntax();
    let text = root.text().to_string();
    let leaves = leaves::collect(&root);
    let mut edits = layout::edits(&text, &leaves);
    edits.retain(|edit| is_wanted(edit.range));
    FormattedText { text: apply(&text, &edits), edits }
}

fn refuse(parse: &Parse, matters: impl Fn(Code, TextRange) -> bool) -> Result<(), Refusal> {
    let errors = parse.diagnostics().iter().filter(|it| it.severity() == Severity::Error);
    let places: Vec<_> = errors.filter(|it| matters(it.code, it.range)).map(|it| it.range).collect();
    match places.iter().min_by_key(|range| range.start()) {
        Some(first) => Err(Refusal { first: *first, count: places.len() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
