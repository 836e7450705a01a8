//! Tests of `position`.

use proptest::prelude::*;

use super::*;

const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

/// Texts with every kind of character and line ending that is known to cause mistakes.
fn texts() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        4 => "[a-z ]{0,6}".prop_map(String::from),
        1 => Just("\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
        2 => prop::sample::select(vec!["é", "ß", "漢", "👍", "👩‍👧", "e\u{301}", "\u{2028}", "\t"]).prop_map(str::to_owned),
    ];
    prop::collection::vec(fragment, 0..24).prop_map(|fragments| fragments.concat())
}

/// The length of a text in the units of an encoding.
fn units(text: &str, encoding: Encoding) -> u32 {
    let units = match encoding {
        Encoding::Utf8 => text.len(),
        Encoding::Utf16 => text.encode_utf16().count(),
        Encoding::Utf32 => text.chars().count(),
    };
    u32::try_from(units).unwrap()
}

/// A simple conversion for comparison, which walks all characters of the line.
fn naive(text: &str, position: lsp::Position, encoding: Encoding) -> usize {
    let mut lines: Vec<(usize, &str)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        lines.push((start, line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line)));
        start += line.len();
    }
    if text.is_empty() || text.ends_with('\n') {
        lines.push((start, ""));
    }
    let Some((start, line)) = lines.get(position.line as usize) else { return text.len() };
    let mut seen = 0;
    for (offset, character) in line.char_indices() {
        seen += units(&character.to_string(), encoding);
        if seen > position.character {
            return start + offset;
        }
    }
    start + line.len()
}

#[test]
fn positions_by_hand() {
    let text = "a👍b\r\n漢\n";
    let index = TextIndex::new(text);
    assert_eq!((index.line_count(), u32::from(index.len())), (3, 12));
    let at = |line, character, encoding| u32::from(index.from_lsp(lsp::Position { line, character }, encoding));
    assert_eq!(at(0, 3, Encoding::Utf16), 5, "after the surrogate pair");
    assert_eq!(at(0, 2, Encoding::Utf16), 1, "inside the pair: back to its start");
    assert_eq!(at(0, 2, Encoding::Utf8), 1, "inside the bytes of a character: back to its start");
    assert_eq!(at(0, 2, Encoding::Utf32), 5);
    assert_eq!(at(0, 99, Encoding::Utf16), 6, "past the line: its end, before the terminator");
    assert_eq!(at(1, 1, Encoding::Utf16), 11);
    assert_eq!(at(2, 0, Encoding::Utf16), 12);
    assert_eq!(at(9, 9, Encoding::Utf16), 12, "past the text: its end");
    assert_eq!(index.line_col(TextSize::new(3)), LineCol { line: 0, col: 1 }, "inside a character: its start");
    assert_eq!(index.offset(LineCol { line: 0, col: 3 }), TextSize::new(1));
    assert_eq!(index.line_range(0), Some(TextRange::new(0.into(), 6.into())));
    assert_eq!(index.line_range(3), None);
    assert!(TextIndex::new("").is_empty());
}

#[test]
fn reversed_ranges_are_swapped() {
    let position = |character| lsp::Position { line: 0, character };
    let range = lsp::Range { start: position(3), end: position(1) };
    assert_eq!(TextIndex::new("abcd").range_from_lsp(&range, Encoding::Utf16), TextRange::new(1.into(), 3.into()));
}

#[test]
fn an_unknown_encoding_is_the_default() {
    for (kind, expected) in [
        (Some(lsp::PositionEncodingKind::UTF8), Encoding::Utf8),
        (Some(lsp::PositionEncodingKind::UTF16), Encoding::Utf16),
        (Some(lsp::PositionEncodingKind::UTF32), Encoding::Utf32),
        (None, Encoding::Utf16),
    ] {
        assert_eq!(Encoding::from_lsp(kind.as_ref()), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn equals_the_naive_conversion(text in texts(), line in 0..12_u32, character in 0..40_u32) {
        let index = TextIndex::new(&text);
        for encoding in ENCODINGS {
            let position = lsp::Position { line, character };
            prop_assert_eq!(usize::from(index.from_lsp(position, encoding)), naive(&text, position, encoding), "{:?}", encoding);
        }
    }

    #[test]
    fn every_position_survives_the_round_trip(text in texts()) {
        let index = TextIndex::new(&text);
        for (offset, _) in text.char_indices() {
            // LSP has no position between `\r` and `\n`; the conversion returns the end of the line.
            if text.get(..offset).is_some_and(|head| head.ends_with('\r')) && text.get(offset..).is_some_and(|tail| tail.starts_with('\n')) {
                continue;
            }
            let offset = size(offset);
            prop_assert_eq!(index.offset(index.line_col(offset)), offset);
            for encoding in ENCODINGS {
                // Only the bytes of a terminator are after the end of their line.
                let line_end = index.line_range(index.line_col(offset).line).unwrap().end();
                let position = index.to_lsp(offset, encoding);
                prop_assert_eq!(index.from_lsp(position, encoding), offset.min(line_end));
            }
        }
    }

    #[test]
    fn hostile_positions_cut_no_character(text in texts(), line: u32, character: u32, offset: u32) {
        let index = TextIndex::new(&text);
        for encoding in ENCODINGS {
            for (line, character) in [(line, character), (line % 8, character % 40), (line % 8, u32::MAX), (u32::MAX, 0)] {
                let at = index.from_lsp(lsp::Position { line, character }, encoding);
                prop_assert!(text.is_char_boundary(at.into()));
                let at = index.offset(LineCol { line, col: character });
                prop_assert!(text.is_char_boundary(at.into()));
            }
            for offset in [offset, offset % 64] {
                let position = index.to_lsp(TextSize::new(offset), encoding);
                prop_assert!(index.from_lsp(position, encoding) <= index.len());
            }
        }
    }
}
