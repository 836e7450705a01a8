//! A model server that follows a script, over the real wire format of one of five APIs, byte by byte if necessary.
//!
//! ```ignore
//! let server = Server::start(Dialect::Anthropic, "a-key", vec![
//!     Turn::reply(ScriptedReply::text("I look.").call("file_read", json!({ "path": "a.md"
//! }))).expect(Expect::Tools(vec!["file_read"])),
//!     Turn::reply(ScriptedReply::text("Tea.")).expect(Expect::Outcome("tea")),
//! ]);
//! // … run the program with the server's address …
//! server.finish();
//! ```
//!
//! Owns: listening, the bytes of HTTP and the end of an answer. [`dialects`] has the answers of each API, [`requests`]
//! the expectations on a request. [`tasks`] is a server for agents of other vendors, whose requests no script can list. Only models are replaced in these tests: real ones cost money and answer differently
//! each time.

#![expect(clippy::expect_used, reason = "a test harness: a failed expectation is a failed test")]

use std::io::{BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

pub mod dialects;
pub mod requests;
mod responses;
pub mod tasks;

pub use self::dialects::{Dialect, ScriptedReply, Stop};
pub use self::requests::{Expect, Request};
pub use self::tasks::{TaskOutcome, TaskServer, TaskStep};

/// The default name of the model.
pub const MODEL: &str = "scripted";

/// The context length of the model, for APIs that report it.
pub const CONTEXT: u64 = 32_000;

/// One answer of the server, and the expectations on the request before it.
#[derive(Debug, Clone)]
#[must_use]
pub struct Turn {
    expectations: Vec<Expect>,
    status: u16,
    headers: Vec<(String, String)>,
    body: Body,
    split: usize,
    cut: Option<CutPoint>,
    end: End,
    delay: Duration,
}

#[derive(Debug, Clone)]
enum Body {
    Reply(ScriptedReply),
    /// An error with this message, in the dialect's form.
    Refusal(String),
    Raw(Vec<u8>),
}

/// The point at which an answer breaks off.
#[derive(Debug, Clone)]
enum CutPoint {
    Bytes(usize),
    /// After the first occurrence of this text.
    AfterText(String),
}

/// The behaviour after the last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The answer is complete, with HTTP's end marker.
    Done,
    /// The connection closes; only that marks the end of the answer.
    Close,
    /// The connection is reset.
    Reset,
    /// No more data follows until the client cancels.
    Stall,
}

impl Turn {
    /// An answer in the server's dialect.
    pub fn reply(reply: ScriptedReply) -> Self {
        Self::new(200, Body::Reply(reply))
    }

    /// An error in the server's dialect.
    pub fn refusal(status: u16, message: &str) -> Self {
        Self::new(status, Body::Refusal(message.to_owned()))
    }

    /// A raw body.
    pub fn raw(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::new(status, Body::Raw(body.into()))
    }

    fn new(status: u16, body: Body) -> Self {
        let (expectations, headers, split, cut, delay) = (Vec::new(), Vec::new(), 0, None, Duration::ZERO);
        Self { expectations, status, headers, body, split, cut, end: End::Done, delay }
    }

    /// Adds an expectation on the request. If it is not met, the test fails with the expected and the actual text.
    pub fn expect(mut self, expect: Expect) -> Self {
        self.expectations.push(expect);
        self
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends the answer in chunks of this many bytes.
    pub fn split(mut self, bytes: usize) -> Self {
        self.split = bytes;
        self
    }

    /// Sends only this many bytes.
    pub fn cut_at(mut self, bytes: usize) -> Self {
        self.cut = Some(CutPoint::Bytes(bytes));
        self
    }

    /// Ends the answer after the first occurrence of this text.
    pub fn cut_after(mut self, text: &str) -> Self {
        self.cut = Some(CutPoint::AfterText(text.to_owned()));
        self
    }

    pub fn end(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    /// Delays the first byte; only for tests about time.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The bytes of the body that are sent.
    fn bytes(&self, dialect: Dialect) -> Vec<u8> {
        let mut bytes = match &self.body {
            Body::Reply(reply) => dialect.answer(reply).into_bytes(),
            Body::Refusal(message) => dialect.failure(self.status, message).to_string().into_bytes(),
            Body::Raw(bytes) => bytes.clone(),
        };
        match &self.cut {
            None => {}
            Some(CutPoint::Bytes(at)) => bytes.truncate(*at),
            Some(CutPoint::AfterText(text)) => {
                let at = bytes.windows(text.len()).position(|window| window == text.as_bytes());
                let body = String::from_utf8_lossy(&bytes).into_owned();
                bytes.truncate(at.unwrap_or_else(|| panic!("`{text}` is not in {body}")) + text.len());
            }
        }
        bytes
    }
}

/// The server. Each model request takes the next turn of the script; the server always answers requests for the list of
/// models and for their limits.
pub struct Server {
    port: u16,
    shared: Arc<ServerState>,
}

struct ServerState {
    dialect: Dialect,
    key: String,
    script: Mutex<Script>,
}

#[derive(Default)]
struct Script {
    turns: std::collections::VecDeque<Turn>,
    requests: Vec<Request>,
    mismatches: Vec<String>,
}

impl Server {
    /// Starts a server on a free port. A request must have `key` in the dialect's header and nowhere else; an empty key
    /// requires none.
    pub fn start(dialect: Dialect, key: &str, turns: Vec<Turn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let script = Script { turns: turns.into(), ..Script::default() };
        let shared = Arc::new(ServerState { dialect, key: key.to_owned(), script: Mutex::new(script) });
        let thread_shared = Arc::clone(&shared);
        accept_all(listener, move |stream| thread_shared.serve(stream));
        Self { port, shared }
    }

    /// The address that a provider is configured with.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port, self.shared.dialect.base())
    }

    /// The requests so far, without those for the list of models.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.script().requests.clone()
    }

    /// Fails the test if a request did not meet an expectation, or if a turn is left.
    pub fn finish(self) {
        let script = self.shared.script();
        assert!(script.mismatches.is_empty(), "{}", script.mismatches.join("\n\n"));
        let request_count = script.requests.len();
        assert!(
            script.turns.is_empty(),
            "{request_count} requests were received, {} turns of the script are left",
            script.turns.len()
        );
    }
}

/// Serves each connection in a thread of its own. The threads live as long as the test's process; an unused port is
/// harmless.
fn accept_all(listener: TcpListener, serve: impl Fn(TcpStream) -> std::io::Result<()> + Send + Sync + 'static) {
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = Arc::clone(&serve);
            // Tests cancel clients on purpose.
            thread::spawn(move || drop(serve(stream)));
        }
    });
}

impl ServerState {
    fn script(&self) -> std::sync::MutexGuard<'_, Script> {
        self.script.lock().expect("no thread of the server fails")
    }

    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let Some(request) = Request::read(&mut BufReader::new(&stream))? else { return Ok(()) };
        if request.method == "GET" {
            let listed = self.dialect.models(&[MODEL]).to_string();
            return respond(&mut stream, &Turn::raw(200, listed.clone()), listed.as_bytes());
        }
        if request.path == "/api/show" {
            // Ollama reports the context length of each model.
            let model_info =
                json!({ "model_info": { "general.architecture": "any", "any.context_length": CONTEXT } }).to_string();
            return respond(&mut stream, &Turn::raw(200, model_info.clone()), model_info.as_bytes());
        }
        let turn = self.next(request);
        thread::sleep(turn.delay);
        respond(&mut stream, &turn, &turn.bytes(self.dialect))
    }

    /// Returns the next turn of the script, or an error with the reason why the request is wrong.
    fn next(&self, request: Request) -> Turn {
        let mut script = self.script();
        let number = script.requests.len() + 1;
        let turn = script.turns.pop_front();
        let mut problems = request.problems(self.dialect, &self.key);
        match &turn {
            None => problems.push("the script has no turn for it".to_owned()),
            Some(turn) => {
                problems.extend(turn.expectations.iter().filter_map(|it| it.mismatch(self.dialect, &request).err()));
            }
        }
        let body = serde_json::to_string_pretty(&request.body).unwrap_or_default();
        script.requests.push(request);
        match turn {
            Some(turn) if problems.is_empty() => turn,
            _ => {
                let mismatch = format!("request {number}: {}\nin {body}", problems.join("\n"));
                script.mismatches.push(mismatch.clone());
                Turn::refusal(400, &mismatch)
            }
        }
    }
}

fn respond(stream: &mut TcpStream, turn: &Turn, body: &[u8]) -> std::io::Result<()> {
    let kind = if body.starts_with(b"{") { "application/json" } else { "text/event-stream" };
    let mut headers = vec![("Connection".to_owned(), "close".to_owned())];
    if !turn.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        headers.push(("Content-Type".to_owned(), kind.to_owned()));
    }
    headers.extend(turn.headers.iter().cloned());
    // Only the end of the connection marks the end of this answer.
    let is_chunked = turn.end != End::Close;
    if is_chunked {
        headers.push(("Transfer-Encoding".to_owned(), "chunked".to_owned()));
    }
    let head = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<Vec<_>>().concat();
    stream.write_all(format!("HTTP/1.1 {} Scripted\r\n{head}\r\n", turn.status).as_bytes())?;
    for data in body.chunks(if turn.split == 0 { body.len().max(1) } else { turn.split }) {
        if is_chunked {
            let mut chunk = format!("{:x}\r\n", data.len()).into_bytes();
            chunk.extend_from_slice(data);
            chunk.extend_from_slice(b"\r\n");
            stream.write_all(&chunk)?;
        } else {
            stream.write_all(data)?;
        }
    }
    match turn.end {
        End::Done => stream.write_all(b"0\r\n\r\n"),
        End::Close => Ok(()),
        End::Reset => Ok(rustix::net::sockopt::set_socket_linger(&*stream, Some(Duration::ZERO))?),
        // A client that cancels closes the connection; a byte from it would end the wait too.
        End::Stall => std::io::Read::read(stream, &mut [0]).map(drop),
    }
}

/// A provider's section of `zubi.toml` for the server; the key is read from the variable `SCRIPTED_KEY`.
pub fn configuration(dialect: Dialect, server: &Server) -> String {
    let key = if server.shared.key.is_empty() { "" } else { "key = \"SCRIPTED_KEY\"\n" };
    format!("[models.scripted]\napi = \"{}\"\nurl = \"{}\"\n{key}", dialect.name(), server.url())
}

/// A call in a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The server's id for the call; dialects without ids omit it.
    pub id: String,
    pub tool: String,
    /// The group of tools that has it, as the Responses API calls a tool of an MCP server.
    pub namespace: Option<String>,
    pub arguments: Value,
}

impl Call {
    fn new(number: usize, tool: &str, arguments: Value) -> Self {
        let arguments = if arguments.is_null() { json!({}) } else { arguments };
        Self { id: format!("call_{number}"), tool: tool.to_owned(), namespace: None, arguments }
    }
}
