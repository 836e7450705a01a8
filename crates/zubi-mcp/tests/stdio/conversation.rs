//! Calls: failures, messages during a call, cancellation.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::client::{Client, with_deadline};

#[tokio::test]
async fn failures_are_results_and_unknown_tools_are_errors() {
    let mut client = Client::new_initialized().await;
    assert_snapshot!(client.call(1, "test_fail", json!({})).await, @r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Failed to look it up: the server is gone\nAsk again."}],"isError":true}}"#);
    assert_snapshot!(client.call(2, "test_echo", json!({"txt": "hi"})).await, @r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Invalid input: txt: no such parameter; did you mean `text`?\ntest.echo takes text (string), count (integer), maxTokens (integer)."}],"isError":true}}"#);
    assert_snapshot!(client.call(3, "test_run", json!({})).await, @r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"Failed to run test.run: it runs `say `, and no one can approve it here\nThe user can allow it with `allow = [\"test.run\"]` in zubi.toml."}],"isError":true}}"#);
    assert_snapshot!(client.call(4, "test_ecko", json!({})).await, @r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"unknown tool `test_ecko`: there is no such tool; did you mean `test.echo`?"}}"#);
    assert_snapshot!(client.call(5, "test_panic", json!({"text": "index out of range"})).await, @r#"{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"Error in test.panic: it panicked: index out of range\nThis is a defect of zubi; the log on stderr has the details."}],"isError":true}}"#);
    assert_snapshot!(client.call(6, "test_echo", json!({"text": "still here"})).await, @r#"{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"you said still here\n[test · ready]"}]}}"#);
}

#[tokio::test]
async fn undeclared_methods_are_not_found() {
    let mut client = Client::new_initialized().await;
    for (method, params) in [
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "x"})),
        ("resources/subscribe", json!({"uri": "x://y"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}}),
        ),
        ("logging/setLevel", json!({"level": "debug"})),
        ("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})),
        ("zubi/anything", json!({})),
    ] {
        let answer = client.request(1, method, params).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with(&format!("unknown method `{method}`; this server has tools/list, ")),
            "{method}: {message}"
        );
    }
}

#[tokio::test]
async fn progress_grows_and_ends_before_the_answer() {
    let mut client = Client::new_initialized().await;
    client.start_call(7, "test_progress", json!({"progressToken": "tok"})).await;
    let mut progress: Vec<f64> = Vec::new();
    let answer = loop {
        let message = client.next().await.unwrap();
        if message.get("id").is_some() {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progressToken"], "tok");
        assert!(message["params"]["message"].as_str().unwrap().starts_with("step"));
        progress.push(message["params"]["progress"].as_f64().unwrap());
        if progress.len() == 3 {
            client.signals.resume.notify_one();
        }
    };
    assert_eq!(answer["result"]["content"][0]["text"], "finished");
    assert!(progress.len() >= 3 && progress.is_sorted_by(|left, right| left < right), "{progress:?}");
    // No message of the call follows its answer: the next line is the next answer.
    assert_eq!(client.request(8, "ping", json!({})).await["id"], 8);
}

#[tokio::test]
async fn without_a_token_no_progress_is_sent() {
    let mut client = Client::new_initialized().await;
    client.signals.resume.notify_one();
    assert_eq!(client.call(7, "test_progress", json!({})).await["id"], 7);
}

#[tokio::test]
async fn a_cancelled_call_reaches_the_tool_and_is_not_answered() {
    let mut client = Client::new_initialized().await;
    client.start_call(7, "test_wait", json!({})).await;
    with_deadline("the call", client.signals.started.notified()).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})).await;
    with_deadline("the cancellation", client.signals.cancelled.notified()).await;
    assert_eq!(client.request(8, "ping", json!({})).await["id"], 8);
    client.close_input();
    assert_eq!(client.next().await, None::<Value>, "the cancelled call was never answered");
    client.wait_for_end().await;
}

#[tokio::test]
async fn slow_calls_do_not_block_quick_ones() {
    let mut client = Client::new_initialized().await;
    client.start_call(7, "test_wait", json!({})).await;
    with_deadline("the call", client.signals.started.notified()).await;
    assert_eq!(client.call(8, "test_echo", json!({})).await["id"], 8);
    client.signals.resume.notify_one();
    assert_eq!(client.next().await.unwrap()["id"], 7);
}
