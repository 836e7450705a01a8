//! A program that contributes a tool to a host and records when the tool is called.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

/// The contributor, and a second client that calls the tool directly.
pub(super) struct Contributor {
    call_times: Arc<Mutex<Vec<Instant>>>,
    caller: UnixStream,
}

impl Contributor {
    /// Registers `bench.tick` with the host of this socket.
    pub(super) fn connect(socket: &str) -> Result<Self> {
        let stream = UnixStream::connect(socket).context("the socket")?;
        let tool = json!({
            "id": "tick", "description": "Notes when it is called.", "effect": "read",
            "input": {
                "type": "object",
                "properties": { "number": { "type": "integer", "description": "Which call it is." } },
                "required": ["number"],
            },
        });
        let mut reader = BufReader::new(stream.try_clone()?);
        let register = json!({ "client": "bench", "tools": [tool] });
        send_request(&stream, &mut reader, "tools/register", &register)?;
        let call_times: Arc<Mutex<Vec<Instant>>> = Arc::default();
        let recorder = Arc::clone(&call_times);
        thread::spawn(move || {
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 0) {
                let now = Instant::now();
                let message: Value = serde_json::from_str(&line).unwrap_or_default();
                line.clear();
                if message["method"] == "tools/invoke" {
                    recorder.lock().unwrap_or_else(PoisonError::into_inner).push(now);
                    let result = json!({ "success": true, "data": message["params"]["arguments"] });
                    let reply = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                    // The host may have disconnected.
                    drop((&stream).write_all(format!("{reply}\n").as_bytes()));
                }
            }
        });
        Ok(Self { call_times, caller: UnixStream::connect(socket).context("the socket")? })
    }

    /// Returns the times of the calls since the last `take`.
    pub(super) fn take(&self) -> Vec<Instant> {
        std::mem::take(&mut self.call_times.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls the tool and returns the time until the tool received the call.
    pub(super) fn call(&self, number: usize) -> Result<Duration> {
        let mut reader = BufReader::new(self.caller.try_clone()?);
        let start = Instant::now();
        let call = json!({ "tool": "bench.tick", "arguments": { "number": number } });
        send_request(&self.caller, &mut reader, "tools/call", &call)?;
        let call_times = self.take();
        Ok(call_times.first().context("the tool received no call")?.duration_since(start))
    }
}

/// Sends one request and returns its response.
fn send_request(
    mut stream: &UnixStream,
    reader: &mut BufReader<UnixStream>,
    method: &str,
    params: &Value,
) -> Result<()> {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    stream.write_all(format!("{message}\n").as_bytes())?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 {
        let reply: Value = serde_json::from_str(&line)?;
        line.clear();
        if reply["id"] == 1 && reply.get("method").is_none() {
            ensure!(reply.get("error").is_none(), "{method}: {reply}");
            return Ok(());
        }
    }
    anyhow::bail!("{method}: the host has closed the connection")
}
