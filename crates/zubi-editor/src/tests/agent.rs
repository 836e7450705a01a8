//! Conversations over the channel, with the real conversation manager and loop: the test acts as the editor, the chat
//! page and the model.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use insta::assert_snapshot;
use lsp_server::RequestId;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use zubi_agent::chat::{ChatError, ChatService};
use zubi_agent::event::{AgentEvent, EventKind};
use zubi_agent::wire::ConversationEvent;
use zubi_base::trust::TrustStore;

use super::approvals::TOOLS;
use super::client::{Client, local};
use super::folders::change;

pub(super) const NOTE: &str = "//- note.txt\nhello\n";

/// A chat service that has lost events, and whose conversations cannot be opened.
struct Full(Arc<dyn ChatService>);

#[async_trait]
impl ChatService for Full {
    async fn request(&self, method: &str, params: Value, surface: &str) -> Result<Value, ChatError> {
        if method == "open" {
            return Err(ChatError::Failed("the disk is full. Make room.".to_owned()));
        }
        self.0.request(method, params, surface).await
    }

    fn listen(&self) -> broadcast::Receiver<Arc<ConversationEvent>> {
        let (sender, lags) = broadcast::channel(1);
        for _ in 0..2 {
            let event = AgentEvent { seq: 1, at: 0, kind: EventKind::Notice { turn: 1, text: String::new() } };
            drop(sender.send(Arc::new(ConversationEvent { conversation: "another".to_owned(), event })));
        }
        lags
    }

    async fn shutdown(&self) {
        self.0.shutdown().await;
    }
}

#[test]
fn a_task_ends_if_its_events_cannot_be_read() {
    let options = json!({ "editorProtocol": 1, "editorMethods": ["zubi/model/list", "zubi/model/request"] });
    let mut client = Client::with_chat(&json!({ "zubi": options }), |service| Arc::new(Full(service)));
    client.models = models();
    let run = task(&mut client, json!({ "task": "Wait." }));
    let error = client.answer(&run).unwrap_err();
    assert_snapshot!(error["message"].as_str().unwrap(), @"the disk is full. Make room.");
    while request_agent(&mut client, "conversations", &json!({})).unwrap()["conversations"][0]["state"] != "idle" {}
}

/// An editor that offers models, receives conversation events and shows dialogs.
pub(super) fn editor(fixture: &str) -> Client {
    editor_with(fixture, &json!({}))
}

fn editor_with(fixture: &str, overrides: &Value) -> Client {
    let methods = [
        "zubi/editor/applyEdit",
        "zubi/editor/command",
        "zubi/approval/request",
        "zubi/agent/told",
        "zubi/model/list",
        "zubi/model/request",
    ];
    let mut options = json!({ "editorProtocol": 1, "editorMethods": methods });
    options.as_object_mut().unwrap().extend(overrides.as_object().unwrap().clone());
    let mut client = Client::with_host(&json!({ "zubi": options }), fixture, move |spec, state| {
        if let Some(folder) = spec.folders.first() {
            let file = folder.join(".vscode/agent-tools.json");
            let files: Vec<_> = file.exists().then_some(file).into_iter().collect();
            TrustStore::new(&state).trust(folder, &files, Duration::ZERO).unwrap();
        }
        Ok(Arc::new(local(&spec, state)?))
    });
    client.models = models();
    client
}

/// Models of the editor.
fn models() -> Vec<Value> {
    let model = |vendor: &str, id: &str, family: &str| json!({ "id": id, "vendor": vendor, "family": family, "name": id.to_uppercase(), "maxInputTokens": 64_000 });
    vec![
        model("anthropic", "claude-4", "claude"),
        model("copilot", "gpt-4o-2024", "gpt-4o"),
        model("copilot", "twin", "twins"),
        model("other", "twin", "twins"),
    ]
}

/// Starts a task of an extension.
pub(super) fn task(client: &mut Client, params: Value) -> RequestId {
    client.begin("zubi/agent/run", params)
}

/// Conversation events up to the end of a turn.
pub(super) fn collect_turn_events(client: &mut Client) -> Vec<Value> {
    let mut events = Vec::new();
    loop {
        let batch = client.expect_request("zubi/agent/told");
        client.respond(batch.id, Value::Null);
        events.extend(batch.params["told"].as_array().unwrap().iter().map(|entry| entry["event"].clone()));
        if events.last().is_some_and(|event| event["type"] == "ended") {
            return events;
        }
    }
}

fn request_agent(client: &mut Client, method: &str, params: &Value) -> Result<Value, Value> {
    client.request("zubi/agent/request", json!({ "method": method, "params": params }))
}

/// A page sends a message, and the model answers.
fn run_turn(client: &mut Client, text: &str, answer: Value) -> Value {
    let sent = client.begin("zubi/agent/request", json!({ "method": "send", "params": { "text": text } }));
    let sent = client.answer(&sent).unwrap();
    let request = client.expect_request("zubi/model/request");
    client.respond(request.id, answer);
    sent
}

fn calls(name: &str, input: &Value) -> Value {
    json!({ "calls": [{ "id": "c1", "name": name, "input": input }] })
}

#[test]
fn a_page_sends_requests_and_receives_events_in_order() {
    let mut client = editor_with(NOTE, &json!({ "maxIterations": 3, "model": "claude" }));
    let settings = request_agent(&mut client, "hello", &Value::Null).unwrap();
    assert_eq!([&settings["model"], &settings["maxIterations"]], [&json!("claude"), &json!(3)]);
    let first = client.expect_request("zubi/agent/told");
    assert_eq!(first.params, json!({ "isFresh": true, "told": [] }));
    client.respond(first.id, Value::Null);
    let sent = run_turn(&mut client, "Hi.", json!({ "text": "Hello." }));
    let events = collect_turn_events(&mut client);
    let types: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_snapshot!(types.join(" "), @"began asked iteration answered ended");
    let conversation_ref = json!({ "conversation": sent["conversation"] });
    let opened = request_agent(&mut client, "open", &conversation_ref).unwrap();
    assert_eq!(opened["summary"]["title"], "Hi.");
    // The conversation manager decides which methods a page may call.
    for (method, params) in
        [("rm", json!({})), ("send", json!({ "text": 1 })), ("open", json!({ "conversation": "no" }))]
    {
        let error = request_agent(&mut client, method, &params).unwrap_err();
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
    }
}

#[test]
fn events_are_sent_after_the_first_request_and_in_batches() {
    let mut client = editor("");
    client.request("zubi/tools/list", Value::Null).unwrap();
    request_agent(&mut client, "hello", &Value::Null).unwrap();
    let first = client.expect_request("zubi/agent/told");
    // The editor does not respond, and the turn continues.
    run_turn(&mut client, "Hi.", json!({ "text": "Hello." }));
    let list = loop {
        let list = request_agent(&mut client, "conversations", &json!({})).unwrap();
        if list["conversations"][0]["state"] == "idle" {
            break list;
        }
    };
    assert_eq!(list["conversations"][0]["turns"], 1);
    client.respond(first.id, Value::Null);
    let batch = client.expect_request("zubi/agent/told");
    let events = batch.params["told"].as_array().unwrap();
    assert_eq!([&events[0]["event"]["type"], &events[events.len() - 1]["event"]["type"]], ["began", "ended"]);
    client.respond(batch.id, Value::Null);
}

#[test]
fn an_approval_for_the_page_waits_in_the_chat() {
    let mut client = editor(TOOLS);
    let sent = run_turn(&mut client, "Save.", calls("workspace_save", &json!({})));
    let (waiting, question) = loop {
        let batch = client.expect_request("zubi/agent/told");
        client.respond(batch.id, Value::Null);
        let event = |entry: &Value| (entry["event"]["type"] == "question").then(|| entry["event"]["question"].clone());
        if let Some(question) = batch.params["told"].as_array().unwrap().iter().find_map(event) {
            break (batch.params["waits"].clone(), question);
        }
    };
    assert_eq!(waiting["conversation"], sent["conversation"]);
    assert_snapshot!(waiting["text"].as_str().unwrap(), @"workspace.save wants to run: it runs something whose effect cannot be known");
    let answer = json!({ "conversation": sent["conversation"], "question": question, "answer": { "allow": { "option": 0, "arguments": null } } });
    request_agent(&mut client, "answer", &answer).unwrap();
    let command = client.expect_request("zubi/editor/command");
    client.respond(command.id, json!(true));
    let request = client.expect_request("zubi/model/request");
    client.respond(request.id, json!({ "text": "Saved." }));
    let events = collect_turn_events(&mut client);
    assert_eq!(events.iter().find(|event| event["type"] == "decision").unwrap()["by"], "editor");
    assert_eq!(events.last().unwrap()["reason"], "completed");
}

#[test]
fn an_approval_for_an_extension_task_is_a_dialog() {
    let mut client = editor(TOOLS);
    for (choice, outcome) in [(json!(0), "true"), (Value::Null, "denied it")] {
        let run = task(&mut client, json!({ "task": "Save.", "tools": ["workspace.*"] }));
        let request = client.expect_request("zubi/model/request");
        let tool_names: Vec<_> =
            request.params["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
        assert!(tool_names.iter().all(|name| name.as_str().unwrap().starts_with("workspace_")), "{tool_names:?}");
        client.respond(request.id, calls("workspace_save", &json!({})));
        let dialog = client.expect_request("zubi/approval/request");
        assert!(dialog.params["title"].as_str().unwrap().starts_with("workspace.save wants to run"));
        client.respond(dialog.id, json!({ "choice": choice }));
        if !choice.is_null() {
            let command = client.expect_request("zubi/editor/command");
            client.respond(command.id, json!(true));
        }
        let request = client.expect_request("zubi/model/request");
        let message = request.params["messages"].as_array().unwrap().last().unwrap().to_string();
        assert!(message.contains(outcome), "{message}");
        client.respond(request.id, json!({ "text": "Done." }));
        assert_eq!(client.answer(&run).unwrap()["text"], "Done.");
        let batches = collect_turn_batches(&mut client);
        assert!(batches.iter().all(|params| params.get("waits").is_none()), "{batches:?}");
    }
}

#[test]
fn a_slow_editor_is_notified_of_lost_events() {
    let mut client = editor("");
    request_agent(&mut client, "hello", &Value::Null).unwrap();
    let first = client.expect_request("zubi/agent/told");
    let send = client.begin("zubi/agent/request", json!({ "method": "send", "params": { "text": "Hi." } }));
    let sent = client.answer(&send).unwrap();
    let request = client.expect_request("zubi/model/request");
    for _ in 0..6_000 {
        client.notify("zubi/model/piece", json!({ "token": request.params["token"], "text": "a" }));
    }
    client.respond(request.id, json!({ "text": "a".repeat(6_000) }));
    while request_agent(&mut client, "conversations", &json!({})).unwrap()["conversations"][0]["state"] != "idle" {}
    client.respond(first.id, Value::Null);
    let batch = client.expect_request("zubi/agent/told");
    assert_eq!(batch.params["isFresh"], true);
    client.respond(batch.id, Value::Null);
    collect_turn_events(&mut client);
    let opened = request_agent(&mut client, "open", &json!({ "conversation": sent["conversation"] })).unwrap();
    let answered = opened["events"].as_array().unwrap().iter().find(|event| event["type"] == "answered").unwrap();
    assert_eq!(answered["said"]["text"].as_str().unwrap().len(), 6_000);
}

/// Params of all event notifications up to the end of a turn.
fn collect_turn_batches(client: &mut Client) -> Vec<Value> {
    let mut batches = Vec::new();
    loop {
        let batch = client.expect_request("zubi/agent/told");
        client.respond(batch.id, Value::Null);
        let is_over = batch.params["told"].as_array().unwrap().iter().any(|entry| entry["event"]["type"] == "ended");
        batches.push(batch.params);
        if is_over {
            return batches;
        }
    }
}

#[test]
fn concurrent_tasks_have_separate_settings() {
    let mut client = editor("");
    let first = task(&mut client, json!({ "task": "One.", "instructions": "Speak Latin." }));
    let first_request = client.expect_request("zubi/model/request");
    let second = task(&mut client, json!({ "task": "Two.", "maxIterations": 1 }));
    let second_request = client.expect_request("zubi/model/request");
    let instructions = |params: &Value| params["messages"][0]["parts"][0]["text"].as_str().unwrap().to_owned();
    assert!(instructions(&first_request.params).starts_with("Speak Latin."));
    assert!(!instructions(&second_request.params).contains("Speak Latin."));
    client.respond(second_request.id, json!({ "text": "Second." }));
    client.respond(first_request.id, json!({ "text": "First." }));
    assert_eq!(client.answer(&first).unwrap()["text"], "First.");
    assert_eq!(client.answer(&second).unwrap()["text"], "Second.");
    let error = client.request("zubi/agent/run", json!({ "task": "x", "autoApprove": true })).unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("autoApprove"), "{error}");
}

#[test]
fn new_folders_stop_running_tasks_and_have_new_conversations() {
    let mut client = editor("//- one/a.txt\n1\n//- two/b.txt\n2\n");
    request_agent(&mut client, "hello", &Value::Null).unwrap();
    let run = task(&mut client, json!({ "task": "Wait." }));
    client.expect_request("zubi/model/request");
    change(&mut client, &["two"], &[""]);
    assert_eq!(client.answer(&run).unwrap()["reason"], "stopped");
    // Once for the first folder, once for the second.
    let mut fresh = 0;
    while fresh < 2 {
        let batch = client.expect_request("zubi/agent/told");
        client.respond(batch.id, Value::Null);
        fresh += usize::from(batch.params["isFresh"] == true);
    }
    let settings = request_agent(&mut client, "hello", &Value::Null).unwrap();
    assert!(settings["folders"][0].as_str().unwrap().ends_with("/two"), "{settings}");
}
