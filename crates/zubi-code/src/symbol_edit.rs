//! The change of one declaration in a text: its replacement, an insertion beside it, or its removal.
//!
//! Text in, replacements out. The outline of the text says which comments and annotations belong to the declaration, and
//! the outline of the result proves that the change affects nothing else: a result with a new syntax error, or with other
//! declarations than expected, is an error.

mod blank_lines;
mod check;
mod directives;
mod group;
mod head;
mod indentation;
mod insertion;
mod removal;
mod statements;
mod unit;

use std::ops::Range;
use std::sync::Arc;

use camino::Utf8Path;
use zubi_syntax::{SyntaxLayout, SyntaxOutline, TextExtent};

use self::insertion::GivenText;
use crate::syntax::{SyntaxError, SyntaxParser};

pub(crate) use unit::SymbolUnit;

/// The change of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolAction {
    Replace,
    InsertBefore,
    InsertAfter,
    Delete,
}

/// A replacement of a byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replacement {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// A possible result of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// In the order of the text, without overlaps.
    pub(crate) replacements: Vec<Replacement>,
    /// The range of the given text in the result; empty at the place of a removal.
    inserted: Range<usize>,
}

/// A text with its syntax.
#[derive(Debug, Clone)]
pub(crate) struct ParsedText {
    pub(crate) text: Arc<str>,
    pub(crate) outline: Arc<SyntaxOutline>,
    pub(crate) layout: SyntaxLayout,
}

/// The accepted change of a declaration.
#[derive(Debug)]
pub(crate) struct SymbolEdit {
    pub(crate) replacements: Vec<Replacement>,
    /// Effects of the change beyond the request, for the user.
    pub(crate) notes: Vec<String>,
}

/// The reason why a declaration was not changed, for the user, and the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RejectedEdit {
    pub(crate) reason: String,
    pub(crate) hint: &'static str,
}

impl RejectedEdit {
    fn new(reason: impl Into<String>, hint: &'static str) -> Self {
        Self { reason: reason.into(), hint }
    }
}

impl ParsedText {
    /// Parses the text of a file by its name, without its directories. The language must be known.
    pub(crate) async fn parse(parser: &dyn SyntaxParser, file_name: &str, text: Arc<str>) -> Result<Self, SyntaxError> {
        let outline = Arc::new(parser.outline(file_name, &text).await?);
        let layout = parser.layout(file_name, TextExtent::File, &text).await?;
        Ok(Self { text, outline, layout })
    }
}

impl Candidate {
    /// Creates the candidate that replaces a range by the given text.
    fn new(range: Range<usize>, text: String) -> Self {
        let inserted = range.start..range.start + text.len();
        Self { replacements: vec![Replacement { range, text }], inserted }
    }

    /// Returns the changed text.
    fn apply(&self, text: &str) -> String {
        let mut changed = String::with_capacity(text.len());
        let mut at = 0;
        for replacement in &self.replacements {
            changed.push_str(text.get(at..replacement.range.start).unwrap_or_default());
            changed.push_str(&replacement.text);
            at = replacement.range.end;
        }
        changed.push_str(text.get(at..).unwrap_or_default());
        changed
    }
}

/// Computes the change of a declaration. `given` is the new text; it may be indented like the file or from the left
/// margin. `allows_loss` accepts a replacement that declares another name.
pub(crate) async fn edit_symbol(
    parser: &dyn SyntaxParser,
    file_name: &str,
    unit: &SymbolUnit<'_>,
    action: SymbolAction,
    given: &str,
    allows_loss: bool,
) -> Result<SymbolEdit, RejectedEdit> {
    let parse = async |text: &Candidate| {
        let changed: Arc<str> = text.apply(unit.text()).into();
        ParsedText::parse(parser, file_name, changed).await.map_err(|error| {
            RejectedEdit::new(format!("zubi cannot check the result: {error}"), "Edit the text with `edit_files`.")
        })
    };
    let extension = extension_of(file_name);
    let given = if action == SymbolAction::Replace { unit.without_surroundings(given) } else { given };
    let mut candidates = Vec::new();
    if action == SymbolAction::Delete {
        candidates = unit.removals(extension);
    } else {
        let without_keyword = group::without_keyword(file_name, unit, given);
        for text in [Some(given), without_keyword.as_deref()].into_iter().flatten() {
            for block in indentation::Fragment::parse(parser, file_name, text).await?.layouts(unit) {
                candidates.extend(unit.insertions(action, &GivenText::new(&block, extension))?);
            }
        }
    }
    let mut first_error = None;
    for candidate in candidates {
        let after = parse(&candidate).await?;
        statements::check_statements(unit, action, &candidate, &after)?;
        let notes = match check::check_result(unit, action, &candidate, &after, given, allows_loss) {
            Ok(notes) => notes,
            Err(error) => {
                first_error.get_or_insert(error);
                continue;
            }
        };
        let with_head = match action {
            SymbolAction::Replace => head::with_kept_head(unit, extension, &candidate, &after),
            _ => None,
        };
        let Some(with_head) = with_head else {
            return Ok(SymbolEdit { replacements: candidate.replacements, notes });
        };
        let after = parse(&with_head).await?;
        check::check_result(unit, action, &with_head, &after, given, allows_loss)?;
        return Ok(SymbolEdit { replacements: with_head.replacements, notes });
    }
    let error = first_error.unwrap_or_else(|| unit.shared_line("change"));
    Err(unit.joined_by_comma().filter(|_| action != SymbolAction::Delete).map_or(error, |other| {
        RejectedEdit::new(
            format!("text: not a part of the statement that declares `{}` and `{other}`", unit.name()),
            "Nothing was changed. Pass only the part between the commas, as in `name = value`, or edit the text with `edit_files`.",
        )
    }))
}

fn extension_of(file_name: &str) -> &str {
    Utf8Path::new(file_name).extension().unwrap_or_default()
}

/// Computes the change of a declaration that only a server knows: without a grammar, nothing proves that the result is
/// valid.
pub(crate) async fn edit_unparsed_symbol(
    parser: &dyn SyntaxParser,
    file_name: &str,
    unit: &SymbolUnit<'_>,
    action: SymbolAction,
    given: &str,
) -> Result<SymbolEdit, RejectedEdit> {
    let candidates = if action == SymbolAction::Delete {
        unit.removals(extension_of(file_name))
    } else {
        let fragment = indentation::Fragment::parse(parser, file_name, given).await?;
        let block = fragment.layouts(unit).into_iter().next().unwrap_or_default();
        unit.insertions(action, &GivenText::new(&block, extension_of(file_name)))?
    };
    let first = candidates.into_iter().next().ok_or_else(|| unit.shared_line("change"))?;
    let note = "zubi has no grammar for this file: comments and annotations before the symbol are left as they are, and the result is not checked";
    Ok(SymbolEdit { replacements: first.replacements, notes: vec![note.to_owned()] })
}

#[cfg(test)]
mod tests;
