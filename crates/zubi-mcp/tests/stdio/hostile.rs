//! Lines that violate the protocol; the server continues to answer.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use insta::assert_snapshot;
use serde_json::json;

use crate::client::{Client, modern, with_deadline};

/// Checks that the server still answers.
async fn check_alive(client: &mut Client, id: u32) {
    let answer = client.call(id, "test_echo", json!({"text": "hi"})).await;
    assert_eq!(answer["id"], id, "{answer}");
}

/// M15: every request gets a response, so a line that may have been one gets an error.
#[tokio::test]
async fn an_invalid_message_gets_an_error() {
    let mut client = Client::new_initialized().await;
    for line in ["", "\r", "\u{feff}"] {
        client.send_raw(&format!("{line}\n")).await;
    }
    let mut responses = String::new();
    let deep_json = "[".repeat(100_000);
    for line in
        ["not json", "{", "{\"jsonrpc\":\"2.0\"", r#"{"id":7,"method":"ping""#, &deep_json, "{}", r#"{"id":[1]}"#, "7"]
    {
        client.send_raw(&format!("{line}\n")).await;
        let start: String = line.chars().take(30).collect();
        writeln!(responses, "{start}\n    {}", client.next().await.unwrap()).unwrap();
    }
    assert_snapshot!(responses, @r#"
    not json
        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: expected ident at line 1 column 2"}}
    {
        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: EOF while parsing an object at line 1 column 1"}}
    {"jsonrpc":"2.0"
        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: EOF while parsing an object at line 1 column 16"}}
    {"id":7,"method":"ping"
        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: EOF while parsing an object at line 1 column 23"}}
    [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: EOF while parsing a list at line 1 column 100000"}}
    {}
        {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}
    {"id":[1]}
        {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}
    7
        {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not a message: invalid type: integer `7`, expected an object at line 1 column 1"}}
    "#);
    check_alive(&mut client, 20).await;
}

/// M15: clients cut texts inside surrogate pairs.
#[tokio::test]
async fn half_a_surrogate_is_read_as_a_replacement() {
    let mut client = Client::new_initialized().await;
    let call = r#"{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"test_echo","arguments":{"text":"a\ud83d"}}}"#;
    client.send_raw(&format!("{call}\n")).await;
    assert_snapshot!(client.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":"s","result":{"content":[{"type":"text","text":"you said a�\n[test · ready]"}]}}"#);
    let mut bytes = call.replace("\\ud83d", "?").into_bytes();
    bytes.iter_mut().filter(|byte| **byte == b'?').for_each(|byte| *byte = 0xff);
    bytes.push(b'\n');
    client.send_bytes(&bytes).await;
    assert_snapshot!(client.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":"s","result":{"content":[{"type":"text","text":"you said a�\n[test · ready]"}]}}"#);
}

/// M15: a message that is too long gets a response too, wherever its id is.
#[tokio::test]
async fn the_error_for_a_too_long_message_has_its_id() {
    let mut client = Client::new_initialized().await;
    let params = json!({"name": "test_echo", "arguments": {"text": "x".repeat(5 * 1024 * 1024)}});
    for (message, id) in [
        (format!(r#"{{"jsonrpc":"2.0","id":21,"method":"tools/call","params":{params}}}"#), json!(21)),
        (format!(r#"{{"method":"tools/call","params":{params},"jsonrpc":"2.0","id":"a"}}"#), json!("a")),
        (format!(r#"{{"method":"tools/call","params":{params}}}"#), json!(null)),
    ] {
        client.send_raw(&format!("{message}\n")).await;
        let answer = client.next().await.unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32600)), "{answer}");
        let error_message = answer["error"]["message"].as_str().unwrap();
        assert!(error_message.ends_with(" bytes; at most 4194304 are read"), "{error_message}");
    }
    check_alive(&mut client, 22).await;
}

/// The last line needs no line feed.
#[tokio::test]
async fn a_request_before_the_end_of_the_input_is_answered() {
    let mut client = Client::new_initialized().await;
    client.send_raw(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#).await;
    client.close_input();
    assert_eq!(client.next().await.unwrap()["id"], 9);
    client.wait_for_end().await;
}

#[tokio::test]
async fn json_other_than_a_request_is_an_error() {
    let mut client = Client::new_initialized().await;
    client.send_raw("[1,2]\n").await;
    assert_snapshot!(client.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor an answer"}}"#);
    assert_snapshot!(client.request(1, "tools/call", json!({"arguments": {}})).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"the parameters of `tools/call` are not what the protocol says"}}"#);
    assert_snapshot!(client.request(2, "tools/call", json!({"name": "test_echo", "arguments": [1]})).await, @r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"the parameters of `tools/call` are not what the protocol says"}}"#);
    client.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call"})).await;
    assert_snapshot!(client.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"the parameters of `tools/call` are not what the protocol says"}}"#);
    check_alive(&mut client, 4).await;
}

#[tokio::test]
async fn invalid_first_messages_are_ignored() {
    let mut client = Client::connect();
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    client.send(&json!({"jsonrpc": "2.0", "id": 5, "result": {}})).await;
    assert_snapshot!(client.request(1, "tools/list", json!({})).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"request _meta is missing or has malformed required fields: io.modelcontextprotocol/protocolVersion, io.modelcontextprotocol/clientCapabilities"}}"#);
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    assert_eq!(client.request(2, "initialize", params).await["result"]["serverInfo"]["name"], "zubi");
}

/// The first calls use all slots, and the others wait for one.
#[tokio::test]
async fn a_thousand_calls_at_once_are_all_answered() {
    const SLOTS: u32 = 64;
    let mut client = Client::new_initialized().await;
    for id in 0..SLOTS {
        client.start_call(id, "test_wait", json!({})).await;
        with_deadline("the call", client.signals.started.notified()).await;
    }
    for id in SLOTS..1_000 {
        client.start_call(id, "test_echo", json!({})).await;
    }
    client.signals.resume.notify_waiters();
    let mut answered = BTreeSet::new();
    for _ in 0..1_000 {
        let answer = client.next().await.unwrap();
        assert!(answer["result"].get("isError").is_none(), "{answer}");
        answered.insert(answer["id"].as_u64().unwrap());
    }
    assert_eq!(answered.len(), 1_000);
}

#[tokio::test]
async fn a_client_with_too_many_calls_gets_an_error() {
    let mut client = Client::new_initialized().await;
    for id in 0..3_000 {
        client.start_call(id, "test_wait", json!({})).await;
    }
    let answer = client.next().await.unwrap();
    assert_eq!(answer["result"]["isError"], true);
    assert_snapshot!(answer["result"]["content"][0]["text"].as_str().unwrap(), @"
    Error in test_wait: 2000 calls wait already
    Wait for some of them to answer, then call again.
    ");
}

/// A client cannot distinguish the answers to two requests with one id.
#[tokio::test]
async fn a_second_request_with_an_open_id_is_refused() {
    let mut client = Client::new_initialized().await;
    client.start_call(7, "test_wait", json!({})).await;
    with_deadline("the call", client.signals.started.notified()).await;
    assert_snapshot!(client.call(7, "test_echo", json!({})).await, @r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"a request with this id has no response yet"}}"#);
    client.signals.resume.notify_one();
    assert_eq!(client.next().await.unwrap()["result"]["content"][0]["text"], "went on");
    // An id is free after the response, and after a cancellation, which has none.
    check_alive(&mut client, 7).await;
    client.start_call(8, "test_wait", json!({})).await;
    with_deadline("the call", client.signals.started.notified()).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 8}})).await;
    with_deadline("the cancellation", client.signals.cancelled.notified()).await;
    check_alive(&mut client, 8).await;
}

/// F7: such messages ended the process.
#[tokio::test]
async fn a_ping_and_notifications_before_the_handshake_are_harmless() {
    let mut client = Client::connect();
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}});
    for (id, method, params) in [
        (1, "ping", json!({})),
        (2, "tools/list", json!({})),
        (3, "server/discover", modern(json!({}))),
        (4, "initialize", json!({"protocolVersion": 5})),
    ] {
        assert_eq!(client.request(id, method, params).await["id"], id, "{method}");
        client.send(&notification).await;
    }
    client.initialize(json!({})).await;
    check_alive(&mut client, 5).await;
}

#[tokio::test]
async fn an_invalid_handshake_names_what_is_expected() {
    let mut client = Client::connect();
    assert_snapshot!(client.request(4, "initialize", json!({"protocolVersion": 5})).await, @r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"invalid parameters of `initialize`; expected protocolVersion, capabilities and clientInfo"}}"#);
}

#[tokio::test]
async fn a_cursor_that_was_never_issued_is_refused() {
    let mut client = Client::new_initialized().await;
    for method in ["tools/list", "resources/list", "resources/templates/list"] {
        let answer = client.request(1, method, json!({"cursor": "x"})).await;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        let answer = client.request(3, method, json!({"cursor": 5})).await;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        assert!(client.request(2, method, json!({"cursor": ""})).await["result"].is_object(), "{method}");
    }
}
