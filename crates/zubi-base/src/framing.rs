//! JSON-RPC messages over a byte stream, framed by `Content-Length` headers (LSP 3.18, "Base Protocol") or as
//! [`lines`].
//!
//! This module implements the framing ([`FrameDecoder`], [`FrameReader`], [`lines::LineReader`]) and the envelope
//! ([`Message`]). The connection manages methods and the state of requests.
//!
//! Real servers are sloppy: they print banners to their standard output, end header lines with a bare line feed, spell
//! `content-length` in lower case, and cut strings inside a character. The decoder accepts all of that within fixed
//! bounds; nothing a server sends makes this module panic or allocate more than [`MAX_BODY_BYTES`] for one message.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

mod decoder;
pub mod lines;
mod message;

pub use decoder::{Frame, FrameDecoder, NotJsonRpc};
pub use message::{Message, MessageError, Notification, Request, RequestId, Response, ResponseError, id_in_head};

/// The maximum size of a body, in bytes. The largest real responses (workspace symbols of a big project) have a few
/// megabytes.
pub const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// The size of one read from the stream, in bytes: the capacity of a Linux pipe.
const CHUNK_BYTES: usize = 64 * 1024;

/// The reason why no further frame can be read.
#[derive(Debug, thiserror::Error)]
pub enum FramingError {
    #[error(transparent)]
    Noise(#[from] NotJsonRpc),
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
}

/// Reads frames from a stream.
#[derive(Debug)]
pub struct FrameReader<R> {
    reader: R,
    decoder: FrameDecoder,
    chunk: Box<[u8]>,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub fn new(reader: R) -> Self {
        Self::with_limit(reader, MAX_BODY_BYTES)
    }

    /// Creates a reader that accepts bodies of at most `limit` bytes.
    pub fn with_limit(reader: R, limit: usize) -> Self {
        Self { reader, decoder: FrameDecoder::new(limit), chunk: vec![0; CHUNK_BYTES].into_boxed_slice() }
    }

    /// Returns the next frame, or `None` at the end of the stream. An incomplete frame at the end is dropped.
    ///
    /// Cancel-safe: dropping the future loses no byte.
    pub async fn next(&mut self) -> Result<Option<Frame>, FramingError> {
        loop {
            if let Some(frame) = self.decoder.next_frame()? {
                return Ok(Some(frame));
            }
            let count = self.reader.read(&mut self.chunk).await?;
            let Some(bytes) = self.chunk.get(..count).filter(|bytes| !bytes.is_empty()) else {
                return Ok(None);
            };
            self.decoder.feed(bytes);
        }
    }

    /// Returns the end of the peer's output outside messages, for error texts; `None` if it is empty.
    pub fn noise(&self) -> Option<String> {
        self.decoder.noise()
    }
}

/// Returns a body with its header.
pub fn frame(body: &[u8]) -> Vec<u8> {
    let mut framed = Vec::with_capacity(body.len() + 32);
    framed.extend_from_slice(b"Content-Length: ");
    framed.extend_from_slice(body.len().to_string().as_bytes());
    framed.extend_from_slice(b"\r\n\r\n");
    framed.extend_from_slice(body);
    framed
}

#[cfg(test)]
mod tests;
