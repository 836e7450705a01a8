//! The files that recent queries have read from the store: a common name has thousands.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _};
use rustc_hash::FxHashMap;
use zubi_code::symbol_index::TextHash;

use super::IndexStoreError;

/// The maximum number of files in memory, about 150 bytes each.
const MAX_FILES: usize = 20_000;

/// A file of the store. They are the same as long as the file has its id: a changed file has another one.
#[derive(Debug)]
pub(super) struct StoredFile {
    /// Relative to the folder.
    pub(super) path: String,
    /// `None` if the file has no words.
    pub(super) hash: Option<TextHash>,
}

/// Files by their ids.
#[derive(Debug, Default)]
pub(super) struct KnownFiles {
    files: FxHashMap<i64, Arc<StoredFile>>,
    /// SQLite's counter of the changes by other connections.
    version: i64,
}

impl KnownFiles {
    /// Prepares for a query: removes all files if the store has changed, because some of them may be deleted.
    pub(super) fn begin(&mut self, connection: &Connection) -> Result<(), IndexStoreError> {
        let version = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if std::mem::replace(&mut self.version, version) != version {
            self.files.clear();
        }
        Ok(())
    }

    /// Returns a file, or `None` if it is deleted.
    pub(super) fn get(&mut self, connection: &Connection, id: i64) -> Result<Option<Arc<StoredFile>>, IndexStoreError> {
        if let Some(file) = self.files.get(&id) {
            return Ok(Some(Arc::clone(file)));
        }
        let found = connection
            .prepare_cached("SELECT path, hash FROM file WHERE id = ?1")?
            .query_row([id], |row| {
                Ok(StoredFile { path: row.get(0)?, hash: row.get::<_, Option<_>>(1)?.map(TextHash) })
            })
            .optional()?;
        let Some(file) = found.map(Arc::new) else { return Ok(None) };
        if self.files.len() >= MAX_FILES {
            self.files.clear();
        }
        self.files.insert(id, Arc::clone(&file));
        Ok(Some(file))
    }
}
