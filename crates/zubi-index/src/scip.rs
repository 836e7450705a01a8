//! Exact data from SCIP files: an indexer, which a compiler or a language server has made, writes every occurrence of every
//! symbol of a project to a file.
//!
//! [`ScipIndex`] imports such files and implements [`zubi_code::exact_index::ExactIndex`]. SCIP names no content of a
//! document, so an import records it: the git blob id of each file in the commit that the indexer has read, or the hash of
//! the present text if the data fit it. A position is exact only while the present text has this id.
//!
//! [`wire`] and [`document`] read a file, one document at a time; [`symbol`] parses symbols; [`codec`] encodes occurrences;
//! [`import`] writes them with [`writer`]; [`reader`] runs queries, and [`answer`] compares the results with the texts.
//! [`team`] has a second store.

mod answer;
#[cfg(any(test, feature = "testing"))]
mod check;
mod codec;
pub mod commit;
mod document;
mod encoded;
mod failure;
pub mod import;
mod index;
mod kind;
mod limits;
mod position;
mod reader;
mod store;
mod symbol;
pub mod team;
mod wire;
mod writer;

#[cfg(any(test, feature = "testing"))]
pub use check::check_bytes;
pub use commit::{BlobId, CommitFiles};
pub use import::{ImportProgress, ImportReport, ImportRequest, ScipImportError, SkippedDocuments};
pub use index::{LostImport, ScipIndex};
pub use limits::ScipLimits;
pub use team::{TeamDatabase, TeamIndex};

#[cfg(test)]
mod tests;
