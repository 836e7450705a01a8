//! The loop: what the client sends, in order, and what the other threads have done.
//!
//! It decides and passes on, and never waits for anything: texts are kept here, everything else is asked of the thread of
//! the model ([`crate::model`]) or of the pool. Every request is answered exactly once, by this loop: with what a thread
//! found, with an error when it is cancelled, or, while the workspace is loading, with how far that is.

mod requests;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use crossbeam_channel::{Receiver, Sender, at, never, select};
use dlang_workspace::ask;
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
use crate::methods::{MethodTable, RequestError, from_value};
use crate::model::{Command, Edit, ModelHandle};
use crate::pool::Pool;
use crate::progress::LoadProgress;
use crate::settings::Settings;
use crate::snapshot::TokenStore;
use crate::{Exit, Options};

/// Where the conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// `initialize` has not come.
    Begun,
    /// Everything may be asked.
    Running,
    /// `shutdown` has come; only `exit` is left.
    ShutDown,
}

/// Begins the thread of the model, with what the client can do, and who watches folders.
type StartModel = Box<dyn FnOnce(Arc<Settings>, Option<Waker>) + Send>;

/// What the loop is given.
pub(crate) struct MainLoopConfig {
    pub(crate) options: Options,
    pub(crate) methods: MethodTable,
    pub(crate) incoming: Receiver<Message>,
    pub(crate) events: (Sender<Event>, Receiver<Event>),
    pub(crate) client: ClientHandle,
    pub(crate) model: ModelHandle,
    pub(crate) pool: Pool,
    pub(crate) tokens: Arc<TokenStore>,
    /// Begins the thread of the model, when the client is known.
    pub(crate) start_model: StartModel,
}

pub(crate) struct MainLoop {
    options: Options,
    methods: MethodTable,
    incoming: Receiver<Message>,
    events: Receiver<Event>,
    back: Sender<Event>,
    client: ClientHandle,
    model: ModelHandle,
    pool: Pool,
    tokens: Arc<TokenStore>,
    start_model: Option<StartModel>,
    waker: Option<Waker>,
    phase: Phase,
    settings: Arc<Settings>,
    roots: Vec<Utf8PathBuf>,
    documents: Documents,
    /// Loadings that were begun and are not over.
    loading: u32,
    progress: LoadProgress,
    granted: (Sender<u32>, Receiver<u32>),
    pending: BTreeMap<u64, PendingRequest>,
    by_id: BTreeMap<RequestId, u64>,
    next_serial: u64,
    publisher: Publisher,
    /// When diagnostics are worked out, and their number.
    publish_at: Option<Instant>,
    published: u64,
    /// Whether a client that pulls must be told to do so.
    is_refresh_due: bool,
}

impl MainLoop {
    pub(crate) fn new(parts: MainLoopConfig) -> Self {
        let (back, events) = parts.events;
        Self {
            options: parts.options,
            methods: parts.methods,
            incoming: parts.incoming,
            events,
            back,
            client: parts.client,
            model: parts.model,
            pool: parts.pool,
            tokens: parts.tokens,
            start_model: Some(parts.start_model),
            waker: None,
            phase: Phase::Begun,
            settings: Arc::default(),
            roots: Vec::new(),
            documents: Documents::default(),
            loading: 0,
            progress: LoadProgress::default(),
            granted: crossbeam_channel::unbounded(),
            pending: BTreeMap::new(),
            by_id: BTreeMap::new(),
            next_serial: 0,
            publisher: Publisher::default(),
            publish_at: None,
            published: 0,
            is_refresh_due: false,
        }
    }

    /// Serves until the client says `exit` or is gone.
    pub(crate) fn run(mut self) -> Exit {
        let (incoming, events, granted) = (self.incoming.clone(), self.events.clone(), self.granted.1.clone());
        let exit = loop {
            let due = self.next_deadline().map_or_else(never, at);
            select! {
                recv(incoming) -> message => match message {
                    Ok(message) => if let Some(exit) = self.message(message) { break exit },
                    Err(_) => break Exit::Abrupt,
                },
                recv(events) -> event => match event {
                    Ok(Event::ClientGone) => break Exit::Abrupt,
                    Ok(event) => self.event(event),
                    // The loop holds one of the other ends.
                    Err(_) => {}
                },
                recv(granted) -> number => if let Ok(number) = number { self.progress.on_token_created(&self.client, number) },
                recv(due) -> _ => {}
            }
            self.due(Instant::now());
        };
        self.model.shared.is_over.store(true, Ordering::SeqCst);
        self.model.send(Command::Stop);
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
            // Before `initialize` and after `shutdown` they are dropped, as the protocol says.
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
            "workspace/didChangeWatchedFiles" => self.model.send(Command::Refresh),
            "workspace/didChangeWorkspaceFolders" => self.handle_notification(&method, &params, Self::did_change_folders),
            _ => {
                if let Some(hear) = self.methods.notification_handler(&method)
                    && catch_unwind(AssertUnwindSafe(|| hear(params))).is_err()
                {
                    tracing::error!("{method} panicked");
                }
            }
        }
    }

    /// A notification with typed parameters. There is nobody to answer, so one that does not fit is only logged.
    fn handle_notification<P: DeserializeOwned>(&mut self, method: &str, params: &Value, heard: fn(&mut Self, P)) {
        match from_value(params) {
            Ok(params) => heard(self, params),
            Err(error) => tracing::warn!("{method} is passed over: {error}"),
        }
    }

    fn on_initialized(&mut self) {
        if self.settings.watches {
            crate::watching::register(&self.client);
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
            Err(error) => return self.lose(params, &error),
        };
        let version = change.text_document.version;
        let uri = change.text_document.text_document_identifier.uri;
        match self.documents.change(&uri, change.content_changes, self.settings.encoding) {
            Some(text) => self.model.edit(Edit { uri: uri.0, version, text: Some(text) }),
            None => tracing::warn!("a document that is not open, or whose text is not known, was changed: {}", uri.0),
        }
    }

    /// A change that cannot be read leaves the text of its document unknown, and an older one would be a wrong one. So it
    /// counts as closed until the client sends all of it.
    fn lose(&mut self, params: &Value, error: &RequestError) {
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).unwrap_or_default();
        tracing::warn!("a change of {uri:?} cannot be read, its text is not known until all of it is sent: {error}");
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

    /// What the disk has counts for this document from now on.
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
        self.model.send(Command::Roots(self.roots.clone()));
    }

    fn show_progress(&mut self) {
        if self.settings.has_progress {
            let granted = self.granted.0.clone();
            self.progress.begin(&self.client, move |number| {
                // Without a loop there is nothing to show.
                granted.send(number).ok();
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
                self.schedule_diagnostics(ChangedBy::Others);
            }
            Event::Changed { by } => self.schedule_diagnostics(by),
            Event::Problems { number, problems } if number == self.published => match problems {
                Some(problems) => self.publisher.publish(&self.client, problems),
                None => self.schedule_diagnostics(ChangedBy::Editor),
            },
            // Newer ones are on their way; and the end is the loop's.
            Event::Problems { .. } | Event::ClientGone => {}
        }
    }

    /// Diagnostics are told a while after the last change.
    fn schedule_diagnostics(&mut self, by: ChangedBy) {
        self.is_refresh_due |= by == ChangedBy::Others;
        self.publish_at = Some(deadline_after(self.options.debounce));
    }

    fn next_deadline(&self) -> Option<Instant> {
        let of_requests = if self.loading > 0 { self.requests_deadline() } else { None };
        of_requests.into_iter().chain(self.publish_at).min()
    }

    fn due(&mut self, now: Instant) {
        if self.loading > 0 {
            self.give_up_waiting(now);
        }
        if self.publish_at.is_some_and(|due| due <= now) {
            self.publish_at = None;
            let is_refresh_due = std::mem::take(&mut self.is_refresh_due);
            if !self.settings.pulls_diagnostics {
                self.published += 1;
                self.model.send(Command::Problems(self.published));
            } else if is_refresh_due && self.settings.refreshes_diagnostics {
                self.client.request("workspace/diagnostic/refresh", Value::Null, drop);
            }
            if is_refresh_due && self.settings.refreshes_hints {
                self.client.request("workspace/inlayHint/refresh", Value::Null, drop);
            }
        }
    }

    /// How far loading is, as `domainlang/*` say it.
    fn loading_result(&self) -> Value {
        ask::loading(self.model.shared.progress())
    }
}

/// In so long. A time that no clock can show is one that never comes, and so is a century.
fn deadline_after(wait: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(wait).unwrap_or_else(|| now + Duration::from_hours(24 * 365 * 100))
}
