//! Tests of `splice`.

use proptest::prelude::*;

use super::*;

/// Applies edits given as `(start line, start column, end line, end column, new text)`, 0-based, in UTF-16.
fn apply(text: &str, edits: &[(u32, u32, u32, u32, &str)]) -> Result<SplicedText, SpliceError> {
    let position = |line, character| lsp::Position { line, character };
    let edits: Vec<_> = edits
        .iter()
        .map(|(from, column, to, end, new)| lsp::TextEdit {
            range: lsp::Range { start: position(*from, *column), end: position(*to, *end) },
            new_text: (*new).to_owned(),
        })
        .collect();
    splice(text, locate(text, &TextIndex::new(text), &edits, Encoding::Utf16, 0)?)
}

fn text_of(text: &str, edits: &[(u32, u32, u32, u32, &str)]) -> String {
    apply(text, edits).unwrap().text
}

#[test]
fn order_and_touching() {
    assert_eq!(text_of("abc", &[(0, 1, 0, 2, "X"), (0, 2, 0, 3, "Y"), (0, 0, 0, 1, "W")]), "WXY");
    assert_eq!(text_of("abc", &[(0, 1, 0, 1, "1"), (0, 1, 0, 1, "2"), (0, 1, 0, 1, "1")]), "a121bc");
    assert_eq!(text_of("abc", &[(0, 1, 0, 2, "X"), (0, 1, 0, 1, "i")]), "aiXc", "the insert is applied first");
    assert_eq!(text_of("abc", &[(0, 2, 0, 1, "X")]), "aXc", "a reversed range is swapped");
    assert_eq!(text_of("", &[(0, 0, 0, 0, "x\n")]), "x\n");
}

#[test]
fn the_same_edit_twice() {
    let twice = apply("abc", &[(0, 1, 0, 2, "X"), (0, 1, 0, 2, "X")]).unwrap();
    assert_eq!(twice, SplicedText { text: "aXc".to_owned(), edits: 1, duplicates: 1 });
    let insert = |server| ByteEdit { range: TextRange::empty(1.into()), new_text: ")".to_owned(), server };
    assert_eq!(splice("ab", vec![insert(0), insert(0)]).unwrap().text, "a))b", "one server may insert twice");
    assert_eq!(splice("ab", vec![insert(0), insert(1)]).unwrap().text, "a)b", "two servers agree");
}

#[test]
fn overlaps_are_refused() {
    let overlap =
        |first: &str, second: &str| Err(SpliceError::Overlap { first: first.to_owned(), second: second.to_owned() });
    assert_eq!(apply("abcd", &[(0, 1, 0, 3, "X"), (0, 2, 0, 4, "Y")]), overlap("1:2", "1:3"));
    assert_eq!(apply("abcd", &[(0, 0, 0, 4, "X"), (0, 2, 0, 2, "Y")]), overlap("1:1", "1:3"));
    assert_eq!(apply("abcd", &[(0, 1, 0, 3, "X"), (0, 1, 0, 3, "Y")]), overlap("1:2", "1:2"));
}

#[test]
fn past_the_end() {
    assert_eq!(text_of("a\nb\n", &[(0, 0, u32::MAX, u32::MAX, "c\n")]), "c\n", "the full document");
    assert_eq!(text_of("a\nb", &[(2, 0, 2, 0, "c")]), "a\nbc", "one line past the last means the end");
    assert_eq!(text_of("ab\r\nc\r\n", &[(0, 99, 0, 99, "!")]), "ab!\r\nc\r\n", "before the terminator");
    assert_eq!(apply("a\nb", &[(3, 0, 3, 0, "c")]), Err(SpliceError::BeyondEnd { line: 4, lines: 2 }));
}

#[test]
fn characters_are_never_split() {
    assert_eq!(text_of("a👍b", &[(0, 1, 0, 3, "x")]), "axb");
    assert_eq!(apply("a👍b", &[(0, 2, 0, 3, "x")]), Err(SpliceError::CutsCharacter { position: "1:3".to_owned() }));
}

#[test]
fn line_endings() {
    assert_eq!(text_of("a\r\nb\r\n", &[(1, 0, 1, 1, "1\n2\r3\r\n4")]), "a\r\n1\r\n2\r\n3\r\n4\r\n");
    assert_eq!(text_of("a\nb\n", &[(1, 0, 1, 1, "1\r\n2")]), "a\n1\n2\n");
    assert_eq!(text_of("a\r\nb\nc\n", &[(2, 0, 2, 1, "x\r\ny")]), "a\r\nb\nx\ny\n", "mixed stays mixed");
    assert_eq!(text_of("a", &[(0, 1, 0, 1, "\r\nb")]), "a\r\nb", "no ending to follow");
    assert_eq!(text_of("a\r\nb", &[(1, 0, 1, 1, "c")]), "a\r\nc", "a missing final newline stays missing");
    assert_eq!(apply("a\rb\n", &[(0, 0, 0, 0, "x")]), Err(SpliceError::LoneCarriageReturn));
}

#[test]
fn non_text_results_are_refused() {
    assert_eq!(apply("a", &[(0, 0, 0, 0, "\0")]), Err(SpliceError::NotText));
    let large = "x".repeat(usize::try_from(MAX_TEXT_BYTES).unwrap());
    assert_eq!(apply("a", &[(0, 0, 0, 0, &large)]), Err(SpliceError::TooLarge));
}

/// A text of lines of whole characters, so that a random position is easy to compute in every unit.
fn texts() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        6 => prop::char::range('a', 'e').prop_map(String::from),
        2 => prop::sample::select(vec!["é", "漢", "👍", "\u{301}"]).prop_map(str::to_owned),
        2 => Just("\n".to_owned()),
    ];
    (prop::collection::vec(character, 0..40), any::<bool>()).prop_map(|(characters, windows)| {
        let text = characters.concat();
        if windows { text.replace('\n', "\r\n") } else { text }
    })
}

/// Computes the position of a byte offset in the simplest way.
fn position(text: &str, offset: usize, encoding: Encoding) -> lsp::Position {
    let head = text.get(..offset).unwrap();
    let line = head.rsplit('\n').next().unwrap();
    let character = match encoding {
        Encoding::Utf8 => line.len(),
        Encoding::Utf16 => line.encode_utf16().count(),
        Encoding::Utf32 => line.chars().count(),
    };
    lsp::Position {
        line: u32::try_from(head.matches('\n').count()).unwrap(),
        character: u32::try_from(character).unwrap(),
    }
}

/// Returns the byte offsets that an edit can name: character starts and the end, but not between `\r` and `\n`.
fn boundaries(text: &str) -> Vec<usize> {
    let inside_ending =
        |at: usize| text.get(..at).unwrap().ends_with('\r') && text.get(at..).unwrap().starts_with('\n');
    (0..=text.len()).filter(|at| text.is_char_boundary(*at) && !inside_ending(*at)).collect()
}

type CutInput = (prop::sample::Index, String);

fn sorted_places(text: &str, cuts: &[(CutInput, CutInput)]) -> Vec<(usize, usize, String)> {
    let offsets = boundaries(text);
    cuts.iter()
        .map(|((one, new), (other, _))| {
            let (one, other) = (offsets[one.index(offsets.len())], offsets[other.index(offsets.len())]);
            (one.min(other), one.max(other), new.clone())
        })
        .collect()
}

fn cut_input() -> impl Strategy<Value = CutInput> {
    (any::<prop::sample::Index>(), "[xyz👍\n]{0,4}")
}

fn as_lsp(text: &str, edits: &[(usize, usize, String)], encoding: Encoding) -> Vec<lsp::TextEdit> {
    edits
        .iter()
        .map(|(start, end, new_text)| lsp::TextEdit {
            range: lsp::Range { start: position(text, *start, encoding), end: position(text, *end, encoding) },
            new_text: new_text.clone(),
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    /// Edits that do not overlap, in any order and unit, have the result of replacing from the back; others are
    /// refused.
    #[test]
    fn equals_the_naive_reference(text in texts(), cuts in prop::collection::vec((cut_input(), cut_input()), 0..7), back: bool) {
        let mut edits = sorted_places(&text, &cuts);
        edits.sort_by_key(|(start, end, _)| (*start, *end));
        edits.dedup_by(|one, other| one.0 == other.0 && one.1 == other.1);
        let overlap = edits.windows(2).any(|pair| pair[1].0 < pair[0].1);
        let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut expected = text.clone();
        for (start, end, new) in edits.iter().rev().filter(|_| !overlap) {
            expected.replace_range(start..end, &new.replace('\n', ending));
        }
        if back {
            edits.reverse();
        }
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let edits = as_lsp(&text, &edits, encoding);
            let located = locate(&text, &TextIndex::new(&text), &edits, encoding, 0).unwrap();
            match splice(&text, located) {
                Ok(spliced) => {
                    prop_assert!(!overlap);
                    prop_assert_eq!(&spliced.text, &expected, "{:?}", encoding);
                }
                Err(error) => prop_assert!(overlap && matches!(error, SpliceError::Overlap { .. }), "{:?}", error),
            }
        }
    }

    /// Any input results in a text or an error, never in a panic.
    #[test]
    fn hostile_positions(text in "[a👍\r\n]{0,20}", edits in prop::collection::vec((any::<[u32; 4]>(), 0..5_u32, ".{0,4}"), 0..5)) {
        let edits: Vec<_> = edits.into_iter().map(|(wild, shift, new_text)| {
            let at = |value: u32| if shift < 4 { value % (4 << shift) } else { value };
            lsp::TextEdit { range: lsp::Range {
                start: lsp::Position { line: at(wild[0]), character: at(wild[1]) },
                end: lsp::Position { line: at(wild[2]), character: at(wild[3]) },
            }, new_text }
        }).collect();
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            if let Ok(located) = locate(&text, &TextIndex::new(&text), &edits, encoding, 0) {
                drop(splice(&text, located));
            }
        }
    }
}
