//! Open editors for the tool `editor`, and the editor's diagnostics for code tools.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::endpoint::RequestCx;
use zubi_host::editor_state::{EditorClient, ViewError};
use zubi_host::{CallContext, CallRequest};

use super::client::{Client, tool_text};
use super::host::{Calls, Fake};

const WEB: &str = "\
//- web/shape.ts
export class Circle {
  area: number = 'é';
}
//- web/report.ts
let largest: Circle;
";

fn options() -> Value {
    let methods = ["textDocument/definition", "textDocument/diagnostic", "workspace/diagnostic", "zubi/validate"];
    json!({ "zubi": { "editorProtocol": 1, "editorMethods": methods } })
}

fn editor() -> Client {
    Client::new(&options(), WEB)
}

/// Reports `web/shape.ts` as active, and an open file outside of the workspace.
fn report_open_files(client: &Client, is_dirty: bool) {
    let file = |uri: String| json!({ "uri": uri, "languageId": "typescript", "isDirty": is_dirty, "lineCount": 4 });
    let mut active = file(client.uri("web/shape.ts"));
    active["selection"] = json!({ "line": 2, "column": 8 });
    let open = json!([file(client.uri("web/shape.ts")), file("file:///etc/hosts".to_owned())]);
    let params = json!({ "active": active, "open": open, "diagnosticsUris": [client.uri("web/shape.ts")] });
    client.notify("zubi/editor/didChange", params);
}

fn diagnostic() -> Value {
    let range = json!({ "start": { "line": 1, "character": 17 }, "end": { "line": 1, "character": 20 } });
    json!({ "range": range, "severity": 1, "code": 2322, "source": "ts", "message": "Type 'string' is no 'number'." })
}

/// Calls `editor`, which queries the editor once; returns the query and the tool's answer.
fn call_editor_tool(client: &mut Client, args: &Value, answer: Value) -> (Value, String) {
    let call = client.begin("zubi/tools/call", json!({ "id": "editor", "args": args }));
    let request = client.next_request();
    client.respond(request.id, answer);
    let text = tool_text(&client.answer(&call).unwrap());
    (request.params, text.replace(client.root.as_str(), "[root]"))
}

#[test]
fn open_files_are_those_the_editor_last_reported() {
    let mut client = editor();
    let open = json!({ "command": "open_files" });
    assert_snapshot!(client.call("editor", &open), @"
    error: Failed to query the editor: the editor has not reported its open files yet; try again
    Try again, or use `lsp_diagnostics`; `editor` with the command `status` says whether an editor is connected.
    ");
    report_open_files(&client, false);
    assert_snapshot!(client.call("editor", &open), @"
    1 file open
      web/shape.ts  typescript, 4 lines
    [editor · open files outside the workspace, not listed: 1]
    ");
    report_open_files(&client, true);
    // Invalid params change nothing.
    client.notify("zubi/editor/didChange", json!({ "open": [{ "uri": 1 }] }));
    client.notify("zubi/editor/didChange", json!(["x"]));
    assert_snapshot!(client.call("editor", &open), @"
    1 file open
      web/shape.ts  typescript, 4 lines, not saved
    [editor · open files outside the workspace, not listed: 1]
    ");
    let status = client.call("editor", &json!({ "command": "status" })).replace(client.root.as_str(), "[root]");
    assert_snapshot!(status, @"
    Test Editor 1 is connected
    host: editor
    folders:
      [root]
    [editor]
    ");
    client.notify("zubi/editor/didChange", json!({ "active": null, "open": [], "diagnosticsUris": [] }));
    assert_snapshot!(client.call("editor", &json!({ "command": "active_file" })), @"
    no file is active
    [editor]
    ");
}

#[test]
fn diagnostics_are_those_the_editor_shows() {
    let mut client = editor();
    report_open_files(&client, false);
    let shape = client.uri("web/shape.ts");
    let document = |uri: &str| json!({ "textDocument": { "uri": uri } });
    let diagnostics = json!({ "kind": "full", "items": [diagnostic()] });

    let (query, answer) = call_editor_tool(&mut client, &json!({ "command": "active_file" }), diagnostics);
    assert_eq!(query, json!({ "method": "textDocument/diagnostic", "params": document(&shape) }));
    assert_snapshot!(answer, @"
    web/shape.ts:2:8  typescript, 4 lines
    1 error in `web/shape.ts`
      2:18  error: Type 'string' is no 'number'.  [ts 2322]
    [editor]
    ");

    let args = json!({ "command": "diagnostics", "path": "web/report.ts" });
    let (_, answer) = call_editor_tool(&mut client, &args, json!({ "kind": "full", "items": [] }));
    assert_snapshot!(answer, @"
    no problem is known in `web/report.ts`
    [editor · the file is not open in the editor, so it may be unchecked; validating it opens it]
    ");

    let report = client.uri("web/report.ts");
    let answer = json!({ "kind": "full", "items": [diagnostic()], "languageId": "typescript", "isOpen": true, "isCurrent": false });
    let args = json!({ "command": "validate_file", "path": "web/report.ts", "format": "json" });
    let (query, answer) = call_editor_tool(&mut client, &args, answer);
    assert_eq!(query, json!({ "method": "zubi/validate", "params": document(&report) }));
    assert_snapshot!(answer, @r#"{"uri":"file://[root]/web/report.ts","path":"[root]/web/report.ts","languageId":"typescript","diagnostics":[{"range":{"start":{"line":1,"character":17},"end":{"line":1,"character":20}},"message":"Type 'string' is no 'number'.","severity":"error","source":"ts","code":"2322"}],"note":"no server of the editor has reported on the present text: it may have no diagnostics, or not be done yet"}"#);

    let files = json!([{ "uri": shape, "kind": "full", "version": null, "items": [diagnostic()] }, { "uri": "git:/x", "items": [diagnostic()] }]);
    let (query, answer) =
        call_editor_tool(&mut client, &json!({ "command": "errors_summary" }), json!({ "items": files }));
    assert_eq!(query["method"], "workspace/diagnostic");
    assert_snapshot!(answer, @"
    1 error in 1 file, 0 warnings in 0 files, infos and hints: 0
    by source: ts 1
    most errors:
      web/shape.ts  1 error, 0 warnings
    [editor · from the editor: most of its servers check only open files; validating a file opens it]
    ");
}

#[test]
fn an_invalid_answer_of_the_editor_is_reported() {
    let mut client = editor();
    report_open_files(&client, false);
    let args = json!({ "command": "diagnostics", "path": "web/shape.ts" });
    let (_, answer) = call_editor_tool(&mut client, &args, json!({ "kind": "unchanged", "resultId": "1" }));
    assert_snapshot!(answer, @"
    error: Failed to query the editor: the editor answered: cannot parse its answer to `textDocument/diagnostic`: unknown variant `unchanged`, expected `full`
    Try again, or use `lsp_diagnostics`; `editor` with the command `status` says whether an editor is connected.
    ");
    let call = client.begin("zubi/tools/call", json!({ "id": "editor", "args": args }));
    let request = client.next_request();
    client.refuse(request.id, -32603, "no such document");
    assert_snapshot!(tool_text(&client.answer(&call).unwrap()), @"
    error: Failed to query the editor: the editor answered: no such document
    Try again, or use `lsp_diagnostics`; `editor` with the command `status` says whether an editor is connected.
    ");
    // The editor lists the method but does not support it, and there is no other source.
    let call = client.begin("zubi/tools/call", json!({ "id": "editor", "args": args }));
    for _ in 0..2 {
        let request = client.next_request();
        client.refuse(request.id, -32601, "not here");
    }
    assert_snapshot!(tool_text(&client.answer(&call).unwrap()), @"
    error: Failed to query the editor: editor does not support `textDocument/diagnostic`. Use another request.
    Try again, or use `lsp_diagnostics`; `editor` with the command `status` says whether an editor is connected.
    ");
}

#[test]
fn an_editor_without_diagnostic_methods_is_not_queried() {
    let mut client = Client::new(&json!({ "zubi": { "editorProtocol": 1 } }), WEB);
    let args = json!({ "command": "diagnostics", "path": "web/shape.ts" });
    assert_snapshot!(client.call("editor", &args), @"
    no problem is known in `web/shape.ts`
    [no language server · the editor does not answer `textDocument/diagnostic` here: `zubi mcp` has language servers of its own]
    ");
    assert_snapshot!(client.call("editor", &json!({ "command": "all_diagnostics" })), @"
    no problem is known
    [no language server · the editor does not answer `textDocument/diagnostic` here: `zubi mcp` has language servers of its own]
    ");
}

#[test]
fn diagnostics_in_a_folder_opened_through_a_link() {
    let mut client = Client::by_link(&options(), WEB);
    report_open_files(&client, false);
    let args = json!({ "command": "diagnostics", "path": "web/shape.ts" });
    let diagnostics = json!({ "kind": "full", "items": [], "isOpen": true, "isCurrent": true });
    let (query, answer) = call_editor_tool(&mut client, &args, diagnostics);
    assert_eq!(query["params"]["textDocument"]["uri"], client.uri("web/shape.ts"));
    assert_snapshot!(answer, @"
    no problems in `web/shape.ts`
    [editor]
    ");
    assert_snapshot!(client.call("editor", &json!({ "command": "open_files" })), @"
    1 file open
      web/shape.ts  typescript, 4 lines
    [editor · open files outside the workspace, not listed: 1]
    ");
}

#[test]
fn code_tools_report_the_editors_diagnostics() {
    let mut client = editor();
    let mut check = |answer: Value| {
        let args = json!({ "path": "web/shape.ts" });
        let call = client.begin("zubi/tools/call", json!({ "id": "lsp_diagnostics", "args": args }));
        let request = client.next_request();
        assert_eq!(request.params["method"], "textDocument/diagnostic");
        client.respond(request.id, answer);
        tool_text(&client.answer(&call).unwrap())
    };
    assert_snapshot!(check(json!({ "items": [diagnostic()], "isOpen": true, "isCurrent": true })), @"
    1 error in `web/shape.ts`; snapshot d-1
    web/shape.ts
      2:18  error: Type 'string' is no 'number'.  [ts 2322]
    [editor · readiness unknown · completeness unknown: editor gives no readiness signal]
    ");
    let args = json!({ "path": "web/shape.ts" });
    let call = client.begin("zubi/tools/call", json!({ "id": "lsp_diagnostics", "args": args }));
    let closed = json!({ "items": [], "isOpen": false, "isCurrent": false });
    let request = client.next_request();
    client.respond(request.id, closed.clone());
    // A single file is opened.
    let request = client.next_request();
    assert_eq!(request.params["method"], "zubi/validate");
    client.respond(request.id, json!({ "items": [diagnostic()], "isOpen": true, "isCurrent": true }));
    assert!(tool_text(&client.answer(&call).unwrap()).starts_with("1 error in `web/shape.ts`"));
    // Several files are not opened.
    let call = client.begin("zubi/tools/call", json!({ "id": "lsp_diagnostics", "args": { "path": "web" } }));
    for _ in 0..2 {
        let request = client.next_request();
        assert_eq!(request.params["method"], "textDocument/diagnostic");
        client.respond(request.id, closed.clone());
    }
    assert_snapshot!(tool_text(&client.answer(&call).unwrap()), @"
    no problems in 2 files; snapshot d-3
    [editor · readiness unknown · may be incomplete: editor has not checked the present text yet · not open in the editor, whose servers may not have analysed it: `editor` with `validate_file` opens it]
    ");
}

/// A host that receives no calls.
struct Silent;

#[async_trait]
impl Calls for Silent {
    async fn call(&self, _request: CallRequest, _context: CallContext) -> String {
        String::new()
    }
}

#[test]
fn a_command_is_sent_to_the_editor_and_its_result_is_returned() {
    let (sender, views) = channel();
    let sender = Mutex::new(sender);
    let mut client = Client::with_host(&options(), "", move |spec, _| {
        sender.lock().unwrap().send(spec.view).unwrap();
        Ok(Arc::new(Fake(Silent)))
    });
    let view: Arc<dyn EditorClient> = views.recv_timeout(Duration::from_mins(1)).unwrap();
    assert_eq!(view.name(), "Test Editor 1");
    let run = |client: &Client, view: Arc<dyn EditorClient>, cancel: &CancellationToken| {
        let cx = RequestCx::new(cancel.clone(), Instant::now() + Duration::from_mins(1));
        client.runtime().spawn(async move { view.execute("editor.action.marker.next", vec![json!(1)], &cx).await })
    };
    let cancel = CancellationToken::new();
    let running = run(&client, Arc::clone(&view), &cancel);
    let request = client.expect_request("zubi/editor/command");
    assert_eq!(request.params, json!({ "command": "editor.action.marker.next", "args": [1] }));
    client.respond(request.id, json!({ "went": true }));
    assert_eq!(client.runtime().block_on(running).unwrap(), Ok(json!({ "went": true })));

    let running = run(&client, Arc::clone(&view), &cancel);
    let request = client.expect_request("zubi/editor/command");
    client.refuse(request.id, -32603, "command not found");
    let failed = Err(ViewError::Failed("command not found".to_owned()));
    assert_eq!(client.runtime().block_on(running).unwrap(), failed);

    let running = run(&client, view, &cancel);
    let request = client.expect_request("zubi/editor/command");
    cancel.cancel();
    assert_eq!(client.next_notification("$/cancelRequest"), json!({ "id": request.id }));
    assert_eq!(client.runtime().block_on(running).unwrap(), Err(ViewError::Cancelled));
}
