//! The layout: the white space between two tokens.

use std::ops::Range;

use dlang_syntax::SyntaxKind::{self, *};
use dlang_syntax::{TextRange, TextSize};

use super::leaves::{LayoutPart, Leaf, line_breaks};
use super::{INDENT, WIDTH, comments};
use dlang_model::edit::TextEdit;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Returns the edits that lay out a text.
pub(super) fn edits(text: &str, leaves: &[Leaf]) -> Vec<TextEdit> {
    let mut layout = Layout {
        text,
        leaves,
        eol: line_end(text, leaves),
        edits: Vec::new(),
        column: 0,
        inline_until: None,
        broken_term_until: None,
        broken_list: None,
    };
    layout.run();
    layout.edits
}

/// Returns the line end of most lines, except those inside strings and comments.
fn line_end(text: &str, leaves: &[Leaf]) -> &'static str {
    let (mut with_return, mut all) = (0usize, 0usize);
    let mut end = TextSize::new(0);
    let last = TextRange::empty(TextSize::of(text));
    for range in leaves.iter().map(|leaf| leaf.range).chain([last]) {
        let gap = slice(text, TextRange::new(end, range.start()));
        with_return += gap.matches("\r\n").count();
        all += line_breaks(gap);
        end = range.end();
    }
    if 2 * with_return > all { "\r\n" } else { "\n" }
}

fn slice(text: &str, range: TextRange) -> &str {
    text.get(Range::<usize>::from(range)).unwrap_or_default()
}

struct Layout<'t> {
    text: &'t str,
    leaves: &'t [Leaf],
    eol: &'static str,
    edits: Vec<TextEdit>,
    /// The number of characters so far in the formatted line.
    column: usize,
    /// The closing brace of the block that stays on its line.
    inline_until: Option<usize>,
    /// The last token of the term whose lists have lines of their own.
    broken_term_until: Option<usize>,
    /// The last token of the list that has one item per line, and the indentation of the items.
    broken_list: Option<(usize, usize)>,
}

/// The separator between a token and the next one.
#[derive(Debug, Clone, Copy)]
struct Separation {
    kind: SpacingKind,
    /// The indentation of the next token, if it begins a line.
    indent: usize,
    /// The indentation of a comment before it.
    comment_indent: usize,
    /// Whether an empty line is preserved.
    has_blank: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpacingKind {
    Nothing,
    Space,
    Line,
}

impl Layout<'_> {
    fn run(&mut self) {
        let mut previous = None;
        let mut from = 0;
        for (index, leaf) in self.leaves.iter().enumerate() {
            if leaf.is_comment() {
                continue;
            }
            self.gap(previous, from..index);
            self.begin_group(index, leaf);
            self.advance(slice(self.text, leaf.range));
            previous = Some(index);
            from = index + 1;
        }
        self.gap(previous, from..self.leaves.len());
    }

    /// Lays out the white space and comments before the token (or the end) at the end of `comments`.
    fn gap(&mut self, previous: Option<usize>, comments: Range<usize>) {
        let next = comments.end;
        let separation = self.separation(previous, next, !comments.is_empty());
        let part = self.leaves.get(next).map(|leaf| leaf.part);
        let is_line = separation.kind == SpacingKind::Line;
        // Whether all comments so far follow the previous token on its line.
        let mut is_trailing = previous.is_some();
        for index in comments.clone() {
            let Some(comment) = self.leaves.get(index).copied() else { continue };
            let is_documentation = is_line && part == Some(LayoutPart::Entry) && comment.kind == DOC_COMMENT;
            let begins_line = comment.breaks > 0 || index == 0 || is_documentation && is_trailing;
            if begins_line {
                is_trailing = false;
                let is_first = index.checked_sub(1).is_none_or(|before| self.is_open(before));
                self.line(index, separation.comment_indent, separation.has_blank && !is_first);
            } else {
                self.space(index, self.flat_space(index));
            }
            let indent = begins_line.then_some(separation.comment_indent);
            let text = slice(self.text, comment.range);
            let written = comments::format_comment(text, comment.kind, indent, self.eol);
            self.replace(comment.range, &written);
        }
        let breaks = self.breaks_before(next);
        let last_ends_line =
            !comments.is_empty() && self.leaves.get(next - 1).is_some_and(|last| last.kind == LINE_COMMENT);
        let begins_line = if is_line {
            let is_end = matches!(part, Some(LayoutPart::Close) | None);
            comments.is_empty() || is_end || is_trailing || breaks > 0
        } else {
            last_ends_line || breaks > 0 && !is_trailing && !comments.is_empty()
        };
        if begins_line {
            let is_first = next.checked_sub(1).is_none_or(|before| self.is_open(before));
            self.line(next, separation.indent, separation.has_blank && part != Some(LayoutPart::Close) && !is_first);
        } else if comments.is_empty() {
            self.space(next, separation.kind == SpacingKind::Space);
        } else {
            self.space(next, self.flat_space(next));
        }
    }

    fn separation(&self, previous: Option<usize>, next: usize, has_comments: bool) -> Separation {
        let line = |indent| Separation { kind: SpacingKind::Line, indent, comment_indent: indent, has_blank: false };
        let Some(leaf) = self.leaves.get(next) else { return Separation { has_blank: has_comments, ..line(0) } };
        let base = leaf.depth * INDENT;
        let is_inline = self.inline_until.is_some_and(|end| next <= end);
        let list = self.broken_list.filter(|(end, _)| next <= *end);
        match (leaf.part, list) {
            (LayoutPart::Entry, _) if !is_inline => Separation { has_blank: true, ..line(base) },
            (LayoutPart::Close, _) if !is_inline && (has_comments || !previous.is_some_and(|it| self.is_open(it))) => {
                Separation { comment_indent: base + INDENT, has_blank: true, ..line(base) }
            }
            (LayoutPart::Clause, _) if self.broken_term_until.is_some_and(|end| next <= end) => line(base + INDENT),
            (LayoutPart::Item, Some((_, indent))) => line(indent),
            (part, list) => {
                let is_spaced = previous.and_then(|it| self.leaves.get(it)).is_some_and(|it| has_space(it, leaf));
                let kind = if is_spaced { SpacingKind::Space } else { SpacingKind::Nothing };
                let indent = match (part, list) {
                    (LayoutPart::Open | LayoutPart::Close, _) => base,
                    (_, Some((_, indent))) => indent,
                    _ => base + INDENT,
                };
                Separation { kind, ..line(indent) }
            }
        }
    }

    /// Decides whether a block, list or term that begins here stays on its line.
    fn begin_group(&mut self, index: usize, leaf: &Leaf) {
        let Some(end) = leaf.group_end else { return };
        if self.inline_until.is_some_and(|inline| index <= inline) {
            return;
        }
        let base = leaf.depth * INDENT;
        match leaf.part {
            LayoutPart::Open => {
                let breaks = self.leaves.get(end).map(|close| close.breaks_so_far - leaf.breaks_so_far);
                if breaks == Some(0) && self.fits(index, end) {
                    self.inline_until = Some(end);
                }
            }
            // If a term fits, its lists fit, too.
            LayoutPart::Clause if self.broken_term_until.is_none_or(|term| index > term) => {}
            _ if self.fits(index, end) => {}
            LayoutPart::Clause => self.broken_list = Some((end, base + 2 * INDENT)),
            _ if leaf.kind == TERM_KW => self.broken_term_until = Some(end),
            _ => self.broken_list = Some((end, base + INDENT)),
        }
    }

    /// Whether the text from one token to another, with a comma after it, fits on the line of the first token.
    fn fits(&self, from: usize, to: usize) -> bool {
        let has_comma = self.leaves.get(to + 1).is_some_and(|leaf| leaf.kind == COMMA);
        let mut width = self.column + usize::from(has_comma);
        let group = self.leaves.get(from..=to).unwrap_or_default();
        for (index, leaf) in (from..).zip(group) {
            if index > from {
                // Next to comments, the existing line breaks decide, but only those that formatting preserves, so that
                // the next formatting decides the same. It preserves none between a comment after a token and the rest
                // of an entry.
                let is_after_comment = self.leaves.get(index - 1).is_some_and(Leaf::is_comment);
                let begins_part = matches!(leaf.part, LayoutPart::Clause | LayoutPart::Item);
                if leaf.breaks > 0 && (leaf.is_comment() || is_after_comment && begins_part) {
                    return false;
                }
                width += usize::from(self.flat_space(index));
            }
            // A character has at most four bytes, so that long texts need not be counted.
            if leaf.inner_breaks > 0
                || leaf.kind == LINE_COMMENT
                || usize::from(leaf.range.len()) > 4 * WIDTH
                || width + slice(self.text, leaf.range).chars().count() > WIDTH
            {
                return false;
            }
            width += slice(self.text, leaf.range).chars().count();
        }
        true
    }

    /// Whether a space separates a token or comment from its predecessor on the same line.
    fn flat_space(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.leaves.get(before));
        let leaf = self.leaves.get(index);
        before.zip(leaf).is_some_and(|(before, leaf)| has_space(before, leaf))
    }

    fn is_open(&self, index: usize) -> bool {
        self.leaves.get(index).is_some_and(|leaf| leaf.part == LayoutPart::Open)
    }

    // ── writing ──

    /// Returns the white space before a token or comment, or at the end.
    fn white_space(&self, index: usize) -> TextRange {
        let before = index.checked_sub(1).and_then(|before| self.leaves.get(before));
        let start = before.map_or(TextSize::new(0), |leaf| leaf.range.end());
        let end = self.leaves.get(index).map_or(TextSize::of(self.text), |leaf| leaf.range.start());
        TextRange::new(start, end)
    }

    fn breaks_before(&self, index: usize) -> usize {
        self.leaves
            .get(index)
            .map_or_else(|| line_breaks(slice(self.text, self.white_space(index))), |leaf| leaf.breaks)
    }

    /// Begins a line, except at the start of the text.
    fn line(&mut self, index: usize, indent: usize, has_blank: bool) {
        let range = self.white_space(index);
        if index == 0 {
            let has_mark = slice(self.text, range).starts_with(BYTE_ORDER_MARK);
            self.replace(range, if has_mark { BYTE_ORDER_MARK } else { "" });
            self.column = 0;
            return;
        }
        let is_end = index == self.leaves.len();
        let lines = if has_blank && !is_end && self.breaks_before(index) > 1 { 2 } else { 1 };
        let mut written = self.eol.repeat(lines);
        written.extend(std::iter::repeat_n(' ', indent));
        self.replace(range, &written);
    }

    fn space(&mut self, index: usize, is_space: bool) {
        self.replace(self.white_space(index), if is_space { " " } else { "" });
    }

    fn replace(&mut self, range: TextRange, new: &str) {
        if slice(self.text, range) != new {
            self.edits.push(TextEdit { range, insert: new.to_owned() });
        }
        self.advance(new);
    }

    fn advance(&mut self, written: &str) {
        let last = written.rsplit(['\n', '\r']).next().unwrap_or_default();
        let width = last.chars().count();
        self.column = if last.len() == written.len() { self.column + width } else { width };
    }
}

/// Whether a space separates two tokens or comments on one line.
fn has_space(before: &Leaf, next: &Leaf) -> bool {
    let is_closed_at_once = before.part == LayoutPart::Open && next.part == LayoutPart::Close;
    !is_closed_at_once && !is_tight_after(before.kind) && !is_tight_before(next.kind)
}

fn is_tight_after(kind: SyntaxKind) -> bool {
    matches!(kind, DOT | L_BRACK)
}

fn is_tight_before(kind: SyntaxKind) -> bool {
    matches!(kind, COMMA | DOT | COLON | R_BRACK)
}
