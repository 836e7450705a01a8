//! The untyped tree.

use crate::generated::kinds::SyntaxKind;

/// The language, for rowan's generic types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DomainLang {}

impl rowan::Language for DomainLang {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        // Only this crate builds trees, so every number is valid.
        SyntaxKind::ALL.get(usize::from(raw.0)).copied().unwrap_or(SyntaxKind::ERROR)
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}

/// Inner node of a tree. Cheap to clone; holds the whole tree in memory.
pub type SyntaxNode = rowan::SyntaxNode<DomainLang>;
/// Leaf of a tree.
pub type SyntaxToken = rowan::SyntaxToken<DomainLang>;
/// Node or token.
pub type SyntaxElement = rowan::SyntaxElement<DomainLang>;
/// Reference to a node by kind and range: small, and independent of the tree's lifetime. Resolve it with
/// `try_to_node` in a tree of the same text; `to_node` panics for another text.
pub type SyntaxNodePtr = rowan::ast::SyntaxNodePtr<DomainLang>;
