//! Mistakes stay within their block: each token of each example is removed in turn, and the rest of the file must be
//! understood as before.

use std::collections::BTreeMap;

use crate::on_disk::examples;
use dlang_syntax::ast::{self, ContextProperty, Element, HasName as _};
use dlang_syntax::{AstNode as _, SyntaxNode, TextRange, parse, tokenize};

/// Declaration or property.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Symbol {
    /// Names of the enclosing namespaces.
    path: String,
    /// Name of the element; for a part of an element, preceded by the element's kind and name.
    name: String,
}

/// Returns the symbols of a tree with the element that each belongs to.
fn symbols(root: &SyntaxNode) -> Vec<(Symbol, SyntaxNode)> {
    let mut found = Vec::new();
    for element in root.descendants().filter_map(Element::cast) {
        let namespaces: Vec<_> = element
            .syntax()
            .ancestors()
            .skip(1)
            .filter_map(ast::NamespaceDeclaration::cast)
            .filter_map(|namespace| namespace.name_text())
            .collect();
        let path = namespaces.into_iter().rev().collect::<Vec<_>>().join(".");
        let own = format!("{:?} {}", element.syntax().kind(), element.name_text().unwrap_or_default());
        let parts = parts(&element).into_iter().map(|part| format!("{own}: {part}"));
        for name in [own.clone()].into_iter().chain(parts) {
            found.push((Symbol { path: path.clone(), name }, element.syntax().clone()));
        }
    }
    for import in root.descendants().filter_map(ast::ImportStatement::cast) {
        let name = format!("import {}", import.uri().map(|uri| uri.value()).unwrap_or_default());
        found.push((Symbol { path: String::new(), name }, import.syntax().clone()));
    }
    found
}

/// Returns the contents of an element except its name.
fn parts(element: &Element) -> Vec<String> {
    let text = |node: &SyntaxNode| node.text().to_string();
    match element {
        Element::Domain(domain) => {
            let body = domain.body().into_iter().flat_map(|body| body.properties());
            body.map(|property| text(property.syntax())).collect()
        }
        Element::BoundedContext(context) => {
            let mut parts = Vec::new();
            for property in context.body().into_iter().flat_map(|body| body.properties()) {
                match &property {
                    ContextProperty::TerminologyBlock(block) => {
                        parts.extend(block.terms().map(|term| term.name().map(|name| name.text()).unwrap_or_default()));
                    }
                    ContextProperty::DecisionsBlock(block) => {
                        parts.extend(block.decisions().map(|it| text(it.syntax())));
                    }
                    ContextProperty::RelationshipsBlock(block) => {
                        parts.extend(block.relationships().map(|it| text(it.syntax())));
                    }
                    ContextProperty::MetadataBlock(block) => parts.extend(block.entries().map(|it| text(it.syntax()))),
                    other => parts.push(text(other.syntax())),
                }
            }
            parts
        }
        Element::ContextMap(map) => {
            let body = map.body().into_iter().flat_map(|body| body.relationships());
            body.map(|it| text(it.syntax())).collect()
        }
        _ => Vec::new(),
    }
}

/// Counts the occurrences of each key.
fn count_keys<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    counts
}

fn line(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count()
}

#[derive(Default)]
struct Outcome {
    cases: usize,
    stray_diagnostics: Vec<String>,
    missing_symbols: Vec<String>,
}

/// Removes each token of a text in turn.
fn remove_each_token(name: &str, text: &str, outcome: &mut Outcome) {
    let complete = parse(text);
    assert!(!complete.has_errors(), "{name}: {:#?}", complete.diagnostics());
    let root = complete.syntax();
    let before = symbols(&root);
    let is_block = |node: &SyntaxNode| Element::can_cast(node.kind()) || ast::ImportStatement::can_cast(node.kind());
    for token in tokenize(text).into_iter().filter(|token| !token.kind.is_trivia()) {
        outcome.cases += 1;
        let range = std::ops::Range::<usize>::from(token.range);
        let block = root
            .covering_element(token.range)
            .ancestors()
            .find(|node| is_block(node))
            .expect("every token is in a block");
        let block_range = block.text_range();
        let mut cut = text.to_owned();
        cut.replace_range(range.clone(), "");
        let after = parse(&cut);
        let location = || format!("{name}:{}: without `{}`", line(text, range.start) + 1, &text[range.clone()]);

        let last = usize::from(block_range.end()) - range.len();
        let lines = line(&cut, block_range.start().into())..=line(&cut, last) + 1;
        let lines_of = |range: TextRange| (line(&cut, range.start().into()), line(&cut, range.end().into()));
        for diagnostic in after.diagnostics() {
            let (start, end) = lines_of(diagnostic.range);
            if !lines.contains(&start) || !lines.contains(&end) {
                let message = diagnostic.message.lines().next().unwrap_or_default();
                outcome.stray_diagnostics.push(format!("{}: line {}: {message}", location(), start + 1));
                break;
            }
        }

        // Elements inside a namespace may change their path if the namespace loses a token, but nothing else.
        let is_inside = |node: &SyntaxNode| node != &block && block_range.contains_range(node.text_range());
        let after_symbols = symbols(&after.syntax());
        let counts_after = count_keys(after_symbols.iter().map(|(symbol, _)| symbol));
        let names_after = count_keys(after_symbols.iter().map(|(symbol, _)| &symbol.name));
        let others = || before.iter().filter(|(_, node)| node != &block);
        let counts_before = count_keys(others().filter(|(_, node)| !is_inside(node)).map(|(symbol, _)| symbol));
        let names_before = count_keys(others().map(|(symbol, _)| &symbol.name));
        let missing_symbol =
            counts_before.iter().find(|(symbol, count)| counts_after.get(*symbol).unwrap_or(&0) < count);
        let missing_name = names_before.iter().find(|(name, count)| names_after.get(*name).unwrap_or(&0) < count);
        if let Some((symbol, _)) = missing_symbol {
            outcome.missing_symbols.push(format!("{}: lost {symbol:?}", location()));
        } else if let Some((symbol, _)) = missing_name {
            outcome.missing_symbols.push(format!("{}: lost {symbol}", location()));
        }
    }
}

#[test]
fn a_missing_token_affects_only_its_block() {
    let mut outcome = Outcome::default();
    for (name, text) in examples() {
        remove_each_token(&name, &text, &mut outcome);
    }
    let Outcome { cases, stray_diagnostics, missing_symbols: lost } = outcome;
    println!(
        "{cases} cases, {} stray, {} lost\n{}\n{}",
        stray_diagnostics.len(),
        lost.len(),
        stray_diagnostics.join("\n"),
        lost.join("\n")
    );
    assert!(cases > 900, "the examples are missing");
    assert_eq!(lost, Vec::<String>::new());
    assert!(
        stray_diagnostics.len() * 20 <= cases,
        "diagnostics stray in {} of {cases} cases:\n{}",
        stray_diagnostics.len(),
        stray_diagnostics.join("\n")
    );
}
