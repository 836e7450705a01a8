//! Layout of comments.

use std::borrow::Cow;

use dlang_syntax::SyntaxKind;

use super::leaves::line_breaks;

/// Formats a comment that begins a line or follows a token.
pub(super) fn format_comment<'t>(
    text: &'t str,
    kind: SyntaxKind,
    begins_line_at: Option<usize>,
    eol: &str,
) -> Cow<'t, str> {
    if kind == SyntaxKind::LINE_COMMENT {
        return Cow::Borrowed(text.trim_end_matches([' ', '\t']));
    }
    match begins_line_at {
        Some(indent) if has_stars(text) => Cow::Owned(align_stars(text, indent, eol)),
        _ => Cow::Borrowed(text),
    }
}

/// Whether a comment has several lines that all begin with a star.
fn has_stars(text: &str) -> bool {
    line_breaks(text) > 0 && lines(text).skip(1).all(|line| line.trim_start_matches([' ', '\t']).starts_with('*'))
}

/// Aligns the stars of a comment below the first one, whose `/` is at column `indent`.
fn align_stars(text: &str, indent: usize, eol: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for (index, line) in lines(text).enumerate() {
        if index > 0 {
            result.push_str(eol);
            result.extend(std::iter::repeat_n(' ', indent + 1));
        }
        let line = line.trim_end_matches([' ', '\t']);
        result.push_str(if index > 0 { line.trim_start_matches([' ', '\t']) } else { line });
    }
    result
}

/// Returns the lines of a terminated comment. A carriage return ends a line, with or without a line feed after it, as
/// it does everywhere: the next formatting must see the same line ends.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}
