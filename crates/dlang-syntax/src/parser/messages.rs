//! Texts of diagnostics. Messages are word for word those of DomainLang's original tools; hints are zubi's.

use std::fmt::Write as _;

use rowan::{TextRange, TextSize};

use crate::diagnostics::{Collector, SyntaxCode, SyntaxDiagnostic};
use crate::generated::kinds::SyntaxKind;
use crate::keywords::{KeywordClass, keyword};
use crate::lexer::{LexedText, LexicalFault, offset};

/// Maximum number of characters of an unexpected token in a message.
const MAX_EXCERPT_CHARS: usize = 40;

/// Formats "Expecting …, but found …"; `found` is `None` at the end of the text.
pub(super) fn expecting_message(kinds: &[SyntaxKind], found: Option<&str>) -> String {
    let labels: Vec<_> = kinds.iter().flat_map(|kind| labels(*kind)).collect();
    match labels.as_slice() {
        [label] => expected_text(label, found),
        labels => {
            let mut message = "Expecting: one of these possible Token sequences:\n".to_owned();
            for (index, label) in labels.iter().enumerate() {
                _ = writeln!(message, "  {}. [{label}]", index + 1);
            }
            match found {
                Some(found) => _ = write!(message, "but found: '{}'", ellipsize(found)),
                None => message.push_str("but found end of file"),
            }
            message
        }
    }
}

pub(super) fn expected_text(label: &str, found: Option<&str>) -> String {
    match found {
        Some(found) => format!("Expecting token of type '{label}' but found `{}`.", ellipsize(found)),
        None => format!("Expecting token of type '{label}' but found end of file."),
    }
}

/// Returns the names of a kind in messages. Patterns have two equally good ones.
fn labels(kind: SyntaxKind) -> Vec<&'static str> {
    match (kind, keyword(kind)) {
        (SyntaxKind::IDENT, _) => vec!["ID"],
        (SyntaxKind::STRING, _) => vec!["STRING"],
        (_, Some(keyword)) if matches!(keyword.role, KeywordClass::Pattern(_)) => {
            keyword.spellings.iter().rev().copied().collect()
        }
        _ => kind.text().into_iter().collect(),
    }
}

fn ellipsize(text: &str) -> String {
    let mut excerpt: String = text.chars().take(MAX_EXCERPT_CHARS).collect();
    if excerpt.len() < text.len() {
        excerpt.push('…');
    }
    excerpt
}

/// Reports the lexer's errors. Offsets and lengths in the messages count UTF-16 units, as in the original tools; the
/// count continues from error to error, so that the text is read once.
pub(super) fn report_lexical_faults(text: &str, lexed: &LexedText, problems: &mut Collector) {
    let mut seen = 0;
    let mut units = 0;
    for (index, fault) in &lexed.faults {
        let Some(token) = lexed.tokens.get(*index) else { continue };
        let end = lexed.tokens.get(index + 1).map_or_else(|| offset(text.len()), |next| next.start);
        let range = TextRange::new(token.start, end);
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        units += utf16(text.get(seen..start));
        seen = start;
        let token = text.get(start..end).unwrap_or_default();
        let (code, length, hint) = match fault {
            LexicalFault::Unknown => (SyntaxCode::UnexpectedCharacter, utf16(Some(token)), None),
            LexicalFault::OpenString => (
                SyntaxCode::UnterminatedString,
                1,
                Some(format!("The string that begins here is not closed: add {} at its end.", first(token))),
            ),
            LexicalFault::OpenComment => (
                SyntaxCode::UnterminatedComment,
                2,
                Some("The comment that begins here is not closed: add */.".to_owned()),
            ),
        };
        let message =
            format!("unexpected character: ->{}<- at offset: {units}, skipped {length} characters.", first(token));
        let hint = hint.map(Into::into);
        problems.push(SyntaxDiagnostic { hint, ..SyntaxDiagnostic::new(range, code, message) });
    }
}

fn utf16(text: Option<&str>) -> usize {
    text.unwrap_or_default().chars().map(char::len_utf16).sum()
}

/// Returns the first character, or its code point if it is a control character.
fn first(token: &str) -> String {
    match token.chars().next() {
        Some(character) if character.is_control() => format!("U+{:04X}", u32::from(character)),
        Some(character) => character.to_string(),
        None => String::new(),
    }
}

pub(super) fn too_large(text: &str) -> SyntaxDiagnostic {
    let message = format!("The text is too long: zubi reads only its first {} bytes.", text.len());
    SyntaxDiagnostic::new(TextRange::empty(TextSize::of(text)), SyntaxCode::FileTooLarge, message)
}
