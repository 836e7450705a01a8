//! `dlang lsp` as a process: what it prints, and when it ends.

use std::io::Read as _;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::check::Place;

/// Messages as they go over the connection.
fn frames(messages: &[Value]) -> String {
    let frame = |message: &Value| {
        let body = message.to_string();
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    };
    messages.iter().map(frame).collect()
}

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } })
}

#[test]
fn stdout_holds_the_protocol_and_goodbye_is_success() {
    let place = Place::new("//- a.dlang\nDomain D\n");
    let shutdown = json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" });
    let exit = json!({ "jsonrpc": "2.0", "method": "exit" });
    let input = frames(&[initialize(), shutdown, exit]);
    let output = place.dlang().args(["lsp", "--stdio"]).write_stdin(input).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let (header, rest) = stdout.split_once("\r\n\r\n").unwrap();
    let length: usize = header.strip_prefix("Content-Length: ").unwrap().parse().unwrap();
    let answer: Value = serde_json::from_str(rest.get(..length).unwrap()).unwrap();
    assert_eq!(answer["result"]["serverInfo"], json!({ "name": "dlang", "version": env!("CARGO_PKG_VERSION") }));
    let goodbye = json!({ "jsonrpc": "2.0", "id": 2, "result": null });
    assert_eq!(rest.get(length..).unwrap(), frames(&[goodbye]));
}

#[test]
fn an_input_that_ends_without_goodbye_is_a_failure() {
    let output = Place::new("").dlang().arg("lsp").write_stdin(frames(&[initialize()])).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

/// Ends with the test, also when that fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[expect(clippy::disallowed_methods, reason = "programs that have to run while the test goes on")]
fn run(program: &str, arguments: &[&str]) -> Running {
    let mut command = Command::new(program);
    Running(command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap())
}

#[test]
fn it_ends_with_the_editor_although_its_input_is_open() {
    let mut editor = run("/bin/cat", &[]);
    let pid = editor.0.id().to_string();
    let mut server = run(env!("CARGO_BIN_EXE_dlang"), &["lsp", "--stdio", "--clientProcessId", &pid]);
    // Once it has answered it runs.
    let input = server.0.stdin.as_mut().unwrap();
    std::io::Write::write_all(input, frames(&[initialize()]).as_bytes()).unwrap();
    server.0.stdout.as_mut().unwrap().read_exact(&mut [0; 16]).unwrap();
    assert_eq!(server.0.try_wait().unwrap(), None);
    editor.0.kill().unwrap();
    // The end of what is left of it is waited for, too: the server has gone.
    std::io::copy(server.0.stdout.as_mut().unwrap(), &mut std::io::sink()).unwrap();
    assert_eq!(server.0.wait().unwrap().code(), Some(1));
}

#[test]
fn an_editor_that_has_gone_already() {
    // More processes than this Linux cannot have.
    let pid = (1 << 22) + 1;
    let mut server = run(env!("CARGO_BIN_EXE_dlang"), &["lsp", &format!("--clientProcessId={pid}")]);
    assert_eq!(server.0.wait().unwrap().code(), Some(1));
}
