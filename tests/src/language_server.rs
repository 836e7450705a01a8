//! A running `zubi lsp` or `dlang lsp`, and the connection to it; the test is the editor.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A connection to a running language server. If an expected message is missing, the test runner ends the test.
#[derive(Debug)]
pub struct LanguageServer {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl LanguageServer {
    /// Starts the program, sends `initialize` with these parameters, and `initialized`. Also returns the response;
    /// before it, the server may send only messages to show or log.
    pub fn open(mut command: Command, initialize: &Value) -> (Self, Value) {
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let (input, output) = (server.stdin.take().expect("piped"), server.stdout.take().expect("piped"));
        let mut opened = Self { server, input, output: BufReader::new(output), last_id: 0 };
        opened.send(&json!({ "id": 0, "method": "initialize", "params": initialize }));
        let answer = loop {
            let message = opened.receive();
            match message["method"].as_str() {
                None => break message,
                Some("window/logMessage" | "window/showMessage") => {}
                Some(_) => panic!("before the answer to initialize: {message}"),
            }
        };
        opened.send(&json!({ "method": "initialized", "params": {} }));
        (opened, answer["result"].clone())
    }

    /// Sends a message; `jsonrpc` is added.
    pub fn send(&mut self, message: &Value) {
        let mut message = message.clone();
        message["jsonrpc"] = "2.0".into();
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    /// The next message of the server.
    pub fn receive(&mut self) -> Value {
        let mut length = None;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("the server writes") > 0, "the server has ended");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().ok(),
                None if line == "\r\n" => break,
                None => {}
            }
        }
        let mut body = vec![0; length.expect("a length")];
        self.output.read_exact(&mut body).expect("the server writes");
        serde_json::from_slice(&body).expect("JSON")
    }

    /// Sends a request and waits for the response: the whole message, with `result` or `error`. Answers the server's
    /// requests with an empty response, and ignores notifications.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let id = json!(format!("ask {}", self.last_id));
        self.send(&json!({ "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            match (message.get("id"), message.get("method")) {
                (Some(request_id), Some(_)) => self.send(&json!({ "id": request_id, "result": null })),
                (Some(response_id), None) if *response_id == id => return message,
                _ => {}
            }
        }
    }

    /// Sends `shutdown` and `exit`, and returns the exit code.
    pub fn close(mut self) -> Option<i32> {
        self.request("shutdown", &Value::Null);
        self.send(&json!({ "method": "exit" }));
        self.server.wait().expect("the server ends").code()
    }
}
