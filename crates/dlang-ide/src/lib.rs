//! Editor features for DomainLang, with results as plain data.
//!
//! Every feature is a function in a module of its own. Features that need one text take its tree ([`document_symbols`],
//! [`folding()`] …); those that resolve names take the model's database: [`definition()`], [`references()`],
//! [`highlights`], [`rename()`], [`symbol_search`], [`hover()`], [`explain()`], [`completions`], [`full_text_search`],
//! [`diagram()`], [`query`]. Results hold texts, byte ranges and small enumerations; a protocol layer converts them
//! into its own types. [`query`] answers queries about a whole model, in JSON.
//!
//! This crate reads no files and implements no protocol.

#![cfg_attr(test, expect(clippy::string_slice, reason = "a test that cuts a character should fail"))]
#![cfg_attr(
    not(test),
    expect(
        clippy::enum_glob_use,
        reason = "kinds are written bare where they are listed by the dozen; their case rules out bindings"
    )
)]

mod completion;
mod definition;
mod diagram;
mod expected_kind;
mod explain;
mod file_rename;
mod folding;
pub mod format;
mod full_text;
mod hints;
mod hover;
mod lenses;
mod lines;
mod links;
pub mod query;
mod references;
mod rename;
mod search;
mod selection;
mod symbol;
mod symbols;
mod tokens;
mod words;

pub use crate::completion::{
    Completion, CompletionKind, Completions, ImportAlias, ImportCandidates, ImportDependency, completions,
    import_prefix,
};
pub use crate::definition::{DefinitionResult, FileRange, Target, definition};
pub use crate::diagram::{DiagramFormat, diagram};
pub use crate::explain::explain;
pub use crate::file_rename::{MovedImport, import_edits, moved_specifier};
pub use crate::folding::{Fold, FoldKind, folding};
pub use crate::full_text::{DEFAULT_RESULTS, MAX_RESULTS, full_text_search};
pub use crate::hints::{Hint, hints};
pub use crate::hover::{Hover, Links, MAX_ITEMS, MAX_TEXT, element_markdown, hover};
pub use crate::lenses::{CodeLens, lenses};
pub use crate::lines::Lines;
pub use crate::links::{ImportLink, import_links};
pub use crate::references::{Occurrence, highlights, references};
pub use crate::rename::{PrepareRename, RenameError, prepare_rename, rename};
pub use crate::search::{ProjectSymbol, SymbolMatches, symbol_search};
pub use crate::selection::selection_ranges;
pub use crate::symbols::{Symbol, SymbolKind, document_symbols};
pub use crate::tokens::{SemanticToken, TokenKind, semantic_tokens};
