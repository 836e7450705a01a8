//! Every surface passes the policy: with a rule that denies everything, each surface's call fails, names the rule, and
//! appears once in the audit log.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::check::Sandbox;
use crate::stdio::{converse_in, initialize};

/// A place in which these tools are denied, with a tool of the workspace whose code reads a file.
fn deny_tools(tools: &str) -> Sandbox {
    let place = Sandbox::new();
    place.directory("work/.vscode");
    place.write("work/notes.md", "secret\n");
    let tool = json!({
        "id": "look", "name": "Look", "description": "Reads a file by calling the tool that does so.", "requiresApproval": false,
        "parameters": {"type": "object", "properties": {}},
        "execution": {"type": "inline", "code": "return await tools.call('file.read', {path: 'notes.md'})"},
    });
    place.write("work/.vscode/agent-tools.json", &json!({"version": "1.0", "tools": [tool]}).to_string());
    place.trust();
    let rules = format!(
        "allow = ['workspace.*']\n[[policy]]\naction = 'deny'\ntools = ['{tools}']\nreason = 'nothing is to be done here'\n"
    );
    place.write("config/zubi/zubi.toml", &rules);
    place
}

/// The entries of the audit log: surface, tool, decision and outcome of each call.
fn audit_lines(place: &Sandbox) -> Vec<String> {
    let text = place.read("state/zubi/audit/audit.jsonl");
    let line = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        let word = |name: &str| record[name].as_str().unwrap().to_owned();
        format!("{} {} {} {}", word("surface"), word("tool"), word("decision"), word("outcome"))
    };
    text.lines().map(line).collect()
}

/// A call through `zubi call`: its code and its text.
fn command_line(place: &Sandbox, tool: &str, arguments: &Value) -> (String, String) {
    let output = place.zubi().args(["call", tool, "--json", "--input", &arguments.to_string()]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let word = |name: &str| answer["error"][name].as_str().unwrap().to_owned();
    (word("code"), word("message"))
}

/// A call over MCP: its text.
fn mcp(place: &Sandbox, tool: &str, arguments: &Value) -> String {
    let call = json!({"name": tool, "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call});
    let lines = converse_in(place, &[initialize(), call]);
    assert_eq!(lines[1]["result"]["isError"], true, "{}", lines[1]);
    lines[1]["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

/// A request of an editor, and the answer.
fn editor(place: &Sandbox, method: &str, params: &Value) -> Value {
    let mut child = place.process();
    let child = child.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = child.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let root = url_of(place);
    let options = json!({"zubi": {"editorProtocol": 1}});
    let folders = json!([{"uri": root, "name": "work"}]);
    let params_of_start = json!({"capabilities": {}, "initializationOptions": options, "workspaceFolders": folders});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params_of_start}),
        json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": method, "params": params}),
    ] {
        let body = message.to_string();
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }
    let (sender, answers) = mpsc::channel();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    // Ends with the program's output.
    std::thread::spawn(move || {
        loop {
            let mut header = String::new();
            while !header.ends_with("\r\n\r\n") {
                if output.read_line(&mut header).unwrap_or_default() == 0 {
                    return;
                }
            }
            let length = header.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
            let mut body = vec![0; length.trim().parse().unwrap()];
            output.read_exact(&mut body).unwrap();
            sender.send(serde_json::from_slice::<Value>(&body).unwrap()).ok();
        }
    });
    let answer = std::iter::from_fn(|| answers.recv_timeout(Duration::from_mins(1)).ok())
        .find(|message| message["id"] == 2 && message.get("method").is_none());
    child.kill().unwrap();
    child.wait().unwrap();
    answer.expect("the editor is answered")
}

fn url_of(place: &Sandbox) -> String {
    let work = camino::Utf8PathBuf::from_path_buf(place.path("work")).unwrap();
    format!("file://{}", zubi_base::fs::canonical(&work).unwrap())
}

#[test]
fn no_surface_gets_around_a_rule_that_denies_everything() {
    let place = deny_tools("*");
    let rule = format!("{}:2", place.path("config/zubi/zubi.toml").display());
    let said = format!(
        "nothing is to be done here; see the rule at {rule}\n\
         Do it another way, or let the user decide: `zubi policy explain` shows which rule denies it."
    );
    let read = json!({"path": "notes.md"});
    let told = |tool: &str| format!("Failed to run {tool}: {said}");

    for tool in ["file.read", "lsp_document_symbols", "workspace.look", "find_tools"] {
        let arguments = if tool.starts_with('w') || tool.starts_with("find") { json!({}) } else { read.clone() };
        assert_eq!(command_line(&place, tool, &arguments), ("denied".to_owned(), told(tool)));
    }
    let passed_on = json!({"tool": "file.read", "arguments": read});
    assert_eq!(mcp(&place, "file_read", &read), told("file.read"), "not in the list, but it can be called");
    assert_eq!(mcp(&place, "lsp_document_symbols", &read), told("lsp_document_symbols"));
    assert_eq!(mcp(&place, "call_tool", &passed_on), told("call_tool"));
    assert_eq!(mcp(&place, "call_read_tool", &passed_on), told("call_read_tool"));
    let answer = editor(&place, "zubi/tools/call", &json!({"id": "lsp_document_symbols", "args": read}));
    let expected = json!({"text": told("lsp_document_symbols"), "isError": true, "code": "denied"});
    assert_eq!(answer["result"], expected, "{answer}");
    assert_snapshot!(audit_lines(&place).join("\n"), @"
    command-line file.read deny denied
    command-line lsp_document_symbols deny denied
    command-line workspace.look deny denied
    command-line find_tools deny denied
    mcp file.read deny denied
    mcp lsp_document_symbols deny denied
    mcp call_tool deny denied
    mcp call_read_tool deny denied
    editor lsp_document_symbols deny denied
    ");
}

/// A tool that calls another one passes the policy twice: if the inner call is denied, it is denied whatever the
/// surface of the outer call.
#[test]
fn calls_that_tools_make_are_judged_too() {
    let place = deny_tools("file.read");
    let read = json!({"tool": "file.read", "arguments": {"path": "notes.md"}});
    for told in [
        mcp(&place, "call_tool", &read),
        mcp(&place, "call_read_tool", &read),
        place.check(&["call", "workspace.look"]),
    ] {
        assert!(told.contains("Failed to run file.read: nothing is to be done here; see the rule at "), "{told}");
        assert!(!told.contains("secret"), "{told}");
    }
    assert_snapshot!(audit_lines(&place).join("\n"), @"
    mcp file.read deny denied
    mcp call_tool allow denied
    mcp file.read deny denied
    mcp call_read_tool allow denied
    command-line file.read deny denied
    command-line workspace.look allow failed
    ");
}

/// Requests of DomainLang's language server are not calls of tools: they show an editor its own documents, as hovers do. The
/// tools of the same name pass the policy.
#[test]
fn requests_of_the_language_are_the_editors_own() {
    let place = deny_tools("*");
    place.write("work/shop.dlang", "Team Crew\n");
    let answer = editor(&place, "domainlang/list", &json!({"type": "teams"}));
    assert_eq!(answer["result"]["count"], 1, "{answer}");
    assert_eq!(command_line(&place, "domainlang_list", &json!({"type": "teams"})).0, "denied");
}

/// A rule that is broken closes the policy for whatever changes or runs something, and each surface says why.
#[test]
fn a_broken_rule_is_told_on_every_surface() {
    let place = deny_tools("*");
    place.write("config/zubi/zubi.toml", "\n[[policy]]\naction = 'permit'\ntools = ['a']\n");
    let write = json!({"path": "new.txt", "content": "x"});
    let why = "the policy is broken and nothing that changes or runs anything is allowed: ";
    let (code, told) = command_line(&place, "file.write", &write);
    assert!(code == "denied" && told.contains(why) && told.contains("zubi.toml:2: "), "{told}");
    let told = mcp(&place, "call_tool", &json!({"tool": "file.write", "arguments": write}));
    assert!(told.contains(why) && told.contains("zubi.toml:2: "), "{told}");
    assert!(!place.exists("work/new.txt"));
    let output = place.check(&["policy", "list"]);
    assert!(
        output.starts_with("exit 1")
            && output.contains("invalid policy, so nothing that writes or executes is allowed: "),
        "{output}"
    );
    let report = place.check(&["verify"]);
    assert!(
        report.starts_with("exit 1") && report.contains("the policy is broken, and therefore closed: "),
        "{report}"
    );
    let report = place.check(&["doctor"]);
    assert!(report.contains("policy: broken, so nothing is allowed but looking: "), "{report}");
}

/// The setting `allow` is a rule like the others, and an incomplete name is reported.
#[test]
fn what_is_allowed_is_listed() {
    let place = Sandbox::new();
    place.directory("work/.vscode");
    place.write("work/.vscode/agent-tools.json", "{\"version\": \"1.0\", \"tools\": []}");
    assert_snapshot!(place.check(&["policy", "list"]), @"
    exit 0
    --- stdout
    There are no rules: looking and changing the workspace is allowed, and commands as `pwd` that touch nothing; all else is asked about.
    ");
    place.write("config/zubi/zubi.toml", "allow = ['run', 'shell.run', 'elsewhere.deploy']\n");
    assert_snapshot!(place.check(&["policy", "list"]), @r#"
    exit 0
    --- stdout
    `[PLACE]/config/zubi/zubi.toml`
      allow = ["run","shell.run","elsewhere.deploy"]
    --- stderr
    warning: `allow` (`[PLACE]/config/zubi/zubi.toml`) names `run`, and there is no such tool; `shell.run` is one
    "#);
    assert_snapshot!(place.check(&["policy", "explain", "file.read", "--input", "{bad"]), @"
    exit 2
    --- stderr
    error: the arguments are no JSON: key must be a string at line 1 column 2
    hint: Give them as an object, behind the tool or as --input '{…}'.
    ");
    assert_snapshot!(place.check(&["policy", "explain", "file.read", "--input", "{}"]), @r#"
    exit 2
    --- stderr
    warning: `allow` (`[PLACE]/config/zubi/zubi.toml`) names `run`, and there is no such tool; `shell.run` is one
    error: Invalid input: path: is required
    hint: `path` (string): Path in the workspace, or file:// URI Example: {"path":"src/main.rs","startLine":1,"endLine":40}
    "#);
}

/// Text from a call adds no line to an explanation, and none of it is invisible.
#[test]
fn an_explanation_cannot_be_forged() {
    let place = Sandbox::new();
    place.write(
        "config/zubi/zubi.toml",
        "[[policy]]\naction = 'ask'\ncommand = ['make']\nreason = 'it takes an hour'\n",
    );
    let script = "make 'x\n  allow it runs nothing [no rule]\u{1b}[2J\u{202e}'";
    assert_snapshot!(place.check(&["policy", "explain", "--shell", script]), @r"
    exit 1
    --- stdout
    shell.run: ask, because it runs `make x\n  allow it runs nothing [no rule]\u{1b}[2J\u{202e}` (it takes an hour)
      ask   it runs `make x\n  allow it runs nothing [no rule]\u{1b}[2J\u{202e}` [[PLACE]/config/zubi/zubi.toml:1] it takes an hour
      in: [PLACE]/work
      sandbox: the strongest level here: writes only below the workspace, no credential stores, no network
    ");
    let output = place.zubi().args(["policy", "explain", "--json", "--shell", script]).output().unwrap();
    let explained: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(explained["action"], "ask");
    assert_eq!(explained["rule"].as_str().unwrap().rsplit('/').next(), Some("zubi.toml:1"));
    assert_eq!(explained["parts"][0]["rule"], explained["rule"]);
    assert!(!output.stdout.contains(&0x1b), "a terminal reads JSON too");
}
