//! Reserved words and signs as data, for listing, documentation and highlighting.

pub use crate::generated::keywords::{KEYWORDS, SIGNS};
use crate::generated::kinds::SyntaxKind;

/// Meaning and the words that have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keyword {
    pub kind: SyntaxKind,
    /// Words that have this meaning, the preferred one first. For a pattern, that is the name of its node type.
    pub spellings: &'static [&'static str],
    pub role: KeywordClass,
    /// One sentence of Markdown.
    pub doc: &'static str,
    /// Page below [`DOCUMENTATION`] with details.
    pub page: &'static str,
}

/// Root of the language's online documentation.
pub const DOCUMENTATION: &str = "https://domainlang.net/";

impl Keyword {
    /// Returns the preferred word.
    pub fn preferred_spelling(&self) -> &'static str {
        self.spellings.first().copied().unwrap_or_default()
    }
}

/// Grammatical function of a reserved word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeywordClass {
    /// Begins an element of a file or namespace.
    Declaration,
    /// Begins an import.
    Import,
    /// Begins an entry of a block.
    Item,
    /// Adds a further part to the preceding construct.
    Clause,
    /// Begins a property that has a value.
    Property,
    /// Begins a property that has a body in braces.
    Block,
    /// Begins a list of values.
    List,
    /// Separates a property from its value.
    Assignment,
    /// Refers to an element.
    Reference,
    /// Integration pattern.
    Pattern(Side),
}

/// Position at which an integration pattern may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// At the upstream end of an arrow.
    Upstream,
    /// At the downstream end of an arrow.
    Downstream,
    /// At either end of an arrow.
    Either,
    /// Instead of an arrow.
    Symmetric,
}

/// Bracket, separator or arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Punctuation {
    pub kind: SyntaxKind,
    pub text: &'static str,
    /// One sentence of Markdown; empty if there is nothing to explain.
    pub doc: &'static str,
    /// Page below [`DOCUMENTATION`] with details; or empty.
    pub page: &'static str,
}

/// Returns the row of a reserved word.
pub fn keyword(kind: SyntaxKind) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|keyword| keyword.kind == kind)
}

/// Returns the row of a bracket, separator or arrow.
pub fn sign(kind: SyntaxKind) -> Option<&'static Punctuation> {
    SIGNS.iter().find(|sign| sign.kind == kind)
}

/// Whether a text is an identifier and not a reserved word: a name that is valid everywhere.
pub fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        && SyntaxKind::from_word(text).is_none()
}

#[cfg(test)]
mod tests {
    use super::{KEYWORDS, SIGNS, is_identifier};
    use crate::{SyntaxKind, tokenize};

    #[test]
    fn every_spelling_is_one_token_of_its_kind() {
        let mut spellings = 0;
        for keyword in KEYWORDS {
            for spelling in keyword.spellings {
                let kinds: Vec<_> = tokenize(spelling).iter().map(|token| token.kind).collect();
                assert_eq!(kinds, [keyword.kind], "{spelling}");
                assert!(keyword.kind.is_keyword() && !is_identifier(spelling));
                spellings += 1;
            }
        }
        // The language has 69 reserved words.
        assert_eq!(spellings, 69);
        for sign in SIGNS {
            let kinds: Vec<_> = tokenize(sign.text).iter().map(|token| token.kind).collect();
            assert_eq!(kinds, [sign.kind], "{}", sign.text);
            assert!(sign.kind.is_sign());
        }
    }

    #[test]
    fn documentation_is_one_sentence() {
        for keyword in KEYWORDS {
            assert!(keyword.doc.ends_with('.') && !keyword.doc.contains('\n'), "{}", keyword.doc);
            assert!(!keyword.page.is_empty() && !keyword.page.starts_with('/'), "{}", keyword.page);
        }
    }

    #[test]
    fn identifiers() {
        for valid in ["a", "_", "A-b-", "x9", "bcX", "in-x"] {
            assert!(is_identifier(valid), "{valid}");
        }
        for invalid in ["", "9", "-a", "a.b", "é", "a b", "bc", "S", "this"] {
            assert!(!is_identifier(invalid), "{invalid}");
        }
    }

    #[test]
    fn kinds_have_texts() {
        assert_eq!(SyntaxKind::BOUNDED_CONTEXT_KW.text(), Some("BoundedContext"));
        assert_eq!(SyntaxKind::BOTH_ARROW.text(), Some("<->"));
        assert_eq!(SyntaxKind::IDENT.text(), None);
    }
}
