//! The changes of the SQLite store. An import is one transaction.

use std::fs::File;

use rusqlite::{Connection, OptionalExtension as _, params};
use rustc_hash::FxHashMap;
use sha2::{Digest as _, Sha256};

use super::codec::{self, StoredOccurrence};
use super::document::{ScipDocument, ScipTool};
use super::kind;
use super::position::ColumnUnit;
use super::reader::{read_imports, to_i64};
use super::store::ImportRow;
use super::symbol::{DescriptorSuffix, ScipSymbol};
use crate::store::IndexStoreError;
use crate::store::database::StoreFile;
use crate::store::kind::code_of;

/// The maximum number of symbols whose ids are in memory.
const MAX_KNOWN: usize = 200_000;

/// The maximum size of a store whose pages are checked before an import, in bytes.
const MAX_CHECKED: u64 = 256 << 20;

/// The first 16 bytes of a SHA-256.
type ShortHash = [u8; 16];

/// Changes the store. It has the lock.
pub(crate) struct ExactWriter {
    connection: Connection,
    known: FxHashMap<ShortHash, Option<i64>>,
    _lock: File,
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
        let mut counts = DocumentCounts::default();
        let mut occurrences = Vec::with_capacity(document.occurrences.len());
        for occurrence in &document.occurrences {
            match self.moniker(occurrence.symbol)? {
                Some(moniker) => {
                    let (range, roles) = (occurrence.range, occurrence.roles);
                    occurrences.push(StoredOccurrence { range, moniker, roles });
                }
                None => counts.invalid += 1,
            }
        }
        occurrences.sort_unstable();
        occurrences.dedup();
        counts.occurrences = occurrences.len();
        let relations = self.relations(document)?;
        let bytes = codec::encode(&occurrences);
        let digest = digest(tool, entry.unit, &bytes, &relations);
        let blob = self.blob(entry, &digest, &bytes)?;
        let blob = match blob {
            Some(blob) => blob,
            None => {
                let blob = self.connection.last_insert_rowid();
                self.add_rows(blob, &occurrences, &relations)?;
                blob
            }
        };
        let mut insert = self
            .connection
            .prepare_cached("INSERT INTO document (path, import, language, blob) VALUES (?1, ?2, ?3, ?4)")?;
        insert.execute(params![entry.path, entry.import, entry.language, blob])?;
        Ok(counts)
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

    fn add_rows(
        &self,
        blob: i64,
        occurrences: &[StoredOccurrence],
        relations: &[(i64, i64, u8)],
    ) -> Result<(), IndexStoreError> {
        let mut numbers: Vec<(i64, bool)> =
            occurrences.iter().map(|occurrence| (occurrence.moniker, !occurrence.roles.is_definition())).collect();
        numbers.sort_unstable();
        let mut insert = self
            .connection
            .prepare_cached("INSERT INTO moniker_blob (moniker, role, blob, n) VALUES (?1, ?2, ?3, ?4)")?;
        for group in numbers.chunk_by(|a, b| a == b) {
            let Some((moniker, role)) = group.first() else { continue };
            insert.execute(params![moniker, role, blob, to_i64(group.len())])?;
        }
        let mut insert = self
            .connection
            .prepare_cached("INSERT OR IGNORE INTO relation (moniker, target, bits, blob) VALUES (?1, ?2, ?3, ?4)")?;
        for (moniker, target, bits) in relations {
            insert.execute(params![moniker, target, bits, blob])?;
        }
        Ok(())
    }

    /// Returns the relations of the document's symbols, as the symbol, the target and the flags, and stores their kinds.
    fn relations(&mut self, document: &ScipDocument<'_>) -> Result<Vec<(i64, i64, u8)>, IndexStoreError> {
        let mut relations = Vec::new();
        for information in &document.symbols {
            let Some(moniker) = self.moniker(information.symbol)? else { continue };
            if let Some(kind) = kind::from_scip(information.kind) {
                let mut update =
                    self.connection.prepare_cached("UPDATE moniker SET kind = ?2 WHERE id = ?1 AND kind IS NOT ?2")?;
                update.execute(params![moniker, code_of(kind)])?;
            }
            for relation in &information.relations {
                if let Some(target) = self.moniker(relation.target)? {
                    relations.push((moniker, target, relation.bits.0));
                }
            }
        }
        relations.sort_unstable();
        // Several relations to one target are one.
        relations.dedup_by(|next, first| {
            let is_same = (next.0, next.1) == (first.0, first.1);
            if is_same {
                first.2 |= next.2;
            }
            is_same
        });
        Ok(relations)
    }

    /// Returns the id of a symbol, and stores the symbol if it is new. Returns `None` if it does not follow the grammar.
    fn moniker(&mut self, text: &str) -> Result<Option<i64>, IndexStoreError> {
        let hash = short_hash(Sha256::digest(text.as_bytes()).into());
        if let Some(known) = self.known.get(&hash) {
            return Ok(*known);
        }
        let mut select = self.connection.prepare_cached("SELECT id FROM moniker WHERE hash = ?1")?;
        let id = match select.query_row([hash], |row| row.get(0)).optional()? {
            Some(id) => Some(id),
            None => match ScipSymbol::parse(text) {
                Some(symbol) => {
                    let name = symbol.is_searchable().then(|| symbol.name());
                    let is_member = matches!(symbol.descriptors.as_slice(),
                        [.., above, _] if matches!(above.suffix, DescriptorSuffix::Type | DescriptorSuffix::TypeParameter));
                    let kind = kind::from_suffix(symbol.suffix(), is_member).map(code_of);
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

fn digest(tool: &ScipTool, unit: ColumnUnit, occurrences: &[u8], relations: &[(i64, i64, u8)]) -> ShortHash {
    let mut digest = Sha256::new();
    digest.update(tool.name.as_bytes());
    digest.update([0, unit.code()]);
    digest.update((occurrences.len() as u64).to_le_bytes());
    digest.update(occurrences);
    for (moniker, target, bits) in relations {
        digest.update(moniker.to_le_bytes());
        digest.update(target.to_le_bytes());
        digest.update([*bits]);
    }
    short_hash(digest.finalize().into())
}

fn short_hash(digest: [u8; 32]) -> ShortHash {
    let mut hash = [0; 16];
    hash.iter_mut().zip(digest).for_each(|(byte, other)| *byte = other);
    hash
}
