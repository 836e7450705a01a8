//! Sources of texts and targets of edits: the interfaces that abstract over the disk and a live editor. Also the
//! helpers that shorten, count and quote parts of messages.

mod display;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest as _, Sha256};

use crate::fs::{self, ReadError};

pub use self::display::{ellipsize, hex, pluralize, quote_all, quote_for_shell};

/// SHA-256 of a file's exact bytes, as lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct ContentHash(pub String);

impl ContentHash {
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_parts(&[bytes])
    }

    /// Returns the hash of several parts, one after the other.
    pub fn from_parts(parts: &[&[u8]]) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update(part);
        }
        Self(hex(&digest.finalize()))
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
    /// The exact bytes, the mark included.
    pub fn bytes(&self) -> Vec<u8> {
        let mark = if self.bom { BOM } else { "" };
        [mark.as_bytes(), self.text.as_bytes()].concat()
    }

    /// Hash of the exact bytes (the mark included), to notice that the file changed since. Worked out on demand: most
    /// texts are read only to be shown, and hashing would cost more than reading.
    pub fn hash(&self) -> ContentHash {
        if self.bom {
            ContentHash::from_parts(&[BOM.as_bytes(), self.text.as_bytes()])
        } else {
            ContentHash::from_bytes(self.text.as_bytes())
        }
    }
}

/// The UTF-8 byte-order mark.
pub const BOM: &str = "\u{feff}";

/// Provides the current text of documents: from disk, or from the editor if it has the document open.
#[async_trait]
pub trait TextSource: Send + Sync {
    /// The text of a file whose path is absolute and had its links resolved when it was judged. One that leads through
    /// a link by now is not read ([`ReadError::Linked`]).
    async fn read(&self, path: &Utf8Path) -> Result<SourceText, ReadError>;

    /// Returns the texts that may differ from the disk, by file: absolute, links resolved.
    fn unsaved_texts(&self) -> BTreeMap<Utf8PathBuf, Arc<str>> {
        BTreeMap::new()
    }
}

/// Texts as they are on disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskText;

impl DiskText {
    /// The text of a file, read now, on this thread. Links are followed.
    pub fn read_now(path: &Utf8Path) -> Result<SourceText, ReadError> {
        Ok(Self::source(fs::read_text(path)?))
    }

    /// Reads a file as [`TextSource::read`] does.
    pub fn read_in_place(path: &Utf8Path) -> Result<SourceText, ReadError> {
        Ok(Self::source(fs::read_text_in_place(path)?))
    }

    fn source(content: String) -> SourceText {
        let (bom, text) = match content.strip_prefix(BOM) {
            Some(rest) => (true, rest.into()),
            None => (false, content.into()),
        };
        SourceText { text, bom, origin: TextOrigin::Disk }
    }
}

#[async_trait]
impl TextSource for DiskText {
    async fn read(&self, path: &Utf8Path) -> Result<SourceText, ReadError> {
        // A local read of a source file takes microseconds; a hop to another thread would cost more than it saves.
        Self::read_in_place(path)
    }
}

/// One step of a change to the workspace, with all data needed to check, do and undo it. Paths are absolute, their
/// directories with links resolved. The last component is never followed: a step on a symbolic link changes the link
/// itself; to change the file behind it, name that file.
///
/// A step creates the directories that it needs and that do not exist; removing them again is a step of its own.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", tag = "operation")]
pub enum FileOperation {
    /// Writes a file; `before` is the hash the file must have now, `None` when it must not exist. Permission bits of a
    /// file that exists stay.
    Write {
        path: Utf8PathBuf,
        before: Option<ContentHash>,
        #[serde(with = "content")]
        content: Vec<u8>,
    },
    /// Moves a file, a symbolic link or a whole directory. Nothing may exist at `to`.
    Rename { from: Utf8PathBuf, to: Utf8PathBuf },
    /// Removes a file, or a symbolic link; `before` is then the hash of the path it points to.
    Delete { path: Utf8PathBuf, before: ContentHash },
    /// Makes an empty directory.
    CreateDirectory { path: Utf8PathBuf },
    /// Removes a directory, which must be empty by then.
    RemoveDirectory { path: Utf8PathBuf },
    /// Creates a symbolic link. Only to undo the removal of one: language servers cannot request it.
    CreateLink { path: Utf8PathBuf, target: Utf8PathBuf },
    /// Sets the permission bits of a file or directory (the lower twelve of Unix's `st_mode`). Only to undo a removal.
    SetMode { path: Utf8PathBuf, mode: u32 },
}

impl FileOperation {
    /// The path the step is about; of a rename, where the file is afterwards.
    pub fn path(&self) -> &Utf8Path {
        match self {
            Self::Write { path, .. }
            | Self::Rename { to: path, .. }
            | Self::Delete { path, .. }
            | Self::CreateDirectory { path }
            | Self::RemoveDirectory { path }
            | Self::CreateLink { path, .. }
            | Self::SetMode { path, .. } => path,
        }
    }
}

/// Bytes in JSON: a string where they are UTF-8, as source text is, else `{"hex": "…"}`.
mod content {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize as _, Serializer};

    #[derive(serde::Serialize, Deserialize)]
    #[serde(untagged)]
    enum Content {
        Text(String),
        Binary { hex: String },
    }

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => Content::Binary { hex: super::hex(bytes) }.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        match Content::deserialize(deserializer)? {
            Content::Text(text) => Ok(text.into_bytes()),
            Content::Binary { hex } => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                let pair = |pair: &[u8]| match pair {
                    [high, low] => Some(digit(high)? << 4 | digit(low)?),
                    _ => None,
                };
                hex.as_bytes()
                    .chunks(2)
                    .map(pair)
                    .collect::<Option<_>>()
                    .ok_or_else(|| D::Error::custom("not hexadecimal"))
            }
        }
    }
}

/// The files to save after a change that an editor makes. On disk all files are saved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Save {
    /// The files that were not open before: no user would notice that they have unsaved changes.
    Unopened,
    /// Those, and the files that had no unsaved changes.
    #[default]
    Clean,
    All,
}

/// A setting of the editor that applies while a change is made, and is restored afterwards.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Setting {
    pub key: String,
    pub value: serde_json::Value,
}

/// Options for a change that an editor makes. The disk ignores them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditOptions {
    pub save: Save,
    pub settings: Vec<Setting>,
    /// The settings that apply while the change is reverted.
    pub undo_settings: Vec<Setting>,
    /// Whether files are moved through the editor although it has none of them open, and zubi waits for its extensions
    /// to update the references.
    pub followed: bool,
    /// Whether to revert additional changes by extensions at once, because the steps are the whole change.
    pub exact: bool,
}

/// The results of a change in addition to its steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditOutcome {
    /// Every file whose text the editor changed, because of a step or through an extension.
    pub changed: Vec<ChangedFile>,
    /// The files with unsaved changes in the editor.
    pub unsaved: Vec<Utf8PathBuf>,
    /// The files in which the user typed meanwhile. Their text belongs to the user: zubi neither saves nor reverts it.
    pub typed: Vec<Utf8PathBuf>,
    /// Notes for the reader, one sentence each.
    pub notes: Vec<String>,
}

impl EditOutcome {
    pub fn merge(&mut self, later: Self) {
        self.changed.extend(later.changed);
        self.unsaved.extend(later.unsaved);
        self.typed.extend(later.typed);
        self.notes.extend(later.notes);
    }
}

/// A file's exact bytes before and after, as it is named now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: Utf8PathBuf,
    pub before: Vec<u8>,
    pub after: Vec<u8>,
}

/// The reason why a change was not made. Except for [`SinkError::Stuck`] and [`SinkError::Doubtful`], no file is
/// changed.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    #[error("`{path}` changed since the plan was made")]
    Changed { path: Utf8PathBuf },
    #[error("`{path}` already exists")]
    Exists { path: Utf8PathBuf },
    #[error("cannot write `{path}`: {source}")]
    Io { path: Utf8PathBuf, source: std::io::Error },
    #[error("the editor refused the edit: {reason}")]
    Refused { reason: String },
    /// A step failed, and so did reverting the steps before it.
    #[error("cannot write `{path}`: {source}; and what was written before could not all be put back: {unrestored}")]
    Stuck { path: Utf8PathBuf, source: std::io::Error, unrestored: String },
    /// The editor did not make the whole change, or did not report whether it did.
    #[error("the editor did not make the whole change: {reason}")]
    Doubtful { reason: String },
}

impl SinkError {
    /// Whether the contents of files may have changed.
    pub fn may_have_written(&self) -> bool {
        matches!(self, Self::Stuck { .. } | Self::Doubtful { .. })
    }
}

/// Applies changes to the disk or the editor.
#[async_trait]
pub trait EditSink: Send + Sync {
    /// Makes all changes, in order, or none of them (short of a crash, which the sink's own journal repairs).
    async fn apply(&self, operations: &[FileOperation], options: &EditOptions) -> Result<EditOutcome, SinkError>;
}

/// The sink of an open editor. It takes texts of files that exist, renames and deletions, and nothing else.
pub trait EditorSink: EditSink {
    /// Whether the editor has a file open, or one below a directory. Absolute, links resolved.
    fn has_open(&self, path: &Utf8Path) -> bool;
}

#[cfg(test)]
mod tests;
