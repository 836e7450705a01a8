//! Comments that are no documentation of the next declaration: they are for a program, and concern the file or a region.

use std::ops::Range;

use super::unit::line_start;

/// The beginnings of such comments, in lower case. Comments for the next line only (`eslint-disable-next-line`,
/// `@ts-expect-error`) belong to the declaration.
const DIRECTIVES: &[&str] = &[
    "!",
    "#endregion",
    "#region",
    "+build",
    "-*-",
    "@flow",
    "@jsx",
    "@noflow",
    "@ts-check",
    "@ts-nocheck",
    "biome-ignore-all",
    "c8 ignore",
    "clang-format",
    "cspell:",
    "endregion",
    "eslint",
    "flake8:",
    "fmt:",
    "frozen_string_literal",
    "go:build",
    "isort:",
    "istanbul ignore file",
    "mypy:",
    "nolintbegin",
    "nolintend",
    "prettier-ignore-",
    "pylint:",
    "pyright:",
    "region",
    "rubocop:",
    "ruff:",
    "spdx-",
    "typed:",
    "vim:",
];

/// Returns the part of the comments above a declaration after the last directive; `None` if nothing is left.
pub(super) fn without_directives(text: &str, comments: Range<usize>) -> Option<Range<usize>> {
    let mut start = comments.start;
    let mut at = comments.start;
    for line in text.get(comments.clone())?.split_inclusive('\n') {
        let is_first_line = text.get(..line_start(text, at))?.matches('\n').count() < 2;
        at += line.len();
        if is_directive(line.trim(), is_first_line) {
            let rest = text.get(at..comments.end)?;
            start = at + rest.len() - rest.trim_start().len();
        }
    }
    (start < comments.end).then_some(start..comments.end)
}

/// Whether a line is a whole comment with a directive. PEP 263 reads the encoding in the first two lines of a file.
fn is_directive(line: &str, is_first_line: bool) -> bool {
    let content = match line.strip_prefix("/*") {
        Some(block) => block.strip_suffix("*/"),
        None => ["//", "#", "--", "%"].iter().find_map(|start| line.strip_prefix(start)),
    };
    let Some(content) = content.map(|content| content.trim().to_ascii_lowercase()) else { return false };
    let is_encoding = is_first_line && (content.contains("coding:") || content.contains("coding="));
    let is_for_next = content.starts_with("eslint-disable-next-line") || content.starts_with("eslint-disable-line");
    is_encoding || !is_for_next && DIRECTIVES.iter().any(|directive| content.starts_with(directive))
}
