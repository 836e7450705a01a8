//! One JSON-RPC peer over a pair of pipes: requests find their answers, server requests get theirs at once.
//!
//! Owns the ids, the outgoing queue, cancellation and the order of messages. Knows no LSP beyond `$/cancelRequest`;
//! what a notification means and how a server's request is answered is the [`PeerHandler`]'s business.
//!
//! **Order.** Messages reach the wire in the order in which they were queued: [`Connection::notify`] queues at the
//! call, [`Connection::request`] when its future is first polled. So a `didChange` sent before a request is seen before
//! it. In the other direction one task reads, and hands over every message before it looks at the next: all
//! notifications that came before an answer (`$/progress` with partial results among them) have been handled when the
//! answer is delivered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use zubi_base::framing::{
    self, Frame, FrameReader, MAX_BODY_BYTES, Message, Notification, Request, RequestId, Response, ResponseError,
};

/// The most that waits to be written, in bytes. A server that does not read its input must not grow our memory; the
/// largest honest burst is a project's worth of `didOpen`, a few megabytes.
const MAX_QUEUED_BYTES: usize = 64 * 1024 * 1024;

/// The same for answers to what the peer asks. They are small, and a peer that asks without reading them must not make
/// zubi work for it.
const MAX_QUEUED_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// How many waiting messages are taken from the queue at once.
const WRITE_BATCH: usize = 64;

/// The longest text of a peer's error that is passed on, in characters; some servers send their whole stack.
const MAX_ERROR_CHARS: usize = 2_000;

/// What is done with what the peer says of its own accord. Called on the task that reads, so it must not block: every
/// answer that follows waits for it.
pub trait PeerHandler: Send + Sync {
    /// A notification from the peer. `params` is `Null` when there were none.
    fn notification(&self, method: &str, params: Value);

    /// A request from the peer, answered with what is returned.
    fn request(&self, method: &str, params: Value) -> Result<Value, ResponseError>;
}

/// Why a request got no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConnectionError {
    /// The peer is gone, or its input was closed.
    #[error("the connection is closed: {why}")]
    Closed { why: String },
    /// The peer answered with an error.
    #[error("{message} ({code})")]
    Response { code: i64, message: String, data: Option<Value> },
    /// The deadline passed; the peer was told to stop.
    #[error("no answer within {} s", after.as_secs_f64().round())]
    TimedOut { after: Duration },
    /// The caller gave up; the peer was told to stop.
    #[error("cancelled")]
    Cancelled,
    /// The answer could not be used, or the peer does not read what it is sent.
    #[error("{what}")]
    Protocol { what: String },
}

/// A connection to one peer. Clones share it; when the last one goes, the peer's input is closed.
#[derive(Debug, Clone)]
pub struct Connection {
    shared: Arc<Shared>,
    _last: Arc<CloseWriterOnDrop>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    closed: watch::Sender<Option<String>>,
}

#[derive(Debug)]
struct State {
    next_id: i64,
    /// Who waits for which answer.
    pending: FxHashMap<i64, oneshot::Sender<Result<Value, ConnectionError>>>,
    /// The way to the writing task; `Err` says why nothing can be sent any more.
    outgoing: Result<mpsc::UnboundedSender<Vec<u8>>, String>,
    /// Bytes given to the writing task and not yet written.
    queued: usize,
    /// Counts the messages that came in, readable or not.
    heard: u64,
}

#[derive(Debug)]
struct CloseWriterOnDrop(Arc<Shared>);

impl Drop for CloseWriterOnDrop {
    fn drop(&mut self) {
        self.0.state().close_writer("every user of the connection is gone");
    }
}

impl Connection {
    /// Speaks with a peer over its output (`reader`) and input (`writer`). Starts two tasks on the current tokio
    /// runtime; they end with the streams.
    pub fn start<R, W>(reader: R, writer: W, handler: Arc<dyn PeerHandler>) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (sender, receiver) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                next_id: 1,
                pending: FxHashMap::default(),
                outgoing: Ok(sender),
                queued: 0,
                heard: 0,
            }),
            closed: watch::Sender::new(None),
        });
        tokio::spawn(write(writer, receiver, Arc::clone(&shared)));
        tokio::spawn(read(FrameReader::new(reader), handler, Arc::clone(&shared)));
        Self { _last: Arc::new(CloseWriterOnDrop(Arc::clone(&shared))), shared }
    }

    /// Asks the peer and waits for its answer, at most until `deadline`. `Null` params are left out of the message.
    ///
    /// Nothing is sent before the future is first polled. When it is dropped, cancelled or late, the peer gets
    /// `$/cancelRequest` and whatever it still answers is ignored.
    pub async fn request(
        &self,
        method: &str,
        params: Value,
        cancel: &CancellationToken,
        deadline: Instant,
    ) -> Result<Value, ConnectionError> {
        if cancel.is_cancelled() {
            return Err(ConnectionError::Cancelled);
        }
        let started = Instant::now();
        let (mut waiting, answer) = self.shared.send_request(method, params)?;
        let outcome = tokio::select! {
            biased;
            answer = answer => Some(answer),
            () = cancel.cancelled() => return Err(ConnectionError::Cancelled),
            () = tokio::time::sleep_until(deadline.into()) => None,
        };
        match outcome {
            Some(answer) => {
                waiting.answered = true;
                // The sender is dropped unused only if the handler panicked; `closed` tells the same story.
                answer.unwrap_or_else(|_| Err(ConnectionError::Closed { why: "the reader stopped".to_owned() }))
            }
            None => Err(ConnectionError::TimedOut { after: started.elapsed() }),
        }
    }

    /// Tells the peer something. An error means that it was not queued: a document mirror is out of step then and must
    /// be sent anew.
    pub fn notify(&self, method: &str, params: Value) -> Result<(), ConnectionError> {
        let message = Message::Notification(Notification { method: method.to_owned(), params });
        self.shared.state().send(&message)
    }

    /// How many messages the peer has sent so far: whether it says anything at all.
    pub fn heard(&self) -> u64 {
        self.shared.state().heard
    }

    /// Becomes `Some(why)` when the peer has closed its output. No answer comes after that.
    pub fn closed(&self) -> watch::Receiver<Option<String>> {
        self.shared.closed.subscribe()
    }

    /// Closes the peer's input once everything queued has been written. Answers can still come.
    pub fn close_writer(&self) {
        self.shared.state().close_writer("its input was closed");
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // The state is a map and a counter: there is no half-done change that a panic could leave behind.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send_request(
        self: &Arc<Self>,
        method: &str,
        params: Value,
    ) -> Result<(Waiting, oneshot::Receiver<Result<Value, ConnectionError>>), ConnectionError> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        let id = state.next_id;
        state.next_id += 1;
        state.send(&Message::Request(Request { id: RequestId::Number(id), method: method.to_owned(), params }))?;
        state.pending.insert(id, sender);
        Ok((Waiting { shared: Arc::clone(self), id, answered: false }, receiver))
    }

    /// Hands an answer to whoever waits for it; one that nobody waits for was cancelled or invented.
    fn deliver(&self, id: Option<&RequestId>, answer: Result<Value, ConnectionError>) {
        let id = match id {
            Some(RequestId::Number(id)) => Some(*id),
            // Some servers keep ids as text.
            Some(RequestId::Text(text)) => text.parse().ok(),
            None => None,
        };
        let waiting = id.and_then(|id| self.state().pending.remove(&id));
        match waiting {
            // The receiver may have gone in this very moment; its guard then sees that nothing is pending.
            Some(waiting) => drop(waiting.send(answer)),
            None => tracing::debug!(?id, "an answer that nobody waits for"),
        }
    }

    /// Ends everything: no answer will come.
    fn close(&self, why: &str) {
        let pending = {
            let mut state = self.state();
            state.close_writer(why);
            std::mem::take(&mut state.pending)
        };
        // A set of independent waiters: the order in which they learn of it does not matter.
        #[expect(clippy::iter_over_hash_type, reason = "the waiters are independent of each other")]
        for (_, waiting) in pending {
            drop(waiting.send(Err(ConnectionError::Closed { why: why.to_owned() })));
        }
        self.closed.send_if_modified(|closed| {
            let first = closed.is_none();
            closed.get_or_insert_with(|| why.to_owned());
            first
        });
    }
}

impl State {
    /// Queues a message. Done under the lock, so that ids and wire order agree with the order of the calls.
    fn send(&mut self, message: &Message) -> Result<(), ConnectionError> {
        let closed = |why: &str| ConnectionError::Closed { why: why.to_owned() };
        let outgoing = self.outgoing.as_ref().map_err(|why| closed(why))?;
        let body = message.to_body();
        if body.len() > MAX_BODY_BYTES {
            let what = format!("a message of {} bytes is too large to send", body.len());
            return Err(ConnectionError::Protocol { what });
        }
        let framed = framing::frame(&body);
        let queued = self.queued + framed.len();
        let limit = if matches!(message, Message::Response(_)) { MAX_QUEUED_ANSWER_BYTES } else { MAX_QUEUED_BYTES };
        // One message is always taken, so that the largest can be sent at all.
        if queued > limit && self.queued > 0 {
            let what = format!("the server does not read its input: more than {limit} bytes wait to be written");
            return Err(ConnectionError::Protocol { what });
        }
        outgoing.send(framed).map_err(|_| closed("the writer stopped"))?;
        self.queued = queued;
        Ok(())
    }

    /// Lets the writing task finish what is queued and then close the stream. The first reason stays.
    fn close_writer(&mut self, why: &str) {
        if self.outgoing.is_ok() {
            self.outgoing = Err(why.to_owned());
        }
    }
}

/// One request that is under way. When it goes without an answer, the peer is told to stop.
struct Waiting {
    shared: Arc<Shared>,
    id: i64,
    answered: bool,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.answered {
            return;
        }
        let mut state = self.shared.state();
        if state.pending.remove(&self.id).is_some() {
            let params = json!({ "id": self.id });
            let message = Message::Notification(Notification { method: "$/cancelRequest".to_owned(), params });
            if let Err(error) = state.send(&message) {
                tracing::debug!(%error, "cannot cancel a request");
            }
        }
    }
}

/// Writes what is queued until the queue is closed.
async fn write<W>(mut writer: W, mut receiver: mpsc::UnboundedReceiver<Vec<u8>>, shared: Arc<Shared>)
where
    W: AsyncWrite + Send + Unpin,
{
    let mut batch = Vec::new();
    while receiver.recv_many(&mut batch, WRITE_BATCH).await > 0 {
        for message in batch.drain(..) {
            let written = writer.write_all(&message).await;
            shared.state().queued -= message.len();
            if let Err(error) = written {
                // Answers to what was read before may still come, so only this direction is closed.
                shared.state().close_writer(&format!("it does not take input any more: {error}"));
                return;
            }
        }
        if let Err(error) = writer.flush().await {
            shared.state().close_writer(&format!("it does not take input any more: {error}"));
            return;
        }
    }
    // A pipe needs no shutdown, dropping closes it; other streams may hold something back until they are told.
    if let Err(error) = writer.shutdown().await {
        tracing::debug!(%error, "closing a server's input");
    }
}

/// Why a connection is closed to which nothing else happened.
pub(crate) const CLOSED_OUTPUT: &str = "it closed its output";

/// Closes the connection when the reading task ends, also if a handler panicked.
struct CloseOnDrop {
    shared: Arc<Shared>,
    why: String,
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.shared.close(&self.why);
    }
}

/// Reads messages until the stream ends.
async fn read<R>(mut reader: FrameReader<R>, handler: Arc<dyn PeerHandler>, shared: Arc<Shared>)
where
    R: AsyncRead + Send + Unpin,
{
    let mut closing = CloseOnDrop { shared, why: "reading its output failed".to_owned() };
    let shared = Arc::clone(&closing.shared);
    closing.why = loop {
        let frame = reader.next().await;
        shared.state().heard += 1;
        match frame {
            Ok(Some(Frame::Body(body))) => {
                if let Err(why) = take(&body, handler.as_ref(), &shared) {
                    break why;
                }
            }
            Ok(Some(Frame::TooLarge { bytes, head })) => {
                let what = format!("the answer has {bytes} bytes, more than the {MAX_BODY_BYTES} that are read");
                refuse(&head, what, &shared);
            }
            Ok(None) => break CLOSED_OUTPUT.to_owned(),
            Err(error) => break error.to_string(),
        }
        // A peer that never stops talking must not keep this thread from everything else: what is in the buffer
        // already is handed out without a pause.
        tokio::task::consume_budget().await;
    };
    // When the connection is given up for another reason, what is left in the buffer are messages.
    if closing.why == CLOSED_OUTPUT
        && let Some(noise) = reader.noise()
    {
        closing.why = format!("{}; it printed: {noise}", closing.why);
    }
}

/// Handles one message. An error ends the connection.
fn take(body: &[u8], handler: &dyn PeerHandler, shared: &Shared) -> Result<(), String> {
    match Message::parse(body) {
        Ok(Message::Response(Response { id, result })) => {
            let answer = result.map_err(|ResponseError { code, message, data }| ConnectionError::Response {
                code,
                message: shortened(message),
                data,
            });
            shared.deliver(id.as_ref(), answer);
        }
        Ok(Message::Notification(Notification { method, params })) => handler.notification(&method, params),
        Ok(Message::Request(Request { id, method, params })) => {
            let result = handler.request(&method, params);
            let sent = shared.state().send(&Message::Response(Response { id: Some(id), result }));
            match sent {
                // It asks without reading the answers: more of them would only grow the queue.
                Err(ConnectionError::Protocol { what }) => return Err(what),
                Err(error) => tracing::debug!(%error, method, "cannot answer the server"),
                Ok(()) => {}
            }
        }
        Err(error) => refuse(body, format!("a message is malformed: {error}"), shared),
    }
    Ok(())
}

/// A text that is passed on to people, cut where no person would read on.
fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_ERROR_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Fails the request that an unusable message answers, where that can be told, so that its caller need not wait for
/// the deadline.
fn refuse(head: &[u8], what: String, shared: &Shared) {
    tracing::warn!(what, "an unusable message from a server");
    if let Some(id) = framing::id_in_head(head) {
        shared.deliver(Some(&RequestId::Number(id)), Err(ConnectionError::Protocol { what }));
    }
}

#[cfg(test)]
mod tests;
