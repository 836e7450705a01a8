//! Ollama's own API, used without the library, which cannot set the context size: without that, Ollama silently
//! truncates the beginning of a prompt to a few thousand tokens, and the beginning has the instructions.
//!
//! An answer is a sequence of JSON lines. It is complete when a line marks the end.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, Response};
use serde_json::{Map, Value, json};

use super::failure;
use crate::ids::Ids;
use crate::message::{AssistantMessage, PromptMessage, TokenUsage, ToolCall};
use crate::provider::ProviderConfig;
use crate::{
    AnswerDelta, ErrorKind, FinishReason, LanguageModel, ModelAnswer, ModelError, ModelInfo, OnDelta, Prompt, errors,
    http, json as tolerant,
};

/// The default context size in tokens: enough for the tools and some files, and most machines have the memory for it.
const DEFAULT_CONTEXT: u64 = 32_768;
/// The time-out for the description of a model.
const SHOW_TIMEOUT: Duration = Duration::from_secs(5);
/// The maximum size of a line, and of one answer, in bytes.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// The maximum number of calls in one answer.
const MAX_CALLS: usize = 128;
/// The maximum size of a model's description, in bytes: it includes the texts of licences.
const MAX_DESCRIPTION_BYTES: usize = 4 * 1024 * 1024;

/// One model.
pub(super) struct Ollama {
    pub(super) info: ModelInfo,
    pub(super) name: String,
    pub(super) config: Arc<ProviderConfig>,
    pub(super) client: Client,
}

/// Returns the context size in tokens: the user's setting, else the model's maximum, limited to the default.
pub(super) async fn context(config: &ProviderConfig, client: &Client, name: &str) -> u64 {
    if let Some(context) = config.context {
        return context;
    }
    let show_request = client.post(config.address("api/show")).json(&json!({ "model": name }));
    let request = http::text(config, show_request, MAX_DESCRIPTION_BYTES);
    let description = tokio::time::timeout(SHOW_TIMEOUT, request).await.ok().and_then(Result::ok);
    let description = description.and_then(|body| tolerant::parse(&body).ok());
    let context_length = |info: &Map<String, Value>| {
        info.iter().find(|(name, _)| name.ends_with(".context_length")).and_then(|(_, value)| value.as_u64())
    };
    let maximum = description
        .as_ref()
        .and_then(|description| description.get("model_info")?.as_object())
        .and_then(context_length);
    maximum.filter(|maximum| *maximum > 0).map_or(DEFAULT_CONTEXT, |maximum| maximum.min(DEFAULT_CONTEXT))
}

#[async_trait]
impl LanguageModel for Ollama {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn answer(&self, prompt: Prompt<'_>, on_delta: OnDelta<'_>) -> Result<ModelAnswer, ModelError> {
        let config = &self.config;
        let body = chat_body(&self.name, self.info.context, prompt);
        let request = self.client.post(config.address("api/chat")).headers(config.headers_with_key()?).json(&body);
        let response =
            http::with_timeout(config, request.send()).await?.map_err(|error| http::send_error(config, &error))?;
        if !response.status().is_success() {
            return Err(http::refusal(config, response).await);
        }
        let mut reader = OllamaReader::new(config, Ids::from_messages(prompt.messages));
        lines(config, response, &mut |line| reader.read_line(line, on_delta)).await?;
        reader.finish()
    }
}

/// Calls `on_line` for each line, with or without a line end, until it returns true. The buffer is bounded.
async fn lines(
    config: &ProviderConfig,
    mut response: Response,
    on_line: &mut (dyn FnMut(&[u8]) -> Result<bool, ModelError> + Send),
) -> Result<(), ModelError> {
    let (mut buffer, mut read, mut lines) = (Vec::new(), 0, 0);
    let mut timeouts = http::ResponseTimeouts::new(config);
    while let Some(bytes) = timeouts.chunk(&mut response).await? {
        read += bytes.len();
        if read > MAX_ANSWER_BYTES {
            return Err(failure::malformed_error(
                config,
                &format!("more than {} MiB in one answer", MAX_ANSWER_BYTES / 1024 / 1024),
            ));
        }
        let mut rest = &bytes[..];
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, following) = rest.split_at(end);
            buffer.extend_from_slice(line);
            rest = following.get(1..).unwrap_or_default();
            lines += u64::from(!buffer.trim_ascii().is_empty());
            if on_line(&std::mem::take(&mut buffer))? {
                return Ok(());
            }
        }
        timeouts.on_progress(lines);
        buffer.extend_from_slice(rest);
    }
    on_line(&buffer).map(drop)
}

/// The part of an answer that has arrived.
struct OllamaReader<'a> {
    config: &'a ProviderConfig,
    ids: Ids,
    message: AssistantMessage,
    usage: TokenUsage,
    /// The reason why the model stopped; `None` until then.
    stop: Option<FinishReason>,
    lines: u64,
}

impl<'a> OllamaReader<'a> {
    fn new(config: &'a ProviderConfig, ids: Ids) -> Self {
        Self { config, ids, message: AssistantMessage::default(), usage: TokenUsage::default(), stop: None, lines: 0 }
    }

    /// Processes the next line. Returns whether it is the last.
    fn read_line(&mut self, line: &[u8], on_delta: OnDelta<'_>) -> Result<bool, ModelError> {
        let Ok(line) = std::str::from_utf8(line) else {
            return Err(failure::malformed_error(self.config, "bytes that are not text"));
        };
        if line.trim().is_empty() {
            return Ok(false);
        }
        let frame = match serde_json::from_str(line)
            .or_else(|error| if error.is_eof() { Err(error) } else { tolerant::parse(line) })
        {
            Ok(frame @ Value::Object(_)) => frame,
            // Half a line is the end of a truncated answer.
            Err(error) if error.is_eof() && line.trim_start().starts_with('{') => return Err(self.truncated_error()),
            _ => {
                let redactor = self.config.redactor();
                let description = errors::page_title(line).unwrap_or_else(|| errors::sanitize_words(line, &redactor));
                return Err(failure::malformed_error(self.config, &description));
            }
        };
        self.lines += 1;
        if frame.get("error").is_some_and(|error| error.is_string() || error.is_object()) {
            return Err(errors::in_stream(&self.config.provider, &frame, &self.config.redactor()));
        }
        let text = |pointer: &str| frame.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(reasoning) = text("/message/thinking") {
            self.message.reasoning.push_str(reasoning);
            on_delta(AnswerDelta::Reasoning(reasoning.to_owned()));
        }
        if let Some(content) = text("/message/content") {
            self.message.text.push_str(content);
            on_delta(AnswerDelta::Text(content.to_owned()));
        }
        for call in frame.pointer("/message/tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.call(call)?;
        }
        if frame["done"] != true {
            return Ok(false);
        }
        let count = |name: &str| frame.get(name).and_then(Value::as_u64).unwrap_or(0);
        let (input, output) = (count("prompt_eval_count"), count("eval_count"));
        self.usage = TokenUsage { input, output, cached: count("prompt_eval_cached_count") };
        self.stop = Some(if frame["done_reason"] == "length" { FinishReason::Length } else { FinishReason::Finished });
        Ok(true)
    }

    /// Adds a call; it arrives whole, in older versions without an id.
    fn call(&mut self, call: &Value) -> Result<(), ModelError> {
        if self.message.calls.len() >= MAX_CALLS {
            return Err(failure::malformed_error(self.config, &format!("more than {MAX_CALLS} calls in one answer")));
        }
        let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let arguments = match call.pointer("/function/arguments") {
            None | Some(Value::Null) => Value::Object(Map::new()),
            Some(Value::Object(object)) => Value::Object(object.clone()),
            Some(Value::String(text)) => tolerant::arguments(text).map_or_else(|| json!(text), Value::Object),
            Some(other) => Value::String(other.to_string()),
        };
        self.message.calls.push(ToolCall {
            id: self.ids.ensure_unique(text("/id")),
            tool: text("/function/name").to_owned(),
            arguments,
        });
        Ok(())
    }

    fn finish(self) -> Result<ModelAnswer, ModelError> {
        match self.stop {
            Some(stop) => Ok(ModelAnswer { message: self.message, usage: self.usage, stop }),
            None => Err(self.truncated_error()),
        }
    }

    fn truncated_error(&self) -> ModelError {
        if self.lines == 0 {
            return ModelError::new(ErrorKind::Malformed, format!("{} sent no answer", self.config.provider));
        }
        let why = format!("the answer of {} broke off before its end", self.config.provider);
        ModelError::new(ErrorKind::BrokenOff, why)
    }
}

/// Returns the body of the request.
fn chat_body(name: &str, context: Option<u64>, prompt: Prompt<'_>) -> Value {
    let mut messages = Vec::new();
    if !prompt.system.trim().is_empty() {
        messages.push(json!({ "role": "system", "content": prompt.system }));
    }
    for message in prompt.messages {
        match message {
            PromptMessage::User { text } if text.trim().is_empty() => {}
            PromptMessage::User { text } => messages.push(json!({ "role": "user", "content": text })),
            PromptMessage::Assistant(answer) if answer.text.trim().is_empty() && answer.calls.is_empty() => {}
            PromptMessage::Assistant(answer) => {
                let mut message = json!({ "role": "assistant", "content": answer.text });
                if !answer.calls.is_empty() {
                    message["tool_calls"] = answer.calls.iter().map(call).collect();
                }
                messages.push(message);
            }
            PromptMessage::Tool(outcome) => {
                messages.push(json!({ "role": "tool", "tool_name": outcome.tool, "content": outcome.text }));
            }
        }
    }
    let mut options = json!({});
    if let Some(context) = context {
        options["num_ctx"] = json!(context);
    }
    if let Some(max_output) = prompt.max_output {
        options["num_predict"] = json!(max_output);
    }
    let mut body = json!({ "model": name, "messages": messages, "stream": true, "options": options });
    if !prompt.tools.is_empty() {
        let tool = |tool: &crate::ToolDefinition| {
            let function = json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
            json!({ "type": "function", "function": function })
        };
        body["tools"] = prompt.tools.iter().map(tool).collect();
    }
    body
}

/// Converts a call. Wraps arguments that are not an object in one, so that the model sees its own text.
fn call(call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        Value::Object(_) => call.arguments.clone(),
        other => json!({ "invalid": other }),
    };
    json!({ "function": { "name": call.tool, "arguments": arguments } })
}
