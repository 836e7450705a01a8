//! The store of exact data: one SQLite file per workspace folder, beside the index of declarations.
//!
//! The data of a document have the key (id of its content, digest of the data), so documents with the same content and
//! the same data share them: in several folders, and in a later import. The store has paths, symbols and positions, and no
//! texts.

use async_trait::async_trait;
use zubi_code::exact_index::ExactIndexError;

use super::document::{ScipDocument, ScipTool};
use super::import::ScipImportError;
use super::position::ColumnUnit;
use crate::store::database::StoreSchema;

/// The version of the tables and of the encoded occurrences.
const VERSION: u32 = 1;

/// The schema. `document` is the snapshot of an import; its paths are relative to the workspace folder, as those in
/// `import` are. `blob.hash` is empty if the content that the producer has read is unknown. `moniker.name` is null if a
/// search by name must not find it.
pub(crate) const EXACT_DATA: StoreSchema = StoreSchema {
    suffix: ".scip.db",
    format: || format!("scip tables {VERSION}"),
    tables: "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE import (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    folder TEXT NOT NULL,
    file TEXT NOT NULL,
    tool TEXT NOT NULL,
    version TEXT NOT NULL,
    commit_id TEXT,
    imported_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE blob (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hash BLOB NOT NULL,
    digest BLOB NOT NULL,
    unit INTEGER NOT NULL,
    occurrences BLOB NOT NULL,
    UNIQUE (hash, digest)
) STRICT;
CREATE TABLE document (
    path TEXT NOT NULL,
    import INTEGER NOT NULL,
    language TEXT NOT NULL,
    blob INTEGER NOT NULL,
    PRIMARY KEY (path, import)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_blob ON document (blob);
CREATE TABLE moniker (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hash BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL,
    name TEXT,
    kind INTEGER
) STRICT;
CREATE INDEX moniker_name ON moniker (name) WHERE name IS NOT NULL;
CREATE TABLE moniker_blob (
    moniker INTEGER NOT NULL,
    role INTEGER NOT NULL,
    blob INTEGER NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (moniker, role, blob)
) STRICT, WITHOUT ROWID;
CREATE TABLE relation (
    target INTEGER NOT NULL,
    moniker INTEGER NOT NULL,
    blob INTEGER NOT NULL,
    bits INTEGER NOT NULL,
    PRIMARY KEY (target, moniker, blob)
) STRICT, WITHOUT ROWID;
CREATE INDEX relation_moniker ON relation (moniker, bits);
",
};

/// The queries of a store of exact data. Ids are never used again, so that rows of several calls fit together.
#[async_trait]
pub(crate) trait OccurrenceStore: Send + Sync {
    /// Returns all imports, sorted by folder and tool.
    async fn imports(&self) -> Result<Vec<ImportRow>, ExactIndexError>;

    /// Returns the documents at a path, one per import that has it.
    async fn documents_at(&self, path: &str) -> Result<Vec<DocumentRow>, ExactIndexError>;

    /// Returns the documents of an import whose paths are after `after`, in the order of their paths, at most `limit`.
    async fn documents_after(
        &self,
        import: i64,
        after: &str,
        limit: usize,
    ) -> Result<Vec<ListedDocument>, ExactIndexError>;

    /// Returns the symbols with a name, in the order of their ids, at most `limit`.
    async fn monikers_named(&self, name: &str, limit: usize) -> Result<Vec<MonikerRow>, ExactIndexError>;

    /// Returns symbols by their ids; omits unknown ones.
    async fn monikers(&self, ids: &[i64]) -> Result<Vec<MonikerRow>, ExactIndexError>;

    /// Returns the ids of the symbols that have a relation with one of the bits to a symbol, at most `limit`, sorted.
    async fn find_related(
        &self,
        ids: &[i64],
        bits: u8,
        direction: RelationDirection,
        limit: usize,
    ) -> Result<Vec<i64>, ExactIndexError>;

    /// Returns the documents with occurrences of symbols, in the order of their paths, at most `limit`.
    async fn documents_with(&self, query: &DocumentPage) -> Result<Vec<DocumentRow>, ExactIndexError>;

    /// Deletes data that are damaged, if they belong to this machine.
    async fn discard(&self);
}

/// The changes that an import makes, in a transaction of its caller.
pub(crate) trait OccurrenceWriter {
    /// Adds an import without documents. Returns its id.
    fn add_import(&mut self, row: &ImportRow) -> Result<i64, ScipImportError>;

    /// Whether an import has a document at a path.
    fn has_document(&mut self, import: i64, path: &str) -> Result<bool, ScipImportError>;

    /// Adds a document.
    fn add_document(
        &mut self,
        entry: &DocumentEntry<'_>,
        document: &ScipDocument<'_>,
        tool: &ScipTool,
    ) -> Result<DocumentCounts, ScipImportError>;

    /// Removes the earlier imports that a complete one replaces, and the data that no import uses.
    fn remove_former(&mut self, import: i64, folder: &str, tool: &str) -> Result<(), ScipImportError>;
}

/// The numbers of stored data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DocumentCounts {
    pub(crate) occurrences: usize,
    /// Occurrences whose symbols do not follow the grammar.
    pub(crate) invalid: usize,
}

/// The document of an import that is stored.
pub(crate) struct DocumentEntry<'a> {
    pub(crate) import: i64,
    /// Relative to the workspace folder.
    pub(crate) path: &'a str,
    pub(crate) language: &'a str,
    /// The id of its content; empty if it is unknown.
    pub(crate) hash: &'a [u8],
    pub(crate) unit: ColumnUnit,
}

/// The direction of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelationDirection {
    /// From the symbols that implement others to these.
    ToTargets,
    /// To the symbols that implement.
    FromTargets,
}

/// A part of the documents with occurrences.
#[derive(Debug, Clone)]
pub(crate) struct DocumentPage {
    pub(crate) monikers: Vec<i64>,
    /// Whether the definitions or all other occurrences are needed.
    pub(crate) definitions: bool,
    /// The path and the import of the last document before the page.
    pub(crate) after: Option<(String, i64)>,
    pub(crate) limit: usize,
}

/// A row of `import`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportRow {
    pub(crate) id: i64,
    pub(crate) folder: String,
    pub(crate) file: String,
    pub(crate) tool: String,
    pub(crate) version: String,
    pub(crate) commit: Option<String>,
    pub(crate) imported_ms: u64,
}

/// A document with its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentRow {
    pub(crate) path: String,
    pub(crate) import: i64,
    pub(crate) hash: Vec<u8>,
    pub(crate) unit: u8,
    pub(crate) occurrences: Vec<u8>,
    /// The number of occurrences that the query counted.
    pub(crate) count: usize,
}

/// A document without its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedDocument {
    pub(crate) path: String,
    pub(crate) language: String,
    pub(crate) hash: Vec<u8>,
}

/// A row of `moniker`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MonikerRow {
    pub(crate) id: i64,
    pub(crate) text: String,
    pub(crate) kind: Option<u32>,
    /// The path of a document with its definition, if there is one.
    pub(crate) definition: Option<String>,
}
