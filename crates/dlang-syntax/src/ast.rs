//! Typed tree: the meaningful parts of the syntax, without punctuation and errors.
//!
//! `cargo xtask codegen` generates most of it from `dlang.ungram`. Every accessor may return nothing, because the
//! text may be unfinished; [`ERROR`](crate::SyntaxKind::ERROR) nodes are skipped.

use rowan::NodeOrToken;
use rowan::ast::{AstNode, support};

use crate::generated::kinds::SyntaxKind;
pub use crate::generated::nodes::*;
use crate::tree::{DomainLang, SyntaxNode, SyntaxToken};

mod names;
mod relationships;
pub mod schema;
mod strings;

pub use relationships::{Arrow, PatternKind};
pub use strings::{StringToken, quote, unescape};

/// Node that declares a simple name.
pub trait HasName: AstNode<Language = DomainLang> {
    /// Returns the declared name, if it is present.
    fn name(&self) -> Option<Name> {
        support::child(self.syntax())
    }
}

/// Returns the first token of one of these kinds.
pub(crate) fn token_in(node: &SyntaxNode, kinds: &[SyntaxKind]) -> Option<SyntaxToken> {
    node.children_with_tokens().filter_map(NodeOrToken::into_token).find(|token| kinds.contains(&token.kind()))
}

/// Returns all tokens of a kind.
pub(crate) fn tokens_of(node: &SyntaxNode, kind: SyntaxKind) -> impl Iterator<Item = SyntaxToken> + use<> {
    node.children_with_tokens().filter_map(NodeOrToken::into_token).filter(move |token| token.kind() == kind)
}

#[cfg(test)]
mod tests;
