//! Calls of declared tools, from the file to the answer: real JavaScript, real requests to a server on this machine.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use insta::assert_snapshot;

use crate::check::Sandbox;

const FILE: &str = "work/.vscode/agent-tools.json";

/// A trusted file with these tools, none of which requires approval for each call, and rules that allow them.
fn sandbox_with_tools(tools: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.directory("work/.vscode");
    sandbox.write("config/zubi/zubi.toml", "allow = [\"workspace.*\"]\n");
    sandbox.write(FILE, &format!(r#"{{"version": "1.0", "tools": [{tools}]}}"#));
    sandbox.trust();
    sandbox
}

fn tool(id: &str, properties: &str, execution: &str) -> String {
    format!(
        r#"{{"id": "{id}", "name": "T", "description": "What the test of `{id}` calls, and nobody else.", "requiresApproval": false,
        "parameters": {{"type": "object", "properties": {properties}}}, "execution": {execution}}}"#
    )
}

/// A server that sends one answer to the first client; the thread returns the request.
fn server(answer: &'static str) -> (u16, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let request_thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut byte = [0];
        while !request.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            request.push(byte[0]);
        }
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(request).unwrap()
    });
    (port, request_thread)
}

#[test]
fn code_runs_and_calls_other_tools_with_the_rules_of_its_caller() {
    let sum = tool(
        "sum",
        r#"{"a": {"type": "number"}, "b": {"type": "number"}}"#,
        r#"{"type": "inline", "code": "console.log('adding'); return args.a + args.b"}"#,
    );
    let twice = tool(
        "twice",
        r#"{"a": {"type": "number"}}"#,
        r#"{"type": "inline", "code": "return 2 * await tools.call('workspace.sum', {a: args.a, b: 0})"}"#,
    );
    let endless =
        tool("endless", "{}", r#"{"type": "inline", "code": "return await tools.call('workspace.endless', {})"}"#);
    let refused = tool(
        "refused",
        "{}",
        r#"{"type": "inline", "code": "return await tools.call('file.write', {path: 'new.txt', content: 'x'})"}"#,
    );
    let sandbox = sandbox_with_tools(&[sum, twice, endless, refused].join(", "));
    assert_snapshot!(sandbox.check(&["call", "workspace.sum", "--a", "1", "--b", "2"]), @"
    exit 0
    --- stdout
    adding
    3
    ");
    assert_snapshot!(sandbox.check(&["call", "workspace.twice", "--a", "4"]), @"
    exit 0
    --- stdout
    8
    ");
    assert_snapshot!(sandbox.check(&["call", "workspace.endless"]), @"
    exit 1
    --- stderr
    error: Failed to run workspace.endless: 1:20: Failed to run workspace.endless: 1:20: Failed to run workspace.endless: 1:20: Error in workspace.endless: code calls tools that are code, more than 3 deep
    Call the inner tool directly.
    Check the arguments; the code is in the tool's file.
    Check the arguments; the code is in the tool's file.
    hint: Check the arguments; the code is in the tool's file.
    ");
    assert_snapshot!(sandbox.check(&["--read-only", "tools", "show", "workspace.sum"]), @"
    exit 2
    --- stderr
    error: unknown tool `workspace.sum`: it writes, and this session is read-only
    hint: `zubi tools list` lists the tools.
    ");
    assert_snapshot!(sandbox.check(&["--tools", "workspace.*", "call", "workspace.refused"]), @"
    exit 1
    --- stderr
    error: Failed to run workspace.refused: 1:20: Invalid input: tool: `file.write`: it is switched off here (`tools`)
    hint: Check the arguments; the code is in the tool's file.
    ");
    assert!(!sandbox.exists("work/new.txt"));
}

/// X2: the tool sets its own time-out.
#[test]
fn the_time_out_of_a_tool_ends_it() {
    let tool = tool("forever", "{}", r#"{"type": "inline", "code": "for (;;);"}"#)
        .replace("\"name\"", "\"timeout\": 200, \"name\"");
    assert_snapshot!(sandbox_with_tools(&tool).check(&["call", "workspace.forever"]), @"
    exit 3
    --- stderr
    error: Error in workspace.forever: the code ran longer than 200 ms
    hint: Request less work; the tool's `timeout` is the limit.
    ");
}

#[test]
fn http_requests_carry_arguments_and_return_answers() {
    let (port, request_thread) =
        server("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"found\": 42}");
    let execution = format!(r#"{{"type": "http", "url": "http://127.0.0.1:{port}/items/$id?q=$q"}}"#);
    let with_net = |net: &str| {
        tool("find", r#"{"id": {"type": "string"}, "q": {"type": "string"}}"#, &execution)
            .replace("\"name\"", &format!("\"sandbox\": {{\"net\": [{net}]}}, \"name\""))
            .replace("\"parameters\": {", "\"parameters\": {\"required\": [\"id\"], ")
    };
    // A tool must name an address of this machine to use it.
    let refused = sandbox_with_tools(&with_net("")).check(&["call", "workspace.find", "--id", "1"]);
    assert_snapshot!(refused.replace(&port.to_string(), "[PORT]"), @"
    exit 1
    --- stderr
    error: Failed to run workspace.find: `127.0.0.1` is at 127.0.0.1, a loopback address; name the host in `sandbox.net` if it is meant
    hint: The user can add it to `sandbox.net` of the tool in its file.
    ");
    let sandbox = sandbox_with_tools(&with_net(&format!("\"127.0.0.1:{port}\"")));
    let answer = sandbox.check(&["call", "workspace.find", "--id", "a/../b?c=d#e $(id)", "--q", "x&y=z\r\nA: b"]);
    assert_snapshot!(answer.replace(&port.to_string(), "[PORT]"), @r#"
    exit 0
    --- stdout
    {
      "found": 42
    }
    [127.0.0.1:[PORT] · 200]
    "#);
    assert_snapshot!(request_thread.join().unwrap().lines().next().unwrap(), @"GET /items/a%2F..%2Fb%3Fc%3Dd%23e%20%24%28id%29?q=x%26y%3Dz%0D%0AA%3A%20b HTTP/1.1");
}

#[test]
fn unrunnable_tools_report_the_reason() {
    let command = tool("format", "{}", r#"{"type": "command", "command": "editor.action.formatDocument"}"#);
    let function = tool("ask", "{}", r#"{"type": "function", "handler": "kb.ask"}"#);
    let sandbox = sandbox_with_tools(&[command, function].join(", "));
    assert_snapshot!(sandbox.check(&["tools", "show", "workspace.format"]), @"
    exit 0
    --- stdout
    workspace.format: T

    Unavailable here: it is a command of the editor, and no editor is connected. What the test of `format` calls, and nobody else.

    toolset declared, effect execute
    ");
    assert_snapshot!(sandbox.check(&["call", "workspace.format"]), @"
    exit 1
    --- stderr
    error: Failed to run workspace.format: it is unavailable here: it is a command of the editor, and no editor is connected
    hint: Open the workspace in VS Code with zubi's extension, or use another tool.
    ");
    assert_snapshot!(sandbox.check(&["call", "workspace.ask"]), @"
    exit 1
    --- stderr
    error: Failed to run workspace.ask: it is unavailable here: the function it calls is not registered
    hint: It works once an extension or a program registers that function; use another tool until then.
    ");
}

/// X29: tools of an untrusted file do not exist, and the first list says why.
#[test]
fn tools_of_a_changed_file_are_removed_and_reported() {
    let sum = tool("sum", r#"{"a": {"type": "number"}}"#, r#"{"type": "inline", "code": "return args.a"}"#);
    let sandbox = sandbox_with_tools(&sum);
    sandbox.write(
        FILE,
        &format!(r#"{{"version": "1.0", "tools": [{}]}}"#, sum.replace("return args.a", "return args.a + 1")),
    );
    assert_snapshot!(sandbox.check(&["call", "workspace.sum", "--a", "1"]), @"
    exit 3
    --- stderr
    error: unknown tool `workspace.sum`: `.vscode/agent-tools.json` declares it and has changed since it was trusted; the user can review the changes with `zubi trust --diff` and accept them with `zubi trust`
    ");
    assert_snapshot!(sandbox.check(&["--tools", "zubi_find_tools", "call", "zubi_find_tools", "--query", "zzz"]), @"
    exit 0
    --- stdout
    no tool matches `zzz`; available, by toolset:
    query with words of the task, or an id, for input schemas
    left out: `.vscode/agent-tools.json` has changed since it was trusted, so its tool is left out; the user can review it and run `zubi trust`
    ");
    assert_snapshot!(sandbox.check(&["--toolsets", "declared", "tools", "list"]), @"
    exit 0
    --- stderr
    note: `.vscode/agent-tools.json` has changed since it was trusted, so its tool is left out; the user can review it and run `zubi trust`
    ");
}
