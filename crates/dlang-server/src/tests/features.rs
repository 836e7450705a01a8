//! One test per request of an editor: a fixture, and the result in a compact form.

use std::fmt::Write as _;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::client::{Client, full_capabilities, path_of, pull_capabilities, split_marker, uri_of};

/// JSON in compact form: ranges as `line:character-line:character`, URIs as paths, one list element per line.
pub(super) fn show(value: &Value) -> String {
    let lines = |list: &[Value]| list.iter().map(|it| short(it).to_string()).collect::<Vec<_>>().join("\n");
    match value {
        Value::Array(list) => lines(list),
        other => short(other).to_string(),
    }
}

fn short(value: &Value) -> Value {
    match value {
        Value::Object(fields) if fields.contains_key("start") && fields.contains_key("end") => {
            let format_position = |position: &Value| format!("{}:{}", position["line"], position["character"]);
            json!(format!("{}-{}", format_position(&value["start"]), format_position(&value["end"])))
        }
        Value::Object(fields) => {
            let name = |key: &String| if key.starts_with("file://") { path_of(key) } else { key.clone() };
            Value::Object(fields.iter().map(|(key, value)| (name(key), short(value))).collect())
        }
        Value::Array(list) => Value::Array(list.iter().map(short).collect()),
        Value::String(text) if text.starts_with("file://") => json!(path_of(text)),
        other => other.clone(),
    }
}

/// Sends a request at the marked position of a fixture.
fn request_at_marker(method: &str, fixture: &str, more: &Value) -> (Client, Result<Value, Value>) {
    at_with(&full_capabilities(), method, fixture, more)
}

fn at_with(capabilities: &Value, method: &str, fixture: &str, more: &Value) -> (Client, Result<Value, Value>) {
    let (fixture, path, position) = split_marker(fixture);
    let mut client = Client::with_capabilities(&fixture, capabilities);
    let mut params = json!({ "textDocument": { "uri": uri_of(&path) }, "position": position });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = client.try_send_request(method, params);
    (client, answer)
}

fn check(method: &str, fixture: &str) -> String {
    check_with(method, fixture, &json!({}))
}

fn check_with(method: &str, fixture: &str, more: &Value) -> String {
    match request_at_marker(method, fixture, more).1 {
        Ok(result) => show(&result),
        Err(error) => format!("error {}: {}", error["code"], error["message"].as_str().unwrap()),
    }
}

const MODEL: &str = r#"
//- shared/teams.dlang
/// Who sells.
Team Sellers
Classification Core
//- main.dlang
import "./shared/teams.dlang"
Domain Sales { vision: "ä𝄞" }
bc Orders for Sales as Core by Sell$0ers {
    description: "d"
    relationships { this [OHS] -> Billing }
}
bc Billing for Sales by Sellers { description: "e" }
ContextMap Map { contains Orders, Billing }
"#;

fn in_model(mark_before: &str) -> String {
    MODEL.replace("$0", "").replacen(mark_before, &format!("$0{mark_before}"), 1)
}

#[test]
fn hover() {
    assert_snapshot!(check("textDocument/hover", MODEL), @r#"{"contents":{"kind":"markdown","value":"👥 **(team) Sellers**\n\n---\n\n**Responsible for:**\n- [Orders](file:///w/main.dlang#L3,1)\n- [Billing](file:///w/main.dlang#L7,1)"},"range":"2:31-2:38"}"#);
    assert_snapshot!(check("textDocument/hover", &in_model("\"d\"")), @"null");
}

#[test]
fn hover_is_plain_text_without_markdown_support() {
    let (_client, answer) = at_with(&pull_capabilities(), "textDocument/hover", &in_model("Core\n"), &json!({}));
    assert_snapshot!(show(&answer.unwrap()), @r#"{"contents":{"kind":"plaintext","value":"🏷️ **(classification) Core**\n\n---\n\n**Used by:**\n- [Orders](file:///w/main.dlang#L3,1)"},"range":"2:15-2:19"}"#);
}

#[test]
fn definition() {
    assert_snapshot!(check("textDocument/definition", MODEL), @r#"{"originSelectionRange":"2:31-2:38","targetUri":"shared/teams.dlang","targetRange":"1:0-1:12","targetSelectionRange":"1:5-1:12"}"#);
    let (_client, answer) = at_with(&pull_capabilities(), "textDocument/definition", MODEL, &json!({}));
    assert_snapshot!(show(&answer.unwrap()), @r#"{"uri":"shared/teams.dlang","range":"1:5-1:12"}"#);
}

#[test]
fn references() {
    let with = json!({ "context": { "includeDeclaration": true } });
    assert_snapshot!(check_with("textDocument/references", MODEL, &with), @r#"
    {"uri":"main.dlang","range":"2:31-2:38"}
    {"uri":"main.dlang","range":"6:24-6:31"}
    {"uri":"shared/teams.dlang","range":"1:5-1:12"}
    "#);
    let without = json!({ "context": { "includeDeclaration": false } });
    assert_snapshot!(check_with("textDocument/references", MODEL, &without), @r#"
    {"uri":"main.dlang","range":"2:31-2:38"}
    {"uri":"main.dlang","range":"6:24-6:31"}
    "#);
}

#[test]
fn highlights() {
    assert_snapshot!(check("textDocument/documentHighlight", &in_model("Billing for")), @r#"
    {"range":"4:34-4:41","kind":2}
    {"range":"6:3-6:10","kind":3}
    {"range":"7:34-7:41","kind":2}
    "#);
}

#[test]
fn rename() {
    assert_snapshot!(check("textDocument/prepareRename", MODEL), @r#"{"range":"2:31-2:38","placeholder":"Sellers"}"#);
    assert_snapshot!(check("textDocument/prepareRename", &in_model("\"d\"")), @"error -32803: There is no name here that can be changed.");
    let (client, answer) = request_at_marker("textDocument/rename", MODEL, &json!({ "newName": "Vendors" }));
    let edit = answer.unwrap();
    assert_snapshot!(show(&edit["documentChanges"]), @r#"
    {"textDocument":{"version":null,"uri":"main.dlang"},"edits":[{"range":"2:31-2:38","newText":"Vendors"},{"range":"6:24-6:31","newText":"Vendors"}]}
    {"textDocument":{"version":null,"uri":"shared/teams.dlang"},"edits":[{"range":"1:5-1:12","newText":"Vendors"}]}
    "#);
    assert_snapshot!(client.text_after_edits("main.dlang", &edit["documentChanges"][0]["edits"]), @r#"
    import "./shared/teams.dlang"
    Domain Sales { vision: "ä𝄞" }
    bc Orders for Sales as Core by Vendors {
        description: "d"
        relationships { this [OHS] -> Billing }
    }
    bc Billing for Sales by Vendors { description: "e" }
    ContextMap Map { contains Orders, Billing }
    "#);
    assert_snapshot!(check_with("textDocument/rename", MODEL, &json!({ "newName": "a b" })), @"error -32803: `a b` is not a name: names are letters, digits, `_` and `-`, and begin with a letter or `_`.");
}

#[test]
fn edits_without_version_support() {
    let (_client, answer) =
        at_with(&pull_capabilities(), "textDocument/rename", MODEL, &json!({ "newName": "Vendors" }));
    let changes = answer.unwrap();
    assert_snapshot!(show(&changes["changes"][uri_of("shared/teams.dlang")]), @r#"{"range":"1:5-1:12","newText":"Vendors"}"#);
    assert_eq!(changes["changes"].as_object().unwrap().len(), 2);
}

#[test]
fn edits_of_open_documents_name_their_version() {
    let (fixture, path, position) = split_marker(MODEL);
    let mut client = Client::new(&fixture);
    client.open(&path, 7, &client.text_after_edits(&path, &json!([])));
    let params = json!({ "textDocument": { "uri": uri_of(&path) }, "position": position, "newName": "Vendors" });
    let changes = client.send_request("textDocument/rename", params);
    let documents = changes["documentChanges"].as_array().unwrap().iter().map(|it| it["textDocument"].clone());
    assert_snapshot!(show(&Value::Array(documents.collect())), @r#"
    {"version":7,"uri":"main.dlang"}
    {"version":null,"uri":"shared/teams.dlang"}
    "#);
}

#[test]
fn document_symbols() {
    assert_snapshot!(check("textDocument/documentSymbol", MODEL), @r#"
    {"name":"Sales","detail":"Domain — ä𝄞","kind":3,"range":"1:0-1:30","selectionRange":"1:7-1:12"}
    {"name":"Orders","detail":"BC for Sales — d","kind":4,"range":"2:0-5:1","selectionRange":"2:3-2:9","children":[{"name":"relationships","detail":"1 item","kind":19,"range":"4:20-4:41","selectionRange":"4:20-4:41","children":[{"name":"this → Billing","kind":11,"range":"4:20-4:41","selectionRange":"4:20-4:41"}]}]}
    {"name":"Billing","detail":"BC for Sales — e","kind":4,"range":"6:0-6:52","selectionRange":"6:3-6:10"}
    {"name":"Map","detail":"2 contexts","kind":4,"range":"7:0-7:43","selectionRange":"7:11-7:14"}
    "#);
    let (_client, answer) = at_with(&pull_capabilities(), "textDocument/documentSymbol", MODEL, &json!({}));
    assert_snapshot!(show(&answer.unwrap()), @r#"
    {"location":{"uri":"main.dlang","range":"1:0-1:30"},"name":"Sales","kind":3}
    {"location":{"uri":"main.dlang","range":"2:0-5:1"},"name":"Orders","kind":4}
    {"location":{"uri":"main.dlang","range":"4:20-4:41"},"name":"relationships","kind":19,"containerName":"Orders"}
    {"location":{"uri":"main.dlang","range":"4:20-4:41"},"name":"this → Billing","kind":11,"containerName":"relationships"}
    {"location":{"uri":"main.dlang","range":"6:0-6:52"},"name":"Billing","kind":4}
    {"location":{"uri":"main.dlang","range":"7:0-7:43"},"name":"Map","kind":4}
    "#);
}

#[test]
fn workspace_symbols() {
    let mut client = Client::new(&split_marker(MODEL).0);
    assert_snapshot!(show(&client.send_request("workspace/symbol", json!({ "query": "ell" }))), @r#"{"location":{"uri":"shared/teams.dlang","range":"1:5-1:12"},"name":"Sellers","kind":11}"#);
}

#[test]
fn folding() {
    assert_snapshot!(check("textDocument/foldingRange", MODEL), @r#"{"startLine":2,"startCharacter":40,"endLine":4,"endCharacter":43}"#);
}

#[test]
fn selection_ranges() {
    let (fixture, path, position) = split_marker(MODEL);
    let mut client = Client::new(&fixture);
    let far = json!({ "line": 4_000_000_000_u32, "character": 4_000_000_000_u32 });
    let params = json!({ "textDocument": { "uri": uri_of(&path) }, "positions": [position, far] });
    assert_snapshot!(show(&client.send_request("textDocument/selectionRange", params)), @r#"
    {"range":"2:31-2:38","parent":{"range":"2:28-2:38","parent":{"range":"2:0-5:1","parent":{"range":"0:0-8:0"}}}}
    {"range":"0:0-8:0"}
    "#);
    let many = vec![far; 1001];
    let params = json!({ "textDocument": { "uri": uri_of(&path) }, "positions": many });
    assert_snapshot!(client.try_send_request("textDocument/selectionRange", params).unwrap_err(), @r#"{"code":-32602,"message":"Invalid params: at most 1000 positions","data":{"field":"positions"}}"#);
}

#[test]
fn code_lenses() {
    assert_snapshot!(check("textDocument/codeLens", MODEL), @r#"{"range":"7:0-7:0","command":{"title":"Open diagram","command":"domainlang.diagram.open","arguments":[{"uri":"main.dlang"}]}}"#);
}

#[test]
fn links() {
    assert_snapshot!(check("textDocument/documentLink", MODEL), @r#"{"range":"0:8-0:28","target":"shared/teams.dlang","tooltip":"shared/teams.dlang"}"#);
}

#[test]
fn hints() {
    let everything = json!({ "range": range(0, 99) });
    assert_snapshot!(check_with("textDocument/inlayHint", MODEL, &everything), @r#"{"position":{"line":4,"character":41},"label":"UpstreamDownstream","kind":1,"paddingLeft":true}"#);
    let nothing = json!({ "range": range(0, 1) });
    assert_snapshot!(check_with("textDocument/inlayHint", MODEL, &nothing), @"");
}

fn range(from: u32, to: u32) -> Value {
    json!({ "start": { "line": from, "character": 0 }, "end": { "line": to, "character": 0 } })
}

#[test]
fn formatting() {
    let text = "//- a.dlang\n$0Team   A\nTeam   B\n";
    let options = json!({ "options": { "tabSize": 2, "insertSpaces": true }, "range": range(1, 2) });
    let (client, answer) = request_at_marker("textDocument/formatting", text, &options);
    assert_snapshot!(client.text_after_edits("a.dlang", &answer.unwrap()), @"
    Team A
    Team B
    ");
    let (client, answer) = request_at_marker("textDocument/rangeFormatting", text, &options);
    assert_snapshot!(client.text_after_edits("a.dlang", &answer.unwrap()), @"
    Team   A
    Team B
    ");
    // A text with an error stays as it is.
    assert_snapshot!(check_with("textDocument/formatting", "//- a.dlang\n$0Team  A {\n", &options), @"");
}

/// The tokens with their texts, decoded from the numbers.
fn tokens(text: &str, answer: &Value) -> String {
    let numbers: Vec<usize> = serde_json::from_value(answer["data"].clone()).unwrap();
    let (mut line, mut start, mut shown) = (0, 0, Vec::new());
    for token in numbers.chunks(5) {
        (line, start) = if token[0] == 0 { (line, start + token[1]) } else { (line + token[0], token[1]) };
        let units: Vec<u16> = text.lines().nth(line).unwrap().encode_utf16().collect();
        shown.push(format!(
            "{}/{}.{}",
            String::from_utf16(&units[start..start + token[2]]).unwrap(),
            token[3],
            token[4]
        ));
    }
    shown.join(" ")
}

#[test]
fn semantic_tokens() {
    let text = "/* a\n𝄞 b */ Team A // end\nbc B by A {\n    relationships { this [OHS] -> B }\n}\n";
    let fixture = format!("//- a.dlang\n$0{text}");
    let (_client, answer) = request_at_marker("textDocument/semanticTokens/full", &fixture, &json!({}));
    assert_snapshot!(tokens(text, &answer.unwrap()), @"/* a/3.0 𝄞 b *//3.0 Team/0.0 A/6.1 // end/3.0 bc/0.0 B/5.1 by/0.0 A/6.0 relationships/0.0 this/0.0 OHS/11.0 ->/1.0 B/5.0");
    let (_client, answer) =
        request_at_marker("textDocument/semanticTokens/range", &fixture, &json!({ "range": range(2, 2) }));
    assert_snapshot!(tokens(text, &answer.unwrap()), @"bc/0.0");
}

#[test]
fn semantic_tokens_by_difference() {
    let mut client = Client::new("//- a.dlang\nTeam A\n");
    let document = json!({ "textDocument": { "uri": uri_of("a.dlang") } });
    // Tokens of documents that are not open are not stored.
    assert_eq!(client.send_request("textDocument/semanticTokens/full", document.clone()).get("resultId"), None);
    client.open("a.dlang", 1, "Team A\nTeam B\n");
    let first = client.send_request("textDocument/semanticTokens/full", document.clone());
    assert_snapshot!(first, @r#"{"resultId":"1","data":[0,0,4,0,0,0,5,1,6,1,1,0,4,0,0,0,5,1,6,1]}"#);
    client.replace("a.dlang", 2, "Team A\nTeam C\nTeam B\n");
    let mut delta_params = document;
    delta_params["previousResultId"] = first["resultId"].clone();
    assert_snapshot!(client.send_request("textDocument/semanticTokens/full/delta", delta_params.clone()), @r#"{"resultId":"2","edits":[{"start":20,"deleteCount":0,"data":[1,0,4,0,0,0,5,1,6,1]}]}"#);
    // The older result is no longer stored, so there is no delta.
    assert_snapshot!(client.send_request("textDocument/semanticTokens/full/delta", delta_params), @r#"{"resultId":"3","data":[0,0,4,0,0,0,5,1,6,1,1,0,4,0,0,0,5,1,6,1,1,0,4,0,0,0,5,1,6,1]}"#);
}

#[test]
fn completion() {
    let (mut client, answer) =
        request_at_marker("textDocument/completion", &MODEL.replace("Sell$0ers {", "$0Sellers {"), &json!({}));
    let list = answer.unwrap();
    let item = list["items"].as_array().unwrap().iter().find(|item| item["label"] == "Sellers").unwrap().clone();
    assert_snapshot!(show(&item), @r#"{"label":"Sellers","kind":8,"detail":"Team","sortText":"0_Sellers","filterText":"Sellers","insertTextFormat":1,"textEdit":{"range":"2:31-2:31","newText":"Sellers "},"data":{"uri":"shared/teams.dlang","number":0,"fqn":"Sellers"}}"#);
    let resolved = client.send_request("completionItem/resolve", item.clone());
    assert_snapshot!(resolved["documentation"]["value"].as_str().unwrap(), @"
    👥 **(team) Sellers**

    ---

    **Responsible for:**
    - [Orders](file:///w/main.dlang#L3,1)
    - [Billing](file:///w/main.dlang#L7,1)
    ");
    // An element that has been replaced has no documentation.
    let mut other = item;
    other["data"]["fqn"] = json!("Other");
    assert_eq!(client.send_request("completionItem/resolve", other).get("documentation"), None);
}

#[test]
fn snippets_require_client_support() {
    let labels = |capabilities: &Value| {
        let text = "//- a.dlang\nTeam A\n$0\n";
        let list = at_with(capabilities, "textDocument/completion", text, &json!({})).1.unwrap();
        let items = list["items"].as_array().unwrap();
        items.iter().filter(|item| item["insertTextFormat"] == 2).count()
    };
    assert!(labels(&full_capabilities()) > 5);
    assert_eq!(labels(&pull_capabilities()), 0);
}

#[test]
fn completion_of_imports() {
    let fixture = r#"
//- model.yaml
paths:
  "@lib": ./lib
dependencies:
  acme/core: v1.0.0
//- lib/a.dlang
//- lib/deep/b.dlang
//- main.dlang
import "$0"
"#;
    let labels = |fixture: &str| {
        let list = request_at_marker("textDocument/completion", fixture, &json!({})).1.unwrap();
        let labels = list["items"].as_array().unwrap().iter().map(|it| it["label"].as_str().unwrap().to_owned());
        labels.collect::<Vec<_>>().join(" ")
    };
    assert_snapshot!(labels(fixture), @"./ ../ ./lib/ @lib acme/core");
    assert_snapshot!(labels(&fixture.replace("$0", "./lib/$0")), @"./lib/a.dlang ./lib/deep/");
}

/// Titles of the actions for a whole file, and the text after applying the one with the title `chosen`.
fn actions(fixture: &str, path: &str, selected_title: &str) -> String {
    let mut client = Client::new(fixture);
    let document = json!({ "uri": uri_of(path) });
    let found = client.send_request("textDocument/diagnostic", json!({ "textDocument": document }));
    let context = json!({ "diagnostics": found["items"] });
    let params = json!({ "textDocument": document, "range": range(0, 99), "context": context });
    let actions = client.send_request("textDocument/codeAction", params);
    let mut rendered = String::new();
    for action in actions.as_array().unwrap() {
        let title = action["title"].as_str().unwrap();
        let codes: Vec<&str> =
            action["diagnostics"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect();
        writeln!(rendered, "{title} [{}]", codes.join(" ")).unwrap();
        if title == selected_title {
            for change in action["edit"]["documentChanges"].as_array().unwrap() {
                let edited_path = change["textDocument"]["uri"].as_str().map(path_of);
                match edited_path.filter(|edited_path| client.files.is_there(edited_path)) {
                    Some(edited_path) => rendered += &client.text_after_edits(&edited_path, &change["edits"]),
                    None => writeln!(rendered, "{}", show(change)).unwrap(),
                }
            }
        }
    }
    rendered
}

#[test]
fn quick_fixes() {
    let model = "//- a.dlang\nDomain Sales { vision: \"v\" }\nbc B for Sale { description: \"d\" }\n";
    assert_snapshot!(actions(model, "a.dlang", "Change to 'Sales'"), @r#"
    Change to 'Sales' [linking-error]
    Domain Sales { vision: "v" }
    bc B for Sales { description: "d" }
    "#);
    let manifest = "//- model.yaml\ndependencies:\n  acme/x: {}\n//- a.dlang\nTeam A\n";
    assert_snapshot!(actions(manifest, "model.yaml", "Add a git ref to 'acme/x'"), @"
    Add a git ref to 'acme/x' [import-missing-ref]
    dependencies:
      acme/x: {ref: v1.0.0}
    ");
    let unknown = "//- model.yaml\nmodel: {name: m}\n//- a.dlang\nimport \"acme/core\"\n";
    assert_snapshot!(actions(unknown, "a.dlang", "Add 'acme/core' to the dependencies in model.yaml"), @"
    Add 'acme/core' to the dependencies in model.yaml [import-unresolved]
    model: {name: m}
    dependencies:
      acme/core:
        ref: v1.0.0
    ");
    let none = "//- a.dlang\nimport \"acme/core\"\n";
    assert_snapshot!(actions(none, "a.dlang", "Create model.yaml with the dependency 'acme/core'"), @r#"
    Create model.yaml with the dependency 'acme/core' [import-unresolved]
    {"uri":"model.yaml","kind":"create"}
    {"textDocument":{"version":null,"uri":"model.yaml"},"edits":[{"range":"0:0-0:0","newText":"dependencies:\n  acme/core:\n    ref: v1.0.0\n"}]}
    "#);
}

#[test]
fn only_quick_fixes_are_returned() {
    let fixture = "//- a.dlang\n$0Domain D\n";
    let count_actions = |kind: &str| {
        let context = json!({ "diagnostics": [], "only": [kind] });
        let actions =
            request_at_marker("textDocument/codeAction", fixture, &json!({ "range": range(0, 1), "context": context }))
                .1;
        actions.unwrap().as_array().unwrap().len()
    };
    assert_eq!((count_actions("quickfix"), count_actions("refactor.extract")), (1, 0));
}

#[test]
fn documents_outside_the_model_have_empty_answers() {
    let mut client = Client::new("//- a.dlang\nTeam A\n");
    for uri in ["file:///w/gone.dlang", "file:///w/a.txt", "untitled:x", "", "file://elsewhere/a.dlang"] {
        let position = json!({ "line": 0, "character": 6 });
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        assert_eq!(client.send_request("textDocument/hover", params), Value::Null, "{uri}");
    }
}
