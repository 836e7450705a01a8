//! Hover, completion and the other requests at an offset: at every offset of the examples, and at offsets of generated
//! models.

use std::ops::Range;
use std::sync::Arc;

use dlang_ide::query::find;
use dlang_ide::{Links, explain, hover};
use dlang_model::testing::resolve_imports;
use dlang_model::{File, ModelChange, ModelHost, definitions, file_model, parse, resolutions};
use dlang_syntax::{NodeOrToken, SyntaxKind, TextRange, TextSize};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::completion_checks::{
    check_completions, check_completions_at, check_position, check_reference, references_among,
};
use crate::generated;
use crate::models::file;
use crate::on_disk::examples;

fn host_with_files(files: &[(String, String)]) -> ModelHost {
    let mut host = ModelHost::new();
    let text =
        |(path, text): &(String, String)| ModelChange::Text { path: path.clone(), text: Arc::from(text.as_str()) };
    host.apply(files.iter().map(text));
    resolve_imports(&mut host, &[]);
    host
}

fn host(text: &str) -> (ModelHost, File) {
    let host = host_with_files(&[("main.dlang".to_owned(), text.to_owned())]);
    let file = host.file("main.dlang").unwrap();
    (host, file)
}

fn uri(_: File) -> String {
    "uri".to_owned()
}

/// Sends every request for the middle and the end of a text.
pub(crate) fn check_positions(text: &str) {
    let (host, file) = host(text);
    for offset in [text.floor_char_boundary(text.len() / 2), text.len()] {
        check_position(host.db(), file, TextSize::try_from(offset).unwrap());
    }
    for definition in definitions(host.db(), file).take(2) {
        let fqn = definition.fqn(host.db()).unwrap_or_default();
        assert_eq!(explain(host.db(), &fqn)["fqn"], fqn.as_str());
    }
}

#[test]
fn every_offset_of_every_example() {
    let files = examples();
    let mut host = host_with_files(&files);
    let (mut completed, mut checked) = (0, 0);
    for (path, text) in &files {
        let file = host.file(path).unwrap();
        let mut last = Vec::new();
        for (offset, _) in text.char_indices() {
            let items = check_position(host.db(), file, TextSize::try_from(offset).unwrap());
            if items == last {
                continue;
            }
            for item in references_among(&items) {
                completed += 1;
                checked += usize::from(check_reference(&mut host, file, item));
            }
            last = items;
        }
    }
    assert!(completed > 200, "too few completions: {completed}");
    assert_eq!(checked, completed, "a completion changes the blocks of a correct model");
}

/// A generated text found this: a reference instead of `Domain` leaves the following braces to other blocks.
#[test]
fn a_completion_that_changes_the_parse_is_correct() {
    let (mut host, file) = host(
        "Namespace A { Domain B { type is C . A } dmap C { contains A , A. B Domain n C in A . A { description : \"\" } } \
         Namespace A { Namespace A { Domain A { vision : \"v\" } } }",
    );
    for offset in 0..file.text(host.db()).len() {
        check_completions_at(&mut host, file, TextSize::try_from(offset).unwrap());
    }
}

/// Replaces links by their text. Brackets of a text are escaped, and an address never follows those of patterns.
fn without_links(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some((before, after)) = rest.split_once("](uri#L") {
        let open = before.rfind('[').expect("a link begins");
        text.push_str(&before[..open]);
        text.push_str(&before[open + 1..]);
        rest = after.split_once(')').expect("a link ends").1;
    }
    text.push_str(rest);
    text
}

fn broken() -> impl Strategy<Value = String> {
    let inserted = select(vec![
        "",
        "{",
        "}",
        "\"",
        "/*",
        ",",
        "->",
        "Domain ",
        "#",
        " . ",
        "[",
        "for ",
        "contains ",
        "this",
        "team",
    ]);
    (generated::model(), any::<Index>(), 0usize..20, inserted).prop_map(|(mut text, position, length, inserted)| {
        let from = text.floor_char_boundary(position.index(text.len() + 1));
        let to = text.floor_char_boundary((from + length).min(text.len())).max(from);
        text.replace_range(from..to, inserted);
        text
    })
}

/// Returns the tokens other than white space and comments.
fn tokens(host: &ModelHost, file: File) -> Vec<(SyntaxKind, TextRange, SyntaxKind)> {
    let root = parse(host.db(), file).syntax();
    let tokens = root.descendants_with_tokens().filter_map(NodeOrToken::into_token);
    let tokens = tokens.filter(|token| !token.kind().is_trivia());
    tokens.map(|token| (token.kind(), token.text_range(), token.parent().unwrap().kind())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The hover text and the explanation of an element differ only in links.
    #[test]
    fn hover_and_explain_differ_only_in_links(text in generated::model()) {
        let (host, file) = host(&text);
        let db = host.db();
        for definition in definitions(db, file) {
            let Some(fqn) = definition.fqn(db) else { continue };
            if find(db, &fqn).element() != Some(definition) {
                continue;
            }
            let focus = definition.focus(db).unwrap().start();
            let hovered = hover(db, file, focus, Links::FileUri(&uri)).expect("a hover");
            let explained = explain(db, &fqn);
            let hovered = without_links(&hovered.markdown);
            prop_assert_eq!(Some(hovered.as_str()), explained["explanation"].as_str());
        }
    }

    #[test]
    fn positions_in_broken_models(text in broken(), positions in vec(any::<Index>(), 8)) {
        let (mut host, file) = host(&text);
        for position in positions {
            let offset = text.floor_char_boundary(position.index(text.len() + 1));
            check_completions_at(&mut host, file, TextSize::try_from(offset).unwrap());
        }
    }

    #[test]
    fn positions_in_any_text(text in any::<String>(), position in any::<Index>()) {
        let (host, file) = host(&text);
        let offset = text.floor_char_boundary(position.index(text.len() + 1));
        check_position(host.db(), file, TextSize::try_from(offset).unwrap());
    }

    /// In a valid model, completion proposes each reserved word and each reference at its own position.
    #[test]
    fn existing_tokens_are_completed(text in generated::model(), chosen in vec(any::<Index>(), 8)) {
        let (host, file) = host(&text);
        let tokens = tokens(&host, file);
        prop_assume!(!tokens.is_empty());
        for index in chosen {
            let (kind, range, parent) = *index.get(&tokens);
            let word = &text[Range::<usize>::from(range)];
            let resolved = || {
                let id = file_model(host.db(), file).reference_touching(range.end())?;
                let reference = file_model(host.db(), file).reference(id)?;
                let is_resolved = resolutions(host.db(), file).target(id).is_some();
                (is_resolved && reference.range.end() == range.end()).then_some(reference)
            };
            let expected = match kind {
                // Completion proposes an arrow at its start.
                SyntaxKind::RIGHT_ARROW | SyntaxKind::LEFT_ARROW | SyntaxKind::BOTH_ARROW | SyntaxKind::APART_ARROW => word,
                kind if kind.is_keyword() => word,
                SyntaxKind::IDENT if parent == SyntaxKind::REFERENCE && resolved().is_some() => word,
                _ => continue,
            };
            let offset = if kind.is_sign() { range.start() } else { range.end() };
            let items = check_position(host.db(), file, offset);
            prop_assert!(
                items.iter().any(|item| item.label == expected && !item.is_snippet),
                "{} at {:?} in {}", expected, range, text
            );
        }
    }
}

proptest! {
    // Fewer cases: four files, many positions in each, and a model per inserted completion.
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn files_that_import_each_other(files in vec(file(), 4)) {
        let texts: Vec<&str> = files.iter().map(String::as_str).collect();
        check_completions(&mut crate::model::model(&texts));
    }
}
