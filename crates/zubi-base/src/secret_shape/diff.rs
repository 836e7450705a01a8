//! Bodies of private keys in hunks of diffs that have neither the first nor the last line of the key.
//!
//! A hunk is part of a body if all of its lines are Base64 of one length, except the last line of the text. So a certificate
//! without its first and last line is redacted, too.

use std::ops::Range;

use super::is_base64;

/// The lengths of the lines of a key: RFC 7468 and OpenSSH.
const LINE_LENGTHS: [usize; 3] = [64, 70, 76];
/// The minimum number of lines of a body.
const MIN_LINES: usize = 2;

/// Finds the ranges of bodies, each in the hunk of one unified diff.
pub(super) fn find_bodies(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let starts = text.match_indices("@@ -").map(|(at, _)| at);
    for start in starts.filter(|start| *start == 0 || text.get(..*start).is_some_and(|before| before.ends_with('\n'))) {
        let hunk = text.get(start..).unwrap_or_default();
        let header_end = hunk.find('\n').map_or(hunk.len(), |end| end + 1);
        let header = hunk.get(..header_end).unwrap_or_default();
        let Some(body) = find_body(hunk.get(header_end..).unwrap_or_default()) else { continue };
        // The header repeats a line before the hunk.
        let context = header.trim_end().rsplit(' ').next().unwrap_or_default();
        if is_full_line(context) {
            let end = start + header.trim_end().len();
            found.push(end - context.len()..end);
        }
        found.push(start + header_end + body.start..start + header_end + body.end);
    }
    found
}

/// Returns the range of the body in the lines of a hunk, without the mark of its first line.
fn find_body(lines: &str) -> Option<Range<usize>> {
    let (mut length, mut count, mut end, mut is_over) = (None, 0, 0, false);
    for line in lines.split_inclusive('\n') {
        let content = line.trim_end();
        if content.starts_with('\\') {
            continue;
        }
        let Some(word) = content.strip_prefix(['+', '-', ' ']) else { break };
        if content.starts_with("--- ") || content.starts_with("+++ ") {
            break;
        }
        let is_full = is_full_line(word) && length.is_none_or(|length| length == word.len());
        // The rest of a key is shorter, and a changed one is there twice.
        let is_rest = count > 0
            && !word.is_empty()
            && word.chars().all(is_base64)
            && length.is_some_and(|length| word.len() < length);
        if !is_full && !is_rest || is_over && is_full {
            return None;
        }
        is_over |= is_rest;
        length = length.or(Some(word.len()));
        count += usize::from(is_full);
        end = offset(lines, line) + content.len();
    }
    (count >= MIN_LINES).then_some(1..end)
}

/// Returns where a line of a text begins.
fn offset(text: &str, line: &str) -> usize {
    line.as_ptr() as usize - text.as_ptr() as usize
}

/// Returns whether a text is a whole line of Base64 in a key. Numbers in hexadecimal digits have letters of one case only.
fn is_full_line(text: &str) -> bool {
    let has = |is_kind: fn(&char) -> bool| text.chars().any(|c| is_kind(&c));
    LINE_LENGTHS.contains(&text.len())
        && text.chars().all(is_base64)
        && has(char::is_ascii_lowercase)
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use crate::secret_shape::{SecretCounts, ShownSecrets, redact};

    const LINES: [&str; 3] = [
        "qL3vZx8RkPt2WnYb5JdHs9GfCmUa7QeTo1XiNrBw4KyVlMzE6DpSgFhAj0ucIO+/",
        "dG7t3KqW0aXbVnM1zPfLh8yRcUoE2sTiGjN4wQxYpA5mDkBvCrZ6uHlSeOfJ9gIa",
        "xK2bT7vNqLwE4mRzYc1hUoPdSfGjA8iXyVtB0rQnMeWkCpZs5uHlJ9gDa3OfI6+/",
    ];

    /// A diff with these lines in one hunk.
    fn check(context: &str, lines: &[&str], expected: &[&str]) {
        let text = |header: &str, lines: &[&str]| {
            format!("diff --git a/x b/x\n--- a/x\n+++ b/x\n{header}\n{}\ndiff --git a/y b/y\n", lines.join("\n"))
        };
        let header = format!("@@ -9,7 +9,7 @@{context}");
        let expected_header = if context.len() > 40 { "@@ -9,7 +9,7 @@ (redacted)" } else { header.as_str() };
        let found = redact(&text(&header, lines), &ShownSecrets::default(), &mut SecretCounts::default());
        assert_eq!(found, text(expected_header, expected));
    }

    #[test]
    fn hunks_that_are_only_the_body_of_a_key_are_redacted() {
        let [a, b, c] = LINES;
        let [same, old, new] = [format!(" {a}"), format!("-{b}"), format!("+{c}")];
        check("", &[&same, &old, &new], &[" (redacted)"]);
        check("", &[&old, &new], &["-(redacted)"]);
        check(&format!(" {b}"), &[&same, &old, &new, &same], &[" (redacted)"]);
        check("", &[&same, &old, &new, " Zm9vYmFyCg=="], &[" (redacted)"]);
        check("", &[&old, &new, "\\ No newline at end of file"], &["-(redacted)", "\\ No newline at end of file"]);
        // With the last line of the key.
        let end = " -----END PRIVATE KEY-----";
        check("", &[" x", &same, &old, &new, end], &[" x", " (redacted)"]);
        // Other lines: code, one line alone, sums in hexadecimal digits, a certificate with its first line.
        let sum = format!("+{}", "0123456789abcdef".repeat(4));
        for lines in
            [&[" let x = 1;", &old, &new][..], &[&old], &[&sum, &sum], &[" -----BEGIN CERTIFICATE-----", &same, &old]]
        {
            check(" fn main() {", lines, lines);
        }
    }
}
