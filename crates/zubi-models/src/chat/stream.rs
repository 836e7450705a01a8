//! Converts bytes to an answer. Uses neither I/O nor a clock, so that tests and a fuzzer can split the bytes anywhere.
//!
//! The first byte determines the format, because servers often send a wrong content type: events, one JSON body from
//! servers that cannot stream, or an HTML page from a proxy.

use zubi_tool_api::redact::Redactor;

use super::answer::{ChatDecoder, DeltaSink};
use crate::ids::Ids;
use crate::{ErrorKind, ModelAnswer, ModelError, errors, sse};

/// The maximum length of one event and of one body, in bytes. Models write whole files in one event.
const MAX_EVENT: usize = 8 * 1024 * 1024;

/// The maximum size of one answer on the wire, in bytes; an event for one word may have several hundred bytes.
const MAX_STREAM: usize = 64 * 1024 * 1024;

/// A reader of one answer.
#[derive(Debug)]
pub struct StreamReader {
    decoder: ChatDecoder,
    content: StreamEvent,
    bytes: usize,
}

#[derive(Debug)]
enum StreamEvent {
    /// Only white space has arrived.
    Nothing,
    Events {
        sse: sse::SseDecoder,
        has_events: bool,
        head: Vec<u8>,
    },
    Body(Vec<u8>),
}

impl StreamReader {
    /// Creates a reader. `redactor` redacts secrets in errors; `ids` are the ids that calls must not have.
    pub fn new(provider: &str, redactor: Redactor, ids: Ids) -> Self {
        Self { decoder: ChatDecoder::new(provider, redactor, ids), content: StreamEvent::Nothing, bytes: 0 }
    }

    /// Takes the next bytes; `sink` receives each delta of the answer.
    pub fn push(&mut self, bytes: &[u8], sink: DeltaSink<'_>) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > MAX_STREAM {
            return Err(self
                .decoder
                .malformed_error(&format!("more than {} MiB in one answer", MAX_STREAM / 1024 / 1024)));
        }
        let mut bytes = bytes;
        if matches!(self.content, StreamEvent::Nothing) {
            bytes = bytes.trim_ascii_start();
            match bytes.first() {
                None => return Ok(()),
                Some(b'{' | b'[' | b'<') => self.content = StreamEvent::Body(Vec::new()),
                Some(_) => {
                    self.content = StreamEvent::Events {
                        sse: sse::SseDecoder::new(MAX_EVENT),
                        has_events: false,
                        head: Vec::new(),
                    }
                }
            }
        }
        match &mut self.content {
            StreamEvent::Nothing => Ok(()),
            StreamEvent::Body(body) if body.len() + bytes.len() > MAX_EVENT => Err(self.too_long()),
            StreamEvent::Body(body) => {
                body.extend_from_slice(bytes);
                Ok(())
            }
            StreamEvent::Events { sse, has_events, head } => {
                let mut events = Vec::new();
                let result = sse.push(bytes, &mut events);
                *has_events = *has_events || !events.is_empty();
                if !*has_events {
                    head.extend(bytes.iter().take(errors::MAX_BODY.saturating_sub(head.len())));
                }
                for event in &events {
                    self.decoder.read_event(event, &mut *sink)?;
                }
                result.map_err(|sse::TooLong| self.too_long())
            }
        }
    }

    /// Returns whether the rest of the stream can be ignored.
    pub fn is_done(&self) -> bool {
        self.decoder.is_done()
    }

    /// Returns whether the model has finished; only its usage may still follow.
    pub fn is_finished(&self) -> bool {
        self.decoder.is_finished()
    }

    /// Returns a counter that increases with every part of the answer.
    pub fn progress(&self) -> u64 {
        match &self.content {
            StreamEvent::Body(body) => body.len() as u64,
            StreamEvent::Nothing | StreamEvent::Events { .. } => self.decoder.frames(),
        }
    }

    /// Returns the answer after the last bytes.
    pub fn finish(mut self, sink: DeltaSink<'_>) -> Result<ModelAnswer, ModelError> {
        match std::mem::replace(&mut self.content, StreamEvent::Nothing) {
            StreamEvent::Nothing => {}
            StreamEvent::Body(body) => {
                let text = String::from_utf8_lossy(&body);
                if let Some(page) = errors::page_title(&text) {
                    return Err(self.decoder.page_error(&page));
                }
                self.decoder.read_body(&text, sink)?;
            }
            StreamEvent::Events { sse, has_events, head } => {
                let events = sse.finish();
                if !has_events && events.is_empty() && !self.decoder.is_finished() {
                    return Err(self.decoder.not_a_stream_error(&String::from_utf8_lossy(&head)));
                }
                for event in &events {
                    let is_before_end = !self.decoder.is_finished();
                    // The last event has no end mark: if it is not valid JSON, it was truncated.
                    match self.decoder.read_event(event, &mut *sink) {
                        Err(error) if is_before_end && error.kind == ErrorKind::Malformed => {
                            return Err(self.decoder.broken_off());
                        }
                        Err(error) if is_before_end => return Err(error),
                        _ => {}
                    }
                }
            }
        }
        self.decoder.finish()
    }

    fn too_long(&self) -> ModelError {
        self.decoder.malformed_error(&format!("an event of more than {MAX_EVENT} bytes"))
    }
}
