//! The interface of endpoints, which answer language-server requests for some documents.
//!
//! A headless language server, the open editor and the built-in DomainLang implementation all implement these traits,
//! so that code intelligence has one code path. Params and results are plain JSON in LSP's shapes; positions in them
//! are counted in the endpoint's own [`Encoding`].

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

/// Names an endpoint in answers: `editor`, `rust-analyzer`, `domainlang`.
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
    /// The process runs, `initialize` is not answered yet.
    Starting,
    /// The endpoint answers, but has not read the whole project: answers may be incomplete.
    Loading { percent: Option<u8>, message: Option<String> },
    /// The endpoint has reported, by its own signal, that it has read the project.
    Ready,
    /// The endpoint has no readiness signal; `elapsed` is the time since it was initialized.
    Unknown { elapsed: Duration },
    /// The endpoint will not answer.
    Failed { reason: String, hint: String },
}

impl Readiness {
    /// Whether waiting longer can change nothing: ready, failed, or without a signal to wait for.
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

/// Why a request got no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EndpointError {
    #[error("{endpoint} does not support `{method}`")]
    Unsupported { endpoint: EndpointId, method: String },
    /// The server answered with an error; `code` is JSON-RPC's or LSP's.
    #[error("{endpoint} answered `{method}` with an error: {message} ({code})")]
    Server { endpoint: EndpointId, method: String, code: i64, message: String },
    #[error("{endpoint} did not answer `{method}` within {} s", after.as_secs_f64().round())]
    TimedOut { endpoint: EndpointId, method: String, after: Duration },
    #[error("the call was cancelled")]
    Cancelled,
    /// The process ended or could not be started; `reason` includes the last lines it wrote to stderr.
    #[error("{endpoint} is not running: {reason}")]
    Exited { endpoint: EndpointId, reason: String, hint: String },
    /// The document cannot be given to a server (not text, too large, gone).
    #[error("{0}")]
    Document(String),
    /// The server violated the protocol.
    #[error("{endpoint} broke the protocol: {message}")]
    Protocol { endpoint: EndpointId, message: String },
}

/// Workspace edits that a server sent with `workspace/applyEdit` while a captured request ran, as it sent them.
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
    /// When to stop waiting for the answer.
    pub deadline: Instant,
    /// Documents that the request refers to; the endpoint opens them and brings them up to date first.
    pub documents: Vec<DocumentRef>,
    /// The buffer for `workspace/applyEdit` while this request runs; `None` refuses such edits.
    pub edits: Option<EditCapture>,
    /// Whether the caller sends the same request for many documents at once. The endpoint then omits work that is too
    /// expensive to do for each of them (an editor opens a single document, for example).
    pub is_batch: bool,
}

impl RequestCx {
    pub fn new(cancel: CancellationToken, deadline: Instant) -> Self {
        Self { cancel, deadline, documents: Vec::new(), edits: None, is_batch: false }
    }

    /// Returns a copy of this context for a request about this document.
    #[must_use]
    pub fn for_document(&self, document: &DocumentRef) -> Self {
        Self { documents: vec![document.clone()], ..self.clone() }
    }
}

/// Facts that limit an endpoint's answers although it is ready: which parts were analysed and which were not. Each is a
/// clause for a status line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caveats {
    /// About the project itself (no `compile_commands.json`, other than default cargo features exist): true of every
    /// answer.
    pub project: Vec<String>,
    /// About code outside the project (installed packages, the standard library): relevant if a result was not found,
    /// and next to diagnostics.
    pub beyond: Vec<String>,
}

/// The diagnostics of one document, by one endpoint.
#[derive(Debug, Clone)]
pub struct DiagnosticsReport {
    pub items: Vec<lsp::Diagnostic>,
    /// Whether they belong to the document's present text. `false`: the endpoint had not reported on this
    /// version when the deadline passed; the items are from its last report.
    pub current: bool,
    /// Whether a source of diagnostics has not reported on the present text yet (a check still runs). Its earlier
    /// diagnostics are left out, so that their absence does not mean that the text has none.
    pub is_partial: bool,
    /// The part that is still missing, for the answer's status line ("cargo check still running").
    pub note: Option<String>,
}

/// The field of an answer in which an endpoint counts what it had to leave out: of a list, in an object behind the last
/// item; of an object, in itself. LSP has no words for that.
pub const OMITTED_COUNT_FIELD: &str = "leftOut";

/// Something that answers language-server requests for some documents.
#[async_trait]
pub trait Endpoint: Send + Sync {
    fn id(&self) -> &EndpointId;

    fn serves(&self, document: &DocumentRef) -> bool;

    /// Whether a document is in a language of this endpoint, regardless of its directory.
    fn supports_language(&self, document: &DocumentRef) -> bool {
        self.serves(document)
    }

    /// The language identifier (LSP's `languageId`) with which the endpoint opens a document; `None` if it is not
    /// known.
    fn language_id(&self, _document: &DocumentRef) -> Option<String> {
        None
    }

    fn readiness(&self) -> Readiness;

    /// Follows [`Self::readiness`]; callers wait on this for a state and never poll.
    fn readiness_changes(&self) -> watch::Receiver<Readiness>;

    /// The unit of the columns in this endpoint's params and results.
    fn encoding(&self) -> Encoding;

    /// Whether the endpoint offers an LSP request for a document (or at all). Many servers register what they offer
    /// only after `initialize`, so a "no" of a fresh one is given only when it has had its time to do that. One that
    /// does not run is started; one that does not run by the deadline of `cx` offers nothing.
    async fn supports(&self, method: &str, document: Option<&DocumentRef>, cx: &RequestCx) -> bool;

    /// The server's present capabilities object, for details that [`Self::supports`] does not return
    /// (`renameProvider.prepareProvider`, trigger characters, `codeActionProvider.resolveProvider`).
    fn capabilities(&self) -> Value;

    /// Whether `workspace/executeCommand` may run this command without approval: only commands that are known to
    /// produce nothing but edits.
    fn allows_command(&self, command: &str) -> bool;

    /// The caveats of the endpoint's answers, whatever its readiness.
    fn caveats(&self) -> Caveats;

    /// Sends a request and waits for its answer. Retries the errors that the protocol declares retryable
    /// (`ContentModified`, `ServerCancelled`), collects partial results, and cancels the request on the server when the
    /// caller stops waiting.
    async fn request(&self, method: &str, params: Value, cx: &RequestCx) -> Result<Value, EndpointError>;

    /// The text of a document that is not a file: a class of a library, for instance. `None`: the endpoint has no texts
    /// for such URIs.
    async fn virtual_text(&self, _uri: &lsp::Uri, _cx: &RequestCx) -> Result<Option<String>, EndpointError> {
        Ok(None)
    }

    /// Returns the document's diagnostics, pulled or pushed, for its present text.
    async fn diagnostics(&self, document: &DocumentRef, cx: &RequestCx) -> Result<DiagnosticsReport, EndpointError>;
}

/// Why nothing answers for a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingServer {
    /// The file extension or language, as a person names it: `.kt`, `Python`.
    pub subject: String,
    /// One clause: `no server for .kt`, `pyright is not installed`, `gopls may not run here: the folder is not
    /// trusted`.
    pub reason: String,
    /// The next step: an install command, `zubi trust .`, how to add a row.
    pub hint: String,
}

/// The endpoints that answer for a document or a workspace, and the reasons why others do not.
#[derive(Clone, Default)]
pub struct Endpoints {
    /// In order of preference: the first is queried first, the others add results that it lacks.
    pub endpoints: Vec<Arc<dyn Endpoint>>,
    pub absent: Vec<MissingServer>,
    /// The reason why their answers together do not cover the workspace, as a clause: it has too many projects.
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
    /// One file of the project. A server that answers for this file knows the project; while the file is open, so does
    /// a server of several projects that reads a project only when one of its files is open.
    pub example: Utf8PathBuf,
}

/// Finds and starts endpoints: the pool of headless servers, the editor, the built-in languages.
#[async_trait]
pub trait EndpointSource: Send + Sync {
    /// Returns the endpoints that may answer an LSP request about a document. Starts the servers that the request
    /// needs, and none that never handles such a request (no linter for a definition). Does not wait until they are
    /// ready.
    async fn for_document(&self, document: &DocumentRef, method: &str, cx: &RequestCx) -> Endpoints;

    /// Returns the endpoints for the whole workspace (`workspace/symbol`): one endpoint for each server of each
    /// language found.
    async fn for_workspace(&self, method: &str, cx: &RequestCx) -> Endpoints;

    /// Whether the workspace has several projects of this document's language, each known to a server of its own or
    /// read only while a file of it is open. The caller must then also query the other projects to find results in
    /// them.
    async fn has_other_projects(&self, _document: &DocumentRef, _method: &str) -> bool {
        false
    }

    /// The projects that these files lie in and this document does not, in order of their directories.
    async fn other_projects(
        &self,
        _document: &DocumentRef,
        _method: &str,
        _files: Vec<Utf8PathBuf>,
    ) -> Vec<OtherProject> {
        Vec::new()
    }

    /// The open editor, the only endpoint that knows the files its user has open.
    fn editor(&self) -> Option<Arc<dyn Endpoint>> {
        None
    }

    /// Synchronizes every endpoint with the files on disk. Called before each request; returns a note if
    /// that could not be ensured ("inotify limit reached: only opened files were compared").
    async fn refresh(&self, cx: &RequestCx) -> Option<String>;

    /// The number of times that [`Self::refresh`] has found changed files. Data read from files after a call to this
    /// method is valid as long as the number is the same. `None`: the source does not watch files (yet).
    fn file_changes(&self) -> Option<u64>;

    /// Stops the endpoints that this source has started, so that the next request starts them again. Returns the number
    /// of stopped endpoints.
    async fn restart(&self) -> usize {
        0
    }

    /// Stops everything this source started; returns when nothing is left.
    async fn shutdown(&self);
}
