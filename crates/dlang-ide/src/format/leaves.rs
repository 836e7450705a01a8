//! The tokens and comments of a tree in sequence, with the data that the layout needs.

use dlang_syntax::SyntaxKind::{self, *};
use dlang_syntax::{NodeOrToken, SyntaxNode, SyntaxToken, TextRange, WalkEvent};

/// A token or comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    pub(super) range: TextRange,
    pub(super) kind: SyntaxKind,
    pub(super) part: LayoutPart,
    /// The number of blocks that are open where its line begins; a closing brace is already outside its block.
    pub(super) depth: usize,
    /// The number of line ends in the white space directly before it.
    pub(super) breaks: usize,
    /// The number of line ends inside it.
    pub(super) inner_breaks: usize,
    /// The number of line ends in the text up to its end.
    pub(super) breaks_so_far: usize,
    /// The index of the last token of the block, list or term that begins here.
    pub(super) group_end: Option<usize>,
}

impl Leaf {
    pub(super) fn is_comment(&self) -> bool {
        self.kind.is_comment()
    }
}

/// The role of a token in the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayoutPart {
    /// Begins an import, element, property or entry of a block.
    Entry,
    /// Opens a block.
    Open,
    /// Closes a block.
    Close,
    /// Begins `aka` or `examples` of a term.
    Clause,
    /// Begins an item of a list.
    Item,
    Plain,
}

/// Collects the leaves of a tree, without recursion, so that its depth does not matter.
pub(super) fn collect(root: &SyntaxNode) -> Vec<Leaf> {
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut nodes: Vec<EnclosingNode> = Vec::new();
    let mut part = None;
    let mut depth = 0;
    let mut breaks = 0;
    let mut breaks_so_far = 0;
    for event in root.preorder_with_tokens() {
        match event {
            WalkEvent::Enter(NodeOrToken::Node(node)) => {
                let parent = nodes.last().map(|parent| parent.kind);
                part = part_of_node(node.kind(), parent).or(part);
                nodes.push(EnclosingNode { kind: node.kind(), first: leaves.len(), open: None });
            }
            WalkEvent::Leave(NodeOrToken::Node(_)) => {
                let Some(node) = nodes.pop() else { continue };
                if node.open.is_some() {
                    depth -= 1;
                }
                let last = leaves.len().checked_sub(1);
                if is_group(node.kind)
                    && let Some(first) = leaves.get_mut(node.first)
                {
                    first.group_end = last;
                }
            }
            WalkEvent::Enter(NodeOrToken::Token(token)) => {
                let inner_breaks = line_breaks(token.text());
                breaks_so_far += inner_breaks;
                if token.kind() == WHITESPACE {
                    breaks += inner_breaks;
                    continue;
                }
                let index = leaves.len();
                let mut leaf = Leaf {
                    range: token.text_range(),
                    kind: token.kind(),
                    part: LayoutPart::Plain,
                    depth,
                    breaks: std::mem::take(&mut breaks),
                    inner_breaks,
                    breaks_so_far,
                    group_end: None,
                };
                if !leaf.is_comment() {
                    leaf.part = part.take().unwrap_or_else(|| part_of_token(&token));
                    if let Some(enclosing) = nodes.last_mut().filter(|enclosing| has_block(enclosing.kind)) {
                        match (token.kind(), enclosing.open) {
                            (L_CURLY, None) => {
                                leaf.part = LayoutPart::Open;
                                enclosing.open = Some(index);
                                depth += 1;
                            }
                            (R_CURLY, Some(open)) => {
                                leaf.part = LayoutPart::Close;
                                leaf.depth = depth - 1;
                                if let Some(open) = leaves.get_mut(open) {
                                    open.group_end = Some(index);
                                }
                            }
                            _ => {}
                        }
                    }
                }
                leaves.push(leaf);
            }
            WalkEvent::Leave(NodeOrToken::Token(_)) => {}
        }
    }
    leaves
}

/// A node that contains the current leaf.
struct EnclosingNode {
    kind: SyntaxKind,
    /// The index of its first token.
    first: usize,
    /// The index of its opening brace.
    open: Option<usize>,
}

/// Counts the line ends of a text. A carriage return without a line feed ends a line, as it ends a comment.
pub(super) fn line_breaks(text: &str) -> usize {
    let line_feeds = text.bytes().filter(|byte| *byte == b'\n').count();
    let returns = text.bytes().filter(|byte| *byte == b'\r').count();
    if returns == 0 { line_feeds } else { line_feeds + returns - text.matches("\r\n").count() }
}

/// Whether a node has a block in braces as a direct part.
pub(super) fn has_block(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        DOMAIN_BODY
            | CONTEXT_BODY
            | CONTEXT_MAP_BODY
            | DOMAIN_MAP_BODY
            | NAMESPACE_BODY
            | METADATA_BLOCK
            | RELATIONSHIPS_BLOCK
            | TERMINOLOGY_BLOCK
            | DECISIONS_BLOCK
    )
}

/// Whether a node is laid out as a unit: on one line, or broken into lines. Blocks are found by their braces.
fn is_group(kind: SyntaxKind) -> bool {
    matches!(kind, DOMAIN_TERM | SYNONYM_LIST | EXAMPLE_LIST | CONTAINS_CLAUSE)
}

fn part_of_node(kind: SyntaxKind, parent: Option<SyntaxKind>) -> Option<LayoutPart> {
    match (kind, parent?) {
        (SYNONYM_LIST | EXAMPLE_LIST, DOMAIN_TERM) => Some(LayoutPart::Clause),
        (NAME, SYNONYM_LIST) | (REFERENCE, CONTAINS_CLAUSE) => Some(LayoutPart::Item),
        (DOMAIN_BODY | CONTEXT_BODY | CONTEXT_MAP_BODY | DOMAIN_MAP_BODY | NAMESPACE_BODY, _) => None,
        (_, MODEL) => Some(LayoutPart::Entry),
        (_, parent) if has_block(parent) => Some(LayoutPart::Entry),
        _ => None,
    }
}

fn part_of_token(token: &SyntaxToken) -> LayoutPart {
    let is_example = token.kind() == STRING && token.parent().is_some_and(|parent| parent.kind() == EXAMPLE_LIST);
    if is_example { LayoutPart::Item } else { LayoutPart::Plain }
}
