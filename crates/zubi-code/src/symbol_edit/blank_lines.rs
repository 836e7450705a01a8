//! The blank lines between declarations.

use zubi_syntax::Declaration;

use super::unit::{SymbolUnit, line_start, next_line};

/// The maximum number of blank lines that an insertion adds.
const MAX_BLANK: usize = 3;

impl SymbolUnit<'_> {
    /// Returns the number of blank lines between the unit and a declaration beside it: as between the other declarations of
    /// the scope, else as usual in the language.
    pub(super) fn blank_lines(&self, is_multi_line: bool) -> usize {
        let is_spaced = is_multi_line || self.is_multi_line();
        let mut counts = [0_usize; MAX_BLANK + 1];
        let parent = self.first().and_then(|first| first.parent);
        let mut scope: Vec<&Declaration> = self.declarations().iter().filter(|it| it.parent == parent).collect();
        scope.sort_by_key(|it| it.range.start);
        for pair in scope.windows(2) {
            let [one, next] = pair else { continue };
            let is_long = |it: &Declaration| self.text().get(it.range.clone()).is_some_and(|text| text.contains('\n'));
            if (is_long(one) || is_long(next)) != is_spaced {
                continue;
            }
            if let Some(slot) = self.blank_between(one, next).and_then(|count| counts.get_mut(count.min(MAX_BLANK))) {
                *slot += 1;
            }
        }
        let usual = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count).filter(|(_, count)| **count > 0);
        usual.map_or_else(|| usize::from(is_spaced), |(blank, _)| blank)
    }

    /// Counts the blank lines between two declarations; `None` if there is other code between them.
    fn blank_between(&self, one: &Declaration, next: &Declaration) -> Option<usize> {
        let start = next.doc.as_ref().map_or(next.range.start, |doc| doc.start.min(next.range.start));
        let between = self.text().get(one.range.end..start)?;
        let code = between.trim_matches(|it: char| it.is_whitespace() || it == ',' || it == ';');
        code.is_empty().then(|| between.matches('\n').count().saturating_sub(1))
    }
}

/// Returns the start of the blank lines directly above an offset at the start of a line, and their number.
pub(super) fn blank_above(text: &str, offset: usize) -> (usize, usize) {
    let (mut start, mut count) = (offset, 0);
    while start > 0 {
        let above = line_start(text, start - 1);
        if !text.get(above..start).unwrap_or_default().trim().is_empty() {
            break;
        }
        (start, count) = (above, count + 1);
    }
    (start, count)
}

/// Returns the end of the blank lines from an offset at the start of a line, and their number.
pub(super) fn blank_below(text: &str, offset: usize) -> (usize, usize) {
    let (mut end, mut count) = (offset, 0);
    while end < text.len() {
        let next = next_line(text, end);
        if !text.get(end..next).unwrap_or_default().trim().is_empty() {
            break;
        }
        (end, count) = (next, count + 1);
    }
    (end, count)
}
