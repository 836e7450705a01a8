//! The rows of files.

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use zubi_code::symbol_index::TextHash;

use super::IndexStoreError;

/// How much of a file is in the store. The codes are in partial indexes of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StoredContent {
    /// The words; the declarations are not parsed yet.
    Pending = 0,
    /// The words and declarations.
    Declared = 1,
    /// The words; the language is unknown.
    NoLanguage = 2,
    /// The words; the file is too large to parse, or a line is too long.
    WordsOnly = 3,
    /// The words; the parser rejected the text.
    Failed = 4,
    /// Nothing, because the file is too large.
    TooLarge = 5,
    /// Nothing, because the file is not UTF-8 text or cannot be read.
    NotText = 6,
}

impl StoredContent {
    /// All values by their code.
    pub(crate) const ALL: [Self; 7] =
        [Self::Pending, Self::Declared, Self::NoLanguage, Self::WordsOnly, Self::Failed, Self::TooLarge, Self::NotText];

    pub(crate) fn has_words(self) -> bool {
        !matches!(self, Self::TooLarge | Self::NotText)
    }
}

impl ToSql for StoredContent {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok((*self as i64).into())
    }
}

impl FromSql for StoredContent {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let code = value.as_i64()?;
        Self::ALL.into_iter().find(|content| *content as i64 == code).ok_or(FromSqlError::OutOfRange(code))
    }
}

/// The numbers of files by their content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FileCounts([usize; 7]);

impl FileCounts {
    pub(crate) fn get(&self, content: StoredContent) -> usize {
        self.0[content as usize]
    }

    pub(crate) fn total(&self) -> usize {
        self.0.iter().sum()
    }

    pub(crate) fn add(&mut self, content: StoredContent, number: usize) {
        self.0[content as usize] += number;
    }

    pub(crate) fn remove(&mut self, content: StoredContent) {
        let count = &mut self.0[content as usize];
        *count = count.saturating_sub(1);
    }
}

/// The state of a file on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    /// In bytes.
    pub(crate) size: i64,
    /// The time of the last change in nanoseconds since 1970. Only compared for equality, because clocks go back.
    pub(crate) changed_ns: i64,
}

/// A row of the table `file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileRow {
    pub(crate) id: i64,
    pub(crate) stamp: FileStamp,
    pub(crate) hash: Option<TextHash>,
    pub(crate) content: StoredContent,
    pub(crate) segment: i64,
}

impl FileRow {
    /// The columns that [`Self::read`] expects.
    pub(crate) const COLUMNS: &str = "id, size, changed_ns, hash, content, segment";

    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            stamp: FileStamp { size: row.get(1)?, changed_ns: row.get(2)? },
            hash: row.get::<_, Option<[u8; 16]>>(3)?.map(TextHash),
            content: row.get(4)?,
            segment: row.get(5)?,
        })
    }
}

/// Returns the absolute path of a stored one. A path that leads out of the folder is damage.
pub(crate) fn join_stored(root: &Utf8Path, path: &str) -> Result<Utf8PathBuf, IndexStoreError> {
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(IndexStoreError::Damaged("a path outside the folder"));
    }
    // At once: `join` allocates twice, and an answer can have thousands of files.
    let mut joined = Utf8PathBuf::with_capacity(root.as_str().len() + 1 + path.len());
    joined.push(root);
    joined.push(path);
    Ok(joined)
}
