//! A child process that uses JSON-RPC over its pipes, with timed responses. Both protocols use this client, so that a
//! comparison does not depend on the client.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

/// The framing of messages on the pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// `Content-Length` headers (LSP).
    Headers,
    /// One line per message (MCP).
    Lines,
}

/// The maximum wait for a response; rust-analyzer first builds all build scripts of a large project.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);

/// A message, the time when it had arrived completely, and its length in bytes.
#[derive(Debug)]
pub(crate) struct TimedMessage {
    pub(crate) received_at: Instant,
    pub(crate) bytes: usize,
    pub(crate) message: Value,
}

/// A response, with the time since the request was sent.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) elapsed: Duration,
    pub(crate) bytes: usize,
    pub(crate) result: Value,
}

/// An error response, with the time since the request was sent.
#[derive(Debug)]
pub(crate) struct ErrorResponse {
    pub(crate) code: i64,
    pub(crate) elapsed: Duration,
    text: String,
}

impl std::fmt::Display for ErrorResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the answer is an error: {} ({})", self.text, self.code)
    }
}

impl std::error::Error for ErrorResponse {}

/// A request that has been sent.
#[derive(Debug)]
pub(crate) struct PendingRequest {
    id: i64,
    sent: Instant,
}

impl PendingRequest {
    /// Returns this request, timed from an earlier moment: when a message that belongs to it was sent.
    pub(crate) fn timed_from(self, sent: Instant) -> Self {
        Self { sent, ..self }
    }
}

/// The child and its pipes.
#[derive(Debug)]
pub(crate) struct Wire {
    child: Child,
    input: Option<Input>,
    arrivals: Receiver<TimedMessage>,
    waiting: BTreeMap<i64, TimedMessage>,
    /// Notifications in the order of arrival, until a caller takes them.
    pub(crate) notifications: Vec<TimedMessage>,
    next: i64,
    pub(crate) started: Instant,
}

#[derive(Debug, Clone)]
struct Input {
    pipe: Arc<Mutex<ChildStdin>>,
    framing: Framing,
}

impl Input {
    fn send(&self, message: &Value) -> Result<()> {
        let text = message.to_string();
        let framed = match self.framing {
            Framing::Headers => format!("Content-Length: {}\r\n\r\n{text}", text.len()),
            Framing::Lines => format!("{text}\n"),
        };
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        pipe.write_all(framed.as_bytes()).and_then(|()| pipe.flush()).context("the program closed its input")
    }
}

/// Answers a request of the other side; `None` sends an error response.
pub(crate) type Serve = Box<dyn Fn(&str, &Value) -> Option<Value> + Send>;

impl Wire {
    /// Starts a program.
    pub(crate) fn start(mut command: Command, framing: Framing, serve: Serve) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let started = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let input = Input { pipe: Arc::new(Mutex::new(child.stdin.take().context("piped")?)), framing };
        let output = child.stdout.take().context("piped")?;
        let (arrived, arrivals) = channel();
        let replies = Arc::downgrade(&input.pipe);
        std::thread::spawn(move || read(BufReader::new(output), framing, &serve, &replies, &arrived));
        let (waiting, notifications) = (BTreeMap::new(), Vec::new());
        Ok(Self { child, input: Some(input), arrivals, waiting, notifications, next: 0, started })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn notify(&self, method: &str, params: &Value) -> Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Sends a request without waiting for its response.
    pub(crate) fn send_request(&mut self, method: &str, params: &Value) -> Result<PendingRequest> {
        self.next += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        let sent = Instant::now();
        self.send(&message)?;
        Ok(PendingRequest { id: self.next, sent })
    }

    /// Waits for the response to a request.
    pub(crate) fn answer(&mut self, request: &PendingRequest) -> Result<Reply> {
        loop {
            if let Some(arrived) = self.waiting.remove(&request.id) {
                let TimedMessage { received_at: at, bytes, mut message } = arrived;
                let elapsed = at - request.sent;
                if let Some(code) = message["error"]["code"].as_i64() {
                    let text = message["error"]["message"].as_str().unwrap_or_default().to_owned();
                    return Err(ErrorResponse { code, elapsed, text }.into());
                }
                return Ok(Reply { elapsed, bytes, result: message["result"].take() });
            }
            let arrived = self.next_arrival()?;
            self.store(arrived);
        }
    }

    /// Sends a request and waits for its response.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Reply> {
        let request = self.send_request(method, params)?;
        self.answer(&request)
    }

    /// Waits for a notification that satisfies a condition and drops earlier ones. Returns the time of its arrival.
    pub(crate) fn wait_for_notification(&mut self, mut condition: impl FnMut(&Value) -> bool) -> Result<Instant> {
        loop {
            for arrived in std::mem::take(&mut self.notifications) {
                if condition(&arrived.message) {
                    return Ok(arrived.received_at);
                }
            }
            let arrived = self.next_arrival()?;
            self.store(arrived);
        }
    }

    /// Closes the program's input.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    fn send(&self, message: &Value) -> Result<()> {
        self.input.as_ref().context("the input is closed")?.send(message)
    }

    fn next_arrival(&self) -> Result<TimedMessage> {
        match self.arrivals.recv_timeout(ANSWER_TIMEOUT) {
            Ok(arrived) => Ok(arrived),
            Err(RecvTimeoutError::Timeout) => bail!("no answer within {} s", ANSWER_TIMEOUT.as_secs()),
            Err(RecvTimeoutError::Disconnected) => bail!("the program ended"),
        }
    }

    fn store(&mut self, arrived: TimedMessage) {
        match arrived.message["id"].as_i64() {
            Some(id) => drop(self.waiting.insert(id, arrived)),
            None => self.notifications.push(arrived),
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        // The program may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Reads until the pipe ends. The reader has only a weak reference to the input for its replies, so that the owner can
/// close it.
fn read(
    mut output: BufReader<ChildStdout>,
    framing: Framing,
    serve: &Serve,
    input: &Weak<Mutex<ChildStdin>>,
    arrived: &Sender<TimedMessage>,
) {
    while let Some(text) = message(&mut output, framing) {
        let at = Instant::now();
        let Ok(message) = serde_json::from_slice::<Value>(&text) else { continue };
        match (message["method"].as_str(), message.get("id")) {
            (Some(method), Some(id)) => {
                let reply = match serve(method, &message["params"]) {
                    Some(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    None => json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "unknown" } }),
                };
                if let Some(pipe) = input.upgrade() {
                    // The program may have ended meanwhile.
                    Input { pipe, framing }.send(&reply).ok();
                }
            }
            _ => {
                if arrived.send(TimedMessage { received_at: at, bytes: text.len(), message }).is_err() {
                    return;
                }
            }
        }
    }
}

/// Reads the next message; `None` at the end of the output.
pub(crate) fn message(output: &mut impl BufRead, framing: Framing) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    match framing {
        Framing::Lines => (output.read_until(b'\n', &mut line).ok()? > 0).then_some(line),
        Framing::Headers => {
            let mut length = 0;
            loop {
                line.clear();
                if output.read_until(b'\n', &mut line).ok()? == 0 {
                    return None;
                }
                let header = String::from_utf8_lossy(&line).trim().to_ascii_lowercase();
                if header.is_empty() {
                    break;
                }
                if let Some(value) = header.strip_prefix("content-length:") {
                    length = value.trim().parse().ok()?;
                }
            }
            let mut body = vec![0; length];
            output.read_exact(&mut body).ok()?;
            Some(body)
        }
    }
}
