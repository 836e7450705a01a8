//! The bodies of the DomainLang targets. Plain functions, so that tests of `dlang-syntax` use them as well: its
//! property tests check the same, and replay the committed corpus. Each panics if a property does not hold.

use std::fmt::Write as _;

use dlang_syntax::{AstNode as _, NodeOrToken, Parse, SyntaxKind, TextRange, TextSize, ast, parse, tokenize};

/// Any bytes as a text: every byte of it is in one token.
pub fn dlang_lexer(bytes: &[u8]) {
    tokens(&String::from_utf8_lossy(bytes));
}

/// Any bytes as a text: its tree has the same text.
pub fn dlang_parser(bytes: &[u8]) {
    check(&String::from_utf8_lossy(bytes));
}

/// Checks that the tokens cover the text.
fn tokens(text: &str) -> Vec<dlang_syntax::LexedToken> {
    let tokens = tokenize(text);
    let mut end = TextSize::new(0);
    for token in &tokens {
        assert_eq!(token.range.start(), end, "tokens leave a gap");
        assert!(!token.range.is_empty(), "an empty token");
        assert!(text.get(std::ops::Range::<usize>::from(token.range)).is_some(), "a token cuts a character");
        assert!(token.kind.is_token() && token.kind != SyntaxKind::EOF);
        end = token.range.end();
    }
    assert_eq!(end, TextSize::of(text), "tokens do not cover the text");
    tokens
}

/// Parses a text, and checks the properties that hold for any text.
pub fn check(text: &str) -> Parse {
    let full_range = TextRange::up_to(TextSize::of(text));
    let tokens = tokens(text);

    let parse = parse(text);
    let root = parse.syntax();
    assert_eq!(root.text().to_string(), text, "the tree has another text");
    assert_eq!(parse.text_len(), full_range.end());
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
    assert!(!has_error_node || parse.has_errors(), "text was skipped without a diagnostic");
    for diagnostic in parse.diagnostics() {
        let related = diagnostic.related.iter().map(|related| related.location);
        for range in related.chain([diagnostic.range]) {
            assert!(full_range.contains_range(range), "{range:?} is outside");
            assert!(text.get(std::ops::Range::<usize>::from(range)).is_some(), "{range:?} cuts a character");
        }
        assert!(!diagnostic.message.is_empty());
    }
    call_all_methods(&parse.tree());
    parse
}

/// Calls every method of the typed tree on every node.
fn call_all_methods(model: &ast::Model) {
    let mut seen = String::new();
    for node in model.syntax().descendants() {
        for assignment in ast::schema::assignments(&node) {
            _ = write!(seen, "{} {:?}", assignment.property, assignment.value.text());
        }
        seen.push_str(ast::schema::node_type(&node).map(|it| it.name).unwrap_or_default());
        _ = write!(seen, "{:?}", dlang_syntax::trivia::documentation(&node));
        _ = write!(seen, "{:?}", dlang_syntax::trivia::leading_comments(&node));
        if let Some(element) = ast::Element::cast(node.clone()) {
            _ = write!(seen, "{:?} {:?}", element.name_text(), element.name_range());
        }
        if let Some(relationship) = ast::Relationship::cast(node.clone()) {
            let ends = [relationship.left(), relationship.right()];
            let texts: Vec<_> = ends.iter().flatten().map(ast::RelationshipEnd::text).collect();
            let count = ends.iter().flatten().count();
            assert!(count < 2 || ends[0] != ends[1], "both ends are the same");
            _ = write!(seen, "{texts:?}");
        }
        if let Some(reference) = ast::Reference::cast(node) {
            _ = write!(seen, "{} {:?}", reference.text(), reference.qualifier());
        }
    }
}
