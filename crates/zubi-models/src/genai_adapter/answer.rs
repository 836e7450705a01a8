//! Converts the library's view of an answer to an answer: its deltas, its calls, the data to send back, and whether it
//! is complete.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use genai::adapter::AdapterKind;
use genai::chat::{
    ChatFrameSink, ChatStreamEvent, ContentPart, FrameCtx, RawFrameRef, StopReason, StreamEnd, ToolCall as GenaiCall,
};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::failure;
use crate::ids::Ids;
use crate::message::{AssistantMessage, ProviderMetadata, TokenUsage, ToolCall};
use crate::provider::ProviderConfig;
use crate::{AnswerDelta, FinishReason, ModelAnswer, ModelError, OnDelta, json as tolerant};

/// The maximum size of one answer on the wire, in bytes.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// The maximum number of calls in one answer.
const MAX_CALLS: usize = 128;
/// The stored part of the last frame, in bytes, for details that the library does not report.
const MAX_LAST_FRAME: usize = 256 * 1024;

/// The raw data of the stream, for details that the library's events omit.
#[derive(Debug, Default)]
pub(super) struct FrameTap {
    count: AtomicU64,
    bytes: AtomicU64,
    /// Whether one of the frames was not valid JSON. The library skips OpenAI's invalid frames, so the answer would
    /// lack their content.
    has_invalid_frame: AtomicBool,
    last: Mutex<String>,
}

impl ChatFrameSink for FrameTap {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        if frame.data.trim().is_empty() {
            return;
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(frame.data.len() as u64, Ordering::Relaxed);
        if frame.data != "[DONE]" && serde_json::from_str::<IgnoredAny>(frame.data).is_err() {
            self.has_invalid_frame.store(true, Ordering::Relaxed);
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.clear();
        if frame.data.len() <= MAX_LAST_FRAME {
            last.push_str(frame.data);
        }
    }
}

impl FrameTap {
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Returns the last frame, if it is JSON.
    pub(super) fn last(&self) -> Option<Value> {
        tolerant::parse(&self.last.lock().unwrap_or_else(PoisonError::into_inner)).ok()
    }

    /// Returns the last frame, unchanged.
    pub(super) fn last_text(&self) -> String {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns an error if the answer is too large.
    pub(super) fn check(&self) -> Result<(), String> {
        let bytes = self.bytes.load(Ordering::Relaxed);
        if bytes > MAX_BYTES { Err(format!("more than {} MiB in one answer", MAX_BYTES / 1024 / 1024)) } else { Ok(()) }
    }
}

/// The part of an answer that has arrived.
pub(super) struct GenaiReader {
    kind: AdapterKind,
    model: String,
    ids: Ids,
    message: AssistantMessage,
    /// Calls that arrive whole, with their own signatures.
    calls: Vec<GenaiCall>,
    /// Signatures that do not belong to a call.
    signatures: Vec<String>,
    end: Option<StreamEnd>,
}

impl GenaiReader {
    pub(super) fn new(kind: AdapterKind, model: &str, ids: Ids) -> Self {
        let (message, calls, signatures) = (AssistantMessage::default(), Vec::new(), Vec::new());
        Self { kind, model: model.to_owned(), ids, message, calls, signatures, end: None }
    }

    /// Processes the next event.
    pub(super) fn read_event(&mut self, event: ChatStreamEvent, on_delta: OnDelta<'_>) -> Result<(), String> {
        match event {
            ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => {}
            ChatStreamEvent::Chunk(chunk) if chunk.content.is_empty() => {}
            ChatStreamEvent::Chunk(chunk) => {
                self.message.text.push_str(&chunk.content);
                on_delta(AnswerDelta::Text(chunk.content));
            }
            ChatStreamEvent::ReasoningChunk(chunk) if chunk.content.is_empty() => {}
            ChatStreamEvent::ReasoningChunk(chunk) => {
                self.message.reasoning.push_str(&chunk.content);
                on_delta(AnswerDelta::Reasoning(chunk.content));
            }
            ChatStreamEvent::ThoughtSignatureChunk(chunk) => self.signatures.push(chunk.content),
            ChatStreamEvent::ToolCallChunk(chunk) => {
                // The other APIs send calls in fragments, and whole at the end.
                if self.kind == AdapterKind::Gemini {
                    self.calls.push(chunk.tool_call);
                }
            }
            ChatStreamEvent::End(end) => self.end = Some(end),
        }
        if self.calls.len() > MAX_CALLS { Err(format!("more than {MAX_CALLS} calls in one answer")) } else { Ok(()) }
    }

    /// Returns the answer if it is complete. The library also reports an end for truncated streams; the sign of a true
    /// end depends on the API.
    pub(super) fn finish(mut self, frames: &FrameTap, config: &ProviderConfig) -> Result<ModelAnswer, ModelError> {
        if let Some(error) = failure::from_last_frame(config, frames) {
            return Err(error);
        }
        let Some(end) = self.end.take() else { return Err(failure::truncated_answer(config, frames)) };
        let is_complete = match self.kind {
            AdapterKind::Gemini => end.captured_stop_reason.is_some(),
            AdapterKind::OpenAIResp => end.captured_response_id.is_some(),
            // The library reports Anthropic's end only at its mark.
            _ => true,
        };
        if !is_complete {
            return Err(failure::truncated_answer(config, frames));
        }
        if frames.has_invalid_frame.load(Ordering::Relaxed) {
            return Err(failure::malformed_error(config, "an event that is not JSON"));
        }
        if let Some(StopReason::Other(reason)) = &end.captured_stop_reason
            && matches!(reason.as_str(), "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL")
        {
            return Err(failure::malformed_error(config, &format!("a call that it could not write itself ({reason})")));
        }
        let stop = self.stop(&end, frames);
        let usage = usage(end.captured_usage.as_ref());
        let content = end.captured_content.map(genai::chat::MessageContent::into_parts).unwrap_or_default();
        let calls = if self.calls.is_empty() {
            content.iter().filter_map(ContentPart::as_tool_call).cloned().collect()
        } else {
            std::mem::take(&mut self.calls)
        };
        if calls.len() > MAX_CALLS {
            return Err(failure::malformed_error(config, &format!("more than {MAX_CALLS} calls in one answer")));
        }
        self.message.native = self.native(&content, &calls, &config.provider);
        for call in calls {
            let call = self.call(call);
            self.message.calls.push(call);
        }
        Ok(ModelAnswer { message: self.message, usage, stop })
    }

    fn stop(&self, end: &StreamEnd, frames: &FrameTap) -> FinishReason {
        // For this API, only the frame contains the reason.
        let is_filtered = self.kind == AdapterKind::OpenAIResp
            && frames.last().is_some_and(|last| {
                last.pointer("/response/incomplete_details/reason") == Some(&json!("content_filter"))
            });
        match &end.captured_stop_reason {
            _ if is_filtered => FinishReason::Filtered,
            Some(StopReason::MaxTokens(_)) => FinishReason::Length,
            Some(StopReason::ContentFilter(_)) => FinishReason::Filtered,
            _ => FinishReason::Finished,
        }
    }

    fn call(&mut self, call: GenaiCall) -> ToolCall {
        let id = if self.kind == AdapterKind::Gemini && call.call_id.starts_with("call#") {
            // The library's own ids, if Gemini gives none, start again in each frame. The library recognizes them by
            // their form and does not send them.
            let number = getrandom::u32().unwrap_or_default();
            self.ids.ensure_unique(&format!("call#{}#{number}", call.fn_name))
        } else {
            self.ids.ensure_unique(&call.call_id)
        };
        let arguments = match call.fn_arguments {
            Value::Object(object) => Value::Object(object),
            Value::Null => Value::Object(Map::new()),
            Value::String(text) => tolerant::arguments(&text).map_or(Value::String(text), Value::Object),
            other => Value::String(other.to_string()),
        };
        ToolCall { id, tool: call.fn_name, arguments }
    }

    /// Returns the data that the model needs back unchanged, with the provider's name: another model could not read it.
    fn native(&mut self, content: &[ContentPart], calls: &[GenaiCall], provider: &str) -> Option<ProviderMetadata> {
        let parts = match self.kind {
            AdapterKind::Anthropic => {
                let thinking = thinking_blocks(content);
                (!thinking.is_empty()).then(|| json!({ "model": self.model, "thinking": thinking }))
            }
            AdapterKind::OpenAIResp => {
                let signatures: Vec<&str> = content.iter().filter_map(ContentPart::as_thought_signature).collect();
                (!signatures.is_empty()).then(|| json!({ "model": self.model, "signatures": signatures }))
            }
            AdapterKind::Gemini => {
                let own = |call: &GenaiCall| call.thought_signatures.as_ref().and_then(|all| all.first().cloned());
                let call_signatures: Vec<Option<String>> = calls.iter().map(own).collect();
                // The library also reports these separately; a call's signature is sent back with the call.
                let mut others = self
                    .signatures
                    .iter()
                    .filter(|it| !call_signatures.iter().flatten().any(|signature| signature == *it));
                // The library stores one of them for the text.
                let others: Vec<&String> = others.next_back().into_iter().collect();
                let is_signed = !others.is_empty() || call_signatures.iter().any(Option::is_some);
                is_signed.then(|| json!({ "model": self.model, "signatures": others, "calls": call_signatures }))
            }
            _ => None,
        };
        parts.map(|parts| ProviderMetadata { provider: provider.to_owned(), parts })
    }
}

/// Returns Anthropic's thinking blocks unchanged. In the library's parts, a signature precedes the text that it signs.
fn thinking_blocks(content: &[ContentPart]) -> Vec<Value> {
    let mut blocks = Vec::new();
    let mut signature: Option<&str> = None;
    for part in content {
        match part {
            ContentPart::ThoughtSignature(it) => signature = Some(it),
            ContentPart::ReasoningContent(thinking) => {
                if let Some(signature) = signature.take() {
                    blocks.push(json!({ "type": "thinking", "thinking": thinking, "signature": signature }));
                }
            }
            ContentPart::Custom(custom) => blocks.push(custom.data.clone()),
            _ => {}
        }
    }
    blocks
}

fn usage(usage: Option<&genai::chat::Usage>) -> TokenUsage {
    let count = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
    let Some(usage) = usage else { return TokenUsage::default() };
    let cached = usage.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens);
    TokenUsage { input: count(usage.prompt_tokens), output: count(usage.completion_tokens), cached: count(cached) }
}
