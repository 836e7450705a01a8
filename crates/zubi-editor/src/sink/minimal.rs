//! Minimal edits from one text to another, so that the user's cursors, folds and markers stay in place.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use zubi_base::lsp::TextEdit;
use zubi_base::position::{Encoding, TextIndex, size};

/// Time limit of the search for minimal edits; after that, larger ones are returned.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

/// Edits that turn `before` into `after`: changed lines, without their unchanged beginnings and ends.
pub(super) fn edits(before: &str, after: &str, encoding: Encoding) -> Vec<TextEdit> {
    let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (lines(before), lines(after));
    let deadline = Some(Instant::now() + DIFF_TIMEOUT);
    let index = TextIndex::new(before);
    let mut edits = Vec::new();
    let (mut offset, mut line) = (0, 0);
    for operation in capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline) {
        if matches!(operation, DiffOp::Equal { .. }) {
            continue;
        }
        let (from, to) = (operation.old_range(), operation.new_range());
        offset += old.get(line..from.start).unwrap_or_default().iter().map(String::len).sum::<usize>();
        let removed = old.get(from.clone()).unwrap_or_default().concat();
        let inserted = new.get(to).unwrap_or_default().concat();
        let (head, tail) = same_ends(&removed, &inserted);
        let range = |start: usize, end: usize| zubi_base::lsp::Range {
            start: index.to_lsp(size(start), encoding),
            end: index.to_lsp(size(end), encoding),
        };
        edits.push(TextEdit {
            range: range(offset + head, offset + removed.len() - tail),
            new_text: inserted.get(head..inserted.len() - tail).unwrap_or_default().to_owned(),
        });
        offset += removed.len();
        line = from.end;
    }
    edits
}

/// Numbers of bytes that two texts share at their beginnings and at their ends; never splits a character or a line end.
fn same_ends(one: &str, other: &str) -> (usize, usize) {
    let pairs = one.chars().zip(other.chars());
    let head: usize = pairs.take_while(|(a, b)| a == b && !matches!(a, '\r' | '\n')).map(|(a, _)| a.len_utf8()).sum();
    let (one, other) = (one.get(head..).unwrap_or_default(), other.get(head..).unwrap_or_default());
    let pairs = one.chars().rev().zip(other.chars().rev());
    let mut tail: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let cuts = |text: &str| {
        let (before, after) = text.split_at_checked(text.len() - tail).unwrap_or_default();
        before.ends_with('\r') && after.starts_with('\n')
    };
    if cuts(one) || cuts(other) {
        tail -= 1;
    }
    (head, tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The edits as `line:column-line:column text`, after checking that they turn `before` into `after`.
    fn check(before: &str, after: &str) -> String {
        let edits = edits(before, after, Encoding::Utf16);
        let index = TextIndex::new(before);
        let mut text = before.to_owned();
        for edit in edits.iter().rev() {
            let range = index.range_from_lsp(&edit.range, Encoding::Utf16);
            text.replace_range(std::ops::Range::<usize>::from(range), &edit.new_text);
        }
        assert_eq!(text, after);
        let rendered = edits.iter().map(|TextEdit { range: zubi_base::lsp::Range { start, end }, new_text }| {
            format!("{}:{}-{}:{} {new_text:?}", start.line, start.character, end.line, end.character)
        });
        rendered.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_differing_text_is_edited() {
        let cases = [
            ("a\nb\nc\n", "a\nbb\nc\n"),
            ("a\n", "a\nb\n"),
            ("a\nb\n", "a\n"),
            ("", "new"),
            ("gone", ""),
            ("x é y\n", "x e y\n"),
            ("🦀 one 🦀\n", "🦀 two 🦀\n"),
            ("a\r\nb\r\n", "c\r\nb\r\n"),
            ("a\r\n", "a\n"),
            ("import './util';\nlet a;\nlet b;\n", "import './lib/util';\nlet a;\nlet c;\n"),
        ];
        let rendered: Vec<_> = cases.iter().map(|(before, after)| check(before, after)).collect();
        insta::assert_snapshot!(rendered.join("\n"), @r#"
        1:1-1:1 "b"
        1:0-1:0 "b\n"
        1:0-2:0 ""
        0:0-0:0 "new"
        0:0-0:4 ""
        0:2-0:3 "e"
        0:3-0:6 "two"
        0:0-0:1 "c"
        0:1-1:0 "\n"
        0:10-0:10 "lib/" 2:4-2:5 "c"
        "#);
    }
}
