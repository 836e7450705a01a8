//! The way back to the client: notifications and requests from any thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use lsp_server::{Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::{Value, json};
use zubi_base::framing;

/// Why the client gave no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The connection ended first.
    #[error("the client is gone")]
    Closed,
    /// It did not answer in time. It was told to stop.
    #[error("the client did not answer in time")]
    TimedOut,
    /// It answered with an error.
    #[error("the client answered: {message} ({code})")]
    Refused {
        /// The number of the error (JSON-RPC, LSP).
        code: i32,
        /// Its text.
        message: String,
    },
}

impl From<ResponseError> for ClientError {
    fn from(error: ResponseError) -> Self {
        Self::Refused { code: error.code, message: error.message }
    }
}

/// What a client may be told and asked before it has the answer to `initialize` (LSP 3.17, "Initialize Request").
const MAY_COME_FIRST: [&str; 4] =
    ["window/showMessage", "window/logMessage", "window/showMessageRequest", "telemetry/event"];

/// Hears the client's answer.
type Then = Box<dyn FnOnce(Result<Value, ClientError>) + Send>;

/// Speaks to the client from any thread. Cheap to clone.
#[derive(Clone)]
pub struct ClientHandle {
    shared: Arc<ClientState>,
}

struct ClientState {
    out: Sender<OutgoingMessage>,
    next: AtomicI32,
    /// Requests without an answer; nothing when the connection is over.
    waiting: Mutex<Option<BTreeMap<RequestId, Then>>>,
    /// What waits for the answer to `initialize`; nothing once the client has it.
    held: Mutex<Option<Vec<Message>>>,
}

/// What the writing thread does.
pub(crate) enum OutgoingMessage {
    Message(Message),
    /// The answer to what is no message, which may have no id.
    NoMessage(framing::Response),
    /// Ends it.
    End,
}

impl ClientHandle {
    pub(crate) fn new(out: Sender<OutgoingMessage>) -> Self {
        let waiting = Mutex::new(Some(BTreeMap::new()));
        let held = Mutex::new(Some(Vec::new()));
        Self { shared: Arc::new(ClientState { out, next: AtomicI32::new(1), waiting, held }) }
    }

    /// Tells the client something. Until it has the answer to `initialize` it is told only what the protocol allows before;
    /// the rest follows in its order.
    pub fn notify(&self, method: &str, params: Value) {
        self.send_or_hold(method, Notification { method: method.to_owned(), params });
    }

    /// Asks the client; `then` hears the answer, or that there is none. It runs on the thread of the loop and returns at once.
    /// The id serves to [`Self::withdraw`] the question.
    pub fn request(
        &self,
        method: &str,
        params: Value,
        then: impl FnOnce(Result<Value, ClientError>) + Send + 'static,
    ) -> RequestId {
        let id = RequestId::from(self.shared.next.fetch_add(1, Ordering::Relaxed));
        let mut waiting = self.lock_pending();
        let Some(open) = waiting.as_mut() else {
            drop(waiting);
            then(Err(ClientError::Closed));
            return id;
        };
        open.insert(id.clone(), Box::new(then));
        drop(waiting);
        self.send_or_hold(method, Request { id: id.clone(), method: method.to_owned(), params });
        id
    }

    /// Asks the client and waits for the answer, on a thread that may wait: never on one that serves the server.
    ///
    /// # Errors
    ///
    /// [`ClientError`], also when there is no answer for so long.
    pub fn request_within(&self, method: &str, params: Value, patience: Duration) -> Result<Value, ClientError> {
        let (sender, answer) = bounded(1);
        let id = self.request(method, params, move |result| {
            // Who gave up waiting has dropped the other end.
            sender.send(result).ok();
        });
        match answer.recv_timeout(patience) {
            Ok(result) => result,
            Err(RecvTimeoutError::Disconnected) => Err(ClientError::Closed),
            Err(RecvTimeoutError::Timeout) => {
                self.cancel(&id);
                Err(ClientError::TimedOut)
            }
        }
    }

    /// Tells the client that an answer is not wanted any more, and hears none.
    pub fn cancel(&self, id: &RequestId) {
        let was_open = self.lock_pending().as_mut().is_some_and(|open| open.remove(id).is_some());
        if was_open {
            self.notify("$/cancelRequest", json!({ "id": id }));
        }
    }

    /// The client has the answer to `initialize`: what was held back follows.
    pub(crate) fn open(&self) {
        let mut held = self.shared.held.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the lock, so that nothing newer comes before it.
        for message in held.take().unwrap_or_default() {
            self.send(message);
        }
    }

    fn send_or_hold(&self, method: &str, message: impl Into<Message>) {
        let mut held = self.shared.held.lock().unwrap_or_else(PoisonError::into_inner);
        match held.as_mut().filter(|_| !MAY_COME_FIRST.contains(&method)) {
            Some(held) => held.push(message.into()),
            None => self.send(message),
        }
    }

    /// Sends what answers the client, which waits for nothing.
    pub(crate) fn send(&self, message: impl Into<Message>) {
        // Without a writer the connection is over, which the loop hears by itself.
        self.shared.out.send(OutgoingMessage::Message(message.into())).ok();
    }

    /// Tells the client that something it sent is no message.
    pub(crate) fn answer_no_message(&self, answer: framing::Response) {
        self.shared.out.send(OutgoingMessage::NoMessage(answer)).ok();
    }

    /// The client has answered. An answer that nobody waits for is dropped.
    pub(crate) fn receive_response(&self, response: Response) {
        let then = self.lock_pending().as_mut().and_then(|open| open.remove(&response.id));
        if let Some(then) = then {
            then(response.response_result.map_err(ClientError::from));
        }
    }

    /// The connection is over: nothing is written any more, and nobody waits any longer.
    pub(crate) fn close(&self) {
        let open = self.lock_pending().take().unwrap_or_default();
        for then in open.into_values() {
            then(Err(ClientError::Closed));
        }
        self.shared.out.send(OutgoingMessage::End).ok();
    }

    fn lock_pending(&self) -> std::sync::MutexGuard<'_, Option<BTreeMap<RequestId, Then>>> {
        self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
