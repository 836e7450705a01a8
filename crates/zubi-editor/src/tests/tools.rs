//! Tools for the editor.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use zubi_host::{CallContext, CallRequest};
use zubi_tool_api::cx::{Caller, Surface};

use super::client::Client;
use super::host::{Calls, Fake};

fn options() -> Value {
    json!({ "zubi": { "editorProtocol": 1 } })
}

#[test]
fn a_client_without_the_editor_protocol_has_no_tool_methods() {
    for options in [json!(null), json!({}), json!({ "zubi": {} }), json!({ "zubi": { "editorProtocol": 2 } })] {
        let mut client = Client::new(&options, "");
        for method in ["zubi/tools/list", "zubi/tools/call"] {
            assert_eq!(client.request(method, json!({})).unwrap_err()["code"], -32601, "{options} {method}");
        }
    }
}

#[test]
fn tools_that_write_are_not_listed() {
    let mut client = Client::new(&options(), "");
    let list = client.request("zubi/tools/list", Value::Null).unwrap();
    let tools = list["tools"].as_array().unwrap();
    let find = |id: &str| tools.iter().find(|tool| tool["id"] == id);
    let definition = find("lsp_definition").unwrap();
    assert_eq!(definition["effect"], "read");
    assert_eq!(definition["inputSchema"]["type"], "object");
    assert!(find("lsp_rename_symbol").is_some());
    assert!(find("apply_edit").is_none());
    let effects: Vec<_> = tools.iter().map(|tool| tool["effect"].as_str().unwrap()).collect();
    assert!(effects.iter().all(|effect| ["read", "plan"].contains(effect)), "{effects:?}");
}

#[test]
fn invalid_calls_are_rejected() {
    let mut client = Client::new(&options(), "");
    for (params, field, expected_text) in [
        (json!({ "id": "ecko" }), "id", "unknown tool `ecko`"),
        (json!({ "id": "apply_edit", "args": { "plan": "p-aaaaaaaaaa" } }), "id", "unknown tool `apply_edit`"),
        (json!({ "id": 1 }), "id", "invalid type"),
        (json!({ "id": "lsp_hover", "budget": -1 }), "budget", "invalid value"),
    ] {
        let error = client.request("zubi/tools/call", params.clone()).unwrap_err();
        assert_eq!((&error["code"], &error["data"]["field"]), (&json!(-32602), &json!(field)), "{params}");
        assert!(error["message"].as_str().unwrap().contains(expected_text), "{error}");
    }
    // A tool that rejects its arguments answers with a text.
    let answer = client.call("lsp_hover", &json!({}));
    assert!(answer.starts_with("error: Invalid input: "), "{answer}");
}

#[test]
fn a_host_creation_failure_is_returned_for_every_request() {
    let mut client = Client::with_host(&options(), "", |_, _| Err("no workspace folder".to_owned()));
    for _ in 0..2 {
        let error = client.request("zubi/tools/list", Value::Null).unwrap_err();
        assert_eq!(error["message"], "Failed to start zubi's tools: no workspace folder");
    }
}

/// A host whose only tool reports progress twice and repeats its arguments.
struct ProgressTool;

#[async_trait]
impl Calls for ProgressTool {
    async fn call(&self, request: CallRequest, context: CallContext) -> String {
        context.progress.report(Some(0.25), "reading");
        tokio::time::sleep(zubi_tool_api::progress::INTERVAL).await;
        context.progress.report(None, "almost there");
        let Caller { surface, client, restrictions, .. } = &*request.caller;
        assert_eq!((*surface, restrictions.read_only), (Surface::Editor, true));
        format!("{client:?} {} {:?}", request.arguments, request.token_budget)
    }
}

#[test]
fn progress_uses_the_token_and_the_tool_receives_the_budget() {
    let mut client = Client::with_host(&options(), "", |_, _| Ok(Arc::new(Fake(ProgressTool))));
    let params = json!({ "id": "report", "args": { "a": 1 }, "token": "t-1", "budget": 400 });
    let call = client.begin("zubi/tools/call", params);
    let expected = [
        json!({ "kind": "begin", "title": "report", "cancellable": true, "message": "reading", "percentage": 25 }),
        json!({ "kind": "report", "message": "almost there", "percentage": 25 }),
        json!({ "kind": "end" }),
    ];
    for value in expected {
        assert_eq!(client.next_notification("$/progress"), json!({ "token": "t-1", "value": value }));
    }
    let text = "Some(\"Test Editor 1\") {\"a\":1} Some(400)";
    assert_eq!(client.answer(&call).unwrap(), json!({ "text": text, "isError": false }));
}
