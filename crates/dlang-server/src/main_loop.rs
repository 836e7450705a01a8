//! The main loop: handles the client's messages in order, and the events of other threads.
//!
//! It dispatches and never waits: it stores texts itself, everything else is sent to the model thread
//! ([`crate::model`]) or to the pool. It answers every request exactly once: with the result of a thread, with an error
//! after a cancellation, or, while the workspace loads, with the progress of loading.

mod requests;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use crossbeam_channel::{Receiver, Sender, at, never, select};
use dlang_workspace::queries;
use dlang_workspace::watch::Waker;
use lsp_server::{Message, Notification, RequestId};
use serde::de::DeserializeOwned;
use serde_json::Value;
use zubi_base::lsp;
use zubi_base::uri;

use self::requests::PendingRequest;
use crate::client::ClientHandle;
use crate::diagnostics::Publisher;
use crate::documents::{self, Documents};
use crate::event::{ChangedBy, Event};
use crate::methods::MethodTable;
use crate::model::{Edit, ModelCommand, ModelHandle};
use crate::pool::Pool;
use crate::progress::LoadProgress;
use crate::request::{RequestError, from_value};
use crate::settings::ClientSettings;
use crate::snapshot::TokenStore;
use crate::{Exit, ServerConfig};

/// State of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    Uninitialized,
    /// All requests are allowed.
    Running,
    /// After `shutdown`; only `exit` is allowed.
    ShutDown,
}

/// Starts the model thread, given the client's settings and the waker of the folder watcher.
type StartModel = Box<dyn FnOnce(Arc<ClientSettings>, Option<Waker>) + Send>;

/// Dependencies of the main loop.
pub(crate) struct MainLoopConfig {
    pub(crate) options: ServerConfig,
    pub(crate) methods: MethodTable,
    pub(crate) incoming: Receiver<Message>,
    pub(crate) events: (Sender<Event>, Receiver<Event>),
    pub(crate) client: ClientHandle,
    pub(crate) model: ModelHandle,
    pub(crate) pool: Pool,
    pub(crate) tokens: Arc<TokenStore>,
    /// Starts the model thread once the client is known.
    pub(crate) start_model: StartModel,
}

pub(crate) struct MainLoop {
    options: ServerConfig,
    methods: MethodTable,
    incoming: Receiver<Message>,
    events: Receiver<Event>,
    event_sender: Sender<Event>,
    client: ClientHandle,
    model: ModelHandle,
    pool: Pool,
    tokens: Arc<TokenStore>,
    start_model: Option<StartModel>,
    waker: Option<Waker>,
    phase: Phase,
    settings: Arc<ClientSettings>,
    roots: Vec<Utf8PathBuf>,
    documents: Documents,
    /// Number of loads that have started and not finished.
    loading: u32,
    progress: LoadProgress,
    created_tokens: (Sender<u32>, Receiver<u32>),
    pending: BTreeMap<u64, PendingRequest>,
    by_id: BTreeMap<RequestId, u64>,
    next_serial: u64,
    publisher: Publisher,
    /// Time of the next diagnostics, and their number.
    publish_at: Option<Instant>,
    published: u64,
    /// Whether the server must send a refresh request to a client that pulls diagnostics.
    is_refresh_due: bool,
}

impl MainLoop {
    pub(crate) fn new(parts: MainLoopConfig) -> Self {
        let (event_sender, events) = parts.events;
        Self {
            options: parts.options,
            methods: parts.methods,
            incoming: parts.incoming,
            events,
            event_sender,
            client: parts.client,
            model: parts.model,
            pool: parts.pool,
            tokens: parts.tokens,
            start_model: Some(parts.start_model),
            waker: None,
            phase: Phase::Uninitialized,
            settings: Arc::default(),
            roots: Vec::new(),
            documents: Documents::default(),
            loading: 0,
            progress: LoadProgress::default(),
            created_tokens: crossbeam_channel::unbounded(),
            pending: BTreeMap::new(),
            by_id: BTreeMap::new(),
            next_serial: 0,
            publisher: Publisher::default(),
            publish_at: None,
            published: 0,
            is_refresh_due: false,
        }
    }

    /// Serves until the client sends `exit` or disconnects.
    pub(crate) fn run(mut self) -> Exit {
        let (incoming, events, tokens) = (self.incoming.clone(), self.events.clone(), self.created_tokens.1.clone());
        let exit = loop {
            let due = self.next_deadline().map_or_else(never, at);
            select! {
                recv(incoming) -> message => match message {
                    Ok(message) => if let Some(exit) = self.message(message) { break exit },
                    Err(_) => break Exit::Abrupt,
                },
                recv(events) -> event => match event {
                    Ok(Event::ClientDisconnected) => break Exit::Abrupt,
                    Ok(event) => self.event(event),
                    // The main loop owns one of the senders.
                    Err(_) => {}
                },
                recv(tokens) -> number => if let Ok(number) = number { self.progress.on_token_created(&self.client, number) },
                recv(due) -> _ => {}
            }
            self.due(Instant::now());
        };
        self.model.shared.is_over.store(true, Ordering::SeqCst);
        self.model.send(ModelCommand::Stop);
        if let Some(waker) = &self.waker {
            waker.wake();
        }
        for pending in self.pending.values() {
            pending.cancel.cancel();
        }
        self.client.close();
        exit
    }

    fn message(&mut self, message: Message) -> Option<Exit> {
        match message {
            Message::Request(request) => self.request(request),
            Message::Response(response) => self.client.receive_response(response),
            Message::Notification(notification) if notification.method == "exit" => {
                return Some(if self.phase == Phase::ShutDown { Exit::Orderly } else { Exit::Abrupt });
            }
            Message::Notification(notification) if self.phase == Phase::Running => self.notification(notification),
            // Dropped before `initialize` and after `shutdown`, as the protocol requires.
            Message::Notification(_) => {}
        }
        None
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "initialized" => self.on_initialized(),
            "$/cancelRequest" => {
                let id = params.get("id").cloned();
                if let Some(id) = id.and_then(|id| serde_json::from_value(id).ok()) {
                    self.cancel(&id);
                }
            }
            "textDocument/didOpen" => self.handle_notification(&method, &params, Self::did_open),
            "textDocument/didChange" => self.did_change(&params),
            "textDocument/didClose" => self.handle_notification(&method, &params, Self::did_close),
            "workspace/didChangeWatchedFiles" => self.model.send(ModelCommand::Refresh),
            "workspace/didChangeWorkspaceFolders" => {
                self.handle_notification(&method, &params, Self::did_change_folders);
            }
            _ => {
                if let Some(handler) = self.methods.notification_handler(&method)
                    && catch_unwind(AssertUnwindSafe(|| handler(params))).is_err()
                {
                    tracing::error!("{method} panicked");
                }
            }
        }
    }

    /// Calls the handler of a notification with typed parameters. Notifications have no answer, so invalid ones are
    /// only logged.
    fn handle_notification<P: DeserializeOwned>(&mut self, method: &str, params: &Value, handler: fn(&mut Self, P)) {
        match from_value(params) {
            Ok(params) => handler(self, params),
            Err(error) => tracing::warn!("ignoring an invalid {method}: {error}"),
        }
    }

    fn on_initialized(&mut self) {
        if self.settings.can_watch_files {
            crate::file_watcher::register(&self.client);
        }
        if self.loading > 0 {
            self.show_progress();
        }
    }

    fn did_open(&mut self, params: lsp::DidOpenTextDocumentParams) {
        let lsp::TextDocumentItem { uri, version, text, .. } = params.text_document;
        let text = self.documents.open(&uri, text);
        self.model.edit(Edit { uri: uri.0, version, text: Some(text) });
    }

    fn did_change(&mut self, params: &Value) {
        let change = match documents::read_change(params) {
            Ok(change) => change,
            Err(error) => return self.invalidate_document(params, &error),
        };
        let version = change.text_document.version;
        let uri = change.text_document.text_document_identifier.uri;
        match self.documents.change(&uri, change.content_changes, self.settings.encoding) {
            Some(text) => self.model.edit(Edit { uri: uri.0, version, text: Some(text) }),
            None => tracing::warn!("ignoring a change of a document that is not open or has no text: {}", uri.0),
        }
    }

    /// Handles an invalid change: the text of the document is unknown, and the previous text would be wrong. So it
    /// counts as closed until the client sends the whole text.
    fn invalidate_document(&mut self, params: &Value, error: &RequestError) {
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).unwrap_or_default();
        tracing::warn!("invalid change of {uri:?}; its text is unknown until the client sends it in full: {error}");
        let uri = lsp::Uri(uri.to_owned());
        if self.documents.invalidate(&uri) {
            self.drop_document(uri);
        }
    }

    fn did_close(&mut self, params: lsp::DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        if self.documents.close(&uri) {
            self.drop_document(uri);
        }
    }

    /// Uses the text on disk for this document from now on.
    fn drop_document(&self, uri: lsp::Uri) {
        self.tokens.remove(&uri);
        self.model.edit(Edit { uri: uri.0, version: 0, text: None });
    }

    fn did_change_folders(&mut self, params: lsp::DidChangeWorkspaceFoldersParams) {
        let paths = |folders: Vec<lsp::WorkspaceFolder>| -> Vec<Utf8PathBuf> {
            folders.iter().filter_map(|folder| uri::to_path(&folder.uri)).collect()
        };
        let (added, removed) = (paths(params.event.added), paths(params.event.removed));
        self.roots.retain(|root| !removed.contains(root));
        for root in added {
            if !self.roots.contains(&root) {
                self.roots.push(root);
            }
        }
        self.methods.folders_changed(&self.roots);
        self.load();
        self.show_progress();
    }

    /// Loads the workspace of the folders that are open now.
    fn load(&mut self) {
        self.loading += 1;
        self.model.send(ModelCommand::Roots(self.roots.clone()));
    }

    fn show_progress(&mut self) {
        if self.settings.has_progress {
            let created_tokens = self.created_tokens.0.clone();
            self.progress.begin(&self.client, move |number| {
                // Without a main loop there is nothing to show.
                created_tokens.send(number).ok();
            });
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Answered { serial, result } => self.finish_request(serial, result),
            Event::Progress(progress) => self.progress.report(&self.client, progress),
            Event::Loaded => {
                self.loading = self.loading.saturating_sub(1);
                if self.loading == 0 {
                    self.progress.end(&self.client);
                }
                self.schedule_diagnostics(ChangedBy::External);
            }
            Event::Changed { by } => self.schedule_diagnostics(by),
            Event::Problems { number, problems } if number == self.published => match problems {
                Some(problems) => self.publisher.publish(&self.client, problems),
                None => self.schedule_diagnostics(ChangedBy::Editor),
            },
            // Newer diagnostics are on their way; `run` handles `ClientGone`.
            Event::Problems { .. } | Event::ClientDisconnected => {}
        }
    }

    /// Schedules diagnostics after the debounce delay.
    fn schedule_diagnostics(&mut self, by: ChangedBy) {
        self.is_refresh_due |= by == ChangedBy::External;
        self.publish_at = Some(deadline_after(self.options.debounce));
    }

    fn next_deadline(&self) -> Option<Instant> {
        let request_deadline = if self.loading > 0 { self.requests_deadline() } else { None };
        request_deadline.into_iter().chain(self.publish_at).min()
    }

    fn due(&mut self, now: Instant) {
        if self.loading > 0 {
            self.answer_overdue_requests(now);
        }
        if self.publish_at.is_some_and(|due| due <= now) {
            self.publish_at = None;
            let is_refresh_due = std::mem::take(&mut self.is_refresh_due);
            if !self.settings.pulls_diagnostics {
                self.published += 1;
                self.model.send(ModelCommand::Problems(self.published));
            } else if is_refresh_due && self.settings.refreshes_diagnostics {
                self.client.request("workspace/diagnostic/refresh", Value::Null, drop);
            }
            if is_refresh_due && self.settings.refreshes_hints {
                self.client.request("workspace/inlayHint/refresh", Value::Null, drop);
            }
        }
    }

    /// Returns the progress of loading, in the format of `domainlang/*`.
    fn loading_result(&self) -> Value {
        queries::loading(self.model.shared.progress())
    }
}

/// Returns the time after `wait`; a time in a century if the clock cannot represent it.
fn deadline_after(wait: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(wait).unwrap_or_else(|| now + Duration::from_hours(24 * 365 * 100))
}
