//! Conversion of a prompt to the library's types, so that the library's output is valid for each provider.

use genai::adapter::AdapterKind;
use genai::chat::{
    CacheControl, ChatMessage, ChatRequest, ChatRole, ContentPart, MessageContent, MessageOptions, Tool, ToolCall,
    ToolResponse,
};
use serde_json::{Value, json};

use crate::message::{AssistantMessage, PromptMessage, ToolResult};
use crate::{Prompt, ToolDefinition};

/// Returns the request. `provider` and `model` decide which provider-specific parts of earlier answers are sent back.
pub(super) fn chat_request(kind: AdapterKind, provider: &str, model: &str, prompt: Prompt<'_>) -> ChatRequest {
    let mut messages: Vec<ChatMessage> = Vec::new();
    for message in prompt.messages {
        match message {
            PromptMessage::User { text } if text.trim().is_empty() => {}
            PromptMessage::User { text } => {
                push(kind, &mut messages, ChatRole::User, vec![ContentPart::from_text(text)]);
            }
            PromptMessage::Assistant(answer) => {
                let parts = assistant(kind, provider, model, answer);
                push(kind, &mut messages, ChatRole::Assistant, parts);
            }
            PromptMessage::Tool(outcome) => {
                push(kind, &mut messages, ChatRole::Tool, vec![convert_result(kind, outcome)]);
            }
        }
    }
    if kind == AdapterKind::Anthropic
        && let Some(last) = messages.last_mut()
    {
        // The provider caches everything up to here until the next request, which begins with the same messages.
        last.options = Some(MessageOptions::default().with_cache_control(CacheControl::Ephemeral));
    }
    let mut request = ChatRequest::new(messages);
    if !prompt.system.trim().is_empty() {
        request = request.with_system(prompt.system);
    }
    if !prompt.tools.is_empty() {
        request = request.with_tools(prompt.tools.iter().map(|definition| tool(kind, definition)).collect::<Vec<_>>());
    }
    request
}

fn tool(kind: AdapterKind, definition: &ToolDefinition) -> Tool {
    let tool = Tool::new(definition.name.as_str())
        .with_description(&definition.description)
        .with_schema(definition.schema.clone());
    // Otherwise OpenAI would make every parameter required.
    if kind == AdapterKind::OpenAIResp { tool.with_strict(false) } else { tool }
}

/// Adds a message, or appends its parts to the previous one if they must be one message.
fn push(kind: AdapterKind, messages: &mut Vec<ChatMessage>, role: ChatRole, parts: Vec<ContentPart>) {
    if parts.is_empty() {
        return;
    }
    if let Some(last) = messages.last_mut() {
        let is_joined = match (&last.role, &role) {
            // All results of the calls of one answer.
            (ChatRole::Tool, ChatRole::Tool) => true,
            // Anthropic has no role for tools: messages after tool results belong to the same turn.
            (ChatRole::User | ChatRole::Tool, ChatRole::User) => kind == AdapterKind::Anthropic,
            _ => false,
        };
        if is_joined {
            last.role = role;
            last.content.extend(parts);
            return;
        }
    }
    messages.push(ChatMessage::new(role, MessageContent::from_parts(parts)));
}

/// Converts the result of a call. Only Anthropic has a field for errors.
fn convert_result(kind: AdapterKind, outcome: &ToolResult) -> ContentPart {
    let call = id(kind, &outcome.call);
    if kind == AdapterKind::Anthropic && outcome.is_error {
        let result = json!({ "type": "tool_result", "tool_use_id": call, "content": outcome.text, "is_error": true });
        return ContentPart::from_custom(result, None);
    }
    ContentPart::ToolResponse(ToolResponse::new(call, &outcome.text).with_fn_name(&outcome.tool))
}

/// Converts the model's answer: first the data that only the model understands, then its text, then its calls. No part
/// is empty.
fn assistant(kind: AdapterKind, provider: &str, model: &str, message: &AssistantMessage) -> Vec<ContentPart> {
    let native = message.native.as_ref().filter(|native| native.provider == provider);
    let native = native.map(|native| &native.parts).filter(|parts| parts["model"] == model);
    let list = |name: &str| native.and_then(|parts| parts.get(name)?.as_array()).map(Vec::as_slice).unwrap_or_default();
    let mut parts = Vec::new();
    match kind {
        AdapterKind::Anthropic => {
            parts.extend(list("thinking").iter().map(|block| ContentPart::from_custom(block.clone(), None)));
        }
        AdapterKind::OpenAIResp | AdapterKind::Gemini => {
            let signatures = list("signatures").iter().filter_map(Value::as_str);
            parts.extend(signatures.map(|signature| ContentPart::ThoughtSignature(signature.to_owned())));
        }
        _ => {}
    }
    let reasoning_parts = parts.len();
    if !message.text.trim().is_empty() {
        parts.push(ContentPart::from_text(&message.text));
    }
    let signatures = list("calls");
    for (at, call) in message.calls.iter().enumerate() {
        let signature = signatures.get(at).and_then(Value::as_str).map(str::to_owned);
        // Arguments that are not an object are wrapped in one, so that the model sees its own text.
        let arguments = match &call.arguments {
            Value::Object(_) => call.arguments.clone(),
            other => json!({ "invalid": other }),
        };
        parts.push(ContentPart::ToolCall(ToolCall {
            call_id: id(kind, &call.id),
            fn_name: call.tool.clone(),
            fn_arguments: arguments,
            thought_signatures: signature.map(|signature| vec![signature]),
        }));
    }
    // Reasoning alone does not make a message.
    if parts.len() == reasoning_parts { Vec::new() } else { parts }
}

/// Returns the id of a call in a form that the provider accepts; the id may be another provider's. The mapping is
/// stable.
fn id(kind: AdapterKind, id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let max_length = 64;
    if kind == AdapterKind::Gemini || (id.len() <= max_length && !id.is_empty() && id.bytes().all(is_plain)) {
        return id.to_owned();
    }
    // Distinct ids stay distinct.
    let hex = zubi_base::text::hex(id.as_bytes());
    let end = hex.len().saturating_sub(max_length - 5);
    format!("call_{}", hex.get(end..).unwrap_or_default())
}
