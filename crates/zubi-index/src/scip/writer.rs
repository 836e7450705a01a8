//! The changes of the SQLite store. An import is one transaction.

use std::fs::File;

use rusqlite::{Connection, OptionalExtension as _, params};
use rustc_hash::FxHashMap;
use sha2::{Digest as _, Sha256};

use super::document::{ScipDocument, ScipTool};
use super::encoded::{EncodedDocument, ShortHash, SymbolCount, short_hash};
use super::import::ScipImportError;
use super::kind;
use super::reader::{read_imports, to_i64};
use super::store::{DocumentCounts, DocumentEntry, ImportRow, OccurrenceWriter};
use super::symbol::ScipSymbol;
use crate::store::IndexStoreError;
use crate::store::database::StoreFile;

/// The maximum number of symbols whose ids are in memory.
const MAX_KNOWN: usize = 200_000;

/// The maximum size of a store whose pages are checked before an import, in bytes.
const MAX_CHECKED: u64 = 256 << 20;

/// Changes the store. It has the lock.
pub(crate) struct ExactWriter {
    connection: Connection,
    known: FxHashMap<ShortHash, Option<i64>>,
    _lock: File,
}

impl ExactWriter {
    /// Opens the store. Creates it again if it is damaged.
    pub(crate) fn open(file: &StoreFile, lock: File) -> Result<Self, IndexStoreError> {
        let (mut connection, is_new) = file.open_for_writing()?;
        if !is_new && file.bytes() <= MAX_CHECKED {
            let verdict: rusqlite::Result<String> = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
            if !verdict.is_ok_and(|verdict| verdict == "ok") {
                tracing::warn!(store = %file.path, "deleting damaged exact data");
                drop(connection);
                file.remove()?;
                (connection, _) = file.open_for_writing()?;
            }
        }
        Ok(Self { connection, known: FxHashMap::default(), _lock: lock })
    }

    /// Runs changes in a transaction, which has no effect if they fail.
    pub(crate) fn transaction<T, E: From<IndexStoreError>>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.execute("BEGIN IMMEDIATE")?;
        let done = run(self).and_then(|value| {
            self.execute("COMMIT")?;
            Ok(value)
        });
        if done.is_err() {
            // After some errors, such as a full disk, SQLite has ended the transaction itself.
            self.connection.execute_batch("ROLLBACK").ok();
        }
        // The log of a large import would be as large as its data.
        self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").ok();
        self.known.clear();
        done
    }

    fn execute(&self, sql: &str) -> Result<(), IndexStoreError> {
        Ok(self.connection.execute_batch(sql)?)
    }

    pub(crate) fn imports(&self) -> Result<Vec<ImportRow>, IndexStoreError> {
        read_imports(&self.connection)
    }

    /// Adds an import without documents. Returns its id.
    pub(crate) fn add_import(&self, row: &ImportRow) -> Result<i64, IndexStoreError> {
        let ImportRow { id: _, folder, file, tool, version, commit, imported_ms } = row;
        self.connection.execute(
            "INSERT INTO import (folder, file, tool, version, commit_id, imported_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![folder, file, tool, version, commit, i64::try_from(*imported_ms).unwrap_or(i64::MAX)],
        )?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Whether an import has a document at a path.
    pub(crate) fn has_document(&self, import: i64, path: &str) -> Result<bool, IndexStoreError> {
        let mut statement = self.connection.prepare_cached("SELECT 1 FROM document WHERE path = ?1 AND import = ?2")?;
        Ok(statement.exists(params![path, import])?)
    }

    /// Adds a document.
    pub(crate) fn add_document(
        &mut self,
        entry: &DocumentEntry<'_>,
        document: &ScipDocument<'_>,
        tool: &ScipTool,
    ) -> Result<DocumentCounts, IndexStoreError> {
        let encoded = EncodedDocument::new(entry.unit, document, tool, |text, kind| self.moniker(text, kind))?;
        let blob = match self.blob(entry, &encoded.digest, &encoded.bytes)? {
            Some(blob) => blob,
            None => {
                let blob = self.connection.last_insert_rowid();
                self.add_rows(blob, &encoded)?;
                blob
            }
        };
        let mut insert = self
            .connection
            .prepare_cached("INSERT INTO document (path, import, language, blob) VALUES (?1, ?2, ?3, ?4)")?;
        insert.execute(params![entry.path, entry.import, entry.language, blob])?;
        Ok(encoded.counts)
    }

    /// Returns the data of a document if they are stored. Otherwise, stores them and returns `None`.
    fn blob(
        &self,
        entry: &DocumentEntry<'_>,
        digest: &ShortHash,
        bytes: &[u8],
    ) -> Result<Option<i64>, IndexStoreError> {
        let mut select = self.connection.prepare_cached("SELECT id FROM blob WHERE hash = ?1 AND digest = ?2")?;
        let known = select.query_row(params![entry.hash, digest], |row| row.get(0)).optional()?;
        if known.is_none() {
            let mut insert = self
                .connection
                .prepare_cached("INSERT INTO blob (hash, digest, unit, occurrences) VALUES (?1, ?2, ?3, ?4)")?;
            insert.execute(params![entry.hash, digest, entry.unit.code(), bytes])?;
        }
        Ok(known)
    }

    fn add_rows(&self, blob: i64, encoded: &EncodedDocument) -> Result<(), IndexStoreError> {
        let mut insert = self
            .connection
            .prepare_cached("INSERT INTO moniker_blob (moniker, role, blob, n) VALUES (?1, ?2, ?3, ?4)")?;
        for SymbolCount { moniker, is_reference, number } in encoded.symbols() {
            insert.execute(params![moniker, is_reference, blob, to_i64(number)])?;
        }
        let mut insert = self
            .connection
            .prepare_cached("INSERT OR IGNORE INTO relation (moniker, target, bits, blob) VALUES (?1, ?2, ?3, ?4)")?;
        for (moniker, target, bits) in &encoded.relations {
            insert.execute(params![moniker, target, bits, blob])?;
        }
        Ok(())
    }

    /// Returns the id of a symbol, as [`Self::find_or_add`] does, and stores its kind if its document has one.
    fn moniker(&mut self, text: &str, kind: Option<u32>) -> Result<Option<i64>, IndexStoreError> {
        let id = self.find_or_add(text)?;
        if let (Some(id), Some(kind)) = (id, kind) {
            let mut update =
                self.connection.prepare_cached("UPDATE moniker SET kind = ?2 WHERE id = ?1 AND kind IS NOT ?2")?;
            update.execute(params![id, kind])?;
        }
        Ok(id)
    }

    /// Returns the id of a symbol, and stores the symbol if it is new. Returns `None` if it does not follow the grammar.
    fn find_or_add(&mut self, text: &str) -> Result<Option<i64>, IndexStoreError> {
        let hash = short_hash(Sha256::digest(text.as_bytes()).into());
        if let Some(known) = self.known.get(&hash) {
            return Ok(*known);
        }
        let mut select = self.connection.prepare_cached("SELECT id FROM moniker WHERE hash = ?1")?;
        let id = match select.query_row([hash], |row| row.get(0)).optional()? {
            Some(id) => Some(id),
            None => match ScipSymbol::parse(text) {
                Some(symbol) => {
                    let (name, kind) = (symbol.searchable_name(), kind::from_symbol(&symbol));
                    let mut insert = self
                        .connection
                        .prepare_cached("INSERT INTO moniker (hash, text, name, kind) VALUES (?1, ?2, ?3, ?4)")?;
                    insert.execute(params![hash, text, name, kind])?;
                    Some(self.connection.last_insert_rowid())
                }
                None => None,
            },
        };
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(hash, id);
        Ok(id)
    }

    /// Removes the earlier imports of the same folder and tool, and the data that no import uses.
    pub(crate) fn remove_former(&self, import: i64, folder: &str, tool: &str) -> Result<(), IndexStoreError> {
        let removed = self.connection.execute(
            "DELETE FROM import WHERE folder = ?2 AND tool = ?3 AND id <> ?1",
            params![import, folder, tool],
        )?;
        if removed > 0 {
            self.execute(
                "DELETE FROM document WHERE import NOT IN (SELECT id FROM import);
                 DELETE FROM blob WHERE id NOT IN (SELECT blob FROM document);
                 DELETE FROM moniker_blob WHERE blob NOT IN (SELECT id FROM blob);
                 DELETE FROM relation WHERE blob NOT IN (SELECT id FROM blob);
                 DELETE FROM moniker WHERE id NOT IN (
                    SELECT moniker FROM moniker_blob UNION SELECT moniker FROM relation UNION SELECT target FROM relation
                 );",
            )?;
        }
        Ok(())
    }
}

impl OccurrenceWriter for ExactWriter {
    fn add_import(&mut self, row: &ImportRow) -> Result<i64, ScipImportError> {
        Ok(Self::add_import(self, row)?)
    }

    fn has_document(&mut self, import: i64, path: &str) -> Result<bool, ScipImportError> {
        Ok(Self::has_document(self, import, path)?)
    }

    fn add_document(
        &mut self,
        entry: &DocumentEntry<'_>,
        document: &ScipDocument<'_>,
        tool: &ScipTool,
    ) -> Result<DocumentCounts, ScipImportError> {
        Ok(Self::add_document(self, entry, document, tool)?)
    }

    fn remove_former(&mut self, import: i64, folder: &str, tool: &str) -> Result<(), ScipImportError> {
        Ok(Self::remove_former(self, import, folder, tool)?)
    }
}
