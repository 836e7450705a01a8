//! Excerpts: diagnostics shown within the source text they refer to, as compilers do.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str};
use dlang_syntax::{Diagnostic, DiagnosticCode, Severity};
use dlang_workspace::workspace;

/// A range in the text of a file.
#[derive(Debug, Clone)]
pub(crate) struct ExcerptPosition<'a> {
    pub(crate) path: &'a str,
    /// The whole text of the file; `None` if it could not be read.
    pub(crate) text: Option<&'a str>,
    /// The range in bytes of the text.
    pub(crate) range: Range<usize>,
    /// Start of the range.
    pub(crate) start: workspace::LinePosition,
}

/// Whether and how excerpts are drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) colour: bool,
    /// The terminal's width.
    pub(crate) width: Option<usize>,
}

/// The maximum number of bytes of a line on each side of a range; a terminal shows fewer.
const MAX_CONTEXT_BYTES: usize = 500;

/// The width of excerpts without a terminal, in columns; longer lines are cut.
const WIDTH: usize = 140;

/// The maximum number of lines of a range that are shown.
const LINES: usize = 6;

/// Renders a diagnostic as text, without a final line feed. `related` are the positions of its related locations.
pub(crate) fn render<C: DiagnosticCode, L, D>(
    diagnostic: &Diagnostic<C, L, D>,
    position: &ExcerptPosition<'_>,
    related: &[ExcerptPosition<'_>],
    style: Style,
) -> String {
    let level = match diagnostic.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info | Severity::Hint => Level::INFO,
    };
    let title = level.primary_title(normalize_untrusted_str(&diagnostic.message)).id(diagnostic.code.as_str());
    let mut group = show(Group::with_title(title), position, AnnotationKind::Primary, None);
    for (entry, position) in diagnostic.related.iter().zip(related) {
        group = show(group, position, AnnotationKind::Context, Some(entry.message));
    }
    if let Some(hint) = &diagnostic.hint {
        group = group.element(Level::HELP.message(normalize_untrusted_str(hint)));
    }
    let renderer = if style.colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(style.width.unwrap_or(WIDTH));
    // The renderer escapes only the control characters of ASCII.
    let rendered = renderer.render(&[group]).replace(|c| matches!(c, '\u{80}'..='\u{9f}'), "\u{fffd}");
    rendered.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn show<'a>(group: Group<'a>, position: &ExcerptPosition<'a>, kind: AnnotationKind, label: Option<&str>) -> Group<'a> {
    let path = normalize_untrusted_str(position.path);
    let Some(Window { text, range, is_cut }) = window(position) else { return group.element(Origin::path(path)) };
    let (line, column) = (position.start.line as usize, position.start.column as usize);
    let snippet =
        Snippet::source(text).line_start(line).annotation(kind.span(range).label(label.map(normalize_untrusted_str)));
    if is_cut {
        // The renderer would count the column from the start of the window.
        group.element(Origin::path(path).line(line).char_column(column)).element(snippet)
    } else {
        group.element(snippet.path(path))
    }
}

/// The part of a text around a range, and the range in it.
struct Window<'a> {
    text: &'a str,
    range: Range<usize>,
    /// Whether the window begins inside a line.
    is_cut: bool,
}

/// Returns the window of a range. The renderer scans its whole input, so a thousand diagnostics in a large file would
/// otherwise scan the file a thousand times.
fn window<'a>(position: &ExcerptPosition<'a>) -> Option<Window<'a>> {
    let text = position.text?;
    let (before, after) = (text.get(..position.range.start)?, text.get(position.range.start..)?);
    let within = position.range.end.saturating_sub(position.range.start).min(after.len());
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let from = text.floor_char_boundary(line.max(position.range.start.saturating_sub(MAX_CONTEXT_BYTES)));
    // Only the first lines of a long range are shown.
    let last = after.get(..within)?.match_indices('\n').nth(LINES).map_or(within, |(at, _)| at);
    let end = after.get(last..)?.find('\n').map_or(after.len(), |at| last + at);
    let to = position.range.start + after.floor_char_boundary(end.min(last.min(MAX_CONTEXT_BYTES) + MAX_CONTEXT_BYTES));
    let mark = if from == 0 && text.starts_with(MARK) { MARK.len_utf8() } else { 0 };
    let from = from + mark;
    let range = position.range.start.max(from) - from..(position.range.start + last).clamp(from, to) - from;
    Some(Window { text: text.get(from..to)?, range, is_cut: from > line + mark })
}

/// A byte-order mark, which is not shown.
const MARK: char = '\u{feff}';

#[cfg(test)]
mod tests {
    use dlang_workspace::workspace::{self, PositionFinder};
    use dlang_workspace::{TextRange, TextSize};
    use proptest::prelude::*;

    use super::{Diagnostic, DiagnosticCode, ExcerptPosition, Severity, Style, render};

    const PLAIN: Style = Style { colour: false, width: Some(60) };

    #[derive(Clone, Copy)]
    struct TestCode(Severity, &'static str);

    impl DiagnosticCode for TestCode {
        fn as_str(self) -> &'static str {
            self.1
        }

        fn severity(self) -> Severity {
            self.0
        }
    }

    /// Creates a diagnostic whose range is irrelevant: the position has it.
    fn diagnostic(severity: Severity, code: &'static str, message: &str) -> Diagnostic<TestCode, ()> {
        Diagnostic::new(TextRange::default(), TestCode(severity, code), message)
    }

    /// Returns the first range between two `|` of the text, with its line and column.
    fn fixture_position<'a>(path: &'a str, fixture: &str, text: &'a mut String) -> ExcerptPosition<'a> {
        let parts: Vec<_> = fixture.splitn(3, '|').collect();
        *text = parts.concat();
        let start = parts[0].len();
        let end = start + parts[1].len();
        let at = PositionFinder::new(text).position(TextSize::try_from(start).unwrap());
        ExcerptPosition { path, text: Some(text), range: start..end, start: at }
    }

    fn check(message: &str, fixture: &str, related: Option<(&'static str, &str)>) -> String {
        let (mut text, mut other) = (String::new(), String::new());
        let (message, hint) =
            message.split_once("; hint: ").map_or((message, None), |(message, hint)| (message, Some(hint)));
        let mut shown = diagnostic(Severity::Warning, "some-code", message);
        shown.hint = hint.map(|hint| hint.to_owned().into());
        let mut positions = Vec::new();
        if let Some((label, fixture)) = related {
            shown = shown.with_related((), label);
            positions.push(fixture_position("sub/other.dlang", fixture, &mut other));
        }
        render(&shown, &fixture_position("shop.dlang", fixture, &mut text), &positions, PLAIN)
    }

    #[test]
    fn problem_is_rendered_at_its_position() {
        insta::assert_snapshot!(check("Context Map 'é' is empty.; hint: Use 'contains A, B'.", "// a\n\tcmap |é| {}\n// b\n", None), @"
        warning[some-code]: Context Map 'é' is empty.
         --> shop.dlang:2:7
          |
        2 |     cmap é {}
          |          ^
          |
          = help: Use 'contains A, B'.
        ");
    }

    #[test]
    fn related_positions_are_rendered() {
        let other = Some(("first defined here", "Team A\nTeam |B|\n"));
        insta::assert_snapshot!(check("Duplicate element: 'B' is already defined.", "Team |B|", other), @"
        warning[some-code]: Duplicate element: 'B' is already defined.
         --> shop.dlang:1:6
          |
        1 | Team B
          |      ^
          |
         ::: sub/other.dlang:2:6
          |
        2 | Team B
          |      - first defined here
        ");
    }

    #[test]
    fn long_lines_and_ranges_are_truncated() {
        let line = format!("{}|here|{}", "x ".repeat(2_000), " y".repeat(2_000));
        insta::assert_snapshot!(check("Long.", &line, None), @"
        warning[some-code]: Long.
         --> shop.dlang:1:4001
          |
         :::
        1 | ... x x x x x x x x x x x here y y y y y y y y y y y ...
          |                           ^^^^
        ");
        insta::assert_snapshot!(check("Many.", &format!("a |{}| b", "line\n".repeat(100)), None), @"
        warning[some-code]: Many.
         --> shop.dlang:1:3
          |
        1 |   a line
          |  ___^
        2 | | line
        3 | | line
        4 | | line
        5 | | line
        6 | | line
        7 | | line
          | |____^
        ");
    }

    #[test]
    fn missing_text_and_control_characters() {
        insta::assert_snapshot!(check("At the \u{1b}[31mend.", "Team A\n||", None), @"
        warning[some-code]: At the ␛[31mend.
         --> shop.dlang:2:1
          |
        2 |
          | ^
        ");
        insta::assert_snapshot!(check("Mark.", "|\u{feff}Team| \u{1b}[31m A\u{7}", None), @"
        warning[some-code]: Mark.
         --> shop.dlang:1:1
          |
        1 | Team ␛[31m A␇
          | ^^^^
        ");
        let position = ExcerptPosition {
            path: "gone.dlang",
            text: None,
            range: 3..9,
            start: workspace::LinePosition { line: 1, column: 4 },
        };
        let unreadable = diagnostic(Severity::Error, "unreadable", "Gone.");
        insta::assert_snapshot!(render(&unreadable, &position, &[], PLAIN), @"
        error[unreadable]: Gone.
        --> gone.dlang
        ");
        assert!(render(&unreadable, &position, &[], Style { colour: true, width: None }).contains("\u{1b}["));
    }

    proptest! {
        #[test]
        fn any_position_in_any_text_is_rendered(text in "(.|\\n|é|\u{feff}){0,60}", start in 0_usize..80, length in 0_usize..80) {
            let first = workspace::LinePosition { line: 1, column: 1 };
            let position = ExcerptPosition { path: "a", text: Some(&text), range: start..start + length, start: first };
            prop_assert!(render(&diagnostic(Severity::Info, "c", "m"), &position, &[], PLAIN).starts_with("info[c]: m"));
        }
    }
}
