//! Corrections of the editor's deviations from LSP.

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
Domain Circle { vision: \"v\" }
";

/// Ranges of the class name and of its uses: line, first and last column.
const DECLARED: [u32; 3] = [0, 13, 19];
const IMPORTED: [u32; 3] = [0, 9, 15];
const USED: [u32; 3] = [1, 20, 26];

/// An editor, and the requests of the last tool call.
struct RecordingEditor {
    client: Client,
    requests: Vec<(String, Value)>,
}

impl RecordingEditor {
    /// An editor that answers these methods.
    fn new(methods: &[&str]) -> Self {
        let options = json!({ "zubi": { "editorProtocol": 1, "editorMethods": methods } });
        Self { client: Client::new(&options, WEB), requests: Vec::new() }
    }

    /// Like [`Self::new`], with a folder that is opened through a link.
    fn by_link(methods: &[&str]) -> Self {
        let options = json!({ "zubi": { "editorProtocol": 1, "editorMethods": methods } });
        Self { client: Client::by_link(&options, WEB), requests: Vec::new() }
    }

    /// Calls a tool; `answer` answers the server's requests, and its errors become error responses.
    fn call(
        &mut self,
        tool: &str,
        args: &Value,
        mut answer: impl FnMut(&str, &Value) -> Result<Value, String>,
    ) -> String {
        self.requests.clear();
        let call = self.client.begin("zubi/tools/call", json!({ "id": tool, "args": args }));
        let response = loop {
            let request = match self.client.next_request_or_answer(&call) {
                Ok(response) => break response.unwrap(),
                Err(request) => request,
            };
            let (method, params) =
                (request.params["method"].as_str().unwrap().to_owned(), request.params["params"].clone());
            match answer(&method, &params) {
                Ok(result) => self.client.respond(request.id, result),
                Err(why) => self.client.refuse(request.id, -32803, &why),
            }
            self.requests.push((method, params));
        };
        tool_text(&response)
    }

    fn location(&self, file: &str, span: [u32; 3]) -> Value {
        json!({ "uri": self.client.uri(file), "range": range(span) })
    }
}

fn range([line, from, to]: [u32; 3]) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

#[test]
fn declarations_are_excluded_from_references_on_request() {
    let mut editor = RecordingEditor::new(&["textDocument/references", "textDocument/definition"]);
    let (declared, imported, used) = (
        editor.location("web/shape.ts", DECLARED),
        editor.location("web/report.ts", IMPORTED),
        editor.location("web/report.ts", USED),
    );
    let answer = |method: &str, _: &Value| match method {
        // Two providers return the same use.
        "textDocument/references" => Ok(json!([declared, imported, used, used])),
        _ => Ok(
            json!([{ "targetUri": declared["uri"], "targetRange": range([0, 0, 20]), "targetSelectionRange": declared["range"] }]),
        ),
    };
    let args = json!({ "at": "web/report.ts:2:21", "includeDeclaration": false });
    assert_snapshot!(editor.call("lsp_references", &args, answer), @"
    at web/report.ts:2:21 Circle
    2 references to `Circle` in 1 file
    web/report.ts
      1:10  import { Circle } from './shape';
      2:21  const largest = new Circle();
    [editor · ready]
    ");
    assert_snapshot!(editor.call("lsp_references", &json!({ "at": "web/report.ts:2:21" }), answer), @"
    at web/report.ts:2:21 Circle
    3 references to `Circle` in 2 files
    web/report.ts
      1:10  import { Circle } from './shape';
      2:21  const largest = new Circle();
    web/shape.ts
      1:14  export class Circle {  (declaration)
    [editor · ready]
    ");
}

#[test]
fn answers_of_several_providers_are_merged() {
    let mut editor = RecordingEditor::new(&["textDocument/hover", "textDocument/definition"]);
    let at = json!({ "at": "web/report.ts:2:21" });
    let declared = editor.location("web/shape.ts", DECLARED);
    let answer = editor.call("lsp_hover", &at, |_, _| {
        let block = json!({ "language": "ts", "value": "class Circle" });
        Ok(json!([{ "contents": [block, ""] }, { "contents": [block, "More of another extension."], "range": range(USED) }]))
    });
    assert_snapshot!(answer, @"
    at web/report.ts:2:21 Circle
    ```ts
    class Circle
    ```

    More of another extension.
    [editor · ready]
    ");
    assert_snapshot!(editor.call("lsp_hover", &at, |_, _| Ok(json!([]))), @"
    at web/report.ts:2:21 Circle
    no information about `Circle` (a keyword, a literal, or code the server cannot resolve)
    [editor · readiness unknown · completeness unknown: editor gives no readiness signal]
    ");
    let answer = editor.call("lsp_definition", &at, |_, _| {
        let link = json!({ "targetUri": declared["uri"], "targetRange": range([0, 0, 20]), "targetSelectionRange": declared["range"] });
        Ok(json!([declared, link]))
    });
    assert_snapshot!(answer, @"
    at web/report.ts:2:21 Circle
    1 definition of `Circle`
    web/shape.ts
      1:14  export class Circle {
    [editor · readiness unknown · completeness unknown: editor gives no readiness signal]
    ");
}

#[test]
fn a_rename_is_requested_at_the_identifier() {
    let methods =
        ["workspace/symbol", "textDocument/documentSymbol", "textDocument/prepareRename", "textDocument/rename"];
    let mut editor = RecordingEditor::new(&methods);
    let args = json!({ "symbol": "Circle", "path": "web", "newName": "Disc" });
    let (declaration, declared) =
        (editor.location("web/shape.ts", [0, 0, 20]), editor.location("web/shape.ts", DECLARED));
    // The editor's symbol begins at a keyword.
    let symbols = |method: &str| match method {
        "workspace/symbol" => Some(json!([{ "name": "Circle", "kind": 5, "location": declaration }])),
        "textDocument/documentSymbol" => Some(
            json!([{ "name": "Circle", "kind": 5, "range": declaration["range"], "selectionRange": declaration["range"], "children": [] }]),
        ),
        _ => None,
    };
    let answer = editor.call("lsp_rename_symbol", &args, |method, _| match method {
        "textDocument/prepareRename" => Ok(json!({ "range": range(DECLARED), "placeholder": "Circle" })),
        "textDocument/rename" => {
            let edits = json!([{ "range": range(DECLARED), "newText": "Disc" }]);
            Ok(json!({ "documentChanges": [{ "textDocument": { "uri": declared["uri"], "version": null }, "edits": edits }] }))
        }
        method => symbols(method).ok_or_else(|| method.to_owned()),
    });
    let diff_lines: Vec<_> = answer.lines().filter(|line| line.starts_with(['-', '+'])).collect();
    assert_eq!(
        diff_lines,
        ["--- a/web/shape.ts", "+++ b/web/shape.ts", "-export class Circle {", "+export class Disc {"],
        "{answer}"
    );
    for (method, params) in editor.requests.iter().filter(|(method, _)| method.ends_with("ename")) {
        assert_eq!(params["position"], range(DECLARED)["start"], "{method}");
    }
    for failing_method in ["textDocument/prepareRename", "textDocument/rename"] {
        let answer = editor.call("lsp_rename_symbol", &args, |method, _| match method {
            method if method == failing_method => Err("You cannot rename this element.".to_owned()),
            "textDocument/prepareRename" => Ok(json!({ "range": range(DECLARED), "placeholder": "Circle" })),
            method => symbols(method).ok_or_else(|| method.to_owned()),
        });
        assert_eq!(
            answer.lines().next(),
            Some("error: Failed to plan the rename: editor declined: You cannot rename this element.")
        );
    }
}

#[test]
fn actions_of_several_kinds_preserve_their_details() {
    let mut editor = RecordingEditor::new(&["textDocument/codeAction"]);
    let uri = editor.client.uri("web/report.ts");
    let args = json!({ "at": "web/report.ts:2:21", "context": { "only": ["quickfix", "refactor"] } });
    let answer = editor.call("lsp_code_actions", &args, |_, params| {
        let edits = json!([{ "range": range([1, 0, 5]), "newText": "let" }]);
        let edit = json!({ "documentChanges": [{ "textDocument": { "uri": uri, "version": null }, "edits": edits }] });
        let common_action = json!({ "title": "Use let", "kind": "quickfix", "isPreferred": true, "edit": edit });
        Ok(match params["context"]["only"].as_array().map(Vec::as_slice) {
            Some([only]) if only == "quickfix" => json!([common_action, { "title": "Ask somebody", "command": "ask.somebody" }]),
            Some([_]) => json!([common_action, { "title": "Fill in", "kind": "refactor", "edit": { "refused": "it has parts that only the editor itself can apply" } }]),
            _ => panic!("one kind at a time: {params}"),
        })
    });
    let answer = answer.lines().filter(|line| !line.contains("a-")).collect::<Vec<_>>().join("\n");
    assert_snapshot!(answer, @"
    at web/report.ts:2:21
    3 code actions
      (no action) Ask somebody: it runs the command `ask.somebody`, which cannot be previewed
      (no action) Fill in (refactor): it has parts that only the editor itself can apply
    [editor · readiness unknown · completeness unknown: editor gives no readiness signal]
    ");
}

#[test]
fn omitted_results_are_reported() {
    let mut editor = RecordingEditor::new(&["textDocument/references", "textDocument/completion", "workspace/symbol"]);
    let used = editor.location("web/report.ts", USED);
    let at = json!({ "at": "web/report.ts:2:21" });
    assert_snapshot!(editor.call("lsp_references", &at, |_, _| Ok(json!([used, { "leftOut": 7 }]))), @"
    at web/report.ts:2:21 Circle
    1 reference to `Circle` in 1 file
    web/report.ts
      2:21  const largest = new Circle();
    2 further word matches: 1 in code (other symbols of the name), 1 in code (not checked): includeText=true
    [editor · readiness unknown · may be incomplete: editor left out 7 more]
    ");
    let answer = editor.call("lsp_completion", &at, |_, _| {
        Ok(json!({ "isIncomplete": false, "items": [{ "label": "Circle", "kind": 7 }], "leftOut": 9 }))
    });
    assert_snapshot!(answer, @"
    at web/report.ts:2:21
    1 completion (incomplete: type more for others)
      Circle (class)
    [editor · readiness unknown · may be incomplete: editor left out 9 more]
    ");
}

#[test]
fn names_missing_from_the_symbol_index_are_found_in_outlines() {
    let mut editor = RecordingEditor::new(&["workspace/symbol", "textDocument/documentSymbol"]);
    // TypeScript's extension appends parentheses to functions.
    let class = json!({ "name": "Circle()", "kind": 12, "location": editor.location("web/shape.ts", [0, 0, 20]) });
    let indexed = editor.call("lsp_workspace_symbols", &json!({ "query": "Circle" }), |_, _| Ok(json!([class])));
    assert!(indexed.contains("\n  function Circle  web/shape.ts:1:14\n"), "{indexed}");
    // The editor gets models from this server, so the server does not query the editor for them.
    let model = json!({ "name": "Circle", "kind": 3, "location": { "uri": editor.client.uri("model.dlang"), "range": range([0, 7, 13]) } });
    let shape = editor.client.uri("web/shape.ts");
    let answer = editor.call("lsp_workspace_symbols", &json!({ "query": "Circle" }), |method, params| {
        Ok(match method {
            "workspace/symbol" => json!([model]),
            _ if params["textDocument"]["uri"] == shape.as_str() => {
                json!([{ "name": "Circle", "kind": 5, "range": range([0, 0, 20]), "selectionRange": range(DECLARED), "children": [] }])
            }
            // The editor's answer for a document without symbols.
            _ => Value::Null,
        })
    });
    assert_snapshot!(answer, @r#"
    2 symbols matching `Circle`
      namespace Circle  model.dlang:1:8  Domain Circle { vision: "v" }
      class Circle  web/shape.ts:1:14
    [domainlang + editor · readiness unknown · completeness unknown: editor gives no readiness signal · beside an index that may lack names: exact names only, from the outlines of 2 files]
    "#);
    assert_snapshot!(editor.call("lsp_document_symbols", &json!({ "path": "web/report.ts" }), |_, _| Ok(Value::Null)), @"
    no declarations in `web/report.ts`
    [editor · ready]
    ");
}

#[test]
fn hierarchy_items_are_returned_unchanged() {
    let mut editor = RecordingEditor::new(&["textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls"]);
    let (shape, report) = (editor.client.uri("web/shape.ts"), editor.client.uri("web/report.ts"));
    let item = |name: &str, uri: &str, span, number: u32| json!({ "name": name, "kind": 12, "uri": uri, "range": range(span), "selectionRange": range(span), "data": { "zubi": number } });
    let (callee, caller) = (item("Circle", &shape, DECLARED, 1), item("largest", &report, [1, 6, 13], 2));
    let args = json!({ "at": "web/shape.ts:1:14", "direction": "incoming", "depth": 2 });
    let answer = editor.call("lsp_call_hierarchy", &args, |method, params| {
        Ok(match method {
            "textDocument/prepareCallHierarchy" => json!([callee]),
            _ if params["item"] == callee => json!([{ "from": caller, "fromRanges": [range(USED)] }]),
            _ if params["item"] == caller => json!([]),
            _ => panic!("another item: {params}"),
        })
    });
    assert_snapshot!(answer, @"
    at web/shape.ts:1:14 Circle
    1 caller of `Circle`, up to 2 steps away
    function Circle  web/shape.ts:1:14  export class Circle {
      function largest  web/report.ts:2:7  2: const largest = new Circle();
    [editor · readiness unknown · completeness unknown: editor gives no readiness signal]
    ");
    let answer = editor.call("lsp_call_hierarchy", &args, |method, _| match method {
        "textDocument/prepareCallHierarchy" => Ok(json!([callee])),
        _ => Err("the editor does not know this item any more: ask about its place again".to_owned()),
    });
    assert_snapshot!(answer, @"
    error: Failed to walk the call hierarchy: editor answered `callHierarchy/incomingCalls` with an error: the editor does not know this item any more: ask about its place again (-32803)
    Check the position with `lsp_document_symbols`, then retry.
    ");
}

#[test]
fn uris_are_mapped_for_a_folder_opened_through_a_link() {
    let mut editor = RecordingEditor::by_link(&["textDocument/references", "textDocument/definition"]);
    let (declared, used) = (editor.location("web/shape.ts", DECLARED), editor.location("web/report.ts", USED));
    assert!(declared["uri"].as_str().unwrap().contains("/linked/"));
    let answer = editor.call("lsp_references", &json!({ "at": "web/report.ts:2:21" }), |method, params| {
        assert_eq!(params["textDocument"]["uri"], used["uri"], "{method}");
        Ok(if method == "textDocument/references" { json!([declared, used]) } else { json!([declared]) })
    });
    assert_snapshot!(answer, @"
    at web/report.ts:2:21 Circle
    2 references to `Circle` in 2 files
    web/report.ts
      2:21  const largest = new Circle();
    web/shape.ts
      1:14  export class Circle {  (declaration)
    1 further word match in code that the server does not confirm: includeText=true
    [editor · readiness unknown · may be incomplete: `Circle` also occurs in web/report.ts (1: the server resolves it to this symbol, but does not report it)]
    ");
}

#[test]
fn code_actions_report_when_diagnostics_are_not_current() {
    let mut editor = RecordingEditor::new(&["textDocument/codeAction", "textDocument/diagnostic", "zubi/validate"]);
    let actions = |editor: &mut RecordingEditor, only: &[&str]| {
        let args = json!({ "at": "web/report.ts:2:21", "context": { "only": only } });
        let answer = editor.call("lsp_code_actions", &args, |method, _| {
            Ok(if method == "textDocument/codeAction" {
                json!([])
            } else {
                json!({ "items": [], "isOpen": true, "isCurrent": false })
            })
        });
        let methods: Vec<_> = editor.requests.iter().map(|(method, _)| method.as_str()).collect();
        format!("{}\n{answer}", methods.join(" "))
    };
    assert_snapshot!(actions(&mut editor, &[]), @"
    textDocument/diagnostic zubi/validate textDocument/codeAction
    at web/report.ts:2:21
    no code actions here
    [editor · readiness unknown · may be incomplete: editor has not checked the present text yet]
    ");
    // Other actions do not depend on diagnostics.
    assert_snapshot!(actions(&mut editor, &["refactor.extract"]), @"
    textDocument/codeAction
    at web/report.ts:2:21
    no code actions here
    [editor · readiness unknown · completeness unknown: editor gives no readiness signal]
    ");
}
