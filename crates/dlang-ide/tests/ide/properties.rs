//! Properties of all texts.

use dlang_syntax::{TextRange, TextSize, parse, tokenize};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::gaps::{gaps, laid_out};
use crate::generated::model;
use crate::invariants::{check_features, check_format, check_format_ranges};
use crate::on_disk::examples;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        check_format(&text);
        check_features(&text);
    }

    #[test]
    fn any_model(text in model(), position_pairs in vec(any::<(Index, Index)>(), 3)) {
        let parse = parse(&text);
        prop_assert_eq!(parse.diagnostics(), []);
        check_formats(&text, &position_pairs);
        check_features(&text);
    }

    #[test]
    fn a_changed_model(text in model(), position in any::<Index>(), length in 0usize..20, inserted in select(vec!["", "{", "}", "\"", "/*", ",", "->", "Domain ", "#"])) {
        let mut text = text;
        let from = text.floor_char_boundary(position.index(text.len() + 1));
        let to = text.floor_char_boundary((from + length).min(text.len())).max(from);
        text.replace_range(from..to, inserted);
        check_format(&text);
        check_features(&text);
    }

    /// The formatter accepts every example in any layout, with comments anywhere.
    #[test]
    fn the_layout_of_an_example(example in any::<Index>(), gaps in gaps(100), position_pairs in vec(any::<(Index, Index)>(), 3)) {
        let examples = examples();
        let (_, text) = example.get(&examples);
        let tokens = tokenize(text).into_iter().filter(|token| !token.kind.is_trivia());
        let tokens: Vec<_> = tokens.map(|token| &text[token.range]).collect();
        check_formats(&laid_out(&tokens, &gaps), &position_pairs);
    }
}

/// Formats the whole text, and for each pair the range between its two positions.
fn check_formats(text: &str, position_pairs: &[(Index, Index)]) {
    check_format(text);
    let offset = |position: &Index| {
        let offset = text.floor_char_boundary(position.index(text.len() + 1));
        TextSize::try_from(offset).expect("a text with small offsets")
    };
    let range = |(one, other): &(Index, Index)| {
        let (one, other) = (offset(one), offset(other));
        TextRange::new(one.min(other), one.max(other))
    };
    check_format_ranges(text, &position_pairs.iter().map(range).collect::<Vec<_>>());
}
