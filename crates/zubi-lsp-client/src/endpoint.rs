//! A language server as an [`Endpoint`]: started on demand, restarted after a crash, with fresh documents before each
//! request.
//!
//! Owns the life cycle over several runs ([`ServerSession`]s) and the retry rules of the protocol. The pool knows which
//! servers exist; the caller decides how long to wait until one is ready.
//!
//! **Retries.** `ContentModified` (-32801) and `ServerCancelled` (-32802, unless `retriggerRequest` is false) mean
//! "retry" (LSP 3.18). zubi sends the request again when the server's readiness changes or it requests a refresh, or
//! after a pause that doubles from [`FIRST_PAUSE`], at most [`MAX_RETRIES`] times and never past the deadline. If a
//! process dies during a read-only request, zubi sends it once more to a new process, after that has read the project:
//! the caller of a ready server must not get the answer of a loading one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::Utf8Path;
use serde_json::Value;
use tokio::sync::watch;
use zubi_base::endpoint::{
    Caveats, DiagnosticsReport, DocumentRef, Endpoint, EndpointError, EndpointId, Readiness, RequestCx,
};
use zubi_base::lsp;
use zubi_base::position::Encoding;
use zubi_base::rpc::ConnectionError;
use zubi_base::sync::lock;

use crate::capabilities::ServerCapabilities;
use crate::health::Health;
use crate::session::{Pin, ServerSession};
use crate::watch::WatchedFileChange;

mod diagnose;
mod failure;
mod health;
mod launch;
mod lifecycle;
mod partial;
#[cfg(test)]
mod tests;
mod virtual_text;

use failure::RunFailure;
pub use launch::LaunchSpec;
pub use lifecycle::RetentionPolicy;
pub(crate) use lifecycle::Starter;
use lifecycle::{EndpointPhase, EndpointState, await_end_reason, retry_hint, was_shut_down};
use partial::merge_partial;

/// LSP 3.18, `LSPErrorCodes.ContentModified`.
const CONTENT_MODIFIED: i64 = -32801;
/// LSP 3.18, `LSPErrorCodes.ServerCancelled`.
const SERVER_CANCELLED: i64 = -32802;

/// The pause before the first retry. rust-analyzer returns `ContentModified` while it loads; its next state change
/// usually comes before the later pauses end.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
const MAX_RETRIES: u32 = 20;

/// The time after `initialize` in which a server may register its capabilities. pyright and ty take 10 ms.
const REGISTRATION_TIMEOUT: Duration = Duration::from_millis(500);

/// The maximum number of directories whose caveats are stored. They are computed at each request.
const MAX_CAVEATS: usize = 1000;
/// The time in which a server reads its project again after a change of its configuration. pyright takes 0.4 to 1.4 s.
const RELOAD_TIMEOUT: Duration = Duration::from_secs(10);

/// One language server in one root.
pub struct ServerEndpoint {
    id: EndpointId,
    shared: Arc<EndpointState>,
}

impl ServerEndpoint {
    pub(crate) fn new(launch: LaunchSpec, starter: Arc<dyn Starter>) -> Self {
        Self { id: EndpointId(Arc::clone(&launch.spec.name)), shared: Arc::new(EndpointState::new(launch, starter)) }
    }

    pub fn root(&self) -> &Utf8Path {
        &self.shared.launch.spec.folder.path
    }

    /// Stores the caveats of answers about the documents in a directory.
    pub(crate) fn set_caveats(&self, directory: &Utf8Path, caveats: Caveats) {
        let mut known = lock(&self.shared.caveats);
        if known.len() >= MAX_CAVEATS {
            known.clear();
        }
        known.insert(directory.to_owned(), caveats);
    }

    /// Starts the server unless it is running, starting, or failed too recently. Opens `document` first.
    pub(crate) fn ensure_started(&self, document: Option<&Utf8Path>) {
        if let Some(session) = self.running_now() {
            drop(session.in_use());
            // The document is opened now, so that its project counts for readiness before any request.
            if let Some(document) = document
                && let Err(error) = session.sync_document(document, false)
            {
                tracing::debug!(server = %self.id, %error, "a document cannot be opened");
            }
            return;
        }
        if let Some(document) = document {
            let mut documents_to_open = lock(&self.shared.documents_to_open);
            if !documents_to_open.iter().any(|path| path == document) {
                documents_to_open.insert(0, document.to_owned());
            }
        }
        let mut start = false;
        self.shared.phase.send_if_modified(|phase| {
            start = match phase {
                EndpointPhase::Idle => true,
                EndpointPhase::Down { retry_at, .. } => *retry_at <= Instant::now(),
                EndpointPhase::Starting | EndpointPhase::Running(_) | EndpointPhase::Closed => false,
            };
            if start {
                *phase = EndpointPhase::Starting;
            }
            start
        });
        if start {
            self.shared.readiness.send_replace(Readiness::Starting);
            self.shared.tasks.spawn(lifecycle::run(Arc::clone(&self.shared)));
        }
    }

    /// Returns the running server's process id, and the memory in bytes that the process and its child processes use
    /// now.
    pub async fn process(&self) -> Option<(u32, u64)> {
        let session = self.running_now()?;
        Some((session.process_id()?, session.memory().await?))
    }

    /// Returns the running server, if there is one.
    pub(crate) fn running_now(&self) -> Option<Arc<ServerSession>> {
        match &*self.shared.phase.borrow() {
            EndpointPhase::Running(session) if session.end_reason().borrow().is_none() => Some(Arc::clone(session)),
            _ => None,
        }
    }

    /// Waits until the server runs and is initialized.
    async fn running_session(&self, method: &str, cx: &RequestCx) -> Result<Arc<ServerSession>, EndpointError> {
        let mut phases = self.shared.phase.subscribe();
        let started = Instant::now();
        loop {
            self.ensure_started(None);
            let phase = phases.borrow_and_update().clone();
            match phase {
                EndpointPhase::Running(session) if session.end_reason().borrow().is_none() => return Ok(session),
                EndpointPhase::Down { reason, hint, retry_at } if retry_at > Instant::now() => {
                    let hint = retry_hint(&hint, retry_at);
                    return Err(EndpointError::Exited { endpoint: self.id.clone(), reason, hint });
                }
                EndpointPhase::Closed => {
                    let (reason, hint) = was_shut_down();
                    return Err(EndpointError::Exited { endpoint: self.id.clone(), reason, hint });
                }
                // It may be due to start again by now.
                EndpointPhase::Down { .. } | EndpointPhase::Idle => continue,
                // It has just ended, or is starting: the next phase shows which.
                EndpointPhase::Running(_) | EndpointPhase::Starting => {}
            }
            tokio::select! {
                changed = phases.changed() => if changed.is_err() { return Err(EndpointError::Cancelled) },
                () = cx.cancel.cancelled() => return Err(EndpointError::Cancelled),
                () = tokio::time::sleep_until(cx.deadline.into()) => {
                    return Err(self.timed_out(method, started));
                }
            }
        }
    }

    /// Notifies the server about changed files. A starting server is notified afterwards; one that is not running will
    /// read the files itself.
    pub(crate) fn notify_changes(&self, changes: &[WatchedFileChange]) -> Option<String> {
        {
            let mut pending = lock(&self.shared.pending);
            if matches!(&*self.shared.phase.borrow(), EndpointPhase::Starting) {
                pending.extend_from_slice(changes);
                return None;
            }
        }
        let session = self.running_now()?;
        if session.peer().needs_restart() && changes.iter().any(|change| session.is_project_file(&change.path)) {
            self.restart_later(&session);
            return None;
        }
        if !changes.iter().any(|change| session.reloads_for(&change.path)) {
            return session.notify_changes(changes);
        }
        session.peer().track(|tracker| _ = tracker.on_configuration_changed());
        let note = session.notify_changes(changes);
        self.restart_unless_reloaded(session);
        note
    }

    /// Starts the server again if it does not read the project again in time. pyright (1.1.414) ignores a new
    /// pyrightconfig.json if it has read a pyproject.toml.
    fn restart_unless_reloaded(&self, session: Arc<ServerSession>) {
        let endpoint = Self { id: self.id.clone(), shared: Arc::clone(&self.shared) };
        self.shared.tasks.spawn(async move {
            let mut states = endpoint.shared.readiness.subscribe();
            let mut ended = session.end_reason();
            tokio::select! {
                _ = states.wait_for(Readiness::is_settled) => return,
                _ = ended.wait_for(Option::is_some) => return,
                () = endpoint.shared.stop.cancelled() => return,
                () = tokio::time::sleep(RELOAD_TIMEOUT) => {}
            }
            drop(states);
            if endpoint.shared.retire(&session) {
                tracing::info!(server = %endpoint.id, "the server did not read its changed configuration: zubi restarts it");
                endpoint.ensure_started(None);
                session.shutdown().await;
            }
        });
    }

    /// Ends a server that has reported a fault of the project, because a file that may be the reason has changed; the next
    /// request starts another. gopls (0.16) otherwise reports the old reason until it ends.
    fn restart_later(&self, session: &Arc<ServerSession>) {
        if self.shared.retire(session) {
            tracing::info!(server = %self.id, "a project file has changed: zubi ends the server, which reported a fault of the project");
            let session = Arc::clone(session);
            self.shared.tasks.spawn(async move { session.shutdown().await });
        }
    }

    /// Ends the server permanently.
    pub(crate) async fn shutdown(&self) {
        let session = match self.shared.phase.send_replace(EndpointPhase::Closed) {
            EndpointPhase::Running(session) => Some(session),
            EndpointPhase::Idle | EndpointPhase::Starting | EndpointPhase::Down { .. } | EndpointPhase::Closed => None,
        };
        self.shared.stop.cancel();
        if let Some(session) = &session {
            session.peer().deactivate();
        }
        let (reason, hint) = was_shut_down();
        self.shared.readiness.send_replace(Readiness::Failed { reason, hint });
        if let Some(session) = session {
            session.shutdown().await;
        }
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }

    /// Opens the documents of a request and brings them up to date; they stay open while the result lives.
    fn pin(session: &Arc<ServerSession>, cx: &RequestCx) -> Result<Vec<Pin>, EndpointError> {
        cx.documents
            .iter()
            .map(|document| session.pin(&document.path).map_err(|error| EndpointError::Document(error.to_string())))
            .collect()
    }

    fn is_supported(session: &ServerSession, method: &str, document: Option<&DocumentRef>) -> bool {
        let document = document.map(|document| (document.path.as_path(), session.spec().language(&document.path)));
        session.peer().capabilities().supports(method, document)
    }

    /// Waits until a new process has loaded or ended.
    async fn await_settled(&self, session: &ServerSession, method: &str, cx: &RequestCx) -> Result<(), EndpointError> {
        let started = Instant::now();
        let mut ended = session.end_reason();
        let mut states = self.shared.readiness.subscribe();
        tokio::select! {
            _ = states.wait_for(Readiness::is_settled) => Ok(()),
            _ = ended.wait_for(Option::is_some) => Ok(()),
            () = cx.cancel.cancelled() => Err(EndpointError::Cancelled),
            () = tokio::time::sleep_until(cx.deadline.into()) => Err(self.timed_out(method, started)),
        }
    }

    /// Waits until a request can be sent; returns whether it can. A server that has just been initialized may register
    /// a missing capability in the next moment, so this function waits for that.
    async fn await_capability(
        session: &ServerSession,
        method: &str,
        document: Option<&DocumentRef>,
        cx: &RequestCx,
    ) -> bool {
        if !ServerCapabilities::is_known(method) || session.peer().capabilities().is_disabled(method) {
            return !ServerCapabilities::is_known(method);
        }
        let mut registrations = session.peer().registrations();
        loop {
            registrations.mark_unchanged();
            if Self::is_supported(session, method, document) {
                return true;
            }
            let remaining = REGISTRATION_TIMEOUT.saturating_sub(session.age());
            if remaining.is_zero() {
                return false;
            }
            tokio::select! {
                _ = registrations.changed() => {}
                () = tokio::time::sleep(remaining) => {}
                () = cx.cancel.cancelled() => return false,
            }
        }
    }

    /// Sends a request to a running server, again as often as the protocol requires.
    async fn request_with_retries(
        &self,
        session: &Arc<ServerSession>,
        method: &str,
        params: &Value,
        cx: &RequestCx,
    ) -> Result<Value, RunFailure> {
        let started = Instant::now();
        let _captured = match &cx.edits {
            Some(edits) => {
                let turn = tokio::select! {
                    turn = self.shared.capture.lock() => turn,
                    () = cx.cancel.cancelled() => return Err(EndpointError::Cancelled.into()),
                    () = tokio::time::sleep_until(cx.deadline.into()) => return Err(self.timed_out(method, started).into()),
                };
                session.peer().capture(Some(edits.clone()));
                Some(CaptureGuard { session, _turn: turn })
            }
            None => None,
        };
        let mut readiness = self.shared.readiness.subscribe();
        let mut refreshes = session.peer().refreshes();
        let mut pause = FIRST_PAUSE;
        let mut attempt = 0;
        loop {
            readiness.mark_unchanged();
            refreshes.mark_unchanged();
            let token = params.get("partialResultToken");
            if let Some(token) = token {
                session.peer().expect_partial(token);
            }
            let (requested_at, received) = (Instant::now(), session.received_count());
            let answer = session.request(method, params.clone(), &cx.cancel, cx.deadline).await;
            let parts = token.map(|token| session.peer().take_partial(token)).unwrap_or_default();
            let (code, message, data) = match answer {
                Ok(answer) => {
                    session.has_answered();
                    return Ok(merge_partial(parts, answer));
                }
                Err(ConnectionError::Response { code, message, data }) => (code, message, data),
                Err(ConnectionError::Closed { reason }) => return Err(RunFailure::Died(reason)),
                Err(ConnectionError::TimedOut { .. }) => {
                    return Err(self.out_of_time(session, method, started, (requested_at, received)).into());
                }
                Err(ConnectionError::Cancelled) => return Err(EndpointError::Cancelled.into()),
                Err(ConnectionError::Protocol { message }) => {
                    return Err(EndpointError::Protocol { endpoint: self.id.clone(), message }.into());
                }
            };
            let may_retry = match code {
                CONTENT_MODIFIED => true,
                SERVER_CANCELLED => {
                    let retrigger = data.as_ref().and_then(|data| data.get("retriggerRequest"));
                    retrigger.and_then(Value::as_bool).unwrap_or(true)
                }
                _ => false,
            };
            if !may_retry || attempt >= MAX_RETRIES || Instant::now() + pause >= cx.deadline {
                let (endpoint, method) = (self.id.clone(), method.to_owned());
                return Err(EndpointError::Server { endpoint, method, code, message }.into());
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = readiness.changed() => {}
                _ = refreshes.changed() => {}
                () = cx.cancel.cancelled() => return Err(EndpointError::Cancelled.into()),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
            attempt += 1;
        }
    }

    /// Sends a request to the server; starts it first if it is not running.
    async fn request_until(&self, method: &str, params: &Value, cx: &RequestCx) -> Result<Value, EndpointError> {
        let mut died = None;
        let mut fresh = self.running_now().is_none();
        // A read-only request gets a second attempt on a new process.
        for _ in 0..2 {
            let session = self.running_session(method, cx).await?;
            let _in_use = session.in_use();
            if fresh {
                self.await_settled(&session, method, cx).await?;
            }
            fresh = true;
            if !Self::await_capability(&session, method, cx.documents.first(), cx).await {
                return Err(EndpointError::Unsupported { endpoint: self.id.clone(), method: method.to_owned() });
            }
            let _pins = Self::pin(&session, cx)?;
            for document in &cx.documents {
                self.check_language_service(&session, &document.path, cx).await;
            }
            let answer = self.request_with_retries(&session, method, params, cx).await;
            match answer {
                Ok(answer) => return Ok(answer),
                Err(RunFailure::Final(error)) => return Err(error),
                Err(RunFailure::Died(reason)) => {
                    died = Some(await_end_reason(&session, reason).await);
                    if !only_reads(method) {
                        break;
                    }
                }
            }
        }
        Err(self.on_exit(died.unwrap_or_default()).await)
    }

    fn timed_out(&self, method: &str, started: Instant) -> EndpointError {
        let after = started.elapsed();
        EndpointError::TimedOut { endpoint: self.id.clone(), method: method.to_owned(), after }
    }

    /// Handles a time-out. Ends a server that had all its time and seems dead, so that the next request starts a new
    /// one.
    fn out_of_time(
        &self,
        session: &ServerSession,
        method: &str,
        started: Instant,
        (requested_at, received): (Instant, u64),
    ) -> EndpointError {
        let limit = self.shared.launch.request_timeout;
        // The wait for the start is part of the limit; a request that the caller cancels earlier shows nothing.
        if requested_at.elapsed() * 2 < limit || !session.ran_out_of_time(requested_at, received, limit) {
            return self.timed_out(method, started);
        }
        let reason = "it sent no message while two requests ran out of time, and was ended".to_owned();
        session.end_with_reason(reason.clone());
        self.on_process_exit(reason)
    }
}

/// Stops capturing when the request is over.
struct CaptureGuard<'a> {
    session: &'a ServerSession,
    _turn: tokio::sync::MutexGuard<'a, ()>,
}

impl Drop for CaptureGuard<'_> {
    fn drop(&mut self) {
        self.session.peer().capture(None);
    }
}

#[async_trait]
impl Endpoint for ServerEndpoint {
    fn id(&self) -> &EndpointId {
        &self.id
    }

    fn serves(&self, document: &DocumentRef) -> bool {
        let LaunchSpec { spec, workspace, .. } = &self.shared.launch;
        spec.supports_language(&document.path)
            // A library's file belongs to the server that returned its location.
            && (document.path.starts_with(&spec.folder.path) || !workspace.contains(&document.path))
    }

    fn supports_language(&self, document: &DocumentRef) -> bool {
        self.shared.launch.spec.supports_language(&document.path)
    }

    fn language_id(&self, document: &DocumentRef) -> Option<String> {
        Some(self.shared.launch.spec.language(&document.path).to_owned())
    }

    fn readiness(&self) -> Readiness {
        match self.running_now() {
            // Computed again, for the time the server has been up.
            Some(session) => session.peer().readiness(),
            None => self.shared.readiness_without_session(),
        }
    }

    fn readiness_changes(&self) -> watch::Receiver<Readiness> {
        self.shared.readiness.subscribe()
    }

    fn encoding(&self) -> Encoding {
        // For a server that has just ended, the encoding of the last run. The next run will negotiate the same, and
        // positions must not have other units meanwhile.
        let mut encoding = lock(&self.shared.encoding);
        if let Some(session) = self.running_now() {
            *encoding = session.encoding();
        }
        *encoding
    }

    async fn supports(&self, method: &str, document: Option<&DocumentRef>, cx: &RequestCx) -> bool {
        // A server that has just ended is started again: its end does not show which capabilities it has.
        match self.running_session(method, cx).await {
            Ok(session) => Self::await_capability(&session, method, document, cx).await,
            Err(_) => false,
        }
    }

    fn capabilities(&self) -> Value {
        self.running_now().map(|session| session.peer().capabilities().capabilities().clone()).unwrap_or_default()
    }

    fn allows_command(&self, command: &str) -> bool {
        self.shared.launch.allowed_commands.iter().any(|allowed| allowed == command)
            && self.running_now().is_none_or(|session| session.peer().capabilities().supports_command(command))
    }

    fn answers_per_project(&self, method: &str) -> bool {
        self.shared.launch.per_project.iter().any(|own| own == method)
    }

    fn caveats(&self, document: Option<&DocumentRef>) -> Caveats {
        let directory = document.and_then(|document| document.path.parent());
        let known = directory.and_then(|directory| lock(&self.shared.caveats).get(directory).cloned());
        let mut caveats = known.unwrap_or_else(|| self.shared.launch.caveats.clone());
        self.add_health(&mut caveats);
        caveats
    }

    async fn request(&self, method: &str, params: Value, cx: &RequestCx) -> Result<Value, EndpointError> {
        let start = Instant::now();
        let deadline = cx.deadline.min(start + self.shared.launch.request_timeout);
        match self.request_until(method, &params, &RequestCx { deadline, ..cx.clone() }).await {
            // The time that the caller has waited, including the server's start.
            Err(EndpointError::TimedOut { endpoint, method, .. }) => {
                Err(EndpointError::TimedOut { endpoint, method, after: start.elapsed() })
            }
            // A server that could not load the project returns errors that do not name the reason.
            Err(EndpointError::Server { endpoint, method, code, message }) => {
                let message = without_stack(message);
                let message = match self.health() {
                    Some(Health::Error(reason)) => format!("{message}; {reason}"),
                    Some(Health::Warning(_)) | None => message,
                };
                Err(EndpointError::Server { endpoint, method, code, message })
            }
            answer => answer,
        }
    }

    async fn virtual_text(&self, uri: &lsp::Uri, cx: &RequestCx) -> Result<Option<String>, EndpointError> {
        self.text_of(uri, cx).await
    }

    async fn diagnostics(&self, document: &DocumentRef, cx: &RequestCx) -> Result<DiagnosticsReport, EndpointError> {
        let mut died = None;
        for _ in 0..2 {
            let session = self.running_session("textDocument/diagnostic", cx).await?;
            let _in_use = session.in_use();
            match self.diagnose(&session, document, cx).await {
                Ok(report) => return Ok(report),
                Err(RunFailure::Final(error)) => return Err(error),
                Err(RunFailure::Died(reason)) => died = Some(await_end_reason(&session, reason).await),
            }
        }
        Err(self.on_exit(died.unwrap_or_default()).await)
    }
}

/// Removes the stack of calls that servers in JavaScript append to a message.
fn without_stack(mut message: String) -> String {
    if let Some(stack) = message.find("\n    at ") {
        message.truncate(stack);
    }
    message
}

/// Whether a request changes nothing, so that it may be sent twice.
fn only_reads(method: &str) -> bool {
    method != "workspace/executeCommand"
}
