//! Lines that are not what the protocol says. The server goes on.

use insta::assert_snapshot;
use serde_json::json;

use crate::client::Client;

/// The server still answers.
async fn alive(client: &mut Client, id: u32) {
    let answer = client.call(id, "test_echo", json!({"text": "hi"})).await;
    assert_eq!(answer["id"], id, "{answer}");
}

#[tokio::test]
async fn what_is_no_message_is_passed_over() {
    let mut client = Client::initialized().await;
    for (id, line) in (1..).zip(["", "not json", "{", "\u{feff}", "{\"jsonrpc\":\"2.0\""]) {
        client.send_raw(&format!("{line}\n")).await;
        alive(&mut client, id).await;
    }
    // Deeper than the parser goes, and longer than a message may be.
    client.send_raw(&format!("{}\n", "[".repeat(100_000))).await;
    alive(&mut client, 20).await;
    let huge = json!({"jsonrpc": "2.0", "id": 21, "method": "tools/call", "params": {"name": "test_echo", "arguments": {"text": "x".repeat(5 * 1024 * 1024)}}});
    client.send(&huge).await;
    alive(&mut client, 22).await;
}

#[tokio::test]
async fn what_is_json_but_no_request_is_an_error() {
    let mut client = Client::initialized().await;
    client.send_raw("[1,2]\n").await;
    assert_snapshot!(client.next().await.unwrap(), @r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"}}"#);
    assert_snapshot!(client.request(1, "tools/call", json!({"arguments": {}})).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"the parameters of `tools/call` are not what the protocol says"}}"#);
    assert_snapshot!(client.request(2, "tools/call", json!({"name": "test_echo", "arguments": [1]})).await, @r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"the parameters of `tools/call` are not what the protocol says"}}"#);
    client.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call"})).await;
    assert_snapshot!(client.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"the parameters of `tools/call` are not what the protocol says"}}"#);
    alive(&mut client, 4).await;
}

#[tokio::test]
async fn a_conversation_may_begin_with_noise() {
    let mut client = Client::connect();
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    client.send(&json!({"jsonrpc": "2.0", "id": 5, "result": {}})).await;
    assert_snapshot!(client.request(1, "tools/list", json!({})).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"request _meta is missing or has malformed required fields: io.modelcontextprotocol/protocolVersion, io.modelcontextprotocol/clientCapabilities"}}"#);
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    assert_eq!(client.request(2, "initialize", params).await["result"]["serverInfo"]["name"], "zubi");
}

#[tokio::test]
async fn a_client_gone_wild_is_told() {
    let mut client = Client::initialized().await;
    for id in 0..100 {
        client.begin(id, "test_wait", json!({})).await;
    }
    let answer = client.next().await.unwrap();
    assert_eq!(answer["result"]["isError"], true);
    assert_snapshot!(answer["result"]["content"][0]["text"].as_str().unwrap(), @"
    Error in test_wait: 64 calls run already
    Wait for one of them to answer, then call again.
    ");
}
