//! The end of a connection: the input closes, or a stop is requested.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Client, with_deadline};

/// Clients wait a second or two before they kill.
const BOUND: Duration = Duration::from_secs(2);

#[tokio::test]
async fn a_call_that_is_nearly_done_still_answers() {
    let mut client = Client::new_initialized().await;
    client.begin(7, "test_wait", json!({})).await;
    with_deadline("the call", client.signals.started.notified()).await;
    client.hang_up();
    client.signals.go_on.notify_one();
    assert_eq!(client.next().await.unwrap()["result"]["content"][0]["text"], "went on");
    assert!(client.next().await.is_none());
    client.wait_for_end().await;
}

#[tokio::test]
async fn a_call_that_is_not_is_cancelled_in_time() {
    let mut client = Client::new_initialized().await;
    client.begin(7, "test_wait", json!({})).await;
    with_deadline("the call", client.signals.started.notified()).await;
    let hung_up = Instant::now();
    client.hang_up();
    with_deadline("the cancellation", client.signals.cancelled.notified()).await;
    client.wait_for_end().await;
    assert!(hung_up.elapsed() < BOUND, "{:?}", hung_up.elapsed());
}

#[tokio::test]
async fn a_stop_request_ends_calls_and_conversation() {
    let mut client = Client::new_initialized().await;
    client.begin(7, "test_wait", json!({})).await;
    with_deadline("the call", client.signals.started.notified()).await;
    let stopped_at = Instant::now();
    client.stop.cancel();
    client.wait_for_end().await;
    assert!(stopped_at.elapsed() < BOUND, "{:?}", stopped_at.elapsed());
}

#[tokio::test]
async fn an_input_that_ends_before_any_message_is_a_normal_end() {
    let mut client = Client::connect();
    client.hang_up();
    client.wait_for_end().await;
    let mut client = Client::connect();
    client.stop.cancel();
    client.wait_for_end().await;
}

#[tokio::test]
async fn a_client_that_does_not_read_does_not_hold_the_server() {
    let mut client = Client::new_initialized().await;
    // Far more than the pipe holds, and the client does not read.
    for id in 0..40 {
        let params = json!({"name": "test_echo", "arguments": {"text": "x".repeat(10_000)}});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    }
    client.stop.cancel();
    client.wait_for_end().await;
}
