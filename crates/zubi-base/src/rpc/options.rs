//! How a connection frames its messages, and the bounds of what it keeps.

use crate::framing::MAX_BODY_BYTES;

/// What stands between two messages, and with it what kind of peer there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `Content-Length` headers: a language server on two pipes. It is forgiven much; what it sends that is no message fails the
    /// request that it seems to answer, and is not answered.
    Headers,
    /// One message a line: the IPC protocol on a socket. What is no message is told so, and a peer that does not read what it is
    /// sent loses the connection.
    Lines,
}

/// Framing and bounds of a [`Connection`](super::Connection).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    pub framing: Framing,
    /// The longest message that is read or sent, in bytes.
    pub max_body: usize,
    /// The most that waits to be written, in bytes. A peer that does not read must not grow our memory.
    pub max_queued: usize,
    /// The same when an answer to the peer's own request would join the queue.
    pub max_queued_answers: usize,
    /// How many of the peer's requests are in work at once; one more is refused.
    pub max_incoming: usize,
}

impl Options {
    /// For a language server: its largest honest burst is a project's worth of `didOpen`, a few megabytes. Answers to what it
    /// asks are small, and one that asks without reading them must not make zubi work for it.
    pub const fn language_server() -> Self {
        Self {
            framing: Framing::Headers,
            max_body: MAX_BODY_BYTES,
            max_queued: 64 * 1024 * 1024,
            max_queued_answers: 4 * 1024 * 1024,
            max_incoming: usize::MAX,
        }
    }

    /// For the IPC protocol, in both directions: room for two of the largest answers.
    pub const fn ipc() -> Self {
        Self {
            framing: Framing::Lines,
            max_body: 8 * 1024 * 1024,
            max_queued: 16 * 1024 * 1024,
            max_queued_answers: 16 * 1024 * 1024,
            max_incoming: 32,
        }
    }
}
