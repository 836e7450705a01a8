//! Properties of all texts.

use dlang_syntax::{Parse, ast, parse, tokenize};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::invariants::check;
use crate::on_disk::examples;

/// Generates random sequences of the language's words and signs.
fn fragments() -> impl Strategy<Value = String> {
    let words: Vec<&'static str> = dlang_syntax::KEYWORDS
        .iter()
        .flat_map(|keyword| keyword.spellings)
        .chain(dlang_syntax::SIGNS.iter().map(|sign| &sign.text))
        .copied()
        .chain([
            "A",
            "Orders",
            "x-",
            "-",
            ">",
            "<",
            "\"text\"",
            "'it'",
            "\"",
            "'",
            "\\",
            "\"a\\\"b\"",
            "// note\n",
            "/* c */",
            "/** doc */",
            "/*",
            "*/",
            "\n",
            "\n    ",
            "\r\n",
            " ",
            "\u{feff}",
            "é",
            "\0",
            "#",
            "domain",
            "Vision",
        ])
        .collect();
    vec((select(words), any::<bool>()), 0..60).prop_map(|fragments| {
        fragments.into_iter().flat_map(|(piece, is_apart)| [piece, if is_apart { " " } else { "" }]).collect()
    })
}

/// Generates changes of a text: position, number of bytes to remove, text to insert.
fn changes() -> impl Strategy<Value = Vec<(Index, usize, String)>> {
    let inserted = prop_oneof![
        Just(String::new()),
        select(vec!["{", "}", "[", "]", "\"", "/*", "\n", ",", ":", "->", "Domain ", "bc X ", "this ", "term "])
            .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    vec((any::<Index>(), 0usize..30, inserted), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn random_fragments_are_parsed(text in fragments()) {
        check(&text);
    }

    #[test]
    fn a_changed_example(example in any::<Index>(), changes in changes()) {
        let examples = examples();
        let mut text = example.get(&examples).1.clone();
        for (position, length, inserted) in changes {
            let from = text.floor_char_boundary(position.index(text.len() + 1));
            let to = text.floor_char_boundary((from + length).min(text.len()));
            text.replace_range(from..to.max(from), &inserted);
        }
        check(&text);
    }

    /// The recovery heuristics for broken files never affect a valid file, in any layout.
    #[test]
    fn the_layout_of_an_example_does_not_matter(example in any::<Index>(), breaks in vec(select(vec![" ", "\n", "\n  ", "\n        ", "\t", "\r\n"]), 1..20)) {
        let examples = examples();
        let text = &example.get(&examples).1;
        let mut laid_out = String::new();
        let tokens = tokenize(text).into_iter().filter(|token| !token.kind.is_trivia());
        for (token, gap) in tokens.zip(breaks.iter().cycle()) {
            laid_out.push_str(&text[token.range]);
            laid_out.push_str(gap);
        }
        let parse = check(&laid_out);
        prop_assert_eq!(parse.diagnostics(), []);
        let shape = |parse: &Parse| -> Vec<_> { parse.syntax().descendants().map(|node| node.kind()).collect() };
        prop_assert_eq!(shape(&parse), shape(&dlang_syntax::parse(text)));
    }

    #[test]
    fn quoted_values_round_trip(value in any::<String>()) {
        let text = ast::quote(&value);
        let model = parse(&format!("import {text}")).tree();
        let uri = model.imports().next().and_then(|import| import.uri()).expect("a string");
        prop_assert_eq!(uri.value(), value);
        prop_assert!(uri.is_terminated());
    }
}
