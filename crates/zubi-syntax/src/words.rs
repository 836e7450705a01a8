//! The words of a text: identifiers in code, comments and strings alike.

use std::ops::Range;

/// A word with its range in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordOccurrence<'a> {
    /// The word.
    pub text: &'a str,
    /// The range of the word in the text, in bytes.
    pub range: Range<usize>,
}

/// Returns the words of a text in order. A word is a longest run of characters that can be part of an identifier by
/// Unicode's rules (UAX #31, XID), and does not begin with a digit.
pub fn words(text: &str) -> impl Iterator<Item = WordOccurrence<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + length_until(text.get(at..)?, continues)?;
            let run = text.get(start..)?;
            at = start + length_until(run, |character| !continues(character)).unwrap_or(run.len());
            let word = text.get(start..at)?;
            if word.chars().next().is_some_and(starts) {
                return Some(WordOccurrence { text: word, range: start..at });
            }
        }
    })
}

/// Returns the number of bytes before the first character for which `is_end` holds.
fn length_until(text: &str, is_end: impl Fn(char) -> bool) -> Option<usize> {
    // Most texts are ASCII, for which one byte is one character.
    for (at, byte) in text.bytes().enumerate() {
        if !byte.is_ascii() {
            return text.get(at..)?.find(is_end).map(|length| at + length);
        }
        if is_end(char::from(byte)) {
            return Some(at);
        }
    }
    None
}

fn starts(character: char) -> bool {
    character == '_' || unicode_ident::is_xid_start(character)
}

fn continues(character: char) -> bool {
    character == '_' || unicode_ident::is_xid_continue(character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_identifiers() {
        let text = "let größe_2 = 2x + __init__; // naïve 名前 $id e\u{301}a";
        let found: Vec<&str> = words(text).map(|word| word.text).collect();
        assert_eq!(found, ["let", "größe_2", "__init__", "naïve", "名前", "id", "e\u{301}a"]);
    }

    proptest! {
        #[test]
        fn each_word_is_in_its_range(text in ".{0,60}") {
            let mut end = 0;
            for word in words(&text) {
                prop_assert!(word.range.start >= end && !word.text.is_empty());
                prop_assert_eq!(text.get(word.range.clone()), Some(word.text));
                end = word.range.end;
            }
        }
    }
}
