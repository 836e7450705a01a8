//! The editor channel of the real program: the test is the editor.

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::zubi::Start;
use zubi_tests::{LanguageServer, Project};

/// Starts `zubi lsp` for an editor with the channel that has the project open.
fn open(project: &Project) -> LanguageServer {
    open_folders(project, &[json!({ "uri": format!("file://{}", project.root()), "name": "project" })])
}

/// Starts an editor with these open folders.
fn open_folders(project: &Project, folders: &[Value]) -> LanguageServer {
    let mut command = Start::new(project, &[]).directory(project.home()).command();
    command.args(["lsp", "--stdio", "--clientProcessId", &std::process::id().to_string()]);
    let params = json!({
        "capabilities": { "textDocument": { "diagnostic": {} } },
        "initializationOptions": { "zubi": { "editorProtocol": 1 } },
        "workspaceFolders": folders,
    });
    let (zubi, initialized) = LanguageServer::open(command, &params);
    assert_eq!(initialized["serverInfo"]["name"], "zubi");
    zubi
}

/// Returns the next request or response; skips status notifications.
fn next(editor: &mut LanguageServer) -> Value {
    loop {
        let message = editor.receive();
        if !message["id"].is_null() {
            return message;
        }
    }
}

#[test]
fn a_tool_is_answered_by_the_editor() {
    let project = Project::fixture("typescript");
    project.write("use.ts", "import { Circle } from './circle';\nnew Circle();\n");
    project.write("circle.ts", "export class Circle {}\n");
    let mut editor = open(&project);
    let params = json!({ "id": "lsp_definition", "args": { "at": "use.ts:2:5" } });
    editor.send(&json!({ "id": 1, "method": "zubi/tools/call", "params": params }));
    let request = next(&mut editor);
    assert_eq!(
        (&request["method"], &request["params"]["method"]),
        (&json!("zubi/editor/request"), &json!("textDocument/definition"))
    );
    let range = json!({ "start": { "line": 0, "character": 13 }, "end": { "line": 0, "character": 19 } });
    let uri = format!("file://{}/circle.ts", project.root());
    editor.send(&json!({ "id": request["id"], "result": [{ "uri": uri, "range": range }] }));
    let answer = next(&mut editor);
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(1), &json!(false)));
    assert_snapshot!(answer["result"]["text"].as_str().expect("a text"), @"
    at use.ts:2:5 Circle
    1 definition of `Circle`
    circle.ts
      1:14  export class Circle {}
    [editor · readiness unknown · completeness unknown: editor gives no readiness signal]
    ");
    assert_eq!(editor.close(), Some(0));
}

#[test]
fn without_a_folder_only_the_model_can_be_queried() {
    let project = Project::fixture("typescript");
    let mut editor = open_folders(&project, &[]);
    let refused =
        editor.request("zubi/tools/call", &json!({ "id": "lsp_workspace_symbols", "args": { "query": "a" } }));
    assert_snapshot!(refused["error"]["message"].as_str().expect("an error"), @"
    Failed to start zubi's tools: the editor has no folder open
    Open a folder, then try again.
    ");
    let document =
        json!({ "uri": "untitled:Untitled-1", "languageId": "domain-lang", "version": 1, "text": "Team Crew" });
    editor.send(&json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }));
    let teams = editor.request("domainlang/list", &json!({ "type": "teams" }));
    assert_eq!(teams["result"]["count"], 1);
    assert_eq!(editor.close(), Some(0));
}
