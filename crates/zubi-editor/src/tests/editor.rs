//! The editor as a source of answers for tools.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::client::{Client, tool_text};

const WEB: &str = "\
//- web/shape.ts
export class Circle {
  area = 1;
}
//- web/report.ts
import { Circle } from './shape';
const largest = new Circle();
//- model.dlang
Domain Shop { vision: \"v\" }
bc Orders for Shop
";

fn editor() -> Client {
    Client::new(&json!({ "zubi": { "editorProtocol": 1 } }), WEB)
}

/// A query about `Circle` in report.ts.
fn definition() -> Value {
    json!({ "id": "lsp_definition", "args": { "at": "web/report.ts:2:21" } })
}

#[test]
fn a_definition_comes_from_the_editor() {
    let mut client = editor();
    let call = client.begin("zubi/tools/call", definition());
    let request = client.next_request();
    let uri = client.uri("web/report.ts");
    let expected = json!({ "textDocument": { "uri": uri }, "position": { "line": 1, "character": 20 } });
    assert_eq!(request.params, json!({ "method": "textDocument/definition", "params": expected }));
    let range = json!({ "start": { "line": 0, "character": 13 }, "end": { "line": 0, "character": 19 } });
    let link = json!({ "targetUri": client.uri("web/shape.ts"), "targetRange": range, "targetSelectionRange": range });
    client.respond(request.id, json!([link]));
    let answer = client.answer(&call).unwrap();
    assert_snapshot!(tool_text(&answer), @"
    at web/report.ts:2:21 Circle
    1 definition of `Circle`
    web/shape.ts
      1:14  export class Circle {
    [editor · readiness unknown · completeness unknown: editor gives no readiness signal]
    ");
}

#[test]
fn editor_errors_are_reported() {
    let mut client = editor();
    let call = client.begin("zubi/tools/call", definition());
    let request = client.next_request();
    client.refuse(request.id, -32601, "the editor does not answer textDocument/definition");
    let answer = client.answer(&call).unwrap();
    assert_snapshot!(tool_text(&answer), @"
    error: Failed to find the definition: editor does not support `textDocument/definition`
    Use another request.
    ");

    let call = client.begin("zubi/tools/call", definition());
    let request = client.next_request();
    client.refuse(request.id, -32603, "no provider");
    let answer = client.answer(&call).unwrap();
    assert_snapshot!(tool_text(&answer), @"
    error: Failed to find the definition: editor answered `textDocument/definition` with an error: no provider (-32603)
    Check the position with `lsp_document_symbols`, then retry.
    ");

    let call = client.begin("zubi/tools/call", definition());
    let request = client.next_request();
    client.respond(request.id, json!({ "strange": true }));
    let answer = client.answer(&call).unwrap();
    assert_snapshot!(tool_text(&answer), @"
    error: Failed to find the definition: editor broke the protocol: its answer to `textDocument/definition` is not of a form that the protocol has
    Retry; if it happens again, report a defect of the server.
    ");
}

#[test]
fn cancelling_a_call_cancels_only_its_editor_request() {
    let mut client = editor();
    let call = client.begin("zubi/tools/call", definition());
    let request = client.next_request();
    // Other requests are answered while the editor is busy.
    assert_eq!(client.request("domainlang/get", json!({ "fqn": "Orders" })).unwrap()["found"], true);
    client.notify("$/cancelRequest", json!({ "id": call }));
    assert_eq!(client.answer(&call).unwrap_err()["code"], -32800);
    assert_eq!(client.next_notification("$/cancelRequest"), json!({ "id": request.id }));
    client.respond(request.id, json!([]));
    assert_eq!(client.request("domainlang/get", json!({ "fqn": "Orders" })).unwrap()["found"], true);
}

#[test]
fn unsupported_requests_fall_back_to_text_search() {
    let mut client = editor();
    assert_snapshot!(client.call("lsp_references", &json!({ "at": "web/report.ts:2:21" })), @"
    at web/report.ts:2:21 Circle
    3 word matches of `Circle` in 2 files
    web/report.ts
      1:10  import { Circle } from './shape';
      2:21  const largest = new Circle();
    web/shape.ts
      1:14  export class Circle {  (declaration)
    [text search: names only · the editor does not answer `textDocument/references` here: `zubi mcp` has language servers of its own]
    ");
    assert_snapshot!(client.call("lsp_hover", &json!({ "at": "web/report.ts:2:21" })), @"
    error: Failed to explain the symbol: the editor does not answer `textDocument/hover` here
    `zubi mcp` has language servers of its own
    ");
    assert_snapshot!(client.call("lsp_workspace_symbols", &json!({ "query": "Circle" })), @"
    1 symbol matching `Circle`
      class Circle  web/shape.ts:1:14
    [domainlang + syntax only: names not resolved · ready · without a server: exact names only, from the outlines of 2 files · the editor does not answer `workspace/symbol` here: `zubi mcp` has language servers of its own · the editor does not answer `textDocument/documentSymbol` here: `zubi mcp` has language servers of its own]
    ");
}

#[test]
fn the_editor_declares_the_methods_it_answers() {
    let options = json!({ "zubi": { "editorProtocol": 1, "editorMethods": ["textDocument/hover"] } });
    let mut client = Client::new(&options, WEB);
    let params = json!({ "id": "lsp_hover", "args": { "at": "web/report.ts:2:21" } });
    let call = client.begin("zubi/tools/call", params);
    let request = client.next_request();
    assert_eq!(request.params["method"], "textDocument/hover");
    client.respond(request.id, json!({ "contents": "class Circle" }));
    let answer = client.answer(&call).unwrap();
    assert_snapshot!(tool_text(&answer), @"
    at web/report.ts:2:21 Circle
    class Circle
    [editor · ready]
    ");
}

/// Adds a line to the model of [`WEB`] without saving it; positions refer to that text from then on.
fn open_unsaved_model(client: &mut Client) {
    let text = "Team Crew\nDomain Shop { vision: \"v\" }\nbc Orders for Shop by Crew\n";
    let document = json!({ "uri": client.uri("model.dlang"), "languageId": "domain-lang", "version": 3, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    assert_snapshot!(client.call("lsp_definition", &json!({ "at": "model.dlang:3:24" })), @"
    at model.dlang:3:23 Crew
    1 definition of `Crew`
    model.dlang
      1:6  Team Crew
    [domainlang · ready]
    ");
}

#[test]
fn models_are_answered_from_their_unsaved_text() {
    let mut client = editor();
    assert_snapshot!(client.call("lsp_definition", &json!({ "at": "model.dlang:2:15" })), @r#"
    at model.dlang:2:15 Shop
    1 definition of `Shop`
    model.dlang
      1:8  Domain Shop { vision: "v" }
    [domainlang · ready]
    "#);
    assert_snapshot!(client.call("domainlang_get", &json!({ "fqn": "Orders" })), @r#"{"found":true,"element":{"$type":"BoundedContext","name":"Orders","domain":"Shop","classification":[],"decisions":[],"metadata":[],"relationships":[],"team":[],"terminology":[],"fqn":"Orders","metadataMap":{}}}"#);
    open_unsaved_model(&mut client);
    assert_snapshot!(client.call("domainlang_get", &json!({ "fqn": "Orders" })), @r#"{"found":true,"element":{"$type":"BoundedContext","name":"Orders","domain":"Shop","team":["Crew"],"classification":[],"decisions":[],"metadata":[],"relationships":[],"terminology":[],"fqn":"Orders","effectiveTeam":"Crew","metadataMap":{}}}"#);
    // The same for a folder or a file that is queried instead of the workspace.
    assert_snapshot!(client.call("domainlang_list", &json!({ "type": "teams", "path": "model.dlang" })), @r#"{"entityType":"teams","count":1,"results":[{"name":"Crew","fqn":"Crew"}]}"#);
    let change = json!([{ "text": "Team Gang\n" }]);
    let document = json!({ "uri": client.uri("model.dlang"), "version": 4 });
    client.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": change }));
    assert_snapshot!(client.call("domainlang_list", &json!({ "type": "teams" })), @r#"{"entityType":"teams","count":1,"results":[{"name":"Gang","fqn":"Gang"}]}"#);
    client.notify("textDocument/didClose", json!({ "textDocument": document }));
    assert_snapshot!(client.call("domainlang_list", &json!({ "type": "teams" })), @r#"{"entityType":"teams","count":0,"results":[]}"#);
}

#[test]
fn headless_servers_answer_only_if_the_editor_allows_it() {
    let options = json!({ "zubi": { "editorProtocol": 1, "headlessFallback": true } });
    let mut client = Client::new(&options, WEB);
    // This host finds no installed server, and the answer says so.
    assert_snapshot!(client.call("lsp_hover", &json!({ "at": "web/report.ts:2:21" })), @"
    error: Failed to explain the symbol: `tsc` is not installed; `typescript-language-server` is not installed
    install it with npm: npm install --global typescript@7
    install it with npm: npm install --global typescript-language-server typescript@6
    ");
}

#[test]
fn models_in_a_folder_opened_through_a_link() {
    let mut client = Client::by_link(&json!({ "zubi": { "editorProtocol": 1 } }), WEB);
    open_unsaved_model(&mut client);
    assert_snapshot!(client.call("lsp_references", &json!({ "symbol": "Orders" })), @"
    at model.dlang:3:4 Orders (package)
    1 reference to `Orders` in 1 file
    model.dlang
      3:4  bc Orders for Shop by Crew  (declaration)
    [domainlang · ready]
    ");
    assert_snapshot!(client.call("domainlang_list", &json!({ "type": "teams", "path": "model.dlang" })), @r#"{"entityType":"teams","count":1,"results":[{"name":"Crew","fqn":"Crew"}]}"#);
    assert_snapshot!(client.call("domainlang_list", &json!({ "type": "teams", "path": "." })), @r#"{"entityType":"teams","count":1,"results":[{"name":"Crew","fqn":"Crew"}]}"#);
    assert_snapshot!(client.call("domainlang_validate", &json!({ "file": "model.dlang" })), @r#"{"valid":true,"fileCount":1,"domainCount":1,"bcCount":1,"errors":[],"warnings":[{"severity":2,"message":"Bounded Context 'Orders' is missing a description.","code":"bounded-context-no-description","file":"model.dlang","line":3,"column":1}],"infoCount":0}"#);
    let uri = client.uri("model.dlang");
    assert!(uri.contains("/linked/"));
    assert_snapshot!(client.call("domainlang_validate", &json!({ "file": uri })), @r#"{"valid":true,"fileCount":1,"domainCount":1,"bcCount":1,"errors":[],"warnings":[{"severity":2,"message":"Bounded Context 'Orders' is missing a description.","code":"bounded-context-no-description","file":"model.dlang","line":3,"column":1}],"infoCount":0}"#);
}

#[test]
fn models_created_later_are_found() {
    let mut client = Client::new(&json!({ "zubi": { "editorProtocol": 1 } }), "//- a.txt\n");
    let before = client.call("lsp_workspace_symbols", &json!({ "query": "Sales" }));
    assert!(!before.contains("domainlang"), "{before}");
    zubi_base::fs::write_atomic(&client.root.join("a.dlang"), b"Domain Sales { vision: \"v\" }").unwrap();
    assert!(client.call("domainlang_get", &json!({ "fqn": "Sales" })).contains("\"found\":true"));
    assert_snapshot!(client.call("lsp_workspace_symbols", &json!({ "query": "Sales" })), @r#"
    1 symbol matching `Sales`
      namespace Sales  a.dlang:1:8  Domain Sales { vision: "v" }
    [domainlang · ready · the editor does not answer `workspace/symbol` here]
    "#);
}
