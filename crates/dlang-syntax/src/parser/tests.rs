//! Corpus of small texts, their trees and their diagnostics.

use std::fmt::Write as _;

use crate::{DiagnosticCode as _, NodeOrToken, Parse, SyntaxNode, WalkEvent, parse};

mod errors;
mod names;
mod trees;

/// Renders the tree, one node per line with its direct tokens, and the diagnostics.
fn check(text: &str) -> String {
    let parse = parse(text);
    let mut rendered = tree(&parse.syntax());
    rendered.push_str(&diagnostics(text, &parse));
    rendered
}

/// Renders only the diagnostics, for texts whose tree does not matter.
fn complaints(text: &str) -> String {
    diagnostics(text, &parse(text))
}

fn tree(root: &SyntaxNode) -> String {
    let mut rendered = String::new();
    let mut depth = 0;
    for event in root.preorder() {
        match event {
            WalkEvent::Enter(node) => {
                _ = write!(rendered, "{:indent$}{:?}", "", node.kind(), indent = depth * 2);
                let children = node.children_with_tokens().filter(|child| !child.kind().is_trivia());
                for child in children {
                    match child {
                        NodeOrToken::Token(token) => _ = write!(rendered, " {}", token.text().escape_debug()),
                        NodeOrToken::Node(_) => rendered.push_str(" …"),
                    }
                }
                rendered.push('\n');
                depth += 1;
            }
            WalkEvent::Leave(_) => depth -= 1,
        }
    }
    rendered
}

fn diagnostics(text: &str, parse: &Parse) -> String {
    let mut rendered = String::new();
    for diagnostic in parse.diagnostics() {
        let offset = usize::from(diagnostic.range.start());
        let before = &text[..offset];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
        let marked = &text[std::ops::Range::<usize>::from(diagnostic.range)];
        _ = writeln!(
            rendered,
            "{line}:{column} `{}` {}: {}",
            marked.escape_debug(),
            diagnostic.code.as_str(),
            diagnostic.message.replace('\n', "⏎")
        );
        if let Some(hint) = diagnostic.hint.as_ref().filter(|_| diagnostic.code != crate::SyntaxCode::ReservedName) {
            _ = writeln!(rendered, "      {hint}");
        }
        for related in &diagnostic.related {
            _ = writeln!(rendered, "      at {:?}: {}", related.location, related.message);
        }
    }
    rendered
}
