//! One JSON-RPC peer over a pair of byte streams: requests find their answers, in both directions.
//!
//! This module manages the ids, the outgoing queue, cancellation and the order of messages. It knows no method except
//! `$/cancelRequest`; the [`PeerHandler`] handles notifications and answers the peer's requests.
//!
//! **Order.** Messages reach the wire in the order in which they were queued: [`Connection::notify`] queues at the
//! call, [`Connection::request`] when its future is first polled, [`Responder::answer`] at the call. So a `didChange`
//! sent before a request is seen before it. In the other direction one task reads, and hands over every message before
//! it looks at the next: all notifications that came before an answer (`$/progress` with partial results among them)
//! have been handled when the answer is delivered. A request that the peer makes is handed over in the same order and
//! answered whenever its [`Responder`] is: a slow one holds up nothing that comes after it.
//!
//! **Bounds.** The [`ConnectionOptions`] bound the bytes that wait to be written, the size of one message and the number of the
//! peer's requests in progress.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::shared::ConnectionState;
use crate::framing::{Message, Notification, ResponseError};

mod incoming;
mod options;
mod outgoing;
mod shared;

pub use self::incoming::{CLOSED_OUTPUT, Responder};
pub use self::options::{ConnectionOptions, Framing};

/// Handles the peer's own notifications and requests. Called on the task that reads, so it must not block: every later
/// answer waits for it.
pub trait PeerHandler: Send + Sync {
    /// A notification from the peer. `params` is `Null` if the message has none.
    fn notification(&self, method: &str, params: Value);

    /// A request from the peer. The answer may be given at once or from another task, later.
    fn request(&self, method: &str, params: Value, responder: Responder);
}

/// Why a request got no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConnectionError {
    /// The peer is gone, or its input was closed.
    #[error("the connection is closed: {reason}")]
    Closed { reason: String },
    /// The peer answered with an error.
    #[error("{message} ({code})")]
    Response { code: i64, message: String, data: Option<Value> },
    /// The deadline passed; the peer was sent a cancellation.
    #[error("no answer within {} s", after.as_secs_f64().round())]
    TimedOut { after: Duration },
    /// The caller cancelled the request; the peer was sent a cancellation.
    #[error("cancelled")]
    Cancelled,
    /// The answer could not be used, or the peer does not read what it is sent.
    #[error("{message}")]
    Protocol { message: String },
}

/// A connection to one peer. Clones share it; when the last one goes, the peer's input is closed.
#[derive(Debug, Clone)]
pub struct Connection {
    shared: Arc<ConnectionState>,
    _last: Arc<CloseWriterOnDrop>,
}

#[derive(Debug)]
struct CloseWriterOnDrop(Arc<ConnectionState>);

impl Drop for CloseWriterOnDrop {
    fn drop(&mut self) {
        self.0.state().close_writer("every user of the connection is gone");
    }
}

impl Connection {
    /// Speaks with a peer over its output (`reader`) and input (`writer`). Starts two tasks on the current tokio
    /// runtime; they end with the streams.
    pub fn start<R, W>(reader: R, writer: W, handler: Arc<dyn PeerHandler>, options: ConnectionOptions) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self::start_with(reader, writer, options, |_| handler)
    }

    /// Like [`Self::start`], for a handler that needs the connection: `make` is called before anything is read. A
    /// handler that stores a clone holds the connection open until the peer, or [`Self::close`], ends it; the handler
    /// is dropped then.
    pub fn start_with<R, W>(
        reader: R,
        writer: W,
        options: ConnectionOptions,
        make: impl FnOnce(&Self) -> Arc<dyn PeerHandler>,
    ) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (shared, queue) = ConnectionState::new(options);
        let connection = Self { _last: Arc::new(CloseWriterOnDrop(Arc::clone(&shared))), shared: Arc::clone(&shared) };
        let handler = make(&connection);
        tokio::spawn(outgoing::write(writer, queue, Arc::clone(&shared)));
        tokio::spawn(incoming::read(reader, handler, shared));
        connection
    }

    /// Sends a request to the peer and waits for its answer, at most until `deadline`. `Null` params are left out of
    /// the message.
    ///
    /// Nothing is sent before the future is first polled. When it is dropped, cancelled or late, the peer gets
    /// `$/cancelRequest`, and a later answer of the peer is ignored.
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
                // The sender is dropped unused only if the handler panicked; `closed` reports the same.
                answer.unwrap_or_else(|_| Err(ConnectionError::Closed { reason: "the reader stopped".to_owned() }))
            }
            None => Err(ConnectionError::TimedOut { after: started.elapsed() }),
        }
    }

    /// Sends a notification to the peer. An error means that it was not queued: a document mirror is out of step then
    /// and must be sent again.
    pub fn notify(&self, method: &str, params: Value) -> Result<(), ConnectionError> {
        Ok(self.shared.send(&Message::Notification(Notification { method: method.to_owned(), params }))?)
    }

    /// How many messages the peer has sent so far: whether it says anything at all.
    pub fn received_count(&self) -> u64 {
        self.shared.state().received
    }

    /// Whether a request is in progress in either direction.
    pub fn is_busy(&self) -> bool {
        let state = self.shared.state();
        !(state.pending.is_empty() && state.incoming.is_empty())
    }

    /// Becomes `Some(why)` when the peer has closed its output, or the connection was closed. No answer comes after
    /// that.
    pub fn closed_reason(&self) -> watch::Receiver<Option<String>> {
        self.shared.closed.subscribe()
    }

    /// The last error of the peer that does not answer a request and so concerns the whole connection.
    pub fn refusal(&self) -> Option<ResponseError> {
        self.shared.state().refusal.clone()
    }

    /// Closes the peer's input once everything queued has been written. Answers can still come.
    pub fn close_writer(&self) {
        self.shared.state().close_writer("its input was closed");
    }

    /// Ends both directions: no further message is read, requests that wait for an answer fail with `reason`, and the
    /// peer's requests in progress are cancelled. Queued messages are still written, for a second at most.
    pub fn close(&self, reason: &str) {
        self.shared.end(reason);
    }

    /// Waits until nothing more will be written, after the input was closed in any way.
    pub async fn wait_flushed(&self) {
        self.shared.writer_ended.cancelled().await;
    }
}

#[cfg(test)]
mod tests;
