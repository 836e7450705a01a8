//! Statements without a semicolon, which the next line can continue: `(1)` after `let a = b` calls `b`.

use zubi_base::text::ellipsize;

use super::unit::{SymbolUnit, has_only_comments, line_end, without_comments};
use super::{Candidate, ParsedText, RejectedEdit, SymbolAction};
use crate::markup::clean_line;

/// The maximum number of characters of a line in an error.
const MAX_LINE: usize = 60;

/// Checks that a change does not join the given text, or the code around a removal, with a statement beside it.
pub(super) fn check_statements(
    unit: &SymbolUnit<'_>,
    action: SymbolAction,
    candidate: &Candidate,
    after: &ParsedText,
) -> Result<(), RejectedEdit> {
    let before = unit.parsed;
    if !before.layout.errors.is_empty() || !after.layout.errors.is_empty() {
        return Ok(());
    }
    let text = &*after.text;
    let inserted = &candidate.inserted;
    let is_blank = |from: usize, to: usize| {
        let between = text.get(from..to).unwrap_or_default();
        has_only_comments(&between.replace([',', ';'], " "))
    };
    // A statement around the unit begins before the change, so that its start stays the same.
    let was_around = |start: usize| {
        let around = |it: &std::ops::Range<usize>| it.start == start && unit.range.end <= it.end;
        start < unit.range.start && before.layout.statements.iter().any(around)
    };
    let joined = after.layout.statements.iter().find(|it| {
        let is_before = it.start < inserted.start && !is_blank(it.start, inserted.start);
        let is_behind = inserted.end < it.end && !is_blank(inserted.end, it.end);
        // A semicolon at the start of the given text ends the statement before it.
        let end = text.get(..it.end).map_or(it.end, |whole| whole.trim_end_matches(';').trim_end().len());
        let is_crossing = match action {
            SymbolAction::Delete => is_before && is_behind,
            _ => (is_before || is_behind) && it.start < inserted.end && inserted.start < end,
        };
        is_crossing && !was_around(it.start)
    });
    let Some(joined) = joined else { return Ok(()) };
    let line = |offset: usize| {
        let line = text.get(offset..line_end(text, offset)).unwrap_or_default();
        clean_line(&ellipsize(line.trim(), MAX_LINE))
    };
    let next = text.get(inserted.end..).unwrap_or_default();
    let next = line(inserted.end + next.len() - next.trim_start().len());
    if action == SymbolAction::Delete {
        return Err(RejectedEdit::new(
            format!("without `{}`, the line `{next}` would continue the statement before it", unit.name()),
            "Nothing was changed. End that statement with `;` first, with `edit_files`.",
        ));
    }
    if joined.start < inserted.start {
        let given = text.get(inserted.clone()).unwrap_or_default();
        let first = without_comments(given).chars().next().unwrap_or_default();
        return Err(RejectedEdit::new(
            format!("text: its `{first}` would continue the statement before it, which has no semicolon"),
            "Nothing was changed. End that statement with `;` first, with `edit_files`.",
        ));
    }
    Err(RejectedEdit::new(
        format!("text: the next line, `{next}`, would continue its last statement"),
        "Nothing was changed. End the text with `;`.",
    ))
}
