//! The conversation manager over a real host: messages, approval prompts, stopping, listing and deleting, by one client
//! and by several.

use std::fmt::Write as _;

use insta::assert_snapshot;

use super::testing::{ScriptedStep, fixture, render_events};
use super::*;
use crate::event::StopReason;
use zubi_models::message::PromptMessage;

fn write(path: &str) -> (&'static str, Value) {
    ("file_write", json!({ "path": path, "content": "new\n" }))
}

#[tokio::test]
async fn a_conversation_is_stored_and_continued() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    let read = vec![("file_read", json!({ "path": "catalogue.md" }))];
    fixture.script.push_steps([
        ScriptedStep::Calls(read),
        ScriptedStep::Text("Tea."),
        ScriptedStep::Text("Still tea."),
    ]);
    let id = client.begin("What is in the catalogue?\nTell me.").await;
    assert_eq!(client.end().await.reason, StopReason::Completed);
    // Another process continues the conversation.
    let mut client = fixture.open_manager();
    let sent = client.request("send", json!({ "conversation": id, "text": "And now?" })).await;
    assert_eq!(sent, json!({ "conversation": id, "turn": 2 }));
    client.end().await;
    let opened = client.open(&id).await;
    assert_snapshot!(render_events(&opened.events), @"
    1 began
    2 asked 1: What is in the catalogue?
    Tell me.
    3 iteration of script/one
    4 answered:  (1 calls)
    5 calling Read a file: catalogue.md
    6 result None
    7 iteration of script/one
    8 answered: Tea. (0 calls)
    9 ended Completed: Tea. None
    10 asked 2: And now?
    11 iteration of script/one
    12 answered: Still tea. (0 calls)
    13 ended Completed: Still tea. None
    ");
    let received = fixture.script.received.lock().unwrap().pop().unwrap();
    let roles = |message: &PromptMessage| json!(message)["role"].as_str().unwrap().to_owned();
    assert_eq!(received.iter().map(roles).collect::<Vec<_>>(), ["user", "assistant", "tool", "assistant", "user"]);
    let list = client.request("conversations", json!({ "query": "catalogue tea" })).await;
    let first = &list["conversations"][0];
    assert_eq!(
        (&first["title"], &first["turns"], &first["model"], &first["usage"]["input"]),
        (&json!("What is in the catalogue? Tell me."), &json!(2), &json!("script/one"), &json!(30))
    );
    client.request("rename", json!({ "conversation": id, "title": " Of  tea " })).await;
    assert_eq!(client.open(&id).await.summary.title, "Of tea");
}

#[tokio::test]
async fn session_approvals_apply_only_to_their_conversation() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    let steps =
        || [ScriptedStep::Calls(vec![("shell_run", json!({ "command": "cargo build" }))]), ScriptedStep::Text("Done.")];
    fixture.script.push_steps(steps());
    let id = client.begin("Run it").await;
    let question = client.question().await;
    assert_eq!(client.open(&id).await.summary.state, ConversationState::Waiting);
    let list = client.request("conversations", Value::Null).await;
    assert_eq!(list["conversations"][0]["state"], "waiting");
    let refusal = client
        .refusal(
            "answer",
            json!({ "conversation": id, "question": question, "answer": { "unanswered": { "how": "x" } } }),
        )
        .await;
    assert_snapshot!(refusal, @"Invalid input: `answer` is `allow`, `deny` or `unavailable`");
    let refusal = client
        .refusal("answer", json!({ "conversation": id, "question": "x", "answer": { "deny": { "text": null } } }))
        .await;
    assert_snapshot!(refusal, @"no question `x` waits for an answer: it was answered, or its turn has ended. Open the conversation again.");
    let request = match &client.open(&id).await.events.last().unwrap().kind {
        EventKind::Question { request, .. } => request.clone(),
        other => panic!("{other:?}"),
    };
    let options = request["options"].as_array().unwrap();
    let for_session = options.iter().position(|option| option["scope"] == "session").unwrap();
    let allow = json!({ "allow": { "option": for_session, "arguments": null } });
    client.request("answer", json!({ "conversation": id, "question": question, "answer": allow })).await;
    assert_eq!(client.end().await.reason, StopReason::Completed);
    // The same call does not require approval again, not even in the next turn.
    fixture.script.push_steps(steps());
    client.request("send", json!({ "conversation": id, "text": "Again" })).await;
    assert_eq!(client.end().await.reason, StopReason::Completed);
    // In another conversation, the same call requires approval.
    fixture.script.push_steps(steps());
    let other = client.begin("Run it").await;
    let question = client.question().await;
    let deny = json!({ "deny": { "text": "Not there." } });
    client.request("answer", json!({ "conversation": other, "question": question, "answer": deny })).await;
    client.end().await;
    assert_snapshot!(render_events(&client.open(&other).await.events), @r#"
    1 began
    2 asked 1: Run it
    3 iteration of script/one
    4 answered:  (1 calls)
    5 calling Run a command: cargo build
    6 question
    7 decision by test: {"deny":{"text":"Not there."}}
    8 result Some(Denied)
    9 iteration of script/one
    10 answered: Done. (0 calls)
    11 ended Completed: Done. None
    "#);
}

#[tokio::test]
async fn turns_can_be_stopped_while_streaming_or_waiting() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    fixture.script.push_steps([
        ScriptedStep::Hang("I think"),
        ScriptedStep::Calls(vec![write("a.txt")]),
        ScriptedStep::Text("Well."),
    ]);
    let id = client.begin("Think").await;
    client.wait(|kind| matches!(kind, EventKind::Text { .. })).await;
    let opened = client.open(&id).await;
    assert_eq!(opened.summary.state, ConversationState::Running);
    let partial_answer: Vec<Value> = opened.partial_answer.iter().map(|event| json!(event.kind)).collect();
    assert_eq!(partial_answer, [json!({ "type": "text", "turn": 1, "iteration": 1, "offset": 0, "text": "I think" })]);
    let running = client.refusal("delete", json!({ "conversation": id })).await;
    assert_snapshot!(running, @"a turn is running in this conversation. Stop it first.");
    client.request("stop", json!({ "conversation": id })).await;
    assert_eq!(client.end().await.reason, StopReason::Stopped);

    client.request("send", json!({ "conversation": id, "text": "Write" })).await;
    let question = client.question().await;
    client.request("stop", json!({ "conversation": id })).await;
    assert_eq!(client.end().await.reason, StopReason::Stopped);
    let late =
        json!({ "conversation": id, "question": question, "answer": { "allow": { "option": 0, "arguments": null } } });
    assert!(matches!(client.refusal("answer", late).await, ChatError::NotFound(_)));
    assert!(!fixture.work.join("a.txt").exists());

    client.request("send", json!({ "conversation": id, "text": "Now?" })).await;
    assert_eq!(client.end().await.text, "Well.");
    client.request("stop", json!({ "conversation": id })).await;
    client.request("delete", json!({ "conversation": id })).await;
    assert!(matches!(client.refusal("open", json!({ "conversation": id })).await, ChatError::NotFound(_)));
    assert_eq!(client.request("conversations", Value::Null).await["conversations"], json!([]));
}

#[tokio::test]
async fn a_running_turn_accepts_only_text() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    fixture.script.push_steps([ScriptedStep::Hang("I think")]);
    let id = client.begin("Think").await;
    let send_params = |more: Value| {
        let mut params = json!({ "conversation": id, "text": "And this" });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let mut refusals = String::new();
    for more in [
        json!({ "model": "script/two" }),
        json!({ "maxIterations": 1 }),
        json!({ "tools": ["file.*"] }),
        json!({ "schema": {} }),
        json!({ "instructions": "Be brief." }),
    ] {
        writeln!(refusals, "{}", client.refusal("send", send_params(more)).await).unwrap();
    }
    assert_snapshot!(refusals, @"
    Invalid input: `model` can be set only at the beginning of a turn, and a turn is running in this conversation. Stop the turn, or send the text alone.
    Invalid input: `maxIterations` can be set only at the beginning of a turn, and a turn is running in this conversation. Stop the turn, or send the text alone.
    Invalid input: `tools` can be set only at the beginning of a turn, and a turn is running in this conversation. Stop the turn, or send the text alone.
    Invalid input: `schema` can be set only at the beginning of a turn, and a turn is running in this conversation. Stop the turn, or send the text alone.
    Invalid input: `instructions` can be set only at the beginning of a turn, and a turn is running in this conversation. Stop the turn, or send the text alone.
    ");
    client.request("send", send_params(json!({ "model": "script/one" }))).await;
    client.request("stop", json!({ "conversation": id })).await;
    client.end().await;
}

#[tokio::test]
async fn a_slow_model_does_not_block_other_requests() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    fixture.script.push_steps([ScriptedStep::Text("Well."), ScriptedStep::Text("Again.")]);
    let id = client.begin("Think").await;
    client.end().await;
    let manager = Arc::clone(&client.manager);
    let params = json!({ "conversation": id, "text": "More", "model": "script/silent" });
    let slow = tokio::spawn(async move { manager.request("send", params, "test").await });
    tokio::task::yield_now().await;
    let all = async {
        assert_eq!(client.open(&id).await.summary.state, ConversationState::Idle);
        client.request("stop", json!({ "conversation": id })).await;
        client.request("send", json!({ "conversation": id, "text": "Now?" })).await;
        client.end().await
    };
    let ended =
        tokio::time::timeout(std::time::Duration::from_secs(30), all).await.expect("other requests are not blocked");
    assert_eq!(ended.text, "Again.");
    assert!(!slow.is_finished());
    slow.abort();
}

#[tokio::test]
async fn conversations_are_found_by_id_prefix() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    fixture.script.push_steps([ScriptedStep::Text("Well.")]);
    let old = client.begin("The first").await;
    client.end().await;
    for _ in 0..=MAX_LIST {
        crate::conversation::Conversation::create(&client.manager.context).unwrap();
    }
    let found = client.request("conversations", json!({ "id": old, "limit": 2 })).await;
    assert_eq!([&found["conversations"][0]["title"], &found["more"]], [&json!("The first"), &json!(0)]);
    let all = client.request("conversations", json!({ "id": "", "limit": 2 })).await;
    assert_eq!((all["conversations"].as_array().unwrap().len(), &all["more"]), (2, &json!(MAX_LIST)));
    let none = client.request("conversations", json!({ "id": "no" })).await;
    assert_eq!(none["conversations"], json!([]));
}

#[tokio::test]
async fn concurrent_messages_are_received_once() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    fixture.script.push_steps([ScriptedStep::Text("One.")]);
    let id = client.begin("First").await;
    client.end().await;
    fixture.script.push_steps(std::iter::repeat_n(ScriptedStep::Text("More."), 8));
    let requests =
        (0..8).map(|number| client.request("send", json!({ "conversation": id, "text": format!("Number {number}") })));
    let sent = futures_util::future::join_all(requests).await;
    let last = sent.iter().map(|sent| sent["turn"].as_u64().unwrap()).max().unwrap();
    client.wait(|kind| matches!(kind, EventKind::Ended(ended) if ended.turn == last)).await;
    let opened = client.open(&id).await;
    for number in 0..8 {
        let expected = format!("Number {number}");
        let is_message =
            |event: &&AgentEvent| matches!(&event.kind, EventKind::UserMessage { text, .. } if *text == expected);
        assert_eq!(opened.events.iter().filter(is_message).count(), 1, "{}", render_events(&opened.events));
    }
}

#[tokio::test]
async fn a_conversation_is_open_in_one_process_at_a_time() {
    let fixture = fixture();
    let (mut one, mut other) = (fixture.open_manager(), fixture.open_manager());
    fixture.script.push_steps([ScriptedStep::Hang("I think"), ScriptedStep::Text("Well.")]);
    let id = one.begin("Think").await;
    one.wait(|kind| matches!(kind, EventKind::Text { .. })).await;
    let opened = other.open(&id).await;
    assert_eq!((opened.summary.state, opened.events.len()), (ConversationState::Elsewhere, 3));
    assert_eq!(other.request("conversations", Value::Null).await["conversations"][0]["state"], "elsewhere");
    for (method, params) in [
        ("send", json!({ "conversation": id, "text": "Me too" })),
        ("rename", json!({ "conversation": id, "title": "Mine" })),
        ("delete", json!({ "conversation": id })),
        ("stop", json!({ "conversation": id })),
    ] {
        let refusal = other.refusal(method, params).await.to_string();
        assert_eq!(
            refusal, "another process has this conversation, and writes in it. Wait until its turn has ended.",
            "{method}"
        );
    }
    one.request("stop", json!({ "conversation": id })).await;
    one.end().await;
    one.manager.shutdown().await;
    other.request("send", json!({ "conversation": id, "text": "Now me" })).await;
    assert_eq!(other.end().await.text, "Well.");
}

#[tokio::test]
async fn concurrent_processes_do_not_overwrite_each_other() {
    let fixture = fixture();
    let (mut one, mut other) = (fixture.open_manager(), fixture.open_manager());
    fixture.script.push_steps(std::iter::repeat_n(ScriptedStep::Text("Well."), 20));
    let id = one.begin("Begin").await;
    one.end().await;
    for round in 0..5 {
        let send_params = |sender: &str| json!({ "conversation": id, "text": format!("{sender} {round}") });
        let (first, second) = tokio::join!(
            one.manager.request("send", send_params("one"), "test"),
            other.manager.request("send", send_params("other"), "test")
        );
        assert!(first.is_ok() || second.is_ok(), "{first:?} {second:?}");
        for (sent, client, name) in [(first, &mut one, "one"), (second, &mut other, "other")] {
            let expected = format!("{name} {round}");
            let is_message =
                |event: &AgentEvent| matches!(&event.kind, EventKind::UserMessage { text, .. } if *text == expected);
            match sent {
                Ok(_) => {
                    client.end().await;
                    assert!(client.open(&id).await.events.iter().any(is_message), "{expected} was stored");
                }
                Err(refusal) => {
                    assert!(refusal.to_string().starts_with("another process has this conversation"), "{refusal}");
                    assert!(!client.open(&id).await.events.iter().any(is_message), "{expected} was refused");
                }
            }
        }
    }
    one.manager.shutdown().await;
    other.manager.shutdown().await;
    let opened = one.open(&id).await;
    assert!(opened.partial_answer.is_empty() && opened.events.iter().zip(1..).all(|(event, seq)| event.seq == seq));
}

#[tokio::test]
async fn a_slow_listener_loses_only_events() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    let mut slow = client.manager.listen();
    fixture.script.push_steps([ScriptedStep::Hang("I think")]);
    let id = client.begin("Begin").await;
    client.wait(|kind| matches!(kind, EventKind::Text { .. })).await;
    for number in 0..=MAX_LISTENER_LAG {
        client.request("rename", json!({ "conversation": id, "title": format!("Number {number}") })).await;
    }
    assert!(matches!(slow.recv().await, Err(broadcast::error::RecvError::Lagged(_))));
    assert_eq!(client.open(&id).await.summary.title, format!("Number {MAX_LISTENER_LAG}"));
}

#[tokio::test]
async fn closing_the_manager_ends_its_turns() {
    let fixture = fixture();
    let client = fixture.open_manager();
    fixture.script.push_steps([ScriptedStep::Hang("I think"), ScriptedStep::Hang("I too")]);
    let (one, other) = (client.begin("Think").await, client.begin("Think").await);
    client.manager.shutdown().await;
    for id in [one, other] {
        let events = client.open(&id).await.events;
        assert!(
            matches!(&events.last().unwrap().kind, EventKind::Ended(ended) if ended.reason == StopReason::Stopped),
            "{}",
            render_events(&events)
        );
    }
    let late = client.refusal("send", json!({ "text": "Hello?" })).await;
    assert_snapshot!(late, @"zubi is shutting down; start it again");
    // A conversation without any message does not count.
    assert_eq!(client.request("conversations", Value::Null).await["conversations"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_panic_ends_the_turn_but_not_the_conversation() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    fixture.script.push_steps([ScriptedStep::Panic, ScriptedStep::Text("Well.")]);
    let id = client.begin("Think").await;
    assert_eq!(client.end().await.reason, StopReason::Failed);
    client.request("send", json!({ "conversation": id, "text": "Again" })).await;
    assert_eq!(client.end().await.text, "Well.");
}

#[tokio::test]
async fn an_interrupted_turn_is_reported_when_it_is_opened() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    fixture.script.push_steps([ScriptedStep::Text("Well.")]);
    let id = client.begin("Think").await;
    client.end().await;
    let path = client.manager.context.dir.path(&id).unwrap();
    let content = std::fs::read(&path).unwrap();
    zubi_base::fs::write_atomic(&path, &content[..content.len() - 20]).unwrap();
    let opened = client.open(&id).await;
    assert_snapshot!(render_events(&opened.events[opened.events.len() - 2..]), @r#"
    4 answered: Well. (0 calls)
    5 ended Killed: This turn was cut off: the program ended. Until then: iterations 1, calls 0. Some("The program ended while this turn was running. Send a message to continue; the work up to that point is saved.")
    "#);
    // A file that is damaged in the middle is shown up to the damage, and not changed.
    let damaged = [&content[..300], b"\n\n", &content[300..]].concat();
    zubi_base::fs::write_atomic(&path, &damaged).unwrap();
    let opened = client.open(&id).await;
    assert_snapshot!(render_events(&opened.partial_answer), @r#"2 Notice { turn: 1, text: "The file of this conversation is damaged: the next valid event is missing after event 2. zubi shows the events before the damage; the conversation cannot be continued." }"#);
    let refusal = client.refusal("send", json!({ "conversation": id, "text": "Again" })).await;
    assert_snapshot!(refusal, @"the conversation cannot be used: its file is damaged: the next valid event is missing after event 2. Begin a new one; this one is left as it is.");
    assert_eq!(std::fs::read(&path).unwrap(), damaged);
}

#[tokio::test]
async fn manual_calls_are_subject_to_the_policy() {
    let fixture = fixture();
    let mut client = fixture.open_manager();
    let read = client.request("call", json!({ "tool": "file.read", "arguments": { "path": "catalogue.md" } })).await;
    assert!(read["text"].as_str().unwrap().contains("tea") && read["isError"] == false, "{read}");
    let unknown = client.refusal("call", json!({ "tool": "file.raed", "arguments": {} })).await;
    assert_snapshot!(unknown, @"unknown tool `file.raed`: there is no such tool; did you mean `file.read`, `file.write`?");
    let manager = Arc::clone(&client.manager);
    let (tool, arguments) = write("a.txt");
    let call =
        tokio::spawn(
            async move { manager.request("call", json!({ "tool": tool, "arguments": arguments }), "web").await },
        );
    let received = client.wait(|kind| matches!(kind, EventKind::Question { .. })).await;
    assert_eq!(received.conversation, INSPECTOR);
    let EventKind::Question { question, .. } = received.event.kind else { panic!("a question") };
    let allow = json!({ "allow": { "option": 0, "arguments": null } });
    client.request("answer", json!({ "conversation": INSPECTOR, "question": question, "answer": allow })).await;
    assert_eq!(call.await.unwrap().unwrap()["isError"], false);
    assert!(fixture.work.join("a.txt").exists());
    // A client that drops its request withdraws the approval prompt.
    let manager = Arc::clone(&client.manager);
    let call = tokio::spawn(async move {
        manager
            .request("call", json!({ "tool": "file_write", "arguments": { "path": "b.txt", "content": "" } }), "web")
            .await
    });
    client.question().await;
    call.abort();
    client.wait(|kind| matches!(kind, EventKind::Decision { .. })).await;
    assert!(!fixture.work.join("b.txt").exists());
    assert_eq!(
        client.request("conversations", Value::Null).await["conversations"],
        json!([]),
        "manual calls are not stored"
    );
    let tools = client.request("tools", Value::Null).await;
    assert!(tools["tools"].as_array().unwrap().iter().any(|tool| tool["id"] == "file.read"), "{tools}");
}

#[tokio::test]
async fn invalid_requests_are_rejected() {
    let fixture = fixture();
    let client = fixture.open_manager();
    let mut text = String::new();
    let long = "x".repeat(1024 * 1024 + 1);
    for (method, params) in [
        ("dance", json!({})),
        ("hello", json!({ "x": 1 })),
        ("send", Value::Null),
        ("send", json!({ "text": " \n" })),
        ("send", json!({ "text": long })),
        ("send", json!({ "text": "x", "txet": "y" })),
        ("send", json!({ "text": "x", "model": "script/two" })),
        ("send", json!({ "text": "x", "maxIterations": 0 })),
        ("send", json!({ "text": "x", "maxIterations": -1 })),
        ("send", json!({ "text": "x", "schema": { "type": "strin" } })),
        ("send", json!({ "text": "x", "conversation": "../../x" })),
        ("send", json!({ "text": "x", "conversation": "000000000000-0000000000000000" })),
        ("open", json!({ "conversation": 7 })),
        ("open", json!({ "conversation": "inspector" })),
        ("stop", json!({ "conversation": "" })),
        ("conversations", json!({ "query": long })),
        ("conversations", json!({ "limit": -1 })),
        ("conversations", json!([1])),
        ("rename", json!({ "conversation": "x", "title": "\n" })),
        (
            "answer",
            json!({ "conversation": "inspector", "question": "x", "answer": { "allow": { "option": 0, "arguments": null } } }),
        ),
        ("call", json!({ "tool": "file.read" })),
        ("call", json!({ "tool": long, "arguments": {} })),
    ] {
        let refusal = client.refusal(method, params).await;
        writeln!(text, "{method}: {refusal}").unwrap();
    }
    assert_snapshot!(text, @r#"
    dance: there is no method `dance`
    hello: Invalid input: this method has no parameters
    send: Invalid input: missing field `text`
    send: Invalid input: `text` is empty. Describe the task.
    send: Invalid input: `text` has 1048577 bytes, but the limit is 1048576. Shorten it.
    send: Invalid input: unknown field `txet`, expected one of `conversation`, `text`, `model`, `maxIterations`, `tools`, `schema`, `instructions`
    send: no such model. `zubi agent models` shows the available models and what others need.
    send: Invalid input: `maxIterations` is at least 1
    send: Invalid input: invalid value: integer `-1`, expected u64
    send: Invalid input: cannot use the schema of the final answer: "strin" is not valid under any of the schemas listed in the 'anyOf' keyword. Correct the schema and try again.
    send: there is no conversation `../../x`. `zubi agent list` shows which there are.
    send: there is no conversation `000000000000-0000000000000000`. `zubi agent list` shows which there are.
    open: Invalid input: invalid type: integer `7`, expected a string
    open: there is no conversation `inspector`. `zubi agent list` shows which there are.
    stop: there is no conversation ``. `zubi agent list` shows which there are.
    conversations: Invalid input: `query` has 1048577 bytes, but the limit is 1000. Shorten it.
    conversations: Invalid input: invalid value: integer `-1`, expected usize
    conversations: Invalid input: invalid type: integer `1`, expected a string
    rename: Invalid input: `title` is empty
    answer: no question `x` waits for an answer: it was answered, or its turn has ended. Open the conversation again.
    call: Invalid input: missing field `arguments`
    call: Invalid input: `tool` has 1048577 bytes, but the limit is 1000. Shorten it.
    "#);
    assert_eq!(client.request("conversations", Value::Null).await, json!({ "conversations": [], "more": 0 }));
    let info = client.request("hello", json!({})).await;
    assert_eq!((&info["model"], &info["maxIterations"]), (&json!("script/one"), &json!(20)));
    assert_eq!(client.request("models", Value::Null).await["models"][0]["id"], "script/one");
}
