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
    assert!(bytes <= 9_500, "{bytes} bytes");
    for tool in lines[1]["result"]["tools"].as_array().unwrap() {
        let undescribed = find_undescribed(&tool["inputSchema"]);
        assert!(undescribed.is_empty(), "{}: {undescribed:?}", tool["name"]);
    }
}

/// Returns the properties of a schema, at any depth, that have no description.
fn find_undescribed(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if property["description"].as_str().is_none_or(str::is_empty) {
            found.push(name.clone());
        }
        found.extend(find_undescribed(property));
        found.extend(find_undescribed(&property["items"]));
    }
    found
}

/// Returns the names of the listed tools, and the instructions, of a session with these flags.
fn list(sandbox: &Sandbox, flags: &[&str]) -> (Vec<String>, String) {
    let messages = [initialize(), json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})];
    let lines = converse_as(sandbox.zubi().args(flags), &messages);
    let tools = lines[1]["result"]["tools"].as_array().unwrap();
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    (names, lines[0]["result"]["instructions"].as_str().unwrap().to_owned())
}

/// F3: a filter must not hide what it names.
#[test]
fn a_named_toolset_is_listed_directly() {
    let sandbox = Sandbox::new();
    let (default, _) = list(&sandbox, &[]);
    assert_eq!(list(&sandbox, &["--toolsets", "default"]).0, default);
    let (all, _) = list(&sandbox, &["--toolsets", "all"]);
    for (flags, expected, unexpected) in [
        (["--toolsets", "shell"], vec!["shell_run", "shell_job"], vec!["lsp_hover", "apply_edit"]),
        (["--toolsets", "file"], vec!["file_read", "file_edit", "undo_edit"], vec!["apply_edit", "shell_run"]),
        (["--tools", "shell.run"], vec!["shell_run"], vec!["shell_job", "apply_edit", "zubi_find_tools"]),
        (["--tools", "lsp_rename_symbol"], vec!["lsp_rename_symbol", "apply_edit", "undo_edit"], vec!["lsp_hover"]),
        (["--tools", "lsp_hover"], vec!["lsp_hover"], vec!["apply_edit", "undo_edit"]),
        (["--toolsets", "shell,lsp"], vec!["shell_run", "lsp_explain", "apply_edit"], vec!["zubi_find_tools"]),
        (["--toolsets", "lsp,!edit"], vec!["lsp_explain"], vec!["apply_edit", "undo_edit"]),
        (["--toolsets", "default,shell"], vec!["shell_run", "apply_edit", "zubi_find_tools"], vec!["lsp_hover"]),
        (["--toolsets", "all"], vec!["shell_run", "lsp_hover", "rename_file", "file_read"], vec![]),
        (["--toolsets", "all,!shell"], vec!["lsp_hover"], vec!["shell_run"]),
        (["--tools", "find_tools"], vec!["zubi_find_tools"], vec!["zubi_call_tool"]),
    ] {
        let (listed, _) = list(&sandbox, &flags);
        for name in expected {
            assert!(listed.iter().any(|tool| tool == name), "{flags:?}: {name} is not in {listed:?}");
        }
        for name in unexpected {
            assert!(listed.iter().all(|tool| tool != name), "{flags:?}: {name} is in {listed:?}");
            assert!(all.iter().any(|tool| tool == name), "{name}");
        }
    }
}

#[test]
fn an_unknown_toolset_or_tool_is_an_error_with_the_valid_names() {
    let sandbox = Sandbox::new();
    for (flags, message, hint) in [
        (["--toolsets", "bogus"], "there is no toolset `bogus` (command line)", "There are: all, default, lsp, "),
        (["--toolsets", "lsp,fle"], "there is no toolset `fle` (command line)", "There are: all, default, lsp, "),
        (["--tools", "lsp_hovr"], "there is no tool `lsp_hovr` (command line)", "Did you mean `lsp_hover`? "),
    ] {
        let output = sandbox.zubi().args(flags).arg("mcp").write_stdin(format!("{}\n", initialize())).output().unwrap();
        let (stderr, stdout) = (String::from_utf8(output.stderr).unwrap(), String::from_utf8(output.stdout).unwrap());
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {stderr}");
        // The client shows the response to its user, and hides stderr.
        for text in [stderr, stdout] {
            assert!(text.contains(message) && text.contains(hint), "{flags:?}: {text}");
        }
    }
}

/// F23: the instructions are paid for in every conversation.
#[test]
fn instructions_mention_only_listed_tools() {
    let sandbox = Sandbox::new();
    let models = Sandbox::new();
    models.write("work/shop.dlang", "Team Crew\n");
    let (all, _) = list(&sandbox, &["--toolsets", "all"]);
    for (sandbox, flags) in [
        (&sandbox, vec![]),
        (&sandbox, vec!["--read-only"]),
        (&sandbox, vec!["--toolsets", "shell,lsp"]),
        (&sandbox, vec!["--toolsets", "shell"]),
        (&sandbox, vec!["--toolsets", "all"]),
        (&sandbox, vec!["--tools", "lsp_hover"]),
        (&models, vec![]),
    ] {
        let (listed, instructions) = list(sandbox, &flags);
        assert!(instructions.chars().count() <= 1_500, "{} characters: {instructions}", instructions.len());
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        for word in instructions.split(|c| !is_word(c)).filter(|word| word.contains('_')) {
            assert!(listed.iter().any(|tool| tool == word), "{flags:?}: `{word}` is not listed: {instructions}");
            assert!(all.iter().any(|tool| tool == word), "`{word}` is not a tool");
        }
        let about_models = instructions.contains("DomainLang");
        let has_models = std::ptr::eq(sandbox, &raw const models) || flags == ["--toolsets", "all"];
        assert_eq!(about_models, has_models, "{flags:?}: {instructions}");
    }
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
    assert_eq!(names, ["domainlang_validate"]);
    let bytes = tools.to_string().len();
    assert!(bytes <= 9_500, "{bytes} bytes");
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
        let nested_call = messages("zubi_call_tool", json!({"tool": "shell.which", "arguments": {"command": "sh"}}));
        assert_eq!(converse_in(&sandbox, &nested_call)[1]["result"]["isError"], true, "{case}");
        let found = &converse_in(&sandbox, &messages("zubi_find_tools", json!({"query": "run a shell command"})))[1];
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
