//! Markdown about a model: two styles of links, and escaped texts.
//!
//! Text from a model is data. It must not open a code span, a link, a picture or HTML, begin a heading, a quotation, a
//! table or a fence, or end its line: a backslash escapes the characters that would. Prose stays readable without being
//! rendered: lists, paragraphs, `snake_case`, `a < b` and addresses are left as they are, and control characters are
//! left out.

use std::borrow::Cow;
use std::fmt::Write as _;

use dlang_model::{Db, Definition, File, Reference, ReferenceId, file_model, target};
use dlang_syntax::TextSize;
use rustc_hash::FxHashMap;

use crate::lines::Lines;

/// The maximum number of list entries that are shown.
pub const MAX_ITEMS: usize = 50;

/// The maximum number of characters of one text that are shown.
pub const MAX_TEXT: usize = 2_000;

/// The maximum number of characters of a name that are shown: the maximum length of an element's path.
const MAX_NAME: usize = 512;

/// The separator between two parts of one explanation.
pub(crate) const RULE: &str = "\n\n---\n\n";

/// The format of references to other locations.
#[derive(Clone, Copy)]
pub enum Links<'a> {
    /// Only the text.
    Plain,
    /// Links to the URI of the file, with 1-based line and column (UTF-16): `#L3,5`.
    FileUri(&'a dyn Fn(File) -> String),
}

/// The builder of explanations.
pub(crate) struct Page<'a> {
    pub(crate) db: &'a dyn Db,
    links: Links<'a>,
    /// The lines of each file, computed once, however many links refer to it.
    lines: FxHashMap<File, Lines>,
}

impl<'a> Page<'a> {
    pub(crate) fn new(db: &'a dyn Db, links: Links<'a>) -> Self {
        Self { db, links, lines: FxHashMap::default() }
    }

    /// Returns a link to an element, with its fully qualified name as text.
    pub(crate) fn link(&mut self, definition: Definition) -> String {
        let name = definition.fqn(self.db).or_else(|| definition.name(self.db));
        let text = name.map_or_else(|| "?".to_owned(), |name| self::name(&name));
        match definition.range(self.db) {
            Some(range) => self.link_to(text, definition.file, range.start()),
            None => text,
        }
    }

    /// Returns a link to a location; `text` is Markdown.
    pub(crate) fn link_to(&mut self, text: String, file: File, at: TextSize) -> String {
        let Links::FileUri(uri) = self.links else { return text };
        let content = file.text(self.db);
        let lines = self.lines.entry(file).or_insert_with(|| Lines::new(content));
        let number = lines.number(at);
        let start = usize::from(lines.line(number).start());
        let before = content.get(start..usize::from(at)).unwrap_or_default();
        let column = before.encode_utf16().count() + 1;
        let mut link = format!("[{text}](");
        for character in uri(file).chars() {
            // These would end the address.
            match character {
                '(' => link.push_str("%28"),
                ')' => link.push_str("%29"),
                '<' => link.push_str("%3C"),
                '>' => link.push_str("%3E"),
                '\\' => link.push_str("%5C"),
                ' ' => link.push_str("%20"),
                control if control.is_control() => {}
                other => link.push(other),
            }
        }
        _ = write!(link, "#L{},{column})", number + 1);
        link
    }

    /// Formats the target of a file's reference: links, or the written text and a note that it does not resolve.
    pub(crate) fn reference(&mut self, owner: Definition, id: ReferenceId) -> Option<String> {
        if let Some(definition) = target(self.db, owner, Some(id)) {
            return Some(self.link(definition));
        }
        render_unresolved(file_model(self.db, owner.file).reference(id)?)
    }

    /// Formats the entries of a list below a title, up to the maximum number of entries.
    pub(crate) fn list(title: &str, count: usize, items: impl Iterator<Item = String>) -> Option<String> {
        if count == 0 {
            return None;
        }
        let mut list = title.to_owned();
        for item in items.take(MAX_ITEMS) {
            if !list.is_empty() {
                list.push('\n');
            }
            list.push_str("- ");
            list.push_str(&item);
        }
        if let Some(more) = count.checked_sub(MAX_ITEMS).filter(|more| *more > 0) {
            _ = write!(list, "\n- …and {more} more");
        }
        Some(list)
    }
}

/// A note after an unresolved name.
pub(crate) const NOT_FOUND: &str = "*(not found)*";

/// Renders an unresolved reference.
pub(crate) fn render_unresolved(reference: &Reference) -> Option<String> {
    let text = reference.text.as_str();
    (!text.is_empty()).then(|| format!("{} {NOT_FOUND}", name(text)))
}

/// Escapes and shortens a name.
pub(crate) fn name(text: &str) -> String {
    escape(&short(text))
}

/// Renders a name as code. Names have no backticks.
pub(crate) fn code(text: &str) -> String {
    format!("`{}`", short(text))
}

/// Returns the displayed part of one or several names, not escaped.
pub(crate) fn short(text: &str) -> Cow<'_, str> {
    match truncate(text, MAX_NAME) {
        (text, None) => text.into(),
        (text, Some(_)) => format!("{text}…").into(),
    }
}

/// Renders a text on one line; `None` if it is blank.
pub(crate) fn line(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let (shown, more) = truncate(&text, MAX_TEXT);
    let mut escaped = escape(shown);
    push_more(&mut escaped, more);
    (!escaped.is_empty()).then_some(escaped)
}

/// Renders a text as paragraphs; `None` if it is blank.
pub(crate) fn prose(text: &str) -> Option<String> {
    let text = text.trim();
    let (shown, more) = truncate(text, MAX_TEXT);
    let mut paragraphs = String::new();
    // Empty lines are emitted only when a line follows them.
    let mut is_after_empty = false;
    for line in shown.split(['\n', '\r']).map(str::trim) {
        if line.is_empty() {
            is_after_empty = true;
            continue;
        }
        if !paragraphs.is_empty() {
            paragraphs.push_str(if is_after_empty { "\n\n" } else { "\n" });
        }
        is_after_empty = false;
        let mut characters = line.chars();
        let is_markup = match (characters.next(), characters.next()) {
            (Some('#' | '>' | '=' | '|'), _) | (Some(':'), Some('-')) => true,
            // A list item has a blank after the dash; several dashes are a rule, or underline a heading.
            (Some('-'), next) => !next.is_some_and(char::is_whitespace),
            _ => false,
        };
        if is_markup {
            paragraphs.push('\\');
        }
        paragraphs.push_str(&escape(line));
    }
    push_more(&mut paragraphs, more);
    (!paragraphs.is_empty()).then_some(paragraphs)
}

/// Renders paragraphs in italics.
pub(crate) fn emphasize(text: &str) -> Option<String> {
    let paragraphs = prose(text)?;
    let paragraphs: Vec<_> = paragraphs.split("\n\n").map(|paragraph| format!("*{paragraph}*")).collect();
    Some(paragraphs.join("\n\n"))
}

fn push_more(text: &mut String, more: Option<usize>) {
    if let Some(more) = more {
        let noun = if more == 1 { "character" } else { "characters" };
        _ = write!(text, "… ({more} more {noun})");
    }
}

/// Returns the beginning of a text, and the number of characters left out.
fn truncate(text: &str, most: usize) -> (&str, Option<usize>) {
    match text.char_indices().nth(most).and_then(|(end, _)| text.split_at_checked(end)) {
        Some((shown, rest)) => (shown, Some(rest.chars().count())),
        None => (text, None),
    }
}

/// Escapes a text on one line so that it is not read as Markdown.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before: Option<char> = None;
    let blanks = text.chars().map(|character| if character.is_whitespace() { ' ' } else { character });
    let mut characters = blanks.filter(|character| !character.is_control()).peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        let is_markup = match character {
            '`' | '*' | '[' | ']' => true,
            // A backslash escapes only signs; at the end of a text it would escape what follows.
            '\\' => next.is_none_or(|next| next.is_ascii_punctuation() || next.is_whitespace()),
            '_' => ![before, next].iter().all(|side| side.is_some_and(char::is_alphanumeric)),
            '~' => before == Some('~') || next == Some('~'),
            '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            '&' => next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '#'),
            _ => false,
        };
        if is_markup {
            escaped.push('\\');
        }
        escaped.push(character);
        before = Some(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{emphasize, line, name, prose};

    #[test]
    fn markdown_is_escaped() {
        for (text, expected) in [
            ("[a](http://x) ![b](c)", r"\[a\](http://x) !\[b\](c)"),
            ("`code` and ```fence", r"\`code\` and \`\`\`fence"),
            ("<script>x</script> <!-- -->", r"\<script>x\</script> \<!-- -->"),
            ("**a** _b_ __c__ ~~d~~", r"\*\*a\*\* \_b\_ \_\_c\_\_ \~\~d\~\~"),
            (r"\[a](b) c\", r"\\\[a\](b) c\\"),
            ("&lt;b&gt; &#60;", r"\&lt;b\&gt; \&#60;"),
            ("a\0b\u{1b}[31m", r"ab\[31m"),
        ] {
            assert_eq!(line(text).as_deref(), Some(expected));
        }
    }

    #[test]
    fn plain_prose_is_not_escaped() {
        for text in
            [r"C:\dir", "a < b > c", "A & B, 100 % (all) - 1.5 ~ 2", "snake_case", "https://a.b/c?d=e", "größer", "# 1"]
        {
            assert_eq!(line(text).as_deref(), Some(text));
        }
        assert_eq!(line(" a \n  b\tc ").as_deref(), Some("a b c"));
        assert_eq!(prose("a\tb\u{2028}c").as_deref(), Some("a b c"));
        assert_eq!((line(" \n "), prose(" \r\n "), name("")), (None, None, String::new()));
    }

    #[test]
    fn paragraphs() {
        let text = "one\n  two\r\n\n\n\n- a\n- b\n# no heading\n> no quotation\n---\n===\n~~~\n|a|\n:-|-\n    no code";
        insta::assert_snapshot!(prose(text).unwrap_or_default(), @r"
        one
        two

        - a
        - b
        \# no heading
        \> no quotation
        \---
        \===
        \~\~\~
        \|a|
        \:-|-
        no code
        ");
        insta::assert_snapshot!(emphasize("a *b*\nc\n\nd\\").unwrap_or_default(), @r"
        *a \*b\*
        c*

        *d\\*
        ");
    }

    #[test]
    fn long_texts_are_truncated() {
        assert_eq!(line(&"ä".repeat(2_003)), Some("ä".repeat(2_000) + "… (3 more characters)"));
        assert_eq!(name(&"x".repeat(600)), "x".repeat(512) + "…");
    }
}
