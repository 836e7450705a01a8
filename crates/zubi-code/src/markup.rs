//! Cleans and limits text from servers and files for an answer: it is data, never formatting or instructions.

use serde_json::Value;
use zubi_base::escape;
use zubi_base::text::ellipsize;

/// The maximum length of a source line, in characters; minified files have lines of megabytes.
pub const MAX_SOURCE_LINE: usize = 200;

/// The maximum length of a server's line, in characters: longer than any path, and than any type a person would read.
const MAX_LINE: usize = 4_096;

/// The maximum length of a server's text, in bytes: more than the largest answer shows.
const MAX_BLOCK: usize = 256 * 1024;

/// Whether a character may be shown. Control characters can control terminals; bidirectional and zero-width ones can
/// make a line look different from its content (CVE-2021-42574, "Trojan Source").
fn is_plain(character: char) -> bool {
    escape::is_script_joiner(character) || !escape::is_hidden(character)
}

/// Cleans one line: replaces unsafe characters, tabs and line ends with spaces, and cuts a line above the limit.
pub fn clean_line(text: &str) -> String {
    ellipsize(text, MAX_LINE).chars().map(|character| if is_plain(character) { character } else { ' ' }).collect()
}

/// Joins the words of a code on one line, and cuts it after `most` characters.
pub(crate) fn join_words(code: &str, most: usize) -> String {
    ellipsize(&code.split_whitespace().collect::<Vec<_>>().join(" "), most).into_owned()
}

/// Cleans and cuts one source line; expands tabs to four spaces, so that indentation stays visible.
pub fn source_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_SOURCE_LINE + 4));
    for character in ellipsize(text.trim_end(), MAX_SOURCE_LINE).chars() {
        match character {
            '\t' => out.push_str("    "),
            character if is_plain(character) => out.push(character),
            _ => out.push(' '),
        }
    }
    out
}

/// Cleans several lines: leaves line ends and indentation, removes other unsafe characters, and cuts at the limit.
pub fn clean_block(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_BLOCK));
    for line in text.lines() {
        if out.len() >= MAX_BLOCK {
            out.push_str("\n…");
            break;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.extend(
            line.trim_end().chars().take(MAX_BLOCK).filter(|character| *character == '\t' || is_plain(*character)),
        );
    }
    out
}

/// Converts hover contents of any of LSP's forms to Markdown: plain or marked-up text, a code block with its language
/// (the deprecated `MarkedString`), or a list of these.
pub fn hover_text(contents: &Value) -> String {
    match contents {
        Value::String(text) => clean_block(text),
        Value::Array(items) => items.iter().map(hover_text).collect::<Vec<_>>().join("\n\n"),
        Value::Object(content) => {
            let field = |name: &str| content.get(name).and_then(Value::as_str);
            let value = clean_block(field("value").unwrap_or_default());
            match field("language") {
                Some(language) => format!("```{}\n{value}\n```", clean_line(language)),
                None => value,
            }
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_removed() {
        assert_eq!(clean_line("a\u{1b}[31mb\nc\u{202e}d"), "a [31mb c d");
        assert_eq!(clean_block("a \u{200b}b\r\n\tc\u{7}"), "a b\n\tc");
        assert_eq!(source_line("\tx\u{0}y  "), "    x y");
    }

    #[test]
    fn long_lines_are_truncated_with_an_ellipsis() {
        let line = source_line(&"é".repeat(300));
        assert_eq!(line.chars().count(), MAX_SOURCE_LINE + 1);
        assert!(line.ends_with('…'));
    }
}
