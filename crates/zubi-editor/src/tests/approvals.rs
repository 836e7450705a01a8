//! Calls for which the policy requires approval: confirmed before the call, approved in a dialog, or decided by the
//! user's options.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_base::config::{Layers, UserLayer, file};
use zubi_base::trust::TrustStore;

use super::client::{Client, local_with, tool_text};

/// Workspace tools that run a command of the editor, need a value, or call an extension.
pub(super) const TOOLS: &str = r#"//- .vscode/agent-tools.json
{ "version": "1.0", "tools": [
  { "id": "save", "name": "Save `all`", "description": "Saves all files.",
    "parameters": { "type": "object", "properties": { "quietly": { "type": "boolean", "description": "Without a word." } } },
    "execution": { "type": "command", "command": "workbench.action.files.saveAll" } },
  { "id": "open", "name": "Open a file", "description": "Opens a file.",
    "parameters": { "type": "object", "properties": { "path": { "type": "string", "description": "Which." } }, "required": ["path"] },
    "execution": { "type": "command", "command": "vscode.open", "args": ["$path", 2] } },
  { "id": "status", "name": "Status", "description": "Asks a server.", "parameters": { "type": "object", "properties": {} },
    "execution": { "type": "http", "url": "https://example.com/status", "headers": { "Authorization": "${env:TOKEN}" } } },
  { "id": "ticket", "name": "Ticket", "description": "Makes a ticket.", "parameters": { "type": "object", "properties": {} },
    "execution": { "type": "function", "handler": "jira.create" } }
] }
"#;

/// An editor with a dialog, whose user has these settings in `zubi.toml` and trusts the tools of the workspace.
fn editor_with(overrides: &Value, settings: &'static str) -> Client {
    let methods = ["zubi/editor/applyEdit", "zubi/editor/command", "zubi/approval/request"];
    let mut options = json!({ "editorProtocol": 1, "editorMethods": methods });
    options.as_object_mut().unwrap().extend(overrides.as_object().unwrap().clone());
    Client::with_host(&json!({ "zubi": options }), TOOLS, move |spec, state| {
        let folder = &spec.folders[0];
        let files = [folder.join(".vscode/agent-tools.json")];
        TrustStore::new(&state).trust(folder, &files, Duration::ZERO).unwrap();
        let layer = file::parse(settings, "zubi.toml".into()).unwrap();
        let layers = Layers { user: Some(UserLayer { path: "zubi.toml".into(), layer }), ..Layers::default() };
        Ok(Arc::new(local_with(&spec, state, &layers)?))
    })
}

fn editor(overrides: &Value) -> Client {
    editor_with(overrides, "")
}

fn save(confirmed: bool) -> Value {
    json!({ "id": "workspace.save", "args": {}, "confirmed": confirmed })
}

/// Calls a tool, runs the command in the editor, and returns the tool's answer.
fn call_and_run_command(client: &mut Client, call: Value) -> String {
    let call = client.begin("zubi/tools/call", call);
    let command = client.expect_request("zubi/editor/command");
    assert_eq!(command.params, json!({ "command": "workbench.action.files.saveAll", "args": [] }));
    client.respond(command.id, json!(true));
    tool_text(&client.answer(&call).unwrap())
}

/// Calls a tool and answers the approval prompt; returns the prompt and the tool's answer.
fn call_with_choice(client: &mut Client, call: Value, choice: &Value) -> (Value, String) {
    let call = client.begin("zubi/tools/call", call);
    let question = client.expect_request("zubi/approval/request");
    client.respond(question.id, json!({ "choice": choice }));
    if !choice.is_null() {
        let command = client.expect_request("zubi/editor/command");
        client.respond(command.id, json!("saved"));
    }
    (question.params, tool_text(&client.answer(&call).unwrap()))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn a_confirmed_call_runs_once() {
    let mut client = editor(&json!({}));
    let prepared = client.request("zubi/tools/prepare", save(false)).unwrap();
    assert_snapshot!(text(&prepared["message"]), @r"Save \`all\`");
    assert_snapshot!(text(&prepared["confirmation"]["title"]), @"Save `all`?");
    assert_snapshot!(text(&prepared["confirmation"]["message"]), @"
    ```text
    workspace.save wants to run: it runs something whose effect cannot be known
      | workbench.action.files.saveAll()
    ```
    ");
    // Neither a call that is not confirmed nor one with other arguments uses it up.
    assert!(call_with_choice(&mut client, save(false), &Value::Null).1.contains("the user denied it"));
    let other_arguments = json!({ "id": "workspace.save", "args": { "quietly": true }, "confirmed": true });
    assert!(call_with_choice(&mut client, other_arguments, &Value::Null).1.contains("the user denied it"));
    assert_eq!(call_and_run_command(&mut client, save(true)), "true");
    assert!(call_with_choice(&mut client, save(true), &Value::Null).1.contains("the user denied it"));
}

/// An editor remembers "always" by tool name, and this name would cover every tool, so zubi prompts itself with the
/// inner call.
#[test]
fn an_execution_through_another_tool_is_approved_in_the_dialog() {
    let mut client = editor(&json!({}));
    let delegated = json!({ "id": "call_tool", "args": { "tool": "workspace.open", "arguments": { "path": "a.ts" } }, "confirmed": true });
    let prepared = client.request("zubi/tools/prepare", delegated.clone()).unwrap();
    assert_eq!(prepared, json!({ "message": "Open a file: `a.ts`" }));
    let call = client.begin("zubi/tools/call", delegated);
    let question = client.expect_request("zubi/approval/request");
    assert_snapshot!(format!("{}\n{}", text(&question.params["title"]), text(&question.params["detail"])), @r#"
    workspace.open wants to run: it runs something whose effect cannot be known
      | vscode.open("a.ts", 2)
    "#);
    client.respond(question.id, json!({ "choice": 0 }));
    let command = client.expect_request("zubi/editor/command");
    assert_eq!(command.params, json!({ "command": "vscode.open", "args": ["a.ts", 2] }));
    client.respond(command.id, Value::Null);
    assert_eq!(tool_text(&client.answer(&call).unwrap()), "(no result)");
    // A call that only changes a file is confirmed in the editor like any other call.
    let write = json!({ "path": ".vscode/settings.json", "content": "{}" });
    let delegated_write = json!({ "id": "call_tool", "args": { "tool": "file.write", "arguments": write } });
    let prepared = client.request("zubi/tools/prepare", delegated_write).unwrap();
    let message = text(&prepared["confirmation"]["message"]);
    assert!(message.contains("file.write wants to run"), "{message}");
}

#[test]
fn without_a_dialog_the_inner_call_is_confirmed() {
    let mut client = editor(&json!({ "editorMethods": ["zubi/editor/applyEdit", "zubi/editor/command"] }));
    let delegated = json!({ "id": "call_tool", "args": { "tool": "workspace.open", "arguments": { "path": "a.ts" } }, "confirmed": true });
    let prepared = client.request("zubi/tools/prepare", delegated.clone()).unwrap();
    assert_eq!(prepared["message"], "Open a file: `a.ts`");
    assert_snapshot!(text(&prepared["confirmation"]["message"]), @r#"
    ```text
    workspace.open wants to run: it runs something whose effect cannot be known
      | vscode.open("a.ts", 2)
    ```
    "#);
    let call = client.begin("zubi/tools/call", delegated);
    let command = client.expect_request("zubi/editor/command");
    assert_eq!(command.params, json!({ "command": "vscode.open", "args": ["a.ts", 2] }));
    client.respond(command.id, Value::Null);
    assert_eq!(tool_text(&client.answer(&call).unwrap()), "(no result)");
}

/// A contribution of an extension, and a call of it.
fn contribution() -> (Value, impl Fn(&str) -> Value) {
    let tool = json!({
        "id": "jira.delete", "title": "Delete", "description": "Deletes a ticket.",
        "input": { "type": "object", "properties": { "key": { "type": "string", "description": "Which." } } }
    });
    let call = |key: &str| json!({ "id": "jira.delete", "args": { "key": key }, "confirmed": true });
    (json!({ "tools": [tool], "functions": [] }), call)
}

#[test]
fn a_contributed_tool_is_confirmed_with_its_arguments() {
    let mut client = editor(&json!({}));
    let (registration, delete) = contribution();
    client.request("zubi/tools/register", registration).unwrap();
    let prepared = client.request("zubi/tools/prepare", delete("P-1\n\u{202e}\u{7}")).unwrap();
    assert_snapshot!(text(&prepared["confirmation"]["message"]), @r#"
    ```text
    jira.delete wants to run: it runs something whose effect cannot be known
      | jira.delete({"key":"P-1\n\u{202e}\u0007"})
    ```
    "#);
    let long = client.request("zubi/tools/prepare", delete(&"x".repeat(20_000))).unwrap();
    assert!(text(&long["confirmation"]["message"]).len() < 2_000);
}

#[test]
fn a_session_approval_ends_with_the_contribution() {
    let mut client = editor(&json!({}));
    let (registration, delete) = contribution();
    client.request("zubi/tools/register", registration.clone()).unwrap();
    let calls = |client: &mut Client, choice: Option<usize>| {
        let call = client.begin("zubi/tools/call", delete("P-1"));
        if let Some(choice) = choice {
            let question = client.expect_request("zubi/approval/request");
            client.respond(question.id, json!({ "choice": choice }));
        }
        let invoked = client.expect_request("zubi/editor/invokeContributed");
        client.respond(invoked.id, json!({ "success": true, "data": "gone" }));
        assert_eq!(tool_text(&client.answer(&call).unwrap()), "gone");
    };
    calls(&mut client, Some(1));
    calls(&mut client, None);
    client.request("zubi/tools/unregister", json!({ "tools": ["jira.delete"], "functions": [] })).unwrap();
    client.request("zubi/tools/register", registration).unwrap();
    calls(&mut client, Some(0));
}

#[test]
fn a_new_preparation_invalidates_an_earlier_confirmation() {
    let mut client = editor(&json!({}));
    let (registration, delete) = contribution();
    client.request("zubi/tools/register", registration.clone()).unwrap();
    // The user denies the first confirmation, so no call is made; the second cannot be shown.
    assert!(client.request("zubi/tools/prepare", delete("P-1")).unwrap()["confirmation"].is_object());
    client.request("zubi/tools/unregister", json!({ "tools": ["jira.delete"], "functions": [] })).unwrap();
    client.request("zubi/tools/prepare", delete("P-1")).unwrap_err();
    client.request("zubi/tools/register", registration).unwrap();
    assert!(call_with_choice(&mut client, delete("P-1"), &Value::Null).1.contains("the user denied it"));
}

#[test]
fn dialogs_approve_calls_and_session_approvals_are_remembered() {
    let mut client = editor(&json!({}));
    let (question, answer) = call_with_choice(&mut client, save(false), &Value::Null);
    assert_snapshot!(format!("{}\n{}\n{:#}", text(&question["title"]), text(&question["detail"]), question["options"]), @r#"
    workspace.save wants to run: it runs something whose effect cannot be known
      | workbench.action.files.saveAll()

    [
      "Allow this call",
      "Allow every call of workspace.save, for this session",
      "Allow every call of workspace.save, always in this workspace",
      "Allow every call of workspace.save, always and everywhere"
    ]
    "#);
    assert_snapshot!(answer, @"
    error: Failed to run workspace.save: the user denied it (it runs something whose effect cannot be known)
    Do not call it again for this; let the user decide what to do instead.
    ");
    assert_eq!(call_with_choice(&mut client, save(false), &json!(0)).1, "saved");
    // An option that was not offered is not an answer.
    let call = client.begin("zubi/tools/call", save(false));
    let question = client.expect_request("zubi/approval/request");
    client.respond(question.id, json!({ "choice": 40 }));
    assert_snapshot!(tool_text(&client.answer(&call).unwrap()), @"
    error: Failed to run workspace.save: it needs the user's approval (it runs something whose effect cannot be known), and the editor returned an invalid option
    Check with the user whether to do it, then call it again.
    ");
    assert_eq!(call_with_choice(&mut client, save(false), &json!(1)).1, "saved");
    assert_eq!(call_and_run_command(&mut client, save(false)), "true");
}

#[test]
fn a_prompt_is_cancelled_with_its_call() {
    let mut client = editor(&json!({}));
    let call = client.begin("zubi/tools/call", save(false));
    let question = client.expect_request("zubi/approval/request");
    client.notify("$/cancelRequest", json!({ "id": call }));
    assert_eq!(client.next_notification("$/cancelRequest"), json!({ "id": question.id }));
    assert_eq!(client.answer(&call).unwrap_err()["code"], -32800);
}

#[test]
fn an_editor_without_a_dialog_has_no_approver() {
    let mut client = editor(&json!({ "editorMethods": ["zubi/editor/applyEdit"] }));
    assert_snapshot!(client.call("workspace.save", &json!({})), @r#"
    error: Failed to run workspace.save: it runs something whose effect cannot be known, and no one can approve it here
    The user can allow it with `allow = ["workspace.save"]` in zubi.toml.
    "#);
}

#[test]
fn auto_approved_calls_are_still_denied_by_rules() {
    let approves = json!({ "autoApprove": true });
    let mut client = editor(&approves);
    assert_eq!(client.request("zubi/tools/prepare", save(false)).unwrap().get("confirmation"), None);
    assert_eq!(call_and_run_command(&mut client, save(false)), "true");
    let mut client = editor_with(&approves, "[[policy]]\naction = \"deny\"\ntools = [\"workspace.save\"]\n");
    assert_snapshot!(client.call("workspace.save", &json!({})), @"
    error: Failed to run workspace.save: a rule is about every such call; see the rule at zubi.toml:1
    Do it another way, or let the user decide: `zubi policy explain` shows which rule denies it.
    ");
}

#[test]
fn an_untrusted_workspace_has_no_declared_tools() {
    let mut client = editor(&json!({ "isTrusted": false }));
    let error = client.request("zubi/tools/call", save(true)).unwrap_err();
    assert_snapshot!(text(&error["message"]), @"unknown tool `workspace.save`: `.vscode/agent-tools.json` declares it and is in a folder that is not trusted in the editor; the user can trust the folder in the editor");
}

#[test]
fn environment_and_tool_filters_of_the_editor_apply() {
    let status = json!({ "id": "workspace.status", "args": {} });
    let mut client = editor(&json!({}));
    assert_eq!(client.request("zubi/tools/prepare", status.clone()).unwrap(), json!({ "message": "Status" }));
    assert_snapshot!(client.call("workspace.status", &json!({})), @r#"
    error: Failed to run workspace.status: the secret `TOKEN` is not set on this machine
    The user can set it in zubi.toml: `[env]` `TOKEN = { file = "…" }`.
    "#);
    let mut client = editor(
        &json!({ "env": { "TOKEN": "very secret", "a b": "1" }, "toolFilter": ["workspace.*", "!workspace.save"] }),
    );
    let prepared = client.request("zubi/tools/prepare", status).unwrap();
    assert_snapshot!(text(&prepared["confirmation"]["message"]), @"
    ```text
    workspace.status wants to run: it reaches example.com:443
      host       example.com:443
      secret     TOKEN
      | GET https://example.com/status
      | Authorization: •••
    ```
    ");
    let list = client.request("zubi/tools/list", Value::Null).unwrap();
    let ids: Vec<&str> = list["tools"].as_array().unwrap().iter().map(|tool| tool["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["workspace.open", "workspace.status", "workspace.ticket"]);
    assert_eq!(client.request("zubi/tools/call", save(true)).unwrap_err()["data"]["field"], "id");
}

#[test]
fn a_declared_tool_calls_a_function_of_an_extension() {
    let mut client = editor(&json!({ "autoApprove": true }));
    assert_snapshot!(client.call("workspace.ticket", &json!({})), @"
    error: Failed to run workspace.ticket: it is unavailable here: the function it calls is not registered
    It works once an extension or a program registers that function; use another tool until then.
    ");
    client.request("zubi/tools/register", json!({ "tools": [], "functions": ["jira.create"] })).unwrap();
    let call = client.begin("zubi/tools/call", json!({ "id": "workspace.ticket", "args": {} }));
    let invoked = client.expect_request("zubi/editor/invokeContributed");
    assert_eq!(invoked.params, json!({ "function": "jira.create", "arguments": {}, "token": 1 }));
    client.respond(invoked.id, json!({ "success": true, "data": "P-1" }));
    assert_eq!(tool_text(&client.answer(&call).unwrap()), "P-1");
}

/// Reads need no approval, and users store passwords in their settings.
#[test]
fn settings_that_may_contain_secrets_cannot_be_read() {
    let mut client = editor(&json!({ "editorMethods": ["zubi/editor/config"] }));
    assert_snapshot!(client.call("get_setting", &json!({ "key": "http.proxyAuthorization" })), @"
    error: Invalid input: key: tools cannot read `http.proxyAuthorization`: editor settings may contain passwords and tokens
    Readable: editor.*, files.*, search.*, [language], *.updateImportsOnFileMove.*. Ask the user for any other.
    ");
    for key in ["github.token", "editor", "filesystem.key", "jira.editor.token", "[a].token"] {
        let answer = client.call("get_setting", &json!({ "key": key, "scope": "user" }));
        assert!(answer.contains("tools cannot read"), "{answer}");
    }
    let update_imports = "typescript.updateImportsOnFileMove.enabled";
    for key in ["editor.fontSize", "files.exclude", "search.exclude", "[typescript]", update_imports] {
        let call = client.begin("zubi/tools/call", json!({ "id": "get_setting", "args": { "key": key } }));
        let question = client.expect_request("zubi/editor/config");
        assert_eq!(question.params["key"], key);
        client
            .respond(question.id, json!({ "value": 2, "default": 2, "user": null, "workspace": null, "folder": null }));
        assert_eq!(tool_text(&client.answer(&call).unwrap()).lines().next(), Some(&*format!("{key} = 2, the default")));
    }
}

#[test]
fn prepared_messages_describe_the_call() {
    let mut client = editor(&json!({}));
    let uri = client.uri("src/a.ts");
    let mut messages = String::new();
    for (id, args) in [
        ("lsp_definition", json!({ "symbol": "Shape/area" })),
        ("lsp_definition", json!({ "uri": uri, "line": 1, "character": 2 })),
        ("lsp_workspace_symbols", json!({ "query": "`a`\nb" })),
        ("rename_file", json!({ "oldUri": uri, "newUri": client.uri("src/b.ts") })),
        ("domainlang_get", json!({})),
        ("domainlang_list", json!({ "type": "bcs", "team": "A" })),
        ("workspace.save", json!({ "quietly": true })),
        ("find_tools", json!({ "query": "x".repeat(200) })),
        ("call_read_tool", json!({ "tool": "domainlang_search", "arguments": { "query": "[a](command:b)" } })),
        ("lsp_hover", json!({ "unknown": 1 })),
        ("lsp_hover", json!("no object")),
    ] {
        let prepared = client.request("zubi/tools/prepare", json!({ "id": id, "args": args })).unwrap();
        messages.extend([prepared["message"].as_str().unwrap(), "\n"]);
    }
    assert_snapshot!(messages, @r"
    Go to definition: `Shape/area`
    Go to definition: `src/a.ts`
    Find symbols: `` `a`\nb ``
    Rename a file: `src/a.ts → src/b.ts`
    Get a DomainLang element
    List DomainLang elements: `bcs`
    Save \`all\`
    Find tools: `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…`
    Search the DomainLang model: `[a](command:b)`
    Type and documentation
    Type and documentation
    ");
    let error = client.request("zubi/tools/prepare", json!({ "id": "ecko", "args": {} })).unwrap_err();
    assert_eq!(error["data"]["field"], "id");
}
