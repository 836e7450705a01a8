//! The store of an index: one SQLite file per workspace folder, in zubi's cache directory.
//!
//! The store has paths, hashes, names, positions and hashes of words, and no texts: lines are read from the files when they
//! are shown. It can be deleted at any time. A store of another format, and a damaged one, is deleted and built again.
//!
//! [`database`] opens the file, [`writer`] changes it, [`postings`] is its list of files for each word, [`reader`] answers
//! queries, [`names`] finds names by parts of them, and [`declared_names`] lists all names with their files, and [`vanished`]
//! removes the stores of folders that no longer exist.

pub(crate) mod database;
mod declared_names;
pub(crate) mod kind;
mod known_files;
pub(crate) mod names;
pub(crate) mod postings;
pub(crate) mod reader;
pub(crate) mod record;
pub(crate) mod vanished;
pub(crate) mod writer;

/// The reason why the store does not work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IndexStoreError {
    #[error("{0}")]
    Database(#[from] rusqlite::Error),
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// The store does not exist, or another version of zubi has made it.
    #[error("the store does not exist yet")]
    Absent,
    /// A value that this version does not write.
    #[error("the store is damaged: {0}")]
    Damaged(&'static str),
    /// The limits of the store do not allow another file.
    #[error("the store has reached its limit of {0} files")]
    Limit(usize),
}

impl IndexStoreError {
    /// Whether the file is damaged. A lock of another process and a full disk damage nothing.
    pub(crate) fn is_broken(&self) -> bool {
        use rusqlite::ErrorCode;
        match self {
            Self::Database(rusqlite::Error::SqliteFailure(failure, _)) => {
                matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
                    || failure.code == ErrorCode::ConstraintViolation
            }
            // The tables do not have the columns, or the stored values the types, that this version writes.
            Self::Database(
                rusqlite::Error::SqlInputError { .. }
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..)
                | rusqlite::Error::QueryReturnedNoRows,
            )
            | Self::Damaged(_) => true,
            Self::Database(_) | Self::File(_) | Self::Absent | Self::Limit(_) => false,
        }
    }
}
