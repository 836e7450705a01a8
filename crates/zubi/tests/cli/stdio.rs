//! `zubi mcp` as a process: what it prints, and that it ends with its input.

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::check::Sandbox;

/// The lines zubi prints for these messages.
fn converse(messages: &[Value]) -> Vec<Value> {
    converse_in(&Sandbox::new(), messages)
}

pub(crate) fn converse_in(sandbox: &Sandbox, messages: &[Value]) -> Vec<Value> {
    converse_as(&mut sandbox.zubi(), messages)
}

/// The lines of a process with an environment of its own.
pub(crate) fn converse_as(zubi: &mut Command, messages: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = messages.iter().map(Value::to_string).chain([String::new()]).collect();
    let input = lines.join("\n");
    let output = zubi.arg("mcp").write_stdin(input).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn initialize() -> Value {
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

#[test]
fn stdout_has_only_the_protocol() {
    let lines = converse(&[initialize(), json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})]);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["result"]["serverInfo"], json!({"name": "zubi", "version": env!("CARGO_PKG_VERSION")}));
    assert!(lines[1]["result"]["tools"].as_array().unwrap().len() >= 10);
}

/// Toolsets that may be filled later are not misspellings and cause no warning.
#[test]
fn toolsets_filled_later_can_be_selected() {
    let sandbox = Sandbox::new();
    let mcp = ["--toolsets", "declared,contributed,external", "mcp"];
    let output = sandbox.zubi().args(mcp).write_stdin(format!("{}\n", initialize())).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

/// An editor that only opens and closes its session. Meanwhile its server becomes a host and reports that on stderr.
#[test]
fn stdout_of_the_language_server_has_only_the_protocol() {
    let sandbox = Sandbox::new();
    let message = |value: &Value| {
        let text = value.to_string();
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    };
    let folder = json!({ "uri": format!("file://{}", sandbox.path("work").display()), "name": "work" });
    let initialize_params = json!({
        "capabilities": {}, "workspaceFolders": [folder], "initializationOptions": { "zubi": { "editorProtocol": 1 } },
    });
    let input: String = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params }),
        json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "zubi/tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "shutdown" }),
        json!({ "jsonrpc": "2.0", "method": "exit" }),
    ]
    .iter()
    .map(message)
    .collect();
    let output = sandbox.zubi().arg("lsp").write_stdin(input).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut rest = text.as_str();
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let (head, body) = rest.split_once("\r\n\r\n").expect("a header");
        let length: usize = head.strip_prefix("Content-Length: ").expect("nothing but messages").parse().unwrap();
        let (body, next) = body.split_at(length);
        messages.push(serde_json::from_str::<Value>(body).unwrap());
        rest = next;
    }
    assert!(messages.iter().all(|message| message["jsonrpc"] == "2.0"), "{messages:?}");
    assert!(messages.iter().any(|message| message["id"] == 3), "{messages:?}");
}

#[test]
fn empty_input_is_a_normal_end() {
    assert_eq!(converse(&[]), Vec::<Value>::new());
}

/// Every conversation pays for the list: 2,500 tokens, about 10 KB.
#[test]
fn tool_list_is_small() {
    let lines = converse(&[initialize(), json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})]);
    let bytes = lines[1]["result"]["tools"].to_string().len();
    assert!(bytes <= 10 * 1024, "{bytes} bytes");
}

/// If there are models, the list includes the tools that query them, and is still small.
#[test]
fn a_workspace_with_models() {
    let sandbox = Sandbox::new();
    sandbox.write("work/src/shop.dlang", "Team Crew\n");
    let call = json!({"name": "domainlang_list", "arguments": {"type": "teams"}});
    let messages = [
        initialize(),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call}),
        json!({"jsonrpc": "2.0", "id": 4, "method": "resources/list"}),
    ];
    let mut lines = converse_in(&sandbox, &messages);
    lines.sort_by_key(|line| line["id"].as_u64());
    let tools = &lines[1]["result"]["tools"];
    let names = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    let names: Vec<&str> = names.filter(|name| name.starts_with("domainlang_")).collect();
    assert_eq!(names, ["domainlang_validate", "domainlang_list", "domainlang_get", "domainlang_explain"]);
    let bytes = tools.to_string().len();
    assert!(bytes <= 10_000, "{bytes} bytes");
    let text = &lines[2]["result"]["content"][0]["text"];
    assert_eq!(text, r#"{"entityType":"teams","count":1,"results":[{"name":"Crew","fqn":"Crew"}]}"#);
    assert_eq!(lines[3]["result"]["resources"][0]["uri"], "domainlang://syntax-reference");
}

#[test]
fn command_line_and_mcp_report_the_same_error() {
    let sandbox = Sandbox::new();
    for (tool, arguments) in [
        ("lsp_hover", json!({"at": "src/absent.rs:1:1"})),
        ("lsp_hover", json!({})),
        ("undo_edit", json!({"plan": "p-aaaaaaaaaa"})),
        ("lsp_workspace_symbols", json!({"qury": "x"})),
    ] {
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
        let lines = converse_in(&sandbox, &[initialize(), call]);
        let text = lines[1]["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        let output = sandbox.zubi().args(["call", tool, "--json", "--input", &arguments.to_string()]).output().unwrap();
        let cli_answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(cli_answer["error"]["message"], text, "{tool} {arguments}");
    }
}

/// Agents have a shell of their own; zubi's shell must be enabled.
#[test]
fn commands_are_hidden_from_agents_by_default() {
    let messages = |tool: &str, arguments: Value| {
        let call = json!({"name": tool, "arguments": arguments});
        [initialize(), json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})]
    };
    let which_request = || messages("shell_which", json!({"command": "sh"}));
    for (sandbox, case) in [(Sandbox::new(), "nobody asked"), (Sandbox::new(), "a file of the workspace asked")] {
        if case != "nobody asked" {
            sandbox.write("work/.zubi.toml", "toolsets = ['shell', 'tools']\n");
        }
        assert_eq!(converse_in(&sandbox, &which_request())[1]["error"]["code"], -32602, "{case}");
        let nested_call = messages("call_tool", json!({"tool": "shell.which", "arguments": {"command": "sh"}}));
        assert_eq!(converse_in(&sandbox, &nested_call)[1]["result"]["isError"], true, "{case}");
        let found = &converse_in(&sandbox, &messages("find_tools", json!({"query": "run a shell command"})))[1];
        assert!(!found["result"]["content"][0]["text"].as_str().unwrap().contains("shell."), "{found}");
    }
    let sandbox = Sandbox::new();
    sandbox.write("config/zubi/zubi.toml", "toolsets = ['lsp', 'shell']\n");
    let lines = converse_in(&sandbox, &which_request());
    assert!(lines[1]["result"]["content"][0]["text"].as_str().unwrap().contains("/sh"), "{}", lines[1]);
}

/// A start-up failure reaches the client, whichever protocol version it uses; nothing is listed and nothing runs.
#[test]
fn broken_configuration_is_reported_to_the_client() {
    for (file, text) in [
        ("config/zubi/zubi.toml", "read-only = maybe\n"),
        ("work/.zubi.toml", "toolz = []\n"),
        ("work/.zubi.toml", "\u{0}\u{0}"),
        ("config/zubi/servers.toml", "[[server]\n"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(file, text);
        let messages = [
            initialize(),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
            json!({"jsonrpc": "2.0", "id": 3, "method": "server/discover", "params": {}}),
            json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "file_list", "arguments": {}}}),
        ];
        let lines: Vec<String> = messages.iter().map(Value::to_string).chain([String::new()]).collect();
        let input = lines.join("\n");
        let output = sandbox.zubi().arg("mcp").write_stdin(input).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{file}: {stderr}");
        let name = file.rsplit('/').next().unwrap();
        assert!(
            stderr.starts_with("error: ") && (stderr.contains(name) || stderr.contains("catalogue")),
            "{file}: {stderr}"
        );
        let lines = String::from_utf8(output.stdout).unwrap();
        let errors: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(errors.iter().map(|error| error["id"].clone()).collect::<Vec<_>>(), [1, 2, 3, 4], "{lines}");
        for error in errors {
            let message = error["error"]["message"].as_str().unwrap_or_else(|| panic!("{error}"));
            let reason = stderr.lines().next().unwrap().strip_prefix("error: ").unwrap();
            assert!(message.starts_with(&format!("zubi cannot start: {reason}")), "{message}");
        }
    }
}
