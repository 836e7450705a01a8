//! The interface of endpoints, which answer language-server requests for some documents.
//!
//! A headless language server, the open editor and the built-in DomainLang implementation all implement these traits,
//! so that code intelligence has one code path. Params and results are plain JSON as LSP defines it; their positions
//! use the endpoint's own [`Encoding`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::Utf8PathBuf;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::lsp;
use crate::position::Encoding;

/// The name of an endpoint in answers, such as `editor`, `rust-analyzer` or `domainlang`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndpointId(pub Arc<str>);

impl fmt::Display for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for EndpointId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

/// A document by its absolute path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DocumentRef {
    pub path: Utf8PathBuf,
}

impl DocumentRef {
    pub fn new(path: impl Into<Utf8PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The URI under which zubi opens the document.
    pub fn uri(&self) -> lsp::Uri {
        crate::uri::from_path(&self.path)
    }
}

/// The degree to which an endpoint's answers are complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// The process runs, but has not answered `initialize` yet.
    Starting,
    /// The endpoint answers, but has not read the whole project yet, so answers may be incomplete.
    Loading { percent: Option<u8>, message: Option<String> },
    /// The endpoint has signalled that it has read the project.
    Ready,
    /// The endpoint has no readiness signal; `elapsed` is the time since it was initialized.
    Unknown { elapsed: Duration },
    /// The endpoint will not answer.
    Failed { reason: String, hint: String },
}

impl Readiness {
    /// Whether waiting cannot change the state: ready, failed, or without a signal to wait for.
    pub fn is_settled(&self) -> bool {
        !matches!(self, Self::Starting | Self::Loading { .. })
    }
}

impl fmt::Display for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Starting => f.write_str("starting"),
            Self::Loading { percent: Some(percent), .. } => write!(f, "loading {percent} %"),
            Self::Loading { percent: None, .. } => f.write_str("loading"),
            Self::Ready => f.write_str("ready"),
            Self::Unknown { .. } => f.write_str("readiness unknown"),
            Self::Failed { .. } => f.write_str("failed"),
        }
    }
}

/// The reason why a request failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EndpointError {
    #[error("{endpoint} does not support `{method}`")]
    Unsupported { endpoint: EndpointId, method: String },
    /// The server returned an error; `code` is defined by JSON-RPC or LSP.
    #[error("{endpoint} answered `{method}` with an error: {message} ({code})")]
    Server { endpoint: EndpointId, method: String, code: i64, message: String },
    #[error("{endpoint} did not answer `{method}` within {} s", after.as_secs_f64().round())]
    TimedOut { endpoint: EndpointId, method: String, after: Duration },
    #[error("the call was cancelled")]
    Cancelled,
    /// The process ended or could not be started; `reason` includes the last lines of its stderr.
    #[error("{endpoint} is not running: {reason}")]
    Exited { endpoint: EndpointId, reason: String, hint: String },
    /// A server cannot open the document: it is not text, too large, or gone.
    #[error("{0}")]
    Document(String),
    /// The server violated the protocol.
    #[error("{endpoint} broke the protocol: {message}")]
    Protocol { endpoint: EndpointId, message: String },
}

/// The workspace edits of the server's `workspace/applyEdit` requests during one request, unchanged.
#[derive(Debug, Clone, Default)]
pub struct EditCapture(Arc<Mutex<Vec<Value>>>);

impl EditCapture {
    pub fn push(&self, edit: Value) {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(edit);
    }

    pub fn take(&self) -> Vec<Value> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

/// The context of one request.
#[derive(Debug, Clone)]
pub struct RequestCx {
    /// Cancelled when the caller stops waiting; the endpoint then sends `$/cancelRequest` and returns at once.
    pub cancel: CancellationToken,
    /// The time at which zubi stops waiting for the response.
    pub deadline: Instant,
    /// Documents that the request refers to. The endpoint first opens them and synchronizes their texts.
    pub documents: Vec<DocumentRef>,
    /// The buffer for `workspace/applyEdit` while this request runs; `None` refuses such edits.
    pub edits: Option<EditCapture>,
    /// Whether the caller sends the same request for many documents. The endpoint then omits work that is too expensive
    /// for each of them (an editor opens a single document, for example).
    pub is_batch: bool,
    /// Whether the request may start a server for every project of the workspace, however many there are.
    pub all_projects: bool,
}

impl RequestCx {
    pub fn new(cancel: CancellationToken, deadline: Instant) -> Self {
        Self { cancel, deadline, documents: Vec::new(), edits: None, is_batch: false, all_projects: false }
    }

    /// Returns a copy of this context for a request about this document.
    #[must_use]
    pub fn for_document(&self, document: &DocumentRef) -> Self {
        Self { documents: vec![document.clone()], ..self.clone() }
    }
}

/// Facts that limit the answers of an endpoint that is ready: which parts it has analysed and which not. Each is a
/// clause for a status line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caveats {
    /// Parts of the project that the endpoint has not read: it has no `compile_commands.json`, so other files are not
    /// read. Answers about the whole project may be incomplete.
    pub project: Vec<String>,
    /// Warnings that the endpoint reports about its own work, with their cure: the standard library is missing, a build
    /// script failed. Answers about the whole project may be incomplete, and so may diagnostics.
    pub health: Vec<String>,
    /// The errors that the endpoint reports about the project, with their cure: it could not be loaded. Every answer has
    /// them.
    pub failures: Vec<String>,
    /// Facts that make no answer incomplete: which checks the endpoint cannot run.
    pub notes: Vec<String>,
    /// Facts about code outside the project (installed packages, the standard library). They matter for diagnostics and
    /// if a result was not found.
    pub beyond: Vec<String>,
    /// The environment whose packages the endpoint knows. It matters if an import is unresolved or a result was not
    /// found.
    pub packages: Vec<String>,
    /// The commands that cure a fact, by its clause.
    pub cures: BTreeMap<String, String>,
}

/// The diagnostics of one endpoint for one document.
#[derive(Debug, Clone)]
pub struct DiagnosticsReport {
    pub items: Vec<lsp::Diagnostic>,
    /// Whether the diagnostics belong to the document's present text. If not, the endpoint did not report on this
    /// version before the deadline, and the items are from its last report.
    pub current: bool,
    /// Whether a source of diagnostics has not reported on the present text yet, for example because a check still
    /// runs. Its earlier diagnostics are omitted; their absence does not mean that the text has none.
    pub is_partial: bool,
    /// The missing part, for the answer's status line ("cargo check still running").
    pub note: Option<String>,
}

/// The field in which an endpoint counts omitted items: in an object after the last item of a list, or in the object
/// itself. LSP defines no such field.
pub const OMITTED_COUNT_FIELD: &str = "leftOut";

/// An implementation of language-server requests for some documents.
#[async_trait]
pub trait Endpoint: Send + Sync {
    fn id(&self) -> &EndpointId;

    fn serves(&self, document: &DocumentRef) -> bool;

    /// Whether a document is in a language of this endpoint, regardless of its directory.
    fn supports_language(&self, document: &DocumentRef) -> bool {
        self.serves(document)
    }

    /// The language identifier (LSP's `languageId`) with which the endpoint opens a document; `None` if it is unknown.
    fn language_id(&self, _document: &DocumentRef) -> Option<String> {
        None
    }

    fn readiness(&self) -> Readiness;

    /// Returns a receiver for changes of [`Self::readiness`], so that callers never poll.
    fn readiness_changes(&self) -> watch::Receiver<Readiness>;

    /// The unit of the columns in this endpoint's params and results.
    fn encoding(&self) -> Encoding;

    /// Whether the endpoint supports an LSP request, for a document if one is given. Many servers register capabilities
    /// only after `initialize`, so this waits before it returns `false` for a new server. It starts an endpoint that
    /// does not run, and returns `false` if that has not started by the deadline of `cx`.
    async fn supports(&self, method: &str, document: Option<&DocumentRef>, cx: &RequestCx) -> bool;

    /// The server's present capabilities object, for details that [`Self::supports`] does not return
    /// (`renameProvider.prepareProvider`, trigger characters, `codeActionProvider.resolveProvider`).
    fn capabilities(&self) -> Value;

    /// Whether `workspace/executeCommand` may run this command without approval. Only commands that are known to
    /// produce nothing but edits qualify.
    fn allows_command(&self, command: &str) -> bool;

    /// Whether the answer to this LSP request is only about the project of the request's document, although the endpoint
    /// reads several.
    fn answers_per_project(&self, _method: &str) -> bool {
        false
    }

    /// The caveats of the endpoint's answers about a document, or about the whole workspace, in any state.
    fn caveats(&self, document: Option<&DocumentRef>) -> Caveats;

    /// Sends a request and waits for the response. Retries the errors that LSP declares retryable (`ContentModified`,
    /// `ServerCancelled`), collects partial results, and cancels the request on the server if the caller stops waiting.
    async fn request(&self, method: &str, params: Value, cx: &RequestCx) -> Result<Value, EndpointError>;

    /// Returns the text of a document that is not a file, such as a class of a library; `None` if the endpoint has no
    /// texts for such URIs.
    async fn virtual_text(&self, _uri: &lsp::Uri, _cx: &RequestCx) -> Result<Option<String>, EndpointError> {
        Ok(None)
    }

    /// Returns the document's diagnostics, pulled or pushed, for its present text.
    async fn diagnostics(&self, document: &DocumentRef, cx: &RequestCx) -> Result<DiagnosticsReport, EndpointError>;
}

/// The reason why no endpoint answers for a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingServer {
    /// The file extension or language as users write it, such as `.kt` or `Python`.
    pub subject: String,
    /// One clause: `no server for .kt`, `pyright is not installed`, `gopls may not run here: the folder is not
    /// trusted`.
    pub reason: String,
    /// The next step: an install command, `zubi trust .`, how to add a row.
    pub hint: String,
}

/// The endpoints for a document or a workspace, and the reasons why others are absent.
#[derive(Clone, Default)]
pub struct Endpoints {
    /// The endpoints in order of preference: callers query the first one, and the others add results that it lacks.
    pub endpoints: Vec<Arc<dyn Endpoint>>,
    pub absent: Vec<MissingServer>,
    /// The reason why the endpoints do not cover the whole workspace, as a clause ("it has too many projects").
    pub uncovered: Option<String>,
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<_> = self.endpoints.iter().map(|endpoint| endpoint.id()).collect();
        let mut debug = f.debug_struct("Endpoints");
        debug.field("endpoints", &ids).field("absent", &self.absent).field("uncovered", &self.uncovered).finish()
    }
}

/// A project of the workspace that a request about another project does not cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherProject {
    /// The project's directory.
    pub root: Utf8PathBuf,
    /// One file of the project. A server that opens this file knows the project; a server of several projects reads a
    /// project only while one of its files is open.
    pub example: Utf8PathBuf,
    /// The directory in which the project's server runs. Projects with the same one share a process.
    pub server_root: Utf8PathBuf,
    pub server_state: ProjectServerState,
}

/// The state of another project's server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectServerState {
    /// The process that serves the request's own document. It reads the project if the request opens its example.
    Shared,
    /// Another process, which runs.
    Running,
    /// A process that the first request will start.
    Stopped,
}

/// Finds and starts endpoints: the pool of headless servers, the editor, the built-in languages.
#[async_trait]
pub trait EndpointSource: Send + Sync {
    /// Returns the endpoints that may answer an LSP request about a document. Starts the servers that the request
    /// needs, but none that never handle such a request (no linter for a definition). Does not wait until they are
    /// ready.
    async fn for_document(&self, document: &DocumentRef, method: &str, cx: &RequestCx) -> Endpoints;

    /// Returns the endpoints for a workspace request (`workspace/symbol`): one for each server of each detected
    /// language.
    async fn for_workspace(&self, method: &str, cx: &RequestCx) -> Endpoints;

    /// Whether the workspace has several projects of this document's language that one request does not cover: each has
    /// a server of its own, or the server reads a project only while one of its files is open. The caller must then
    /// also query the other projects.
    async fn has_other_projects(&self, _document: &DocumentRef, _method: &str) -> bool {
        false
    }

    /// Returns the projects of these files, except the document's own, in order of their directories.
    async fn other_projects(
        &self,
        _document: &DocumentRef,
        _method: &str,
        _files: Vec<Utf8PathBuf>,
    ) -> Vec<OtherProject> {
        Vec::new()
    }

    /// The open editor. No other endpoint knows which files its user has open.
    fn editor(&self) -> Option<Arc<dyn Endpoint>> {
        None
    }

    /// Synchronizes every endpoint with the files on disk; callers do this before each request. Returns a note if it
    /// was not complete ("inotify limit reached: only opened files were compared").
    async fn refresh(&self, cx: &RequestCx) -> Option<String>;

    /// The number of times that [`Self::refresh`] has found changed files. Data that is read after this call is valid
    /// while the number is the same. `None` if the source does not watch files (yet).
    fn file_changes(&self) -> Option<u64>;

    /// Stops the endpoints that this source has started and returns their number. The next request starts them again.
    async fn restart(&self) -> usize {
        0
    }

    /// Stops all endpoints that this source has started, and waits until they have ended.
    async fn shutdown(&self);
}
