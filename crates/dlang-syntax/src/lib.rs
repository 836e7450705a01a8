//! The syntax of DomainLang, a language for models of strategic domain-driven design.
//!
//! [`parse`] makes of any text a lossless tree ([`SyntaxNode`]), a typed view of it ([`ast`]) and a list of
//! [`SyntaxDiagnostic`]s. It never fails and never panics, and the text of the tree is the text that was parsed, byte for
//! byte. Broken text costs little: what surrounds a mistake is still there.
//!
//! This crate knows one text. It reads no files and knows no names: what an import means, what a reference refers to
//! and whether a model is sound is decided above it. Places are byte offsets ([`TextSize`], [`TextRange`]).
//!
//! # Reserved words as names
//!
//! A reserved word is read as a name where the grammar leaves no doubt, so that a term can be called `Customer` and a
//! team `team`. The rule, for a reserved word at a place that demands a name (behind `Domain`, `for`, `type:`, `.` …):
//!
//! 1. The word is the name exactly if the token behind it may stand behind a name there. `Team team` at the end of a
//!    file, `term Customer: "…"`, `bc S for A` are names; in `Domain in Sales`, behind `in` comes another word, which
//!    may not stand behind a domain's name, so `in` is the keyword and the name is missing.
//! 2. Where another name may follow without a comma (`contains A B`, the ends of relationships), a reserved word that
//!    begins the next relationship counts as such a name too. There a word is not a name if it begins a declaration
//!    together with what follows (`Team B`); in `contains`, words that begin declarations, `contains` and `this` are
//!    entries only before a comma or the end.
//! 3. At the beginning of an entry of a `metadata` block, a word that begins a property of the enclosing bounded context
//!    is that property: a `}` may be missing before it.
//! 4. `this` as the end of a relationship is always the context itself.
//!
//! Such a name is an identifier in the tree ([`SyntaxKind::IDENT`]) and gets a hint ([`Code::ReservedName`]), because
//! programs that follow the grammar to the letter reject it.
//!
//! # Where a `-` ends
//!
//! A hyphen is part of an identifier, but not directly before `>`: `X->Y` is `X`, `->`, `Y`.

#![cfg_attr(test, expect(clippy::string_slice, reason = "a test that cuts a character should fail"))]
#![cfg_attr(
    not(test),
    expect(
        clippy::enum_glob_use,
        reason = "kinds are written bare where they are listed by the dozen; their spelling keeps them from being bindings"
    )
)]

pub mod ast;
mod diagnostics;
mod generated;
mod keywords;
mod lexer;
mod limits;
mod parser;
mod reference;
mod token_set;
pub mod trivia;

use rowan::GreenNode;
pub use rowan::ast::{AstChildren, AstNode, AstPtr};
pub use rowan::{Direction, NodeOrToken, TextRange, TextSize, TokenAtOffset, WalkEvent};

pub use crate::diagnostics::{Class, Code, RelatedSyntax, Severity, SyntaxDiagnostic};
pub use crate::generated::kinds::SyntaxKind;
pub use crate::keywords::{DOCUMENTATION, KEYWORDS, Keyword, KeywordClass, SIGNS, Side, Punctuation, is_identifier, keyword, sign};
pub use crate::lexer::{LexedToken, tokenize};
pub use crate::limits::{MAX_DIAGNOSTICS, MAX_LENGTH, MAX_NESTING};
pub use crate::reference::SYNTAX_REFERENCE;

/// The language, for rowan's generic types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DomainLang {}

impl rowan::Language for DomainLang {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        // Trees are made by this crate alone, so every number is known.
        SyntaxKind::ALL.get(usize::from(raw.0)).copied().unwrap_or(SyntaxKind::ERROR)
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}

/// An inner node of a tree. Cheap to clone; keeps the whole tree alive.
pub type SyntaxNode = rowan::SyntaxNode<DomainLang>;
/// A leaf of a tree.
pub type SyntaxToken = rowan::SyntaxToken<DomainLang>;
/// A node or a token.
pub type SyntaxElement = rowan::SyntaxElement<DomainLang>;
/// A node by kind and range: small, and independent of the tree's life. Resolve it with `try_to_node` in a tree of the
/// same text; `to_node` panics when the text is another.
pub type SyntaxNodePtr = rowan::ast::SyntaxNodePtr<DomainLang>;

/// What [`parse`] found. Cheap to clone, can be sent between threads, and equal exactly if text, tree and diagnostics
/// are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parse {
    green: GreenNode,
    diagnostics: std::sync::Arc<[SyntaxDiagnostic]>,
}

impl Parse {
    /// The typed root of the tree.
    pub fn tree(&self) -> ast::Model {
        // The root of every tree is a model, whatever the text.
        ast::Model::of(self.syntax())
    }

    /// The root of the tree.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// What is wrong with the text: first what the lexer found, then what the parser found, each in the order of the
    /// text.
    pub fn diagnostics(&self) -> &[SyntaxDiagnostic] {
        &self.diagnostics
    }

    /// Whether there is an error among the diagnostics. A formatter should leave such a text alone.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity() == Severity::Error)
    }

    /// The length of the text.
    pub fn text_len(&self) -> TextSize {
        self.green.text_len()
    }
}

/// Parses a text. Linear in its length.
///
/// Two bounds keep bad input harmless: namespaces nested deeper than [`MAX_NESTING`] stay in the tree as an
/// [`SyntaxKind::ERROR`] node without inner structure, and a text longer than [`MAX_LENGTH`] is cut there (the only case
/// in which the tree's text is not the text given). Both are diagnostics.
pub fn parse(text: &str) -> Parse {
    parser::parse(text, MAX_LENGTH, MAX_NESTING)
}
