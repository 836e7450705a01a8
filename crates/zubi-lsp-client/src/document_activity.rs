//! Tracks when a server that publishes a document's diagnostics more than once has finished with it.
//!
//! This module has the state that the server reports for each document; [`crate::diagnostics`] has the diagnostics, and
//! the endpoint waits.
//!
//! clangd (22) stores the headers that a source includes as a *preamble*. After a change of a source or header, it
//! first publishes the diagnostics found with the old preamble, and 30 to 60 ms later, for the same version, those
//! found with the new one. The first may be false ("use of undeclared identifier" after a rename). `didSave` of one
//! document makes it check every open one again. Each time it reports `parsing includes` and then `idle`. `idle` alone
//! proves nothing, because two threads take turns, and clangd sometimes also reports it between the new preamble and
//! its diagnostics. Those are queued by then, so clangd answers a request about the same document after them: that
//! request is the barrier.

use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;
use zubi_base::lsp::Uri;

/// The maximum number of documents followed; the state of others is unknown.
const MAX_DOCUMENTS: usize = 20_000;

/// A notification by which a server reports its work on a document. Its params are `uri` and `state`, a text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentStatus {
    /// The method of the notification.
    pub notification: String,
    /// A part of `state` while the server reads the document's includes again. Sent for every change, even without
    /// anything to read.
    pub rebuilding: String,
    /// The value of `state` when the server does nothing.
    pub idle: String,
    /// A request with nothing but `textDocument` in its params that is answered after everything queued for the
    /// document.
    #[serde(rename = "fence")]
    pub barrier_method: String,
}

/// The activity of one server on its documents; unknown for a server without a [`DocumentStatus`].
#[derive(Debug)]
pub(crate) struct DocumentActivity {
    status: Option<DocumentStatus>,
    activity: Mutex<ActivityState>,
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct ActivityState {
    documents: FxHashMap<Utf8PathBuf, DocumentActivityEntry>,
    /// Whether the server ever sent the notification; a user may have disabled it.
    has_reported: bool,
    /// The number of texts sent and saved.
    sent: u64,
}

#[derive(Debug)]
struct DocumentActivityEntry {
    step: DocumentPhase,
    /// Whether a rebuild was ever seen. The server never rebuilds a document that it cannot compile.
    rebuilt: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DocumentPhase {
    /// A text or save was sent that the server has not begun to process.
    Sent,
    Rebuilding,
    Idle,
}

impl DocumentActivity {
    pub(crate) fn new(status: Option<DocumentStatus>) -> Self {
        Self { status, activity: Mutex::default(), changes: watch::Sender::new(0) }
    }

    fn lock_state(&self) -> MutexGuard<'_, ActivityState> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a text of the document is about to be sent.
    pub(crate) fn mark_sent(&self, path: &Utf8Path) {
        if self.status.is_none() {
            return;
        }
        let mut activity = self.lock_state();
        activity.sent += 1;
        if let Some(document) = activity.documents.get_mut(path) {
            document.step = DocumentPhase::Sent;
        } else if activity.documents.len() < MAX_DOCUMENTS {
            activity
                .documents
                .insert(path.to_owned(), DocumentActivityEntry { step: DocumentPhase::Sent, rebuilt: false });
        }
    }

    /// Records that the server is about to be notified of a saved document, which makes it check all of them.
    pub(crate) fn mark_saved(&self) {
        let mut activity = self.lock_state();
        activity.sent += 1;
        // Every document alike, so the order does not matter.
        activity.documents.values_mut().for_each(|document| document.step = DocumentPhase::Sent);
    }

    /// Handles a notification from the server; ignores other methods.
    pub(crate) fn notification(&self, method: &str, params: &Value) {
        let Some(status) = self.status.as_ref().filter(|status| status.notification == method) else { return };
        let text = |name: &str| params.get(name).and_then(Value::as_str);
        let Some(path) = text("uri").and_then(|uri| zubi_base::uri::to_path(&Uri(uri.to_owned()))) else { return };
        let state = text("state").unwrap_or_default();
        let mut activity = self.lock_state();
        activity.has_reported = true;
        let Some(document) = activity.documents.get_mut(&path) else { return };
        if state.contains(&status.rebuilding) {
            document.step = DocumentPhase::Rebuilding;
            document.rebuilt = true;
        } else if state == status.idle && (document.step == DocumentPhase::Rebuilding || !document.rebuilt) {
            document.step = DocumentPhase::Idle;
        }
        drop(activity);
        self.changes.send_modify(|count| *count += 1);
    }

    /// Whether, by its reports, the server has finished the work on a document that a text or save caused.
    pub(crate) fn is_idle(&self, path: &Utf8Path) -> bool {
        let activity = self.lock_state();
        !activity.has_reported
            || activity.documents.get(path).is_none_or(|document| document.step == DocumentPhase::Idle)
    }

    /// Returns the request whose answer shows that nothing is queued for a document.
    pub(crate) fn barrier_method(&self) -> Option<&str> {
        self.status.as_ref().map(|status| status.barrier_method.as_str())
    }

    /// Returns the number of texts sent and saved. If it is the same before and after the barrier, the barrier
    /// came after all of them.
    pub(crate) fn sent_so_far(&self) -> u64 {
        self.lock_state().sent
    }

    /// Returns a receiver of changes of [`Self::is_idle`].
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;

    use super::*;

    /// Runs a script of messages sent and received about `/w/a.cc`. Returns after each step whether the document is
    /// idle.
    fn run(script: &[&str]) -> String {
        let document_activity = DocumentActivity::new(Some(crate::testing::document_status()));
        let path = Utf8Path::new("/w/a.cc");
        let mut states = String::new();
        for step in script {
            match *step {
                "sent" => document_activity.mark_sent(path),
                "saved" => document_activity.mark_saved(),
                state => {
                    document_activity.notification("fake/status", &json!({ "uri": "file:///w/a.cc", "state": state }));
                }
            }
            writeln!(states, "{step:18} → {}", if document_activity.is_idle(path) { "idle" } else { "busy" }).unwrap();
        }
        states
    }

    #[test]
    fn idle_counts_after_rebuilding_only() {
        insta::assert_snapshot!(run(&[
            "sent", "queued", "rebuilding, running", "idle", "saved", "queued", "idle", "rebuilding", "rebuilding, queued", "idle", "running", "sent",
        ]), @"
        sent               → idle
        queued             → busy
        rebuilding, running → busy
        idle               → idle
        saved              → busy
        queued             → busy
        idle               → busy
        rebuilding         → busy
        rebuilding, queued → busy
        idle               → idle
        running            → idle
        sent               → busy
        ");
    }

    #[test]
    fn servers_without_status_reports_are_not_awaited() {
        insta::assert_snapshot!(run(&["sent", "queued", "idle"]), @"
        sent               → idle
        queued             → busy
        idle               → idle
        ");
        insta::assert_snapshot!(run(&["sent", "saved"]), @"
        sent               → idle
        saved              → idle
        ");
    }
}
