//! The interface to models: one trait for all providers. A prompt goes in; the model's answer comes out in deltas and
//! then as a whole.

mod address;
pub mod builtin;
pub mod chat;
pub mod configured;
pub mod errors;
pub mod genai_adapter;
pub mod http;
pub mod ids;
pub mod json;
pub mod keys;
pub mod message;
pub mod mock;
mod model_list;
mod openai;
pub mod provider;
pub mod registry;
pub mod scenario;
pub mod sse;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::{AssistantMessage, PromptMessage, TokenUsage};

/// Name of the tool whose arguments are the final answer of a turn with a schema, unless another tool has this name.
pub const FINAL_ANSWER: &str = "final_answer";

/// A model, with the facts that matter for choosing one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// `provider/model`, what `--model` takes: `openai/gpt-5`, `editor/gpt-4o`; `mock` alone.
    pub id: String,
    /// The name for a person.
    pub name: String,
    /// The part before the first `/` of the id.
    pub provider: String,
    /// The maximum number of tokens of prompt and answer together, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
}

/// The available models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelList {
    pub models: Vec<ModelInfo>,
    /// Providers that could not be queried, and what they need.
    pub problems: Vec<ProviderProblem>,
}

/// The reason why a provider has no models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderProblem {
    pub provider: String,
    pub message: String,
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolDefinition {
    /// The wire name: `[a-zA-Z0-9_-]{1,64}`.
    pub name: String,
    pub description: String,
    /// A JSON Schema in the portable subset; its root is an object.
    pub schema: Value,
}

/// One request to a model.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    pub system: &'a str,
    /// Every call in an assistant's message has its result among the following messages, and each result its call.
    pub messages: &'a [PromptMessage],
    pub tools: &'a [ToolDefinition],
    /// The maximum output in tokens; `None` for the provider's own limit.
    pub max_output: Option<u64>,
}

/// A part of a streamed answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerDelta {
    Text(String),
    Reasoning(String),
}

/// A complete answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelAnswer {
    pub message: AssistantMessage,
    pub usage: TokenUsage,
    pub stop: FinishReason,
}

/// The reason why the model stopped, as the provider reports it. It never decides whether there are calls: those are in
/// the answer or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    #[default]
    Finished,
    /// The model reached its output limit; the last call may be truncated.
    Length,
    /// The provider's filter stopped the answer.
    Filtered,
}

/// The reason why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, JsonSchema)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
pub struct ModelError {
    pub kind: ErrorKind,
    /// The message for a person: what happened, with the provider's own message. It never contains a key.
    pub message: String,
    /// How long the provider requests to wait before a retry.
    #[serde(skip)]
    pub retry_after: Option<Duration>,
    /// The next step, a sentence, if it differs from that of the kind.
    #[serde(skip)]
    pub hint: Option<&'static str>,
}

impl ModelError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, hint: None }
    }

    /// Sets a next step, a sentence.
    #[must_use]
    pub fn with_hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// Returns the message with the next step.
    pub fn with_default_hint(&self) -> String {
        format!("{}. {}", self.message.trim_end_matches('.'), self.hint.unwrap_or(self.kind.advice()))
    }
}

/// The kind of an error; decides whether zubi retries, and which next step a person sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The model or provider does not exist, or has no key.
    NotConfigured,
    Unauthorized,
    RateLimited,
    /// 529, 503 and other errors of the provider.
    Overloaded,
    /// The prompt is longer than the model's context.
    TooLong,
    /// The provider refuses the request; a retry would change nothing.
    Refused,
    /// The connection failed.
    Unreachable,
    /// The answer ended early.
    BrokenOff,
    /// The answer made no progress for too long.
    TimedOut,
    /// The response is not an answer.
    Malformed,
}

impl ErrorKind {
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::RateLimited
                | Self::Overloaded
                | Self::Unreachable
                | Self::BrokenOff
                | Self::TimedOut
                | Self::Malformed
        )
    }

    /// Returns the next step, a sentence.
    pub fn advice(self) -> &'static str {
        match self {
            Self::NotConfigured => "`zubi agent models` shows the available models and what others need.",
            Self::Unauthorized => "Check the key of this provider: `zubi agent models` says where it was found.",
            Self::RateLimited => "Wait a little, or choose another model with --model.",
            Self::Overloaded => "The provider has trouble; try again later, or choose another model with --model.",
            Self::TooLong => "Begin a new conversation, or choose a model with a larger context.",
            Self::Refused => "Choose another model with --model if this one does not support such a request.",
            Self::Unreachable => "Check the address and the network: `zubi agent models` shows the addresses in use.",
            Self::BrokenOff | Self::TimedOut => "Try again; the work done so far is saved.",
            Self::Malformed => "Check that the address is one of a model's API: `zubi agent models` shows it.",
        }
    }
}

/// Callback for the deltas of an answer. Called often; must not block.
pub type OnDelta<'a> = &'a (dyn Fn(AnswerDelta) + Send + Sync);

/// A model. Dropping the future cancels the request: it closes the connection at once.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    fn info(&self) -> &ModelInfo;

    /// Requests one answer. The deltas passed to `on_delta` are the beginnings of the returned answer; after an error
    /// they are void.
    async fn answer(&self, prompt: Prompt<'_>, on_delta: OnDelta<'_>) -> Result<ModelAnswer, ModelError>;
}

impl fmt::Debug for dyn LanguageModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Model").field(&self.info().id).finish()
    }
}

/// A source of models: a configured provider, the open editor, the mock.
#[async_trait]
pub trait ModelSource: Send + Sync {
    /// Returns the [`ModelInfo::provider`] of its models.
    fn provider(&self) -> &str;

    /// Returns a description for the user: the address and the source of the key, or what is missing; never the key.
    fn describe(&self) -> String {
        String::new()
    }

    /// Returns whether a key or an address is missing, which [`Self::describe`] then describes.
    fn is_unusable(&self) -> bool {
        false
    }

    /// Returns whether the source is used only by name, not for a list of all models.
    fn is_only_by_name(&self) -> bool {
        false
    }

    /// Returns the known models, or the reason why none are known. May send network requests; bounded.
    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError>;

    /// Opens a model, listed or not; `name` is the part after `provider/`.
    async fn open(&self, name: &str) -> Result<std::sync::Arc<dyn LanguageModel>, ModelError>;
}
