//! Splits a text into tokens. Every byte is in exactly one token.
//!
//! The rules are those of the language's definition, with one difference: a `-` directly before `>` ends an
//! identifier. Strings may span lines, so after a forgotten quote every later string would begin and end at the wrong
//! quotes. In a text whose last string does not end, which is wrong anyway, the lexer therefore guesses which quote
//! was forgotten; see [`strings`].

use logos::Logos;
use rowan::{TextRange, TextSize};

use crate::generated::kinds::SyntaxKind;

mod strings;

use strings::QuoteRecovery;

/// Token and its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LexedToken {
    pub kind: SyntaxKind,
    pub range: TextRange,
}

/// Splits a text into tokens. Reserved words have their keyword kind even where the parser would read them as names.
/// A text longer than [`MAX_LENGTH`](crate::limits::MAX_LENGTH) is truncated there.
pub fn tokenize(text: &str) -> Vec<LexedToken> {
    let text = truncate(text, crate::limits::MAX_LENGTH);
    let lexed = lex(text);
    let ends = lexed.tokens.iter().skip(1).map(|token| token.start).chain([offset(text.len())]);
    let ranges = lexed.tokens.iter().zip(ends).map(|(token, end)| (token.kind, token.start, end));
    ranges.map(|(kind, start, end)| LexedToken { kind, range: TextRange::new(start, end) }).collect()
}

/// Returns the first `length` bytes of a text, or a few less to end at a character boundary.
pub(crate) fn truncate(text: &str, length: usize) -> &str {
    text.get(..text.floor_char_boundary(length)).unwrap_or(text)
}

/// Converts an offset in a text whose length is already limited.
pub(crate) fn offset(bytes: usize) -> TextSize {
    TextSize::new(u32::try_from(bytes).unwrap_or(u32::MAX))
}

/// Token by its start; it ends where the next one begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) kind: SyntaxKind,
    pub(crate) start: TextSize,
}

/// Lexical error of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LexicalFault {
    /// No token begins with these characters.
    Unknown,
    /// The string has no closing quote.
    OpenString,
    /// The comment has no end.
    OpenComment,
}

#[derive(Debug, Default)]
pub(crate) struct LexedText {
    pub(crate) tokens: Vec<Token>,
    /// Indices of tokens with faults, in order.
    pub(crate) faults: Vec<(usize, LexicalFault)>,
}

pub(crate) fn lex(text: &str) -> LexedText {
    lex_with(text, QuoteRecovery::exact())
        .or_else(|| lex_with(text, QuoteRecovery::new_forgiving()))
        .unwrap_or_default()
}

/// Returns the tokens, or `None` if a string does not end and `quotes` is not forgiving.
fn lex_with(text: &str, quotes: QuoteRecovery) -> Option<LexedText> {
    let mut lexed = LexedText { tokens: Vec::with_capacity(text.len() / 4), faults: Vec::new() };
    let mut lexer = Raw::lexer_with_extras(text, quotes);
    while let Some(raw) = lexer.next() {
        let start = offset(lexer.span().start);
        let kind = match raw {
            Ok(Raw::Word) => SyntaxKind::from_word(lexer.slice()).unwrap_or(SyntaxKind::IDENT),
            Ok(Raw::BlockComment) if is_doc_comment(lexer.slice()) => SyntaxKind::DOC_COMMENT,
            Ok(raw) => raw.kind(),
            Err(()) => SyntaxKind::UNKNOWN,
        };
        let fault = match kind {
            SyntaxKind::UNKNOWN => {
                // One diagnostic for a run of characters.
                if lexed.tokens.last().is_some_and(|last| last.kind == SyntaxKind::UNKNOWN) {
                    continue;
                }
                Some(LexicalFault::Unknown)
            }
            _ => lexer.extras.take_fault(),
        };
        if fault == Some(LexicalFault::OpenString) && !lexer.extras.is_forgiving() {
            return None;
        }
        lexed.faults.extend(fault.map(|fault| (lexed.tokens.len(), fault)));
        lexed.tokens.push(Token { kind, start });
    }
    Some(lexed)
}

/// `/**/` is an empty comment, not an unterminated documentation comment.
fn is_doc_comment(text: &str) -> bool {
    text.starts_with("/**") && text != "/**/"
}

// The white space is that of ECMAScript, in which the language's first lexer was written.
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(extras = QuoteRecovery)]
enum Raw {
    #[regex(r"[\t\n\x0B\x0C\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]+")]
    Whitespace,
    #[regex(r"//[^\n\r]*", allow_greedy = true)]
    LineComment,
    #[token("/*", strings::comment)]
    BlockComment,
    #[regex("[A-Za-z_][A-Za-z0-9_]*(-+[A-Za-z0-9_]+)*", hyphens)]
    Word,
    #[token("\"", strings::string)]
    #[token("'", strings::string)]
    String,
    #[token("{")]
    LeftCurly,
    #[token("}")]
    RightCurly,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token(":")]
    Colon,
    #[token("=")]
    Equals,
    #[token("<->")]
    BothArrow,
    #[token("->")]
    RightArrow,
    #[token("<-")]
    LeftArrow,
    #[token("><")]
    ApartArrow,
}

impl Raw {
    fn kind(self) -> SyntaxKind {
        match self {
            Self::Whitespace => SyntaxKind::WHITESPACE,
            Self::LineComment => SyntaxKind::LINE_COMMENT,
            Self::BlockComment => SyntaxKind::BLOCK_COMMENT,
            Self::Word => SyntaxKind::IDENT,
            Self::String => SyntaxKind::STRING,
            Self::LeftCurly => SyntaxKind::L_CURLY,
            Self::RightCurly => SyntaxKind::R_CURLY,
            Self::LeftBracket => SyntaxKind::L_BRACK,
            Self::RightBracket => SyntaxKind::R_BRACK,
            Self::Comma => SyntaxKind::COMMA,
            Self::Dot => SyntaxKind::DOT,
            Self::Colon => SyntaxKind::COLON,
            Self::Equals => SyntaxKind::EQ,
            Self::BothArrow => SyntaxKind::BOTH_ARROW,
            Self::RightArrow => SyntaxKind::RIGHT_ARROW,
            Self::LeftArrow => SyntaxKind::LEFT_ARROW,
            Self::ApartArrow => SyntaxKind::APART_ARROW,
        }
    }
}

/// Adds the hyphens at its end to a word, except one that forms an arrow with the following `>`.
fn hyphens(lexer: &mut logos::Lexer<'_, Raw>) {
    let rest = lexer.remainder();
    let hyphens = rest.bytes().take_while(|byte| *byte == b'-').count();
    let is_arrow = hyphens > 0 && rest.as_bytes().get(hyphens) == Some(&b'>');
    lexer.bump(if is_arrow { hyphens - 1 } else { hyphens });
}

#[cfg(test)]
mod tests;
