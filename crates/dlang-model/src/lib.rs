//! The model behind DomainLang texts: what files declare and import, what names mean, and whether all of it is sound.
//!
//! # How to use it
//!
//! A [`ModelHost`] holds files as they are given to it ([`Change`]). This crate reads no disk: for each import specifier of a
//! file ([`file_index`]) its owner says where it leads ([`ImportOutcomes`]). Questions are functions of a database
//! ([`Db`]) and most often of a [`File`] or [`Definition`]; their answers are plain data:
//!
//! - [`file_diagnostics`], and for each [`Diagnostic`] its [`fixes()`];
//! - [`definitions`], [`definition_at`], [`definitions_by_fqn`], [`definitions_by_name`]; a [`Definition`] knows its kind, names, places, content and syntax;
//! - [`resolutions`], [`resolve_reference`], [`resolve_name`], [`visible_names`], [`visible_files`], and backwards [`usages`];
//! - [`effective_classification`], [`effective_team`], [`metadata_map`], [`context_domain`], [`domain_parent`];
//! - [`relationship_views`], which know kind, upstream and downstream;
//! - [`file_model`], all of a file as data with places; [`parse`], its tree.
//!
//! Questions on other threads ask a [`Snapshot`]. They are cancelled when a change comes, and by a [`CancellationToken`].
//!
//! # How it is fast
//!
//! The queries are salsa's, and each depends on what it has read. [`file_model`] is made from a text in one walk;
//! [`file_index`] is the part of it without places, the only part that other files read. Whatever happens inside a body
//! is over when that index turns out to be the same. Imports lead to tables of exported names (`scope`), references to
//! [`Resolutions`], and diagnostics of a file read all of these and nothing of another file's text.
//!
//! # What is different from other programs
//!
//! Which diagnostics there are, and which of the existing program's habits are kept, stands in the module `rules`. Besides:
//! a relationship has one kind ([`RelationshipKind::of`]), where other programs have a second one for `<->`.
//!
//! # Bounds
//!
//! Paths of elements are at most 512 bytes long, an entry of a map means at most 64 elements, and messages name at most two
//! dozen members of a circle. Of one file 10,000 errors and 10,000 other findings are listed. Within these bounds everything but the messages about circles of imports is linear in the
//! size of the model.

mod data;
mod db;
mod definition;
mod diagnostics;
mod effective;
mod few;
mod fixes;
mod imports;
mod index;
mod inputs;
mod kind;
mod lower;
mod nearest;
mod project;
mod relationship;
mod resolve;
mod rules;
mod scope;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use data::*;
pub use db::{CancellationToken, QueryCancelled, Change, Database, Db, ModelHost, Snapshot};
pub use definition::{Definition, definition_at, definitions};
pub use diagnostics::{Code, Diagnostic, DiagnosticData, RelatedLocation, RelatedInformation, Severity, file_diagnostics};
pub use effective::{context_domain, effective_classification, effective_team, metadata_map, target};
pub use fixes::{Fix, TextEdit, fixes};
pub use imports::{ImportCycles, import_cycles, import_cycles_through, imported_files, project_files};
pub use index::{FileIndex, IndexedElement, IndexedImport, file_index};
pub use inputs::{File, ImportOutcome, ImportOutcomes, ImportProblem, Project};
pub use kind::ElementKind;
pub use lower::{file_model, parse};
pub use nearest::nearest_names;
pub use project::{definitions_by_fqn, definitions_by_name};
pub use relationship::{
    RelationshipArrow, RelationshipKind, RelationshipSide, RelationshipSource, RelationshipView, containing_context,
    relationship_view, relationship_views,
};
pub use resolve::{Resolutions, Usage, domain_parent, resolutions, resolve_name, resolve_reference, usages, usages_in};
pub use rules::rule_codes;
pub use scope::{visible_files, visible_names};

#[cfg(test)]
mod tests;
