//! Which requests the server answers: a table of names, filled by [`crate::requests`] and by the host.
//!
//! There are two ways to answer. Most methods *ask*: they get a [`Snapshot`] of the model, run on a thread of the pool, and
//! are asked again when the model changes under them. What has nothing to do with the model, or takes long, is *started*:
//! it gets a [`Responder`], returns soon, and answers whenever it is done.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8PathBuf;
use crossbeam_channel::Sender;
use dlang_model::QueryCancelled;
use dlang_workspace::ask::QueryError;
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

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The model changed, or nobody wants the answer any more.
    #[error("cancelled")]
    Cancelled,
    /// The parameters do not fit.
    #[error("{message}")]
    InvalidParams {
        /// The one that does not, as a path such as `position.line`; empty for all of them.
        field: String,
        /// What is wrong with it, and what would fit.
        message: String,
    },
    /// It cannot be done, for a reason that a person understands.
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
    /// The protocol's number for it.
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

    /// As the protocol has it.
    pub(crate) fn into_response(self) -> ResponseError {
        let kind = self.kind();
        match self {
            Self::Cancelled => response_error(kind, "the model changed; ask again"),
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

/// The result of a request, as JSON.
pub type Answer = Result<Value, RequestError>;

type Ask = dyn Fn(Snapshot, Value, &Cancel) -> Answer + Send + Sync;
type Start = dyn Fn(Value, Responder) + Send + Sync;
type Hear = dyn Fn(Value) + Send + Sync;
type HearFolders = dyn Fn(&[Utf8PathBuf]) + Send + Sync;
type Extend = dyn FnOnce(Initialize<'_>) -> MethodTable + Send;

/// How a method is answered.
pub(crate) enum Method {
    /// Of a snapshot of the model.
    Ask { run: Box<Ask>, patience: LoadingBehavior },
    /// By somebody else.
    Start(Box<Start>),
}

/// What happens to a question while the workspace is loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoadingBehavior {
    /// It waits until the model is there: an editor asks for what it shows.
    Endless,
    /// It is told after a while how far loading is: a program wants to know. Such a program may also have changed files a
    /// moment ago, so the disk is looked at first.
    Limited,
}

/// The methods of a server, by their names.
#[derive(Default)]
pub struct MethodTable {
    methods: BTreeMap<String, Arc<Method>>,
    notifications: BTreeMap<String, Box<Hear>>,
    folders: Option<Box<HearFolders>>,
    /// What the client is told under `experimental` of the capabilities.
    experimental: Map<String, Value>,
    /// Further methods for a client that asks for them.
    extend: Option<Box<Extend>>,
}

/// What is known of a client once it has said `initialize`.
#[derive(Clone, Copy)]
pub struct Initialize<'a> {
    /// All that it said.
    pub params: &'a Value,
    /// The folders that it has open.
    pub folders: &'a [Utf8PathBuf],
    /// What columns count in this conversation.
    pub encoding: Encoding,
    /// The way back to it.
    pub client: &'a ClientHandle,
    /// The model that it sees.
    pub model: &'a ModelHandle,
}

impl MethodTable {
    /// Without any.
    pub fn new() -> Self {
        Self::default()
    }

    /// A request about the model. It is asked on a thread of the pool, possibly twice: when the model changes under it, its
    /// questions to the snapshot end in [`Cancelled`], which it passes on. It must not wait for anything else, because
    /// changes wait for it. While the workspace is loading it is answered as `domainlang/*` are.
    #[must_use]
    pub fn with_query(
        self,
        name: impl Into<String>,
        run: impl Fn(&Snapshot, Value) -> Answer + Send + Sync + 'static,
    ) -> Self {
        self.ask_with(name, move |snapshot, params, _| run(&snapshot, params))
    }

    /// The same, with the snapshot for its own: it may drop it before it is done. What it does without the snapshot it ends
    /// by itself when the client stops wanting the answer.
    #[must_use]
    pub(crate) fn ask_with(
        self,
        name: impl Into<String>,
        run: impl Fn(Snapshot, Value, &Cancel) -> Answer + Send + Sync + 'static,
    ) -> Self {
        self.with_method(name, Method::Ask { run: Box::new(run), patience: LoadingBehavior::Limited })
    }

    /// A request that is answered through its [`Responder`]. It runs on a thread of the pool and returns soon; work that
    /// takes long goes on elsewhere.
    #[must_use]
    pub fn start(self, name: impl Into<String>, run: impl Fn(Value, Responder) + Send + Sync + 'static) -> Self {
        self.with_method(name, Method::Start(Box::new(run)))
    }

    /// A notification. It is heard by the loop itself, in order with everything else, and so must return at once.
    #[must_use]
    pub fn on_notification(mut self, name: impl Into<String>, hear: impl Fn(Value) + Send + Sync + 'static) -> Self {
        self.notifications.insert(name.into(), Box::new(hear));
        self
    }

    /// Hears which folders the client has open, each time these change after `initialize`. As with [`Self::hear`] it is the loop
    /// that calls: a request that comes later is begun later.
    #[must_use]
    pub fn hear_folders(mut self, hear: impl Fn(&[Utf8PathBuf]) + Send + Sync + 'static) -> Self {
        self.folders = Some(Box::new(hear));
        self
    }

    /// Tells the client in the answer to `initialize` what there is besides the protocol: a name under `experimental` of the
    /// server's capabilities.
    #[must_use]
    pub fn experimental(mut self, name: impl Into<String>, value: Value) -> Self {
        self.experimental.insert(name.into(), value);
        self
    }

    /// Further methods, which depend on what the client says in `initialize`. It is called by the loop, before the client is
    /// answered, and so must return at once.
    #[must_use]
    pub fn extend(mut self, extend: impl FnOnce(Initialize<'_>) -> Self + Send + 'static) -> Self {
        self.extend = Some(Box::new(extend));
        self
    }

    /// A request of the protocol, with typed parameters and result.
    #[must_use]
    pub(crate) fn with_request<R: lsp::Request>(
        self,
        run: fn(&Snapshot, &R::Params) -> Result<R::Result, RequestError>,
    ) -> Self {
        let run = move |snapshot: Snapshot, params: Value, _: &Cancel| to_value(run(&snapshot, &from_value(&params)?)?);
        self.with_method(R::METHOD.as_str(), Method::Ask { run: Box::new(run), patience: LoadingBehavior::Endless })
    }

    /// With the methods of another table, as far as their names are not taken.
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

    /// The client has said who it is: with what this table has for it.
    pub(crate) fn initialize(&mut self, client: Initialize<'_>) {
        if let Some(extend) = self.extend.take() {
            match catch_unwind(AssertUnwindSafe(|| extend(client))) {
                Ok(more) => *self = std::mem::take(self).merge(more),
                Err(_) => tracing::error!("further methods panicked; there are none"),
            }
        }
    }

    /// What was given to [`Self::experimental`].
    pub(crate) fn take_experimental(&mut self) -> Map<String, Value> {
        std::mem::take(&mut self.experimental)
    }

    /// The requests alone.
    pub(crate) fn into_requests(self) -> BTreeMap<String, Arc<Method>> {
        self.methods
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<Method>> {
        self.methods.get(name).cloned()
    }

    pub(crate) fn notification_handler(&self, name: &str) -> Option<&Hear> {
        self.notifications.get(name).map(|hear| &**hear)
    }

    pub(crate) fn folders_changed(&self, folders: &[Utf8PathBuf]) {
        if let Some(hear) = &self.folders
            && catch_unwind(AssertUnwindSafe(|| hear(folders))).is_err()
        {
            tracing::error!("hearing of other folders panicked");
        }
    }

    fn with_method(mut self, name: impl Into<String>, method: Method) -> Self {
        self.methods.insert(name.into(), Arc::new(method));
        self
    }
}

/// Typed parameters.
///
/// # Errors
///
/// [`RequestError::InvalidParams`] with the path of the field that does not fit.
pub fn from_value<T: DeserializeOwned>(params: &Value) -> Result<T, RequestError> {
    serde_path_to_error::deserialize(params).map_err(|error| {
        let wrong = match error.path().to_string() {
            path if path == "." => COMMON.iter().find_map(|(field, check)| check(field, params.get(field)?)),
            path => Some(path),
        };
        let field = wrong.unwrap_or_default();
        let place = if field.is_empty() { String::new() } else { format!("{field}: ") };
        RequestError::InvalidParams { message: format!("Invalid params: {place}{}", error.into_inner()), field }
    })
}

/// Looks for what is wrong inside of a field: its path.
type Check = fn(&str, &Value) -> Option<String>;

/// The fields that many requests share. The types of these hold them as parts, and of a part serde does not know the path.
const COMMON: [(&str, Check); 3] = [
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
    // What the server makes itself can be written; a reason why not is a mistake of this program.
    serde_json::to_value(result).map_err(|error| RequestError::Failed(error.to_string()))
}

/// Answers one request that was started, from any thread. A request that is forgotten is answered as an internal error.
pub struct Responder {
    pub(crate) serial: u64,
    pub(crate) events: Sender<Event>,
    pub(crate) cancel: Cancel,
    pub(crate) client: ClientHandle,
    pub(crate) is_answered: bool,
}

impl Responder {
    /// Answers. What comes after a cancellation is dropped.
    pub fn answer(mut self, answer: Answer) {
        self.send(answer.map_err(RequestError::into_response));
    }

    /// Whether, and when, the client stops wanting the answer.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The client that asked.
    pub fn client(&self) -> &ClientHandle {
        &self.client
    }

    fn send(&mut self, result: Result<Value, ResponseError>) {
        self.is_answered = true;
        // Without a loop there is nobody to answer.
        self.events.send(Event::Answered { serial: self.serial, result }).ok();
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        if !self.is_answered {
            self.send(Err(response_error(ErrorCode::InternalError, "the request was given up without an answer")));
        }
    }
}

/// Whether somebody still wants an answer.
#[derive(Clone, Default)]
pub struct Cancel(Arc<CancelState>);

#[derive(Default)]
struct CancelState {
    is_cancelled: AtomicBool,
    hooks: Mutex<Vec<Box<dyn FnOnce() + Send>>>,
}

impl Cancel {
    /// Whether nobody does.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::SeqCst)
    }

    /// Calls this when it happens, or at once if it has happened. It runs on the thread of the loop and returns at once.
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
