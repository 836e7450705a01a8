//! The end of a connection: the client closes the input, or requests a stop.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Client, with_deadline};

/// Clients wait one or two seconds before they kill the server.
const END_TIMEOUT: Duration = Duration::from_secs(2);

#[tokio::test]
async fn almost_finished_calls_are_answered() {
    let mut client = Client::new_initialized().await;
    client.start_call(7, "test_wait", json!({})).await;
    with_deadline("the call", client.signals.started.notified()).await;
    client.close_input();
    client.signals.resume.notify_one();
    assert_eq!(client.next().await.unwrap()["result"]["content"][0]["text"], "went on");
    assert!(client.next().await.is_none());
    client.wait_for_end().await;
}

#[tokio::test]
async fn unfinished_calls_are_cancelled_in_time() {
    let mut client = Client::new_initialized().await;
    client.start_call(7, "test_wait", json!({})).await;
    with_deadline("the call", client.signals.started.notified()).await;
    let closed_at = Instant::now();
    client.close_input();
    with_deadline("the cancellation", client.signals.cancelled.notified()).await;
    client.wait_for_end().await;
    assert!(closed_at.elapsed() < END_TIMEOUT, "{:?}", closed_at.elapsed());
}

#[tokio::test]
async fn a_stop_request_ends_calls_and_conversation() {
    let mut client = Client::new_initialized().await;
    client.start_call(7, "test_wait", json!({})).await;
    with_deadline("the call", client.signals.started.notified()).await;
    let stopped_at = Instant::now();
    client.stop.cancel();
    client.wait_for_end().await;
    assert!(stopped_at.elapsed() < END_TIMEOUT, "{:?}", stopped_at.elapsed());
}

#[tokio::test]
async fn an_empty_input_is_a_normal_end() {
    let mut client = Client::connect();
    client.close_input();
    client.wait_for_end().await;
    let mut client = Client::connect();
    client.stop.cancel();
    client.wait_for_end().await;
}

#[tokio::test]
async fn a_client_that_does_not_read_cannot_block_the_end() {
    let mut client = Client::new_initialized().await;
    // Far more data than the pipe holds, for a client that does not read.
    for id in 0..40 {
        let params = json!({"name": "test_echo", "arguments": {"text": "x".repeat(10_000)}});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    }
    client.stop.cancel();
    client.wait_for_end().await;
}
