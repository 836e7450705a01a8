//! The editor's models: the test acts as the editor and as its model.

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_models::message::{AssistantMessage, PromptMessage, ToolCall, ToolResult};

use super::agent::{NOTE, collect_turn_events, editor, task};
use super::client::Client;
use crate::models::messages;

/// Answers a request to a model; returns its messages.
fn answer_model_request(client: &mut Client, answer: Value) -> Value {
    let request = client.expect_request("zubi/model/request");
    client.respond(request.id, answer);
    request.params["messages"].clone()
}

/// The messages to the model, one line per part, without the instructions.
fn render_messages(messages: &Value) -> String {
    let mut lines = Vec::new();
    for message in messages.as_array().unwrap().iter().skip(1) {
        for part in message["parts"].as_array().unwrap() {
            lines.push(format!("{} {part}", message["role"].as_str().unwrap()));
        }
    }
    lines.join("\n")
}

#[test]
fn an_editor_model_runs_a_task() {
    let mut client = editor(NOTE);
    let run = task(&mut client, json!({ "task": "What does the note say?" }));
    let request = client.expect_request("zubi/model/request");
    // The default model is preferred to the first one.
    assert_eq!([&request.params["vendor"], &request.params["id"]], ["copilot", "gpt-4o-2024"]);
    assert_snapshot!(render_messages(&request.params["messages"]), @r#"user {"text":"What does the note say?"}"#);
    let tools = request.params["tools"].as_array().unwrap();
    let read_tool = tools.iter().find(|tool| tool["name"] == "file_read").unwrap();
    assert_eq!(read_tool["inputSchema"]["type"], "object");
    let token = request.params["token"].clone();
    client.notify("zubi/model/piece", json!({ "token": token, "thought": "Let me look." }));
    client.notify("zubi/model/piece", json!({ "token": token, "text": "I read it." }));
    // A delta for an unknown request is ignored.
    client.notify("zubi/model/piece", json!({ "token": 99, "text": "lost" }));
    let call = json!({ "id": "c1", "name": "file_read", "input": { "path": "note.txt" } });
    client.respond(request.id, json!({ "text": "I read it.", "thought": "Let me look.", "calls": [call] }));
    let messages = answer_model_request(&mut client, json!({ "text": "It says hello." }));
    assert_snapshot!(render_messages(&messages), @r#"
    user {"text":"What does the note say?"}
    assistant {"text":"I read it."}
    assistant {"call":{"id":"c1","name":"file_read","input":{"path":"note.txt"}}}
    user {"outcome":{"id":"c1","text":"hello\n[disk · sha 5891b5b522d5 · lines 1–1 of 1]"}}
    "#);
    let result = client.answer(&run).unwrap();
    assert_eq!([&result["reason"], &result["text"]], ["completed", "It says hello."]);
}

#[test]
fn models_are_named_by_id_and_with_the_vendor_if_ambiguous() {
    let mut client = editor("");
    let list = client.request("zubi/agent/request", json!({ "method": "models" })).unwrap();
    let models = list["models"].as_array().unwrap().iter();
    let lines: Vec<_> = models.map(|model| format!("{} {} {}", model["id"], model["name"], model["context"])).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    "editor/gpt-4o-2024" "GPT-4O-2024" 64000
    "editor/claude-4" "CLAUDE-4" 64000
    "editor/copilot/twin" "TWIN" 64000
    "editor/other/twin" "TWIN" 64000
    "#);
}

#[test]
fn a_model_is_found_by_family_and_a_missing_one_is_reported() {
    let mut client = editor("");
    for (name, expected) in [
        ("claude", "anthropic claude-4"),
        ("editor/copilot/twin", "copilot twin"),
        ("editor/twin", "copilot twin"),
        ("editor/gpt-4o", "copilot gpt-4o-2024"),
    ] {
        let run = task(&mut client, json!({ "task": "Hi.", "model": name }));
        let request = client.expect_request("zubi/model/request");
        let param = |field: &str| request.params[field].as_str().unwrap().to_owned();
        assert_eq!(format!("{} {}", param("vendor"), param("id")), expected, "{name}");
        client.respond(request.id, json!({ "text": "Hello." }));
        client.answer(&run).unwrap();
    }
    let run = task(&mut client, json!({ "task": "Hi.", "model": "editor/none" }));
    assert_snapshot!(client.answer(&run).unwrap_err()["message"].as_str().unwrap(), @"the editor has no model `none`; it has editor/gpt-4o-2024, editor/claude-4, editor/copilot/twin, editor/other/twin. `zubi agent models` shows the available models and what others need.");
    client.models.clear();
    let run = task(&mut client, json!({ "task": "Hi.", "model": "editor" }));
    assert_snapshot!(client.answer(&run).unwrap_err()["message"].as_str().unwrap(), @"the editor offers no models: install an extension that does, and sign in to it. `zubi agent models` shows the available models and what others need.");
}

/// Retries of temporary errors are tested with the loop.
#[test]
fn a_model_failure_is_reported_with_the_next_step() {
    let mut client = editor("");
    let mut problems = Vec::new();
    for (code, message) in [
        ("NoPermissions", ""),
        ("NotFound", "gone"),
        ("Blocked", "filtered"),
        ("ChatQuotaExceeded", "You have exceeded your premium quota."),
        ("Error", "model_max_prompt_tokens_exceeded"),
    ] {
        let run = task(&mut client, json!({ "task": "Hi." }));
        answer_model_request(&mut client, json!({ "error": { "code": code, "message": message } }));
        let result = client.answer(&run).unwrap();
        assert_eq!(result["reason"], "model");
        problems.push(result["problem"].as_str().unwrap().to_owned());
    }
    assert_snapshot!(problems.join("\n"), @"
    the editor does not allow zubi to use `editor/gpt-4o-2024`. It prompts you when you start a task: send one in the chat view and choose “Allow”, or allow it with the command “Manage Language Model Access”. `zubi agent models` shows the available models and what others need.
    the editor no longer has a model `editor/gpt-4o-2024` (gone). `zubi agent models` shows the available models and what others need.
    the editor blocks zubi from using `editor/gpt-4o-2024` (filtered). Choose another model with --model if this one does not support such a request.
    your quota of `editor/gpt-4o-2024` is used up (You have exceeded your premium quota.). Choose another model with --model if this one does not support such a request.
    the prompt is too long for `editor/gpt-4o-2024` (model_max_prompt_tokens_exceeded). Begin a new conversation, or choose a model with a larger context.
    ");
}

#[test]
fn cancelling_a_task_cancels_its_model_request() {
    let mut client = editor("");
    let run = task(&mut client, json!({ "task": "Hi." }));
    let request = client.expect_request("zubi/model/request");
    client.cancel(&run);
    assert_eq!(client.next_notification("$/cancelRequest"), json!({ "id": request.id }));
    let events = collect_turn_events(&mut client);
    assert_eq!(events.last().unwrap()["reason"], "stopped");
}

#[test]
fn instructions_and_tool_results_become_user_messages() {
    let call = |id: &str, arguments: Value| ToolCall { id: id.to_owned(), tool: "find".to_owned(), arguments };
    let outcome = |call: &str| {
        let (call, tool, text) = (call.to_owned(), "find".to_owned(), format!("found by {call}"));
        PromptMessage::Tool(ToolResult { call, tool, text, is_error: false })
    };
    let user = |text: &str| PromptMessage::User { text: text.to_owned() };
    let calls = vec![call("a", json!({ "name": "x" })), call("b", json!("{broken"))];
    let assistant = |text: &str, calls| {
        PromptMessage::Assistant(AssistantMessage { text: text.to_owned(), calls, ..AssistantMessage::default() })
    };
    let prompt = [
        user("Find it."),
        assistant("", calls),
        outcome("a"),
        outcome("b"),
        user("Also y."),
        assistant("", Vec::new()),
    ];
    let lines: Vec<_> = messages("Be brief.", &prompt).iter().map(|message| json!(message).to_string()).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    {"role":"user","parts":[{"text":"Be brief."}]}
    {"role":"user","parts":[{"text":"Find it."}]}
    {"role":"assistant","parts":[{"call":{"id":"a","name":"find","input":{"name":"x"}}},{"call":{"id":"b","name":"find","input":{}}}]}
    {"role":"user","parts":[{"outcome":{"id":"a","text":"found by a"}},{"outcome":{"id":"b","text":"found by b"}}]}
    {"role":"user","parts":[{"text":"Also y."}]}
    "#);
    assert!(messages("", &[]).is_empty());
}
