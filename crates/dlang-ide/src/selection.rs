//! Expanding selections.

use dlang_syntax::ast::StringToken;
use dlang_syntax::{
    NodeOrToken, Parse, SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize, TokenAtOffset, trivia,
};

/// Returns the ranges around an offset, from the smallest to the whole text; each is larger than the one before it and
/// contains it. Among them are a word, the content of a string or of a block, and an element without and with the
/// comments that belong to it. Empty for an offset outside of the text.
pub fn selection_ranges(parse: &Parse, offset: TextSize) -> Vec<TextRange> {
    let root = parse.syntax();
    let mut ranges = Ranges::default();
    let Some(token) = token_at(&root, offset) else {
        return if offset == TextSize::new(0) { vec![root.text_range()] } else { Vec::new() };
    };
    if token.kind() != SyntaxKind::WHITESPACE {
        if let Some(string) = StringToken::cast(token.clone())
            && string.raw_range().contains_inclusive(offset)
        {
            ranges.add(string.raw_range());
        }
        ranges.add(token.text_range());
    }
    for node in token.parent_ancestors() {
        if let Some(content) = content_of_block(&node)
            && content.contains_inclusive(offset)
        {
            ranges.add(content);
        }
        ranges.add(node.text_range());
        if let Some(comment) = trivia::leading_comments(&node).first() {
            ranges.add(comment.text_range().cover(node.text_range()));
        }
    }
    ranges.found
}

#[derive(Default)]
struct Ranges {
    found: Vec<TextRange>,
}

impl Ranges {
    /// Adds a range if it is larger than the last one.
    fn add(&mut self, range: TextRange) {
        if self.found.last().is_none_or(|last| range != *last && range.contains_range(*last)) {
            self.found.push(range);
        }
    }
}

/// Returns the token at an offset; between two tokens, the more word-like one.
fn token_at(root: &SyntaxNode, offset: TextSize) -> Option<SyntaxToken> {
    if !root.text_range().contains_inclusive(offset) {
        return None;
    }
    let weight = |token: &SyntaxToken| match token.kind() {
        SyntaxKind::WHITESPACE => 0,
        kind if kind.is_comment() => 1,
        kind if kind.is_sign() => 2,
        _ => 3,
    };
    match root.token_at_offset(offset) {
        TokenAtOffset::None => None,
        TokenAtOffset::Single(token) => Some(token),
        TokenAtOffset::Between(left, right) => Some(if weight(&left) > weight(&right) { left } else { right }),
    }
}

/// Returns the range from the first to the last token between the braces of a node.
fn content_of_block(node: &SyntaxNode) -> Option<TextRange> {
    let brace =
        |kind: SyntaxKind| node.children_with_tokens().filter_map(NodeOrToken::into_token).find(|it| it.kind() == kind);
    let is_blank = |token: &SyntaxToken| token.kind() == SyntaxKind::WHITESPACE;
    let (open, close) = (brace(SyntaxKind::L_CURLY)?, brace(SyntaxKind::R_CURLY)?);
    let first = open.next_token().and_then(|it| if is_blank(&it) { it.next_token() } else { Some(it) })?;
    let last = close.prev_token().and_then(|it| if is_blank(&it) { it.prev_token() } else { Some(it) })?;
    (first.text_range().end() <= last.text_range().end()).then(|| first.text_range().cover(last.text_range()))
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use dlang_syntax::{TextSize, parse};

    use super::selection_ranges;

    /// Renders the ranges around `$0`, one per line.
    #[track_caller]
    fn check(fixture: &str) -> String {
        let (before, after) = fixture.split_once("$0").expect("a mark");
        let text = format!("{before}{after}");
        let ranges = selection_ranges(&parse(&text), TextSize::of(before));
        let rendered: Vec<_> =
            ranges.into_iter().map(|range| format!("{:?}", &text[Range::<usize>::from(range)])).collect();
        rendered.join("\n")
    }

    #[test]
    fn a_word_in_a_name() {
        insta::assert_snapshot!(check("Team T\n// why\nDomain A in B.C$0.D { }"), @r#"
        "C"
        "B.C.D"
        "in B.C.D"
        "Domain A in B.C.D { }"
        "// why\nDomain A in B.C.D { }"
        "Team T\n// why\nDomain A in B.C.D { }"
        "#);
    }

    #[test]
    fn a_string_in_a_block() {
        insta::assert_snapshot!(check("bc X { description: \"some $0text\" team: T }"), @r#"
        "some text"
        "\"some text\""
        "description: \"some text\""
        "description: \"some text\" team: T"
        "{ description: \"some text\" team: T }"
        "bc X { description: \"some text\" team: T }"
        "#);
        insta::assert_snapshot!(check("import \"$0\""), @r#"
        ""
        "\"\""
        "import \"\""
        "#);
    }

    #[test]
    fn between_entries() {
        insta::assert_snapshot!(check("/** Doc. */ ns N {\n  Team A\n $0 Team B\n}\nTeam C"), @r#"
        "Team A\n  Team B"
        "{\n  Team A\n  Team B\n}"
        "ns N {\n  Team A\n  Team B\n}"
        "/** Doc. */ ns N {\n  Team A\n  Team B\n}"
        "/** Doc. */ ns N {\n  Team A\n  Team B\n}\nTeam C"
        "#);
        insta::assert_snapshot!(check("cmap M {$0}"), @r#"
        "}"
        "{}"
        "cmap M {}"
        "#);
        insta::assert_snapshot!(check("$0"), @r#""""#);
        insta::assert_snapshot!(check("Team A // no$0te\n"), @r#"
        "// note"
        "Team A // note\n"
        "#);
    }

    #[test]
    fn outside_of_the_text() {
        assert_eq!(selection_ranges(&parse("Team A"), TextSize::new(7)), []);
    }
}
