//! Table of the methods that the server answers, filled by [`crate::requests`] and by the host.
//!
//! There are two kinds. Most methods *query*: they receive a [`ModelSnapshot`], run on a thread of the pool,
//! and are retried when the model changes meanwhile. Methods that do not use the model or take long are *started*: they
//! receive a [`RequestResponder`], return soon, and answer when they are done.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8PathBuf;
use crossbeam_channel::Sender;
use dlang_model::QueryCancelled;
use dlang_workspace::queries::QueryError;
use lsp_server::{ErrorCode, ResponseError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use zubi_base::lsp;
use zubi_base::position::Encoding;

use crate::client::ClientHandle;
use crate::event::Event;
use crate::model::ModelHandle;
use crate::snapshot::Snapshot;

/// Error of a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The model has changed, or the client has cancelled the request.
    #[error("cancelled")]
    Cancelled,
    /// The parameters are invalid.
    #[error("{message}")]
    InvalidParams {
        /// Path of the invalid field, such as `position.line`; empty for the parameters as a whole.
        field: String,
        /// Description of the error, and of valid values.
        message: String,
    },
    /// The request failed; the message is for people.
    #[error("{0}")]
    Failed(String),
}

impl From<QueryCancelled> for RequestError {
    fn from(_: QueryCancelled) -> Self {
        Self::Cancelled
    }
}

impl From<QueryError> for RequestError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Cancelled(_) => Self::Cancelled,
            QueryError::InvalidInput(input) => {
                Self::InvalidParams { field: input.field.to_owned(), message: input.to_string() }
            }
        }
    }
}

impl RequestError {
    /// Error code of the protocol.
    pub fn code(&self) -> i32 {
        self.kind() as i32
    }

    fn kind(&self) -> ErrorCode {
        match self {
            Self::Cancelled => ErrorCode::ContentModified,
            Self::InvalidParams { .. } => ErrorCode::InvalidParams,
            Self::Failed(_) => ErrorCode::RequestFailed,
        }
    }

    /// Converts the error to a response of the protocol.
    pub(crate) fn into_response(self) -> ResponseError {
        let kind = self.kind();
        match self {
            Self::Cancelled => response_error(kind, "the model changed; retry the request"),
            Self::InvalidParams { field, message } => {
                let data = (!field.is_empty()).then(|| json!({ "field": field }));
                ResponseError { data, ..response_error(kind, &message) }
            }
            Self::Failed(message) => response_error(kind, &message),
        }
    }
}

pub(crate) fn response_error(code: ErrorCode, message: &str) -> ResponseError {
    ResponseError { code: code as i32, message: message.to_owned(), data: None }
}

/// Result of a request, as JSON.
pub type Answer = Result<Value, RequestError>;

type QueryHandler = dyn Fn(Snapshot, Value, &Cancel) -> Answer + Send + Sync;
type Start = dyn Fn(Value, RequestResponder) + Send + Sync;
type NotificationHandler = dyn Fn(Value) + Send + Sync;
type FolderChangeHandler = dyn Fn(&[Utf8PathBuf]) + Send + Sync;
type Extend = dyn FnOnce(Initialize<'_>) -> MethodTable + Send;

/// Kind of a method.
pub(crate) enum Method {
    /// A query of a snapshot of the model.
    Query { run: Box<QueryHandler>, loading: LoadingBehavior },
    /// A request that is answered through a [`RequestResponder`].
    Start(Box<Start>),
}

/// Behaviour of a request while the workspace loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoadingBehavior {
    /// The request waits for the model: an editor displays the result.
    Endless,
    /// The request is answered with the progress of loading after a time limit: a program needs to know. As a program
    /// may have changed files just before, the disk is checked first.
    Limited,
}

/// Methods of a server, by name.
#[derive(Default)]
pub struct MethodTable {
    methods: BTreeMap<String, Arc<Method>>,
    notifications: BTreeMap<String, Box<NotificationHandler>>,
    folders: Option<Box<FolderChangeHandler>>,
    /// Values under `experimental` in the server's capabilities.
    experimental: Map<String, Value>,
    /// Adds further methods, depending on the client.
    extend: Option<Box<Extend>>,
}

/// Data about a client, available once it has sent `initialize`.
#[derive(Clone, Copy)]
pub struct Initialize<'a> {
    /// Params of `initialize`.
    pub params: &'a Value,
    /// Folders that the client has open.
    pub folders: &'a [Utf8PathBuf],
    /// Encoding of columns in this connection.
    pub encoding: Encoding,
    /// Handle for sending messages to the client.
    pub client: &'a ClientHandle,
    /// Handle of the model that the client sees.
    pub model: &'a ModelHandle,
}

impl MethodTable {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a query of the model. It runs on a thread of the pool, possibly twice: when the model changes meanwhile,
    /// its calls of the snapshot return [`Cancelled`], which it must propagate. It owns its snapshot and may drop it
    /// early; while it works without one it must check for cancellation itself, because changes wait for it. While the
    /// workspace loads, it is answered like `domainlang/*`.
    #[must_use]
    pub(crate) fn with_query(
        self,
        name: impl Into<String>,
        run: impl Fn(Snapshot, Value, &Cancel) -> Answer + Send + Sync + 'static,
    ) -> Self {
        self.with_method(name, Method::Query { run: Box::new(run), loading: LoadingBehavior::Limited })
    }

    /// Adds a request that is answered through its [`RequestResponder`]. It runs on a thread of the pool and must
    /// return soon; long work belongs on another thread.
    #[must_use]
    pub fn start(self, name: impl Into<String>, run: impl Fn(Value, RequestResponder) + Send + Sync + 'static) -> Self {
        self.with_method(name, Method::Start(Box::new(run)))
    }

    /// Adds a handler of a notification. The main loop calls it, in order with all other messages, so it must return at
    /// once.
    #[must_use]
    pub fn on_notification(mut self, name: impl Into<String>, handler: impl Fn(Value) + Send + Sync + 'static) -> Self {
        self.notifications.insert(name.into(), Box::new(handler));
        self
    }

    /// Sets the handler of changes of the client's folders after `initialize`. As in [`Self::on_notification`], the
    /// main loop calls it: later requests are started after it.
    #[must_use]
    pub fn on_folders_changed(mut self, handler: impl Fn(&[Utf8PathBuf]) + Send + Sync + 'static) -> Self {
        self.folders = Some(Box::new(handler));
        self
    }

    /// Adds a value under `experimental` in the server's capabilities, which are part of the result of `initialize`.
    #[must_use]
    pub fn experimental(mut self, name: impl Into<String>, value: Value) -> Self {
        self.experimental.insert(name.into(), value);
        self
    }

    /// Sets a function that adds methods depending on the params of `initialize`. The main loop calls it before it
    /// answers the client, so it must return at once.
    #[must_use]
    pub fn extend(mut self, extend: impl FnOnce(Initialize<'_>) -> Self + Send + 'static) -> Self {
        self.extend = Some(Box::new(extend));
        self
    }

    /// Adds a request of the protocol, with typed parameters and result.
    #[must_use]
    pub(crate) fn with_request<R: lsp::Request>(
        self,
        run: fn(&Snapshot, &R::Params) -> Result<R::Result, RequestError>,
    ) -> Self {
        let run = move |snapshot: Snapshot, params: Value, _: &Cancel| to_value(run(&snapshot, &from_value(&params)?)?);
        self.with_method(R::METHOD.as_str(), Method::Query { run: Box::new(run), loading: LoadingBehavior::Endless })
    }

    /// Merges another table; existing names take precedence.
    #[must_use]
    pub(crate) fn merge(mut self, other: Self) -> Self {
        for (name, method) in other.methods {
            self.methods.entry(name).or_insert(method);
        }
        self.notifications.extend(other.notifications);
        self.folders = self.folders.or(other.folders);
        self.experimental.extend(other.experimental);
        self.extend = self.extend.or(other.extend);
        self
    }

    /// Adds the methods for this client.
    pub(crate) fn initialize(&mut self, client: Initialize<'_>) {
        if let Some(extend) = self.extend.take() {
            match catch_unwind(AssertUnwindSafe(|| extend(client))) {
                Ok(more) => *self = std::mem::take(self).merge(more),
                Err(_) => tracing::error!("adding methods panicked; they are missing"),
            }
        }
    }

    /// Takes the values added with [`Self::with_experimental`].
    pub(crate) fn take_experimental(&mut self) -> Map<String, Value> {
        std::mem::take(&mut self.experimental)
    }

    /// Returns the requests, without notifications.
    pub(crate) fn into_requests(self) -> BTreeMap<String, Arc<Method>> {
        self.methods
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<Method>> {
        self.methods.get(name).cloned()
    }

    pub(crate) fn notification_handler(&self, name: &str) -> Option<&NotificationHandler> {
        self.notifications.get(name).map(|handler| &**handler)
    }

    pub(crate) fn folders_changed(&self, folders: &[Utf8PathBuf]) {
        if let Some(handler) = &self.folders
            && catch_unwind(AssertUnwindSafe(|| handler(folders))).is_err()
        {
            tracing::error!("the handler of folder changes panicked");
        }
    }

    fn with_method(mut self, name: impl Into<String>, method: Method) -> Self {
        self.methods.insert(name.into(), Arc::new(method));
        self
    }
}

/// Parses typed parameters.
///
/// # Errors
///
/// [`RequestError::InvalidParams`] with the path of the invalid field.
pub fn from_value<T: DeserializeOwned>(params: &Value) -> Result<T, RequestError> {
    serde_path_to_error::deserialize(params).map_err(|error| {
        let wrong = match error.path().to_string() {
            path if path == "." => COMMON.iter().find_map(|(field, check)| check(field, params.get(field)?)),
            path => Some(path),
        };
        let field = wrong.unwrap_or_default();
        let prefix = if field.is_empty() { String::new() } else { format!("{field}: ") };
        RequestError::InvalidParams { message: format!("Invalid params: {prefix}{}", error.into_inner()), field }
    })
}

/// Finds the path of the error inside a field.
type ParamsCheck = fn(&str, &Value) -> Option<String>;

/// Fields that many requests share. Their types flatten these fields, for which serde does not report the path.
const COMMON: [(&str, ParamsCheck); 3] = [
    ("textDocument", check::<lsp::TextDocumentIdentifier>),
    ("position", check::<lsp::Position>),
    ("range", check::<lsp::Range>),
];

fn check<T: DeserializeOwned>(field: &str, value: &Value) -> Option<String> {
    let error = serde_path_to_error::deserialize::<_, T>(value).err()?;
    let path = error.path().to_string();
    Some(if path == "." { field.to_owned() } else { format!("{field}.{path}") })
}

fn to_value(result: impl Serialize) -> Answer {
    // The server's own results can always be serialized; a failure is a defect.
    serde_json::to_value(result).map_err(|error| RequestError::Failed(error.to_string()))
}

/// Answers one started request, from any thread. If it is dropped without an answer, it sends an internal error.
pub struct RequestResponder {
    pub(crate) serial: u64,
    pub(crate) events: Sender<Event>,
    pub(crate) cancel: Cancel,
    pub(crate) client: ClientHandle,
    pub(crate) is_answered: bool,
}

impl RequestResponder {
    /// Sends the answer. It is dropped after a cancellation.
    pub fn answer(mut self, answer: Answer) {
        self.send(answer.map_err(RequestError::into_response));
    }

    /// Cancellation state of the request.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Handle of the client that has sent the request.
    pub fn client(&self) -> &ClientHandle {
        &self.client
    }

    fn send(&mut self, result: Result<Value, ResponseError>) {
        self.is_answered = true;
        // Without a main loop there is no client to answer.
        self.events.send(Event::Answered { serial: self.serial, result }).ok();
    }
}

impl Drop for RequestResponder {
    fn drop(&mut self) {
        if !self.is_answered {
            self.send(Err(response_error(ErrorCode::InternalError, "the request was dropped without an answer")));
        }
    }
}

/// Cancellation state of a request. Cheap to clone.
#[derive(Clone, Default)]
pub struct Cancel(Arc<CancelState>);

#[derive(Default)]
struct CancelState {
    is_cancelled: AtomicBool,
    hooks: Mutex<Vec<Box<dyn FnOnce() + Send>>>,
}

impl Cancel {
    /// Whether the request is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::SeqCst)
    }

    /// Calls `hook` on cancellation, or at once if the request is already cancelled. It runs on the main loop's thread
    /// and must return at once.
    pub fn on_cancel(&self, hook: impl FnOnce() + Send + 'static) {
        let mut hooks = self.0.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_cancelled() {
            drop(hooks);
            hook();
        } else {
            hooks.push(Box::new(hook));
        }
    }

    pub(crate) fn cancel(&self) {
        let hooks = {
            let mut hooks = self.0.hooks.lock().unwrap_or_else(PoisonError::into_inner);
            self.0.is_cancelled.store(true, Ordering::SeqCst);
            std::mem::take(&mut *hooks)
        };
        for hook in hooks {
            hook();
        }
    }
}
