//! Conversion of a prompt to the body of `POST …/chat/completions`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::Prompt;
use crate::message::{AssistantMessage, PromptMessage, ToolCall};

/// The maximum length of a call's id that every server accepts, in bytes (OpenAI's limit).
const MAX_ID_LENGTH: usize = 40;

/// The differences between servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    /// Whether the request may include `stream_options`, for token counts.
    pub(super) stream_options: bool,
    /// Whether the output limit is called `max_completion_tokens`.
    pub(super) completion_tokens: bool,
}

/// Returns the body of the request.
pub(super) fn body(model: &str, provider: &str, prompt: Prompt<'_>, dialect: Dialect) -> Value {
    let mut body = json!({ "model": model, "messages": messages(provider, prompt), "stream": true });
    let mut set =
        |name: &str, value: Value| drop(body.as_object_mut().and_then(|body| body.insert(name.to_owned(), value)));
    if dialect.stream_options {
        set("stream_options", json!({ "include_usage": true }));
    }
    if let Some(max_output) = prompt.max_output {
        set(if dialect.completion_tokens { "max_completion_tokens" } else { "max_tokens" }, json!(max_output));
    }
    if !prompt.tools.is_empty() {
        let tool = |tool: &crate::ToolDefinition| {
            let function = json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
            json!({ "type": "function", "function": function })
        };
        set("tools", prompt.tools.iter().map(tool).collect());
    }
    body
}

fn messages(provider: &str, prompt: Prompt<'_>) -> Vec<Value> {
    let mut messages = Vec::new();
    if !prompt.system.is_empty() {
        messages.push(json!({ "role": "system", "content": prompt.system }));
    }
    let mut ids = WireIds::default();
    let mut user_texts: Vec<&str> = Vec::new();
    for message in prompt.messages {
        if let PromptMessage::User { text } = message {
            user_texts.push(text);
            continue;
        }
        push_user_message(&mut messages, &mut user_texts);
        match message {
            PromptMessage::User { .. } => {}
            PromptMessage::Assistant(answer) => messages.extend(assistant(provider, answer, &mut ids)),
            PromptMessage::Tool(outcome) => {
                messages.push(
                    json!({ "role": "tool", "tool_call_id": ids.wire_id(&outcome.call), "content": outcome.text }),
                );
            }
        }
    }
    push_user_message(&mut messages, &mut user_texts);
    messages
}

/// Merges several messages of the user into one, because templates of many open models require alternating roles.
fn push_user_message(messages: &mut Vec<Value>, user_texts: &mut Vec<&str>) {
    if !user_texts.is_empty() {
        messages.push(json!({ "role": "user", "content": std::mem::take(user_texts).join("\n\n") }));
    }
}

/// Converts an answer. Returns `None` if it has neither text nor calls, because servers refuse such a message.
fn assistant(provider: &str, answer: &AssistantMessage, ids: &mut WireIds) -> Option<Value> {
    if answer.text.is_empty() && answer.calls.is_empty() {
        return None;
    }
    // Null instead of an empty text, which some servers refuse.
    let content = if answer.text.is_empty() { Value::Null } else { Value::String(answer.text.clone()) };
    let mut message = json!({ "role": "assistant", "content": content });
    let fields = message.as_object_mut()?;
    let native = answer.native.as_ref().filter(|native| native.provider == provider);
    if let Some(details) = native.and_then(|native| native.parts.get("reasoning_details")) {
        fields.insert("reasoning_details".to_owned(), details.clone());
    }
    if !answer.calls.is_empty() {
        let extras = native.and_then(|native| native.parts.get("extra_content"));
        let extra = |at: usize| extras.and_then(|extras| extras.get(at)).filter(|extra| !extra.is_null());
        let calls = answer.calls.iter().enumerate().map(|(at, it)| call(it, extra(at), ids));
        fields.insert("tool_calls".to_owned(), calls.collect());
    }
    Some(message)
}

fn call(call: &ToolCall, extra: Option<&Value>, ids: &mut WireIds) -> Value {
    let arguments = match &call.arguments {
        Value::Object(_) => call.arguments.to_string(),
        // Servers parse the arguments that they get back, and fail if these are not an object.
        other => json!({ "invalid_arguments": other }).to_string(),
    };
    let function = json!({ "name": call.tool, "arguments": arguments });
    let mut value = json!({ "id": ids.wire_id(&call.id), "type": "function", "function": function });
    if let (Some(extra), Some(fields)) = (extra, value.as_object_mut()) {
        fields.insert("extra_content".to_owned(), extra.clone());
    }
    value
}

/// Ids in a form that every server accepts. Another provider's ids may be too long, or have characters that this one
/// refuses.
#[derive(Default)]
struct WireIds(BTreeMap<String, String>);

impl WireIds {
    fn wire_id(&mut self, id: &str) -> String {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !id.is_empty() && id.len() <= MAX_ID_LENGTH && id.bytes().all(is_plain) {
            return id.to_owned();
        }
        let next = self.0.len();
        self.0.entry(id.to_owned()).or_insert_with(|| format!("zubi_call_{next}")).clone()
    }
}
