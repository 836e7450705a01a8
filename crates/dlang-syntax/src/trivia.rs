//! White space and comments, and the nodes they belong to.
//!
//! In the tree they are between nodes, never at the edge of one (a node's range begins and ends with its own tokens),
//! so the layout decides which node a comment belongs to. This module implements that.

use rowan::{Direction, NodeOrToken};

use crate::generated::kinds::SyntaxKind;
use crate::tree::{SyntaxNode, SyntaxToken};

impl SyntaxKind {
    /// Whether it is a comment.
    pub fn is_comment(self) -> bool {
        matches!(self, Self::LINE_COMMENT | Self::BLOCK_COMMENT | Self::DOC_COMMENT)
    }

    /// Whether the grammar ignores it: white space or a comment.
    pub fn is_trivia(self) -> bool {
        self == Self::WHITESPACE || self.is_comment()
    }
}

/// Returns the documentation of a node: the text of the `/** … */` directly before it, separated only by white space.
pub fn documentation(node: &SyntaxNode) -> Option<String> {
    doc_comment(node).map(|token| doc_text(token.text()))
}

/// Returns the `/** … */` directly before a node.
pub fn doc_comment(node: &SyntaxNode) -> Option<SyntaxToken> {
    trivia_before(node)
        .find(|token| token.kind() != SyntaxKind::WHITESPACE)
        .filter(|token| token.kind() == SyntaxKind::DOC_COMMENT)
}

/// Returns the comments before a node that belong to it, in text order: those on the lines directly above it and on
/// its own line, up to an empty line or to a comment that follows other code on its line.
pub fn leading_comments(node: &SyntaxNode) -> Vec<SyntaxToken> {
    let mut comments = Vec::new();
    let mut waiting: Vec<SyntaxToken> = Vec::new();
    let mut reaches_start = true;
    for token in trivia_before(node) {
        if token.kind().is_comment() {
            waiting.push(token);
            continue;
        }
        let lines = line_ends(token.text());
        if lines > 0 {
            // A comment on a line of its own belongs to the following node.
            comments.append(&mut waiting);
        }
        if lines > 1 {
            reaches_start = false;
            break;
        }
    }
    let has_token_before =
        trivia_before(node).last().or_else(|| node.first_token()).and_then(|token| token.prev_token());
    if reaches_start && has_token_before.is_none() {
        comments.append(&mut waiting);
    }
    comments.reverse();
    comments
}

/// Returns the white space and comments before a node, backwards.
fn trivia_before(node: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> + use<> {
    node.siblings_with_tokens(Direction::Prev)
        .skip(1)
        .map_while(NodeOrToken::into_token)
        .take_while(|token| token.kind().is_trivia())
}

/// Counts the line ends in a text: a line feed, a carriage return, or the pair. The parser recognizes the same ones.
fn line_ends(text: &str) -> usize {
    text.matches(['\n', '\r']).count() - text.matches("\r\n").count()
}

/// Returns the content of a documentation comment: without the markers, the `*` at the beginnings of its lines, and
/// the common indentation.
pub fn doc_text(comment: &str) -> String {
    let inner = comment.strip_prefix("/**").unwrap_or(comment);
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let lines: Vec<_> = inner
        .lines()
        // A part that ends at a line feed may contain carriage returns as line ends.
        .flat_map(|line| line.split('\r'))
        .map(|line| {
            let line = line.trim_end();
            match line.trim_start().strip_prefix('*') {
                Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
                None => line.trim_start(),
            }
        })
        .collect();
    lines.join("\n").trim().to_owned()
}
