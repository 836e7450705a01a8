//! The parser: tokens in, tree and diagnostics out.
//!
//! Hand-written and error-tolerant, one function per construct: every function consumes the tokens it understands and
//! leaves the others to its caller. Tokens that no function understands go into an [`ERROR`](crate::SyntaxKind::ERROR)
//! node, so the typed tree holds only meaningful parts. [`state`] provides the primitives (lookahead, building the
//! tree, reporting), [`recovery`] the shared error recovery; the grammar is in the other modules.
//!
//! Everything is linear in the length of the text. Loops consume a token in every round, and a lookahead of more than
//! a few tokens happens only where those tokens are consumed next.

mod block;
mod braces;
mod context;
mod elements;
mod maps;
mod messages;
mod names;
mod properties;
mod recovery;
mod relationships;
mod state;

use std::sync::Arc;

use rowan::{GreenNode, TextSize};
use state::Parser;

use crate::ast;
use crate::diagnostics::{Collector, Severity, SyntaxDiagnostic};
use crate::lexer;
use crate::limits::{MAX_LENGTH, MAX_NESTING};
use crate::tree::SyntaxNode;

/// Result of [`parse`]. Cheap to clone and `Send`. Two values are equal exactly if their texts, trees and diagnostics
/// are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parse {
    green: GreenNode,
    diagnostics: Arc<[SyntaxDiagnostic]>,
}

impl Parse {
    /// Returns the typed root of the tree.
    pub fn tree(&self) -> ast::Model {
        // The root of every tree is a model, for any text.
        ast::Model::of(self.syntax())
    }

    /// Returns the root of the tree.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// Returns the diagnostics of the text: first the lexer's, then the parser's, each in text order.
    pub fn diagnostics(&self) -> &[SyntaxDiagnostic] {
        &self.diagnostics
    }

    /// Whether one of the diagnostics is an error. A formatter should not change such a text.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity() == Severity::Error)
    }

    /// Returns the length of the text in bytes.
    pub fn text_len(&self) -> TextSize {
        self.green.text_len()
    }
}

/// Parses a text in time linear in its length.
///
/// Two limits bound the cost of bad input: namespaces nested deeper than [`MAX_NESTING`] stay in the tree as an
/// [`SyntaxKind::ERROR`](crate::SyntaxKind::ERROR) node without inner structure, and a text longer than [`MAX_LENGTH`]
/// is truncated there (the only case in which the tree's text differs from the given text). Both are reported as
/// diagnostics.
pub fn parse(text: &str) -> Parse {
    parse_with_limits(text, MAX_LENGTH, MAX_NESTING)
}

/// Parses with other limits than [`parse`]'s.
pub(crate) fn parse_with_limits(text: &str, max_length: usize, max_nesting: usize) -> Parse {
    let (full_text, text) = (text, lexer::truncate(text, max_length));
    let lexed = lexer::lex(text);
    let mut lexing = Collector::default();
    if text.len() < full_text.len() {
        lexing.push(messages::too_large(text));
    }
    messages::report_lexical_faults(text, &lexed, &mut lexing);
    let mut parser = Parser::new(text, lexed, max_nesting, elements::element);
    elements::model(&mut parser);
    let Parser { builder, problems, .. } = parser;
    let mut diagnostics = lexing.finish();
    diagnostics.extend(problems.finish());
    Parse { green: builder.finish(), diagnostics: Arc::from(diagnostics) }
}

#[cfg(test)]
mod tests;
