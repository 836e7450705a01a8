//! Where texts come from and where edits go: the seam between disk and a live editor.

use std::sync::Arc;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest as _, Sha256};

use crate::fs::{self, ReadError};

/// SHA-256 of a file's exact bytes, as lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct ContentHash(pub String);

impl ContentHash {
    pub fn of(bytes: &[u8]) -> Self {
        Self::of_parts(&[bytes])
    }

    /// The hash of several pieces, one after the other.
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        use std::fmt::Write as _;
        let mut digest = Sha256::new();
        for part in parts {
            digest.update(part);
        }
        let mut hex = String::with_capacity(64);
        for byte in digest.finalize() {
            // Writing to a `String` cannot fail.
            let _ = write!(hex, "{byte:02x}");
        }
        Self(hex)
    }
}

/// Which copy of a document a text was read from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TextOrigin {
    Disk,
    /// An editor's buffer, at the version number the editor gave it.
    Editor {
        version: i32,
    },
}

/// One document's text as it is now.
#[derive(Debug, Clone)]
pub struct SourceText {
    /// The text as a language server sees it: without a byte-order mark, line endings as they are in the file.
    pub text: Arc<str>,
    /// Whether the file begins with a UTF-8 byte-order mark; an edit must write it back.
    pub bom: bool,
    pub origin: TextOrigin,
}

impl SourceText {
    /// Hash of the exact bytes (the mark included), to notice that the file changed since. Worked out on demand: most
    /// texts are read only to be shown, and hashing would cost more than reading.
    pub fn hash(&self) -> ContentHash {
        if self.bom {
            ContentHash::of_parts(&[BOM.as_bytes(), self.text.as_bytes()])
        } else {
            ContentHash::of(self.text.as_bytes())
        }
    }
}

/// The UTF-8 byte-order mark.
pub const BOM: &str = "\u{feff}";

/// Hands out the current text of documents: from disk, or from the editor where it is open there.
#[async_trait]
pub trait TextSource: Send + Sync {
    async fn read(&self, path: &Utf8Path) -> Result<SourceText, ReadError>;
}

/// Texts as they are on disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskText;

impl DiskText {
    /// The text of a file, read now, on this thread.
    pub fn read_now(path: &Utf8Path) -> Result<SourceText, ReadError> {
        let whole = fs::read_text(path)?;
        let (bom, text) = match whole.strip_prefix(BOM) {
            Some(rest) => (true, rest.into()),
            None => (false, whole.into()),
        };
        Ok(SourceText { text, bom, origin: TextOrigin::Disk })
    }
}

#[async_trait]
impl TextSource for DiskText {
    async fn read(&self, path: &Utf8Path) -> Result<SourceText, ReadError> {
        // A local read of a source file takes microseconds; a hop to another thread would cost more than it saves.
        Self::read_now(path)
    }
}

/// One step of a change to the workspace, with everything needed to check, do and undo it. Paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOperation {
    /// Writes a file; `before` is the hash the file must have now, `None` when it must not exist.
    Write {
        path: Utf8PathBuf,
        before: Option<ContentHash>,
        content: Vec<u8>,
    },
    Rename {
        from: Utf8PathBuf,
        to: Utf8PathBuf,
    },
    Delete {
        path: Utf8PathBuf,
        before: ContentHash,
    },
}

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    #[error("`{path}` changed since the plan was made")]
    Changed { path: Utf8PathBuf },
    #[error("`{path}` already exists")]
    Exists { path: Utf8PathBuf },
    #[error("cannot write `{path}`: {source}")]
    Io { path: Utf8PathBuf, source: std::io::Error },
    #[error("the editor refused the edit: {why}")]
    Refused { why: String },
}

/// Takes changes to where the text lives: the disk, or the editor.
#[async_trait]
pub trait EditSink: Send + Sync {
    /// Makes all changes, in order, or none of them (short of a crash, which the caller's journal repairs).
    async fn apply(&self, operations: &[FileOperation]) -> Result<(), SinkError>;
}
