//! Comments for programs, which are not the documentation of the next declaration: they concern the file or a region.

use std::ops::Range;

use super::unit::line_start;

/// The beginnings of such comments, in lower case; a word ends where they end. Comments for the next line only belong to the
/// declaration, see [`is_for_next`].
const DIRECTIVES: &[&str] = &[
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
    "biome-ignore-end",
    "biome-ignore-start",
    "c8 ignore start",
    "c8 ignore stop",
    "clang-format off",
    "clang-format on",
    "cspell:disable",
    "cspell:enable",
    "eslint-disable",
    "eslint-enable",
    "eslint-env",
    "flake8: noqa",
    "fmt: off",
    "fmt: on",
    "frozen_string_literal:",
    "go:build",
    "isort: off",
    "isort: on",
    "isort: skip_file",
    "istanbul ignore file",
    "mypy:",
    "nolintbegin",
    "nolintend",
    "prettier-ignore-end",
    "prettier-ignore-start",
    "pylint: disable",
    "pylint: enable",
    "pyright:",
    "rubocop:disable",
    "rubocop:enable",
    "ruff: noqa",
    "spdx-license-identifier:",
    "typed: ",
    "vim:",
];

/// The beginnings of comments for a program about the next declaration, in lower case.
const FOR_NEXT: &[&str] = &[
    "@ts-expect-error",
    "@ts-ignore",
    "biome-ignore ",
    "c8 ignore next",
    "eslint-disable-line",
    "eslint-disable-next-line",
    "export ",
    "go:embed",
    "go:linkname",
    "go:noescape",
    "go:noinline",
    "go:norace",
    "go:nosplit",
    "go:wasmexport",
    "go:wasmimport",
    "istanbul ignore next",
    "nolint",
    "noinspection",
    "nolintnextline",
    "prettier-ignore",
    "pylint: disable-next",
    "v8 ignore next",
];

/// Returns the part of the comments above a declaration after the last directive; `None` if nothing is left.
pub(super) fn without_directives(text: &str, comments: Range<usize>) -> Option<Range<usize>> {
    let mut start = comments.start;
    let mut at = comments.start;
    let mut is_in_block = false;
    for line in text.get(comments.clone())?.split_inclusive('\n') {
        let is_first_line = text.get(..line_start(text, at))?.matches('\n').count() < 2;
        at += line.len();
        if !is_in_block && is_directive(line.trim(), is_first_line) {
            let rest = text.get(at..comments.end)?;
            start = at + rest.len() - rest.trim_start().len();
        }
        is_in_block = match line.rfind("/*").max(line.rfind("--[[")) {
            Some(open) => !line.get(open..)?.contains("*/") && !line.get(open..)?.contains("]]"),
            None => is_in_block && !line.contains("*/") && !line.contains("]]"),
        };
    }
    (start < comments.end).then_some(start..comments.end)
}

/// Whether a line is a whole comment with a directive. PEP 263 reads the encoding in the first two lines of a file.
fn is_directive(line: &str, is_first_line: bool) -> bool {
    let Some(content) = comment_content(line) else { return false };
    let is_encoding =
        is_first_line && line.starts_with('#') && (content.contains("coding:") || content.contains("coding="));
    is_encoding || !is_for_next(line) && begins_with(&content, DIRECTIVES)
}

/// Whether a line is a whole comment for a program about the next declaration: `// @ts-ignore`, `//go:embed`.
pub(super) fn is_for_next(line: &str) -> bool {
    let is_directive = |content: &str| begins_with(content, FOR_NEXT);
    // `//export` of Go has no space; `// export …` is prose.
    comment_content(line).is_some_and(|content| is_directive(&content))
        && !line.strip_prefix("// ").is_some_and(|content| content.starts_with("export ") || content.starts_with("go:"))
}

/// Returns the content of a line that is one comment, in lower case.
fn comment_content(line: &str) -> Option<String> {
    let content = match line.strip_prefix("/*") {
        Some(block) => block.strip_suffix("*/"),
        None => ["//", "#", "--", "%"].iter().find_map(|start| line.strip_prefix(start)),
    };
    content.map(|content| content.trim().to_ascii_lowercase())
}

/// Whether a text begins with one of the beginnings, and the word ends there.
fn begins_with(text: &str, beginnings: &[&str]) -> bool {
    let is_end = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_' || next == '-');
    let matches = |beginning: &&str| {
        let ends_word = beginning.ends_with([':', ' ']);
        text.strip_prefix(*beginning).is_some_and(|rest| ends_word || is_end(rest))
    };
    beginnings.iter().any(matches)
}
