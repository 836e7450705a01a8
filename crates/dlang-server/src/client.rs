//! Connection back to the client: sends notifications and requests from any thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::Sender;
use lsp_server::{Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::{Value, json};
use zubi_base::framing;

/// Error of a request to the client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The connection has ended.
    #[error("the client has disconnected")]
    Closed,
    /// The client answered with an error.
    #[error("the client answered: {message} ({code})")]
    Refused {
        /// Error code (JSON-RPC, LSP).
        code: i32,
        /// Error message.
        message: String,
    },
}

impl From<ResponseError> for ClientError {
    fn from(error: ResponseError) -> Self {
        Self::Refused { code: error.code, message: error.message }
    }
}

/// Messages that may be sent before the result of `initialize` (LSP 3.17, "Initialize Request").
const ALLOWED_BEFORE_INITIALIZE_RESULT: [&str; 4] =
    ["window/showMessage", "window/logMessage", "window/showMessageRequest", "telemetry/event"];

/// Callback for the client's answer.
type ResponseCallback = Box<dyn FnOnce(Result<Value, ClientError>) + Send>;

/// Handle for sending messages to the client from any thread. Cheap to clone.
#[derive(Clone)]
pub struct ClientHandle {
    shared: Arc<ClientState>,
}

struct ClientState {
    out: Sender<OutgoingMessage>,
    next: AtomicI32,
    /// Requests without an answer; `None` once the connection has ended.
    pending: Mutex<Option<BTreeMap<RequestId, ResponseCallback>>>,
    /// Messages that wait for the result of `initialize`; `None` once it is sent.
    deferred: Mutex<Option<Vec<Message>>>,
}

/// A task of the writer thread.
pub(crate) enum OutgoingMessage {
    Message(Message),
    /// An error response to input that is not a valid message; it may have no id.
    NoMessage(framing::Response),
    /// Ends the writer.
    End,
}

impl ClientHandle {
    pub(crate) fn new(out: Sender<OutgoingMessage>) -> Self {
        let pending = Mutex::new(Some(BTreeMap::new()));
        let deferred = Mutex::new(Some(Vec::new()));
        Self { shared: Arc::new(ClientState { out, next: AtomicI32::new(1), pending, deferred }) }
    }

    /// Sends a notification. Before the result of `initialize`, only messages that the protocol allows are sent; the
    /// others follow in order.
    pub fn notify(&self, method: &str, params: Value) {
        self.send_or_defer(method, Notification { method: method.to_owned(), params });
    }

    /// Sends a request; `then` is called with the answer, or with the error. It runs on the main loop's thread and must
    /// return at once. Pass the returned id to [`Self::cancel`] to cancel the request.
    pub fn request(
        &self,
        method: &str,
        params: Value,
        then: impl FnOnce(Result<Value, ClientError>) + Send + 'static,
    ) -> RequestId {
        let id = RequestId::from(self.shared.next.fetch_add(1, Ordering::Relaxed));
        let mut pending = self.lock_pending();
        let Some(open) = pending.as_mut() else {
            drop(pending);
            then(Err(ClientError::Closed));
            return id;
        };
        open.insert(id.clone(), Box::new(then));
        drop(pending);
        self.send_or_defer(method, Request { id: id.clone(), method: method.to_owned(), params });
        id
    }

    /// Cancels a request; its callback is dropped.
    pub fn cancel(&self, id: &RequestId) {
        let was_open = self.lock_pending().as_mut().is_some_and(|open| open.remove(id).is_some());
        if was_open {
            self.notify("$/cancelRequest", json!({ "id": id }));
        }
    }

    /// Sends the messages that were deferred until the result of `initialize`.
    pub(crate) fn open(&self) {
        let mut deferred = self.shared.deferred.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the lock, so that no newer message comes first.
        for message in deferred.take().unwrap_or_default() {
            self.send(message);
        }
    }

    fn send_or_defer(&self, method: &str, message: impl Into<Message>) {
        let mut deferred = self.shared.deferred.lock().unwrap_or_else(PoisonError::into_inner);
        match deferred.as_mut().filter(|_| !ALLOWED_BEFORE_INITIALIZE_RESULT.contains(&method)) {
            Some(deferred) => deferred.push(message.into()),
            None => self.send(message),
        }
    }

    /// Sends a message right away, also before the result of `initialize`.
    pub(crate) fn send(&self, message: impl Into<Message>) {
        // Without a writer the connection has ended, which the main loop detects itself.
        self.shared.out.send(OutgoingMessage::Message(message.into())).ok();
    }

    /// Sends an error response to input that is not a valid message.
    pub(crate) fn answer_no_message(&self, answer: framing::Response) {
        self.shared.out.send(OutgoingMessage::NoMessage(answer)).ok();
    }

    /// Handles an answer of the client. An answer without a request is dropped.
    pub(crate) fn receive_response(&self, response: Response) {
        let then = self.lock_pending().as_mut().and_then(|open| open.remove(&response.id));
        if let Some(then) = then {
            then(response.response_result.map_err(ClientError::from));
        }
    }

    /// Closes the connection: nothing more is written, and pending requests fail.
    pub(crate) fn close(&self) {
        let open = self.lock_pending().take().unwrap_or_default();
        for then in open.into_values() {
            then(Err(ClientError::Closed));
        }
        self.shared.out.send(OutgoingMessage::End).ok();
    }

    fn lock_pending(&self) -> std::sync::MutexGuard<'_, Option<BTreeMap<RequestId, ResponseCallback>>> {
        self.shared.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
