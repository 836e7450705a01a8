//! An agent that uses MCP on the level of messages: it begins calls without waiting, cancels them, and has a user who
//! answers forms. [`crate::Zubi`] is the official client, for all other tests.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::hosts::eventually;

/// The time after which a message counts as missing.
const MESSAGE_TIMEOUT: Duration = Duration::from_mins(1);

/// The stderr of a process so far.
#[derive(Debug, Clone, Default)]
pub struct StderrCapture(Arc<Mutex<Vec<u8>>>);

impl StderrCapture {
    /// Captures the stderr of a process, which must be a pipe.
    pub fn capture(child: &mut Child) -> Self {
        let capture = Self::default();
        let (mut pipe, captured) = (child.stderr.take().expect("piped"), Arc::clone(&capture.0));
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = pipe.read(&mut buffer) {
                let read = buffer.get(..length).unwrap_or_default();
                captured.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(read);
            }
        });
        capture
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

/// A running `zubi mcp` and its client. Ends when dropped.
#[derive(Debug)]
pub struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    unread: VecDeque<Value>,
    last_id: u64,
    is_ready: bool,
    /// The user's answer to every form. Without it, the client supports no forms.
    user: Option<Value>,
    forms: Vec<Value>,
    stderr: StderrCapture,
}

impl Agent {
    /// Starts `zubi`, as this command does, with these flags and `mcp`, without waiting for a response.
    pub fn spawn(command: Command, flags: &[&str]) -> Self {
        Self::spawn_with_stderr(command, flags, Stdio::piped())
    }

    /// Starts it in the same way, with this stderr.
    pub fn spawn_with_stderr(mut command: Command, flags: &[&str], stderr: Stdio) -> Self {
        command.args(flags).arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        let mut child = command.spawn().expect("zubi starts");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("piped"));
        let stderr = if child.stderr.is_some() { StderrCapture::capture(&mut child) } else { StderrCapture::default() };
        let (sender, messages) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let unread = VecDeque::new();
        Self { child, input, messages, unread, last_id: 0, is_ready: false, user: None, forms: Vec::new(), stderr }
    }

    /// Adds a user who fills in every form like this. Call it before the first request.
    #[must_use]
    pub fn with_user(mut self, content: Value) -> Self {
        self.user = Some(content);
        self
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The stderr so far.
    pub fn stderr_text(&self) -> String {
        self.stderr.text()
    }

    /// The forms shown to the user.
    pub fn forms(&self) -> &[Value] {
        &self.forms
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{message}").expect("zubi reads");
    }

    /// Performs the handshake, unless it has happened.
    pub fn initialize(&mut self) {
        if !std::mem::replace(&mut self.is_ready, true) {
            let capabilities = if self.user.is_some() { json!({ "elicitation": {} }) } else { json!({}) };
            let client = json!({ "name": "agent", "version": "1" });
            let params = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client });
            self.request("initialize", &params);
            self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
    }

    /// Sends a request without waiting for the response, and returns its number, which is also its progress token.
    pub fn begin(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let number = self.last_id;
        let mut params = params.clone();
        params["_meta"] = json!({ "progressToken": number });
        self.send(&json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params }));
        number
    }

    /// Begins to call a tool.
    pub fn begin_call(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.initialize();
        self.begin("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// The answer to a request: the whole message.
    pub fn answer(&mut self, number: u64) -> Value {
        self.next_matching(|message| message["id"] == number && message["method"].is_null())
    }

    /// Cancels a request.
    pub fn cancel(&mut self, number: u64) {
        let params = json!({ "requestId": number, "reason": "no longer needed" });
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let number = self.begin(method, params);
        self.answer(number)
    }

    /// The unmodified result of a call, or the protocol's error.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let number = self.begin_call(tool, arguments);
        result(&self.answer(number))
    }

    /// The text of a call that must succeed.
    pub fn call_text(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert!(result["isError"] != true && result["content"].is_array(), "{tool}: {result}\n{}", self.stderr_text());
        text(&result)
    }

    /// The text of a call that must fail.
    pub fn call_error(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert!(result["isError"] == true || result["message"].is_string(), "{tool} succeeded: {result}");
        text(&result)
    }

    /// The names of the tools in its list, in order.
    pub fn tools(&mut self) -> Vec<String> {
        self.initialize();
        let listed = result(&self.request("tools/list", &json!({})));
        let tools = listed["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// The message of a request's next progress notification.
    pub fn progress(&mut self, number: u64) -> String {
        let notification = self.next_matching(|message| {
            message["method"] == "notifications/progress" && message["params"]["progressToken"] == number
        });
        notification["params"]["message"].as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the user has filled in one more form.
    pub fn wait_for_form(&mut self) {
        let before = self.forms.len();
        while self.forms.len() == before {
            let message = self.receive();
            self.unread.extend(message);
        }
    }

    /// The next message; `None` if it was a form, which the user has filled in.
    fn receive(&mut self) -> Option<Value> {
        let message = self.messages.recv_timeout(MESSAGE_TIMEOUT);
        let message = message.unwrap_or_else(|why| panic!("no message: {why}\n{}", self.stderr_text()));
        if message["method"] != "elicitation/create" {
            return Some(message);
        }
        let content = self.user.clone().unwrap_or_else(|| panic!("a form for a client without: {message}"));
        let answer = json!({ "action": "accept", "content": content });
        self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer }));
        self.forms.push(message["params"].clone());
        None
    }

    /// The next matching message. Earlier ones stay unread, except for forms, which the user fills in.
    fn next_matching(&mut self, predicate: impl Fn(&Value) -> bool) -> Value {
        if let Some(message) = self.unread.iter().position(&predicate).and_then(|at| self.unread.remove(at)) {
            return message;
        }
        loop {
            match self.receive() {
                Some(message) if predicate(&message) => return message,
                Some(message) => self.unread.push_back(message),
                None => {}
            }
        }
    }

    /// Kills the process and waits until it has ended.
    pub fn kill(&mut self) {
        self.child.kill().expect("a child");
        self.child.wait().expect("a child");
    }

    /// Closes the server's input and waits until the process has ended.
    pub fn close(mut self) -> ExitStatus {
        drop(self.input.take());
        self.wait_for_exit()
    }

    /// Waits until the process has ended.
    pub fn wait_for_exit(&mut self) -> ExitStatus {
        eventually("zubi ends", MESSAGE_TIMEOUT, || self.child.try_wait().expect("a child"))
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // SIGKILL ends even a suspended process, and all processes that it has started end with it.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The result of an answer, or its error.
fn result(answer: &Value) -> Value {
    if answer["error"].is_null() { answer["result"].clone() } else { answer["error"].clone() }
}

/// The text of a call's result, or the message of the protocol's error.
pub fn text(result: &Value) -> String {
    let text = result["content"][0]["text"].as_str().or_else(|| result["message"].as_str());
    text.unwrap_or_else(|| panic!("no text: {result}")).to_owned()
}
