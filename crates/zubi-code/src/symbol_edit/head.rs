//! The comments and annotations of a replaced declaration: those that the new text does not replace stay.

use super::check::find_declared;
use super::directives::is_for_next;
use super::unit::{COMMENT_STARTS, SymbolUnit, line_end, line_start};
use super::{Candidate, ParsedText};
use crate::lexical::NonCode;

/// The comments and the annotations before a signature, in the order of the text.
#[derive(Debug, Default, PartialEq, Eq)]
struct HeadParts<'t> {
    comments: Vec<&'t str>,
    /// Comments for a program about the next declaration.
    directives: Vec<&'t str>,
    annotations: Vec<&'t str>,
}

impl<'t> HeadParts<'t> {
    /// Divides the text before a signature. A comment in an annotation, or behind it in its line, belongs to it.
    fn divide(head: &'t str, extension: &str) -> Self {
        let non_code = NonCode::scan(head, extension);
        let blanked = non_code.blank(head);
        let mut parts = Self::default();
        let (mut at, mut annotation) = (0, None);
        while let Some(rest) = head.get(at..).filter(|rest| !rest.trim().is_empty()) {
            let start = at + rest.len() - rest.trim_start().len();
            let line = line_end(head, start);
            let text = head.get(start..line).unwrap_or_default().trim_end();
            // The line is in a string, or in brackets.
            let is_open = line_start(head, start).checked_sub(1).is_some_and(|line_end| non_code.contains(line_end))
                || annotation.is_some_and(|from| is_open(blanked.get(from..start).unwrap_or_default()));
            let is_comment = !is_open && is_comment_at(head, start, extension, &non_code);
            let is_next = !is_open && (is_comment || is_elixir(extension) && text.starts_with('@'));
            if is_next {
                parts.annotations.extend(annotation.take().and_then(|from| head.get(from..at)).map(str::trim_end));
            }
            if !is_comment {
                annotation.get_or_insert(start);
                at = line;
                continue;
            }
            let block = head.get(start..).filter(|rest| rest.starts_with("/*")).and_then(|rest| rest.find("*/"));
            at = block.map_or(line, |end| start + end + "*/".len());
            let list = if is_for_next(text) { &mut parts.directives } else { &mut parts.comments };
            list.extend(head.get(start..at));
        }
        parts.annotations.extend(annotation.and_then(|from| head.get(from..at)).map(str::trim_end));
        parts
    }

    /// Returns the annotations that a new head does not replace. Those of Elixir have names; elsewhere the new ones replace all.
    fn kept_annotations(&self, new: &Self, extension: &str) -> Vec<&'t str> {
        let name = |annotation: &&str| annotation.split([' ', '(', '\n']).next().unwrap_or_default().to_owned();
        let is_named = |old: &&str| new.annotations.iter().any(|new| name(new) == name(old));
        let is_kept = |old: &&&str| if is_elixir(extension) { !is_named(old) } else { new.annotations.is_empty() };
        self.annotations.iter().filter(is_kept).copied().collect()
    }
}

fn is_elixir(extension: &str) -> bool {
    matches!(extension, "ex" | "exs")
}

/// Returns the result with the comments and annotations that a replacement has lost. Returns `None` if it has lost none.
pub(super) fn with_kept_head(
    unit: &SymbolUnit<'_>,
    extension: &str,
    candidate: &Candidate,
    after: &ParsedText,
) -> Option<Candidate> {
    let (old, new) = (unit.first()?, find_declared(unit, candidate, after)?);
    let start = candidate.inserted.start;
    let replacement = candidate.replacements.first()?;
    let block = replacement.text.as_str();
    let own = HeadParts::divide(after.text.get(start..new.signature.start).unwrap_or_default(), extension);
    let head = unit.text().get(unit.range.start..old.signature.start)?;
    let kept = HeadParts::divide(head, extension);
    let line = |part: &str| format!("{part}{}{}", unit.eol(), unit.indentation());
    let composed = if own == HeadParts::default() {
        format!("{head}{block}")
    } else {
        let comments: &[&str] = if own.comments.is_empty() { &kept.comments } else { &[] };
        let directives: &[&str] = if own.directives.is_empty() { &kept.directives } else { &[] };
        let annotations = kept.kept_annotations(&own, extension);
        let is_first = annotations.is_empty() && directives.is_empty();
        let at = new.range.start.checked_sub(start).filter(|_| !is_first).unwrap_or_default();
        let comments: String = comments.iter().map(|part| line(part)).collect();
        let mut annotations: String = annotations.iter().map(|part| line(part)).collect();
        // The last annotation is in the line of the declaration: `@Override public int area()`.
        let gap = head.get(head.trim_end().len()..).unwrap_or_default();
        if !gap.contains('\n') && kept.annotations.last().is_some_and(|last| head.trim_end().ends_with(last)) {
            annotations.truncate(annotations.trim_end().len());
            annotations.push_str(if annotations.is_empty() { "" } else { gap });
        }
        let directives: String = directives.iter().map(|part| line(part)).collect();
        format!("{comments}{}{directives}{annotations}{}", block.get(..at)?, block.get(at..)?)
    };
    // The replacement may reach over the comment behind the unit.
    let end = replacement.range.end.max(unit.range.end);
    (composed != block).then(|| Candidate::new(unit.range.start..end, composed))
}

/// Whether a comment begins at an offset.
fn is_comment_at(text: &str, offset: usize, extension: &str, non_code: &NonCode) -> bool {
    let rest = text.get(offset..).unwrap_or_default();
    let is_attribute = matches!(extension, "php" | "phtml") && rest.starts_with("#[");
    !is_attribute && non_code.contains(offset) && COMMENT_STARTS.iter().any(|start| rest.starts_with(start))
}

/// Whether a code has more opening brackets than closing ones.
fn is_open(code: &str) -> bool {
    let count = |brackets: [char; 3]| code.chars().filter(|it| brackets.contains(it)).count();
    count(['(', '[', '{']) > count([')', ']', '}'])
}
