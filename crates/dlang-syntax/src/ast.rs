//! The typed tree: what the grammar gives a meaning, without punctuation and mistakes.
//!
//! Most of it is written by `cargo xtask codegen` from `dlang.ungram`. Every accessor can find nothing, because the text
//! may be unfinished; [`ERROR`](crate::SyntaxKind::ERROR) nodes are not seen.

use rowan::NodeOrToken;
use rowan::ast::{AstNode, support};

pub use crate::generated::nodes::*;
use crate::{DomainLang, SyntaxKind, SyntaxNode, SyntaxToken};

mod names;
mod relationships;
pub mod schema;
mod strings;

pub use relationships::{Arrow, PatternKind};
pub use strings::{StringToken, quote, unescape};

/// A node that declares a simple name.
pub trait HasName: AstNode<Language = DomainLang> {
    /// The declared name; absent when it is not written.
    fn name(&self) -> Option<Name> {
        support::child(self.syntax())
    }
}

/// The first token of one of these kinds.
pub(crate) fn token_in(node: &SyntaxNode, kinds: &[SyntaxKind]) -> Option<SyntaxToken> {
    node.children_with_tokens().filter_map(NodeOrToken::into_token).find(|token| kinds.contains(&token.kind()))
}

/// All tokens of a kind.
pub(crate) fn tokens_of(node: &SyntaxNode, kind: SyntaxKind) -> impl Iterator<Item = SyntaxToken> + use<> {
    node.children_with_tokens().filter_map(NodeOrToken::into_token).filter(move |token| token.kind() == kind)
}

#[cfg(test)]
mod tests;
