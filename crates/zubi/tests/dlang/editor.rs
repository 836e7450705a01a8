//! `dlang lsp` as a process: its output, and when it ends.

use std::io::{self, Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::check::Sandbox;

/// A body in the framing of the connection.
fn frame(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

/// Messages in the framing of the connection.
fn frames(messages: &[Value]) -> String {
    messages.iter().map(|message| frame(&message.to_string())).collect()
}

/// Parses the messages that a server wrote.
fn split_messages(mut written: &str) -> Vec<Value> {
    let mut messages = Vec::new();
    while !written.is_empty() {
        let (header, rest) = written.split_once("\r\n\r\n").unwrap();
        let length: usize = header.strip_prefix("Content-Length: ").unwrap().parse().unwrap();
        messages.push(serde_json::from_str(rest.get(..length).unwrap()).unwrap());
        written = rest.get(length..).unwrap();
    }
    messages
}

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } })
}

fn shutdown_and_exit() -> [Value; 2] {
    [json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }), json!({ "jsonrpc": "2.0", "method": "exit" })]
}

#[test]
fn stdout_has_only_the_protocol_and_exit_succeeds() {
    let sandbox = Sandbox::new("//- a.dlang\nDomain D\n");
    let input = frames(&[initialize()]) + &frames(&shutdown_and_exit());
    let output = sandbox.dlang().args(["lsp", "--stdio"]).write_stdin(input).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    let answers = split_messages(&String::from_utf8(output.stdout).unwrap());
    let [initialized, shut_down] = answers.as_slice() else { panic!("two answers to two requests: {answers:?}") };
    assert_eq!(initialized["result"]["serverInfo"], json!({ "name": "dlang", "version": env!("CARGO_PKG_VERSION") }));
    assert_eq!(*shut_down, json!({ "jsonrpc": "2.0", "id": 2, "result": null }));
}

#[test]
fn invalid_message_is_answered_and_session_continues() {
    let bodies = ["{\"jsonrpc\": ", "[]", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":5}"];
    let broken: String = bodies.into_iter().map(frame).collect();
    let input = frames(&[initialize()]) + &broken + &frames(&shutdown_and_exit());
    let output = Sandbox::new("").dlang().arg("lsp").write_stdin(input).output().unwrap();
    let answers = split_messages(&String::from_utf8(output.stdout).unwrap());
    // Two threads answer, so the order can differ.
    let mut errors: Vec<String> = answers
        .iter()
        .filter_map(|answer| {
            Some(format!("{}: {} {}", answer["id"], answer.pointer("/error/code")?, answer["error"]["message"]))
        })
        .collect();
    errors.sort();
    assert_snapshot!(errors.join("\n"), @r#"
    7: -32600 "not a message: invalid type: integer `5`, expected a string at line 1 column 34"
    null: -32600 "neither a request nor an answer"
    null: -32700 "not JSON: EOF while parsing a value at line 1 column 12"
    "#);
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn header_without_a_length_ends_the_server() {
    let input = frames(&[initialize()]) + "Content-Type: text\r\n\r\n{}";
    let output = Sandbox::new("").dlang().arg("lsp").write_stdin(input).output().unwrap();
    assert_snapshot!(String::from_utf8_lossy(&output.stderr), @r"error: the connection failed: expected a header with `Content-Length`, got: Content-Type: text\r\n\r\n{}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn input_end_without_exit_is_a_failure() {
    let output = Sandbox::new("").dlang().arg("lsp").write_stdin(frames(&[initialize()])).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

/// A server that is killed when the test ends, even if the test fails.
struct RunningServer(Child);

impl Drop for RunningServer {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[expect(clippy::disallowed_methods, reason = "programs that have to run while the test goes on")]
fn run(program: &str, arguments: &[&str]) -> RunningServer {
    let mut command = Command::new(program);
    RunningServer(
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap(),
    )
}

#[test]
fn server_ends_with_the_editor_despite_open_input() {
    let mut editor = run("/bin/cat", &[]);
    let pid = editor.0.id().to_string();
    let mut server = run(env!("CARGO_BIN_EXE_dlang"), &["lsp", "--stdio", "--clientProcessId", &pid]);
    // A server that has answered is running.
    let input = server.0.stdin.as_mut().unwrap();
    input.write_all(frames(&[initialize()]).as_bytes()).unwrap();
    server.0.stdout.as_mut().unwrap().read_exact(&mut [0; 16]).unwrap();
    assert_eq!(server.0.try_wait().unwrap(), None);
    editor.0.kill().unwrap();
    // The output ends when the server's last process has ended.
    io::copy(server.0.stdout.as_mut().unwrap(), &mut io::sink()).unwrap();
    assert_eq!(server.0.wait().unwrap().code(), Some(1));
}

/// An editor that starts the server: a shell that passes on its own stdin.
const EDITOR: &str = r#"exec 3<&0; "$0" lsp <&3 & wait"#;

#[test]
fn server_ends_with_the_declared_editor() {
    let mut editor = run("/bin/sh", &["-c", EDITOR, env!("CARGO_BIN_EXE_dlang")]);
    let mut initialize = initialize();
    initialize["params"]["processId"] = json!(editor.0.id());
    // The test holds the input open until its end.
    let mut input = editor.0.stdin.take().unwrap();
    input.write_all(frames(&[initialize]).as_bytes()).unwrap();
    let mut output = editor.0.stdout.take().unwrap();
    output.read_exact(&mut [0; 16]).unwrap();
    editor.0.kill().unwrap();
    // The output ends when the server's last process has ended.
    io::copy(&mut output, &mut io::sink()).unwrap();
    drop(input);
}

#[test]
fn server_exits_when_client_reads_nothing() {
    let mut server = run(env!("CARGO_BIN_EXE_dlang"), &["lsp"]);
    // The test holds the input open, because `wait` would close it.
    let mut input = server.0.stdin.take().unwrap();
    // More answers than a pipe holds, so that the writer blocks.
    let requests: Vec<Value> = (3..2000).map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "unknown" })).collect();
    input.write_all((frames(&[initialize()]) + &frames(&requests) + &frames(&shutdown_and_exit())).as_bytes()).unwrap();
    assert_eq!(server.0.wait().unwrap().code(), Some(0));
    drop(input);
}

#[test]
fn a_process_that_did_not_start_the_server_is_not_its_editor() {
    for pid in [json!(null), json!((1 << 22) + 1), json!(-1), json!("x")] {
        let mut initialize = initialize();
        initialize["params"]["processId"] = pid;
        let input = frames(&[initialize]) + &frames(&shutdown_and_exit());
        let output = Sandbox::new("").dlang().arg("lsp").write_stdin(input).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn server_exits_when_client_process_is_gone() {
    // A process id above Linux's maximum.
    let pid = (1 << 22) + 1;
    let mut server = run(env!("CARGO_BIN_EXE_dlang"), &["lsp", &format!("--clientProcessId={pid}")]);
    assert_eq!(server.0.wait().unwrap().code(), Some(1));
}
