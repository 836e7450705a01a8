//! The comments and annotations of a replaced declaration: those that the new text does not replace stay.

use super::check::find_declared;
use super::unit::{COMMENT_STARTS, SymbolUnit, line_end, line_start};
use super::{Candidate, ParsedText};
use crate::lexical::NonCode;

/// The comments and the annotations before a signature, in the order of the text.
#[derive(Debug, Default, PartialEq, Eq)]
struct HeadParts<'t> {
    comments: Vec<&'t str>,
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
            // The line is in a string, or in brackets.
            let is_open = line_start(head, start).checked_sub(1).is_some_and(|line_end| non_code.contains(line_end))
                || annotation.is_some_and(|from| is_open(blanked.get(from..start).unwrap_or_default()));
            if is_open || !begins_comment(head, start, &non_code) {
                annotation.get_or_insert(start);
                at = line;
                continue;
            }
            parts.annotations.extend(annotation.take().and_then(|from| head.get(from..at)));
            let block = head.get(start..).filter(|rest| rest.starts_with("/*")).and_then(|rest| rest.find("*/"));
            at = block.map_or(line, |end| start + end + "*/".len());
            parts.comments.extend(head.get(start..at));
        }
        parts.annotations.extend(annotation.and_then(|from| head.get(from..at)));
        parts
    }
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
    let lines = |parts: &[&str]| {
        let line = |part: &&str| format!("{part}{}{}", unit.eol(), unit.indentation());
        parts.iter().map(line).collect::<String>()
    };
    let composed = match (own.comments.is_empty(), own.annotations.is_empty()) {
        (false, false) => return None,
        (true, true) => format!("{head}{block}"),
        (false, true) => {
            let at = new.range.start.checked_sub(start)?;
            format!("{}{}{}", block.get(..at)?, lines(&kept.annotations), block.get(at..)?)
        }
        (true, false) => format!("{}{block}", lines(&kept.comments)),
    };
    // The replacement may reach over the comment behind the unit.
    let end = replacement.range.end.max(unit.range.end);
    (composed != block).then(|| Candidate::new(unit.range.start..end, composed))
}

/// Whether a comment begins at an offset.
fn begins_comment(text: &str, offset: usize, non_code: &NonCode) -> bool {
    let rest = text.get(offset..).unwrap_or_default();
    non_code.contains(offset) && COMMENT_STARTS.iter().any(|start| rest.starts_with(start))
}

/// Whether a code has more opening brackets than closing ones.
fn is_open(code: &str) -> bool {
    let count = |brackets: [char; 3]| code.chars().filter(|it| brackets.contains(it)).count();
    count(['(', '[', '{']) > count([')', ']', '}'])
}
