//! The interfaces to read texts and to apply edits, which abstract over the disk and a live editor. Also helpers that
//! shorten, count and quote parts of messages.

mod display;
mod recent;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest as _, Sha256};

use crate::fs::{self, ReadError};

pub use self::recent::RecentTexts;

pub use self::display::{display_age, display_size, ellipsize, hex, list_first, pluralize, quote_all, quote_for_shell};

/// SHA-256 of a file's exact bytes, as lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct ContentHash(pub String);

impl ContentHash {
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_parts(&[bytes])
    }

    /// Returns the hash of the concatenated parts.
    pub fn from_parts(parts: &[&[u8]]) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update(part);
        }
        Self(hex(&digest.finalize()))
    }
}

/// The copy of a document from which a text was read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TextOrigin {
    Disk,
    /// An editor's buffer, with the editor's version number.
    Editor {
        version: i32,
    },
}

/// The current text of a document.
#[derive(Debug, Clone)]
pub struct SourceText {
    /// The text as a language server sees it: without a byte-order mark, with the line endings of the file.
    pub text: Arc<str>,
    /// Whether the file begins with a UTF-8 byte-order mark; an edit must write it back.
    pub bom: bool,
    pub origin: TextOrigin,
}

impl SourceText {
    /// The exact bytes, including the byte-order mark.
    pub fn bytes(&self) -> Vec<u8> {
        let mark = if self.bom { BOM } else { "" };
        [mark.as_bytes(), self.text.as_bytes()].concat()
    }

    /// Computes the hash of the exact bytes (including the byte-order mark), to detect changes of the file. Not cached:
    /// most texts are only shown, and hashing costs more than reading.
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

/// Provides the current text of documents: from disk, or from an editor that has the document open.
#[async_trait]
pub trait TextSource: Send + Sync {
    /// Reads a file by its absolute path, whose links were resolved when the caller checked it. Refuses a path that
    /// contains a link now ([`ReadError::Linked`]).
    async fn read(&self, path: &Utf8Path) -> Result<SourceText, ReadError>;

    /// Returns the texts that may differ from the disk, by absolute path with links resolved.
    fn unsaved_texts(&self) -> BTreeMap<Utf8PathBuf, Arc<str>> {
        BTreeMap::new()
    }
}

/// The texts on disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskText;

impl DiskText {
    /// Reads a file on this thread. Follows links.
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
        // Reading a local source file takes microseconds, less than a switch to another thread.
        Self::read_in_place(path)
    }
}

/// One step of a change to the workspace, with all data needed to check, apply and revert it. Paths are absolute, with
/// the links of their directories resolved. The last component is never followed: a step on a symbolic link changes the
/// link itself; to change its target, name the target.
///
/// A step creates missing directories that it needs; removing them again is a separate step.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", tag = "operation")]
pub enum FileOperation {
    /// Writes a file. `before` is the hash of its present content, or `None` if it must not exist. An existing file
    /// retains its permission bits.
    Write {
        path: Utf8PathBuf,
        before: Option<ContentHash>,
        #[serde(with = "content")]
        content: Vec<u8>,
    },
    /// Moves a file, a symbolic link or a whole directory. Nothing may exist at `to`.
    Rename { from: Utf8PathBuf, to: Utf8PathBuf },
    /// Removes a file or a symbolic link; for a link, `before` is the hash of its target path.
    Delete { path: Utf8PathBuf, before: ContentHash },
    /// Creates an empty directory.
    CreateDirectory { path: Utf8PathBuf },
    /// Removes a directory, which must be empty at this step.
    RemoveDirectory { path: Utf8PathBuf },
    /// Creates a symbolic link. Only for reverting a removal: language servers cannot request it.
    CreateLink { path: Utf8PathBuf, target: Utf8PathBuf },
    /// Sets the permission bits (the lower twelve of Unix's `st_mode`). Only for reverting a removal.
    SetMode { path: Utf8PathBuf, mode: u32 },
}

impl FileOperation {
    /// The path of the step; for a rename, the new path.
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

/// Serializes bytes as a string if they are UTF-8, as source text is, else as `{"hex": "…"}`.
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

/// The files that an editor saves after a change. On disk all files are saved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Save {
    /// The files that were not open before: the user would not notice their unsaved changes.
    Unopened,
    /// Also the files that had no unsaved changes.
    #[default]
    Clean,
    All,
}

/// A setting of the editor that applies during a change and is restored afterwards.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Setting {
    pub key: String,
    pub value: serde_json::Value,
}

/// The name of a change in its journal, from which zubi reports an interruption.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ChangeLabel {
    /// The id of the plan; empty if the change has none.
    pub plan: String,
    pub title: String,
    /// Whether the change reverts the plan.
    pub is_undo: bool,
}

/// Options for a change. All but the label concern an editor; the disk ignores them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditOptions {
    pub label: ChangeLabel,
    pub save: Save,
    pub settings: Vec<Setting>,
    /// The settings that apply while the change is reverted.
    pub undo_settings: Vec<Setting>,
    /// Whether the editor moves files even if it has none of them open, and zubi waits until its extensions have
    /// updated the references.
    pub followed: bool,
    /// Whether to revert additional changes by extensions, because the steps are the whole change.
    pub exact: bool,
}

/// The results of a change in addition to its steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditOutcome {
    /// Every file whose text the editor changed, by a step or through an extension.
    pub changed: Vec<ChangedFile>,
    /// The files with unsaved changes in the editor.
    pub unsaved: Vec<Utf8PathBuf>,
    /// The files in which the user typed meanwhile. Their text belongs to the user: zubi neither saves nor reverts it.
    pub typed: Vec<Utf8PathBuf>,
    /// Notes for the user, one sentence each.
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

/// A file's exact bytes before and after, under its new path.
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
    /// The permissions of an existing file forbid its change.
    #[error("`{path}` is read-only")]
    ReadOnly { path: Utf8PathBuf },
    #[error("cannot write `{path}`: {source}")]
    Io { path: Utf8PathBuf, source: std::io::Error },
    #[error("the editor refused the edit: {reason}")]
    Refused { reason: String },
    /// A step failed, and so did reverting the steps before it. `unrestored` names every file that is not as before, with
    /// the way to restore it.
    #[error("cannot write `{path}`: {source}; not restored: {unrestored}")]
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

    /// Returns the error with another form of its path, such as the one relative to the workspace.
    #[must_use]
    pub fn map_path(mut self, to_shown: impl FnOnce(&Utf8Path) -> Utf8PathBuf) -> Self {
        match &mut self {
            Self::Changed { path }
            | Self::Exists { path }
            | Self::ReadOnly { path }
            | Self::Io { path, .. }
            | Self::Stuck { path, .. } => *path = to_shown(path),
            Self::Refused { .. } | Self::Doubtful { .. } => {}
        }
        self
    }
}

/// Applies changes to the disk or the editor.
#[async_trait]
pub trait EditSink: Send + Sync {
    /// Applies all steps in order, or none (except after a crash, which the sink's own journal repairs).
    async fn apply(&self, operations: &[FileOperation], options: &EditOptions) -> Result<EditOutcome, SinkError>;

    /// Returns the open editor that makes a part of the changes, if there is one.
    fn editor(&self) -> Option<&dyn EditorSink> {
        None
    }
}

/// The sink of an open editor. It supports only texts of existing files, renames and deletions.
pub trait EditorSink: EditSink {
    /// Whether the editor has a file, or a file below a directory, open. The path is absolute with links resolved.
    fn has_open(&self, path: &Utf8Path) -> bool;
}

#[cfg(test)]
mod tests;
