//! White space and comments, and which of them belong to a node.
//!
//! In the tree they stand between nodes, never at the edge of one (a node's range begins and ends with tokens of its
//! own), so whose a comment is is a question of layout, answered here.

use rowan::{Direction, NodeOrToken};

use crate::{SyntaxKind, SyntaxNode, SyntaxToken};

impl SyntaxKind {
    /// Whether it is a comment.
    pub fn is_comment(self) -> bool {
        matches!(self, Self::LINE_COMMENT | Self::BLOCK_COMMENT | Self::DOC_COMMENT)
    }

    /// Whether it means nothing to the grammar: white space or a comment.
    pub fn is_trivia(self) -> bool {
        self == Self::WHITESPACE || self.is_comment()
    }
}

/// The documentation of a node: the text of the `/** … */` directly before it, with nothing but white space between.
pub fn documentation(node: &SyntaxNode) -> Option<String> {
    doc_comment(node).map(|token| doc_text(token.text()))
}

/// The `/** … */` directly before a node.
pub fn doc_comment(node: &SyntaxNode) -> Option<SyntaxToken> {
    trivia_before(node)
        .find(|token| token.kind() != SyntaxKind::WHITESPACE)
        .filter(|token| token.kind() == SyntaxKind::DOC_COMMENT)
}

/// The comments before a node that belong to it, in the order of the text: those on the lines directly above it and on
/// its own, up to an empty line or to a comment that stands behind something else.
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
            // What stands on a line of its own belongs to what follows.
            comments.append(&mut waiting);
        }
        if lines > 1 {
            reaches_start = false;
            break;
        }
    }
    let has_token_before = trivia_before(node).last().or_else(|| node.first_token()).and_then(|token| token.prev_token());
    if reaches_start && has_token_before.is_none() {
        comments.append(&mut waiting);
    }
    comments.reverse();
    comments
}

/// The comment behind a node on its last line.
pub fn trailing_comment(node: &SyntaxNode) -> Option<SyntaxToken> {
    let mut token = node.last_token()?.next_token();
    while let Some(current) = token {
        match current.kind() {
            SyntaxKind::WHITESPACE if line_ends(current.text()) == 0 => {}
            SyntaxKind::COMMA => {}
            kind if kind.is_comment() => return Some(current),
            _ => return None,
        }
        token = current.next_token();
    }
    None
}

/// The white space and comments before a node, backwards.
fn trivia_before(node: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> + use<> {
    node.siblings_with_tokens(Direction::Prev)
        .skip(1)
        .map_while(NodeOrToken::into_token)
        .take_while(|token| token.kind().is_trivia())
}

/// How many lines end in a text: with a line feed, a carriage return, or one of each, which the parser takes for ends as well.
fn line_ends(text: &str) -> usize {
    text.matches(['\n', '\r']).count() - text.matches("\r\n").count()
}

/// What a documentation comment says: without the marks, the `*` at the beginnings of its lines, and what indents them
/// all.
pub fn doc_text(comment: &str) -> String {
    let inner = comment.strip_prefix("/**").unwrap_or(comment);
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let lines: Vec<_> = inner
        .lines()
        // What ends at a line feed may still have lines that end with a carriage return.
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
