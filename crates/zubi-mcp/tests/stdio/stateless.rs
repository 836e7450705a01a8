//! Approval prompts for the user of a stateless client: the prompt is the result of the call, and the client calls
//! again with the answer.

use std::sync::atomic::Ordering;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_mcp::ElicitationMode;

use crate::client::{Client, modern_with, with_deadline};
use crate::elicitation::{APPROVE_ONCE, accept, text};

/// One request of the stateless era.
async fn stateless(client: &mut Client, id: u32, mut params: Value, answer: Option<(&Value, Value)>) -> Value {
    if let Some((question, answer)) = answer {
        params["requestState"] = question["result"]["requestState"].clone();
        params["inputResponses"] = json!({"approval": answer});
    }
    client.request(id, "tools/call", modern_with(params, json!({"elicitation": {}}))).await
}

fn run(text: &str) -> Value {
    json!({"name": "test_run", "arguments": {"text": text}})
}

#[tokio::test]
async fn a_stateless_call_returns_the_prompt_and_the_client_calls_again() {
    let mut client = Client::connect();
    let question = stateless(&mut client, 1, run("a"), None).await;
    assert_eq!(question["result"]["resultType"], "input_required", "{question}");
    let form = &question["result"]["inputRequests"]["approval"];
    assert_eq!(form["method"], "elicitation/create");
    assert!(form["params"]["message"].as_str().unwrap().contains("test.run wants to run"), "{form}");
    let answer = stateless(&mut client, 2, run("a"), Some((&question, accept(json!({"answer": APPROVE_ONCE}))))).await;
    assert_eq!(text(&answer), "you said a\n[test · ready]");
    let question = stateless(&mut client, 4, run("a"), None).await;
    let other = stateless(&mut client, 5, run("rm"), Some((&question, accept(json!({"answer": APPROVE_ONCE}))))).await;
    assert_snapshot!(text(&other), @"
    Invalid input: requestState: it belongs to a call with another tool or other arguments
    Call again exactly as the prompt was sent.
    ");
    let repeated_prompt = stateless(&mut client, 6, run("a"), Some((&question, json!({"what": "ever"})))).await;
    assert_eq!(
        repeated_prompt["result"]["inputRequests"], question["result"]["inputRequests"],
        "the prompt is repeated"
    );
    let denied = stateless(&mut client, 7, run("a"), Some((&question, json!({"action": "decline"})))).await;
    assert!(text(&denied).contains("the user denied it"), "{denied}");

    // Edited arguments are another call with its own prompt.
    let question = stateless(&mut client, 8, run("a"), None).await;
    let edited = accept(json!({"answer": APPROVE_ONCE, "arguments": "{\"text\": \"b\"}"}));
    let question = stateless(&mut client, 9, run("a"), Some((&question, edited))).await;
    assert!(question["result"]["inputRequests"]["approval"]["params"]["message"].as_str().unwrap().contains("say b"));
    let answer = stateless(&mut client, 10, run("a"), Some((&question, accept(json!({"answer": APPROVE_ONCE}))))).await;
    assert_eq!(text(&answer), "The user changed the arguments to {\"text\":\"b\"}.\nyou said b\n[test · ready]");

    let unknown_handle = json!({"result": {"requestState": "0123456789abcdef0123456789abcdef"}});
    let answer =
        stateless(&mut client, 11, run("a"), Some((&unknown_handle, accept(json!({"answer": APPROVE_ONCE}))))).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[tokio::test]
async fn abandoned_stateless_calls_free_their_slot() {
    let mut client = Client::connect_with_elicitation(ElicitationMode {
        timeout: Duration::from_millis(20),
        ..ElicitationMode::default()
    });
    // More prompts than may be open; none gets an answer.
    for id in 0..200 {
        let answer = stateless(&mut client, id, run("a"), None).await;
        let result = &answer["result"];
        assert!(result["resultType"] == "input_required" || text(&answer).contains("64 questions wait"), "{answer}");
    }
    // After the time-out a slot becomes free. The test client's deadline limits the loop.
    loop {
        let answer = stateless(&mut client, 1_000, run("a"), None).await;
        if answer["result"]["resultType"] == "input_required" {
            break;
        }
    }
}

/// S6: unanswered prompts do not block other calls.
#[tokio::test]
async fn suspended_calls_occupy_no_slot() {
    let mut client = Client::connect();
    let first = stateless(&mut client, 0, run("a"), None).await;
    for id in 1..64 {
        let question = stateless(&mut client, id, run("a"), None).await;
        assert_eq!(question["result"]["resultType"], "input_required", "{question}");
    }
    let echo = json!({"name": "test_echo", "arguments": {"text": "b"}});
    assert_eq!(text(&stateless(&mut client, 65, echo, None).await), "you said b\n[test · ready]");
    let next_call = stateless(&mut client, 66, run("a"), None).await;
    assert!(text(&next_call).contains("64 questions wait for an answer already"), "{next_call}");
    let answer = stateless(&mut client, 67, run("a"), Some((&first, accept(json!({"answer": APPROVE_ONCE}))))).await;
    assert_eq!(text(&answer), "you said a\n[test · ready]");
}

/// M8: the server resends an answer that was lost on the way, and runs the call only once.
#[tokio::test]
async fn resent_answered_calls_run_once() {
    let mut client = Client::connect();
    let run_count = |client: &Client| client.signals.runs.load(Ordering::Relaxed);
    let approve = || accept(json!({"answer": APPROVE_ONCE}));
    let question = stateless(&mut client, 1, run("a"), None).await;
    let answer = stateless(&mut client, 2, run("a"), Some((&question, approve()))).await;
    let repeated = stateless(&mut client, 3, run("a"), Some((&question, approve()))).await;
    assert_eq!((&repeated["id"], &repeated["result"]), (&json!(3), &answer["result"]));
    // Neither a second answer nor an empty one changes anything.
    let denied = stateless(&mut client, 4, run("a"), Some((&question, json!({"action": "decline"})))).await;
    assert_eq!(denied["result"], answer["result"]);
    let mut without_answer = run("a");
    without_answer["requestState"] = question["result"]["requestState"].clone();
    assert_eq!(stateless(&mut client, 5, without_answer, None).await["result"], answer["result"]);
    assert_eq!(run_count(&client), 1);
    let other = stateless(&mut client, 6, run("b"), Some((&question, approve()))).await;
    assert!(text(&other).starts_with("Invalid input: requestState: it belongs to a call"), "{other}");

    // A repeated denial is still a denial.
    let question = stateless(&mut client, 7, run("a"), None).await;
    for id in 8..10 {
        let denied = stateless(&mut client, id, run("a"), Some((&question, json!({"action": "decline"})))).await;
        assert!(text(&denied).contains("the user denied it"), "{denied}");
    }

    // An answer that caused another prompt causes the same prompt again.
    let question = stateless(&mut client, 10, run("a"), None).await;
    let edited = || accept(json!({"answer": APPROVE_ONCE, "arguments": "{\"text\": \"b\"}"}));
    let next = stateless(&mut client, 11, run("a"), Some((&question, edited()))).await;
    let repeated = stateless(&mut client, 12, run("a"), Some((&question, edited()))).await;
    assert_eq!(next["result"]["resultType"], "input_required", "{next}");
    assert_eq!(repeated["result"], next["result"]);
    assert_eq!(run_count(&client), 1);
}

#[tokio::test]
async fn resent_running_calls_are_awaited() {
    let mut client = Client::connect();
    let question = stateless(&mut client, 1, run("wait"), None).await;
    let mut params = run("wait");
    params["requestState"] = question["result"]["requestState"].clone();
    params["inputResponses"] = json!({"approval": accept(json!({"answer": APPROVE_ONCE}))});
    let params = modern_with(params, json!({"elicitation": {}}));
    for id in [2, 3] {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    }
    with_deadline("the call", client.signals.started.notified()).await;
    client.signals.resume.notify_one();
    let (first, second) = (client.next().await.unwrap(), client.next().await.unwrap());
    assert_eq!((text(&first), text(&second)), ("went on", "went on"));
    assert_eq!(client.signals.runs.load(Ordering::Relaxed), 1);

    // After a cancellation the effect of the call is unknown.
    let question = stateless(&mut client, 4, run("wait"), None).await;
    let mut params = run("wait");
    params["requestState"] = question["result"]["requestState"].clone();
    params["inputResponses"] = json!({"approval": accept(json!({"answer": APPROVE_ONCE}))});
    let params = modern_with(params, json!({"elicitation": {}}));
    client.send(&json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params})).await;
    with_deadline("the call", client.signals.started.notified()).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})).await;
    with_deadline("its end", client.signals.cancelled.notified()).await;
    let answer = client.request(6, "tools/call", params).await;
    assert_snapshot!(text(&answer), @"
    Failed to run test_run: its question is closed, and what came of it is not known; it may have been run already
    Check whether it was done before you call it again, without `requestState`.
    ");
}

/// S5: a request that resumes a call is not a new call.
#[tokio::test]
async fn handles_are_accepted_without_the_capability() {
    let mut client = Client::connect();
    let question = stateless(&mut client, 1, run("a"), None).await;
    let mut params = run("a");
    params["requestState"] = question["result"]["requestState"].clone();
    params["inputResponses"] = json!({"approval": accept(json!({"answer": APPROVE_ONCE}))});
    let answer = client.request(2, "tools/call", modern_with(params, json!({}))).await;
    assert_snapshot!(text(&answer), @"
    Invalid input: requestState: it continues a call, and this request does not say that its client shows forms; nothing was run
    Send it as the prompt was sent: with the capability `elicitation`.
    ");
    let answer = stateless(&mut client, 3, run("a"), Some((&question, accept(json!({"answer": APPROVE_ONCE}))))).await;
    assert_eq!(text(&answer), "you said a\n[test · ready]");
}

/// A stateless client without forms gets a refusal at once.
#[tokio::test]
async fn a_stateless_client_without_forms_is_refused() {
    let mut client = Client::connect();
    let params = modern_with(run("a"), json!({}));
    let answer = client.request(1, "tools/call", params).await;
    assert!(text(&answer).contains("no one can approve it here"), "{answer}");
}
