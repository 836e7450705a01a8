//! The words of a dotted name, with their ranges.

use std::ops::Range;

use dlang_syntax::{SyntaxKind, TextRange, tokenize};

/// One word of a dotted name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) range: TextRange,
}

/// Returns the words of the dotted name in a range of a text. Blanks and comments may surround its dots.
pub(crate) fn words(text: &str, range: TextRange) -> Vec<Word<'_>> {
    let Some(name) = text.get(Range::<usize>::from(range)) else { return Vec::new() };
    let words = tokenize(name).into_iter().filter(|token| is_word(token.kind));
    let word = |range: TextRange| name.get(Range::<usize>::from(range)).map(|text| (text, range));
    words
        .filter_map(|token| word(token.range))
        .map(|(text, inside)| Word { text, range: inside + range.start() })
        .collect()
}

/// Whether a token can be a name in some position.
pub(crate) fn is_word(kind: SyntaxKind) -> bool {
    kind == SyntaxKind::IDENT || kind.is_keyword()
}

/// Counts the words of a dotted name without blanks.
pub(crate) fn count(name: &str) -> usize {
    name.split('.').count()
}

/// Returns the first words of a dotted name without blanks, without the last `without` words; `None` if none is left.
pub(crate) fn leading_words(name: &str, without: usize) -> Option<&str> {
    let mut rest = name;
    for _ in 0..without {
        rest = rest.rsplit_once('.')?.0;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use dlang_syntax::{TextRange, TextSize};

    use super::{leading_words, words};

    #[test]
    fn words_separated_by_trivia() {
        let text = "é Shop /* a.b */ . \n in.X-.";
        let range = TextRange::new(TextSize::new(3), TextSize::of(text));
        let rendered: Vec<_> =
            words(text, range).iter().map(|word| format!("{:?} {}", word.range, word.text)).collect();
        assert_eq!(rendered, ["3..7 Shop", "22..24 in", "25..27 X-"]);
    }

    #[test]
    fn leading_words_are_returned() {
        assert_eq!(
            [0, 1, 2, 3].map(|without| leading_words("a.b.c", without)),
            [Some("a.b.c"), Some("a.b"), Some("a"), None]
        );
    }
}
