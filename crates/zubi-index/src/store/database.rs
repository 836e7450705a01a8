//! The file of a store: its path, its lock, its tables.

use std::fs::File;
use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};
use zubi_base::owner_only;
use zubi_base::text::ContentHash;

use super::IndexStoreError;

/// The version of the tables and of the words.
const VERSION: u32 = 3;

/// The number of hexadecimal digits in the name of a store: 128 bits of the hash of its folder's path.
pub(super) const NAME_LENGTH: usize = 32;

/// The directory of all stores in zubi's cache directory.
pub(super) const DIRECTORY: &str = "index";

/// The time to wait for another connection.
const BUSY_TIMEOUT: Duration = Duration::from_secs(3);

/// The maximum size of the write-ahead log between two writes, in bytes.
const MAX_LOG: u32 = 64 * 1024 * 1024;

/// The size of a page in bytes.
const PAGE: u64 = 4096;

/// The tables. All paths are relative to the folder. The id of a file is never used again: a changed file has a new one, and
/// rows in `posting` with the old one have no effect. `segment` 0 is `live`. Positions are in bytes, and those with the
/// suffix `_at` are relative to `start`.
const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE file (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL,
    hash BLOB,
    content INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    segment INTEGER NOT NULL
) STRICT;
CREATE INDEX file_pending ON file (id) WHERE content = 0;
CREATE INDEX file_large ON file (id) WHERE content = 5;
CREATE INDEX file_other ON file (id) WHERE content = 6;
CREATE INDEX file_notebook ON file (id) WHERE substr(path, -6) = '.ipynb';
CREATE TABLE name (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE spelling (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE tag (
    file INTEGER NOT NULL,
    ord INTEGER NOT NULL,
    name INTEGER NOT NULL,
    spelling INTEGER,
    kind INTEGER NOT NULL,
    parent INTEGER,
    line INTEGER NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    name_at INTEGER NOT NULL,
    name_length INTEGER NOT NULL,
    signature_at INTEGER NOT NULL,
    signature_length INTEGER NOT NULL,
    doc_start INTEGER,
    doc_length INTEGER,
    PRIMARY KEY (file, ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_name ON tag (name, kind);
CREATE TABLE segment (
    id INTEGER PRIMARY KEY,
    base INTEGER NOT NULL,
    files INTEGER NOT NULL,
    dead INTEGER NOT NULL
) STRICT;
CREATE TABLE posting (
    segment INTEGER NOT NULL,
    word INTEGER NOT NULL,
    files BLOB NOT NULL,
    PRIMARY KEY (segment, word)
) STRICT, WITHOUT ROWID;
CREATE TABLE live (file INTEGER PRIMARY KEY, words BLOB NOT NULL) STRICT;
";

/// The content of a kind of store.
#[derive(Debug)]
pub(crate) struct StoreSchema {
    /// The end of the file's name.
    pub(crate) suffix: &'static str,
    /// The statements that create the tables. The table `meta` is one of them.
    pub(crate) tables: &'static str,
    /// Returns everything that decides about the content. A store with another format is deleted.
    pub(crate) format: fn() -> String,
}

/// The store of declarations and words.
pub(crate) const DECLARATIONS: StoreSchema = StoreSchema { suffix: ".db", tables: TABLES, format };

fn format() -> String {
    let languages = zubi_syntax::LANGUAGES.len();
    format!("tables {VERSION}, outlines {}, languages {languages}", zubi_syntax::OUTLINE_VERSION)
}

/// The file of a folder's store, whether it exists or not.
#[derive(Debug, Clone)]
pub(crate) struct StoreFile {
    /// The path of the database.
    pub(crate) path: Utf8PathBuf,
    root: Utf8PathBuf,
    max_bytes: u64,
    schema: &'static StoreSchema,
}

impl StoreFile {
    /// Returns the store of a folder, given by its path without links, in zubi's cache directory.
    pub(crate) fn new(cache: &Utf8Path, root: &Utf8Path, max_bytes: u64, schema: &'static StoreSchema) -> Self {
        let path = cache.join(DIRECTORY).join(store_name(root) + schema.suffix);
        Self { path, root: root.to_owned(), max_bytes, schema }
    }

    /// Locks the store for writing until the returned file is dropped. Returns `None` if another process has the lock.
    pub(crate) fn lock(&self) -> io::Result<Option<File>> {
        if let Some(directory) = self.path.parent() {
            owner_only::create_directory(directory)?;
        }
        owner_only::lock(&self.lock_path())
    }

    /// Whether a process has the lock.
    pub(crate) fn is_locked(&self) -> bool {
        matches!(owner_only::lock(&self.lock_path()), Ok(None))
    }

    /// Opens the store for writing, and deletes it first if it is not a store or has another format. The caller has the
    /// lock. Returns whether the store is new as well.
    pub(crate) fn open_for_writing(&self) -> Result<(Connection, bool), IndexStoreError> {
        match self.try_open_for_writing() {
            Err(error) if error.is_broken() || matches!(error, IndexStoreError::Absent) => {
                tracing::info!(store = %self.path, %error, "a new index of the folder");
                self.remove()?;
                let connection = self.connect(true)?;
                connection.execute_batch("BEGIN IMMEDIATE")?;
                connection.execute_batch(self.schema.tables)?;
                for (key, value) in [("format", (self.schema.format)()), ("root", self.root.to_string())] {
                    connection.execute("INSERT INTO meta (key, value) VALUES (?1, ?2)", [key, value.as_str()])?;
                }
                connection.execute_batch("COMMIT")?;
                Ok((connection, true))
            }
            opened => opened.map(|connection| (connection, false)),
        }
    }

    fn try_open_for_writing(&self) -> Result<Connection, IndexStoreError> {
        if !self.path.exists() {
            return Err(IndexStoreError::Absent);
        }
        let connection = self.connect(true)?;
        self.check_format(&connection)?;
        // The file can be written, because it was opened for appending before. SQLite refuses to write a database whose
        // header has a later write version (byte 18 in https://sqlite.org/fileformat.html), and reports no damage.
        if connection.is_readonly("main")? {
            return Err(IndexStoreError::Damaged("its header forbids writing"));
        }
        Ok(connection)
    }

    /// Opens an existing store for reading.
    pub(crate) fn open_for_reading(&self) -> Result<Connection, IndexStoreError> {
        if !self.path.exists() {
            return Err(IndexStoreError::Absent);
        }
        let connection = self.connect(false)?;
        self.check_format(&connection)?;
        Ok(connection)
    }

    /// Deletes the store. The caller has the lock.
    pub(crate) fn remove(&self) -> io::Result<()> {
        remove_files(&self.path)
    }

    /// Returns the size of the store with its log, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let length = |suffix| std::fs::metadata(format!("{}{suffix}", self.path)).map_or(0, |metadata| metadata.len());
        length("") + length("-wal")
    }

    fn connect(&self, is_writer: bool) -> Result<Connection, IndexStoreError> {
        let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        if is_writer {
            // Creates the file for this user alone; SQLite gives its additional files the same permissions.
            drop(owner_only::open_append(&self.path)?);
            flags |= OpenFlags::SQLITE_OPEN_READ_WRITE;
        } else {
            flags |= OpenFlags::SQLITE_OPEN_READ_ONLY;
        }
        let connection = Connection::open_with_flags(zubi_base::fs::canonical(&self.path)?, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        // Without it, SQLite compiles some statements again for each value of their parameters.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "cache_size", -8192)?;
        if is_writer {
            connection.pragma_update(None, "journal_mode", "wal")?;
            connection.pragma_update(None, "synchronous", "normal")?;
            connection.pragma_update(None, "wal_autocheckpoint", 2000)?;
            connection.pragma_update(None, "journal_size_limit", MAX_LOG)?;
            let pages = i64::try_from(self.max_bytes / PAGE).unwrap_or(i64::MAX);
            connection.pragma_update(None, "max_page_count", pages)?;
        }
        Ok(connection)
    }

    fn check_format(&self, connection: &Connection) -> Result<(), IndexStoreError> {
        let has_meta: Option<i64> =
            connection.query_row("SELECT 1 FROM sqlite_master WHERE name = 'meta'", [], |row| row.get(0)).optional()?;
        let value = |key| read_meta(connection, key);
        let is_same = has_meta.is_some()
            && value("format")?.as_deref() == Some((self.schema.format)().as_str())
            && value("root")?.as_deref() == Some(self.root.as_str());
        if is_same { Ok(()) } else { Err(IndexStoreError::Absent) }
    }

    fn lock_path(&self) -> Utf8PathBuf {
        self.path.with_extension("lock")
    }
}

/// Returns the beginning of the names of a folder's stores.
pub(super) fn store_name(root: &Utf8Path) -> String {
    let ContentHash(mut name) = ContentHash::from_bytes(root.as_str().as_bytes());
    name.truncate(NAME_LENGTH);
    name
}

/// Deletes the files of a store. The caller has the lock.
pub(super) fn remove_files(path: &Utf8Path) -> io::Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        match std::fs::remove_file(format!("{path}{suffix}")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the folder of a store of any format. `None` if the file cannot be read as a store.
pub(super) fn stored_root(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = Connection::open_with_flags(zubi_base::fs::canonical(path).ok()?, flags).ok()?;
    connection.pragma_update(None, "trusted_schema", false).ok()?;
    read_meta(&connection, "root").ok()?.map(Utf8PathBuf::from)
}

pub(crate) fn read_meta(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    connection.query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0)).optional()
}

pub(crate) fn write_meta(connection: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", [key, value])?;
    Ok(())
}
