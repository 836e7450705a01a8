//! The sections of a text: a heading's declaration extends to the next heading that is not below it.

use crate::declaration::{Declaration, DeclarationKind};
use crate::outline::SyntaxOutline;

/// Extends the headings of an outline to their sections, and nests them by their levels. Grammars nest only some kinds of
/// heading.
pub(super) fn nest(outline: &mut SyntaxOutline, text: &str) {
    let mut open: Vec<(usize, usize)> = Vec::new();
    for index in 0..outline.declarations.len() {
        let Some(declaration) = outline.declarations.get(index).filter(|found| found.kind == DeclarationKind::Heading)
        else {
            continue;
        };
        let (level, start) = (level(declaration, text), declaration.range.start);
        while let Some((_, closed)) = open.pop_if(|(above, _)| *above >= level) {
            close(outline, closed, start, text);
        }
        if let Some(declaration) = outline.declarations.get_mut(index) {
            declaration.parent = open.last().map(|(_, parent)| *parent);
        }
        open.push((level, index));
    }
    for (_, closed) in open {
        close(outline, closed, text.len(), text);
    }
}

/// Returns the level of a heading, from 1 on: the number of `#` before it, or the kind of line below it.
fn level(heading: &Declaration, text: &str) -> usize {
    let heading = text.get(heading.range.clone()).unwrap_or_default();
    match heading.bytes().take_while(|byte| *byte == b'#').count() {
        0 if heading.ends_with('=') => 1,
        0 => 2,
        level => level,
    }
}

fn close(outline: &mut SyntaxOutline, index: usize, end: usize, text: &str) {
    if let Some(heading) = outline.declarations.get_mut(index) {
        let section = text.get(heading.range.end..end).unwrap_or_default();
        heading.range.end += section.trim_end().len();
    }
}
