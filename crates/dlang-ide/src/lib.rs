//! What an editor asks about DomainLang, answered as plain data.
//!
//! Every feature is a function, in a module of its own: of a parsed text where the tree is enough, of the model's database
//! where it must be known what a name refers to. Answers hold texts, byte ranges and small enumerations; whoever speaks a
//! protocol turns them into its terms. [`query`] answers questions about a whole model, in JSON.
//!
//! This crate reads no files and knows no protocol. Most features need the tree alone; those that must know what a name
//! refers to ([`hover()`], [`explain()`], [`completions`], [`query`]) ask the model.

#![cfg_attr(test, expect(clippy::string_slice, reason = "a test that cuts a character should fail"))]
#![cfg_attr(
    not(test),
    expect(
        clippy::enum_glob_use,
        reason = "kinds are written bare where they are listed by the dozen; their spelling keeps them from being bindings"
    )
)]

mod completion;
mod edit;
mod explain;
mod folding;
pub mod format;
mod hover;
mod lenses;
mod lines;
mod links;
pub mod query;
mod selection;
mod symbols;
mod tokens;
mod wanted;

pub use crate::completion::{
    Completion, CompletionKind, Completions, ImportAlias, ImportCandidates, ImportDependency, completions,
    import_prefix,
};
pub use crate::edit::{TextEdit, apply};
pub use crate::explain::explain;
pub use crate::folding::{Fold, FoldKind, folding};
pub use crate::hover::{Hover, MAX_ITEMS, MAX_TEXT, element_markdown, hover};
pub use crate::lenses::{Lens, lenses};
pub use crate::links::{ImportLink, import_links};
pub use crate::selection::selection_ranges;
pub use crate::symbols::{Symbol, SymbolKind, document_symbols};
pub use crate::tokens::{SemanticToken, TokenKind, semantic_tokens};
