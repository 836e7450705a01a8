//! Converts the events of a stream, or one JSON body, to an answer. Uses neither I/O nor a clock.
//!
//! An answer is complete when the server marks its end: by a finish reason or by `[DONE]`. An answer that ends earlier
//! is broken off, however long it is. Calls are recognized by their presence, never by the finish reason.

use serde_json::{Map, Value};
use zubi_tool_api::redact::Redactor;

use super::calls::ToolCallAccumulator;
use crate::errors;
use crate::ids::Ids;
use crate::json;
use crate::message::{AssistantMessage, ProviderMetadata, TokenUsage};
use crate::sse::SseEvent;
use crate::{AnswerDelta, ErrorKind, FinishReason, ModelAnswer, ModelError};

/// The maximum size of one answer, in bytes, including the arguments of its calls and the provider's own data.
const MAX_ANSWER: usize = 8 * 1024 * 1024;

/// The part of an answer that has arrived.
#[derive(Debug)]
pub(super) struct ChatDecoder {
    provider: String,
    redactor: Redactor,
    ids: Ids,
    text: String,
    reasoning: String,
    calls: ToolCallAccumulator,
    /// Parts of reasoning in the provider's own format, which it needs back.
    details: Vec<Value>,
    /// The size of `details`, in bytes.
    detail_bytes: usize,
    usage: TokenUsage,
    finish: Option<String>,
    is_done: bool,
    /// The number of frames so far, and the last frame.
    frames: u64,
    last: String,
}

/// The receiver of the deltas, called as soon as they arrive.
pub(super) type DeltaSink<'a> = &'a mut dyn FnMut(AnswerDelta);

impl ChatDecoder {
    /// Creates a decoder. `ids` are the ids that calls must not have.
    pub(super) fn new(provider: &str, redactor: Redactor, ids: Ids) -> Self {
        Self {
            provider: provider.to_owned(),
            redactor,
            ids,
            text: String::new(),
            reasoning: String::new(),
            calls: ToolCallAccumulator::default(),
            details: Vec::new(),
            detail_bytes: 0,
            usage: TokenUsage::default(),
            finish: None,
            is_done: false,
            frames: 0,
            last: String::new(),
        }
    }

    /// Processes the next event.
    pub(super) fn read_event(&mut self, event: &SseEvent, sink: DeltaSink<'_>) -> Result<(), ModelError> {
        let data = event.data.trim();
        if self.is_done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        match json::parse(data) {
            Ok(frame) => self.read_frame(&frame, data, event.name == "error", sink),
            Err(_) if event.name == "error" => {
                Err(errors::in_stream(&self.provider, &Value::String(data.to_owned()), &self.redactor))
            }
            // Servers that omit the blank line between events put one frame on each line.
            Err(_) if data.contains('\n') => {
                for line in data.lines() {
                    self.read_event(&SseEvent { name: event.name.clone(), data: line.to_owned() }, &mut *sink)?;
                }
                Ok(())
            }
            Err(_) => {
                Err(self.malformed_error(&format!("invalid JSON: {}", errors::sanitize_words(data, &self.redactor))))
            }
        }
    }

    /// Processes a single body that arrived instead of a stream.
    pub(super) fn read_body(&mut self, body: &str, sink: DeltaSink<'_>) -> Result<(), ModelError> {
        let value = json::parse(body).map_err(|error| {
            let excerpt = errors::sanitize_words(body, &self.redactor);
            if error.is_eof() { self.broken_off() } else { self.malformed_error(&format!("invalid JSON: {excerpt}")) }
        })?;
        let value = value.get(0).unwrap_or(&value);
        self.read_frame(value, "", false, sink)?;
        if value.get("choices").and_then(|choices| choices.get(0)).is_none() {
            let excerpt = errors::sanitize_words(&value.to_string(), &self.redactor);
            return Err(self.malformed_error(&format!("JSON that is not an answer: {excerpt}")));
        }
        self.is_done = true;
        Ok(())
    }

    /// Returns whether the stream is complete.
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Returns the number of frames so far.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns whether the model has finished; only its usage may still follow.
    pub(super) fn is_finished(&self) -> bool {
        self.is_done || self.finish.is_some()
    }

    /// Returns the answer after the end of the stream.
    pub(super) fn finish(mut self) -> Result<ModelAnswer, ModelError> {
        if !self.is_finished() {
            return Err(self.broken_off());
        }
        if self.frames == 0 {
            return Err(self.malformed_error("an empty answer"));
        }
        let stop = match self.finish.as_deref().unwrap_or_default() {
            "length" | "max_tokens" | "model_length" => FinishReason::Length,
            "content_filter" | "safety" | "recitation" => FinishReason::Filtered,
            _ => FinishReason::Finished,
        };
        let calls = std::mem::take(&mut self.calls).finish(&mut self.ids);
        let calls = calls.map_err(|error| self.malformed_error(&error.to_string()))?;
        // One entry per call, in order, because the conversation may give a call another id.
        let extras: Vec<Value> = calls.iter().map(|(_, extra)| extra.clone().unwrap_or_default()).collect();
        let mut parts = Map::new();
        if !self.details.is_empty() {
            parts.insert("reasoning_details".to_owned(), Value::Array(self.details));
        }
        if extras.iter().any(|extra| !extra.is_null()) {
            parts.insert("extra_content".to_owned(), Value::Array(extras));
        }
        let native =
            (!parts.is_empty()).then(|| ProviderMetadata { provider: self.provider, parts: Value::Object(parts) });
        let calls = calls.into_iter().map(|(call, _)| call).collect();
        let message = AssistantMessage { text: self.text, reasoning: self.reasoning, calls, native };
        Ok(ModelAnswer { message, usage: self.usage, stop })
    }

    fn read_frame(&mut self, frame: &Value, data: &str, is_error: bool, sink: DeltaSink<'_>) -> Result<(), ModelError> {
        if is_error || frame.get("error").is_some_and(|error| !error.is_null()) {
            return Err(errors::in_stream(&self.provider, frame, &self.redactor));
        }
        if let Some(usage) = frame.get("usage").filter(|usage| usage.is_object()) {
            self.usage = read_usage(usage);
        }
        let choices = frame.get("choices").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        // zubi requested one choice; others would be other answers.
        let is_first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        let Some(choice) = choices.iter().find(is_first) else { return Ok(()) };
        self.frames += 1;
        let is_repeated = !data.is_empty() && data == self.last;
        data.clone_into(&mut self.last);
        if let Some(delta) = ["delta", "message"].iter().find_map(|name| choice.get(name).filter(|it| it.is_object())) {
            self.read_delta(delta, is_repeated, sink)?;
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty()) {
            if reason == "error" {
                return Err(errors::in_stream(&self.provider, choice, &self.redactor));
            }
            self.finish = Some(reason.to_ascii_lowercase());
        }
        Ok(())
    }

    fn read_delta(&mut self, delta: &Value, is_repeated: bool, sink: DeltaSink<'_>) -> Result<(), ModelError> {
        // Both fields may be present, with the same content.
        let reasoning = ["reasoning_content", "reasoning"].iter().find_map(|name| delta.get(name)?.as_str());
        self.push_reasoning(reasoning.unwrap_or_default(), &mut *sink);
        match delta.get("content") {
            Some(Value::String(text)) => self.push_text(text, &mut *sink),
            Some(Value::Array(parts)) => {
                for part in parts {
                    let text = |value: &Value| value.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
                    let thoughts = part.get("thinking").and_then(Value::as_array).into_iter().flatten();
                    self.push_reasoning(&thoughts.map(text).collect::<String>(), &mut *sink);
                    self.push_text(&text(part), &mut *sink);
                }
            }
            _ => {}
        }
        // The model's text when it declines.
        self.push_text(delta.get("refusal").and_then(Value::as_str).unwrap_or_default(), &mut *sink);
        if let Some(details) = delta.get("reasoning_details").and_then(Value::as_array) {
            self.detail_bytes += details.iter().map(|detail| detail.to_string().len()).sum::<usize>();
            self.details.extend(details.iter().cloned());
        }
        let calls: &[Value] = match delta.get("tool_calls") {
            Some(Value::Array(calls)) => calls,
            Some(call @ Value::Object(_)) => std::slice::from_ref(call),
            _ => &[],
        };
        let legacy = delta.get("function_call").filter(|call| call.is_object());
        for call in calls.iter().chain(legacy) {
            self.calls
                .add_fragment(call, self.frames, is_repeated)
                .map_err(|error| self.malformed_error(&error.to_string()))?;
        }
        if self.text.len() + self.reasoning.len() + self.detail_bytes + self.calls.bytes() > MAX_ANSWER {
            return Err(self.malformed_error(&format!("an answer of more than {MAX_ANSWER} bytes")));
        }
        Ok(())
    }

    fn push_text(&mut self, text: &str, sink: DeltaSink<'_>) {
        if !text.is_empty() {
            self.text.push_str(text);
            sink(AnswerDelta::Text(text.to_owned()));
        }
    }

    fn push_reasoning(&mut self, text: &str, sink: DeltaSink<'_>) {
        if !text.is_empty() {
            self.reasoning.push_str(text);
            sink(AnswerDelta::Reasoning(text.to_owned()));
        }
    }

    pub(super) fn malformed_error(&self, detail: &str) -> ModelError {
        ModelError::new(ErrorKind::Malformed, format!("{} sent {detail}", self.provider))
    }

    /// Returns the error for a response that is an HTML page.
    pub(super) fn page_error(&self, page: &str) -> ModelError {
        self.malformed_error(&format!("{} instead of an answer", errors::sanitize_words(page, &self.redactor)))
    }

    /// Returns the error for lines without an event: comments before the connection was cut, or something else
    /// entirely.
    pub(super) fn not_a_stream_error(&self, text: &str) -> ModelError {
        match text.lines().find(|line| !line.is_empty() && !line.starts_with(':')) {
            Some(line) => self.malformed_error(&format!(
                "data that is not an answer: {}",
                errors::sanitize_words(line, &self.redactor)
            )),
            None => self.broken_off(),
        }
    }

    pub(super) fn broken_off(&self) -> ModelError {
        let position = if self.calls.is_empty() { "" } else { ", in the middle of a call" };
        ModelError::new(
            ErrorKind::BrokenOff,
            format!("the answer of {} broke off before its end{position}", self.provider),
        )
    }
}

fn read_usage(usage: &Value) -> TokenUsage {
    let number = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    let cached = ["/prompt_tokens_details/cached_tokens", "/prompt_cache_hit_tokens", "/cached_tokens"];
    TokenUsage {
        input: number("/prompt_tokens").unwrap_or_default(),
        output: number("/completion_tokens").unwrap_or_default(),
        cached: cached.iter().find_map(|pointer| number(pointer)).unwrap_or_default(),
    }
}
