//! Approval prompts for the client's user: with forms in both eras, and without.

use std::fmt::Write as _;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_mcp::ElicitationMode;

use crate::client::Client;

/// Connects a client of the old era that supports forms.
async fn with_forms() -> Client {
    let mut client = Client::connect();
    client.initialize(json!({"elicitation": {}})).await;
    client
}

/// Makes a call and reads the next message, which is a prompt if the call requires approval.
async fn call_tool(client: &mut Client, id: u32, tool: &str, arguments: Value) -> Value {
    client.call(id, tool, arguments).await
}

/// Answers a form of the old era and reads the next message.
async fn fill_in(client: &mut Client, form: &Value, result: Value) -> Value {
    assert_eq!(form["method"], "elicitation/create", "{form}");
    client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "result": result})).await;
    client.next().await.unwrap()
}

pub(crate) fn accept(mut content: Value) -> Value {
    json!({"action": "accept", "content": content.take()})
}

pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

pub(crate) const APPROVE_ONCE: &str = "yes: this call";

#[tokio::test]
async fn a_form_shows_the_call_and_each_approval_option() {
    let mut client = with_forms().await;
    let form = call_tool(&mut client, 1, "test_run", json!({"text": "hi there"})).await;
    let params = &form["params"];
    assert_snapshot!(params["message"].as_str().unwrap(), @"
    test.run wants to run: it runs `say hi there`
      command    say 'hi there'
      in         /w
      secret     TOKEN
    ");
    assert_snapshot!(params["requestedSchema"], @r#"{"type":"object","properties":{"answer":{"type":"string","title":"May it run?","enum":["no","yes: this call","yes: exactly `say hi there` (test.run); the secret TOKEN (test.run), for this session"],"default":"no"},"arguments":{"type":"string","description":"The tool's arguments, as JSON; change them to run it with others","default":"{\"text\":\"hi there\"}"},"reason":{"type":"string","description":"If no: what the agent should do instead","maxLength":2000}},"required":["answer"]}"#);
    let answer = fill_in(&mut client, &form, accept(json!({"answer": APPROVE_ONCE}))).await;
    assert_eq!((&answer["id"], text(&answer)), (&json!(1), "you said hi there\n[test · ready]"));
}

#[tokio::test]
async fn form_answers_approve_or_deny_the_call() {
    let mut client = with_forms().await;
    let mut outcomes = String::new();
    for (id, result) in (1..).zip([
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        accept(json!({"answer": "no", "reason": " use rsync \n"})),
        accept(json!({"answer": "no", "reason": ""})),
        accept(json!({"answer": "yes: everything, always"})),
        accept(json!({})),
        json!({"action": "accept"}),
        accept(json!({"answer": [APPROVE_ONCE]})),
        accept(json!({"answer": APPROVE_ONCE, "arguments": "{\"text\": \"other\"}"})),
        accept(json!({"answer": APPROVE_ONCE, "arguments": "{\"text\":\"first\"}"})),
        accept(json!({"answer": APPROVE_ONCE, "arguments": ""})),
        accept(json!({"answer": APPROVE_ONCE, "arguments": "[1]"})),
        accept(json!({"answer": APPROVE_ONCE, "arguments": "rm -rf"})),
        accept(json!({"answer": APPROVE_ONCE, "arguments": "{\"txt\": \"x\"}"})),
        json!({"tools": []}),
    ]) {
        let form = call_tool(&mut client, id, "test_run", json!({"text": "first"})).await;
        let mut answer = fill_in(&mut client, &form, result.clone()).await;
        // Edited arguments are another call, which needs its own approval.
        if answer["method"] == "elicitation/create" {
            outcomes.push_str("asked again: ");
            answer = fill_in(&mut client, &answer, accept(json!({"answer": APPROVE_ONCE}))).await;
        }
        assert_eq!(answer["id"], id);
        writeln!(outcomes, "{result}\n    {}", text(&answer).replace('\n', "\n    ")).unwrap();
    }
    assert_snapshot!(outcomes, @r#"
    {"action":"decline"}
        Failed to run test.run: the user denied it (it runs `say first`)
        Do not call it again for this; let the user decide what to do instead.
    {"action":"cancel"}
        Failed to run test.run: it needs the user's approval (it runs `say first`), and they put the question away
        Check with the user whether to do it, then call it again.
    {"action":"accept","content":{"answer":"no","reason":" use rsync \n"}}
        Failed to run test.run: the user denied it (it runs `say first`); they say: use rsync
        Do not call it again for this; let the user decide what to do instead.
    {"action":"accept","content":{"answer":"no","reason":""}}
        Failed to run test.run: the user denied it (it runs `say first`)
        Do not call it again for this; let the user decide what to do instead.
    {"action":"accept","content":{"answer":"yes: everything, always"}}
        Failed to run test.run: the user denied it (it runs `say first`)
        Do not call it again for this; let the user decide what to do instead.
    {"action":"accept","content":{}}
        Failed to run test.run: the user denied it (it runs `say first`)
        Do not call it again for this; let the user decide what to do instead.
    {"action":"accept"}
        Failed to run test.run: the user denied it (it runs `say first`)
        Do not call it again for this; let the user decide what to do instead.
    {"action":"accept","content":{"answer":["yes: this call"]}}
        Failed to run test.run: the user denied it (it runs `say first`)
        Do not call it again for this; let the user decide what to do instead.
    asked again: {"action":"accept","content":{"answer":"yes: this call","arguments":"{\"text\": \"other\"}"}}
        The user changed the arguments to {"text":"other"}.
        you said other
        [test · ready]
    {"action":"accept","content":{"answer":"yes: this call","arguments":"{\"text\":\"first\"}"}}
        you said first
        [test · ready]
    {"action":"accept","content":{"answer":"yes: this call","arguments":""}}
        you said first
        [test · ready]
    {"action":"accept","content":{"answer":"yes: this call","arguments":"[1]"}}
        Failed to run test.run: the user denied it (it runs `say first`); they say: they changed the arguments to a value that is not a JSON object
        Do not call it again for this; let the user decide what to do instead.
    {"action":"accept","content":{"answer":"yes: this call","arguments":"rm -rf"}}
        Failed to run test.run: the user denied it (it runs `say first`); they say: they changed the arguments to a value that is not a JSON object
        Do not call it again for this; let the user decide what to do instead.
    {"action":"accept","content":{"answer":"yes: this call","arguments":"{\"txt\": \"x\"}"}}
        Invalid input: txt: no such parameter; did you mean `text`?
        The user changed the arguments to {"txt":"x"}.
        test.run takes text (string), count (integer), maxTokens (integer).
    {"tools":[]}
        Failed to run test.run: it needs the user's approval (it runs `say first`), and the client's answer did not match the form
        Check with the user whether to do it, then call it again.
    "#);
}

#[tokio::test]
async fn a_session_approval_lasts_for_the_session() {
    let mut client = with_forms().await;
    let form = call_tool(&mut client, 1, "test_run", json!({"text": "a"})).await;
    let choices = form["params"]["requestedSchema"]["properties"]["answer"]["enum"].clone();
    let session_choice = choices[2].as_str().unwrap();
    assert!(session_choice.ends_with(", for this session"), "{choices}");
    let answer = fill_in(&mut client, &form, accept(json!({"answer": session_choice}))).await;
    assert!(text(&answer).starts_with("you said a"), "{answer}");
    assert!(text(&call_tool(&mut client, 2, "test_run", json!({"text": "a"})).await).starts_with("you said a"));
    let other = call_tool(&mut client, 3, "test_run", json!({"text": "b"})).await;
    assert_eq!(other["method"], "elicitation/create", "another command needs another approval: {other}");
    let permanent = choices.as_array().unwrap().iter().filter(|option| option.as_str().unwrap().contains("always"));
    assert_eq!(permanent.count(), 0, "a form allows nothing beyond the session: {choices}");
}

/// S6: unanswered prompts do not block other calls, and their number is limited.
#[tokio::test]
async fn open_prompts_do_not_block_other_calls() {
    let mut client = with_forms().await;
    for id in 1..=64 {
        let form = call_tool(&mut client, id, "test_run", json!({"text": "a"})).await;
        assert_eq!(form["method"], "elicitation/create", "{form}");
    }
    assert_eq!(text(&client.call(65, "test_echo", json!({"text": "b"})).await), "you said b\n[test · ready]");
    assert_snapshot!(text(&call_tool(&mut client, 66, "test_run", json!({"text": "a"})).await), @"
    Failed to run test.run: it runs `say a`, and no approval prompt could be shown: 64 questions wait for an answer already
    Wait until the user has answered, then call it again.
    ");
}

#[tokio::test]
async fn prompts_are_open_concurrently() {
    let mut client = with_forms().await;
    let first = call_tool(&mut client, 1, "test_run", json!({"text": "one"})).await;
    let second = call_tool(&mut client, 2, "test_run", json!({"text": "two"})).await;
    assert_ne!(first["id"], second["id"]);
    assert_eq!(client.request(3, "ping", json!({})).await["id"], 3, "other requests do not wait for prompts");
    let answer = fill_in(&mut client, &second, accept(json!({"answer": APPROVE_ONCE}))).await;
    assert_eq!((&answer["id"], text(&answer)), (&json!(2), "you said two\n[test · ready]"));
    let answer = fill_in(&mut client, &first, json!({"action": "decline"})).await;
    assert_eq!(answer["id"], 1);
    assert!(text(&answer).contains("the user denied it"), "{answer}");
}

/// X26: cancelling a call closes the prompt and withdraws the form.
#[tokio::test]
async fn cancelling_a_call_withdraws_its_prompt() {
    let mut client = with_forms().await;
    let form = call_tool(&mut client, 7, "test_run", json!({"text": "a"})).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})).await;
    let cancellation = client.next().await.unwrap();
    assert_eq!(
        (&cancellation["method"], &cancellation["params"]["requestId"]),
        (&json!("notifications/cancelled"), &form["id"])
    );
    // The server ignores a form's answer that crosses the cancellation.
    client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "result": accept(json!({"answer": APPROVE_ONCE}))})).await;
    assert_eq!(client.request(8, "ping", json!({})).await["id"], 8);
    client.close_input();
    assert_eq!(client.next().await, None::<Value>, "the cancelled call was never answered");
    client.wait_for_end().await;
}

#[tokio::test]
async fn a_lost_client_ends_the_server_despite_an_open_prompt() {
    let mut client = with_forms().await;
    call_tool(&mut client, 7, "test_run", json!({"text": "a"})).await;
    client.close_input();
    client.wait_for_end().await;
}

#[tokio::test]
async fn a_prompt_without_an_answer_times_out() {
    let mut client = Client::connect_with_elicitation(ElicitationMode {
        timeout: Duration::from_millis(20),
        ..ElicitationMode::default()
    });
    client.initialize(json!({"elicitation": {"form": {}}})).await;
    let form = call_tool(&mut client, 1, "test_run", json!({"text": "a"})).await;
    let cancellation = client.next().await.unwrap();
    assert_eq!(
        (&cancellation["method"], &cancellation["params"]["requestId"]),
        (&json!("notifications/cancelled"), &form["id"])
    );
    assert_snapshot!(text(&client.next().await.unwrap()), @"
    Failed to run test.run: it needs the user's approval (it runs `say a`), and no answer within 1 s
    Check with the user whether to do it, then call it again.
    ");
}

/// Clients without forms, and the rules that apply to them.
#[tokio::test]
async fn client_confirmation_counts_without_forms() {
    let elicitation_mode = |client_prompts| ElicitationMode { client_prompts, ..ElicitationMode::default() };
    for (mode, capabilities, is_allowed) in [
        (elicitation_mode(true), json!({}), true),
        (elicitation_mode(false), json!({}), false),
        // This client does not support form elicitation, only URLs.
        (elicitation_mode(true), json!({"elicitation": {"url": {}}}), true),
    ] {
        let mut client = Client::connect_with_elicitation(mode);
        client.initialize(capabilities).await;
        let reviewed = client.call(1, "test_vouched", json!({"text": "a"})).await;
        assert_eq!(text(&reviewed).starts_with("you said a"), is_allowed, "{reviewed}");
        // The client's user has not seen the effect of a built-in tool, so only the user's own rule can allow it.
        let built_in = client.call(2, "test_run", json!({"text": "a"})).await;
        assert!(text(&built_in).contains("no one can approve it here"), "{built_in}");
        // Clients prompt for no call that is declared read-only.
        let delegated = json!({"tool": "test.vouched", "arguments": {"text": "a"}});
        let delegated = client.call(3, "zubi_call_read_tool", delegated).await;
        assert_eq!(delegated["result"]["isError"], true, "{delegated}");
    }
    let mut client = Client::connect_with_elicitation(elicitation_mode(false));
    client.initialize(json!({})).await;
    assert_snapshot!(text(&client.call(1, "test_vouched", json!({})).await), @r#"
    Failed to run test.vouched: it runs something whose effect cannot be known, and no one can approve it here
    The user can allow it with `allow = ["test.vouched"]` in zubi.toml.
    "#);
}

#[tokio::test]
async fn a_failed_form_counts_as_unsupported() {
    let mut client = with_forms().await;
    let form = call_tool(&mut client, 1, "test_run", json!({"text": "a"})).await;
    let error = json!({"code": -32601, "message": "what?"});
    client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "error": error})).await;
    let answer = client.next().await.unwrap();
    assert!(text(&answer).contains("no one can approve it here"), "{answer}");
}

#[tokio::test]
async fn secrets_and_long_arguments_are_shown_but_not_editable() {
    let mut client = with_forms().await;
    let mut rendered = String::new();
    for (id, arguments) in (1..).zip([
        json!({"text": "ghp_abcdefghijklmnopqrstuvwxyz0123456789"}),
        json!({"text": "x".repeat(5_000)}),
        json!({"text": "a\u{202e}b"}),
        json!({"text": "a\u{200d}"}),
    ]) {
        let form = call_tool(&mut client, id, "test_run", arguments).await;
        let fields = form["params"]["requestedSchema"]["properties"].as_object().unwrap();
        assert_eq!(fields.keys().collect::<Vec<_>>(), ["answer", "reason"], "{form}");
        let message = form["params"]["message"].as_str().unwrap();
        let (_, arguments) = message.split_once("  arguments ").unwrap_or_else(|| panic!("{message}"));
        rendered.push_str(&arguments.replace(&"x".repeat(100), "X"));
    }
    assert_snapshot!(rendered, @r#"
    {"text":"ghp_abcdefghijklmnopqrstuvwxyz0123456789"}
                (they cannot be changed here: something in them looks like a secret)
    {"text":"XXXXXXxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx … 4011 characters … XXxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}
                (they cannot be changed here: they have 5011 bytes)
    {"text":"a\u{202e}b"}
                (they cannot be changed here: they have characters that are not seen)
    {"text":"a\u{200d}"}
                (they cannot be changed here: they have characters that are not seen)
    "#);
    // These arguments are long, but can still be edited.
    let form = call_tool(&mut client, 10, "test_run", json!({"text": "x".repeat(3_000)})).await;
    assert!(form["params"]["requestedSchema"]["properties"]["arguments"]["default"].is_string(), "{form}");
}
