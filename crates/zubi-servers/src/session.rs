//! One run of one language server: from its start to its end.
//!
//! Owns the process, the connection, the handshake, the document mirror and the delivery of file changes. Starting it
//! again, and who may ask what, is the endpoint's and the pool's work.
//!
//! The end is orderly: `shutdown` (bounded), `exit`, input closed, and only then signals. TypeScript 7 and some others
//! ignore `exit` and end when their input does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use zubi_base::clock::{Clock as _, SystemClock};
use zubi_base::endpoint::Readiness;
use zubi_base::fs::ReadError;
use zubi_base::lsp::PositionEncodingKind;
use zubi_base::position::Encoding;
use zubi_base::process::{Child, CommandSpec, Spawner};
use zubi_base::workspace::Folder;

use crate::catalogue::Freshness;
use crate::connection::{Connection, ConnectionError};
use crate::detect::Languages;
use crate::documents::{Documents, Opening, Outgoing, Touch};
use crate::initialize;
use crate::log::LineRing;
use crate::offers::{ChangeKind, Offers};
use crate::peer::Peer;
use crate::readiness::{Recipe, Tracker};
use crate::watch::FileChange;

#[cfg(test)]
mod tests;

/// How long a server may take to end by itself after its input was closed.
const EXIT_GRACE: Duration = Duration::from_secs(1);

/// How much of standard error is read as one line, in bytes.
const MAX_STDERR_LINE: u64 = 64 * 1024;

/// How many lines of standard error an error message quotes.
const QUOTED_LINES: usize = 5;

/// The most changed files that are opened at once because the server does not notice changes by itself. A checkout of
/// another branch changes thousands; opening all of them would cost more than the question.
const MAX_OPENED_AT_ONCE: usize = 64;

/// What a server is and what it is told.
#[derive(Debug, Clone)]
pub struct SessionSpec {
    /// The name in answers.
    pub name: Arc<str>,
    /// Where it works.
    pub folder: Folder,
    pub recipe: Recipe,
    /// Answers to `workspace/configuration`, by section.
    pub settings: Value,
    pub initialization_options: Value,
    /// Whether it reads settings only from `workspace/didChangeConfiguration`.
    pub push_settings: bool,
    /// Methods not to use although it offers them.
    pub withheld: Vec<String>,
    /// What works out further diagnostics after saving.
    pub checker: Option<Checker>,
    /// How it learns of files that changed on disk.
    pub freshness: Freshness,
    /// How a file's language is told.
    pub language_table: Arc<Languages>,
    /// LSP language ids it is responsible for.
    pub languages: Vec<String>,
    /// File extensions of these languages, without the dot, source files before headers.
    pub extensions: Vec<String>,
    /// Names of the files that make a directory a project.
    pub root_markers: Vec<String>,
    /// Whether it does not begin to read the project before a document is open.
    pub needs_document: bool,
    /// How long it may take to answer `initialize`.
    pub start_timeout: Duration,
    /// How long it may take to answer `shutdown`.
    pub shutdown_timeout: Duration,
    /// Whether it is asked about problems.
    pub diagnoses: bool,
}

/// A check that a server runs besides its own analysis, told by its progress.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checker {
    /// How its progress tokens begin: `rust-analyzer/flycheck`.
    pub token: String,
    /// What to call it: `cargo check`.
    pub name: String,
}

impl SessionSpec {
    /// LSP's language id of a file; `plaintext` when nobody knows.
    pub fn language(&self, path: &Utf8Path) -> &str {
        self.language_table.of_file(path).map_or("plaintext", |language| language)
    }

    /// Whether a file is in a language of this server.
    pub fn speaks(&self, path: &Utf8Path) -> bool {
        let language = self.language(path);
        self.languages.iter().any(|own| own == language)
    }
}

/// Why a server could not be started.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StartError {
    #[error("{0}")]
    Spawn(String),
    /// It ended, refused or was silent; the text includes the last lines of its standard error.
    #[error("{0}")]
    Handshake(String),
}

/// A running, initialized server.
pub struct Session {
    spec: SessionSpec,
    connection: Connection,
    peer: Arc<Peer>,
    encoding: Encoding,
    /// `name version`, as the server gives them.
    server_version: Option<String>,
    documents: Mutex<Documents>,
    /// Why it ended, once it has.
    ended: watch::Receiver<Option<String>>,
    stop: CancellationToken,
    /// Ends the process when the session is dropped without [`Self::shutdown`].
    _end_with_session: DropGuard,
    started: Instant,
}

impl Outgoing for Connection {
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

impl Session {
    /// Starts a server and initializes it. `readiness` is told of every change from then on. `first` is opened at once
    /// if the server needs a document to begin; without one, a suitable file is looked for.
    pub async fn start(
        spec: SessionSpec,
        command: &CommandSpec,
        spawner: &Spawner,
        first: Option<Utf8PathBuf>,
        readiness: Arc<watch::Sender<Readiness>>,
        tasks: &TaskTracker,
    ) -> Result<Arc<Self>, StartError> {
        let mut child = spawner.spawn(command).map_err(|error| StartError::Spawn(error.to_string()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(StartError::Spawn(format!("`{}` has no pipes", command.program)));
        };
        let stderr = Arc::new(LineRing::default());
        if let Some(pipe) = child.stderr.take() {
            tokio::spawn(read_lines(pipe, Arc::clone(&stderr)));
        }
        Self::over(spec, stdout, stdin, Some(child), stderr, first, readiness, tasks).await
    }

    /// Like [`Self::start`], with a server at the other end of two streams.
    pub(crate) async fn over<R, W>(
        spec: SessionSpec,
        reader: R,
        writer: W,
        child: Option<Child>,
        stderr: Arc<LineRing>,
        first: Option<Utf8PathBuf>,
        readiness: Arc<watch::Sender<Readiness>>,
        tasks: &TaskTracker,
    ) -> Result<Arc<Self>, StartError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let peer = Arc::new(Peer::new(
            Arc::clone(&spec.name),
            spec.folder.clone(),
            spec.settings.clone(),
            Offers::new(&spec.folder.path, Value::Null, spec.withheld.clone()),
            Tracker::new(spec.recipe.clone()),
            spec.checker.clone(),
            readiness,
        ));
        let connection = Connection::start(reader, writer, Arc::clone(&peer) as Arc<_>);
        let stop = CancellationToken::new();
        let (ended_sender, mut ended) = watch::channel(None);
        tasks.spawn(attend(connection.clone(), child, stop.clone(), Arc::clone(&stderr), ended_sender));
        let end_with_session = stop.clone().drop_guard();

        let params = initialize::params(&spec.folder, std::process::id(), &spec.initialization_options);
        let deadline = Instant::now() + spec.start_timeout;
        let answer = connection.request("initialize", params, &CancellationToken::new(), deadline).await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(ConnectionError::Closed { .. }) => {
                // The reason, with what it wrote to standard error, is known when the process has been reaped.
                let why = ended.wait_for(Option::is_some).await.ok().and_then(|why| why.clone());
                return Err(StartError::Handshake(why.unwrap_or_else(|| "it ended".to_owned())));
            }
            Err(error) => {
                let why = format!("`initialize` failed: {error}{}", quote(&stderr));
                return Err(StartError::Handshake(why));
            }
        };

        let capabilities = answer.get("capabilities").cloned().unwrap_or_default();
        let encoding = encoding(&capabilities);
        peer.offers().set_capabilities(capabilities);
        let session = Arc::new(Self {
            connection,
            peer,
            encoding,
            server_version: server_version(&answer),
            documents: Mutex::default(),
            ended,
            stop,
            _end_with_session: end_with_session,
            started: Instant::now(),
            spec,
        });
        session.introduce(first);
        Ok(session)
    }

    /// What follows the answer to `initialize`.
    fn introduce(&self, first: Option<Utf8PathBuf>) {
        Outgoing::notify(&self.connection, "initialized", json!({}));
        if self.spec.push_settings {
            let params = json!({ "settings": self.spec.settings });
            Outgoing::notify(&self.connection, "workspace/didChangeConfiguration", params);
        }
        // The tracker hears of the document before it says "loading": in between it would look ready.
        let first = if self.spec.needs_document {
            first.or_else(|| crate::first_document::find(&self.spec.folder.path, &self.spec.extensions, &self.spec.recipe))
        } else {
            None
        };
        self.peer.track(|tracker| tracker.initialized(Instant::now()));
        match first {
            Some(path) => {
                if let Err(error) = self.bring_up_to_date(&path, false) {
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

    pub(crate) fn peer(&self) -> &Peer {
        &self.peer
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// `name version`, as the server gives them.
    pub fn server_version(&self) -> Option<&str> {
        self.server_version.as_deref()
    }

    /// How long it has been running.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Becomes the reason when the server has ended.
    pub fn ended(&self) -> watch::Receiver<Option<String>> {
        self.ended.clone()
    }

    fn documents(&self) -> MutexGuard<'_, Documents> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request. Documents are the caller's concern.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: Value,
        cancel: &CancellationToken,
        deadline: Instant,
    ) -> Result<Value, ConnectionError> {
        self.connection.request(method, params, cancel, deadline).await
    }

    /// Opens a document or sends what changed on disk since it was sent.
    pub(crate) fn bring_up_to_date(&self, path: &Utf8Path, certainly_changed: bool) -> Result<Touch, ReadError> {
        let mut documents = self.documents();
        self.bring_up_to_date_locked(&mut documents, path, certainly_changed)
    }

    /// The same, and keeps the document open until the guard is dropped.
    pub(crate) fn pin(self: &Arc<Self>, path: &Utf8Path) -> Result<Pin, ReadError> {
        let mut documents = self.documents();
        self.bring_up_to_date_locked(&mut documents, path, false)?;
        documents.pin(path);
        Ok(Pin { session: Arc::clone(self), path: path.to_owned() })
    }

    fn opening(&self, path: &Utf8Path) -> Opening<'_> {
        let language = self.spec.language(path);
        Opening { language, sync: self.peer.offers().sync((path, language)), now: SystemClock.now() }
    }

    fn bring_up_to_date_locked(
        &self,
        documents: &mut Documents,
        path: &Utf8Path,
        certainly_changed: bool,
    ) -> Result<Touch, ReadError> {
        let opening = self.opening(path);
        let known = documents.version(path);
        let root = &self.spec.folder.path;
        if known.is_none() {
            self.peer.track(|tracker| tracker.opened(path, root));
        }
        let out = Expecting { session: self, path };
        let touch = documents.bring_up_to_date(path, opening, certainly_changed, &out);
        if known.is_none() && !matches!(touch, Ok(Touch::Opened)) {
            self.peer.track(|tracker| tracker.not_opened(path, root));
        }
        touch
    }

    /// Tells the server which files changed on disk. Returns a note when it may not know all of it yet.
    pub(crate) fn deliver(&self, changes: &[FileChange]) -> Option<String> {
        let mut documents = self.documents();
        let watched: Vec<&FileChange> = {
            let offers = self.peer.offers();
            let registered = offers.has_watchers();
            changes
                .iter()
                .filter(|change| {
                    if registered { offers.watches(&change.path, change.kind) } else { self.concerns(&change.path) }
                })
                .collect()
        };
        if !watched.is_empty() {
            let events: Vec<Value> = watched
                .iter()
                .map(|change| json!({ "uri": zubi_base::uri::from_path(&change.path), "type": change.kind as u8 }))
                .collect();
            let params = json!({ "changes": events });
            Outgoing::notify(&self.connection, "workspace/didChangeWatchedFiles", params);
        }
        let mut opened = 0;
        let mut left_out = 0;
        for change in changes {
            let is_open = documents.is_open(&change.path);
            if !is_open {
                if !self.must_open(change) {
                    continue;
                }
                if opened == MAX_OPENED_AT_ONCE {
                    left_out += 1;
                    continue;
                }
                opened += 1;
            }
            self.deliver_one(&mut documents, change);
        }
        (left_out > 0).then(|| {
            format!("{left_out} more files changed at once; {} may still be reading them", self.spec.name)
        })
    }

    /// Whether the server notices a change of a file that is not open only when that is opened.
    fn must_open(&self, change: &FileChange) -> bool {
        let opens = match self.spec.freshness {
            Freshness::WatchedFiles => false,
            Freshness::OpenCreated => change.kind == ChangeKind::Created,
            Freshness::OpenedOnly => true,
        };
        opens && self.is_own(&change.path)
    }

    /// Sends the new text of a file that is open, or opens it.
    fn deliver_one(&self, documents: &mut Documents, change: &FileChange) {
        let path = &change.path;
        let deleted = change.kind == ChangeKind::Deleted;
        if deleted {
            self.peer.diagnostics.forget(path);
        }
        if deleted && self.spec.freshness != Freshness::OpenedOnly {
            documents.close(path, &self.connection);
            return;
        }
        // Told before it is sent: the answer may come at once.
        let digests = self.spec.freshness == Freshness::OpenedOnly && self.pulls_for(path).is_empty();
        if digests {
            let version = documents.next_version();
            self.peer.track(|tracker| tracker.digesting(path, version));
        }
        let touch = if deleted {
            Ok(documents.empty(path, self.opening(path), &Expecting { session: self, path }))
        } else {
            self.bring_up_to_date_locked(documents, path, true)
        };
        if digests && !matches!(touch, Ok(Touch::Opened | Touch::Changed)) {
            self.peer.track(|tracker| tracker.closed(path));
        }
        if let Err(error) = touch {
            tracing::debug!(server = %self.spec.name, %error, "a changed file cannot be sent");
        }
    }

    /// Under which identifiers the server tells a document's problems on asking; empty when it only publishes them.
    pub(crate) fn pulls_for(&self, path: &Utf8Path) -> Vec<Option<String>> {
        let offers = self.peer.offers();
        if offers.is_withheld("textDocument/diagnostic") {
            return Vec::new();
        }
        offers.diagnostic_identifiers((path, self.spec.language(path)))
    }

    /// Whether a file of the project is in a language of this server.
    fn is_own(&self, path: &Utf8Path) -> bool {
        path.starts_with(&self.spec.folder.path) && self.spec.speaks(path)
    }

    /// Whether a change concerns a server that did not say what it watches.
    fn concerns(&self, path: &Utf8Path) -> bool {
        self.is_own(path)
            || (path.starts_with(&self.spec.folder.path)
                && path.file_name().is_some_and(|name| self.spec.root_markers.iter().any(|marker| marker == name)))
    }

    /// The open documents, for whoever starts its successor.
    pub(crate) fn open_documents(&self) -> Vec<Utf8PathBuf> {
        self.documents().paths()
    }

    /// Ends the server. Returns when nothing is left of it.
    pub async fn shutdown(&self) {
        self.peer.retire();
        let mut ended = self.ended.clone();
        if ended.borrow().is_none() {
            let deadline = Instant::now() + self.spec.shutdown_timeout;
            // A server that refuses or does not answer is ended all the same.
            let answer = self.connection.request("shutdown", Value::Null, &CancellationToken::new(), deadline).await;
            if let Err(error) = answer {
                tracing::debug!(server = %self.spec.name, %error, "shutdown");
            }
            Outgoing::notify(&self.connection, "exit", Value::Null);
        }
        self.stop.cancel();
        // An error means that the attendant is gone, and with it the process.
        drop(ended.wait_for(Option::is_some).await);
    }
}

/// Notices which text was sent, so that older diagnostics are not taken for those of the new one.
struct Expecting<'a> {
    session: &'a Session,
    path: &'a Utf8Path,
}

impl Outgoing for Expecting<'_> {
    fn notify(&self, method: &str, params: Value) -> bool {
        if method == "textDocument/didSave" {
            self.session.peer.saved();
        }
        let version = params.pointer("/textDocument/version").and_then(Value::as_i64);
        // A document that is closed to make room for this one has no version here.
        if let Some(version) = version.and_then(|version| i32::try_from(version).ok()) {
            self.session.peer.diagnostics.expect(self.path, version);
        }
        Outgoing::notify(&self.session.connection, method, params)
    }
}

/// Keeps a document open while a request speaks of it.
pub(crate) struct Pin {
    session: Arc<Session>,
    path: Utf8PathBuf,
}

impl Drop for Pin {
    fn drop(&mut self) {
        self.session.documents().unpin(&self.path);
    }
}

/// Waits until a server has ended, or ends it on request, and says why it did.
async fn attend(
    connection: Connection,
    child: Option<Child>,
    stop: CancellationToken,
    stderr: Arc<LineRing>,
    ended: watch::Sender<Option<String>>,
) {
    let mut closed = connection.closed();
    let mut child = child;
    let exited = async {
        match &mut child {
            Some(child) => drop(child.wait().await),
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = exited => {}
        _ = closed.wait_for(Option::is_some) => {}
        () = stop.cancelled() => {}
    }
    connection.close_writer();
    let status = match &mut child {
        Some(child) => match child.end(EXIT_GRACE).await {
            Ok(status) => format!("the process ended ({status})"),
            Err(error) => format!("the process ended ({error})"),
        },
        None => "the connection was closed".to_owned(),
    };
    ended.send_replace(Some(format!("{status}{}", quote(&stderr))));
}

/// The last lines of standard error, as the end of a message.
fn quote(stderr: &LineRing) -> String {
    let lines = stderr.last(QUOTED_LINES);
    if lines.is_empty() { String::new() } else { format!("; it wrote: {}", lines.join(" | ")) }
}

/// Reads standard error until it ends: a server whose pipe is full stands still.
async fn read_lines(pipe: impl AsyncRead + Unpin, lines: Arc<LineRing>) {
    use tokio::io::AsyncReadExt as _;
    let mut reader = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(MAX_STDERR_LINE).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => lines.push(&String::from_utf8_lossy(&line)),
        }
    }
}

fn encoding(capabilities: &Value) -> Encoding {
    let kind = capabilities.get("positionEncoding").cloned();
    let kind: Option<PositionEncodingKind> = kind.and_then(|kind| serde_json::from_value(kind).ok());
    Encoding::from_lsp(kind.as_ref())
}

fn server_version(answer: &Value) -> Option<String> {
    let text = |name: &str| answer.get("serverInfo")?.get(name)?.as_str();
    let name = text("name")?;
    Some(match text("version") {
        // gopls gives a page of JSON.
        Some(version) if version.len() <= 100 => format!("{name} {version}"),
        _ => name.to_owned(),
    })
}
