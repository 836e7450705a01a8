//! The proof that a change affects only its declaration.

use std::ops::Range;

use zubi_base::text::ellipsize;
use zubi_syntax::{Declaration, DeclarationKind};

use super::unit::{SymbolUnit, has_only_comments, line_end, line_start};
use super::{Candidate, ParsedText, RejectedEdit, SymbolAction};
use crate::markup::clean_line;

/// The maximum number of characters of a line in an error.
const MAX_LINE: usize = 80;

const SYNTAX_HINT: &str = "Nothing was changed. Correct the text, which must be the whole source of the declaration.";
const SCOPE_HINT: &str = "Nothing was changed. Check the braces and the indentation of the text.";
const REMOVAL_HINT: &str = "Nothing was changed. Edit the text with `edit_files`.";
const NAME_HINT: &str = "Nothing was changed. Pass the whole declaration with its name, use `lsp_rename_symbol` for another name, or pass force: true.";

/// Checks the result of a change. Returns notes for the user.
pub(super) fn check_result(
    unit: &SymbolUnit<'_>,
    action: SymbolAction,
    candidate: &Candidate,
    after: &ParsedText,
    given: &str,
    allows_loss: bool,
) -> Result<Vec<String>, RejectedEdit> {
    let before = unit.parsed;
    if action == SymbolAction::Delete {
        check_removed(unit, candidate)?;
    }
    if after.layout.errors.len() > before.layout.errors.len() {
        let errors = &after.layout.errors;
        let is_inserted =
            |error: &&Range<usize>| candidate.inserted.start <= error.start && error.start <= candidate.inserted.end;
        let error = errors.iter().find(is_inserted).or(errors.first());
        return Err(error.map_or_else(
            || RejectedEdit::new("the result does not parse", SYNTAX_HINT),
            |error| describe_error(error, candidate, after, given),
        ));
    }
    // Errors that were there before make the outline of what follows them unreliable.
    if before.layout.errors.is_empty() {
        check_others(unit, action, candidate, after)?;
    }
    let mut notes = Vec::new();
    let is_lost = || find_declared(unit, candidate, after).is_none() && !is_assigned(unit, candidate, after);
    if action == SymbolAction::Replace && !allows_loss && is_lost() {
        return Err(RejectedEdit::new(format!("text: it does not declare `{}`", unit.name()), NAME_HINT));
    }
    if action == SymbolAction::Replace
        && let (Some(old), Some(new)) = (unit.first(), find_declared(unit, candidate, after))
    {
        check_line(unit, candidate, after)?;
        let is_string = |it: &Declaration| it.doc.as_ref().is_some_and(|doc| doc.start > it.signature.start);
        if is_string(old) && !is_string(new) {
            notes.push(format!("the new `{}` has no documentation string", old.name));
        }
        for word in PREFIXES {
            if has_prefix(&before.text, old, word) && !has_prefix(&after.text, new, word) {
                notes.push(format!("the old `{}` has `{word}`, and the new one has not", old.name));
            }
        }
    }
    if matches!(action, SymbolAction::InsertBefore | SymbolAction::InsertAfter) {
        let parent = unit.first().and_then(|first| first.parent);
        for new in inserted_declarations(candidate, after).filter(|new| new.kind.is_callable() || new.kind.is_type()) {
            let same = unit.declarations().iter().find(|it| it.parent == parent && it.name == new.name);
            if let Some(same) = same.filter(|_| names_above(after, new) == parent_names(unit)) {
                let line = line_of(unit.text(), same.name_range.start);
                notes.push(format!("`{}` is declared in line {line} already", clean_line(&new.name)));
            }
        }
    }
    Ok(notes)
}

/// Whether a given text assigns another value to the same place: `exports.area = 2` for a function, which the outline does
/// not list.
fn is_assigned(unit: &SymbolUnit<'_>, candidate: &Candidate, after: &ParsedText) -> bool {
    let target = unit.first().and_then(|it| unit.text().get(it.signature.start..it.name_range.end));
    let given = after.text.get(candidate.inserted.clone()).unwrap_or_default();
    let rest = target.filter(|target| target.contains('.')).and_then(|target| given.split_once(target));
    rest.is_some_and(|(before, rest)| has_only_comments(before) && rest.trim_start().starts_with('='))
}

/// Checks that a text for a declaration that shares its line does not repeat another one of the line: `a = 1; b = 2` for `a`.
fn check_line(unit: &SymbolUnit<'_>, candidate: &Candidate, after: &ParsedText) -> Result<(), RejectedEdit> {
    let text = unit.text();
    let line = line_start(text, unit.range.start)..line_end(text, unit.range.end);
    let above = parent_names(unit);
    let beside = unit.siblings().map(|(_, it)| it).filter(|it| line.contains(&it.name_range.start));
    let is_joint = |it: &Declaration| it.range.start < unit.range.end && unit.range.start < it.range.end;
    for other in beside.filter(|other| other.name != unit.name() && !is_joint(other)) {
        if inserted_declarations(candidate, after).any(|new| new.name == other.name && names_above(after, new) == above)
        {
            let (name, other) = (clean_line(unit.name()), clean_line(&other.name));
            return Err(RejectedEdit::new(
                format!("text: it declares `{other}` too, which is beside `{name}` in the same line"),
                "Nothing was changed. Pass the declaration alone, without the rest of its line.",
            ));
        }
    }
    Ok(())
}

/// Words before a declaration without which others can no longer use it, and which a new text easily lacks.
const PREFIXES: [&str; 4] = ["export", "default", "template", "typedef"];

/// Whether a word is between the beginning of a declaration and its name.
fn has_prefix(text: &str, declaration: &Declaration, word: &str) -> bool {
    let start = declaration.range.start.min(declaration.signature.start);
    let head = text.get(start..declaration.name_range.start).unwrap_or_default();
    head.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

/// Returns the declaration of the unit's name in the given text.
pub(super) fn find_declared<'p>(
    unit: &SymbolUnit<'_>,
    candidate: &Candidate,
    after: &'p ParsedText,
) -> Option<&'p Declaration> {
    let old = unit.first()?;
    let above = parent_names(unit);
    // A class has the name of its constructor.
    let is_same = |new: &Declaration| old.kind != DeclarationKind::Constructor || !new.kind.is_type();
    inserted_declarations(candidate, after)
        .find(|new| new.name == old.name && is_same(new) && names_above(after, new) == above)
}

/// Returns the declarations that begin in the given text.
fn inserted_declarations<'p>(candidate: &Candidate, after: &'p ParsedText) -> impl Iterator<Item = &'p Declaration> {
    let range = candidate.inserted.clone();
    after.outline.declarations.iter().filter(move |it| range.contains(&it.name_range.start))
}

fn parent_names(unit: &SymbolUnit<'_>) -> Vec<String> {
    let outline = &unit.parsed.outline;
    unit.indices.first().map(|index| outline.above(*index).into_iter().map(str::to_owned).collect()).unwrap_or_default()
}

fn names_above(parsed: &ParsedText, declaration: &Declaration) -> Vec<String> {
    let index = parsed.outline.declarations.iter().position(|it| std::ptr::eq(it, declaration)).unwrap_or_default();
    parsed.outline.above(index).into_iter().map(str::to_owned).collect()
}

/// Checks that a removal takes nothing from its surroundings but separators, white space and comments: what is there
/// may be no declaration.
fn check_removed(unit: &SymbolUnit<'_>, candidate: &Candidate) -> Result<(), RejectedEdit> {
    let own = unit.range.start..unit.end();
    // The macros before the unit in its line are a part of it.
    let own_line = if unit.begins_line() { line_start(unit.text(), own.start) } else { own.start };
    let outside = candidate.replacements.iter().flat_map(|it| {
        let Range { start, end } = it.range;
        [start..end.min(own_line), start.max(own.end)..end]
    });
    for range in outside.filter(|range| range.start < range.end) {
        let removed = unit.text().get(range).unwrap_or_default();
        if !has_only_comments(&removed.replace([',', ';'], " ")) {
            let shown = clean_line(&ellipsize(removed.trim(), MAX_LINE));
            return Err(RejectedEdit::new(format!("the change would remove `{shown}` too"), REMOVAL_HINT));
        }
    }
    Ok(())
}

/// Checks that all other declarations are still there, in the same scopes.
fn check_others(
    unit: &SymbolUnit<'_>,
    action: SymbolAction,
    candidate: &Candidate,
    after: &ParsedText,
) -> Result<(), RejectedEdit> {
    let is_removed = |index: usize, it: &Declaration| {
        let is_inside = unit.range.start <= it.name_range.start && it.name_range.end <= unit.range.end;
        matches!(action, SymbolAction::Replace | SymbolAction::Delete) && (unit.indices.contains(&index) || is_inside)
    };
    let before = &unit.parsed.outline;
    let path = |outline: &zubi_syntax::SyntaxOutline, index: usize, it: &Declaration| {
        let mut names: Vec<String> = outline.above(index).into_iter().map(str::to_owned).collect();
        names.push(it.name.clone());
        names.join("/")
    };
    let old = before.declarations.iter().enumerate().filter(|(index, it)| !is_removed(*index, it));
    let old: Vec<String> = old.map(|(index, it)| path(before, index, it)).collect();
    let is_new = |it: &Declaration| candidate.inserted.contains(&it.name_range.start);
    let new = after.outline.declarations.iter().enumerate().filter(|(_, it)| !is_new(it));
    let new: Vec<String> = new.map(|(index, it)| path(&after.outline, index, it)).collect();
    if old == new {
        return check_nesting(candidate, after);
    }
    let differing = old.iter().zip(&new).find(|(old, new)| old != new).map(|(old, _)| old);
    let changed = differing.or_else(|| old.get(new.len())).or_else(|| new.get(old.len()));
    let name = changed.map_or("another declaration", String::as_str);
    let hint = if action == SymbolAction::Delete { REMOVAL_HINT } else { SCOPE_HINT };
    Err(RejectedEdit::new(format!("the change would affect `{}` too", clean_line(name)), hint))
}

/// Checks that no declaration begins in the given text and ends outside, or the reverse.
fn check_nesting(candidate: &Candidate, after: &ParsedText) -> Result<(), RejectedEdit> {
    let inserted = &candidate.inserted;
    let crosses = |it: &&Declaration| {
        let begins_inside = inserted.contains(&it.range.start);
        // A comment at the end of the text may follow the last declaration of its scope.
        let rest = after.text.get(it.range.end..inserted.end).unwrap_or_default();
        // A semicolon at the start of the text ends the statement before it.
        let first = after.text.get(inserted.start..it.range.end).unwrap_or_default();
        let is_ended = first.trim_matches([';', ' ', '\t', '\n']).is_empty();
        let ends_inside = !is_ended && it.range.end < inserted.end && !has_only_comments(rest);
        begins_inside && it.range.end > inserted.end || it.range.start < inserted.start && ends_inside
    };
    match after.outline.declarations.iter().find(crosses) {
        Some(it) => Err(RejectedEdit::new(
            format!("text: it would end in the middle of `{}`", clean_line(&it.name)),
            SCOPE_HINT,
        )),
        None => Ok(()),
    }
}

/// Describes an error by its place in the given text, or in the result.
fn describe_error(error: &Range<usize>, candidate: &Candidate, after: &ParsedText, given: &str) -> RejectedEdit {
    let text = &*after.text;
    let line = text.get(line_start(text, error.start)..line_end(text, error.start)).unwrap_or_default();
    let shown = clean_line(&ellipsize(line.trim(), MAX_LINE));
    let missing = if error.is_empty() { "something is missing in" } else { "a syntax error in" };
    let inserted = &candidate.inserted;
    if inserted.start <= error.start && error.start <= inserted.end && !inserted.is_empty() {
        let blank = given.lines().take_while(|line| line.trim().is_empty()).count();
        let before = text.get(inserted.start..error.start).unwrap_or_default();
        let number = blank + before.matches('\n').count() + 1;
        return RejectedEdit::new(format!("text: {missing} its line {number}: `{shown}`"), SYNTAX_HINT);
    }
    let number = line_of(text, error.start);
    RejectedEdit::new(format!("the file would have {missing} line {number} after the change: `{shown}`"), SYNTAX_HINT)
}

/// Returns the 1-based line of an offset.
fn line_of(text: &str, offset: usize) -> usize {
    text.get(..offset).unwrap_or_default().matches('\n').count() + 1
}
