//! Queries of programs: the same results as on every surface, for the texts that the editor shows.

use std::ops::ControlFlow;
use std::sync::Arc;

use dlang_workspace::workspace::Root;
use dlang_workspace::{Workspace, queries};
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::client::{Client, uri_of};
use crate::request::{Cancel, Method};
use crate::requests::table;
use crate::{RequestError, Snapshot};

const MODEL: &str = "//- a.dlang
Domain Sales { vision: \"v\" }
bc Orders for Sales { description: \"d\" }
Team A
Team A
";

fn check(method: &str, params: Value) -> String {
    match Client::new(MODEL).try_send_request(&format!("domainlang/{method}"), params) {
        Ok(result) => result.to_string(),
        Err(error) => format!("error {error}"),
    }
}

#[test]
fn validate() {
    assert_snapshot!(check("validate", Value::Null), @r#"{"valid":false,"fileCount":1,"domainCount":1,"bcCount":1,"errors":[{"severity":1,"message":"Duplicate element: 'A' is already defined.","code":"duplicate-element","file":"a.dlang","line":4,"column":6}],"warnings":[],"infoCount":0}"#);
    for file in [uri_of("a.dlang"), "a.dlang".to_owned(), "/w/./a.dlang".to_owned()] {
        assert_eq!(check("validate", json!({ "file": file })), check("validate", json!({ "path": "a.dlang" })));
    }
    assert_snapshot!(check("validate", json!({ "file": "b.dlang" })), @r#"error {"code":-32602,"message":"Invalid input: file: `b.dlang` is not part of the workspace; name a file of the workspace, or leave `file` out to validate all of it","data":{"field":"file"}}"#);
    assert_snapshot!(check("validate", json!({ "text": "Domain D" })), @r#"{"valid":true,"fileCount":1,"domainCount":1,"bcCount":0,"errors":[],"warnings":[{"severity":2,"message":"Domain 'D' is missing a vision statement.","code":"domain-no-vision","file":"text.dlang","line":1,"column":1}],"infoCount":0}"#);
    assert_snapshot!(check("validate", json!({ "text": "", "file": "a.dlang" })), @r#"error {"code":-32602,"message":"Invalid input: text: it is queried by itself, so omit `file`","data":{"field":"text"}}"#);
}

#[test]
fn list() {
    assert_snapshot!(check("list", json!({ "type": "bcs", "domain": "Sales", "workDoneToken": 1 })), @r#"{"entityType":"bcs","count":1,"results":[{"name":"Orders","fqn":"Orders","domain":"Sales","description":"d"}]}"#);
    assert_snapshot!(check("list", json!({ "type": "bounded-contexts-of-mine" })), @r#"error {"code":-32602,"message":"Invalid input: type: unknown type 'bounded-contexts-of-mine'. Use one of domains, bcs, bounded-contexts, contexts, teams, classifications, relationships, rels, context-maps, cmaps, domain-maps, dmaps.","data":{"field":"type"}}"#);
    assert_snapshot!(check("list", json!({})), @r#"error {"code":-32602,"message":"Invalid input: type: is required\nUse one of domains, bcs, teams, classifications, relationships, context-maps, domain-maps.","data":{"field":"type"}}"#);
    assert_snapshot!(check("list", json!({ "type": "teams", "team": "A" })), @r#"error {"code":-32602,"message":"Invalid input: team: does not filter teams. Filters for teams: name, fqn.","data":{"field":"team"}}"#);
    assert_snapshot!(check("list", json!({ "type": "teams", "detail": "more" })), @r#"error {"code":-32602,"message":"Invalid input: detail: unknown detail 'more'. Use row or full.","data":{"field":"detail"}}"#);
    assert_snapshot!(check("list", json!({ "type": "teams", "filters": {} })), @r#"error {"code":-32602,"message":"Invalid input: filters: no such parameter\nUse type, name, fqn, domain, team, classification, metadata, context, pattern, detail, path, text.","data":{"field":"filters"}}"#);
}

#[test]
fn get() {
    assert_snapshot!(check("get", json!({ "fqn": "Order" })), @r#"{"found":false,"fqn":"Order","suggestions":["Orders"]}"#);
    assert_snapshot!(check("get", json!({ "fqn": 1 })), @r#"error {"code":-32602,"message":"Invalid input: fqn: expected string, got 1","data":{"field":"fqn"}}"#);
    assert_snapshot!(check("get", json!([])), @r#"error {"code":-32602,"message":"Invalid input: the parameters must be an object"}"#);
}

#[test]
fn explain() {
    assert_snapshot!(check("explain", json!({ "fqn": "Sales" })), @r#"{"fqn":"Sales","type":"Domain","explanation":"📁 **(domain) Sales**\n\n```domain-lang\nDomain Sales\n```\n\n---\n\n**Vision:** v"}"#);
    assert_snapshot!(check("explain", json!({})), @r#"error {"code":-32602,"message":"Invalid input: fqn: is required\nName the element to explain.","data":{"field":"fqn"}}"#);
}

#[test]
fn models_at_other_paths() {
    let mut client = Client::new(
        "//- shop/sales.dlang\nimport \"./pay.dlang\"\nDomain Sales { vision: \"v\" }\n//- shop/pay.dlang\nTeam Pay\n//- other.dlang\nTeam Others\n//- notes.txt\n",
    );
    let files = |client: &mut Client, params: Value| {
        client.send_request("domainlang/get", params)["summary"]["fileCount"].clone()
    };
    assert_eq!(files(&mut client, json!({})), 3);
    for (path, count) in [("shop", 2), ("shop/sales.dlang", 2), ("shop/pay.dlang", 1), ("/w/shop/../other.dlang", 1)] {
        assert_eq!(files(&mut client, json!({ "path": path })), count, "{path}");
    }
    assert_eq!(files(&mut client, json!({ "path": uri_of("shop/pay.dlang") })), 1);
    assert_eq!(files(&mut client, json!({ "text": "Team A" })), 1);
    // Unsaved texts count here, too.
    client.open("shop/pay.dlang", 1, "Team Pay\nTeam More\n");
    let list = client.send_request("domainlang/list", json!({ "type": "teams", "path": "shop/sales.dlang" }));
    assert_eq!(list["count"], 2);
    let refused = [
        json!({ "path": "nowhere" }),
        json!({ "path": "/elsewhere" }),
        json!({ "path": "notes.txt" }),
        json!({ "path": "https://example.org" }),
        json!({ "path": "shop", "text": "Team A" }),
    ];
    let errors =
        refused.map(|params| client.try_send_request("domainlang/get", params).unwrap_err()["message"].clone());
    assert_snapshot!(errors.map(|message| message.as_str().unwrap().to_owned()).join("\n"), @"
    Invalid input: path: `nowhere` does not exist in the workspace; paths are relative to `/w`
    Invalid input: path: `/elsewhere` does not exist in the workspace; paths are relative to `/w`
    Invalid input: path: /w/notes.txt is not a DomainLang file: its name does not end in .dlang
    Invalid input: path: `https://example.org` is not a file path or `file://` URI
    Invalid input: text: it is queried by itself, so omit `path`
    ");
}

#[test]
fn a_path_that_looks_like_a_uri() {
    let fixture = "//- a:b.dlang\nTeam A\n//- file:c/d.dlang\nTeam D\n";
    let mut client = Client::new(fixture);
    let mut count = |name: &str, value: &str| match client
        .try_send_request("domainlang/validate", json!({ "path": ".", name: value }))
    {
        Ok(answer) => answer["fileCount"].to_string(),
        Err(error) => error["message"].as_str().unwrap().to_owned(),
    };
    let inputs =
        ["a:b.dlang", "/w/a:b.dlang", "file:///w/a:b.dlang", "file:c/d.dlang", "a:c.dlang", "a://b.dlang", "file:x"];
    let rendered = inputs.map(|input| format!("{input}\n    {}\n    {}", count("file", input), count("path", input)));
    assert_snapshot!(rendered.join("\n"), @"
    a:b.dlang
        2
        1
    /w/a:b.dlang
        2
        1
    file:///w/a:b.dlang
        2
        1
    file:c/d.dlang
        2
        Invalid input: path: `file:c/d.dlang` is not a file path or `file://` URI
    a:c.dlang
        Invalid input: file: `a:c.dlang` is not part of the workspace; name a file of the workspace, or leave `file` out to validate all of it
        Invalid input: path: `a:c.dlang` does not exist in the workspace; paths are relative to `/w`
    a://b.dlang
        Invalid input: file: `a:/b.dlang` is not part of the workspace; name a file of the workspace, or leave `file` out to validate all of it
        Invalid input: path: `a://b.dlang` is not a file path or `file://` URI
    file:x
        Invalid input: file: `file:x` is not part of the workspace; name a file of the workspace, or leave `file` out to validate all of it
        Invalid input: path: `file:x` is not a file path or `file://` URI
    ");
}

/// Loading has already finished when the request is cancelled.
#[test]
fn a_cancelled_query_of_another_model_ends() {
    let workspace = Workspace::from_text("a.dlang", "Team A");
    let cancel = Cancel::default();
    let run_query = || {
        let Method::Query { run, .. } = &*table().get("domainlang/get").unwrap() else { panic!("not a query") };
        run(Snapshot::from_workspace(workspace.snapshot()), json!({ "text": "Team A" }), &cancel)
    };
    assert_eq!(run_query().unwrap()["summary"]["teamCount"], 1);
    cancel.cancel();
    assert_eq!(run_query(), Err(RequestError::Cancelled));
}

#[test]
fn results_equal_those_of_direct_queries() {
    let mut client = Client::new(MODEL);
    let roots = vec![Root::Folder("/w".into())];
    let files = Arc::clone(&client.files);
    let workspace = Workspace::load(files, roots, &mut |_| ControlFlow::Continue(())).unwrap();
    let snapshot = workspace.snapshot();
    let text = |value: Value| value.to_string();
    assert_eq!(text(client.send_request("domainlang/get", json!({}))), text(queries::get(&snapshot, None).unwrap()));
    let validation = queries::validate(&snapshot, None).unwrap().to_json(&snapshot);
    assert_eq!(text(client.send_request("domainlang/validate", json!({}))), text(validation));
}

#[test]
fn a_change_is_visible_to_the_next_request() {
    let mut client = Client::new(MODEL);
    let teams = |client: &mut Client| client.send_request("domainlang/get", json!({}))["summary"]["teamCount"].clone();
    for version in 1..50 {
        let text = "Team A\n".repeat(version);
        match version {
            1 => client.open("a.dlang", 1, &text),
            _ => client.replace("a.dlang", i32::try_from(version).unwrap(), &text),
        }
        assert_eq!(teams(&mut client), json!(version));
    }
    client.close("a.dlang");
    assert_eq!(teams(&mut client), json!(2));
    // The same for a change on disk that was not reported.
    client.files.write("b.dlang", "Team B\n");
    assert_eq!(teams(&mut client), json!(3));
    client.files.remove("b.dlang");
    assert_eq!(teams(&mut client), json!(2));
}
