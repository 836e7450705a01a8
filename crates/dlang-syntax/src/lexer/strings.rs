//! Ends of strings and block comments, also when their end is missing.
//!
//! A string ends at the next unescaped quote of its kind, on any line. If a quote is forgotten, the string therefore
//! runs to the opening quote of the next string, the next one begins where that one should end, and so on to the last
//! string of the text, which has no closing quote at all. The diagnostic would then be at the end of the file, and
//! everything in between would be misread.
//!
//! A text with such a last string is wrong in any case, and only for such a text the lexer is forgiving: a string
//! that spans lines and ends at an apparent opening quote (after `:`, `=`, `is`, `import`, `examples`, or directly
//! before a letter) ends with its first line instead, and so does an unterminated one.
//!
//! An unterminated block comment ends before the next line whose first word begins an element.

use logos::Lexer;

use super::{LexicalFault, Raw};
use crate::generated::kinds::SyntaxKind;
use crate::keywords::{KeywordClass, keyword};

/// Quote search state of a lexer run. Everything here is computed once per stretch of text, which makes lexing
/// linear.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QuoteRecovery {
    forgiving: bool,
    fault: Option<LexicalFault>,
    double: Next,
    single: Next,
    /// No `*/` follows.
    no_comment_ends: bool,
}

/// Next unescaped quote of a kind.
///
/// A string that was ended at the end of its line leaves quotes after it that were already searched. A string that
/// begins at one of them would find the same end: the quote was escaped (or it would have been the end), and after an
/// escaped character the search continues exactly as after an opening quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Next {
    #[default]
    Unknown,
    At(StringEnd),
    Nowhere,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StringEnd {
    quote: usize,
    /// Start of the line that contains the quote.
    line: usize,
    /// Whether the quote looks like the beginning of a string.
    is_opening: bool,
}

impl StringEnd {
    fn new(text: &str, from: usize, quote: usize) -> Self {
        let content = text.get(from..quote).unwrap_or_default();
        let last_line = content.rsplit('\n').next().unwrap_or_default();
        let before = last_line.trim_end();
        let word = before.rsplit(|character: char| !character.is_ascii_alphanumeric()).next().unwrap_or_default();
        let is_opening = before.ends_with([':', '='])
            || matches!(word, "is" | "import" | "Import" | "examples")
            || text.get(quote + 1..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
        Self { quote, line: quote - last_line.len(), is_opening }
    }

    /// Whether it more likely begins the next string than ends the one whose content begins at `from`.
    fn is_doubtful(self, from: usize) -> bool {
        from < self.line && self.is_opening
    }
}

impl QuoteRecovery {
    pub(super) fn exact() -> Self {
        Self::default()
    }

    pub(super) fn new_forgiving() -> Self {
        Self { forgiving: true, ..Self::default() }
    }

    pub(super) fn is_forgiving(self) -> bool {
        self.forgiving
    }

    pub(super) fn take_fault(&mut self) -> Option<LexicalFault> {
        self.fault.take()
    }

    /// Returns the quote that ends a string whose content begins at `from`.
    fn end(&mut self, text: &str, from: usize, quote: u8) -> Option<StringEnd> {
        let next = if quote == b'"' { &mut self.double } else { &mut self.single };
        let is_known = match *next {
            Next::Unknown => false,
            Next::At(end) => from <= end.quote,
            Next::Nowhere => true,
        };
        if !is_known {
            let end = closing_quote(text, from, quote).map(|quote| StringEnd::new(text, from, quote));
            *next = end.map_or(Next::Nowhere, Next::At);
        }
        if let Next::At(end) = *next { Some(end) } else { None }
    }
}

fn closing_quote(text: &str, from: usize, quote: u8) -> Option<usize> {
    let mut bytes = text.as_bytes().iter().enumerate().skip(from);
    while let Some((index, byte)) = bytes.next() {
        match *byte {
            b'\\' => {
                bytes.next();
            }
            byte if byte == quote => return Some(index),
            _ => {}
        }
    }
    None
}

/// Consumes the rest of a string after its opening quote.
pub(super) fn string(lexer: &mut Lexer<'_, Raw>) {
    let (text, from) = (lexer.source(), lexer.span().end);
    let quote = lexer.slice().bytes().next().unwrap_or(b'"');
    let mut quotes = lexer.extras;
    let length = match quotes.end(text, from, quote) {
        Some(end) if !quotes.forgiving || !end.is_doubtful(from) => end.quote + 1 - from,
        _ => {
            quotes.fault = Some(LexicalFault::OpenString);
            first_line(lexer.remainder())
        }
    };
    lexer.extras = quotes;
    lexer.bump(length);
}

/// Returns the length of the first line without trailing characters that more likely close something around the
/// string.
fn first_line(rest: &str) -> usize {
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    line.trim_end_matches([' ', '\t', '}', ']', ',']).len()
}

/// Consumes the rest of a block comment after `/*`.
pub(super) fn comment(lexer: &mut Lexer<'_, Raw>) {
    let rest = lexer.remainder();
    let end = if lexer.extras.no_comment_ends { None } else { rest.find("*/") };
    let length = end.map_or_else(|| before_next_element(rest), |end| end + 2);
    if end.is_none() {
        lexer.extras.no_comment_ends = true;
        lexer.extras.fault = Some(LexicalFault::OpenComment);
    }
    lexer.bump(length);
}

/// Returns the length of the text before the next line whose first word begins an element.
fn before_next_element(rest: &str) -> usize {
    let mut length = 0;
    for (number, line) in rest.split_inclusive('\n').enumerate() {
        let word = line.split_whitespace().next().unwrap_or_default();
        let role = SyntaxKind::from_word(word).and_then(keyword).map(|keyword| keyword.role);
        if number > 0 && matches!(role, Some(KeywordClass::Declaration | KeywordClass::Import)) {
            break;
        }
        length += line.len();
    }
    rest.get(..length).unwrap_or_default().trim_end().len()
}
