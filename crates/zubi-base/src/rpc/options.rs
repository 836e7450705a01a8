//! The framing of a connection's messages, and the bounds of its memory.

use crate::framing::MAX_BODY_BYTES;

/// The separator between two messages, which also determines the kind of peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `Content-Length` headers: a language server on two pipes. The decoder tolerates many errors; an invalid message
    /// fails the request that it seems to answer, and gets no answer.
    Headers,
    /// One message a line: the IPC protocol on a socket. An invalid message gets an error response, and a peer that
    /// does not read its input loses the connection.
    Lines,
}

/// Framing and bounds of a [`Connection`](super::Connection).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionOptions {
    pub framing: Framing,
    /// The longest message that is read or sent, in bytes.
    pub max_body: usize,
    /// The most that waits to be written, in bytes. A peer that does not read must not grow our memory.
    pub max_queued: usize,
    /// The most that waits to be written, in bytes, when an answer to the peer's own request would join the queue.
    pub max_queued_answers: usize,
    /// The most of the peer's requests in progress at once; further ones are refused.
    pub max_incoming: usize,
}

impl ConnectionOptions {
    /// Options for a language server: its largest honest burst is a project's worth of `didOpen`, a few megabytes.
    /// Answers to its requests are small, and a server that sends requests without reading the answers must not make
    /// zubi work for it.
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
