//! Documents of the client: incremental changes, documents that are not files, two URIs of one file.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::client::{Client, full_capabilities, uri_of};
use super::features::show;

#[test]
fn changes_are_applied_in_order() {
    for (encoding, column) in [("utf-8", 8), ("utf-16", 6), ("utf-32", 5)] {
        let mut capabilities = full_capabilities();
        capabilities["general"] = json!({ "positionEncodings": [encoding] });
        let mut client = Client::with_capabilities("", &capabilities);
        client.open("a.dlang", 1, "Team A // ä𝄞x\n");
        let at = |line: u32, from: u32, to: u32| json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } });
        let changes = json!([
            { "range": at(0, 0, 0), "text": "// ä𝄞\n" },
            { "range": at(0, column - 1, 99), "text": " Team B\n" },
            { "range": at(2, 5, 6), "text": "C" },
        ]);
        let document = json!({ "uri": uri_of("a.dlang"), "version": 2 });
        client.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
        let symbols = client.send_request("workspace/symbol", json!({ "query": "" }));
        assert_eq!(
            show(&symbols),
            r#"{"location":{"uri":"a.dlang","range":"2:5-2:6"},"name":"C","kind":11}"#,
            "{encoding}"
        );
    }
}

#[test]
fn an_invalid_change_makes_the_text_unknown() {
    let range =
        |line: i32| json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 0 } });
    let ranged = json!({ "range": range(0), "text": "Team Ranged\n" });
    let mut client = Client::new("//- a.dlang\nTeam Saved\n");
    let change = |client: &Client, version: &Value, changes: &Value| {
        let document = json!({ "uri": uri_of("a.dlang"), "version": version });
        client.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    };
    let teams = |client: &mut Client| {
        let symbols = client.send_request("workspace/symbol", json!({ "query": "" }));
        let names = symbols.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned());
        names.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
    };
    for (version, changes) in [
        (json!("two"), json!([ranged])),
        (json!(2), Value::Null),
        (json!(2), json!([{ "range": range(0) }])),
        // A change with an invalid range is not a change of the whole text.
        (json!(2), json!([ranged, { "range": range(-1), "text": "Team Broken\n" }])),
        (json!(2), json!([{ "range": range(0), "rangeLength": -1, "text": "Team Broken\n" }])),
    ] {
        client.open("a.dlang", 1, "Team Typed\n");
        change(&client, &version, &changes);
        assert_eq!(teams(&mut client), "Saved", "{changes}");
        // A position in an unknown text has no meaning.
        change(&client, &json!(3), &json!([ranged]));
        assert_eq!(teams(&mut client), "Saved", "{changes}");
        change(&client, &json!(4), &json!([ranged, { "text": "Team Whole\n" }, ranged]));
        assert_eq!(teams(&mut client), "Ranged Whole", "{changes}");
        change(&client, &version, &changes);
        client.open("a.dlang", 5, "Team Again\n");
        change(&client, &json!(6), &json!([ranged]));
        assert_eq!(teams(&mut client), "Again Ranged", "{changes}");
    }
    change(&client, &Value::Null, &Value::Null);
    client.close("a.dlang");
    change(&client, &json!(7), &json!([{ "text": "Team Closed\n" }]));
    assert_eq!(teams(&mut client), "Saved");
}

#[test]
fn a_document_without_a_file() {
    let mut client = Client::new("//- a.dlang\nTeam A\n");
    let uri = "untitled:Untitled-1";
    client.open_uri(uri, 1, "Team New\nbc B by New {}\n");
    let params = json!({ "textDocument": { "uri": uri }, "position": { "line": 1, "character": 9 } });
    assert_snapshot!(show(&client.send_request("textDocument/definition", params.clone())), @r#"{"originSelectionRange":"1:8-1:11","targetUri":"untitled:Untitled-1","targetRange":"0:0-0:8","targetSelectionRange":"0:5-0:8"}"#);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.send_request("textDocument/definition", params), Value::Null);
}

#[test]
fn answers_use_the_uri_spelling_of_the_client() {
    let mut client = Client::new("//- a.dlang\nTeam A\n");
    client.open_uri("file:///w/%61.dlang", 1, "Team A\n");
    let symbols = client.send_request("workspace/symbol", json!({ "query": "A" }));
    assert_eq!(symbols[0]["location"]["uri"], "file:///w/%61.dlang");
    // Another URI of the same file; closing that document leaves the file open.
    client.open("a.dlang", 5, "Team AB\n");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": "file:///w/%61.dlang" } }));
    assert_eq!(client.send_request("workspace/symbol", json!({ "query": "AB" }))[0]["name"], "AB");
}

#[test]
fn a_new_file_is_part_of_the_model_before_it_is_saved() {
    let mut client = Client::new("//- a.dlang\nimport \"./b.dlang\"\nbc X by B {}\n");
    client.open("b.dlang", 1, "Team B\n");
    let params = json!({ "textDocument": { "uri": uri_of("a.dlang") }, "position": { "line": 1, "character": 9 } });
    assert_snapshot!(show(&client.send_request("textDocument/definition", params.clone())), @r#"{"originSelectionRange":"1:8-1:9","targetUri":"b.dlang","targetRange":"0:0-0:6","targetSelectionRange":"0:5-0:6"}"#);
    client.close("b.dlang");
    assert_eq!(client.send_request("textDocument/definition", params), Value::Null);
}

/// Deeper nesting than in any real model, on the stacks of ordinary threads.
#[test]
fn deeply_nested_documents_are_answered() {
    const DEPTH: usize = 10_000;
    let mut client = Client::new("");
    let texts = ["Namespace N {\n".repeat(DEPTH), "bc B { relationships { ".repeat(DEPTH / 10), "[".repeat(DEPTH)];
    for (text, version) in texts.iter().zip(1..) {
        client.open("a.dlang", version, text);
        let position = json!({ "line": 5000, "character": 3 });
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 20_000, "character": 0 } });
        let params = json!({
            "textDocument": { "uri": uri_of("a.dlang") },
            "position": position,
            "positions": [position],
            "range": range,
            "context": { "includeDeclaration": true, "diagnostics": [], "triggerKind": 1 },
            "options": { "tabSize": 4, "insertSpaces": true },
            "newName": "M",
        });
        for method in [
            "codeAction",
            "codeLens",
            "completion",
            "definition",
            "diagnostic",
            "documentHighlight",
            "documentLink",
            "documentSymbol",
            "foldingRange",
            "formatting",
            "hover",
            "inlayHint",
            "prepareRename",
            "rangeFormatting",
            "references",
            "rename",
            "selectionRange",
            "semanticTokens/full",
            "semanticTokens/range",
        ] {
            let answer = client.try_send_request(&format!("textDocument/{method}"), params.clone());
            // Only a rename may fail.
            assert!(answer.is_ok() || method.to_lowercase().contains("rename"), "{method}: {answer:?}");
        }
    }
}
