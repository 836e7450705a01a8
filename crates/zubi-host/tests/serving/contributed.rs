//! Tools and functions of clients.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_host::{HostError, ToolService as _};
use zubi_tool_api::cx::{ApprovalAnswer, NoApprover, Restrictions};

use crate::world::{FakeUser, TEST_TIMEOUT, World, call_context, request};

fn tool(id: &str, effect: &str) -> Value {
    json!({
        "id": id, "description": "Says what it was given.", "effect": effect,
        "input": {
            "type": "object",
            "properties": { "text": { "type": "string", "description": "Any." } },
            "required": ["text"],
            "additionalProperties": false
        }
    })
}

/// The client's answer to a call.
fn invoke_with(method: &str, params: Value) -> Value {
    assert_eq!(method, "tools/invoke");
    match params["arguments"]["text"].as_str() {
        Some("fail") => json!({ "success": false, "error": "asked to" }),
        Some("odd") => json!("not a result"),
        _ => json!({ "success": true, "data": params }),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn contributed_tools_obey_the_policy_and_end_with_the_client() {
    let world = World::new(&[], "");
    let client = world.client(invoke_with).await;
    let mut changes = world.host.changes();
    changes.mark_unchanged();
    let registered = json!({ "client": "ck3", "tools": [tool("look", "read"), tool("act", "execute")] });
    let answer = client.request("tools/register", registered).await.unwrap();
    assert_eq!(answer, json!({ "tools": ["ck3.look", "ck3.act"], "functions": [] }));
    tokio::time::timeout(TEST_TIMEOUT, changes.changed()).await.unwrap().unwrap();

    let remote = world.remote().await;
    let call = async |tool: &str, text: Value, user: Arc<dyn zubi_tool_api::cx::Approver>| {
        let answer = remote.call(&request(tool, json!({ "text": text })), &call_context(user)).await;
        answer.unwrap().text
    };
    let no_approver = || Arc::new(NoApprover) as _;
    insta::assert_snapshot!(call("ck3_look", json!("hi"), no_approver()).await, @r#"
    {
      "tool": "look",
      "arguments": {
        "text": "hi"
      }
    }
    "#);
    insta::assert_snapshot!(call("ck3.look", json!(["hi"]), no_approver()).await, @r#"
    Invalid input: text: expected string, got ["hi"]
    `text` (string): Any.
    "#);
    insta::assert_snapshot!(call("ck3.look", json!("fail"), no_approver()).await, @"
    Error in ck3.look: asked to
    Check the arguments; the tool is another program's.
    ");
    insta::assert_snapshot!(call("ck3.look", json!("odd"), no_approver()).await, @r#"
    Error in ck3.look: its answer is not understood: invalid type: string "not a result", expected struct InvokeResult
    Check the arguments; the tool is another program's.
    "#);
    insta::assert_snapshot!(call("ck3.act", json!("hi"), no_approver()).await, @r#"
    Failed to run ck3.act: it runs something whose effect cannot be known, and no one can approve it here
    The user can allow it with `allow = ["ck3.act"]` in zubi.toml.
    "#);
    let approver = FakeUser::with_answer(ApprovalAnswer::allow_once());
    assert!(call("ck3.act", json!("hi"), approver).await.contains("\"act\""));

    client.request("tools/unregister", json!({ "tools": ["act"] })).await.unwrap();
    let remaining_ids = async || {
        let specs = world.host.list(&Restrictions::default()).await.unwrap();
        specs.iter().map(|spec| spec.id.clone()).filter(|id| id.starts_with("ck3.")).collect::<Vec<_>>()
    };
    assert_eq!(remaining_ids().await, ["ck3.look"]);
    client.connection.close("done");
    let mut connected = world.published.client_count();
    tokio::time::timeout(TEST_TIMEOUT, connected.wait_for(|count| *count == 1)).await.unwrap().unwrap();
    assert!(remaining_ids().await.is_empty());
    // The other client has been notified of every change.
    let error =
        remote.call(&request("ck3.look", json!({ "text": "hi" })), &call_context(no_approver())).await.unwrap_err();
    assert!(matches!(error, HostError::UnknownTool(unknown) if unknown.name == "ck3.look"));
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_contributions_are_rejected() {
    let world = World::new(&[], "");
    let client = world.client(invoke_with).await;
    let other = world.client(invoke_with).await;
    other.request("tools/register", json!({ "client": "other", "tools": [tool("a", "read")] })).await.unwrap();
    let long = "x".repeat(70_000);
    let mut refusals = String::new();
    for params in [
        json!({ "tools": [] }),
        json!({ "client": "Big Name" }),
        json!({ "client": "file", "tools": [tool("erase", "read")] }),
        json!({ "client": "other", "tools": [tool("b", "read")] }),
        json!({ "client": "mine", "tools": [tool("a", "read"), tool("a b", "read")] }),
        json!({ "client": "mine", "tools": [tool("a", "read"), tool("a", "read")] }),
        json!({ "client": "mine", "tools": [tool("a", "magic")] }),
        json!({ "client": "mine", "tools": [{ "id": "a", "description": long }] }),
        json!({ "client": "mine", "tools": [{ "id": "a", "description": "Looks.", "input": { "type": "array" } }] }),
        json!({ "client": "mine", "tools": vec![tool("a", "read"); 300] }),
        json!({ "client": "mine", "functions": [""] }),
    ] {
        refusals.push_str(&client.request_error("tools/register", params).await);
        refusals.push('\n');
    }
    insta::assert_snapshot!(refusals, @"
    -32602 [client]: missing field `client`
    -32602 [client]: a name is [a-z][a-z0-9_]*, at most 20 characters
    -32602 [client]: there are tools `file.…` already
    -32602 [client]: there are tools `other.…` already
    -32602 [tools[1]]: `a b`: wire name `mine_a b` is not [A-Za-z][A-Za-z0-9_-]* of at most 40 characters
    -32602 [tools]: there is a tool `mine.a` already
    -32602 [tools[0]]: invalid effect `magic`; use `read`, `plan`, `write`, `execute` or `network`
    -32602 [tools[0]]: description and schema of `a` have more than 65536 bytes
    -32602 [tools[0]]: `a`: the input's root is not `type: object`
    -32602 [tools]: more than 200 tools and functions of one client
    -32602 [functions]: a name has 1 to 200 bytes
    ");
    let specs = world.host.list(&Restrictions::default()).await.unwrap();
    assert!(!specs.iter().any(|spec| spec.id.starts_with("mine.")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_file_calls_a_function_that_a_client_has_registered() {
    let declared = json!({
        "id": "kb.search", "name": "Search", "description": "Searches the knowledge base.", "requiresApproval": false,
        "parameters": { "type": "object", "properties": { "text": { "type": "string", "description": "What to look for." } } },
        "execution": { "type": "function", "handler": "kb.search" }
    });
    let world = World::new(&[declared], "allow = ['kb.search']");
    let call = async |text: &str| {
        let call_request = request("kb.search", json!({ "text": text }));
        world.host.call(&call_request, &call_context(Arc::new(NoApprover))).await.unwrap().text
    };
    insta::assert_snapshot!(call("x").await, @"
    Failed to run kb.search: it is unavailable here: the function it calls is not registered
    It works once an extension or a program registers that function; use another tool until then.
    ");
    let client = world.client(invoke_with).await;
    let mut changes = world.host.changes();
    changes.mark_unchanged();
    client.request("tools/register", json!({ "client": "kb", "functions": ["kb.search"] })).await.unwrap();
    tokio::time::timeout(TEST_TIMEOUT, changes.changed()).await.unwrap().unwrap();
    insta::assert_snapshot!(call("x").await, @r#"
    {
      "function": "kb.search",
      "arguments": {
        "text": "x"
      }
    }
    "#);
    insta::assert_snapshot!(call("fail").await, @"
    Error in kb.search: `kb.search`: asked to
    Check the arguments; the function belongs to another program.
    ");
    let described = world.host.find("kb.search", &Restrictions::default()).await.unwrap().description.clone();
    assert!(!described.to_lowercase().contains("unavailable"), "{described}");
    let duplicate = client.request_error("tools/register", json!({ "client": "kb", "functions": ["kb.search"] })).await;
    assert!(duplicate.contains("registered already"), "{duplicate}");
    client.connection.close("done");
    let mut connected = world.published.client_count();
    tokio::time::timeout(TEST_TIMEOUT, connected.wait_for(|count| *count == 0)).await.unwrap().unwrap();
    assert!(call("x").await.contains("is not registered"));
}

/// Every other client receives a notification that the list has changed.
#[tokio::test(flavor = "multi_thread")]
async fn other_clients_are_notified_of_a_change() {
    let world = World::new(&[], "");
    let (client, other) = (world.client(invoke_with).await, world.client(invoke_with).await);
    client.request("tools/register", json!({ "client": "ck3", "tools": [tool("look", "read")] })).await.unwrap();
    let started = Instant::now();
    loop {
        let notifications = other.received.notifications.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if notifications.iter().any(|(method, _)| method == "tools/changed") {
            return;
        }
        assert!(started.elapsed() < TEST_TIMEOUT, "{notifications:?}");
        let no_cancel = CancellationToken::new();
        other.connection.request("ping", Value::Null, &no_cancel, Instant::now() + TEST_TIMEOUT).await.unwrap();
    }
}
