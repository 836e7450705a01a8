//! The part of a text that is formatted for a requested range.

use dlang_syntax::{NodeOrToken, SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize};

use super::leaves::{has_block, line_breaks};

/// A part of a text that can be formatted by itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    /// The entries, from the first token to the last.
    pub(super) entries: TextRange,
    /// The entries, and the white space and comments before them.
    pub(super) full: TextRange,
    /// The range of an error in the entries.
    pub(super) error: Option<TextRange>,
}

/// Returns the entries that a range touches, in the innermost block that contains the whole range; `None` if it touches
/// none.
pub(super) fn find(root: &SyntaxNode, range: TextRange) -> Option<Region> {
    let mut container = root.clone();
    loop {
        let is_touched = |node: &SyntaxNode| node.text_range().intersect(range).is_some();
        let mut entries = container.children().filter(is_touched);
        let first = entries.next()?;
        let last = entries.last();
        if last.is_none()
            && let Some(block) = block_of(&first)
            && encloses(&block, range)
        {
            container = block;
            continue;
        }
        let last = last.unwrap_or_else(|| first.clone());
        let entries = first.text_range().cover(last.text_range());
        let is_error =
            |node: &SyntaxNode| node.kind() == SyntaxKind::ERROR && entries.contains_range(node.text_range());
        let error = container.descendants().find(is_error).map(|node| node.text_range());
        let start = end_of_token_before(&first);
        return Some(Region { entries, full: TextRange::new(start, entries.end()), error });
    }
}

/// Returns the node that has the braces of an entry.
fn block_of(entry: &SyntaxNode) -> Option<SyntaxNode> {
    if has_block(entry.kind()) { Some(entry.clone()) } else { entry.children().find(|child| has_block(child.kind())) }
}

/// Whether a range lies between the braces of a block with several lines. A block on one line is formatted as a whole,
/// because its entries may need lines of their own.
fn encloses(block: &SyntaxNode, range: TextRange) -> bool {
    let brace = |kind: SyntaxKind| -> Option<SyntaxToken> {
        block.children_with_tokens().filter_map(NodeOrToken::into_token).find(|token| token.kind() == kind)
    };
    let (Some(open), Some(close)) = (brace(SyntaxKind::L_CURLY), brace(SyntaxKind::R_CURLY)) else { return false };
    let inner = TextRange::new(open.text_range().end(), close.text_range().start());
    let has_lines = || {
        let mut tokens = block.descendants_with_tokens().filter_map(NodeOrToken::into_token);
        tokens.any(|token| inner.contains_range(token.text_range()) && line_breaks(token.text()) > 0)
    };
    inner.contains_range(range) && has_lines()
}

fn end_of_token_before(node: &SyntaxNode) -> TextSize {
    let mut token = node.first_token().and_then(|token| token.prev_token());
    while let Some(current) = token {
        if !current.kind().is_trivia() {
            return current.text_range().end();
        }
        token = current.prev_token();
    }
    TextSize::new(0)
}
