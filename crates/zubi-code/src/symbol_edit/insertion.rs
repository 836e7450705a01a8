//! The places of a given text: instead of a unit, before it or after it.

use super::blank_lines::{blank_above, blank_below};
use super::unit::{COMMENT_STARTS, SymbolUnit, has_only_comments, line_end, line_start, next_line};
use super::{Candidate, RejectedEdit, Replacement, SymbolAction};
use crate::lexical::NonCode;

/// A given text with its indentation, and the comment behind its last code.
pub(super) struct GivenText<'a> {
    pub(super) text: &'a str,
    /// The start of the comment; the end of the text if it has none.
    comment_start: usize,
    /// The lines after the text that have only comments.
    trailing: &'a str,
}

impl<'a> GivenText<'a> {
    /// Finds the comment in the last line. `extension` is that of the file.
    pub(super) fn new(text: &'a str, extension: &str) -> Self {
        let comments = NonCode::scan(text, extension);
        let (text, trailing) = text.split_at(code_lines_end(text, &comments));
        let line = line_start(text, text.len());
        let is_comment = |at: &usize| {
            let (before, rest) = (text.get(line..*at).unwrap_or_default(), text.get(*at..).unwrap_or_default());
            let begins = COMMENT_STARTS.iter().any(|start| rest.starts_with(start));
            begins && before.ends_with([' ', '\t']) && !before.trim().is_empty() && comments.contains(*at)
        };
        let comment = text.char_indices().map(|(at, _)| at).filter(|at| *at >= line).find(is_comment);
        Self { text, comment_start: comment.unwrap_or(text.len()), trailing }
    }

    /// Whether the text may have a separator at its end: it is not only comments, and does not end with a directive of the
    /// preprocessor.
    fn is_separable(&self) -> bool {
        let lines: Vec<&str> = self.text.lines().collect();
        let continued = lines.iter().rev().skip(1).take_while(|line| line.ends_with('\\')).count();
        let last = lines.len().checked_sub(1 + continued).and_then(|at| lines.get(at));
        !has_only_comments(self.text) && !last.is_some_and(|line| is_directive(line))
    }

    /// Returns the text before the comment, without the white space between.
    fn code(&self) -> &'a str {
        self.text.get(..self.comment_start).unwrap_or_default().trim_end()
    }

    /// Returns the comment.
    fn comment(&self) -> &'a str {
        self.text.get(self.comment_start..).unwrap_or_default()
    }

    /// Returns the comment with the white space before it.
    fn tail(&self) -> &'a str {
        self.text.get(self.code().len()..).unwrap_or_default()
    }
}

/// Returns the end of the last line of a text that has code; the whole length if none has.
fn code_lines_end(text: &str, comments: &NonCode) -> usize {
    let mut end = text.len();
    loop {
        let start = line_start(text, end);
        let line = text.get(start..end).unwrap_or_default();
        let at = start + line.len() - line.trim_start().len();
        let is_comment = COMMENT_STARTS.iter().any(|it| line.trim_start().starts_with(it)) && comments.contains(at);
        if !line.trim().is_empty() && !is_comment {
            return end;
        }
        match start.checked_sub(1) {
            Some(before) => end = before,
            None => return text.len(),
        }
    }
}

/// The directives of the preprocessors of C and C#.
const DIRECTIVES: [&str; 15] = [
    "define",
    "elif",
    "else",
    "endif",
    "endregion",
    "error",
    "if",
    "ifdef",
    "ifndef",
    "include",
    "line",
    "pragma",
    "region",
    "undef",
    "warning",
];

/// Whether a line is a directive of the preprocessor.
fn is_directive(line: &str) -> bool {
    let word = line.trim_start().strip_prefix('#').map(str::trim_start);
    let word = word.and_then(|rest| rest.split(|it: char| !it.is_ascii_alphabetic()).next());
    word.is_some_and(|word| DIRECTIVES.contains(&word))
}

impl SymbolUnit<'_> {
    /// Returns the possible results of an action with a block, the most likely one first. The block is indented except for
    /// its first line, and has `\n` as its line ending.
    pub(super) fn insertions(
        &self,
        action: SymbolAction,
        block: &GivenText<'_>,
    ) -> Result<Vec<Candidate>, RejectedEdit> {
        if action == SymbolAction::Replace {
            return Ok(vec![self.replacement(block)]);
        }
        if self.has_own_lines() {
            return Ok(self.separators().into_iter().map(|it| self.insert_lines(action, block, it)).collect());
        }
        if block.text.contains('\n') || !block.comment().is_empty() || !block.trailing.is_empty() {
            return Err(self.shared_line("insert lines beside"));
        }
        let block = block.text;
        let separators = self.line_separators(action, block);
        Ok(separators.into_iter().map(|separator| self.insert_in_line(action, block, separator)).collect())
    }

    /// Returns the separators that may be necessary between the unit and another element in one line: none between functions
    /// with bodies, `;` between fields. The check of the result selects one. A comma is the last, because it also continues
    /// an expression.
    fn line_separators(&self, action: SymbolAction, block: &str) -> Vec<Option<char>> {
        let mut separators = self.separators();
        if self.separator.is_some_and(|(separator, _)| separator == ',') {
            // Another separator would divide the list: `const a = 1; b = 2` for `const a = 1, b = 2`.
            return vec![Some(',')];
        }
        if !self.is_list_element() {
            separators.retain(|separator| *separator != Some(','));
        }
        for separator in [None, Some(';'), Some(',')] {
            if !separators.contains(&separator) {
                separators.push(separator);
            }
        }
        // Otherwise the two would be one statement, which some grammars accept.
        let own = self.text().get(..self.end()).unwrap_or_default();
        let first = if action == SymbolAction::InsertBefore { block } else { own };
        separators.retain(|separator| separator.is_some() || first.trim_end().ends_with(['}', '>', ';']));
        separators
    }

    fn replacement(&self, block: &GivenText<'_>) -> Candidate {
        let mut code = block.code();
        if let Some(rest) = self.separator.and_then(|(separator, _)| code.strip_suffix(separator)) {
            code = rest.trim_end();
        } else if self.separator.is_none() && self.comma_before().is_some() {
            code = code.strip_suffix(',').unwrap_or(code);
        }
        // The macros before the unit in its line stay.
        let prefix = self.line_prefix().trim_end();
        let is_repeated = !prefix.is_empty() && self.begins_line();
        code = code.strip_prefix(prefix).filter(|_| is_repeated).map_or(code, str::trim_start);
        if !block.trailing.is_empty() && self.ends_line() {
            // The separator stays behind the code.
            let end = line_end(self.text(), self.end());
            let separator = self.text().get(self.range.end..self.end()).unwrap_or_default();
            let behind = self.text().get(self.end()..end).filter(|_| block.comment().is_empty()).unwrap_or_default();
            let text = format!("{code}{separator}{}{behind}{}", block.tail(), block.trailing);
            return Candidate::new(self.range.start..end, self.with_eol(&text));
        }
        if block.comment().is_empty() || !self.ends_line() {
            return Candidate::new(
                self.range.clone(),
                self.with_eol(&format!("{code}{}{}", block.tail(), block.trailing)),
            );
        }
        // The comment of the text replaces the one behind the unit, and the separator stays before it.
        let separator = self.text().get(self.range.end..self.end()).unwrap_or_default();
        let end = line_end(self.text(), self.end());
        Candidate::new(self.range.start..end, self.with_eol(&format!("{code}{separator}{}", block.tail())))
    }

    /// Returns the separators that may be necessary between the unit and another element.
    fn separators(&self) -> Vec<Option<char>> {
        match self.separator {
            Some((',', _)) => vec![Some(',')],
            _ if self.is_list_element() => vec![Some(','), None],
            Some((separator, _)) => vec![Some(separator), None],
            None => vec![None, Some(',')],
        }
    }

    fn insert_lines(&self, action: SymbolAction, given: &GivenText<'_>, separator: Option<char>) -> Candidate {
        let (text, eol) = (self.text(), self.eol());
        let block = given.code();
        let separator = separator.filter(|_| given.is_separable());
        let blank_lines = self.blank_lines(block.contains('\n'));
        let blank = eol.repeat(blank_lines);
        // A long declaration between short ones is apart from both.
        let missing = |beside: bool, present: usize| {
            let is_missing = beside && block.contains('\n');
            eol.repeat(if is_missing { blank_lines.saturating_sub(present) } else { 0 })
        };
        let is_last = separator == Some(',') && self.separator.is_none_or(|(own, _)| own != ',');
        // The end of a list, which stays behind the new element: `B;` in an enum of Java.
        let list_end = self.separator.map(|(own, _)| own).filter(|_| is_last && action == SymbolAction::InsertAfter);
        let own_mark = list_end.or(separator);
        let bare = own_mark.and_then(|it| block.strip_suffix(it)).unwrap_or(block);
        // A closing brace ends a declaration by itself: `}` in a class of JavaScript.
        let needs = |it: &char| *it == ',' || !bare.ends_with('}');
        let ended = match separator.filter(needs) {
            Some(it) if !(is_last && action == SymbolAction::InsertAfter) => format!("{bare}{it}{}", given.tail()),
            Some(_) => format!("{bare}{}{}", list_end.map(String::from).unwrap_or_default(), given.tail()),
            None => given.text.to_owned(),
        };
        let block = self.with_eol(&format!("{ended}{}", given.trailing));
        let indentation = if is_directive(&block) { "" } else { self.indentation() };
        if action == SymbolAction::InsertBefore {
            let at = line_start(text, self.range.start);
            let above = missing(self.follows_sibling(), blank_above(text, at).1);
            let before = above.len() + indentation.len();
            let inserted = at + before..at + before + block.len();
            let text = format!("{above}{indentation}{block}{eol}{blank}");
            return Candidate { replacements: vec![Replacement { range: at..at, text }], inserted };
        }
        let line = format!("{eol}{blank}{indentation}{block}");
        let (end, before) = (self.range.end, line.len() - block.len());
        if !is_last {
            let at = line_end(text, self.end());
            let below = missing(self.precedes_sibling(), blank_below(text, next_line(text, at)).1);
            let line = format!("{line}{below}");
            let inserted = at + before..at + before + block.len();
            return Candidate { replacements: vec![Replacement { range: at..at, text: line }], inserted };
        }
        let at = line_end(text, self.end());
        let moved = self.end() - end;
        let inserted = at + 1 + before - moved..at + 1 + before - moved + block.len();
        let replacements = vec![
            Replacement { range: end..self.end(), text: ",".to_owned() },
            Replacement { range: at..at, text: line },
        ];
        Candidate { replacements, inserted }
    }

    /// Whether only blank lines are between the previous sibling and the unit.
    fn follows_sibling(&self) -> bool {
        self.previous().is_some_and(|it| self.is_blank(it.range.end..self.range.start))
    }

    /// Whether only blank lines are between the unit and the next sibling.
    fn precedes_sibling(&self) -> bool {
        let next = self.siblings().map(|(_, it)| it).find(|it| it.range.start >= self.end());
        next.is_some_and(|it| {
            self.is_blank(self.end()..it.doc.as_ref().map_or(it.range.start, |doc| doc.start.min(it.range.start)))
        })
    }

    fn insert_in_line(&self, action: SymbolAction, block: &str, separator: Option<char>) -> Candidate {
        let block = separator.map_or(block, |it| block.strip_suffix(it).unwrap_or(block));
        let mark = separator.map(String::from).unwrap_or_default();
        let (at, before, after) = match (action, self.separator) {
            (SymbolAction::InsertBefore, _) => (self.range.start, String::new(), format!("{mark} ")),
            (_, Some((own, end))) if separator.is_none_or(|it| it == own) => (end, " ".to_owned(), mark),
            _ => (self.range.end, format!("{mark} "), String::new()),
        };
        let inserted = at + before.len()..at + before.len() + block.len();
        Candidate {
            replacements: vec![Replacement { range: at..at, text: format!("{before}{block}{after}") }],
            inserted,
        }
    }

    /// Converts the line endings of a block to those of the text.
    pub(super) fn with_eol(&self, block: &str) -> String {
        if self.is_crlf { block.replace('\n', "\r\n") } else { block.to_owned() }
    }
}
