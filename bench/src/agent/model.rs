//! A scripted model server (OpenAI chat API) that records when requests arrive and when answers are sent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// One request and its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exchange {
    /// When the complete request had been read.
    pub(super) arrived: Instant,
    /// Right before the last part of the answer was written.
    pub(super) sent: Instant,
    /// The size of the request in bytes.
    pub(super) size: usize,
}

/// The server; it serves until the process ends.
pub(super) struct Model {
    port: u16,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
    is_resuming: Arc<AtomicBool>,
}

impl Model {
    /// Starts the server. `script` returns the answer to the request that follows this number of tool results; its
    /// second argument is whether [`Self::set_resuming`] was called.
    pub(super) fn start(script: impl Fn(usize, bool) -> Vec<String> + Send + Sync + 'static) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("a port")?;
        let port = listener.local_addr()?.port();
        let model = Self { port, exchanges: Arc::default(), is_resuming: Arc::default() };
        let (exchanges, is_resuming) = (Arc::clone(&model.exchanges), Arc::clone(&model.is_resuming));
        let script = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (exchanges, is_resuming, script) =
                    (Arc::clone(&exchanges), Arc::clone(&is_resuming), Arc::clone(&script));
                thread::spawn(move || {
                    // The client may have disconnected.
                    drop(serve(&stream, &exchanges, |number| script(number, is_resuming.load(Ordering::Relaxed))));
                });
            }
        });
        Ok(model)
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Makes the script answer as for a resumed conversation.
    pub(super) fn set_resuming(&self) {
        self.is_resuming.store(true, Ordering::Relaxed);
    }

    /// Returns the exchanges since the last call.
    pub(super) fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut self.exchanges.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The frames of a text answer.
pub(super) fn text(text: &str) -> Vec<String> {
    vec![delta(&json!({ "content": text }), None), delta(&json!({}), Some("stop"))]
}

/// The frames of an answer with tool calls; each call has its index.
pub(super) fn calls(calls: &[(usize, &str, Value)]) -> Vec<String> {
    let mut frames: Vec<String> = calls
        .iter()
        .map(|(at, tool, arguments)| {
            let function = json!({ "name": tool, "arguments": arguments.to_string() });
            let id =
                format!("call-{}-{at}", arguments["endLine"].as_u64().or(arguments["number"].as_u64()).unwrap_or(0));
            delta(&json!({ "tool_calls": [{ "index": at, "id": id, "type": "function", "function": function }] }), None)
        })
        .collect();
    frames.push(delta(&json!({}), Some("tool_calls")));
    frames
}

fn delta(delta: &Value, finish: Option<&str>) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    format!("data: {}\n\n", json!({ "id": "c", "object": "chat.completion.chunk", "choices": [choice] }))
}

/// Answers the requests of one connection.
fn serve(
    stream: &TcpStream,
    exchanges: &Mutex<Vec<Exchange>>,
    script: impl Fn(usize) -> Vec<String>,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    while let Some(body) = read_message(&mut reader)? {
        let arrived = Instant::now();
        let request: Value = serde_json::from_slice(&body).unwrap_or_default();
        let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let answers = messages.iter().filter(|message| message["tool_calls"].is_array()).count();
        let frames = script(request["answers"].as_u64().and_then(|it| usize::try_from(it).ok()).unwrap_or(answers));
        write!(writer, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")?;
        let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
        let mut first: String = frames.iter().map(|frame| chunk(frame)).collect();
        let last = format!("{}0\r\n\r\n", chunk("data: [DONE]\n\n"));
        let sent = Instant::now();
        // The next request uses another connection if this one is busy, so this exchange is recorded before the answer
        // is sent.
        let exchange = Exchange { arrived, sent, size: body.len() };
        exchanges.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
        first.push_str(&last);
        writer.write_all(first.as_bytes())?;
    }
    Ok(())
}

/// Reads the body of the next HTTP message; `None` at the end of the connection.
fn read_message(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Vec<u8>>> {
    let (mut length, mut chunked, mut line) = (0, false, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let header = line.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        chunked |= header.starts_with("transfer-encoding:");
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    while chunked {
        line.clear();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk)?;
        chunked = size > 0;
        body.extend(chunk.into_iter().take(size));
    }
    Ok(Some(body))
}

/// Measures the floor: a client that sends `size`-byte requests on one connection and runs `work` in between.
pub(super) fn send_bare_requests(
    model: &Model,
    request_count: usize,
    size: usize,
    work: impl Fn() -> Result<()>,
) -> Result<()> {
    let stream = TcpStream::connect(("127.0.0.1", model.port))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    for number in 0..request_count {
        let body = json!({ "answers": number, "padding": "x".repeat(size) }).to_string();
        let head =
            format!("POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-length: {}\r\n\r\n", body.len());
        (&stream).write_all(format!("{head}{body}").as_bytes())?;
        read_message(&mut reader)?.context("an answer")?;
        work()?;
    }
    Ok(())
}
