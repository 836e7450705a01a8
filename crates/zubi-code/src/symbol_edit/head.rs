//! The comments and annotations of a replaced declaration: those that the new text does not replace stay.

use std::ops::Range;

use zubi_syntax::Declaration;

use super::check::find_declared;
use super::unit::SymbolUnit;
use super::{Candidate, ParsedText};

/// Returns the result with the comments and annotations that a replacement has lost. Returns `None` if it has lost none.
pub(super) fn with_kept_head(unit: &SymbolUnit<'_>, candidate: &Candidate, after: &ParsedText) -> Option<Candidate> {
    let (old, new) = (unit.first()?, find_declared(unit, candidate, after)?);
    let text = unit.text();
    let start = candidate.inserted.start;
    let block = candidate.replacements.first()?.text.as_str();
    let own_head = after.text.get(start..new.signature.start).unwrap_or_default();
    let has_doc = new.doc.as_ref().is_some_and(|doc| doc.start >= start && doc.end <= new.signature.start)
        || own_head.trim_start().starts_with('#') && unit.doc.as_ref().is_some_and(|doc| is_hash(text, doc.start));
    let has_annotations = new.range.start < new.signature.start && !only_doc(own_head, new, start);
    let old_head = text.get(old.range.start..old.signature.start).unwrap_or_default();
    let annotations = match &unit.doc {
        // A comment among the annotations.
        Some(doc) if doc.start > old.range.start => {
            let (from, to) = (doc.start - old.range.start, doc.end - old.range.start);
            format!("{}{}", old_head.get(..from)?, old_head.get(to..)?.trim_start())
        }
        _ => old_head.to_owned(),
    };
    let annotations = annotations.trim_end();
    let doc = unit.doc.as_ref().and_then(|doc| text.get(doc.clone()));
    let line = |text: &str| format!("{text}{}{}", unit.eol(), unit.indentation());
    let composed = match (has_doc, has_annotations) {
        (true, true) => return None,
        (false, false) => {
            let head = text.get(unit.range.start..old.signature.start).filter(|head| !head.trim().is_empty())?;
            format!("{head}{block}")
        }
        (true, false) => {
            let at = new.range.start.checked_sub(start).filter(|_| !annotations.is_empty())?;
            format!("{}{}{}", block.get(..at)?, line(annotations), block.get(at..)?)
        }
        (false, true) => format!("{}{block}", line(doc?)),
    };
    // The replacement may reach over the comment behind the unit.
    let end = candidate.replacements.first()?.range.end.max(unit.range.end);
    Some(Candidate::new(unit.range.start..end, composed))
}

/// Whether the part before a signature has nothing but the comments of its declaration.
fn only_doc(head: &str, declaration: &Declaration, start: usize) -> bool {
    let Some(doc) = declaration.doc.as_ref().filter(|doc| doc.end <= declaration.signature.start) else {
        return head.trim().is_empty();
    };
    let range = doc.start.max(start) - start..doc.end.max(start) - start;
    let rest = |range: Range<usize>| head.get(range).unwrap_or_default().trim().is_empty();
    rest(0..range.start) && rest(range.end..head.len())
}

fn is_hash(text: &str, offset: usize) -> bool {
    text.get(offset..).is_some_and(|rest| rest.starts_with('#'))
}
