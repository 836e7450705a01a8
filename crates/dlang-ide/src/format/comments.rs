//! How comments are written.

use std::borrow::Cow;

use dlang_syntax::SyntaxKind;

use super::leaves::line_breaks;

/// A comment as it is written where it begins a line, or behind something.
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

/// Whether it has several lines, all of which begin with a star.
fn has_stars(text: &str) -> bool {
    line_breaks(text) > 0 && lines(text).skip(1).all(|line| line.trim_start_matches([' ', '\t']).starts_with('*'))
}

/// Returns the stars below the first one, whose `/` is at column `indent`.
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

/// The lines of a comment that has an end. A carriage return ends one too, with a line feed behind it or without, as it
/// does everywhere: what the next formatting sees as line ends must be what this one saw.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}
