//! A JSON-RPC connection over a pair of byte streams: matches requests and responses in both directions.
//!
//! This module manages the ids, the outgoing queue, cancellation and the order of messages. It knows no method except
//! `$/cancelRequest`; the [`PeerHandler`] handles notifications and the peer's requests.
//!
//! **Order.** Messages are sent in the order of queueing: [`Connection::notify`] and [`Responder::answer`] queue at the
//! call, [`Connection::request`] when its future is first polled. So the peer receives a `didChange` before a later
//! request. In the other direction, one task handles each message before it reads the next one: all notifications that
//! precede a response (`$/progress` with partial results, for example) have been handled when the response is
//! delivered. The peer's requests are handled in the same order, but their [`Responder`]s may answer later: a slow one
//! does not delay later messages.
//!
//! **Bounds.** The [`ConnectionOptions`] limit the bytes that wait to be written, the size of one message and the
//! number of the peer's requests in progress.

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

/// Handles the peer's notifications and requests. Runs on the task that reads, so it must not block: all later messages
/// wait for it.
pub trait PeerHandler: Send + Sync {
    /// Handles a notification. `params` is `Null` if the message has none.
    fn notification(&self, method: &str, params: Value);

    /// Handles a request. It may be answered at once, or later from another task.
    fn request(&self, method: &str, params: Value, responder: Responder);
}

/// The reason why a request has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConnectionError {
    /// The peer has ended, or its input was closed.
    #[error("the connection is closed: {reason}")]
    Closed { reason: String },
    /// The peer returned an error.
    #[error("{message} ({code})")]
    Response { code: i64, message: String, data: Option<Value> },
    /// The deadline passed, and the peer got a cancellation.
    #[error("no answer within {} s", after.as_secs_f64().round())]
    TimedOut { after: Duration },
    /// The caller cancelled the request, and the peer got a cancellation.
    #[error("cancelled")]
    Cancelled,
    /// The response is invalid, or the peer does not read its input.
    #[error("{message}")]
    Protocol { message: String },
}

/// A connection to one peer. Clones share it; dropping the last one closes the peer's input.
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
    /// Connects to a peer through its output (`reader`) and input (`writer`). Starts two tasks on the current tokio
    /// runtime, which end with the streams.
    pub fn start<R, W>(reader: R, writer: W, handler: Arc<dyn PeerHandler>, options: ConnectionOptions) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self::start_with(reader, writer, options, |_| handler)
    }

    /// Like [`Self::start`], for a handler that needs the connection: calls `make` before it reads anything. A clone in
    /// the handler leaves the connection open until the peer or [`Self::close`] ends it, which drops the handler.
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

    /// Sends a request and waits for the response until `deadline`. Omits `Null` params.
    ///
    /// Sends nothing before the future is first polled. If the future is dropped, cancelled or late, the peer gets
    /// `$/cancelRequest`, and a later response is ignored.
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

    /// Sends a notification. An error means that it was not queued; a mirrored document is then out of date and must be
    /// sent again.
    pub fn notify(&self, method: &str, params: Value) -> Result<(), ConnectionError> {
        Ok(self.shared.send(&Message::Notification(Notification { method: method.to_owned(), params }))?)
    }

    /// The number of messages that the peer has sent so far.
    pub fn received_count(&self) -> u64 {
        self.shared.state().received
    }

    /// Whether a request is in progress in either direction.
    pub fn is_busy(&self) -> bool {
        let state = self.shared.state();
        !(state.pending.is_empty() && state.incoming.is_empty())
    }

    /// Becomes `Some(reason)` when the peer closes its output or the connection is closed. No response arrives after
    /// that.
    pub fn closed_reason(&self) -> watch::Receiver<Option<String>> {
        self.shared.closed.subscribe()
    }

    /// The peer's last error that does not belong to a request and so concerns the whole connection.
    pub fn refusal(&self) -> Option<ResponseError> {
        self.shared.state().refusal.clone()
    }

    /// Closes the peer's input after writing all queued messages. Responses can still arrive.
    pub fn close_writer(&self) {
        self.shared.state().close_writer("its input was closed");
    }

    /// Ends both directions: stops reading, fails pending requests with `reason`, and cancels the peer's requests in
    /// progress. Queued messages are still written, for at most one second.
    pub fn close(&self, reason: &str) {
        self.shared.end(reason);
    }

    /// Waits until nothing more will be written after the input was closed.
    pub async fn wait_flushed(&self) {
        self.shared.writer_ended.cancelled().await;
    }
}

#[cfg(test)]
mod tests;
