//! The state that a connection's two tasks and its users share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::{ConnectionError, ConnectionOptions, Framing};
use crate::framing::{self, Message, Notification, Request, RequestId, ResponseError};

/// The messages that wait to be written.
pub(super) type Queue = mpsc::UnboundedReceiver<QueuedMessage>;

/// A message that waits to be written.
#[derive(Debug)]
pub(super) struct QueuedMessage {
    /// The message with its framing.
    pub(super) bytes: Vec<u8>,
    /// Whether the peer has caused the message: it is the response to a request of the peer.
    pub(super) is_response: bool,
}

type RequestResult = Result<Value, ConnectionError>;

#[derive(Debug)]
pub(super) struct ConnectionState {
    pub(super) options: ConnectionOptions,
    state: Mutex<RpcState>,
    pub(super) closed: watch::Sender<Option<String>>,
    /// Cancelled to end both directions; [`RpcState::end_reason`] has the reason.
    pub(super) end: CancellationToken,
    /// Cancelled when the writing task has ended.
    pub(super) writer_ended: CancellationToken,
}

#[derive(Debug)]
pub(super) struct RpcState {
    next_id: i64,
    /// The pending requests by id.
    pub(super) pending: FxHashMap<i64, oneshot::Sender<RequestResult>>,
    /// The peer's requests in progress, each with its cancellation token.
    pub(super) incoming: FxHashMap<RequestId, CancellationToken>,
    /// The sender to the writing task; `Err` is the reason why sending is impossible.
    outgoing: Result<mpsc::UnboundedSender<QueuedMessage>, String>,
    /// The number of bytes of requests and notifications that the writing task has not written yet.
    queued: usize,
    /// The number of bytes of responses that the writing task has not written yet. A document of several megabytes may
    /// wait before them, so they are counted apart: only they show that the peer sends requests without reading.
    queued_responses: usize,
    /// The number of received messages, including invalid ones.
    pub(super) received: u64,
    /// The reason why both directions were ended.
    pub(super) end_reason: Option<String>,
    /// The peer's last error that does not belong to a request.
    pub(super) refusal: Option<ResponseError>,
}

/// The reason why a message was not queued.
#[derive(Debug)]
pub(super) enum SendError {
    Closed { reason: String },
    TooLarge { bytes: usize },
    DoesNotRead { message: String },
}

impl From<SendError> for ConnectionError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Closed { reason } => Self::Closed { reason },
            SendError::TooLarge { bytes } => {
                Self::Protocol { message: format!("a message of {bytes} bytes is too large to send") }
            }
            SendError::DoesNotRead { message } => Self::Protocol { message },
        }
    }
}

impl ConnectionState {
    pub(super) fn new(options: ConnectionOptions) -> (Arc<Self>, Queue) {
        let (sender, queue) = mpsc::unbounded_channel();
        let state = RpcState {
            next_id: 1,
            pending: FxHashMap::default(),
            incoming: FxHashMap::default(),
            outgoing: Ok(sender),
            queued: 0,
            queued_responses: 0,
            received: 0,
            end_reason: None,
            refusal: None,
        };
        let shared = Self {
            options,
            state: Mutex::new(state),
            closed: watch::Sender::new(None),
            end: CancellationToken::new(),
            writer_ended: CancellationToken::new(),
        };
        (Arc::new(shared), queue)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, RpcState> {
        // The state consists of maps and counters, so a panic cannot leave a partial change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn send(&self, message: &Message) -> Result<(), SendError> {
        let sent = self.state().send(message, &self.options);
        self.end_unread_connection(&sent);
        sent
    }

    /// Closes a socket connection if its peer does not read and has filled the queue. No other code would notice; a
    /// language server has an owner that does.
    fn end_unread_connection(&self, sent: &Result<(), SendError>) {
        if let (Err(SendError::DoesNotRead { message }), Framing::Lines) = (sent, self.options.framing) {
            self.end(message);
        }
    }

    pub(super) fn send_request(
        self: &Arc<Self>,
        method: &str,
        params: Value,
    ) -> Result<(OutgoingRequest, oneshot::Receiver<RequestResult>), ConnectionError> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        let id = state.next_id;
        state.next_id += 1;
        let request = Request { id: RequestId::Number(id), method: method.to_owned(), params };
        let sent = state.send(&Message::Request(request), &self.options);
        if sent.is_ok() {
            state.pending.insert(id, sender);
        }
        drop(state);
        self.end_unread_connection(&sent);
        sent?;
        Ok((OutgoingRequest { shared: Arc::clone(self), id, answered: false }, receiver))
    }

    /// Delivers a response to the request that waits for it. Without such a request, it was cancelled, or the peer
    /// invented the id.
    pub(super) fn deliver(&self, id: Option<&RequestId>, answer: RequestResult) {
        let id = match id {
            Some(RequestId::Number(id)) => Some(*id),
            // Some servers return ids as text.
            Some(RequestId::Text(text)) => text.parse().ok(),
            None => None,
        };
        let waiting = id.and_then(|id| self.state().pending.remove(&id));
        match waiting {
            // The receiver may just have been dropped; its guard then finds no pending request.
            Some(waiting) => drop(waiting.send(answer)),
            None => tracing::debug!(?id, "answer without a pending request"),
        }
    }

    /// Ends both directions. Later calls do not change the reason.
    pub(super) fn end(&self, reason: &str) {
        let mut state = self.state();
        state.end_reason.get_or_insert_with(|| reason.to_owned());
        state.close_writer(reason);
        drop(state);
        self.end.cancel();
    }

    /// Ends reading: no more responses will arrive, and the peer no longer waits for responses.
    pub(super) fn close(&self, reason: &str) {
        let (pending, incoming) = {
            let mut state = self.state();
            state.close_writer(reason);
            (std::mem::take(&mut state.pending), std::mem::take(&mut state.incoming))
        };
        // The waiters are independent, so the order does not matter.
        #[expect(clippy::iter_over_hash_type, reason = "the waiters are independent of each other")]
        for (_, waiting) in pending {
            drop(waiting.send(Err(ConnectionError::Closed { reason: reason.to_owned() })));
        }
        #[expect(clippy::iter_over_hash_type, reason = "the requests are independent of each other")]
        for (_, cancel) in incoming {
            cancel.cancel();
        }
        if self.options.framing == Framing::Lines {
            // A peer that has ended does not read queued messages, and must not block the writing task.
            self.end.cancel();
        }
        self.closed.send_if_modified(|closed| {
            let first = closed.is_none();
            closed.get_or_insert_with(|| reason.to_owned());
            first
        });
    }
}

impl RpcState {
    /// Queues a message. The caller has the lock, so the order of ids and messages is that of the calls.
    pub(super) fn send(&mut self, message: &Message, options: &ConnectionOptions) -> Result<(), SendError> {
        let closed = |reason: &str| SendError::Closed { reason: reason.to_owned() };
        let outgoing = self.outgoing.as_ref().map_err(|reason| closed(reason))?;
        let body = message.to_body();
        if body.len() > options.max_body {
            return Err(SendError::TooLarge { bytes: body.len() });
        }
        let framed = match options.framing {
            Framing::Headers => framing::frame(&body),
            // Serialized JSON has no line breaks except in texts, in which they are escaped.
            Framing::Lines => [body.as_slice(), b"\n"].concat(),
        };
        let is_response = matches!(message, Message::Response(_));
        let (queued, limit) = if is_response {
            (&mut self.queued_responses, options.max_queued_responses)
        } else {
            (&mut self.queued, options.max_queued)
        };
        let total = *queued + framed.len();
        // An empty queue accepts any message, so that the largest can be sent.
        if total > limit && *queued > 0 {
            let peer_kind = if options.framing == Framing::Headers { "server" } else { "peer" };
            let message =
                format!("the {peer_kind} does not read its input: more than {limit} bytes wait to be written");
            return Err(SendError::DoesNotRead { message });
        }
        outgoing.send(QueuedMessage { bytes: framed, is_response }).map_err(|_| closed("the writer stopped"))?;
        *queued = total;
        Ok(())
    }

    /// Records that a message no longer waits.
    pub(super) fn count_written(&mut self, message: &QueuedMessage) {
        let queued = if message.is_response { &mut self.queued_responses } else { &mut self.queued };
        *queued -= message.bytes.len();
    }

    /// Makes the writing task write the queue and then close the stream. Later calls do not change the reason.
    pub(super) fn close_writer(&mut self, reason: &str) {
        if self.outgoing.is_ok() {
            self.outgoing = Err(reason.to_owned());
        }
    }
}

/// One request in progress. If it is dropped before the response, the peer gets `$/cancelRequest`.
pub(super) struct OutgoingRequest {
    shared: Arc<ConnectionState>,
    id: i64,
    pub(super) answered: bool,
}

impl Drop for OutgoingRequest {
    fn drop(&mut self) {
        if self.answered || self.shared.state().pending.remove(&self.id).is_none() {
            return;
        }
        let params = json!({ "id": self.id });
        let message = Message::Notification(Notification { method: "$/cancelRequest".to_owned(), params });
        if let Err(error) = self.shared.send(&message) {
            tracing::debug!(?error, "cannot cancel a request");
        }
    }
}
