//! The task that reads, and the [`Responder`] for the peer's requests.

use std::sync::Arc;

use serde_json::Value;
use tokio::io::AsyncRead;
use tokio_util::sync::CancellationToken;

use super::shared::{ConnectionState, SendError};
use super::{ConnectionError, ConnectionOptions, Framing, PeerHandler};
use crate::framing::lines::{InputLine, LineReader};
use crate::framing::{
    self, Frame, FrameReader, FramingError, Message, Notification, Request, RequestId, Response, ResponseError,
};
use crate::text;

/// The reason for a closed connection if no other is known.
pub const CLOSED_OUTPUT: &str = "it closed its output";

/// The maximum length of a peer's error text, in characters; some servers send their whole stack.
const MAX_ERROR_CHARS: usize = 2_000;

/// Answers one request of the peer, once. If it is dropped without an answer, it sends the peer an error.
#[derive(Debug)]
pub struct Responder {
    shared: Arc<ConnectionState>,
    id: RequestId,
    cancel: CancellationToken,
    answered: bool,
}

impl Responder {
    /// Sends the response. Does nothing if the peer has ended.
    pub fn answer(mut self, result: Result<Value, ResponseError>) {
        self.send(result);
    }

    /// Cancelled when the peer cancels the request (`$/cancelRequest`) or the connection closes. The request still
    /// needs a response: an error or a partial result.
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    fn send(&mut self, result: Result<Value, ResponseError>) {
        if std::mem::replace(&mut self.answered, true) {
            return;
        }
        self.shared.state().incoming.remove(&self.id);
        respond(&self.shared, Some(self.id.clone()), result);
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        let error = if self.cancel.is_cancelled() {
            ResponseError { code: ResponseError::CANCELLED, message: "cancelled".to_owned(), data: None }
        } else {
            internal("the request was dropped without an answer".to_owned())
        };
        self.send(Err(error));
    }
}

fn internal(message: String) -> ResponseError {
    ResponseError { code: ResponseError::INTERNAL_ERROR, message, data: None }
}

fn invalid(message: String) -> ResponseError {
    ResponseError { code: ResponseError::INVALID_REQUEST, message, data: None }
}

/// Sends a response. A peer that sends requests without reading the responses loses the connection, because more
/// responses would only grow the queue.
fn respond(shared: &ConnectionState, id: Option<RequestId>, result: Result<Value, ResponseError>) {
    let send = |id, result| shared.send(&Message::Response(Response { id, result }));
    let sent = match send(id.clone(), result) {
        Err(SendError::TooLarge { bytes }) => {
            let most = shared.options.max_body;
            send(id, Err(internal(format!("the answer has {bytes} bytes, more than the {most} that are sent"))))
        }
        sent => sent,
    };
    match sent {
        Err(SendError::DoesNotRead { message }) => shared.end(&message),
        Err(error) => tracing::debug!(?error, "cannot answer the peer"),
        Ok(()) => {}
    }
}

/// Closes the connection when the reading task ends, even if a handler panicked.
struct CloseOnDrop {
    shared: Arc<ConnectionState>,
    reason: String,
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.shared.close(&self.reason);
    }
}

/// An input from the peer.
enum InputEvent {
    Body(Vec<u8>),
    /// A body over the size limit.
    TooLarge(TooLarge),
}

struct TooLarge {
    bytes: u64,
    id: Option<RequestId>,
    /// Whether it is a response to our request; otherwise it may be a request.
    answers: bool,
}

enum MessageReader<R> {
    Headers(FrameReader<R>),
    Lines(LineReader<R>),
}

impl<R: AsyncRead + Unpin> MessageReader<R> {
    fn new(reader: R, options: &ConnectionOptions) -> Self {
        match options.framing {
            Framing::Headers => Self::Headers(FrameReader::with_limit(reader, options.max_body)),
            Framing::Lines => Self::Lines(LineReader::new(reader, options.max_body)),
        }
    }

    /// Cancel-safe.
    async fn next(&mut self) -> Result<Option<InputEvent>, FramingError> {
        Ok(match self {
            Self::Headers(frames) => frames.next().await?.map(|frame| match frame {
                Frame::Body(body) => InputEvent::Body(body),
                Frame::TooLarge { bytes, head } => {
                    let id = framing::id_in_head(&head).map(RequestId::Number);
                    InputEvent::TooLarge(TooLarge { bytes, id, answers: true })
                }
            }),
            Self::Lines(lines) => lines.next().await?.map(|line| match line {
                InputLine::Complete(body) => InputEvent::Body(body),
                InputLine::TooLong { id, length, answers } => {
                    InputEvent::TooLarge(TooLarge { bytes: length as u64, id, answers })
                }
            }),
        })
    }

    fn noise(&self) -> Option<String> {
        match self {
            Self::Headers(frames) => frames.noise(),
            Self::Lines(_) => None,
        }
    }
}

/// Reads messages until the stream or the connection ends.
pub(super) async fn read<R>(reader: R, handler: Arc<dyn PeerHandler>, shared: Arc<ConnectionState>)
where
    R: AsyncRead + Send + Unpin,
{
    let mut reader = MessageReader::new(reader, &shared.options);
    let mut closing = CloseOnDrop { shared, reason: "reading its output failed".to_owned() };
    let shared = Arc::clone(&closing.shared);
    closing.reason = loop {
        let event = tokio::select! {
            biased;
            () = shared.end.cancelled() => {
                break shared.state().end_reason.clone().unwrap_or_default();
            }
            input = reader.next() => input,
        };
        shared.state().received += 1;
        match event {
            Ok(Some(InputEvent::Body(body))) => handle_message(&body, handler.as_ref(), &shared),
            Ok(Some(InputEvent::TooLarge(message))) => refuse_large(message, &shared),
            Ok(None) => break CLOSED_OUTPUT.to_owned(),
            Err(error) => break error.to_string(),
        }
        // Reading a buffered message does not yield; without this, a peer that sends continuously would block all other
        // tasks on this thread.
        tokio::task::consume_budget().await;
    };
    // If the connection closes for another reason, the remaining bytes are messages.
    if closing.reason == CLOSED_OUTPUT
        && let Some(noise) = reader.noise()
    {
        closing.reason = format!("{}; it printed: {noise}", closing.reason);
    }
}

/// Handles one message.
fn handle_message(body: &[u8], handler: &dyn PeerHandler, shared: &Arc<ConnectionState>) {
    let message = match shared.options.framing {
        Framing::Headers => Message::parse(body),
        Framing::Lines => {
            let body = framing::lines::text(body);
            if body.is_empty() {
                return;
            }
            Message::parse_strictly(body)
        }
    };
    match message {
        Ok(Message::Response(Response { id, result })) => take_response(id.as_ref(), result, shared),
        Ok(Message::Notification(Notification { method, params })) => {
            if method == "$/cancelRequest" {
                take_back(&params, shared);
            } else {
                handler.notification(&method, params);
            }
        }
        Ok(Message::Request(request)) => take_request(request, handler, shared),
        Err(error) if shared.options.framing == Framing::Lines => {
            let Response { id, result } = Response::for_invalid_body(framing::lines::text(body), &error);
            tracing::debug!(%error, "an unusable message from a peer");
            respond(shared, id, result);
        }
        Err(error) => {
            let id = framing::id_in_head(body).map(RequestId::Number);
            refuse(id.as_ref(), format!("a message is malformed: {error}"), shared);
        }
    }
}

fn take_response(id: Option<&RequestId>, result: Result<Value, ResponseError>, shared: &ConnectionState) {
    let result = result.map_err(|error| ResponseError {
        message: text::ellipsize(&error.message, MAX_ERROR_CHARS).into_owned(),
        ..error
    });
    if let (None, Err(error)) = (id, &result) {
        tracing::debug!(%error, "the peer complains");
        shared.state().refusal = Some(error.clone());
    }
    let answer =
        result.map_err(|ResponseError { code, message, data }| ConnectionError::Response { code, message, data });
    shared.deliver(id, answer);
}

/// Handles `$/cancelRequest`. Ignores it if the request is unknown or already answered.
fn take_back(params: &Value, shared: &ConnectionState) {
    let id = params.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let cancel = id.and_then(|id| shared.state().incoming.get(&id).cloned());
    if let Some(cancel) = cancel {
        cancel.cancel();
    }
}

fn take_request(Request { id, method, params }: Request, handler: &dyn PeerHandler, shared: &Arc<ConnectionState>) {
    let admitted = {
        let mut state = shared.state();
        let most = shared.options.max_incoming;
        if state.incoming.contains_key(&id) {
            Err(invalid("a request with this id is in work already".to_owned()))
        } else if state.incoming.len() >= most {
            Err(internal(format!("{most} requests of this connection are in work already: wait for one of them")))
        } else {
            let cancel = CancellationToken::new();
            state.incoming.insert(id.clone(), cancel.clone());
            Ok(cancel)
        }
    };
    match admitted {
        Ok(cancel) => {
            let responder = Responder { shared: Arc::clone(shared), id, cancel, answered: false };
            handler.request(&method, params, responder);
        }
        Err(error) => respond(shared, Some(id), Err(error)),
    }
}

/// Handles a message over the size limit. A response fails its request; a possible request gets an error response.
fn refuse_large(TooLarge { bytes, id, answers }: TooLarge, shared: &ConnectionState) {
    let most = shared.options.max_body;
    if answers {
        refuse(id.as_ref(), format!("the answer has {bytes} bytes, more than the {most} that are read"), shared);
    } else {
        let message = format!("a message has {bytes} bytes, more than the {most} that are read");
        tracing::debug!(reason = message, "an unusable message from a peer");
        respond(shared, id, Err(invalid(message)));
    }
}

/// Fails the request of an invalid response, if its id is known, so that the caller does not wait for the deadline.
fn refuse(id: Option<&RequestId>, message: String, shared: &ConnectionState) {
    tracing::warn!(reason = message, "an unusable message from a peer");
    if id.is_some() {
        shared.deliver(id, Err(ConnectionError::Protocol { message }));
    }
}
