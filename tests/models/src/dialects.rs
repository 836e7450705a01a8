//! The responses of each API, from one script: the frames that the real servers send, in their order.

use serde_json::{Value, json};

use super::{Call, MODEL, responses};

/// An API of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    OpenAiChat,
    Responses,
    Anthropic,
    Gemini,
    Ollama,
}

/// An answer of a model, independent of the API.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ScriptedReply {
    pub reasoning: Vec<String>,
    /// The provider's data for the reasoning: a signature, or the encrypted reasoning itself.
    pub signature: Option<String>,
    pub text: Vec<String>,
    pub calls: Vec<Call>,
    /// Tokens of the prompt, tokens of the answer, and the cached tokens of the prompt.
    pub usage: Option<(u64, u64, u64)>,
    pub stop: Stop,
    /// An error at the end of an incomplete answer.
    pub error: Option<String>,
}

/// The reason why a model stops.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stop {
    #[default]
    Finished,
    Length,
    Filtered,
}

impl ScriptedReply {
    /// A text, word by word.
    pub fn text(text: &str) -> Self {
        Self { text: text.split_inclusive(' ').map(str::to_owned).collect(), ..Self::default() }
    }

    /// Adds reasoning before the text.
    pub fn with_reasoning(mut self, text: &str, signature: Option<&str>) -> Self {
        self.reasoning = text.split_inclusive(' ').map(str::to_owned).collect();
        self.signature = signature.map(str::to_owned);
        self
    }

    pub fn call(mut self, tool: &str, arguments: Value) -> Self {
        self.calls.push(Call::new(self.calls.len() + 1, tool, arguments));
        self
    }

    pub fn usage(mut self, input: u64, output: u64, cached: u64) -> Self {
        self.usage = Some((input, output, cached));
        self
    }

    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    pub fn error(mut self, message: &str) -> Self {
        self.error = Some(message.to_owned());
        self
    }
}

impl Dialect {
    pub const ALL: [Self; 5] = [Self::OpenAiChat, Self::Responses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The value of `api` in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::Responses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// The prefix of the API's paths, as on the real servers.
    pub(super) fn base(self) -> &'static str {
        match self {
            Self::OpenAiChat | Self::Responses | Self::Anthropic => "/v1",
            Self::Gemini => "/v1beta",
            Self::Ollama => "",
        }
    }

    /// The path of the API's requests.
    pub(super) fn path(self, model: &str) -> String {
        match self {
            Self::OpenAiChat => "/v1/chat/completions".to_owned(),
            Self::Responses => "/v1/responses".to_owned(),
            Self::Anthropic => "/v1/messages".to_owned(),
            Self::Gemini => format!("/v1beta/models/{model}:streamGenerateContent"),
            Self::Ollama => "/api/chat".to_owned(),
        }
    }

    /// The header with the key, and the prefix of its value.
    pub(super) fn key(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenAiChat | Self::Responses | Self::Ollama => ("authorization", "Bearer "),
            Self::Anthropic => ("x-api-key", ""),
            Self::Gemini => ("x-goog-api-key", ""),
        }
    }

    /// The response with the list of models.
    pub(super) fn models(self, names: &[&str]) -> Value {
        match self {
            Self::OpenAiChat | Self::Responses | Self::Anthropic => {
                let data: Vec<Value> = names.iter().map(|name| json!({ "id": name, "object": "model" })).collect();
                json!({ "object": "list", "data": data })
            }
            Self::Gemini => {
                let model = |name: &&str| {
                    json!({ "name": format!("models/{name}"), "displayName": name, "inputTokenLimit": 1_000_000,
                            "supportedGenerationMethods": ["generateContent"] })
                };
                json!({ "models": names.iter().map(model).collect::<Vec<_>>() })
            }
            Self::Ollama => {
                let models: Vec<Value> = names.iter().map(|name| json!({ "name": name, "model": name })).collect();
                json!({ "models": models })
            }
        }
    }

    /// The body of an error response.
    pub(super) fn failure(self, status: u16, message: &str) -> Value {
        match self {
            Self::OpenAiChat | Self::Responses => {
                json!({ "error": { "message": message, "type": "api_error", "param": null, "code": null } })
            }
            Self::Anthropic => json!({ "type": "error", "error": { "type": "api_error", "message": message } }),
            Self::Gemini => json!({ "error": { "code": status, "message": message, "status": "FAILED" } }),
            Self::Ollama => json!({ "error": message }),
        }
    }

    /// The body of an answer.
    pub fn answer(self, reply: &ScriptedReply) -> String {
        match self {
            Self::OpenAiChat => open_ai_chat(reply),
            Self::Responses => responses::answer(reply),
            Self::Anthropic => anthropic(reply),
            Self::Gemini => gemini(reply),
            Self::Ollama => ollama(reply),
        }
    }
}

/// Splits a text into fragments of a few characters, in which arguments are streamed.
pub(super) fn split_into_fragments(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(5).map(|fragment| fragment.iter().collect()).collect()
}

fn data(frame: &Value) -> String {
    format!("data: {frame}\n\n")
}

fn open_ai_chat(reply: &ScriptedReply) -> String {
    let chunk = |delta: Value, finish: Value| {
        data(&json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL,
                      "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] }))
    };
    let mut body = chunk(json!({ "role": "assistant", "content": "" }), Value::Null);
    for fragment in &reply.reasoning {
        body.push_str(&chunk(json!({ "reasoning_content": fragment }), Value::Null));
    }
    for fragment in &reply.text {
        body.push_str(&chunk(json!({ "content": fragment }), Value::Null));
    }
    for (index, call) in reply.calls.iter().enumerate() {
        let start = json!({ "index": index, "id": call.id, "type": "function",
                             "function": { "name": call.tool, "arguments": "" } });
        body.push_str(&chunk(json!({ "tool_calls": [start] }), Value::Null));
        for fragment in split_into_fragments(&call.arguments.to_string()) {
            let more = json!({ "index": index, "function": { "arguments": fragment } });
            body.push_str(&chunk(json!({ "tool_calls": [more] }), Value::Null));
        }
    }
    if let Some(message) = &reply.error {
        body.push_str(&data(&json!({ "error": { "message": message, "type": "server_error" } })));
        return body;
    }
    let finish = match reply.stop {
        Stop::Finished if reply.calls.is_empty() => "stop",
        Stop::Finished => "tool_calls",
        Stop::Length => "length",
        Stop::Filtered => "content_filter",
    };
    body.push_str(&chunk(json!({}), json!(finish)));
    if let Some((input, output, cached)) = reply.usage {
        body.push_str(&data(&json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [],
            "usage": { "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
                       "prompt_tokens_details": { "cached_tokens": cached } } })));
    }
    body.push_str("data: [DONE]\n\n");
    body
}

fn anthropic(reply: &ScriptedReply) -> String {
    let event = |name: &str, mut frame: Value| {
        frame["type"] = json!(name);
        format!("event: {name}\ndata: {frame}\n\n")
    };
    let (input, output, cached) = reply.usage.unwrap_or_default();
    let usage = json!({ "input_tokens": input.saturating_sub(cached), "cache_read_input_tokens": cached,
                        "cache_creation_input_tokens": 0, "output_tokens": 1 });
    let message = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": [],
                          "stop_reason": null, "usage": usage });
    let mut body = event("message_start", json!({ "message": message }));
    body.push_str(&event("ping", json!({})));
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        let mut frames = event("content_block_start", json!({ "index": index, "content_block": start }));
        for delta in deltas {
            frames.push_str(&event("content_block_delta", json!({ "index": index, "delta": delta })));
        }
        frames.push_str(&event("content_block_stop", json!({ "index": index })));
        index += 1;
        frames
    };
    if !reply.reasoning.is_empty() || reply.signature.is_some() {
        let mut deltas: Vec<Value> =
            reply.reasoning.iter().map(|fragment| json!({ "type": "thinking_delta", "thinking": fragment })).collect();
        for fragment in split_into_fragments(reply.signature.as_deref().unwrap_or_default()) {
            deltas.push(json!({ "type": "signature_delta", "signature": fragment }));
        }
        body.push_str(&block(json!({ "type": "thinking", "thinking": "", "signature": "" }), deltas));
    }
    if !reply.text.is_empty() {
        let deltas = reply.text.iter().map(|fragment| json!({ "type": "text_delta", "text": fragment })).collect();
        body.push_str(&block(json!({ "type": "text", "text": "" }), deltas));
    }
    for call in &reply.calls {
        // A call without arguments has a single empty fragment.
        let arguments = if call.arguments == json!({}) { String::new() } else { call.arguments.to_string() };
        let mut deltas = vec![json!({ "type": "input_json_delta", "partial_json": "" })];
        deltas.extend(
            split_into_fragments(&arguments).iter().map(|it| json!({ "type": "input_json_delta", "partial_json": it })),
        );
        let id = call.id.replace("call", "toolu");
        body.push_str(&block(json!({ "type": "tool_use", "id": id, "name": call.tool, "input": {} }), deltas));
    }
    if let Some(message) = &reply.error {
        body.push_str(&event("error", json!({ "error": { "type": "overloaded_error", "message": message } })));
        return body;
    }
    let stop = match reply.stop {
        Stop::Finished if reply.calls.is_empty() => "end_turn",
        Stop::Finished => "tool_use",
        Stop::Length => "max_tokens",
        Stop::Filtered => "refusal",
    };
    let delta = json!({ "stop_reason": stop, "stop_sequence": null });
    body.push_str(&event("message_delta", json!({ "delta": delta, "usage": { "output_tokens": output } })));
    body.push_str(&event("message_stop", json!({})));
    body
}

fn gemini(reply: &ScriptedReply) -> String {
    // The real server ends its lines this way.
    let frame = |parts: Vec<Value>, more: Value| {
        let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
        if let (Some(candidate), Value::Object(more)) = (candidate.as_object_mut(), more) {
            candidate.extend(more);
        }
        candidate
    };
    let line = |frame: Value| format!("data: {frame}\r\n\r\n");
    let mut body = String::new();
    for fragment in &reply.reasoning {
        let parts = vec![json!({ "text": fragment, "thought": true })];
        body.push_str(&line(json!({ "candidates": [frame(parts, json!({}))], "modelVersion": MODEL })));
    }
    let mut signature = reply.signature.clone();
    let mut signed = |mut part: Value| {
        if let Some(signature) = signature.take() {
            part["thoughtSignature"] = json!(signature);
        }
        part
    };
    for fragment in &reply.text {
        let parts = vec![if reply.calls.is_empty() {
            signed(json!({ "text": fragment }))
        } else {
            json!({ "text": fragment })
        }];
        body.push_str(&line(json!({ "candidates": [frame(parts, json!({}))], "modelVersion": MODEL })));
    }
    if !reply.calls.is_empty() {
        let call = |call: &Call| signed(json!({ "functionCall": { "name": call.tool, "args": call.arguments } }));
        let parts = reply.calls.iter().map(call).collect();
        body.push_str(&line(json!({ "candidates": [frame(parts, json!({}))], "modelVersion": MODEL })));
    }
    if let Some(message) = &reply.error {
        body.push_str(&line(json!({ "error": { "code": 503, "message": message, "status": "UNAVAILABLE" } })));
        return body;
    }
    let finish = match reply.stop {
        Stop::Finished => "STOP",
        Stop::Length => "MAX_TOKENS",
        Stop::Filtered => "SAFETY",
    };
    let (input, output, cached) = reply.usage.unwrap_or_default();
    let usage = json!({ "promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output,
                        "cachedContentTokenCount": cached });
    let last = frame(vec![json!({ "text": "" })], json!({ "finishReason": finish }));
    body.push_str(&line(json!({ "candidates": [last], "usageMetadata": usage, "modelVersion": MODEL })));
    body
}

fn ollama(reply: &ScriptedReply) -> String {
    let line = |message: Value| {
        let frame = json!({ "model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false });
        format!("{frame}\n")
    };
    let mut body = String::new();
    for fragment in &reply.reasoning {
        body.push_str(&line(json!({ "role": "assistant", "content": "", "thinking": fragment })));
    }
    for fragment in &reply.text {
        body.push_str(&line(json!({ "role": "assistant", "content": fragment })));
    }
    for call in &reply.calls {
        let call = json!({ "function": { "name": call.tool, "arguments": call.arguments } });
        body.push_str(&line(json!({ "role": "assistant", "content": "", "tool_calls": [call] })));
    }
    if let Some(message) = &reply.error {
        return format!("{body}{}\n", json!({ "error": message }));
    }
    let reason = match reply.stop {
        Stop::Finished | Stop::Filtered => "stop",
        Stop::Length => "length",
    };
    let (input, output, _) = reply.usage.unwrap_or_default();
    let last = json!({ "model": MODEL, "created_at": "2026-01-01T00:00:00Z", "done": true, "done_reason": reason,
                       "message": { "role": "assistant", "content": "" }, "total_duration": 1,
                       "prompt_eval_count": input, "eval_count": output });
    format!("{body}{last}\n")
}
