//! Diagnostics: pulled or published; with versions, related locations, and removed once fixed.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::client::{Client, full_capabilities, uri_of};
use super::features::show;

const DUPLICATE: &str = "//- a.dlang\nTeam A\nTeam A\n";

fn pull(client: &mut Client, path: &str, previous: Option<&Value>) -> Value {
    let params = json!({ "textDocument": { "uri": uri_of(path) }, "previousResultId": previous });
    client.send_request("textDocument/diagnostic", params)
}

#[test]
fn document_diagnostics_are_pulled() {
    let mut client = Client::new(DUPLICATE);
    let first = pull(&mut client, "a.dlang", None);
    assert_snapshot!(show(&first["items"]), @r#"{"range":"1:5-1:6","severity":1,"code":"duplicate-element","source":"domain-lang","message":"Duplicate element: 'A' is already defined.","relatedInformation":[{"location":{"uri":"a.dlang","range":"0:5-0:6"},"message":"defined here first"}]}"#);
    let same = pull(&mut client, "a.dlang", Some(&first["resultId"]));
    assert_eq!(same, json!({ "kind": "unchanged", "resultId": first["resultId"] }));
    client.open("a.dlang", 1, "Team A\n");
    let fixed = pull(&mut client, "a.dlang", Some(&first["resultId"]));
    assert_eq!((&fixed["kind"], &fixed["items"]), (&json!("full"), &json!([])));
}

#[test]
fn workspace_diagnostics_are_pulled() {
    let mut client =
        Client::new("//- model.yaml\nmodel: {version: x}\n//- a.dlang\nTeam A\nTeam A\n//- b.dlang\nTeam B\n");
    let all = client.send_request("workspace/diagnostic", json!({ "previousResultIds": [] }));
    let items = all["items"].as_array().unwrap();
    let previous_result_ids: Vec<Value> =
        items.iter().map(|item| json!({ "uri": item["uri"], "value": item["resultId"] })).collect();
    let files: Vec<_> =
        items.iter().map(|item| (item["uri"].clone(), item["items"].as_array().unwrap().len())).collect();
    assert_eq!(files, [(json!(uri_of("a.dlang")), 1), (json!(uri_of("model.yaml")), 1)]);
    client.open("a.dlang", 3, "Team A\n");
    client.open("model.yaml", 1, "model: {version: x}\n");
    let again = client.send_request("workspace/diagnostic", json!({ "previousResultIds": previous_result_ids }));
    let reports = again["items"].as_array().unwrap().iter().map(|item| {
        let mut item = item.clone();
        item.as_object_mut().unwrap().remove("resultId");
        item
    });
    assert_snapshot!(show(&Value::Array(reports.collect())), @r#"
    {"uri":"a.dlang","version":3,"kind":"full","items":[]}
    {"uri":"model.yaml","version":1,"kind":"unchanged"}
    "#);
}

#[test]
fn related_documents_include_the_manifests_of_a_model() {
    let mut related = full_capabilities();
    related["textDocument"]["diagnostic"]["relatedDocumentSupport"] = true.into();
    let fixture = "//- model.yaml\nmodel: {version: x}\n//- model.lock\n{}\n//- in/a.dlang\nTeam A\n";
    let mut client = Client::with_capabilities(fixture, &related);
    let first = pull(&mut client, "in/a.dlang", None);
    let errors = |pulled: &Value, path: &str| {
        let items = pulled["relatedDocuments"][uri_of(path)]["items"].as_array().cloned();
        items.map(|items| items.iter().map(|item| item["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>())
    };
    assert_snapshot!(format!("{:?} {:?}", errors(&first, "model.yaml"), errors(&first, "model.lock")), @r#"Some(["manifest-model-invalid-version"]) Some([])"#);
    // The model itself is unchanged; a fix in the manifest is reported nevertheless.
    client.files.write("model.yaml", "model: {version: 1.0.0}\n");
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    let same = pull(&mut client, "in/a.dlang", Some(&first["resultId"]));
    assert_eq!((&same["kind"], errors(&same, "model.yaml")), (&json!("unchanged"), Some(Vec::new())));
    // A manifest that is requested is the document itself.
    let manifest = pull(&mut client, "model.yaml", None);
    assert_eq!((&manifest["items"], errors(&manifest, "model.yaml")), (&json!([]), None));
    assert!(errors(&manifest, "model.lock").is_some());
    // Other clients get no related documents.
    let mut plain = Client::new(fixture);
    assert_eq!(pull(&mut plain, "in/a.dlang", None).get("relatedDocuments"), None);
}

/// Capabilities of a client that receives published diagnostics.
fn push_client_capabilities() -> Value {
    json!({ "textDocument": { "publishDiagnostics": { "relatedInformation": true } } })
}

#[test]
fn published_diagnostics_are_cleared_when_fixed() {
    let fixture = format!("{DUPLICATE}//- model.yaml\nmodel: {{version: x}}\n");
    let mut client = Client::with_capabilities(&fixture, &push_client_capabilities());
    let published = |client: &mut Client| show(&client.notification("textDocument/publishDiagnostics"));
    assert_snapshot!(published(&mut client), @r#"{"uri":"a.dlang","diagnostics":[{"range":"1:5-1:6","severity":1,"code":"duplicate-element","source":"domain-lang","message":"Duplicate element: 'A' is already defined.","relatedInformation":[{"location":{"uri":"a.dlang","range":"0:5-0:6"},"message":"defined here first"}]}]}"#);
    assert_snapshot!(published(&mut client), @r#"{"uri":"model.yaml","diagnostics":[{"range":"0:8-0:15","severity":2,"code":"manifest-model-invalid-version","source":"domainlang","message":"Version 'x' is not valid SemVer format.\nHint: Use SemVer format like \"1.0.0\" or \"1.2.3-beta\"."}]}"#);
    client.open("a.dlang", 4, "Team A\n");
    assert_snapshot!(published(&mut client), @r#"{"uri":"a.dlang","version":4,"diagnostics":[]}"#);
    client.open("model.yaml", 1, "model: {version: 1.0.0}\n");
    assert_snapshot!(published(&mut client), @r#"{"uri":"model.yaml","version":1,"diagnostics":[]}"#);
    // After closing, both have their texts on disk.
    client.close("model.yaml");
    assert_snapshot!(published(&mut client), @r#"{"uri":"model.yaml","diagnostics":[{"range":"0:8-0:15","severity":2,"code":"manifest-model-invalid-version","source":"domainlang","message":"Version 'x' is not valid SemVer format.\nHint: Use SemVer format like \"1.0.0\" or \"1.2.3-beta\"."}]}"#);
    client.close("a.dlang");
    assert_snapshot!(published(&mut client), @r#"{"uri":"a.dlang","diagnostics":[{"range":"1:5-1:6","severity":1,"code":"duplicate-element","source":"domain-lang","message":"Duplicate element: 'A' is already defined.","relatedInformation":[{"location":{"uri":"a.dlang","range":"0:5-0:6"},"message":"defined here first"}]}]}"#);
    client.files.write("a.dlang", "Team A\n");
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_snapshot!(published(&mut client), @r#"{"uri":"a.dlang","diagnostics":[]}"#);
}

#[test]
fn pulling_clients_receive_refresh_requests() {
    let mut capabilities = full_capabilities();
    capabilities["workspace"]["diagnostics"] = json!({ "refreshSupport": true });
    capabilities["workspace"]["inlayHint"] = json!({ "refreshSupport": true });
    let mut client = Client::with_capabilities("//- a.dlang\nimport \"./b.dlang\"\n", &capabilities);
    let refreshed = |client: &mut Client| {
        for method in ["workspace/diagnostic/refresh", "workspace/inlayHint/refresh"] {
            let request = client.request(method);
            client.respond(request.id, Value::Null);
        }
    };
    // Loaded.
    refreshed(&mut client);
    client.files.write("b.dlang", "Team B\n");
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    refreshed(&mut client);
    assert_eq!(pull(&mut client, "a.dlang", None)["items"], json!([]));
    // The client knows about its own changes.
    client.open("a.dlang", 1, "Team A\n");
    assert_eq!(pull(&mut client, "a.dlang", None)["items"], json!([]));
}
