//! Corpus of small texts, their trees and their diagnostics.

use std::fmt::Write as _;

use crate::{NodeOrToken, Parse, SyntaxNode, WalkEvent, parse};

mod errors;
mod names;
mod trees;

/// Renders the tree, one node per line with its direct tokens, and the diagnostics.
fn check(text: &str) -> String {
    let parse = parse(text);
    let mut shown = tree(&parse.syntax());
    shown.push_str(&diagnostics(text, &parse));
    shown
}

/// Renders only the diagnostics, for texts whose tree does not matter.
fn complaints(text: &str) -> String {
    diagnostics(text, &parse(text))
}

fn tree(root: &SyntaxNode) -> String {
    let mut shown = String::new();
    let mut depth = 0;
    for event in root.preorder() {
        match event {
            WalkEvent::Enter(node) => {
                _ = write!(shown, "{:indent$}{:?}", "", node.kind(), indent = depth * 2);
                let children = node.children_with_tokens().filter(|child| !child.kind().is_trivia());
                for child in children {
                    match child {
                        NodeOrToken::Token(token) => _ = write!(shown, " {}", token.text().escape_debug()),
                        NodeOrToken::Node(_) => shown.push_str(" …"),
                    }
                }
                shown.push('\n');
                depth += 1;
            }
            WalkEvent::Leave(_) => depth -= 1,
        }
    }
    shown
}

fn diagnostics(text: &str, parse: &Parse) -> String {
    let mut shown = String::new();
    for diagnostic in parse.diagnostics() {
        let offset = usize::from(diagnostic.range.start());
        let before = &text[..offset];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
        let marked = &text[std::ops::Range::<usize>::from(diagnostic.range)];
        _ = writeln!(
            shown,
            "{line}:{column} `{}` {}: {}",
            marked.escape_debug(),
            diagnostic.code.as_str(),
            diagnostic.message.replace('\n', "⏎")
        );
        if let Some(hint) = diagnostic.hint.as_ref().filter(|_| diagnostic.code != crate::Code::ReservedName) {
            _ = writeln!(shown, "      {hint}");
        }
        if let Some(related) = &diagnostic.related {
            _ = writeln!(shown, "      at {:?}: {}", related.range, related.message);
        }
    }
    shown
}
