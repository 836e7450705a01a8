//! What holds for every text.

use dlang_syntax::{parse, tokenize};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::generated::model;
use crate::invariants::{check_features, check_format};
use crate::on_disk::examples;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        check_format(&text);
        check_features(&text);
    }

    #[test]
    fn any_model(text in model()) {
        let parse = parse(&text);
        prop_assert_eq!(parse.diagnostics(), []);
        check_format(&text);
        check_features(&text);
    }

    #[test]
    fn a_changed_model(text in model(), place in any::<Index>(), length in 0usize..20, inserted in select(vec!["", "{", "}", "\"", "/*", ",", "->", "Domain ", "#"])) {
        let mut text = text;
        let from = text.floor_char_boundary(place.index(text.len() + 1));
        let to = text.floor_char_boundary((from + length).min(text.len())).max(from);
        text.replace_range(from..to, inserted);
        check_format(&text);
        check_features(&text);
    }

    /// However an example is laid out, it is formatted; and the same lines at other indentations are the same text.
    #[test]
    fn the_layout_of_an_example(example in any::<Index>(), gaps in vec(select(vec![" ", "\n", "\n\n\n", "\t", "\r\n", " // c\n", "/* c */"]), 1..20)) {
        let examples = examples();
        let (_, text) = example.get(&examples);
        let mut laid_out = String::new();
        let tokens = tokenize(text).into_iter().filter(|token| !token.kind.is_trivia());
        for (token, gap) in tokens.zip(gaps.iter().cycle()) {
            laid_out.push_str(&text[token.range]);
            laid_out.push_str(gap);
        }
        check_format(&laid_out);
    }
}
