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

/// Replaces the escapes and entities of Markdown by their characters, outside of code: a model reads them as text.
pub(crate) fn decode_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_fenced = false;
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let is_fence = is_fence(line);
        if is_fence || is_fenced {
            out.push_str(line);
        } else {
            decode_line(&mut out, line);
        }
        is_fenced ^= is_fence;
    }
    out
}

/// Whether a line of Markdown begins or ends a block of code.
fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn decode_line(out: &mut String, line: &str) {
    let mut rest = line;
    let mut is_code = false;
    while let Some(character) = rest.chars().next() {
        let mut decoded = character;
        let mut length = character.len_utf8();
        match character {
            '`' => is_code = !is_code,
            '\\' if !is_code => {
                if let Some(escaped) = rest.chars().nth(1).filter(char::is_ascii_punctuation) {
                    (decoded, length) = (escaped, 2);
                }
            }
            '&' if !is_code => {
                if let Some((entity, bytes)) = parse_entity(rest) {
                    (decoded, length) = (entity, bytes);
                }
            }
            _ => {}
        }
        out.push(decoded);
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// The maximum length of an entity in bytes: `&#x1F600;`.
const MAX_ENTITY: usize = 12;

/// Returns the character of the entity at the start of a text, and the length of the entity in bytes.
fn parse_entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(MAX_ENTITY).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let character = match name {
        "nbsp" | "ensp" | "emsp" => ' ',
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            let character = char::from_u32(code)?;
            if character == '\u{a0}' || !is_plain(character) { ' ' } else { character }
        }
    };
    Some((character, end + 1))
}

/// Returns the text of the first block of code in Markdown, on one line of at most `most` characters.
pub(crate) fn first_code_line(text: &str, most: usize) -> Option<String> {
    let code = text.lines().skip_while(|line| !is_fence(line)).skip(1).take_while(|line| !is_fence(line));
    let code = join_words(&code.collect::<Vec<_>>().join("\n"), most);
    (!code.is_empty()).then_some(code)
}

/// Moves the last block of code for which `is_declaration` holds to the start of Markdown. Some servers describe a symbol
/// before they show its declaration (clangd), and a long description is cut.
pub(crate) fn begin_with_declaration(text: &str, is_declaration: impl Fn(&str) -> bool) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.first().is_none_or(|first| is_fence(first)) {
        return text.to_owned();
    }
    let fences: Vec<usize> = (0..lines.len()).filter(|at| lines.get(*at).is_some_and(|line| is_fence(line))).collect();
    let blocks = fences.chunks_exact(2).filter_map(|ends| Some(*ends.first()?..*ends.last()? + 1));
    let is_shown = |block: &std::ops::Range<usize>| {
        lines.get(block.clone()).is_some_and(|lines| is_declaration(&lines.join("\n")))
    };
    let Some(block) = blocks.filter(is_shown).last() else { return text.to_owned() };
    let part = |range: std::ops::Range<usize>| lines.get(range).unwrap_or_default().join("\n");
    let before = part(0..block.start);
    let before = before.trim().trim_end_matches("---").trim_end();
    let parts = [part(block.clone()), before.to_owned(), part(block.end..lines.len()).trim().to_owned()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Converts hover contents of any of LSP's forms to Markdown: plain or marked-up text, a code block with its language
/// (the deprecated `MarkedString`), or a list of these.
pub fn hover_text(contents: &Value) -> String {
    match contents {
        Value::String(text) => decode_markdown(&clean_block(text)),
        Value::Array(items) => items.iter().map(hover_text).collect::<Vec<_>>().join("\n\n"),
        Value::Object(content) => {
            let field = |name: &str| content.get(name).and_then(Value::as_str);
            let value = clean_block(field("value").unwrap_or_default());
            match field("language") {
                Some(language) => format!("```{}\n{value}\n```", clean_line(language)),
                None if field("kind") == Some("plaintext") => value,
                None => decode_markdown(&value),
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
    fn escapes_and_entities_of_markdown_are_decoded() {
        for (text, expected) in [
            ("style (Union\\[str, Style\\]), no\\_wrap", "style (Union[str, Style]), no_wrap"),
            ("Args:\n&nbsp;&nbsp;a &lt;b&gt; &#39;c&#x27; &amp;nbsp;", "Args:\n  a <b> 'c' &nbsp;"),
            ("`a\\_b &lt;` \\`", "`a\\_b &lt;` `"),
            ("```python\na\\_b &nbsp;\n```\n\\*", "```python\na\\_b &nbsp;\n```\n*"),
            ("a & b; &unknown; C:\\dir &#x7; \\", "a & b; &unknown; C:\\dir   \\"),
        ] {
            assert_eq!(decode_markdown(text), expected);
        }
    }

    #[test]
    fn the_declaration_precedes_the_description() {
        let text = "### function `area`\n\n---\nReturns it:\n```cpp\nx = 1;\n```\n\n---\n```cpp\nint area()\n```";
        assert_eq!(
            begin_with_declaration(text, |block| block.contains("area")),
            "```cpp\nint area()\n```\n### function `area`\n\n---\nReturns it:\n```cpp\nx = 1;\n```"
        );
        assert_eq!(begin_with_declaration("```a\nb\n```\nc", |_| true), "```a\nb\n```\nc");
        assert_eq!(first_code_line("a\n```py\ndef f(\n  a\n)\n```", 99).as_deref(), Some("def f( a )"));
    }

    #[test]
    fn long_lines_are_truncated_with_an_ellipsis() {
        let line = source_line(&"é".repeat(300));
        assert_eq!(line.chars().count(), MAX_SOURCE_LINE + 1);
        assert!(line.ends_with('…'));
    }
}
