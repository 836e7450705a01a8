//! A request: how its method answers, its errors and its cancellation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::Sender;
use dlang_model::QueryCancelled;
use dlang_workspace::queries::QueryError;
use lsp_server::{ErrorCode, ResponseError};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use zubi_base::lsp;

use crate::client::ClientHandle;
use crate::event::Event;
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
    /// Returns the error code of the protocol.
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

    /// Returns the cancellation state of the request.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Returns the handle of the client that has sent the request.
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
