//! The extent of a declaration in its text: its comments, annotations, separator and lines.

use std::ops::Range;

use zubi_syntax::{Declaration, DeclarationKind};

use super::directives::without_directives;
use super::{ParsedText, RejectedEdit};

/// The beginnings of comments that may follow a declaration in its line, in all languages.
pub(super) const COMMENT_STARTS: &[&str] = &["//", "#", "/*", "--", "%", "<!--"];

/// A declaration, or the overloads of one name, with everything that belongs to it. Ranges are in bytes.
#[derive(Debug)]
pub(crate) struct SymbolUnit<'a> {
    pub(super) parsed: &'a ParsedText,
    /// The indices of the declarations, ascending: more than one for overloads.
    pub(super) indices: Vec<usize>,
    /// From the first comment or annotation to the end of the declaration.
    pub(super) range: Range<usize>,
    /// The comments directly before the range that belong to no declaration.
    directives: Range<usize>,
    /// The first declaration without its comments.
    pub(super) declared: Range<usize>,
    /// The separator after the declaration, `,` or `;`, and its end.
    pub(super) separator: Option<(char, usize)>,
    /// Whether the language ends lines with a carriage return and a line feed here.
    pub(super) is_crlf: bool,
}

impl<'a> SymbolUnit<'a> {
    /// Returns the unit of declarations by their indices, which must not be empty.
    pub(crate) fn new(parsed: &'a ParsedText, indices: Vec<usize>) -> Option<Self> {
        let declarations = &parsed.outline.declarations;
        let mut indices: Vec<usize> = indices.into_iter().map(|index| whole_declaration(declarations, index)).collect();
        indices.sort_unstable();
        indices.dedup();
        let (first, last) = (declarations.get(*indices.first()?)?, declarations.get(*indices.last()?)?);
        let text = &*parsed.text;
        let doc = match &first.doc {
            Some(doc) if doc.end <= first.signature.start => Some(doc.clone()),
            // A documentation string is in the body; comments may be above as well.
            Some(_) => comments_above(text, first.range.start),
            None => None,
        };
        let all = doc.clone();
        let doc = doc.and_then(|doc| without_directives(text, doc));
        let start = doc.as_ref().map_or(first.range.start, |doc| doc.start.min(first.range.start));
        Some(Self {
            directives: all.map_or(start..start, |all| all.start.min(start)..start),
            range: start..last.range.end.max(first.range.end),
            declared: first.range.clone(),
            separator: separator_after(text, last.range.end),
            is_crlf: text.matches("\r\n").count() * 2 > text.matches('\n').count(),
            parsed,
            indices,
        })
    }

    /// Returns the range from the first comment or annotation to the end of the declaration.
    pub(crate) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns a given text without the code around the unit that it repeats: the rest of the lines of the unit, and the
    /// comments before it that belong to no declaration. A reader of the unit is shown whole lines.
    pub(super) fn without_surroundings<'g>(&self, given: &'g str) -> &'g str {
        let mut given = given;
        let excluded = self.text().get(self.directives.clone()).unwrap_or_default();
        let mut rest = given.trim_start();
        let mut lines = excluded.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
        if lines.peek().is_some()
            && lines.all(|line| rest.strip_prefix(line).map(|after| rest = after.trim_start()).is_some())
        {
            given = rest;
        }
        if self.has_own_lines() {
            return given;
        }
        let before = self.line_prefix().trim();
        let behind = self.text().get(self.range.end..line_end(self.text(), self.range.end)).unwrap_or_default().trim();
        let inner = given.trim().strip_prefix(before).and_then(|rest| rest.strip_suffix(behind));
        inner.map(str::trim).filter(|inner| !inner.is_empty()).unwrap_or(given)
    }

    pub(super) fn text(&self) -> &'a str {
        &self.parsed.text
    }

    pub(super) fn declarations(&self) -> &'a [Declaration] {
        &self.parsed.outline.declarations
    }

    /// Returns the first of the declarations.
    pub(super) fn first(&self) -> Option<&'a Declaration> {
        self.declarations().get(*self.indices.first()?)
    }

    /// Returns the end of the unit with its separator.
    pub(super) fn end(&self) -> usize {
        self.separator.map_or(self.range.end, |(_, end)| end)
    }

    /// Returns the line ending of the text.
    pub(super) fn eol(&self) -> &'static str {
        if self.is_crlf { "\r\n" } else { "\n" }
    }

    /// Returns the indentation of the line in which the unit begins.
    pub(super) fn indentation(&self) -> &'a str {
        let line = self.text().get(line_start(self.text(), self.range.start)..self.range.start).unwrap_or_default();
        let width = line.len() - line.trim_start_matches([' ', '\t']).len();
        line.get(..width).unwrap_or_default()
    }

    /// Whether only white space and macros of C precede the unit in its line: `STATIC int f(void)`.
    pub(super) fn begins_line(&self) -> bool {
        let is_part = |it: char| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_';
        self.line_prefix().split_whitespace().all(|word| word.len() > 2 && word.chars().all(is_part))
    }

    /// Returns the text before the unit in its line, without the indentation.
    pub(super) fn line_prefix(&self) -> &'a str {
        let start = line_start(self.text(), self.range.start);
        self.text().get(start..self.range.start).unwrap_or_default().trim_start()
    }

    /// Whether only a comment follows the unit in its line.
    pub(super) fn ends_line(&self) -> bool {
        let rest = self.text().get(self.end()..line_end(self.text(), self.end())).unwrap_or_default().trim();
        rest.is_empty() || COMMENT_STARTS.iter().any(|start| rest.starts_with(start))
    }

    /// Whether the unit has its lines for itself.
    pub(super) fn has_own_lines(&self) -> bool {
        self.begins_line() && self.ends_line()
    }

    /// Whether the unit spans several lines.
    pub(super) fn is_multi_line(&self) -> bool {
        self.text().get(self.declared.start..self.range.end).unwrap_or_default().contains('\n')
    }

    /// Returns the declarations with the same parent, except those of the unit, in the order of the text.
    pub(super) fn siblings(&self) -> impl Iterator<Item = (usize, &'a Declaration)> {
        let parent = self.first().and_then(|first| first.parent);
        let all = self.declarations().iter().enumerate();
        all.filter(move |(index, it)| it.parent == parent && !self.indices.contains(index))
    }

    /// Returns the sibling before the unit.
    pub(super) fn previous(&self) -> Option<&'a Declaration> {
        self.siblings().map(|(_, it)| it).take_while(|it| it.range.end <= self.range.start).last()
    }

    /// Returns the position of the comma before the unit, if only white space and comments are between them. The element
    /// before the comma may be no declaration: `...base` in an object of JavaScript.
    pub(super) fn comma_before(&self) -> Option<usize> {
        let direct = self.text().get(..self.range.start)?.trim_end();
        let line = direct.get(line_start(direct, direct.len())..)?;
        // Also not in a string that looks like a comment: then the comma stays, which most languages allow.
        let has_comment = COMMENT_STARTS.iter().any(|start| line.contains(start));
        if direct.ends_with(',') && !has_comment {
            return Some(direct.len() - 1);
        }
        let previous = self.previous()?;
        let between = self.text().get(previous.range.end..self.range.start)?;
        let at = previous.range.end + between.len() - between.trim_start().len();
        let rest = self.text().get(at..self.range.start)?.strip_prefix(',')?;
        has_only_comments(rest).then_some(at)
    }

    /// Whether only white space and separators are between the declarations of the unit, so that it has no other code.
    pub(crate) fn is_contiguous(&self) -> bool {
        let declarations: Vec<&Declaration> =
            self.indices.iter().filter_map(|index| self.declarations().get(*index)).collect();
        declarations.windows(2).all(|pair| {
            let [one, next] = pair else { return true };
            let start = next.doc.as_ref().map_or(next.range.start, |doc| doc.start.min(next.range.start));
            self.is_blank(one.range.end..start.max(one.range.end))
        })
    }

    /// Whether a range has only white space and separators.
    pub(super) fn is_blank(&self, range: Range<usize>) -> bool {
        let is_space = |it: char| it.is_whitespace() || it == ',' || it == ';';
        self.text().get(range).is_some_and(|between| between.chars().all(is_space))
    }

    /// Returns the name of the unit.
    pub(super) fn name(&self) -> &'a str {
        self.first().map_or("", |first| first.name.as_str())
    }

    /// Returns a variable or constant that a comma joins with the unit, which is one as well: `const a = 1, b = 2`.
    pub(super) fn joined_by_comma(&self) -> Option<&'a str> {
        let is_value = |it: &Declaration| matches!(it.kind, DeclarationKind::Variable | DeclarationKind::Constant);
        self.first().filter(|first| is_value(first))?;
        let is_next = |it: &&Declaration| {
            self.separator.is_some_and(|(mark, _)| mark == ',')
                && self.text().get(self.end()..it.range.start).is_some_and(has_only_comments)
        };
        let next = self.siblings().map(|(_, it)| it).find(is_next);
        let previous = self.previous().filter(|_| self.comma_before().is_some());
        next.or(previous).filter(|it| is_value(it)).map(|it| it.name.as_str())
    }

    /// Whether the unit is an element of a list with commas.
    pub(super) fn is_list_element(&self) -> bool {
        self.separator.is_some_and(|(separator, _)| separator == ',')
            || self.comma_before().is_some()
            || self.first().is_some_and(|first| first.kind == DeclarationKind::EnumMember)
    }

    /// Returns a declaration that shares its statement with the unit: `var a, b = 1, 2`.
    pub(crate) fn joint_declaration(&self) -> Option<&'a Declaration> {
        let first = self.first()?;
        self.siblings().map(|(_, it)| it).find(|it| {
            let shares = it.range.start < first.range.end && first.range.start < it.range.end;
            shares && it.name_range != first.name_range
        })
    }

    pub(super) fn shared_line(&self, action: &str) -> RejectedEdit {
        let name = self.name();
        RejectedEdit::new(
            format!("zubi cannot {action} `{name}`, which shares its line with other code"),
            "Edit the text with `edit_files`.",
        )
    }
}

/// Returns the index of the declaration that consists of another one and its second name: `typedef struct N { … } N;` in C.
fn whole_declaration(declarations: &[Declaration], index: usize) -> usize {
    let Some(inner) = declarations.get(index) else { return index };
    let is_whole = |it: &Declaration| {
        let contains = it.range.start <= inner.range.start && inner.range.end <= it.name_range.start;
        it.kind == DeclarationKind::TypeAlias && it.name == inner.name && contains
    };
    declarations.iter().position(is_whole).unwrap_or(index)
}

/// Returns the start of the line that contains an offset.
pub(super) fn line_start(text: &str, offset: usize) -> usize {
    text.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

/// Returns the end of the line that contains an offset, before its line ending.
pub(super) fn line_end(text: &str, offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    offset + line.strip_suffix('\r').unwrap_or(line).len()
}

/// Returns the start of the next line, or the end of the text.
pub(super) fn next_line(text: &str, offset: usize) -> usize {
    text.get(offset..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| offset + at + 1)
}

/// Whether a text has nothing but white space and comments.
pub(super) fn has_only_comments(text: &str) -> bool {
    without_comments(text).is_empty()
}

/// Returns a text without the white space and the comments at its start.
pub(super) fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let comment_end = if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + "*/".len())
        } else {
            let is_comment = COMMENT_STARTS.iter().any(|start| rest.starts_with(start));
            is_comment.then(|| rest.find('\n').unwrap_or(rest.len()))
        };
        let Some(after) = comment_end.and_then(|end| rest.get(end..)) else { break };
        rest = after.trim_start();
    }
    rest
}

fn separator_after(text: &str, end: usize) -> Option<(char, usize)> {
    let rest = text.get(end..)?;
    let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let separator = rest.get(spaces..)?.chars().next().filter(|it| [',', ';'].contains(it))?;
    Some((separator, end + spaces + 1))
}

/// Returns the range of the lines directly above an offset that are comments of Python at its indentation.
fn comments_above(text: &str, offset: usize) -> Option<Range<usize>> {
    let first_line = line_start(text, offset);
    let indentation = text.get(first_line..offset)?;
    let mut start = first_line;
    while start > 0 {
        let above = line_start(text, start - 1);
        let line = text.get(above..start)?;
        if !line.strip_prefix(indentation).is_some_and(|line| line.starts_with('#')) {
            break;
        }
        start = above;
    }
    (start < first_line).then(|| start + indentation.len()..line_end(text, first_line - 1))
}
