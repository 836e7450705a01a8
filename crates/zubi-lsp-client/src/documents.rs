//! The documents that a server has open, and the synchronization of its copies with the files on disk.
//!
//! This module has the texts sent and their times; [`Sync`] has the server's wishes, and [`OutgoingSync`] sends the
//! messages. A document is opened on first use and stays open, because opening is expensive. Above [`MAX_OPEN`], the
//! least recently used are closed, but never one that a running request needs.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use zubi_base::fs::ReadError;
use zubi_base::text::DiskText;

use crate::capabilities::{ChangeSync, Sync};
use crate::stamp::Stamp;

#[cfg(test)]
mod tests;

/// The maximum number of documents open in one server. An editor's user seldom has more tabs; each costs a server
/// memory and, in servers that check every open file, time.
const MAX_OPEN: usize = 100;

/// Sends notifications to the server.
pub(crate) trait OutgoingSync {
    /// Queues a notification. Returns `false` if the connection is closed.
    fn notify(&self, method: &str, params: Value) -> bool;
}

/// The action that brought a document up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyncAction {
    Opened,
    Changed,
    Unchanged,
    /// The server does not want documents to be opened.
    NotSynced,
}

#[derive(Debug)]
struct MirroredDocument {
    uri: String,
    language: String,
    version: i32,
    /// The stamp of the file when it was read; `None` when it may have changed again within the same tick of the clock.
    stamp: Option<Stamp>,
    /// The hash of the text sent, so that a file that was only touched is not sent again.
    hash: u64,
    /// The time of the last use, counted in uses of any document.
    used: u64,
    /// The number of running requests that need it.
    pins: usize,
}

/// The mirror of one server's open documents.
#[derive(Debug, Default)]
pub(crate) struct MirroredDocuments {
    open: FxHashMap<Utf8PathBuf, MirroredDocument>,
    uses: u64,
    /// The last version of any document. One counter for all, so that a reopened document does not get a version for
    /// which late diagnostics of its earlier text may arrive.
    last_version: i32,
}

/// The parameters for opening a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentOpenParams<'a> {
    /// LSP's language id.
    pub(crate) language: &'a str,
    pub(crate) sync: Sync,
    /// The time since the Unix epoch.
    pub(crate) now: Duration,
}

impl MirroredDocuments {
    /// Opens a document, or sends its changes since. `certainly_changed` means that the file was written, even if its
    /// stamp is the same.
    pub(crate) fn sync(
        &mut self,
        path: &Utf8Path,
        opening: DocumentOpenParams<'_>,
        certainly_changed: bool,
        out: &dyn OutgoingSync,
    ) -> Result<SyncAction, ReadError> {
        self.uses += 1;
        let uses = self.uses;
        if let Some(document) = self.open.get_mut(path) {
            document.used = uses;
            let stamp = Stamp::from_file(path);
            if !certainly_changed && stamp.is_some() && stamp == document.stamp {
                return Ok(SyncAction::Unchanged);
            }
            return self.resend(path, opening, out);
        }
        if !opening.sync.open_close {
            return Ok(SyncAction::NotSynced);
        }
        let (text, stamp) = read(path, opening.now)?;
        self.open(path, &text, stamp, opening, out);
        if certainly_changed {
            save(path, &text, opening, out);
        }
        Ok(SyncAction::Opened)
    }

    fn open(
        &mut self,
        path: &Utf8Path,
        text: &str,
        stamp: Option<Stamp>,
        opening: DocumentOpenParams<'_>,
        out: &dyn OutgoingSync,
    ) {
        self.last_version = self.next_version();
        let document = MirroredDocument {
            uri: zubi_base::uri::from_path(path).0,
            language: opening.language.to_owned(),
            version: self.last_version,
            stamp,
            hash: hash(text),
            used: self.uses,
            pins: 0,
        };
        out.notify("textDocument/didOpen", document.as_opened(text));
        self.open.insert(path.to_owned(), document);
        self.close_unused(out);
    }

    /// Sends an empty text for a deleted file, to servers that otherwise remember its old content.
    pub(crate) fn empty(
        &mut self,
        path: &Utf8Path,
        opening: DocumentOpenParams<'_>,
        out: &dyn OutgoingSync,
    ) -> SyncAction {
        self.uses += 1;
        if self.open.contains_key(path) {
            return self.send(path, "", None, opening, out);
        }
        if !opening.sync.open_close {
            return SyncAction::NotSynced;
        }
        self.open(path, "", None, opening, out);
        save(path, "", opening, out);
        SyncAction::Opened
    }

    /// Reads an open document again and sends it when its text differs.
    fn resend(
        &mut self,
        path: &Utf8Path,
        opening: DocumentOpenParams<'_>,
        out: &dyn OutgoingSync,
    ) -> Result<SyncAction, ReadError> {
        let (text, stamp) = match read(path, opening.now) {
            Ok(read) => read,
            Err(error) => {
                // The file was deleted or is no longer text: the server must not use a copy that no client can see.
                self.close(path, out);
                return Err(error);
            }
        };
        Ok(self.send(path, &text, stamp, opening, out))
    }

    /// Sends the text of an open document again, also if the server has it, so that the server checks it again.
    pub(crate) fn repeat(
        &mut self,
        path: &Utf8Path,
        opening: DocumentOpenParams<'_>,
        out: &dyn OutgoingSync,
    ) -> Result<SyncAction, ReadError> {
        let (text, stamp) = read(path, opening.now)?;
        if let Some(document) = self.open.get_mut(path) {
            document.hash = !hash(&text);
        }
        Ok(self.send(path, &text, stamp, opening, out))
    }

    /// Sends the text of an open document when it differs from what was sent before.
    fn send(
        &mut self,
        path: &Utf8Path,
        text: &str,
        stamp: Option<Stamp>,
        opening: DocumentOpenParams<'_>,
        out: &dyn OutgoingSync,
    ) -> SyncAction {
        let version = self.next_version();
        let Some(document) = self.open.get_mut(path) else { return SyncAction::NotSynced };
        document.stamp = stamp;
        let hash = hash(text);
        if hash == document.hash {
            return SyncAction::Unchanged;
        }
        document.hash = hash;
        self.last_version = version;
        document.version = version;
        match opening.sync.change {
            ChangeSync::None => {
                out.notify("textDocument/didClose", json!({ "textDocument": { "uri": document.uri } }));
                out.notify("textDocument/didOpen", document.as_opened(text));
            }
            ChangeSync::Whole => {
                let change = json!({
                    "textDocument": { "uri": document.uri, "version": document.version },
                    "contentChanges": [{ "text": text }],
                });
                out.notify("textDocument/didChange", change);
            }
        }
        save(path, text, opening, out);
        SyncAction::Changed
    }

    /// Notifies the server again that an open document is saved.
    pub(crate) fn save_again(path: &Utf8Path, opening: DocumentOpenParams<'_>, out: &dyn OutgoingSync) {
        if let Ok((text, _)) = read(path, opening.now) {
            save(path, &text, opening, out);
        }
    }

    /// Prevents a document from being closed until [`Self::unpin`] is called as often.
    pub(crate) fn pin(&mut self, path: &Utf8Path) {
        if let Some(document) = self.open.get_mut(path) {
            document.pins += 1;
        }
    }

    pub(crate) fn unpin(&mut self, path: &Utf8Path) {
        if let Some(document) = self.open.get_mut(path) {
            document.pins = document.pins.saturating_sub(1);
        }
    }

    /// Closes a document, if it is open.
    pub(crate) fn close(&mut self, path: &Utf8Path, out: &dyn OutgoingSync) -> bool {
        let Some(document) = self.open.remove(path) else { return false };
        out.notify("textDocument/didClose", json!({ "textDocument": { "uri": document.uri } }));
        true
    }

    fn close_unused(&mut self, out: &dyn OutgoingSync) {
        while self.open.len() > MAX_OPEN {
            let oldest = self
                .open
                .iter()
                .filter(|(_, document)| document.pins == 0 && document.used != self.uses)
                .min_by_key(|(_, document)| document.used)
                .map(|(path, _)| path.clone());
            let Some(oldest) = oldest else { return };
            self.close(&oldest, out);
        }
    }

    /// Returns the version that the next text sent will have.
    pub(crate) fn next_version(&self) -> i32 {
        self.last_version.wrapping_add(1).max(1)
    }

    pub(crate) fn is_open(&self, path: &Utf8Path) -> bool {
        self.open.contains_key(path)
    }

    /// Returns the version of an open document that the server has.
    pub(crate) fn version(&self, path: &Utf8Path) -> Option<i32> {
        self.open.get(path).map(|document| document.version)
    }

    /// Returns the open documents, the least recently used first.
    pub(crate) fn paths(&self) -> Vec<Utf8PathBuf> {
        let mut paths: Vec<_> = self.open.iter().map(|(path, document)| (document.used, path.clone())).collect();
        paths.sort();
        paths.into_iter().map(|(_, path)| path).collect()
    }
}

impl MirroredDocument {
    fn as_opened(&self, text: &str) -> Value {
        json!({
            "textDocument": { "uri": self.uri, "languageId": self.language, "version": self.version, "text": text },
        })
    }
}

/// Notifies a server that wants `didSave` that a text is saved on disk, by any program. cargo check begins then, and
/// clangd checks the documents that include this one again.
fn save(path: &Utf8Path, text: &str, opening: DocumentOpenParams<'_>, out: &dyn OutgoingSync) {
    let Some(include_text) = opening.sync.save else { return };
    let mut params = json!({ "textDocument": { "uri": zubi_base::uri::from_path(path).0 } });
    if include_text && let Some(object) = params.as_object_mut() {
        object.insert("text".to_owned(), Value::String(text.to_owned()));
    }
    out.notify("textDocument/didSave", params);
}

/// Reads the text of a file without its byte-order mark, and its stamp if that is reliable later.
fn read(path: &Utf8Path, now: Duration) -> Result<(Arc<str>, Option<Stamp>), ReadError> {
    // The stamp is taken first: if the file changes between the two, the next comparison notices.
    let stamp = Stamp::from_file(path).filter(|stamp| stamp.is_settled(now));
    let text = DiskText::read_now(path)?.text;
    Ok((text, stamp))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
