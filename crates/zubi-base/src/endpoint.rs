//! The endpoint seam: something that answers language-server requests for some documents.
//!
//! A headless language server, the open editor and the built-in DomainLang implementation all stand behind these
//! traits, so that code intelligence has one code path. Params and results are plain JSON in LSP's shapes; positions
//! in them are counted in the endpoint's own [`Encoding`].

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

/// How far an endpoint's answers can be trusted to be whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// The process runs, `initialize` is not answered yet.
    Starting,
    /// It answers, but has not read the whole project: answers may lack things.
    Loading { percent: Option<u8>, message: Option<String> },
    /// It said, by its own signal, that it has read the project.
    Ready,
    /// It has no signal to go by; `waited` is the time since it was initialized.
    Unknown { waited: Duration },
    /// It will not answer.
    Failed { why: String, hint: String },
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
    /// The process ended or could not be started; `why` includes the last lines it wrote to stderr.
    #[error("{endpoint} is not running: {why}")]
    Exited { endpoint: EndpointId, why: String, hint: String },
    /// The document cannot be given to a server (not text, too large, gone).
    #[error("{0}")]
    Document(String),
    /// The server said something that is not the protocol.
    #[error("{endpoint} broke the protocol: {what}")]
    Protocol { endpoint: EndpointId, what: String },
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

/// The circumstances of one request.
#[derive(Debug, Clone)]
pub struct RequestCx {
    /// Cancelled when the caller gives up; the endpoint then sends `$/cancelRequest` and returns at once.
    pub cancel: CancellationToken,
    /// When to stop waiting for the answer.
    pub deadline: Instant,
    /// Documents the request speaks of; the endpoint opens them and brings them up to date first.
    pub documents: Vec<DocumentRef>,
    /// Where `workspace/applyEdit` goes while this request runs; `None` refuses such edits.
    pub edits: Option<EditCapture>,
    /// Whether the same is asked about many documents at once: what is done for one (an editor opens it) is too much then.
    pub one_of_many: bool,
}

impl RequestCx {
    pub fn new(cancel: CancellationToken, deadline: Instant) -> Self {
        Self { cancel, deadline, documents: Vec::new(), edits: None, one_of_many: false }
    }

    /// The same circumstances, for a request about this document.
    #[must_use]
    pub fn for_document(&self, document: &DocumentRef) -> Self {
        Self { documents: vec![document.clone()], ..self.clone() }
    }
}

/// What limits an endpoint's answers although it is ready: what was analysed, and what was not. Clauses for a status
/// line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caveats {
    /// About the project itself (no `compile_commands.json`, other than default cargo features exist): true of every
    /// answer.
    pub project: Vec<String>,
    /// About what lies beyond it (installed packages, the standard library): of interest where something was not found,
    /// and beside problems.
    pub beyond: Vec<String>,
}

/// The problems of one document, by one endpoint.
#[derive(Debug, Clone)]
pub struct DiagnosticsReport {
    pub items: Vec<lsp::Diagnostic>,
    /// Whether they belong to the document's present text. `false`: the endpoint had not said anything about this
    /// version when the deadline passed; the items are what it said before.
    pub current: bool,
    /// Whether a source of problems has not spoken about the present text (a check that still runs): what it said before
    /// is left out, so nothing can be told from its silence.
    pub unheard: bool,
    /// What is still missing, for the answer's status line ("cargo check still running").
    pub note: Option<String>,
}

/// The field of an answer in which an endpoint counts what it had to leave out: of a list, in an object behind the last item;
/// of an object, in itself. LSP has no words for that.
pub const OMITTED_COUNT_FIELD: &str = "leftOut";

/// Something that answers language-server requests for some documents.
#[async_trait]
pub trait Endpoint: Send + Sync {
    fn id(&self) -> &EndpointId;

    fn serves(&self, document: &DocumentRef) -> bool;

    /// Whether a document is in a language of this endpoint, wherever it lies.
    fn speaks(&self, document: &DocumentRef) -> bool {
        self.serves(document)
    }

    /// What the endpoint calls the language of a document when it opens it (LSP's `languageId`); `None` if that is not told.
    fn language_id(&self, _document: &DocumentRef) -> Option<String> {
        None
    }

    fn readiness(&self) -> Readiness;

    /// Follows [`Self::readiness`]; waiting for a state is waiting on this, never polling.
    fn readiness_changes(&self) -> watch::Receiver<Readiness>;

    /// The unit of the columns in this endpoint's params and results.
    fn encoding(&self) -> Encoding;

    /// Whether the endpoint offers an LSP request for a document (or at all). Many servers register what they offer
    /// only after `initialize`, so a "no" of a fresh one is given only when it has had its time to do that. One that
    /// does not run is started; one that does not run by the deadline of `cx` offers nothing.
    async fn offers(&self, method: &str, document: Option<&DocumentRef>, cx: &RequestCx) -> bool;

    /// The server's own capabilities object as it stands now, for what [`Self::offers`] does not tell
    /// (`renameProvider.prepareProvider`, trigger characters, `codeActionProvider.resolveProvider`).
    fn capabilities(&self) -> Value;

    /// Commands that `workspace/executeCommand` may run without asking: those known only to produce edits.
    fn allows_command(&self, command: &str) -> bool;

    /// What limits its answers, whatever it says of its readiness.
    fn limits(&self) -> Caveats;

    /// Sends a request and waits for its answer. Retries what the protocol says to retry (`ContentModified`,
    /// `ServerCancelled`), gathers partial results, and cancels on the server when the caller gives up.
    async fn request(&self, method: &str, params: Value, cx: &RequestCx) -> Result<Value, EndpointError>;

    /// The text of a document that is no file: a class of a library, for instance. `None`: the endpoint gives no texts of
    /// such URIs.
    async fn virtual_text(&self, _uri: &lsp::Uri, _cx: &RequestCx) -> Result<Option<String>, EndpointError> {
        Ok(None)
    }

    /// The document's problems, pulled or pushed, for its present text.
    async fn diagnostics(&self, document: &DocumentRef, cx: &RequestCx) -> Result<DiagnosticsReport, EndpointError>;
}

/// Why nothing answers for a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingServer {
    /// The file extension or language, as a person names it: `.kt`, `Python`.
    pub subject: String,
    /// One clause: `no server for .kt`, `pyright is not installed`, `gopls may not run here: the folder is not trusted`.
    pub why: String,
    /// The next step: an install command, `zubi trust .`, how to add a row.
    pub hint: String,
}

/// Who answers for a document or a workspace, and why others do not.
#[derive(Clone, Default)]
pub struct Endpoints {
    /// In order of preference: the first is asked first, others add what it lacks.
    pub endpoints: Vec<Arc<dyn Endpoint>>,
    pub absent: Vec<MissingServer>,
    /// Why what they answer together does not cover the workspace, as a clause: it has too many projects.
    pub uncovered: Option<String>,
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<_> = self.endpoints.iter().map(|endpoint| endpoint.id()).collect();
        let mut shown = f.debug_struct("Endpoints");
        shown.field("endpoints", &ids).field("absent", &self.absent).field("uncovered", &self.uncovered).finish()
    }
}

/// A project of the workspace that a question about another one does not reach by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherProject {
    /// Its directory.
    pub root: Utf8PathBuf,
    /// One of its files. Who answers for it knows the project; while it is open, also a server of several projects that
    /// reads each only then.
    pub example: Utf8PathBuf,
}

/// Finds and starts endpoints: the pool of headless servers, the editor, the built-in languages.
#[async_trait]
pub trait EndpointSource: Send + Sync {
    /// Who may answer an LSP request about a document. Starts what must be started, and nothing that is never asked
    /// this (no linter for a definition); does not wait until it is ready.
    async fn for_document(&self, document: &DocumentRef, method: &str, cx: &RequestCx) -> Endpoints;

    /// The same for the whole workspace (`workspace/symbol`): one endpoint for each server of each language found.
    async fn for_workspace(&self, method: &str, cx: &RequestCx) -> Endpoints;

    /// Whether the workspace has several projects of this document's language, each known to a server of its own or
    /// read only while a file of it is open. What a question about one of them finds in the others must then be asked
    /// there.
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

    /// The open editor, which alone knows what its user looks at.
    fn editor(&self) -> Option<Arc<dyn Endpoint>> {
        None
    }

    /// Makes every endpoint know the files as they are on disk now. Called before each question; returns a note when
    /// that could not be assured ("inotify limit reached: only opened files were compared").
    async fn refresh(&self, cx: &RequestCx) -> Option<String>;

    /// How many times [`Self::refresh`] has found changed files. What was read from files after one look at this number
    /// holds for as long as the number is the same. `None`: files are not followed (yet).
    fn file_changes(&self) -> Option<u64>;

    /// Stops what this source has started, so that the next question starts it anew; says of how many endpoints that is
    /// true.
    async fn restart(&self) -> usize {
        0
    }

    /// Stops everything this source started; returns when nothing is left.
    async fn shutdown(&self);
}
