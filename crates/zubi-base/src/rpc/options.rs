//! The framing of a connection's messages, and the limits of its memory.

use crate::framing::MAX_BODY_BYTES;

/// The separation of messages, which also implies the kind of peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `Content-Length` headers, for a language server on two pipes. The decoder tolerates many errors; an invalid
    /// message fails the request that it seems to answer, and gets no response.
    Headers,
    /// One message per line, for the IPC protocol on a socket. An invalid message gets an error response, and a peer
    /// that does not read its input loses the connection.
    Lines,
}

/// The framing and limits of a [`Connection`](super::Connection).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionOptions {
    pub framing: Framing,
    /// The maximum size of a message in both directions, in bytes.
    pub max_body: usize,
    /// The maximum number of bytes of requests and notifications that wait to be written, so that a peer that does not
    /// read cannot grow our memory.
    pub max_queued: usize,
    /// The maximum number of bytes of responses to the peer's requests that wait to be written.
    pub max_queued_responses: usize,
    /// The maximum number of the peer's requests in progress; further ones are refused.
    pub max_incoming: usize,
}

impl ConnectionOptions {
    /// Options for a language server: the largest real burst is the `didOpen` of a whole project, a few megabytes,
    /// or of one large file. Responses to its requests are small, and a server that sends requests without reading the
    /// responses must not cause more work.
    pub const fn language_server() -> Self {
        Self {
            framing: Framing::Headers,
            max_body: MAX_BODY_BYTES,
            max_queued: 64 * 1024 * 1024,
            max_queued_responses: 4 * 1024 * 1024,
            max_incoming: usize::MAX,
        }
    }

    /// Options for the IPC protocol, in both directions, with room for two of the largest responses.
    pub const fn ipc() -> Self {
        Self {
            framing: Framing::Lines,
            max_body: 8 * 1024 * 1024,
            max_queued: 16 * 1024 * 1024,
            max_queued_responses: 16 * 1024 * 1024,
            max_incoming: 32,
        }
    }
}
