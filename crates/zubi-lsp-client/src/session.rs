//! One run of one language server: from its start to its end.
//!
//! The session has the process, the connection, the handshake, the document mirror and the delivery of file changes.
//! The endpoint and the pool restart it and decide which requests it receives.
//!
//! It ends in order: `shutdown` (with a time limit), `exit`, closed input, and only then signals. TypeScript 7 and some
//! others ignore `exit` and end when their input is closed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use zubi_base::clock::{Clock as _, SystemClock};
use zubi_base::endpoint::Readiness;
use zubi_base::fs::ReadError;
use zubi_base::lsp::PositionEncodingKind;
use zubi_base::position::Encoding;
use zubi_base::process::{Child, Spawner};
use zubi_base::rpc::{Connection, ConnectionError, ConnectionOptions};
use zubi_base::workspace::Folder;

use crate::catalogue::{Freshness, ReloadRequest};
use crate::checks::BackgroundCheck;
use crate::detect::Languages;
use crate::diagnostic_rounds::DiagnosticRounds;
use crate::document_activity::DocumentStatus;
use crate::documents::{DocumentOpenParams, MirroredDocuments, OutgoingSync, SyncAction};
use crate::health::{Health, HealthSign, StatusReason};
use crate::initialize;
use crate::log::LineRing;
use crate::peer::ServerPeer;
use crate::readiness::{ReadinessSignal, Tracker};
use crate::sandbox::ServerCommand;

mod delivery;
mod language_service;
mod process;
mod reload;
mod sync_barrier;
#[cfg(test)]
mod tests;
mod usage;

use language_service::LanguageServices;

pub(crate) use process::Process;
use process::{attend, quote};
use sync_barrier::SyncBarrier;
use usage::SessionUsage;

/// The properties of a server and its settings.
#[derive(Debug, Clone)]
pub struct SessionSpec {
    /// The name in answers.
    pub name: Arc<str>,
    /// The workspace folder in which the server works.
    pub folder: Folder,
    pub signal: ReadinessSignal,
    /// Answers to `workspace/configuration`, by section.
    pub settings: Value,
    pub initialization_options: Value,
    /// Whether the server reads settings only from `workspace/didChangeConfiguration`.
    pub push_settings: bool,
    /// Methods that zubi does not use although the server supports them.
    pub withheld: Vec<String>,
    /// The check that computes further diagnostics after saving.
    pub checker: Option<BackgroundCheck>,
    /// How the server signals that it has finished with a document.
    pub document_status: Option<DocumentStatus>,
    /// The progress by which the server reports each round of diagnostics.
    pub diagnostic_rounds: Option<DiagnosticRounds>,
    /// The ways in which the server reports errors and warnings about itself or the project.
    pub health_signs: Vec<HealthSign>,
    /// How the server explains its status.
    pub status_reason: StatusReason,
    /// The request whose answer shows that the server has processed a document's text.
    pub barrier_method: Option<String>,
    /// The unit of the server's columns, if it is not the one that the server names.
    pub encoding: Option<Encoding>,
    /// Whether the server includes the version in every publication about an open document.
    pub names_versions: bool,
    /// Whether the server publishes the diagnostics of one text in several parts.
    pub publishes_in_parts: bool,
    /// Whether the diagnostics of a document depend on no other file.
    pub diagnoses_text_only: bool,
    /// Extensions of files in other languages that the server reads.
    pub also_reads: Vec<String>,
    /// The command that passes requests on to tsserver.
    pub tsserver_command: Option<String>,
    /// Whether that command takes paths instead of URIs.
    pub tsserver_takes_paths: bool,
    /// How the server is notified about files that changed on disk.
    pub freshness: Freshness,
    /// The tables that map a file to its language.
    pub language_table: Arc<Languages>,
    /// The LSP language ids that it supports.
    pub languages: Vec<String>,
    /// File extensions of these languages, without the dot, source files before headers.
    pub extensions: Vec<String>,
    /// Names of the files that make a directory a project.
    pub root_markers: Vec<String>,
    /// The names of files and directories that the server reads again only when it reads its settings.
    pub configure_on: Vec<String>,
    /// The request that makes the server read files again.
    pub reload: Option<ReloadRequest>,
    /// The time in which the server notices changes on disk by itself; `None` for one that zubi notifies.
    pub own_watcher: Option<Duration>,
    /// Whether the server reads the project only once a document is open.
    pub needs_document: bool,
    /// The time limit for the `initialize` response.
    pub start_timeout: Duration,
    /// The time limit for the `shutdown` response.
    pub shutdown_timeout: Duration,
    /// Whether zubi requests diagnostics from the server.
    pub diagnoses: bool,
}

impl SessionSpec {
    /// Returns LSP's language id of a file; `plaintext` if it is unknown.
    pub fn language(&self, path: &Utf8Path) -> &str {
        self.language_table.for_file(path).map_or("plaintext", |language| language)
    }

    /// Returns the document to open at once, if the server needs one: that of the first request, or one from a search.
    async fn first_document(&self, requested: Option<Utf8PathBuf>) -> Option<Utf8PathBuf> {
        if !self.needs_document {
            return None;
        }
        match requested {
            Some(requested) => Some(requested),
            None => {
                let (root, extensions, signal) =
                    (self.folder.path.clone(), self.extensions.clone(), self.signal.clone());
                let find = move || crate::first_document::find(&root, &extensions, &signal);
                tokio::task::spawn_blocking(find).await.unwrap_or_default()
            }
        }
    }

    /// Whether a file is in a language of this server.
    pub fn supports_language(&self, path: &Utf8Path) -> bool {
        let language = self.language(path);
        self.languages.iter().any(|own| own == language)
    }
}

/// The reason why a server could not be started.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StartError {
    #[error("{0}")]
    Spawn(String),
    /// The server ended, refused or sent nothing; the text includes the last lines of its standard error.
    #[error("{0}")]
    Handshake(String),
    /// A failed handshake of a server in the sandbox, which may be the cause.
    #[error("{0}")]
    ConfinedHandshake(String),
}

/// A running, initialized server.
pub struct ServerSession {
    spec: SessionSpec,
    connection: Connection,
    peer: Arc<ServerPeer>,
    /// The last lines of the server's standard error.
    stderr: Arc<LineRing>,
    encoding: Encoding,
    /// `name version`, as the server reports them.
    server_version: Option<String>,
    documents: Mutex<MirroredDocuments>,
    sync_barrier: SyncBarrier,
    /// The reason for the server's end, once it has ended.
    ended: watch::Receiver<Option<String>>,
    stop: CancellationToken,
    /// The reason why zubi ended the server, if it did.
    verdict: Arc<OnceLock<String>>,
    /// The process id, for measuring its memory; `None` for a server without a process of its own.
    process: Option<u32>,
    usage: SessionUsage,
    /// Ends the process when the session is dropped without [`Self::shutdown`].
    _ends_process: DropGuard,
    started: Instant,
    /// Whether the server has answered any request.
    answered: AtomicBool,
    pub(crate) language_services: LanguageServices,
}

impl OutgoingSync for Connection {
    fn notify(&self, method: &str, params: Value) -> bool {
        match self.notify(method, params) {
            Ok(()) => true,
            Err(error) => {
                tracing::debug!(%method, %error, "a notification was not sent");
                false
            }
        }
    }
}

impl ServerSession {
    /// Starts a server and initializes it. `readiness` receives every change from then on. If the server needs a
    /// document to begin, opens `first`, or without one a suitable file, at once.
    ///
    /// `watching` completes once file changes are noticed. It runs during the start of the process and must complete
    /// before `initialized`: until then servers read no sources, so no change is missed.
    pub async fn start(
        spec: SessionSpec,
        command: ServerCommand,
        spawner: &Spawner,
        first: Option<Utf8PathBuf>,
        readiness: Arc<watch::Sender<Readiness>>,
        tasks: &TaskTracker,
        watching: impl Future<Output = ()>,
    ) -> Result<Arc<Self>, StartError> {
        let process = Process::spawn(command, spawner)?;
        Self::with_transport(spec, process, first, readiness, tasks, watching).await
    }

    /// Like [`Self::start`], with a server that is already running.
    pub(crate) async fn with_transport(
        spec: SessionSpec,
        process: Process,
        first: Option<Utf8PathBuf>,
        readiness: Arc<watch::Sender<Readiness>>,
        tasks: &TaskTracker,
        watching: impl Future<Output = ()>,
    ) -> Result<Arc<Self>, StartError> {
        let Process { output, input, child, stderr, sees_zubi, temporary } = process;
        let peer = Arc::new(ServerPeer::new(&spec, readiness));
        let connection =
            Connection::start(output, input, Arc::clone(&peer) as Arc<_>, ConnectionOptions::language_server());
        let stop = CancellationToken::new();
        let (ended_sender, mut ended) = watch::channel(None);
        let verdict = Arc::new(OnceLock::new());
        let pid = child.as_ref().map(Child::id);
        let last_words = Arc::clone(&stderr);
        tasks.spawn(attend(
            connection.clone(),
            child,
            stop.clone(),
            Arc::clone(&verdict),
            last_words,
            ended_sender,
            temporary,
        ));
        let end_with_session = stop.clone().drop_guard();

        let params = initialize::params(&spec.folder, sees_zubi.then(std::process::id), &spec.initialization_options);
        let deadline = Instant::now() + spec.start_timeout;
        let no_cancel = CancellationToken::new();
        let handshake = connection.request("initialize", params, &no_cancel, deadline);
        let (answer, (), first) = tokio::join!(handshake, watching, spec.first_document(first));
        let answer = match answer {
            Ok(answer) => answer,
            Err(ConnectionError::Closed { .. }) => {
                // The reason, with the server's standard error, is known when the process has been reaped.
                let reason = ended.wait_for(Option::is_some).await.ok().and_then(|reason| reason.clone());
                return Err(StartError::Handshake(reason.unwrap_or_else(|| "it ended".to_owned())));
            }
            Err(error) => {
                let reason = format!("`initialize` failed: {error}{}", quote(&stderr));
                return Err(StartError::Handshake(reason));
            }
        };

        let capabilities = answer.get("capabilities").cloned().unwrap_or_default();
        let encoding = spec.encoding.unwrap_or_else(|| negotiated_encoding(&capabilities));
        peer.capabilities().set_capabilities(capabilities);
        let session = Arc::new(Self {
            connection,
            peer,
            stderr,
            encoding,
            server_version: server_version(&answer),
            documents: Mutex::default(),
            sync_barrier: SyncBarrier::new(spec.barrier_method.clone()),
            ended,
            stop,
            verdict,
            process: pid,
            usage: SessionUsage::new(Instant::now()),
            _ends_process: end_with_session,
            started: Instant::now(),
            answered: AtomicBool::new(false),
            language_services: LanguageServices::default(),
            spec,
        });
        session.introduce(first);
        Ok(session)
    }

    /// Sends the messages that follow the `initialize` response.
    fn introduce(&self, first: Option<Utf8PathBuf>) {
        OutgoingSync::notify(&self.connection, "initialized", json!({}));
        if self.spec.push_settings {
            let params = json!({ "settings": self.spec.settings });
            OutgoingSync::notify(&self.connection, "workspace/didChangeConfiguration", params);
        }
        // The tracker gets the document before the server reports "loading"; otherwise it would look ready in between.
        self.peer.track(|tracker| tracker.on_initialized(Instant::now()));
        match first {
            Some(path) => {
                if let Err(error) = self.sync_document(&path, false) {
                    tracing::debug!(server = %self.spec.name, %error, "the first document cannot be opened");
                    self.peer.track(Tracker::nothing_to_open);
                }
            }
            None if self.spec.needs_document => self.peer.track(Tracker::nothing_to_open),
            None => {}
        }
    }

    pub(crate) fn spec(&self) -> &SessionSpec {
        &self.spec
    }

    pub(crate) fn peer(&self) -> &ServerPeer {
        &self.peer
    }

    /// Returns the error or warning that the server reports about itself or the project, with its reason.
    pub(crate) fn health(&self) -> Option<Health> {
        let explain = |message: String| self.spec.status_reason.explain(&message, || self.stderr.last(usize::MAX));
        let health = self.peer.health().map(|health| match health {
            Health::Error(message) => Health::Error(explain(message)),
            Health::Warning(message) => Health::Warning(explain(message)),
        });
        health.or_else(|| self.language_services.describe().map(Health::Error))
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns `name version`, as the server reports them.
    pub fn server_version(&self) -> Option<&str> {
        self.server_version.as_deref()
    }

    /// Ends the server for something it did, and reports that as the reason.
    pub(crate) fn end_with_reason(&self, reason: String) {
        // The first reason counts.
        drop(self.verdict.set(reason));
        self.stop.cancel();
    }

    /// Records that the server answered a request.
    pub(crate) fn has_answered(&self) {
        self.answered.store(true, Ordering::Release);
    }

    /// Whether the server answered any request, which shows that it works.
    pub(crate) fn was_useful(&self) -> bool {
        self.answered.load(Ordering::Acquire)
    }

    /// Returns the time since the start.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns a receiver that gets the reason when the server has ended.
    pub fn end_reason(&self) -> watch::Receiver<Option<String>> {
        self.ended.clone()
    }

    fn documents(&self) -> MutexGuard<'_, MirroredDocuments> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request, after the barrier if texts were sent. The caller opens the documents.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: Value,
        cancel: &CancellationToken,
        deadline: Instant,
    ) -> Result<Value, ConnectionError> {
        self.await_texts(cancel, deadline).await?;
        self.connection.request(method, params, cancel, deadline).await
    }

    /// Waits until the server has processed the texts sent before, if it needs a barrier for that.
    pub(crate) async fn await_texts(
        &self,
        cancel: &CancellationToken,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
        self.sync_barrier.wait(&self.connection, cancel, deadline).await
    }

    /// Sends a notification; a server that has ended does not receive it.
    pub(crate) fn notify(&self, method: &str, params: Value) {
        OutgoingSync::notify(&self.connection, method, params);
    }

    /// Opens a document or sends its changes on disk since.
    pub(crate) fn sync_document(&self, path: &Utf8Path, certainly_changed: bool) -> Result<SyncAction, ReadError> {
        let mut documents = self.documents();
        self.sync_document_locked(&mut documents, path, certainly_changed)
    }

    /// Like [`Self::sync_document`], and prevents the document from being closed until the guard is dropped.
    pub(crate) fn pin(self: &Arc<Self>, path: &Utf8Path) -> Result<Pin, ReadError> {
        let mut documents = self.documents();
        self.sync_document_locked(&mut documents, path, false)?;
        documents.pin(path);
        Ok(Pin { session: Arc::clone(self), path: path.to_owned() })
    }

    fn open_params(&self, path: &Utf8Path) -> DocumentOpenParams<'_> {
        let language = self.spec.language(path);
        DocumentOpenParams { language, sync: self.peer.capabilities().sync((path, language)), now: SystemClock.now() }
    }

    fn sync_document_locked(
        &self,
        documents: &mut MirroredDocuments,
        path: &Utf8Path,
        certainly_changed: bool,
    ) -> Result<SyncAction, ReadError> {
        let opening = self.open_params(path);
        let previous_version = documents.version(path);
        let root = &self.spec.folder.path;
        if previous_version.is_none() {
            self.peer.track(|tracker| tracker.on_opened(path, root));
        }
        let out = TextSentGuard { session: self, path, is_repeated: false };
        let touch = documents.sync(path, opening, certainly_changed, &out);
        if previous_version.is_none() && !matches!(touch, Ok(SyncAction::Opened)) {
            self.peer.track(|tracker| tracker.not_opened(path, root));
        }
        touch
    }

    /// Sends the text of an open document once more, so that a server that only publishes diagnostics checks it again.
    pub(crate) fn repeat_text(&self, path: &Utf8Path) -> Result<SyncAction, ReadError> {
        let out = TextSentGuard { session: self, path, is_repeated: true };
        self.documents().repeat(path, self.open_params(path), &out)
    }

    /// Returns the identifier of each provider of pull diagnostics for a document; empty if the server only publishes
    /// them.
    pub(crate) fn pulls_for(&self, path: &Utf8Path) -> Vec<Option<String>> {
        let capabilities = self.peer.capabilities();
        if capabilities.is_disabled("textDocument/diagnostic") {
            return Vec::new();
        }
        capabilities.diagnostic_identifiers((path, self.spec.language(path)))
    }

    /// Returns the open documents, for the next run.
    pub(crate) fn open_documents(&self) -> Vec<Utf8PathBuf> {
        self.documents().paths()
    }

    /// Ends the server. Returns when its process has ended.
    pub async fn shutdown(&self) {
        self.peer.deactivate();
        let mut ended = self.ended.clone();
        if ended.borrow().is_none() {
            let deadline = Instant::now() + self.spec.shutdown_timeout;
            // A server that refuses or does not answer is ended anyway.
            let answer = self.connection.request("shutdown", Value::Null, &CancellationToken::new(), deadline).await;
            if let Err(error) = answer {
                tracing::debug!(server = %self.spec.name, %error, "shutdown");
            }
            OutgoingSync::notify(&self.connection, "exit", Value::Null);
        }
        self.stop.cancel();
        // An error means that the task that watches the process has ended, and the process with it.
        drop(ended.wait_for(Option::is_some).await);
    }
}

/// Records which text was sent, so that older diagnostics do not count as those of the new text.
struct TextSentGuard<'a> {
    session: &'a ServerSession,
    path: &'a Utf8Path,
    /// Whether the server has had the same text before.
    is_repeated: bool,
}

impl OutgoingSync for TextSentGuard<'_> {
    fn notify(&self, method: &str, params: Value) -> bool {
        if method == "textDocument/didSave" {
            self.session.peer.checks.on_saved(Instant::now());
            self.session.peer.document_activity.mark_saved();
        }
        if method == "textDocument/didChange" && !self.is_repeated {
            self.session.peer.diagnostics.mark_changed();
        }
        let version = params.pointer("/textDocument/version").and_then(Value::as_i64);
        // A document that is closed to make room for this one has no version in its message.
        if let Some(version) = version.and_then(|version| i32::try_from(version).ok()) {
            self.session.peer.diagnostics.expect(self.path, version);
            self.session.peer.document_activity.mark_sent(self.path);
            self.session.sync_barrier.mark_sent(self.path);
        }
        OutgoingSync::notify(&self.session.connection, method, params)
    }
}

/// Prevents a document from being closed while a request needs it.
pub(crate) struct Pin {
    session: Arc<ServerSession>,
    path: Utf8PathBuf,
}

impl Drop for Pin {
    fn drop(&mut self) {
        self.session.documents().unpin(&self.path);
    }
}

/// Returns the encoding in the server's capabilities.
fn negotiated_encoding(capabilities: &Value) -> Encoding {
    let kind = capabilities.get("positionEncoding").cloned();
    let kind: Option<PositionEncodingKind> = kind.and_then(|kind| serde_json::from_value(kind).ok());
    Encoding::from_lsp(kind.as_ref())
}

fn server_version(answer: &Value) -> Option<String> {
    let text = |name: &str| answer.get("serverInfo")?.get(name)?.as_str();
    let name = text("name")?;
    Some(match text("version") {
        // gopls sends a page of JSON.
        Some(version) if version.len() <= 100 => format!("{name} {version}"),
        _ => name.to_owned(),
    })
}
