//! The files of the store in memory: a query ranks hundreds of declarations by the paths of their files.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, Row};
use rustc_hash::FxHashMap;
use zubi_code::symbol_index::TextHash;

use super::IndexStoreError;

/// The maximum number of files in memory, about 150 bytes each. In a larger store, only files of recent queries are there.
const MAX_FILES: usize = 100_000;

/// A file of the store. They are the same as long as the file has its id: a changed file has another one.
#[derive(Debug)]
pub(super) struct StoredFile {
    /// Relative to the folder.
    pub(super) path: String,
    /// `None` if the file has no words.
    pub(super) hash: Option<TextHash>,
}

impl StoredFile {
    /// Reads a row that begins with the path and the hash.
    fn read(row: &Row<'_>) -> rusqlite::Result<Arc<Self>> {
        Ok(Arc::new(Self { path: row.get(0)?, hash: row.get::<_, Option<_>>(1)?.map(TextHash) }))
    }
}

/// A file, with the state of the store in which it existed.
#[derive(Debug)]
struct KnownFile {
    file: Arc<StoredFile>,
    version: i64,
}

/// Files by their ids, among them deleted ones.
#[derive(Debug)]
pub(super) struct KnownFiles {
    files: FxHashMap<i64, KnownFile>,
    /// SQLite's counter of the changes by other connections.
    version: i64,
    /// The largest id among the files that [`Self::load`] has read.
    last: i64,
    max: usize,
    is_store_larger: bool,
}

impl Default for KnownFiles {
    fn default() -> Self {
        Self { files: FxHashMap::default(), version: 0, last: 0, max: MAX_FILES, is_store_larger: false }
    }
}

impl KnownFiles {
    /// Prepares for a query.
    pub(super) fn begin(&mut self, connection: &Connection) -> Result<(), IndexStoreError> {
        self.version = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        Ok(())
    }

    /// Adds the files that the store has in addition: one pass takes less time than a query for each file.
    pub(super) fn load(&mut self, connection: &Connection) -> Result<(), IndexStoreError> {
        while !self.is_store_larger {
            let is_first = self.last == 0;
            if is_first {
                self.files.clear();
            }
            if self.load_new(connection)? {
                break;
            }
            // Among them may be files that were deleted.
            self.last = 0;
            self.is_store_larger = is_first;
        }
        Ok(())
    }

    /// Returns whether all new files fit.
    fn load_new(&mut self, connection: &Connection) -> Result<bool, IndexStoreError> {
        let mut statement = connection.prepare_cached("SELECT path, hash, id FROM file WHERE id > ?1 ORDER BY id")?;
        let mut rows = statement.query([self.last])?;
        while let Some(row) = rows.next()? {
            if self.files.len() >= self.max {
                return Ok(false);
            }
            self.last = row.get(2)?;
            self.files.insert(self.last, KnownFile { file: StoredFile::read(row)?, version: self.version });
        }
        Ok(true)
    }

    /// Returns the file of a declaration, or `None` if it is deleted. A store that has the declaration has its file.
    pub(super) fn get_declaring(
        &mut self,
        connection: &Connection,
        id: i64,
    ) -> Result<Option<Arc<StoredFile>>, IndexStoreError> {
        match self.files.get(&id) {
            Some(known) => Ok(Some(Arc::clone(&known.file))),
            None => self.get(connection, id),
        }
    }

    /// Returns a file, or `None` if it is deleted.
    pub(super) fn get(&mut self, connection: &Connection, id: i64) -> Result<Option<Arc<StoredFile>>, IndexStoreError> {
        if let Some(known) = self.files.get(&id).filter(|known| known.version == self.version) {
            return Ok(Some(Arc::clone(&known.file)));
        }
        let found = connection
            .prepare_cached("SELECT path, hash FROM file WHERE id = ?1")?
            .query_row([id], StoredFile::read)
            .optional()?;
        let Some(file) = found else { return Ok(None) };
        if self.files.len() >= self.max {
            self.files.clear();
            self.last = 0;
        }
        self.files.insert(id, KnownFile { file: Arc::clone(&file), version: self.version });
        Ok(Some(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(files: i64) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE file (id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT, hash BLOB)")
            .unwrap();
        for id in 1..=files {
            connection.execute("INSERT INTO file (id, path) VALUES (?1, ?2)", (id, format!("{id}.py"))).unwrap();
        }
        connection
    }

    fn check(known: &mut KnownFiles, connection: &Connection) -> String {
        known.begin(connection).unwrap();
        known.load(connection).unwrap();
        let mut ids: Vec<_> = known.files.keys().copied().collect();
        ids.sort_unstable();
        format!("{ids:?}")
    }

    #[test]
    fn new_files_are_added() {
        let connection = open(2);
        let mut known = KnownFiles::default();
        assert_eq!(check(&mut known, &connection), "[1, 2]");
        connection.execute_batch("DELETE FROM file WHERE id = 2; INSERT INTO file VALUES (3, '2.py', NULL)").unwrap();
        assert_eq!(check(&mut known, &connection), "[1, 2, 3]");
        // As after a change by another connection.
        known.version += 1;
        assert!(known.get(&connection, 2).unwrap().is_none());
        assert_eq!(known.get(&connection, 3).unwrap().unwrap().path, "2.py");
    }

    #[test]
    fn deleted_files_do_not_accumulate() {
        let connection = open(3);
        let mut known = KnownFiles { max: 4, ..KnownFiles::default() };
        assert_eq!(check(&mut known, &connection), "[1, 2, 3]");
        connection
            .execute_batch("UPDATE file SET id = id + 3 WHERE id = 3; UPDATE file SET id = id + 3 WHERE id < 3")
            .unwrap();
        assert_eq!(check(&mut known, &connection), "[4, 5, 6]");
    }

    #[test]
    fn a_larger_store_is_read_by_need() {
        let connection = open(5);
        let mut known = KnownFiles { max: 3, ..KnownFiles::default() };
        assert_eq!(check(&mut known, &connection), "[1, 2, 3]");
        assert_eq!(known.get_declaring(&connection, 5).unwrap().unwrap().path, "5.py");
        assert_eq!(check(&mut known, &connection), "[5]");
    }
}
