//! The syntax of DomainLang, a language for models of strategic domain-driven design.
//!
//! [`parse`] turns any text into a lossless tree ([`SyntaxNode`]), a typed view of it ([`ast`]) and a list of
//! [`SyntaxDiagnostic`]s. It never fails and never panics, and the text of the tree is the parsed text, byte for
//! byte. A mistake costs little: everything around it is still in the tree.
//!
//! This crate works on one text. It reads no files and resolves no names: the layers above decide what an import
//! means, what a reference refers to and whether a model is sound. Positions are byte offsets ([`TextSize`],
//! [`TextRange`]).
//!
//! # Reserved words as names
//!
//! A reserved word is read as a name where the grammar leaves no doubt, so that a term can be called `Customer` and a
//! team `team`. The rule, for a reserved word where a name is required (after `Domain`, `for`, `type:`, `.` …):
//!
//! 1. The word is a name exactly if the next token may follow a name there. `Team team` at the end of a
//!    file, `term Customer: "…"`, `bc S for A` are names; in `Domain in Sales`, another word follows `in`, which
//!    may not follow a domain's name, so `in` is the keyword and the name is missing.
//! 2. If another name may follow without a comma (`contains A B`, the ends of relationships), a reserved word that
//!    begins the next relationship also counts as such a name. There a word is not a name if it begins a declaration
//!    together with the next token (`Team B`); in `contains`, words that begin declarations, `contains` and `this` are
//!    entries only before a comma or the end.
//! 3. At the beginning of an entry of a `metadata` block, a word that begins a property of the enclosing bounded
//!    context is that property: a `}` may be missing before it.
//! 4. `this` as the end of a relationship is always the context itself.
//!
//! Such a name is an identifier in the tree ([`SyntaxKind::IDENT`]) and gets a hint ([`SyntaxCode::ReservedName`]),
//! because programs that follow the grammar strictly reject it.
//!
//! # Where a `-` ends
//!
//! A hyphen is part of an identifier, but not directly before `>`: `X->Y` is `X`, `->`, `Y`.

#![cfg_attr(test, expect(clippy::string_slice, reason = "a test that cuts a character should fail"))]
#![cfg_attr(
    not(test),
    expect(
        clippy::enum_glob_use,
        reason = "long lists of kinds stay readable without a prefix; their upper case prevents accidental bindings"
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
mod tree;
pub mod trivia;

pub use rowan::ast::{AstChildren, AstNode, AstPtr};
pub use rowan::{Direction, NodeOrToken, TextRange, TextSize, TokenAtOffset, WalkEvent};

pub use crate::diagnostics::{
    Diagnostic, DiagnosticCode, RelatedInformation, Severity, SyntaxCode, SyntaxDiagnostic, message_with_hint,
};
pub use crate::generated::kinds::SyntaxKind;
pub use crate::keywords::{
    DOCUMENTATION, KEYWORDS, Keyword, KeywordClass, Punctuation, SIGNS, Side, is_identifier, keyword, sign,
};
pub use crate::lexer::{LexedToken, tokenize};
pub use crate::limits::{MAX_DIAGNOSTICS, MAX_LENGTH, MAX_NESTING};
pub use crate::parser::{Parse, parse};
pub use crate::reference::SYNTAX_REFERENCE;
pub use crate::tree::{DomainLang, SyntaxElement, SyntaxNode, SyntaxNodePtr, SyntaxToken};
