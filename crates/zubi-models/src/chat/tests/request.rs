//! Bodies of requests.

use insta::assert_snapshot;
use serde_json::json;

use crate::chat::request::{Dialect, body};
use crate::message::{AssistantMessage, PromptMessage, ProviderMetadata, ToolCall, ToolResult};
use crate::{Prompt, ToolDefinition};

const DEFAULT_DIALECT: Dialect = Dialect { stream_options: true, completion_tokens: false };

fn check(system: &str, messages: &[PromptMessage], tools: &[ToolDefinition], dialect: Dialect) -> String {
    let prompt = Prompt { system, messages, tools, max_output: Some(100) };
    let body = body("m", "it", prompt, dialect);
    let mut lines = Vec::new();
    for (name, value) in body.as_object().unwrap() {
        match value.as_array() {
            Some(values) => lines.extend(values.iter().map(|value| format!("{name}: {value}"))),
            None => lines.push(format!("{name}: {value}")),
        }
    }
    lines.join("\n")
}

fn user(text: &str) -> PromptMessage {
    PromptMessage::User { text: text.to_owned() }
}

fn outcome(call: &str, text: &str) -> PromptMessage {
    PromptMessage::Tool(ToolResult {
        call: call.to_owned(),
        tool: "read".to_owned(),
        text: text.to_owned(),
        is_error: false,
    })
}

fn call(id: &str, arguments: serde_json::Value) -> ToolCall {
    ToolCall { id: id.to_owned(), tool: "read".to_owned(), arguments }
}

#[test]
fn conversation_body() {
    let message = AssistantMessage {
        text: "Look:".to_owned(),
        reasoning: "never sent back".to_owned(),
        calls: vec![call("call_1", json!({"a": 1})), call(&"long".repeat(20), json!("{broken"))],
        native: None,
    };
    let messages = [
        user("a"),
        user("b"),
        PromptMessage::Assistant(message),
        outcome("call_1", "one"),
        outcome(&"long".repeat(20), "two"),
        PromptMessage::Assistant(AssistantMessage::default()),
        user("c"),
    ];
    let tools = [ToolDefinition {
        name: "read".to_owned(),
        description: "Reads.".to_owned(),
        schema: json!({"type": "object"}),
    }];
    assert_snapshot!(check("Be good.", &messages, &tools, DEFAULT_DIALECT), @r#"
    model: "m"
    messages: {"role":"system","content":"Be good."}
    messages: {"role":"user","content":"a\n\nb"}
    messages: {"role":"assistant","content":"Look:","tool_calls":[{"id":"call_1","type":"function","function":{"name":"read","arguments":"{\"a\":1}"}},{"id":"zubi_call_0","type":"function","function":{"name":"read","arguments":"{\"invalid_arguments\":\"{broken\"}"}}]}
    messages: {"role":"tool","tool_call_id":"call_1","content":"one"}
    messages: {"role":"tool","tool_call_id":"zubi_call_0","content":"two"}
    messages: {"role":"user","content":"c"}
    stream: true
    stream_options: {"include_usage":true}
    max_tokens: 100
    tools: {"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object"}}}
    "#);
}

#[test]
fn dialect_options() {
    let dialect = Dialect { stream_options: false, completion_tokens: true };
    assert_snapshot!(check("", &[user("a")], &[], dialect), @r#"
    model: "m"
    messages: {"role":"user","content":"a"}
    stream: true
    max_completion_tokens: 100
    "#);
}

/// A provider gets its own data back; another provider does not.
#[test]
fn native_parts_are_sent_only_to_their_provider() {
    let assistant_message = |provider: &str| {
        let parts =
            json!({"reasoning_details": [{"text": "a"}], "extra_content": [{"google": {"thought_signature": "t"}}]});
        let native = Some(ProviderMetadata { provider: provider.to_owned(), parts });
        PromptMessage::Assistant(AssistantMessage {
            calls: vec![call("c", json!({}))],
            native,
            ..AssistantMessage::default()
        })
    };
    assert_snapshot!(check("", &[assistant_message("it"), outcome("c", "x")], &[], DEFAULT_DIALECT), @r#"
    model: "m"
    messages: {"role":"assistant","content":null,"reasoning_details":[{"text":"a"}],"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"t"}}}]}
    messages: {"role":"tool","tool_call_id":"c","content":"x"}
    stream: true
    stream_options: {"include_usage":true}
    max_tokens: 100
    "#);
    assert_snapshot!(check("", &[assistant_message("other"), outcome("c", "x")], &[], DEFAULT_DIALECT), @r#"
    model: "m"
    messages: {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}]}
    messages: {"role":"tool","tool_call_id":"c","content":"x"}
    stream: true
    stream_options: {"include_usage":true}
    max_tokens: 100
    "#);
}
