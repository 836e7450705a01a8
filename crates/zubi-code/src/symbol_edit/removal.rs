//! The removal of a unit with its lines, its separator and the blank lines around it.

use super::blank_lines::{blank_above, blank_below};
use super::unit::{SymbolUnit, line_end, line_start, next_line};
use super::{Candidate, Replacement};

impl SymbolUnit<'_> {
    /// Returns the possible results of a removal, the most likely one first.
    pub(super) fn removals(&self, extension: &str) -> Vec<Candidate> {
        // A block of Python needs a statement.
        let needs_statement = extension.starts_with("py");
        if !self.has_own_lines() {
            let mut removals = vec![self.remove_in_line()];
            if needs_statement && self.follows_colon() {
                removals.push(Candidate::new(self.range.start..self.range.end, "pass".to_owned()));
            }
            return removals;
        }
        // The comma before the last element remains in some languages, and is an error in others.
        let is_last = self.separator.is_none_or(|(separator, _)| separator != ',');
        if let Some(comma) = self.comma_before().filter(|_| is_last) {
            return vec![self.remove_last_element(comma)];
        }
        let mut removals = vec![self.remove_lines("")];
        if needs_statement && self.is_python_block() {
            removals.insert(0, self.remove_lines("pass"));
        } else if needs_statement && self.follows_colon() {
            // The outline does not show where the block of a branch ends, so a removal alone is tried first.
            removals.push(self.remove_lines("pass"));
        }
        removals
    }

    /// Whether the unit is the first statement after a colon, or after comments behind it.
    fn follows_colon(&self) -> bool {
        opens_block(self.text().get(..self.range.start).unwrap_or_default())
    }

    /// Whether the unit is the only statement of a block that begins with a colon.
    fn is_python_block(&self) -> bool {
        let Some(parent) = self.first().and_then(|first| first.parent).and_then(|it| self.declarations().get(it))
        else {
            return false;
        };
        let before = self.text().get(parent.name_range.end..self.range.start).unwrap_or_default();
        let after = self.text().get(self.end()..parent.range.end.max(self.end())).unwrap_or_default();
        opens_block(before) && after.lines().all(is_comment)
    }

    fn remove_lines(&self, instead: &str) -> Candidate {
        let text = self.text();
        let start = line_start(text, self.range.start);
        let end = next_line(text, self.end());
        if !instead.is_empty() {
            let at = start + self.indentation().len();
            return Candidate::new(at..line_end(text, self.end()), instead.to_owned());
        }
        let ((above, before), (below, after)) = (blank_above(text, start), blank_below(text, end));
        let previous = text.get(..above).unwrap_or_default().trim_end();
        let next = text.get(below..).unwrap_or_default().lines().next().unwrap_or_default();
        let width = next.len() - next.trim_start().len();
        let is_first = previous.is_empty() || previous.ends_with(['{', '(', '[', ':']);
        let is_last = next.is_empty()
            || next.trim_start().starts_with(['}', ')', ']'])
            || width < self.indentation().len()
            || next.trim() == "end";
        let blank = match (is_first, is_last) {
            (true, true) => 0,
            (true, false) => before,
            (false, true) => after,
            (false, false) => before.max(after),
        };
        let mut range = above..below;
        let mut kept = self.eol().repeat(blank);
        if below == text.len() && !text.ends_with('\n') {
            // The text ends without a line ending before and after the removal.
            range.start = previous.len();
            kept = String::new();
        }
        Candidate::new(range, kept)
    }

    /// Removes the last element of a list with its comment. The end of the list takes the place of the comma before it, which
    /// a comment may follow: `let a, // one` above `b; // two` becomes `let a; // one`.
    fn remove_last_element(&self, comma: usize) -> Candidate {
        let text = self.text();
        let content = text.get(..self.range.start).unwrap_or_default().trim_end().len();
        let from = content.max(comma + 1);
        let end = self.separator.map(|(mark, _)| String::from(mark)).unwrap_or_default();
        let at = from - 1 + end.len();
        // The comment behind the end of the list stays there, unless the element before has one.
        let to = if self.separator.is_none() || from > comma + 1 { line_end(text, self.end()) } else { self.end() };
        let replacements = vec![
            Replacement { range: comma..comma + 1, text: end },
            Replacement { range: from..to, text: String::new() },
        ];
        Candidate { replacements, inserted: at..at }
    }

    fn remove_in_line(&self) -> Candidate {
        let text = self.text();
        match (self.separator, self.comma_before()) {
            (Some((',', _)), _) | (_, None) => {
                let rest = text.get(self.end()..line_end(text, self.end())).unwrap_or_default();
                let spaces = rest.len() - rest.trim_start().len();
                // The white space before the last code of a line goes with it.
                let is_line_end = rest.trim().is_empty();
                let before = text.get(..self.range.start).unwrap_or_default();
                let start = if is_line_end { before.trim_end_matches([' ', '\t']).len() } else { before.len() };
                Candidate::new(start..self.end() + spaces, String::new())
            }
            (_, Some(comma)) => Candidate::new(comma..self.range.end, String::new()),
        }
    }
}

fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// Whether the last code of a text in Python ends with a colon.
fn opens_block(text: &str) -> bool {
    let header = text.lines().rev().find(|line| !is_comment(line)).unwrap_or_default();
    header.split(" #").next().is_some_and(|code| code.trim_end().ends_with(':'))
}
