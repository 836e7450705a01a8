//! Responses to a server's requests, and the state from a server's notifications.
//!
//! Every server request of LSP 3.18 gets the response of a client without a user interface. Some servers block until
//! they have it (gopls on `workspace/configuration`), so zubi sends all responses at once and from memory.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use rustc_hash::FxHashMap;
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::sync::watch;
use zubi_base::endpoint::{EditCapture, Readiness};
use zubi_base::framing::ResponseError;
use zubi_base::lsp::WorkspaceEdit;
use zubi_base::rpc::{PeerHandler, Responder};
use zubi_base::sync::lock;
use zubi_base::workspace::Folder;

use crate::capabilities::ServerCapabilities;
use crate::checks::Checks;
use crate::diagnostic_rounds::RoundTracker;
use crate::diagnostics::DiagnosticsStore;
use crate::document_activity::DocumentActivity;
use crate::health::Health;
use crate::log::LineRing;
use crate::readiness::{Tracker, token_text};
use crate::session::SessionSpec;
use crate::size_estimate::estimated_size;

#[cfg(test)]
mod tests;

/// The limits for the partial results of one request: their number, and their memory in bytes.
const MAX_PARTIAL_RESULTS: usize = 10_000;
const MAX_PARTIAL_WEIGHT: usize = 64 * 1024 * 1024;

/// The limits for the edits captured for one request: their number, and their memory in bytes. A command sends one
/// edit; a very large rename has a few megabytes.
const MAX_CAPTURED_EDITS: usize = 100;
const MAX_CAPTURED_WEIGHT: usize = 32 * 1024 * 1024;

/// The maximum number of sections in one `workspace/configuration` response. Servers request fewer than ten; each
/// section may contain all settings.
const MAX_SECTIONS: usize = 200;

/// zubi's side of one running server.
pub(crate) struct ServerPeer {
    pub(crate) name: Arc<str>,
    folder: Folder,
    /// The server's settings, by section.
    settings: Value,
    pub(crate) capabilities: Mutex<ServerCapabilities>,
    pub(crate) tracker: Mutex<Tracker>,
    pub(crate) diagnostics: DiagnosticsStore,
    pub(crate) log: LineRing,
    pub(crate) checks: Checks,
    pub(crate) document_activity: DocumentActivity,
    pub(crate) rounds: RoundTracker,
    /// The store for edits while a captured request runs.
    capture: Mutex<Option<ActiveCapture>>,
    /// Partial results, by token, of requests that support them.
    partial: Mutex<FxHashMap<String, PartialResult>>,
    /// Shared with the endpoint, which outlives this server.
    readiness: Arc<watch::Sender<Readiness>>,
    /// The number of `refresh` requests: earlier results for some documents may be out of date.
    refreshes: watch::Sender<u64>,
    /// Whether the endpoint uses this server's state: false before the endpoint can send it requests, and after the
    /// endpoint has abandoned it, so that its last messages do not change its successor's state.
    is_active: AtomicBool,
    /// The number of registrations: a missing capability may be available now.
    registrations: watch::Sender<u64>,
}

/// The store for the edits of a captured request, with their number and size.
struct ActiveCapture {
    edits: EditCapture,
    count: usize,
    weight: usize,
}

/// The parts of one answer so far.
#[derive(Default)]
struct PartialResult {
    parts: Vec<Value>,
    weight: usize,
}

impl ServerPeer {
    pub(crate) fn new(spec: &SessionSpec, readiness: Arc<watch::Sender<Readiness>>) -> Self {
        let capabilities = ServerCapabilities::new(&spec.folder.path, Value::Null, spec.withheld.clone());
        Self {
            name: Arc::clone(&spec.name),
            folder: spec.folder.clone(),
            settings: spec.settings.clone(),
            capabilities: Mutex::new(capabilities),
            tracker: Mutex::new(Tracker::new(spec.signal.clone(), spec.health_signs.clone())),
            diagnostics: DiagnosticsStore::new(spec.names_versions),
            log: LineRing::default(),
            checks: Checks::new(spec.checker.clone()),
            document_activity: DocumentActivity::new(spec.document_status.clone()),
            rounds: RoundTracker::new(spec.diagnostic_rounds.clone()),
            capture: Mutex::default(),
            partial: Mutex::default(),
            readiness,
            refreshes: watch::Sender::new(0),
            is_active: AtomicBool::new(false),
            registrations: watch::Sender::new(0),
        }
    }

    pub(crate) fn capabilities(&self) -> MutexGuard<'_, ServerCapabilities> {
        lock(&self.capabilities)
    }

    /// Changes the readiness tracker and notifies all waiting tasks.
    pub(crate) fn track(&self, change: impl FnOnce(&mut Tracker)) {
        // The lock is held during the notification, so that states are published in order.
        let mut tracker = lock(&self.tracker);
        change(&mut tracker);
        let now = tracker.readiness(Instant::now());
        // Before the notification: a task that waits for both must not see the end of loading without its effect on the
        // check.
        self.checks.loading(!now.is_settled(), Instant::now());
        if !self.is_active.load(Ordering::Acquire) {
            return;
        }
        self.readiness.send_if_modified(|current| {
            // The uptime of a server without a signal is computed on demand, so its change is not a change of state.
            let same =
                *current == now || matches!((&*current, &now), (Readiness::Unknown { .. }, Readiness::Unknown { .. }));
            if !same {
                *current = now;
            }
            !same
        });
    }

    pub(crate) fn readiness(&self) -> Readiness {
        lock(&self.tracker).readiness(Instant::now())
    }

    /// Returns the error or warning that the server reports about itself or the project.
    pub(crate) fn health(&self) -> Option<Health> {
        lock(&self.tracker).health()
    }

    /// Whether a change of a project file may cure a state that only a new server notices.
    pub(crate) fn needs_restart(&self) -> bool {
        lock(&self.tracker).needs_restart()
    }

    /// Connects this server's state to its endpoint's.
    pub(crate) fn activate(&self) {
        self.is_active.store(true, Ordering::Release);
        self.track(|_| ());
    }

    /// Disconnects this server's state from its endpoint's.
    pub(crate) fn deactivate(&self) {
        self.is_active.store(false, Ordering::Release);
    }

    /// Returns a receiver of registrations.
    pub(crate) fn registrations(&self) -> watch::Receiver<u64> {
        self.registrations.subscribe()
    }

    /// Sends edits to `capture` from now on; `None` refuses them.
    pub(crate) fn capture(&self, capture: Option<EditCapture>) {
        *lock(&self.capture) = capture.map(|edits| ActiveCapture { edits, count: 0, weight: 0 });
    }

    /// Returns a receiver of `refresh` requests.
    pub(crate) fn refreshes(&self) -> watch::Receiver<u64> {
        self.refreshes.subscribe()
    }

    /// Collects partial results under a token until [`Self::take_partial`].
    pub(crate) fn expect_partial(&self, token: &Value) {
        lock(&self.partial).insert(token_text(Some(token)), PartialResult::default());
    }

    pub(crate) fn take_partial(&self, token: &Value) -> Vec<Value> {
        lock(&self.partial).remove(&token_text(Some(token))).map(|partial| partial.parts).unwrap_or_default()
    }

    /// Returns the settings of one section (`a.b.c`), or `null` if it has none.
    fn section(&self, section: Option<&str>) -> Value {
        let Some(section) = section.filter(|section| !section.is_empty()) else { return self.settings.clone() };
        // A section may be listed under its dotted name, as in an editor's settings file.
        if let Some(value) = self.settings.get(section) {
            return value.clone();
        }
        section.split('.').try_fold(&self.settings, |value, key| value.get(key)).cloned().unwrap_or_default()
    }

    fn configuration(&self, params: &Value) -> Value {
        let items = params.get("items").and_then(Value::as_array).into_iter().flatten();
        items.take(MAX_SECTIONS).map(|item| self.section(item.get("section").and_then(Value::as_str))).collect()
    }

    fn apply_edit(&self, params: &Value) -> Value {
        let refused = |reason: &str| json!({ "applied": false, "failureReason": reason });
        let mut capture = lock(&self.capture);
        let Some(capture) = capture.as_mut() else {
            return refused("no edit was requested");
        };
        let edit = params.get("edit").cloned().unwrap_or_default();
        capture.count += 1;
        capture.weight += estimated_size(&edit);
        if capture.count > MAX_CAPTURED_EDITS || capture.weight > MAX_CAPTURED_WEIGHT {
            return refused("these are more edits than one request may make");
        }
        match WorkspaceEdit::deserialize(&edit) {
            Ok(_) => {
                capture.edits.push(edit);
                // The edit becomes a plan; the server continues as if zubi had applied it.
                json!({ "applied": true })
            }
            Err(error) => {
                tracing::debug!(server = %self.name, %error, "an edit cannot be read");
                refused("the edit cannot be read")
            }
        }
    }

    fn count_refresh(&self) {
        self.refreshes.send_modify(|count| *count += 1);
    }

    /// Stores a progress value that is a partial result.
    fn take_progress(&self, params: &Value) {
        let token = token_text(params.get("token"));
        if let Some(partial) = lock(&self.partial).get_mut(&token)
            && let Some(value) = params.get("value")
        {
            partial.weight += estimated_size(value);
            if partial.parts.len() < MAX_PARTIAL_RESULTS && partial.weight <= MAX_PARTIAL_WEIGHT {
                partial.parts.push(value.clone());
            }
            return;
        }
        let kind = params.pointer("/value/kind").and_then(Value::as_str);
        if kind == Some("begin") && self.checks.is_first_run(&token) {
            self.diagnostics.begin_check_run();
        }
        self.checks.progress(&token, kind, Instant::now());
        self.rounds.progress(&token, kind, params.pointer("/value/title").and_then(Value::as_str));
        self.track(|tracker| tracker.notification("$/progress", params));
    }
}

impl PeerHandler for ServerPeer {
    fn notification(&self, method: &str, params: Value) {
        match method {
            "$/progress" => self.take_progress(&params),
            "textDocument/publishDiagnostics" => {
                self.diagnostics.publish(&params);
                self.track(|tracker| tracker.notification(method, &params));
            }
            "window/logMessage" | "window/showMessage" => {
                if let Some(message) = params.get("message").and_then(Value::as_str) {
                    self.log.push(message);
                }
                self.track(|tracker| tracker.notification(method, &params));
            }
            "experimental/serverStatus" => self.track(|tracker| tracker.notification(method, &params)),
            // Telemetry, traces and servers' own notifications; those that report a document's state are used.
            _ => self.document_activity.notification(method, &params),
        }
    }

    fn request(&self, method: &str, params: Value, responder: Responder) {
        responder.answer(self.answer(method, &params));
    }
}

impl ServerPeer {
    /// Returns the response to a server's request, from memory.
    fn answer(&self, method: &str, params: &Value) -> Result<Value, ResponseError> {
        Ok(match method {
            "workspace/configuration" => self.configuration(params),
            "workspace/workspaceFolders" => {
                json!([{ "uri": zubi_base::uri::from_path(&self.folder.path), "name": self.folder.name }])
            }
            "client/registerCapability" => {
                self.capabilities().register(params);
                self.registrations.send_modify(|count| *count += 1);
                Value::Null
            }
            "client/unregisterCapability" => {
                self.capabilities().unregister(params);
                Value::Null
            }
            "workspace/applyEdit" => self.apply_edit(params),
            "window/workDoneProgress/create" => Value::Null,
            "window/showMessageRequest" => {
                if let Some(message) = params.get("message").and_then(Value::as_str) {
                    self.log.push(message);
                }
                // There is no user to choose.
                Value::Null
            }
            "window/showDocument" => json!({ "success": false }),
            "workspace/diagnostic/refresh" => {
                self.diagnostics.invalidate();
                self.count_refresh();
                Value::Null
            }
            "workspace/codeLens/refresh"
            | "workspace/foldingRange/refresh"
            | "workspace/inlayHint/refresh"
            | "workspace/inlineValue/refresh"
            | "workspace/semanticTokens/refresh"
            | "workspace/textDocumentContent/refresh" => {
                self.count_refresh();
                Value::Null
            }
            _ => return Err(ResponseError::method_not_found(method)),
        })
    }
}
