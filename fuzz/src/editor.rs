//! The bodies of the fuzz targets for DomainLang's editor features. Plain functions, so that tests of `dlang-ide` use
//! them as well: its property tests check the same, and replay the committed corpus. Each panics if a property does not
//! hold.

use std::ops::Range;

use dlang_ide::format::{FormattedText, format, format_range};
use dlang_ide::{SemanticToken, document_symbols, folding, import_links, lenses, selection_ranges, semantic_tokens};
use dlang_model::edit::apply;
use dlang_syntax::{NodeOrToken, Parse, SyntaxKind, SyntaxToken, TextRange, TextSize, parse};

/// Any bytes as a text.
pub fn dlang_formatter(bytes: &[u8]) {
    check_format(&String::from_utf8_lossy(bytes));
}

/// Any bytes as a text: the ranges of every answer are inside it.
pub fn dlang_editor(bytes: &[u8]) {
    check_features(&String::from_utf8_lossy(bytes));
}

/// Runs every feature except the formatter on a text, and checks the properties that hold for any text.
pub fn check_features(text: &str) {
    let parse = parse(text);
    let full_range = TextRange::up_to(TextSize::of(text));
    let is_in_text = |range: TextRange| text.get(Range::<usize>::from(range)).is_some();

    let folds = folding(&parse);
    assert!(folds.is_sorted_by(|one, other| one.range.start() < other.range.start()), "two folds on a line");
    for fold in folds {
        let hidden = text.get(Range::<usize>::from(fold.range)).expect("a fold in the text");
        assert!(hidden.starts_with(['\n', '\r']), "a fold begins inside of a line");
    }
    for offset in ranges(text).into_iter().flat_map(|range| [range.start(), range.end()]).chain([full_range.end()]) {
        let selections = selection_ranges(&parse, offset);
        let contains = |one: &TextRange, other: &TextRange| other.contains_range(*one) && one != other;
        assert!(selections.is_sorted_by(contains), "a selection does not grow");
        assert!(selections.iter().all(|range| is_in_text(*range) && range.contains_inclusive(offset)));
        assert_eq!(selections.last(), Some(&full_range));
    }
    // A list instead of recursion, because namespaces may be nested deep and stacks small.
    let symbols = document_symbols(&parse);
    let mut stack: Vec<_> = symbols.iter().map(|symbol| (full_range, symbol)).collect();
    while let Some((enclosing, symbol)) = stack.pop() {
        assert!(enclosing.contains_range(symbol.range), "{} is outside of {enclosing:?}", symbol.name);
        assert!(symbol.range.contains_range(symbol.selection) && !symbol.name.is_empty());
        stack.extend(symbol.children.iter().map(|child| (symbol.range, child)));
    }
    let tokens = semantic_tokens(&parse, None);
    assert!(tokens.is_sorted_by(|one, other| one.range.end() <= other.range.start()), "tokens overlap");
    assert!(tokens.iter().all(|token| is_in_text(token.range) && !token.range.is_empty()));
    for range in ranges(text) {
        let is_touched = |token: &&SemanticToken| token.range.intersect(range).is_some();
        let expected: Vec<_> = tokens.iter().filter(is_touched).copied().collect();
        assert_eq!(semantic_tokens(&parse, Some(range)), expected);
    }
    for lens in lenses(&parse) {
        let before = text.get(..usize::from(lens.range.start())).expect("a lens in the text");
        assert!(before.is_empty() || before.ends_with(['\n', '\r']), "a lens inside of a line");
    }
    assert!(import_links(&parse).iter().all(|link| is_in_text(link.range) && !link.range.is_empty()));
}

/// Formats a text and parts of it, and checks the properties that hold for any text.
pub fn check_format(text: &str) {
    let before = parse(text);
    let formatted = format(&before);
    assert_eq!(formatted.is_err(), before.has_errors(), "a text is formatted exactly if it has no errors");
    if let Ok(formatted) = &formatted {
        check_formatted(text, &before, formatted);
    }
    check_format_ranges(text, &ranges(text));
}

/// Formats parts of a text, and checks the properties that hold for any text.
pub fn check_format_ranges(text: &str, ranges: &[TextRange]) {
    let before = parse(text);
    let formatted = format(&before);
    for range in ranges {
        let Ok(part) = format_range(&before, *range) else {
            assert!(before.has_errors(), "a range of a text without errors is refused");
            continue;
        };
        check_edits(text, &part);
        let after = parse(&part.text);
        assert_eq!(words(&after), words(&before), "a range changes tokens");
        // The line end of the output is the more frequent one of the text.
        if let Ok(formatted) = &formatted
            && !text.contains('\r')
        {
            let both = format(&after).map(|it| it.text);
            assert_eq!(both.as_deref(), Ok(formatted.text.as_str()), "a formatted range leads to another text");
        }
    }
}

fn check_formatted(text: &str, before: &Parse, formatted: &FormattedText) {
    check_edits(text, formatted);
    let after = parse(&formatted.text);
    assert_eq!(words(&after), words(before), "tokens or comments changed");
    let shape = |parse: &Parse| -> Vec<_> { parse.syntax().descendants().map(|node| node.kind()).collect() };
    assert_eq!(shape(&after), shape(before), "the tree changed");
    let codes = |parse: &Parse| -> Vec<_> { parse.diagnostics().iter().map(|it| it.code).collect() };
    assert_eq!(codes(&after), codes(before));

    let again = format(&after).expect("a formatted text has no errors");
    assert_eq!(again.text, formatted.text, "formatting is not idempotent");
    assert_eq!(again.edits, []);

    let is_bare = formatted.text.is_empty() || formatted.text == "\u{feff}";
    assert!(is_bare || formatted.text.ends_with('\n'), "the last line does not end");
    for token in tokens(&after).filter(|token| token.kind() == SyntaxKind::WHITESPACE) {
        let text = token.text().replace("\r\n", "\n");
        assert!(!text.contains(" \n") && !text.contains("\n\n\n"), "superfluous white space: {:?}", token.text());
    }
}

/// Checks that the edits are in order, that each changes something, and that together they produce the text.
fn check_edits(text: &str, formatted: &FormattedText) {
    let mut end = TextSize::new(0);
    for edit in &formatted.edits {
        assert!(end <= edit.range.start(), "edits overlap");
        let old = text.get(Range::<usize>::from(edit.range)).expect("an edit cuts a character");
        assert_ne!(old, edit.insert, "an edit changes nothing");
        end = edit.range.end();
    }
    assert_eq!(apply(text, &formatted.edits), formatted.text);
}

/// Positions and ranges of a text.
fn ranges(text: &str) -> Vec<TextRange> {
    let at = |part: usize| {
        let offset = text.floor_char_boundary(text.len() / 7 * part);
        TextSize::new(u32::try_from(offset).expect("a text with small offsets"))
    };
    [(0, 0), (1, 1), (2, 4), (3, 3), (5, 5), (4, 6), (0, 6)].map(|(from, to)| TextRange::new(at(from), at(to))).into()
}

fn tokens(parse: &Parse) -> impl Iterator<Item = SyntaxToken> {
    parse.syntax().descendants_with_tokens().filter_map(NodeOrToken::into_token)
}

/// All tokens and comments; for comments, the lines without surrounding white space.
fn words(parse: &Parse) -> Vec<String> {
    let words = tokens(parse).filter(|token| token.kind() != SyntaxKind::WHITESPACE);
    let text = |token: SyntaxToken| {
        if token.kind().is_comment() {
            let text = token.text().replace("\r\n", "\n");
            let lines: Vec<_> = text.split(['\n', '\r']).map(|line| line.trim_matches([' ', '\t'])).collect();
            lines.join("\n")
        } else {
            token.text().to_owned()
        }
    };
    words.map(text).collect()
}
