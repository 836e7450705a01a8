//! String tokens and their values.

use std::borrow::Cow;

use rowan::{TextRange, TextSize};

use crate::generated::kinds::SyntaxKind;
use crate::tree::SyntaxToken;

/// String literal in the text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StringToken {
    syntax: SyntaxToken,
}

impl StringToken {
    /// Returns `None` if the token is not a string.
    pub fn cast(syntax: SyntaxToken) -> Option<Self> {
        (syntax.kind() == SyntaxKind::STRING).then_some(Self { syntax })
    }

    pub fn syntax(&self) -> &SyntaxToken {
        &self.syntax
    }

    /// Returns the value: without quotes, escapes resolved.
    pub fn value(&self) -> String {
        unescape(self.raw()).into_owned()
    }

    /// Returns the text between the quotes, escapes unresolved.
    pub fn raw(&self) -> &str {
        let text = self.syntax.text();
        let content = text.get(1..).unwrap_or_default();
        if self.is_terminated() { content.get(..content.len() - 1).unwrap_or_default() } else { content }
    }

    /// Returns the range of [`raw`](Self::raw).
    pub fn raw_range(&self) -> TextRange {
        let start = self.syntax.text_range().start() + TextSize::new(1);
        TextRange::at(start, TextSize::of(self.raw()))
    }

    /// Returns the opening quote, `"` or `'`.
    pub fn quote(&self) -> char {
        self.syntax.text().chars().next().unwrap_or('"')
    }

    /// Whether the closing quote is present.
    pub fn is_terminated(&self) -> bool {
        let text = self.syntax.text();
        let Some(content) = text.get(1..).and_then(|rest| rest.strip_suffix(self.quote())) else { return false };
        // A quote after an odd number of backslashes belongs to the string.
        content.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0
    }
}

/// Resolves escapes: `\b \f \n \r \t \v \0` are control characters; any other character after a backslash is itself.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut value = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        value.push(match (character, character == '\\') {
            (_, true) => match characters.next() {
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('v') => '\u{b}',
                Some('0') => '\0',
                Some(other) => other,
                None => break,
            },
            (other, false) => other,
        });
    }
    Cow::Owned(value)
}

/// Writes a value as a string in double quotes; parsing it returns the same value.
pub fn quote(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for character in value.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{b}' => text.push_str("\\v"),
            '\0' => text.push_str("\\0"),
            other => text.push(other),
        }
    }
    text.push('"');
    text
}
