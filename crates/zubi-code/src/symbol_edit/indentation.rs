//! The indentation of a given text at its place.

use std::ops::Range;
use std::sync::Arc;

use zubi_syntax::{SyntaxLanguage, TextExtent};

use super::RejectedEdit;
use super::unit::SymbolUnit;
use crate::syntax::SyntaxParser;

/// The width of a level if the texts do not show it.
const DEFAULT_UNIT: usize = 4;

/// The maximum width of a level.
const MAX_UNIT: usize = 8;

/// The beginnings of the comments and annotations before a declaration, in all languages.
const HEAD_STARTS: &[&str] = &["/", "#", "@", "[", "--"];

/// A given text without the blank lines around it, with `\n` as its line ending.
pub(super) struct Fragment {
    text: String,
    /// The strings whose lines must stay as they are.
    strings: Vec<Range<usize>>,
    /// Whether the language has preprocessor directives.
    has_directives: bool,
}

/// A line of a text.
struct Line<'a> {
    text: &'a str,
    /// Whether the line begins in a string, so that its white space belongs to the string, or is a directive of C in the first
    /// column.
    is_frozen: bool,
}

impl Fragment {
    /// Parses a given text in the language of a file.
    pub(super) async fn parse(parser: &dyn SyntaxParser, file_name: &str, given: &str) -> Result<Self, RejectedEdit> {
        let unified = given.replace("\r\n", "\n");
        let is_blank = |line: &&str| line.trim().is_empty();
        let blank: usize = unified.split_inclusive('\n').take_while(is_blank).map(str::len).sum();
        let text = unified.get(blank..).unwrap_or_default().trim_end();
        if text.is_empty() {
            return Err(RejectedEdit::new("the text is empty", "Pass the new source, or action: \"delete\"."));
        }
        let shared: Arc<str> = text.into();
        let layout = parser.layout(file_name, TextExtent::Fragment, &shared).await;
        // A text that cannot be parsed by itself is rejected with the whole file.
        let strings = layout.map(|layout| layout.strings).unwrap_or_default();
        let language = SyntaxLanguage::from_file_name(file_name).map(|language| language.id);
        let has_directives = matches!(language, Some("c" | "cpp" | "csharp"));
        Ok(Self { text: text.to_owned(), strings, has_directives })
    }

    fn lines(&self) -> Vec<Line<'_>> {
        let mut offset = 0;
        let mut lines = Vec::new();
        for text in self.text.split('\n') {
            let is_frozen = self.strings.iter().any(|string| string.start < offset && offset < string.end)
                || self.has_directives && offset > 0 && text.starts_with('#');
            lines.push(Line { text, is_frozen });
            offset += text.len() + 1;
        }
        lines
    }

    /// Returns the text with the indentation of a unit, the most likely reading of its own indentation first. The first line
    /// has none.
    pub(super) fn layouts(&self, unit: &SymbolUnit<'_>) -> Vec<String> {
        let target = unit.indentation();
        let lines = self.lines();
        let reindented = self.reindent(&lines, target, unit.text());
        let Some(detached) = keep_lines(&lines, target) else { return vec![reindented] };
        if prefers_detached(&lines, target, unit_width(unit.text())) {
            vec![detached, reindented]
        } else {
            vec![reindented, detached]
        }
    }

    /// Replaces the indentation that all lines share by the target.
    fn reindent(&self, lines: &[Line<'_>], target: &str, file: &str) -> String {
        let indented = || lines.iter().filter(|line| !line.is_frozen && !line.text.trim().is_empty());
        let mut common = indented().next().map_or("", |line| indentation_of(line.text));
        for line in indented() {
            let shared = common.bytes().zip(line.text.bytes()).take_while(|(one, other)| one == other).count();
            common = common.get(..shared).unwrap_or_default();
        }
        let relative = || indented().filter_map(|line| line.text.strip_prefix(common)).map(indentation_of);
        let convert = Conversion::new(relative(), file);
        let mut text = String::with_capacity(self.text.len());
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                text.push('\n');
            }
            match line.text.strip_prefix(common) {
                Some(rest) if !line.is_frozen => {
                    if number > 0 && !rest.trim().is_empty() {
                        text.push_str(target);
                    }
                    if !rest.trim().is_empty() {
                        convert.push_line(&mut text, rest);
                    }
                }
                _ => text.push_str(line.text),
            }
        }
        text
    }
}

/// Returns the text as it is, if only its first line lost its indentation.
fn keep_lines(lines: &[Line<'_>], target: &str) -> Option<String> {
    let (first, others) = lines.split_first()?;
    let is_in_place = |line: &Line<'_>| line.is_frozen || line.text.trim().is_empty() || line.text.starts_with(target);
    if target.is_empty() || !indentation_of(first.text).is_empty() || !others.iter().all(is_in_place) {
        return None;
    }
    Some(lines.iter().map(|line| line.text).collect::<Vec<_>>().join("\n"))
}

/// Whether the lines after the first one are likely indented as in the file already.
fn prefers_detached(lines: &[Line<'_>], target: &str, unit: usize) -> bool {
    let others = || lines.iter().skip(1).filter(|line| !line.is_frozen && !line.text.trim().is_empty());
    let Some(least) = others().map(|line| width(indentation_of(line.text))).min() else { return false };
    let Some(last) = others().next_back() else { return false };
    let is_head = lines.first().is_some_and(|line| HEAD_STARTS.iter().any(|start| line.text.starts_with(start)));
    let second = others().next().map_or(0, |line| width(indentation_of(line.text)));
    // A declaration has the indentation of its comments and annotations; ` * ` continues a comment.
    if is_head && (second == width(target) || second == width(target) + 1) {
        return true;
    }
    let is_closer = last.text.trim_start().starts_with(['}', ')', ']']) || last.text.trim_start().starts_with("end");
    let target = width(target);
    if is_closer { width(indentation_of(last.text)) == target } else { least > target && least != unit }
}

fn indentation_of(line: &str) -> &str {
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

/// Returns the width of an indentation, a tab being one level.
fn width(indentation: &str) -> usize {
    indentation.chars().map(|it| if it == '\t' { DEFAULT_UNIT } else { 1 }).sum()
}

/// Returns the smallest indentation of a text by spaces.
fn unit_width(text: &str) -> usize {
    let widths = text.lines().filter(|line| !line.trim().is_empty()).map(indentation_of);
    let spaces = widths.filter(|it| !it.contains('\t')).map(str::len).filter(|width| (2..=MAX_UNIT).contains(width));
    spaces.min().unwrap_or(DEFAULT_UNIT)
}

/// The conversion of a text's indentation to that of the file.
enum Conversion {
    None,
    /// From levels of so many spaces.
    ToTabs(usize),
    /// To levels of so many spaces.
    ToSpaces(usize),
}

impl Conversion {
    /// Compares the indentations of a text with those of the file.
    fn new<'t>(indentations: impl Iterator<Item = &'t str>, file: &str) -> Self {
        let own: Vec<&str> = indentations.filter(|it| !it.is_empty()).collect();
        let tabs = file.lines().filter(|line| line.starts_with('\t')).count();
        let spaces = file.lines().filter(|line| line.starts_with("  ")).count();
        let (has_tabs, has_spaces) = (own.iter().any(|it| it.contains('\t')), own.iter().any(|it| it.contains(' ')));
        if tabs > spaces && has_spaces && !has_tabs {
            let level = own.iter().map(|it| it.len()).filter(|width| (2..=MAX_UNIT).contains(width)).min();
            return Self::ToTabs(level.unwrap_or(DEFAULT_UNIT));
        }
        if spaces > tabs && has_tabs && !has_spaces {
            return Self::ToSpaces(unit_width(file));
        }
        Self::None
    }

    fn push_line(&self, text: &mut String, line: &str) {
        let indentation = indentation_of(line);
        let rest = line.get(indentation.len()..).unwrap_or_default();
        match self {
            Self::None => text.push_str(indentation),
            Self::ToTabs(level) => {
                text.extend(std::iter::repeat_n('\t', indentation.len() / level));
                text.extend(std::iter::repeat_n(' ', indentation.len() % level));
            }
            Self::ToSpaces(level) => text.extend(std::iter::repeat_n(' ', indentation.len() * level)),
        }
        text.push_str(rest);
    }
}
