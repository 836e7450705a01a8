//! Semantic model of DomainLang texts: declarations, imports, name resolution and validation.
//!
//! # Usage
//!
//! A [`ModelHost`] holds the files that its owner provides ([`ModelChange`]). This crate does not read the file
//! system: for each import specifier of a file ([`file_index`]), the owner provides its target ([`ImportOutcomes`]).
//! Queries are functions of a database ([`Db`]), usually with a [`File`] or [`Definition`]; their results are plain
//! data:
//!
//! - [`file_diagnostics`], and for each [`ModelDiagnostic`] its [`fixes()`];
//! - [`definitions`], [`definition_at`], [`definitions_by_fqn`], [`definitions_by_name`]; a [`Definition`] has a
//!   kind, names, ranges, content and syntax;
//! - [`resolutions`], [`resolve_reference`], [`resolve_name`], [`visible_names`], [`visible_files`], and in reverse
//!   [`usages`];
//! - [`effective_classification`], [`effective_team`], [`metadata_map`], [`context_domain`], [`domain_parent`];
//! - [`relationship_views`], with kind, upstream and downstream;
//! - [`file_model`], a whole file as data with ranges; [`parse`], its tree.
//!
//! Queries on other threads use a [`ModelSnapshot`]. A change cancels them, and so does a [`CancellationToken`].
//!
//! # Incremental computation
//!
//! The queries are salsa's, and each depends only on its inputs. [`file_model`] is computed from a text in one
//! traversal; [`file_index`] is its part without ranges, the only part that other files read. If the index is
//! unchanged, an edit affects no other file. Imports resolve to tables of exported names (`scope`), references to
//! [`Resolutions`], and the diagnostics of a file depend on all of these but not on the text of other files.
//!
//! # Differences from DomainLang's original tools
//!
//! The module `rules` lists the rules and where they differ. In addition, a relationship has one kind
//! ([`RelationshipKind::from_form`]), while the original tools compute a second one for `<->`.
//!
//! # Limits
//!
//! Paths of elements have at most 512 bytes, an entry of a map resolves to at most 64 elements, and messages name at
//! most two dozen members of a cycle. At most 10,000 errors and 10,000 other findings are listed per file. Within
//! these limits, everything except the messages about import cycles is linear in the size of the model.

mod code;
mod data;
mod db;
mod definition;
mod diagnostics;
pub mod edit;
mod effective;
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

pub use code::ModelCode;
pub use data::*;
pub use db::{CancellationToken, Database, Db, ModelChange, ModelHost, ModelSnapshot, QueryCancelled};
pub use definition::{definition_at, definitions};
pub use diagnostics::{DiagnosticData, ModelDiagnostic, RelatedLocation};
pub use effective::{context_domain, effective_classification, effective_team, metadata_map, target};
pub use fixes::{Fix, fixes};
pub use imports::{ImportCycles, import_cycles, import_cycles_through, imported_files, project_files};
pub use index::{FileIndex, IndexedElement, IndexedImport};
pub use inputs::{Definition, File, ImportOutcome, ImportOutcomes, ImportProblem, Project};
pub use kind::ElementKind;
pub use lower::{file_index, file_model, parse};
pub use nearest::nearest_names;
pub use project::{definitions_by_fqn, definitions_by_name};
pub use relationship::{
    RelationshipArrow, RelationshipKind, RelationshipSide, RelationshipSource, RelationshipView, containing_context,
    relationship_view, relationship_views,
};
pub use resolve::{Resolutions, Usage, domain_parent, resolutions, resolve_name, resolve_reference, usages, usages_in};
pub use rules::{file_diagnostics, rule_codes};
pub use scope::{visible_files, visible_names};

#[cfg(test)]
mod tests;
