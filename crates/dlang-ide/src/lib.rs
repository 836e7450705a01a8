//! What an editor asks about DomainLang, answered as plain data.
//!
//! Every feature is a function, in a module of its own: of a parsed text where the tree is enough, of the model's database
//! where it must be known what a name refers to. Answers hold texts, byte ranges and small enumerations; whoever speaks a
//! protocol turns them into its terms. [`query`] answers questions about a whole model, in JSON.
//!
//! This crate reads no files and knows no protocol. Features about one text take its tree ([`document_symbols`],
//! [`folding()`] …); those that must know what a name refers to ask the model: [`definition()`], [`references()`],
//! [`highlights`], [`rename()`], [`symbol_search`], [`hover()`], [`explain()`], [`completions`],
//! [`full_text_search`], [`diagram()`], [`query`].

#![cfg_attr(test, expect(clippy::string_slice, reason = "a test that cuts a character should fail"))]
#![cfg_attr(
    not(test),
    expect(
        clippy::enum_glob_use,
        reason = "kinds are written bare where they are listed by the dozen; their spelling keeps them from being bindings"
    )
)]

mod completion;
mod definition;
mod diagram;
mod edit;
mod explain;
mod folding;
pub mod format;
mod full_text;
mod hints;
mod hover;
mod lenses;
mod lines;
mod links;
mod file_rename;
pub mod query;
mod references;
mod rename;
mod search;
mod selection;
mod symbol;
mod symbols;
mod tokens;
mod expected_kind;
mod words;

pub use crate::completion::{
    Completion, CompletionKind, Completions, ImportAlias, ImportCandidates, ImportDependency, completions,
    import_prefix,
};
pub use crate::definition::{FileRange, DefinitionResult, Target, definition};
pub use crate::diagram::{DiagramFormat, diagram};
pub use crate::edit::{TextEdit, apply};
pub use crate::explain::explain;
pub use crate::folding::{Fold, FoldKind, folding};
pub use crate::full_text::{DEFAULT_RESULTS, MAX_RESULTS, full_text_search};
pub use crate::hints::{Hint, hints};
pub use crate::hover::{Hover, Links, MAX_ITEMS, MAX_TEXT, element_markdown, hover};
pub use crate::lenses::{CodeLens, lenses};
pub use crate::lines::Lines;
pub use crate::links::{ImportLink, import_links};
pub use crate::file_rename::{MovedImport, import_edits, moved_specifier};
pub use crate::references::{Occurrence, highlights, references};
pub use crate::rename::{RenameError, PrepareRename, prepare_rename, rename};
pub use crate::search::{ProjectSymbol, SymbolMatches, symbol_search};
pub use crate::selection::selection_ranges;
pub use crate::symbols::{Symbol, SymbolKind, document_symbols};
pub use crate::tokens::{SemanticToken, TokenKind, semantic_tokens};
