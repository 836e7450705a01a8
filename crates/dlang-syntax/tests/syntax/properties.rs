//! What holds for every text.

use std::fmt::Write as _;

use dlang_syntax::{AstNode as _, NodeOrToken, Parse, SyntaxKind, TextRange, TextSize, ast, parse, tokenize};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::examples::examples;

/// Parses and checks everything that must hold whatever the text is.
pub(crate) fn check(text: &str) -> Parse {
    let whole = TextRange::up_to(TextSize::of(text));
    let tokens = tokenize(text);
    let mut end = TextSize::new(0);
    for token in &tokens {
        assert_eq!(token.range.start(), end, "tokens leave a gap");
        assert!(!token.range.is_empty(), "an empty token");
        assert!(token.kind.is_token() && token.kind != SyntaxKind::EOF);
        end = token.range.end();
    }
    assert_eq!(end, whole.end(), "tokens do not cover the text");

    let parse = parse(text);
    let root = parse.syntax();
    assert_eq!(root.text().to_string(), text, "the tree is another text");
    assert_eq!(parse.text_len(), whole.end());
    let mut leaves = tokens.iter();
    for element in root.descendants_with_tokens() {
        match element {
            NodeOrToken::Token(token) => {
                let lexed = leaves.next().expect("the tree has more tokens than the text");
                assert_eq!(token.text_range(), lexed.range);
                // Reserved words can become names, and words reserved ones; nothing else changes its kind.
                let is_word = |kind: SyntaxKind| kind == SyntaxKind::IDENT || kind.is_keyword();
                assert!(token.kind() == lexed.kind || is_word(token.kind()) && is_word(lexed.kind));
            }
            NodeOrToken::Node(node) if node != root => {
                let (first, last) = (node.first_token(), node.last_token());
                let at_edge = |token: Option<dlang_syntax::SyntaxToken>| token.map(|token| token.kind());
                assert!(first.is_some(), "an empty node of kind {:?}", node.kind());
                for kind in [at_edge(first), at_edge(last)].into_iter().flatten() {
                    assert!(!kind.is_trivia(), "{:?} begins or ends with {kind:?}", node.kind());
                }
                let pointer = dlang_syntax::SyntaxNodePtr::new(&node);
                assert_eq!(pointer.try_to_node(&root), Some(node));
            }
            NodeOrToken::Node(_) => {}
        }
    }
    let has_error_node = root.descendants().any(|node| node.kind() == SyntaxKind::ERROR);
    assert!(!has_error_node || parse.has_errors(), "something was skipped without a word");
    for diagnostic in parse.diagnostics() {
        let related = diagnostic.related.iter().map(|related| related.range);
        for range in related.chain([diagnostic.range]) {
            assert!(whole.contains_range(range), "{range:?} is outside");
            assert!(text.get(std::ops::Range::<usize>::from(range)).is_some(), "{range:?} cuts a character");
        }
        assert!(!diagnostic.message.is_empty());
    }
    touch_everything(&parse.tree());
    parse
}

/// Calls what the typed tree offers, on everything there is.
fn touch_everything(model: &ast::Model) {
    let mut seen = String::new();
    for node in model.syntax().descendants() {
        for assignment in ast::schema::assignments(&node) {
            _ = write!(seen, "{} {:?}", assignment.property, assignment.value.text());
        }
        _ = write!(seen, "{:?}", ast::schema::node_type(&node));
        _ = write!(seen, "{:?}", dlang_syntax::trivia::documentation(&node));
        _ = write!(seen, "{:?}", dlang_syntax::trivia::leading_comments(&node));
        _ = write!(seen, "{:?}", dlang_syntax::trivia::trailing_comment(&node));
        if let Some(element) = ast::Element::cast(node.clone()) {
            _ = write!(seen, "{:?} {:?}", element.name_text(), element.name_range());
        }
        if let Some(relationship) = ast::Relationship::cast(node.clone()) {
            let ends = [relationship.left(), relationship.right()];
            let texts: Vec<_> = ends.iter().flatten().map(|end| end.text()).collect();
            let both = ends.iter().flatten().count();
            assert!(both < 2 || ends[0] != ends[1], "one end is both");
            _ = write!(seen, "{texts:?}");
        }
        if let Some(reference) = ast::Reference::cast(node) {
            _ = write!(seen, "{} {:?} {:?}", reference.text(), reference.qualifier(), reference.last_segment());
        }
    }
}

/// Pieces of the language in no particular order.
fn pieces() -> impl Strategy<Value = String> {
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
    vec((select(words), any::<bool>()), 0..60).prop_map(|pieces| {
        pieces.into_iter().flat_map(|(piece, is_apart)| [piece, if is_apart { " " } else { "" }]).collect()
    })
}

/// A change of a text: what is taken out, and what is put there.
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
    fn any_pieces(text in pieces()) {
        check(&text);
    }

    #[test]
    fn a_changed_example(example in any::<Index>(), changes in changes()) {
        let examples = examples();
        let mut text = example.get(&examples).1.clone();
        for (place, length, inserted) in changes {
            let from = text.floor_char_boundary(place.index(text.len() + 1));
            let to = text.floor_char_boundary((from + length).min(text.len()));
            text.replace_range(from..to.max(from), &inserted);
        }
        check(&text);
    }

    /// A correct file never suffers from the guesses that help with broken ones, however it is laid out.
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
    fn a_value_survives_being_written(value in any::<String>()) {
        let text = ast::quoted(&value);
        let model = parse(&format!("import {text}")).tree();
        let uri = model.imports().next().and_then(|import| import.uri()).expect("a string");
        prop_assert_eq!(uri.value(), value);
        prop_assert!(uri.is_terminated());
    }
}
