//! Finds `Content-Length` headers in a byte stream and extracts the bodies.

use std::collections::VecDeque;

/// The only significant header. Its case is ignored.
const LENGTH: &[u8] = b"content-length";

/// The maximum size of a header block, in bytes. Real ones have under 100.
const MAX_HEADER_BYTES: usize = 8 * 1024;

/// The maximum number of consecutive bytes outside messages. A server prints a banner or a log line by mistake; a
/// program that prints a megabyte is not a language server.
const MAX_NOISE_BYTES: usize = 1024 * 1024;

/// The number of bytes outside messages that are stored for error texts.
const STORED_NOISE_BYTES: usize = 2 * 1024;

/// The maximum number of these lines in an error text.
const REPORTED_NOISE_LINES: usize = 5;

/// The number of bytes of an invalid header that a strict decoder reports.
const REPORTED_START_BYTES: usize = 100;

/// The number of bytes stored of an oversized body, to identify the request that it answers.
const STORED_HEAD_BYTES: usize = 256;

/// The capacity to which the buffer shrinks after one large message, in bytes.
const RETAINED_BUFFER_BYTES: usize = 1024 * 1024;

/// A frame in the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// The exact bytes of a body.
    Body(Vec<u8>),
    /// A body over the limit. The decoder skipped its bytes on arrival and stored only the first ones.
    TooLarge { bytes: u64, head: Vec<u8> },
}

/// The error of a peer that does not use the protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it writes something that is not the protocol: {sample}")]
pub struct NotJsonRpc {
    /// The end of the invalid output; for a [strict](FrameDecoder::strict) decoder its beginning, escaped.
    pub sample: String,
}

/// Cuts a byte stream into frames. The frames do not depend on how the stream was split into [`Self::feed`] calls.
#[derive(Debug)]
pub struct FrameDecoder {
    limit: usize,
    /// The maximum number of consecutive bytes outside messages.
    max_noise: usize,
    buffer: Vec<u8>,
    /// The number of processed bytes of `buffer`; the next [`Self::feed`] removes them.
    consumed: usize,
    state: DecoderState,
    /// The number of bytes outside messages since the last header.
    noise_run: usize,
    noise: VecDeque<u8>,
}

#[derive(Debug)]
enum DecoderState {
    Header,
    Body { length: usize },
    Skipping { bytes: u64, remaining: u64, head: Vec<u8> },
}

impl FrameDecoder {
    /// Creates a decoder that returns bodies of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            max_noise: MAX_NOISE_BYTES,
            buffer: Vec::new(),
            consumed: 0,
            state: DecoderState::Header,
            noise_run: 0,
            noise: VecDeque::new(),
        }
    }

    /// Creates a decoder for a peer that has no reason to write anything but messages: the first byte outside a message
    /// is an error. Otherwise bytes after an invalid header could be read as messages.
    pub fn strict(limit: usize) -> Self {
        Self { max_noise: 0, ..Self::new(limit) }
    }

    /// Adds bytes of the stream. Call [`Self::next_frame`] until it returns `None` before adding more, so that the
    /// buffer contains no more than one body and one chunk.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.consumed);
        self.consumed = 0;
        if self.buffer.len() < RETAINED_BUFFER_BYTES {
            self.buffer.shrink_to(RETAINED_BUFFER_BYTES);
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next complete frame, or `None` if more bytes are needed.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, NotJsonRpc> {
        let find_header = if self.max_noise == 0 { expect } else { scan };
        loop {
            let rest = self.buffer.get(self.consumed..).unwrap_or_default();
            match &mut self.state {
                DecoderState::Header => match find_header(rest) {
                    Scan::More { noise } => {
                        self.skip_noise(noise)?;
                        return Ok(None);
                    }
                    Scan::Header { noise, end, length } => {
                        self.skip_noise(noise)?;
                        self.noise_run = 0;
                        self.consumed += end - noise;
                        self.state = match usize::try_from(length) {
                            Ok(length) if length <= self.limit => DecoderState::Body { length },
                            _ => DecoderState::Skipping { bytes: length, remaining: length, head: Vec::new() },
                        };
                    }
                },
                DecoderState::Body { length } => {
                    let Some(body) = rest.get(..*length) else { return Ok(None) };
                    let body = body.to_vec();
                    self.consumed += body.len();
                    self.state = DecoderState::Header;
                    return Ok(Some(Frame::Body(body)));
                }
                DecoderState::Skipping { bytes, remaining, head } => {
                    let skipped_bytes = usize::try_from(*remaining).unwrap_or(usize::MAX).min(rest.len());
                    let skipped = rest.get(..skipped_bytes).unwrap_or_default();
                    let head_bytes = STORED_HEAD_BYTES.saturating_sub(head.len()).min(skipped_bytes);
                    head.extend_from_slice(skipped.get(..head_bytes).unwrap_or_default());
                    *remaining -= skipped_bytes as u64;
                    self.consumed += skipped_bytes;
                    if *remaining > 0 {
                        return Ok(None);
                    }
                    let frame = Frame::TooLarge { bytes: *bytes, head: std::mem::take(head) };
                    self.state = DecoderState::Header;
                    return Ok(Some(frame));
                }
            }
        }
    }

    /// Returns the end of the bytes outside messages as printable text; `None` if nothing of it is printable. Includes
    /// bytes that may yet become a header, because callers use this after the end of the stream.
    pub fn noise(&self) -> Option<String> {
        let undecided = match self.state {
            DecoderState::Header => self.buffer.get(self.consumed..).unwrap_or_default(),
            DecoderState::Body { .. } | DecoderState::Skipping { .. } => &[],
        };
        let bytes: Vec<u8> = self.noise.iter().chain(undecided.iter().take(STORED_NOISE_BYTES)).copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<String> = text
            .lines()
            // Other headers before the length are part of a message.
            .filter(|line| !line.get(..13).is_some_and(|name| name.eq_ignore_ascii_case("content-type:")))
            .map(|line| line.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect();
        let last = lines.get(lines.len().saturating_sub(REPORTED_NOISE_LINES)..).unwrap_or_default();
        (!last.is_empty()).then(|| last.join(" | "))
    }

    /// Drops the next `count` bytes and stores the last of them.
    fn skip_noise(&mut self, count: usize) -> Result<(), NotJsonRpc> {
        let noise = self.buffer.get(self.consumed..self.consumed + count).unwrap_or_default();
        if self.max_noise == 0 && !noise.is_empty() {
            let start = noise.get(..REPORTED_START_BYTES).unwrap_or(noise);
            return Err(NotJsonRpc { sample: String::from_utf8_lossy(start).escape_debug().to_string() });
        }
        self.noise.extend(noise.iter().skip(count.saturating_sub(STORED_NOISE_BYTES)));
        let surplus = self.noise.len().saturating_sub(STORED_NOISE_BYTES);
        self.noise.drain(..surplus);
        self.consumed += count;
        self.noise_run = self.noise_run.saturating_add(count);
        if self.noise_run > self.max_noise {
            return Err(NotJsonRpc { sample: self.noise().unwrap_or_else(|| "unprintable bytes".to_owned()) });
        }
        Ok(())
    }

    /// The capacity of the buffer, to prove that a hostile length allocates nothing.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }
}

enum Scan {
    /// No complete header yet; the first `noise` bytes cannot be part of one.
    More { noise: usize },
    /// A header block after `noise` bytes, ending before byte `end`.
    Header { noise: usize, end: usize, length: u64 },
}

/// Searches for a header block. More bytes can change only the outcome `More`, so the decoder does not depend on how
/// the stream was split.
fn scan(bytes: &[u8]) -> Scan {
    let mut from = 0;
    loop {
        let rest = bytes.get(from..).unwrap_or_default();
        // The header may follow output without a line end, so it can be anywhere in a line.
        let Some(at) = rest.windows(LENGTH.len()).position(|window| window.eq_ignore_ascii_case(LENGTH)) else {
            // The last bytes may be the beginning of the name.
            return Scan::More { noise: from + rest.len().saturating_sub(LENGTH.len() - 1) };
        };
        let noise = from + at;
        match header_block(bytes.get(noise..).unwrap_or_default()) {
            HeaderBlock::More => return Scan::More { noise },
            HeaderBlock::Whole { end, length } => return Scan::Header { noise, end: noise + end, length },
            HeaderBlock::Other => from = noise + LENGTH.len(),
        }
    }
}

/// Like [`scan`], but accepts only a header block.
fn expect(bytes: &[u8]) -> Scan {
    match header_block(bytes) {
        HeaderBlock::More => Scan::More { noise: 0 },
        HeaderBlock::Whole { end, length } => Scan::Header { noise: 0, end, length },
        HeaderBlock::Other => Scan::More { noise: bytes.len() },
    }
}

enum HeaderBlock {
    More,
    Whole {
        end: usize,
        length: u64,
    },
    /// The words `Content-Length` in a log line, or a length that is not a number.
    Other,
}

/// Parses lines of the form `Name: value` up to an empty one. If the length occurs twice, the last one counts: a log
/// line that ends in `Content-Length: 5` may come directly before a real header.
fn header_block(bytes: &[u8]) -> HeaderBlock {
    let mut length = None;
    let mut start = 0;
    loop {
        let rest = bytes.get(start..).unwrap_or_default();
        let newline = rest.iter().position(|byte| *byte == b'\n');
        if start + newline.unwrap_or(rest.len()) > MAX_HEADER_BYTES {
            return HeaderBlock::Other;
        }
        let Some(newline) = newline else { return HeaderBlock::More };
        let line = rest.get(..newline).unwrap_or_default().trim_ascii();
        start += newline + 1;
        if line.is_empty() {
            return length.map_or(HeaderBlock::Other, |length| HeaderBlock::Whole { end: start, length });
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return HeaderBlock::Other };
        let (name, value) = line.split_at(colon);
        let name = name.trim_ascii_end();
        if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
            return HeaderBlock::Other;
        }
        if name.eq_ignore_ascii_case(LENGTH) {
            let digits = value.get(1..).unwrap_or_default().trim_ascii();
            let number = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
            let Some(number) = number.and_then(|text| text.parse().ok()) else { return HeaderBlock::Other };
            length = Some(number);
        }
    }
}
