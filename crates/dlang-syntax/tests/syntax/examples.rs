//! Models below `examples/`: they are valid, and together they use the whole language.

use std::collections::BTreeSet;

use dlang_syntax::{KEYWORDS, SIGNS, SyntaxKind, parse, tokenize};

use crate::on_disk::examples;

#[test]
fn examples_have_no_diagnostics() {
    for (name, text) in examples() {
        let parse = parse(&text);
        assert_eq!(parse.diagnostics(), [], "{name}");
        assert_eq!(parse.syntax().text().to_string(), text, "{name}");
    }
}

#[test]
fn the_examples_use_every_word_and_construct() {
    let mut words = BTreeSet::new();
    let mut nodes = BTreeSet::new();
    for (_, text) in examples() {
        words.extend(tokenize(&text).into_iter().map(|token| text[token.range].to_owned()));
        nodes.extend(parse(&text).syntax().descendants().map(|node| node.kind()));
    }
    let spellings = KEYWORDS.iter().flat_map(|keyword| keyword.spellings).chain(SIGNS.iter().map(|sign| &sign.text));
    let unused: Vec<_> = spellings.filter(|word| !words.contains(**word)).collect();
    assert_eq!(unused, Vec::<&&str>::new());
    let missing: Vec<_> = SyntaxKind::nodes().filter(|kind| !nodes.contains(kind)).collect();
    assert_eq!(missing, [SyntaxKind::ERROR]);
}
