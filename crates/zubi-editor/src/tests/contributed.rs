//! Tools and functions that extensions of the editor contribute.

use std::fmt::Write as _;
use std::sync::Arc;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::client::{Client, local, tool_text};
use super::folders::change;

/// An editor that applies edits, so that its calls are not read-only.
fn options() -> Value {
    json!({ "zubi": { "editorProtocol": 1, "editorMethods": ["zubi/editor/applyEdit"] } })
}

/// A read-only tool.
fn tool(id: &str) -> Value {
    json!({
        "id": id, "title": "Say *it*", "description": "Says what it was given.", "requiresApproval": false,
        "input": {
            "type": "object",
            "properties": { "text": { "type": "string", "description": "Any." } },
            "required": ["text"]
        }
    })
}

fn register(client: &mut Client, tools: &[Value], functions: &[&str]) -> Result<Value, Value> {
    client.request("zubi/tools/register", json!({ "tools": tools, "functions": functions }))
}

/// Calls a tool whose extension answers with `answer`; returns the invocation and the tool's answer.
fn call_contributed(client: &mut Client, id: &str, answer: Value) -> (Value, String) {
    let call = client.begin("zubi/tools/call", json!({ "id": id, "args": { "text": "hi" } }));
    let request = client.expect_request("zubi/editor/invokeContributed");
    client.respond(request.id, answer);
    (request.params, tool_text(&client.answer(&call).unwrap()))
}

#[test]
fn calls_of_contributed_tools_reach_the_extension() {
    let mut client = Client::new(&options(), "");
    let registered = register(&mut client, &[tool("my-provider.hello"), tool("jira.createTicket")], &["jira.create"]);
    let names = json!({ "tools": ["my-provider.hello", "jira.createTicket"], "functions": ["jira.create"] });
    assert_eq!(registered.unwrap(), names);
    let (invocation, answer) =
        call_contributed(&mut client, "my-provider_hello", json!({ "success": true, "data": { "key": "P-1" } }));
    assert_eq!(invocation, json!({ "tool": "my-provider.hello", "arguments": { "text": "hi" }, "token": 1 }));
    assert_snapshot!(answer, @r#"
    {
      "key": "P-1"
    }
    "#);
    for (answer, expected) in [
        (json!({ "success": true, "data": "as it is" }), "as it is"),
        (
            json!({ "success": false, "error": "no project" }),
            "error: Error in jira.createTicket: no project\nCheck the arguments; the tool is another program's.",
        ),
        (
            json!({ "success": false }),
            "error: Error in jira.createTicket: it gave no reason\nCheck the arguments; the tool is another program's.",
        ),
        (
            json!("done"),
            "error: Error in jira.createTicket: its answer is not understood: invalid type: string \"done\", expected struct InvokeResult\nCheck the arguments; the tool is another program's.",
        ),
    ] {
        assert_eq!(call_contributed(&mut client, "jira.createTicket", answer).1, expected);
    }
    // The server validates the arguments.
    assert_snapshot!(client.call("jira.createTicket", &json!({ "text": ["hi"] })), @r#"
    error: Invalid input: text: expected string, got ["hi"]
    `text` (string): Any.
    "#);
}

#[test]
fn a_tool_without_a_declared_effect_is_treated_as_execute() {
    let mut client = Client::new(&options(), "");
    let mut without_effect = tool("jira.createTicket");
    without_effect["requiresApproval"] = Value::Null;
    let mut requires_approval = tool("jira.deleteTicket");
    requires_approval["requiresApproval"] = true.into();
    register(&mut client, &[without_effect, requires_approval, tool("jira.find")], &[]).unwrap();
    let list = client.request("zubi/tools/list", Value::Null).unwrap();
    let effects: Vec<String> = list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["toolset"] == "contributed")
        .map(|tool| format!("{} {}", tool["id"].as_str().unwrap(), tool["effect"].as_str().unwrap()))
        .collect();
    assert_eq!(effects, ["jira.createTicket execute", "jira.deleteTicket execute", "jira.find read"]);
    assert_snapshot!(client.call("jira.createTicket", &json!({ "text": "hi" })), @r#"
    error: Failed to run jira.createTicket: it runs something whose effect cannot be known, and no one can approve it here
    The user can allow it with `allow = ["jira.createTicket"]` in zubi.toml.
    "#);
}

#[test]
fn contributed_tools_report_progress_and_are_cancelled() {
    let mut client = Client::new(&options(), "");
    register(&mut client, &[tool("jira.find")], &[]).unwrap();
    let params = json!({ "id": "jira.find", "args": { "text": "hi" }, "token": "mine" });
    let call = client.begin("zubi/tools/call", params);
    let request = client.expect_request("zubi/editor/invokeContributed");
    let value = json!({ "kind": "report", "message": "page\n2", "percentage": 50 });
    client.notify("$/progress", json!({ "token": request.params["token"], "value": value }));
    client.notify("$/progress", json!({ "token": 99, "value": value }));
    let progress =
        json!({ "kind": "begin", "title": "jira.find", "cancellable": true, "message": "page\\n2", "percentage": 50 });
    assert_eq!(client.next_notification("$/progress"), json!({ "token": "mine", "value": progress }));
    client.notify("$/cancelRequest", json!({ "id": call }));
    assert_eq!(client.next_notification("$/cancelRequest"), json!({ "id": request.id }));
    assert_eq!(client.answer(&call).unwrap_err()["code"], -32800);
}

#[test]
fn invalid_contributions_are_rejected() {
    let mut client = Client::new(&options(), "");
    register(&mut client, &[tool("jira.find")], &["jira.find"]).unwrap();
    let changed_tool = |change: fn(&mut Value)| {
        let mut tool = tool("words.count");
        change(&mut tool);
        tool
    };
    let mut refusals = String::new();
    for (tools, functions) in [
        (vec![tool("count")], vec![]),
        (vec![tool("file.erase")], vec![]),
        (vec![tool("workspace.build")], vec![]),
        (vec![tool("words.a b")], vec![]),
        (vec![tool("words.count"), tool("jira.find")], vec![]),
        (vec![tool("words.count"), tool("words.count")], vec![]),
        (vec![tool("words.count")], vec!["jira.find"]),
        (vec![changed_tool(|tool| tool["effect"] = "magic".into())], vec![]),
        (vec![changed_tool(|tool| tool["input"] = json!({ "type": "array" }))], vec![]),
        (
            vec![changed_tool(|tool| {
                tool["effect"] = "read".into();
                tool["requiresApproval"] = true.into();
            })],
            vec![],
        ),
        (vec![changed_tool(|tool| tool["description"] = "x".repeat(70_000).into())], vec![]),
        (vec![tool("words.count"); 300], vec![]),
        (vec![json!({ "id": "words.count" })], vec![]),
    ] {
        let error = register(&mut client, &tools, &functions).unwrap_err();
        writeln!(refusals, "{} {}", error["data"]["field"], error["message"].as_str().unwrap()).unwrap();
    }
    assert_snapshot!(refusals, @r#"
    "tools[0]" `count` has no namespace; an id is `namespace.name`, as `jira.createTicket`
    "tools[0]" the namespace of `file.erase` is not an extension's; take your extension's name
    "tools[0]" the namespace of `workspace.build` is not an extension's; take your extension's name
    "tools[0]" `words.a b`: wire name `words_a b` is not [A-Za-z][A-Za-z0-9_-]* of at most 40 characters
    "tools" there is a tool `jira.find` already
    "tools" there is a tool `words.count` already
    "functions" a function `jira.find` is registered already
    "tools[0]" invalid effect `magic`; use `read`, `plan`, `write`, `execute` or `network`
    "tools[0]" `words.count`: the input's root is not `type: object`
    "tools[0]" `words.count`: requires approval although it only reads
    "tools[0]" description and schema of `words.count` have more than 65536 bytes
    "tools" more than 200 tools and functions of one client
    "tools[0]" Invalid params: tools[0]: missing field `description`
    "#);
    assert_eq!(client.request("zubi/tools/call", json!({ "id": "words.count" })).unwrap_err()["data"]["field"], "id");
}

#[test]
fn changes_of_contributions_are_reported() {
    let mut client = Client::new(&options(), "");
    // Changes are relative to the first list.
    client.request("zubi/tools/list", Value::Null).unwrap();
    register(&mut client, &[tool("jira.find")], &["jira.find"]).unwrap();
    let changes = client.next_notification("zubi/tools/didChange");
    assert_eq!((&changes["added"][0]["id"], &changes["removed"]), (&json!("jira.find"), &json!([])));
    assert_eq!(changes["added"][0]["inputSchema"]["required"], json!(["text"]));
    let removed = client
        .request("zubi/tools/unregister", json!({ "tools": ["jira.find", "other.one"], "functions": ["jira.find"] }));
    assert_eq!(removed.unwrap(), json!({ "tools": ["jira.find"], "functions": ["jira.find"] }));
    assert_eq!(client.next_notification("zubi/tools/didChange"), json!({ "added": [], "removed": ["jira.find"] }));
    // The names are available again.
    register(&mut client, &[tool("jira.find")], &["jira.find"]).unwrap();
}

#[test]
fn contributions_persist_across_folder_changes() {
    let mut client = Client::new(&options(), "//- one/a.ts\n//- two/b.ts\n");
    register(&mut client, &[tool("jira.find")], &["jira.find"]).unwrap();
    change(&mut client, &["two"], &[""]);
    let (_, answer) = call_contributed(&mut client, "jira.find", json!({ "success": true, "data": "found" }));
    assert_eq!(answer, "found");
    client.request("zubi/tools/unregister", json!({ "tools": ["jira.find"] })).unwrap();
    change(&mut client, &["one"], &["two"]);
    let error = client.request("zubi/tools/call", json!({ "id": "jira.find" })).unwrap_err();
    assert!(error["message"].as_str().unwrap().starts_with("unknown tool `jira.find`"), "{error}");
}

#[test]
fn early_contributions_belong_to_the_first_host() {
    let mut client = Client::with_host(&options(), "//- two/b.ts\n", |spec, state| {
        let is_two = spec.folders.first().is_some_and(|folder| folder.ends_with("two"));
        if is_two { Ok(Arc::new(local(&spec, state)?)) } else { Err("no workspace folder".to_owned()) }
    });
    let registered = register(&mut client, &[tool("jira.find")], &[]).unwrap();
    assert_eq!(registered, json!({ "tools": ["jira.find"], "functions": [] }));
    let error = register(&mut client, &vec![tool("words.count"); 200], &[]).unwrap_err();
    assert_eq!(error["message"], "more than 200 tools and functions of one client");
    change(&mut client, &["two"], &[""]);
    let (_, answer) = call_contributed(&mut client, "jira.find", json!({ "success": true, "data": "found" }));
    assert_eq!(answer, "found");
}
