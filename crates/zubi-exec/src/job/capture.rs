//! The output of a program: stored in full, with its beginning and end in memory.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::store::{MAX_OUTPUT, OutputId, OutputStore, Writer};

/// The size of the beginning and of the end of each output in memory, in bytes.
const HEAD: usize = 16 * 1024;
const TAIL: usize = 16 * 1024;

/// The maximum size of one read, in bytes.
const CHUNK: usize = 64 * 1024;

/// The replacement of a secret.
const REDACTED: &[u8] = b"(redacted)";

/// Both outputs of a job.
#[derive(Debug, Clone)]
pub struct Streams {
    pub(super) stdout: Stream,
    pub(super) stderr: Stream,
}

impl Streams {
    pub(super) fn new(store: &OutputStore, secrets: &[String]) -> io::Result<Self> {
        Ok(Self { stdout: Stream::new(store, secrets)?, stderr: Stream::new(store, secrets)? })
    }

    /// Returns both outputs so far.
    pub fn output(&self) -> (CapturedOutput, CapturedOutput) {
        (self.stdout.lock().view(None), self.stderr.lock().view(None))
    }

    /// Stores both outputs permanently.
    pub(super) async fn persist(&self, store: &OutputStore) -> io::Result<(CapturedOutput, CapturedOutput)> {
        let (store, streams) = (store.clone(), self.clone());
        let persist = move || Ok((streams.stdout.persist(&store)?, streams.stderr.persist(&store)?));
        tokio::task::spawn_blocking(persist).await.map_err(io::Error::other)?
    }
}

/// One output while it is written.
#[derive(Debug, Clone)]
pub(super) struct Stream(Arc<Mutex<CapturedOutput>>, Arc<Mutex<Sink>>);

#[derive(Debug)]
struct Sink {
    writer: Option<Writer>,
    /// Sorted by length, longest first, because one secret may be the prefix of another.
    secrets: Vec<Vec<u8>>,
    /// Bytes that may be the beginning of a secret whose rest has not arrived yet.
    pending: Vec<u8>,
}

/// One output of a job.
#[derive(Debug, Clone, Default)]
pub struct CapturedOutput {
    /// The handle of the stored output; `None` while the job runs, and for an empty output.
    pub id: Option<OutputId>,
    /// The size of the whole output, in bytes and in lines (including an unfinished last one).
    pub bytes: u64,
    pub lines: u64,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    ends_in_line: bool,
}

impl CapturedOutput {
    /// Stores a text as if a program had printed it. Blocks.
    pub fn store_text(store: &OutputStore, text: &str) -> io::Result<Self> {
        let stream = Stream::new(store, &[])?;
        stream.append(text.as_bytes(), true);
        stream.persist(store)
    }

    /// Whether the output was longer than the stored part.
    pub fn is_cut_in_store(&self) -> bool {
        self.bytes > MAX_OUTPUT
    }

    /// Returns the text in memory: the whole text, or its beginning and end with a line in between that counts the
    /// omitted bytes.
    pub fn text(&self) -> String {
        self.excerpt(HEAD + TAIL)
    }

    /// Returns about `bytes` bytes of the text at most.
    pub fn excerpt(&self, bytes: usize) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let is_whole = self.bytes == (self.head.len() + tail.len()) as u64;
        if is_whole && self.head.len() + tail.len() <= bytes {
            return String::from_utf8_lossy(&[self.head.as_slice(), &tail].concat()).into_owned();
        }
        let (available, first);
        if is_whole {
            available = [self.head.as_slice(), &tail].concat();
            first = available.as_slice();
        } else {
            first = self.head.as_slice();
        }
        let last = if is_whole { first } else { tail.as_slice() };
        let start = whole_lines_from_start(first.get(..bytes / 2).unwrap_or(first));
        let end = whole_lines_to_end(last.get(last.len().saturating_sub(bytes / 2)..).unwrap_or(last));
        let omitted = self.bytes.saturating_sub((start.len() + end.len()) as u64);
        format!(
            "{}\n… {omitted} bytes of {} are not shown …\n{}",
            String::from_utf8_lossy(start).trim_end_matches('\n'),
            self.bytes,
            String::from_utf8_lossy(end)
        )
    }

    /// Whether a view of `bytes` bytes omits something.
    pub fn is_cut(&self, bytes: usize) -> bool {
        self.bytes > bytes.min(HEAD + TAIL) as u64
    }

    /// Returns the text after the first `offset` bytes. If it is longer than about `bytes`, returns its end and a line
    /// that counts the omitted bytes.
    pub fn text_since(&self, offset: u64, bytes: usize) -> String {
        let new = self.bytes.saturating_sub(offset);
        let (head, tail) = (self.head.iter().copied(), self.tail.iter().copied());
        let is_whole = self.bytes == (self.head.len() + self.tail.len()) as u64;
        let available: Vec<u8> = if is_whole { head.chain(tail).collect() } else { tail.collect() };
        let visible = usize::try_from(new).unwrap_or(usize::MAX).min(bytes).min(available.len());
        let text = String::from_utf8_lossy(available.get(available.len() - visible..).unwrap_or_default()).into_owned();
        match new - visible as u64 {
            0 => text,
            omitted => format!("… {omitted} bytes are not shown …\n{text}"),
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let line_breaks = bytes.split(|byte| *byte == b'\n').count() as u64 - 1;
        // An unfinished line has already been counted.
        self.lines -= u64::from(self.ends_in_line);
        self.ends_in_line = bytes.last() != Some(&b'\n');
        self.lines += line_breaks + u64::from(self.ends_in_line);
        self.bytes += bytes.len() as u64;
        let remaining = HEAD - self.head.len();
        let (head, rest) = bytes.split_at(remaining.min(bytes.len()));
        self.head.extend_from_slice(head);
        let rest = rest.get(rest.len().saturating_sub(TAIL)..).unwrap_or(rest);
        let surplus = (self.tail.len() + rest.len()).saturating_sub(TAIL);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    fn view(&self, id: Option<OutputId>) -> Self {
        Self { id, ..self.clone() }
    }
}

fn whole_lines_from_start(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(bytes.len(), |position| position + 1);
    bytes.get(..end).unwrap_or(bytes)
}

fn whole_lines_to_end(bytes: &[u8]) -> &[u8] {
    // The last line may be the whole text.
    let start =
        bytes.iter().position(|byte| *byte == b'\n').map(|position| position + 1).filter(|start| *start < bytes.len());
    bytes.get(start.unwrap_or(0)..).unwrap_or(bytes)
}

impl Stream {
    fn new(store: &OutputStore, secrets: &[String]) -> io::Result<Self> {
        let secrets = secrets.iter().filter(|secret| !secret.is_empty()).map(|secret| secret.clone().into_bytes());
        let mut secrets: Vec<_> = secrets.collect();
        secrets.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
        let sink = Sink { writer: Some(store.create()?), secrets, pending: Vec::new() };
        Ok(Self(Arc::default(), Arc::new(Mutex::new(sink))))
    }

    fn lock(&self) -> MutexGuard<'_, CapturedOutput> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sink(&self) -> MutexGuard<'_, Sink> {
        self.1.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a pipe to its end.
    pub(super) async fn fill(self, pipe: Option<impl AsyncRead + Unpin + Send>) {
        let Some(mut pipe) = pipe else { return };
        loop {
            let mut chunk = Vec::with_capacity(CHUNK);
            match pipe.read_buf(&mut chunk).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {
                    let stream = self.clone();
                    // Writing to a file may block.
                    if tokio::task::spawn_blocking(move || stream.append(&chunk, false)).await.is_err() {
                        break;
                    }
                }
            }
        }
    }

    /// Adds bytes and redacts secrets in them.
    fn append(&self, bytes: &[u8], last: bool) {
        let mut sink = self.sink();
        sink.pending.extend_from_slice(bytes);
        let redacted = sink.take_redacted(last);
        if let Some(writer) = &mut sink.writer
            && let Err(error) = writer.write(&redacted)
        {
            tracing::warn!(%error, "cannot store the whole output");
            sink.writer = None;
        }
        self.lock().add(&redacted);
    }

    fn persist(&self, store: &OutputStore) -> io::Result<CapturedOutput> {
        self.append(&[], true);
        let writer = self.sink().writer.take();
        let is_empty = self.lock().bytes == 0;
        let id = writer.filter(|_| !is_empty).map(|writer| store.persist(writer)).transpose()?;
        Ok(self.lock().view(id))
    }
}

impl Sink {
    /// Returns the pending bytes that can no longer be part of a secret, or all of them if `last`.
    fn take_redacted(&mut self, last: bool) -> Vec<u8> {
        let pending = std::mem::take(&mut self.pending);
        if self.secrets.is_empty() {
            return pending;
        }
        let mut output = Vec::with_capacity(pending.len());
        let mut rest = pending.as_slice();
        while let Some(first) = rest.first() {
            if !last && self.secrets.iter().any(|secret| secret.len() > rest.len() && secret.starts_with(rest)) {
                self.pending = rest.to_vec();
                break;
            } else if let Some(secret) = self.secrets.iter().find(|secret| rest.starts_with(secret)) {
                output.extend_from_slice(REDACTED);
                rest = rest.get(secret.len()..).unwrap_or_default();
            } else {
                output.push(*first);
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        output
    }
}

#[cfg(test)]
mod tests;
