//! Exact data from SCIP files: an indexer, which a compiler or a language server has made, writes every occurrence of every
//! symbol of a project to a file.
//!
//! [`ScipIndex`] imports such files and implements [`zubi_code::exact_index::ExactIndex`]. SCIP names no content of a
//! document, so an import records it: the git blob id of each file in the commit that the indexer has read, or the hash of
//! the present text if the data fit it. A position is exact only while the present text has this id.
//!
//! [`wire`] and [`document`] read a file, one document at a time; [`symbol`] parses symbols; [`codec`] encodes occurrences;
//! [`import`] writes them with [`writer`]; [`reader`] runs queries, and [`answer`] compares the results with the texts.

mod answer;
mod codec;
pub mod commit;
mod document;
pub mod import;
mod index;
mod kind;
mod limits;
mod position;
mod reader;
mod store;
mod symbol;
mod wire;
mod writer;

pub use commit::{BlobId, CommitFiles};
pub use import::{ImportProgress, ImportReport, ImportRequest, ScipImportError, SkippedDocuments};
pub use index::{LostImport, ScipIndex};
pub use limits::ScipLimits;

/// Reads all documents of a SCIP file in memory as an import does, and checks that their data can be stored. Returns the
/// number of occurrences, or `None` if the file is not complete. For tests and the fuzz target.
///
/// # Panics
///
/// If the encoding of a document is wrong.
#[doc(hidden)]
pub fn check_bytes(bytes: &[u8], limits: &ScipLimits) -> Option<usize> {
    import::check_bytes(bytes, limits)
}

#[cfg(test)]
mod tests;
