//! The seam to models: one trait, whoever answers. A prompt goes in, what the model says comes out in pieces and then whole.

mod address;
pub mod chat;
pub mod registry;
pub mod configured;
pub mod errors;
pub mod http;
pub mod ids;
pub mod json;
pub mod keys;
pub mod message;
pub mod mock;
pub mod genai_adapter;
mod openai;
pub mod provider;
mod model_list;
pub mod scenario;
pub mod sse;
pub mod builtin;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::{Message, AssistantMessage, Usage};

/// Name of the tool whose arguments are the final answer of a turn with a schema, unless another tool has this name.
pub const FINAL_ANSWER: &str = "final_answer";

/// A model, as far as one who chooses must know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// `provider/model`, what `--model` takes: `openai/gpt-5`, `editor/gpt-4o`; `mock` alone.
    pub id: String,
    /// For a person.
    pub name: String,
    /// Before the first `/` of the id.
    pub provider: String,
    /// How many tokens prompt and answer may have together, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
}

/// The models that there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelList {
    pub models: Vec<ModelInfo>,
    /// Providers that could not be asked, and what they need.
    pub problems: Vec<ProviderProblem>,
}

/// Why a provider has no models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderProblem {
    pub provider: String,
    pub message: String,
}

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolDefinition {
    /// The wire name: `[a-zA-Z0-9_-]{1,64}`.
    pub name: String,
    pub description: String,
    /// A JSON Schema in the portable subset; its root is an object.
    pub schema: Value,
}

/// One question to a model.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    pub system: &'a str,
    /// Every call of an assistant's message has its outcome among the next messages, and each outcome its call.
    pub messages: &'a [Message],
    pub tools: &'a [ToolDefinition],
    /// In tokens; the provider's own limit if there is none.
    pub max_output: Option<u64>,
}

/// A piece of an answer, as soon as it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    Text(String),
    Reasoning(String),
}

/// A whole answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    pub said: AssistantMessage,
    pub usage: Usage,
    pub stop: FinishReason,
}

/// Why the model stopped, as the provider says. It never decides whether there are calls: those are in the answer or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    #[default]
    Finished,
    /// It ran into the limit of its output; the last call may be cut.
    Length,
    /// The provider's filter.
    Filtered,
}

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, JsonSchema)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
pub struct ModelError {
    pub kind: ErrorKind,
    /// For a person: what happened, with the provider's own words. No key is ever in it.
    pub message: String,
    /// How long the provider wants to be left alone.
    #[serde(skip)]
    pub retry_after: Option<Duration>,
    /// The next step where it is another than that of the kind, a sentence.
    #[serde(skip)]
    pub next: Option<&'static str>,
}

impl ModelError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, next: None }
    }

    /// With a next step of its own, a sentence.
    #[must_use]
    pub fn with_hint(self, next: &'static str) -> Self {
        Self { next: Some(next), ..self }
    }

    /// With the next step.
    pub fn with_default_hint(&self) -> String {
        format!("{}. {}", self.message.trim_end_matches('.'), self.next.unwrap_or(self.kind.advice()))
    }
}

/// What kind of failure it is; decides whether it is tried again, and what a person is told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// No such model or provider, or no key for it.
    NotConfigured,
    Unauthorized,
    RateLimited,
    /// 529, 503 and other failures of the provider.
    Overloaded,
    /// The prompt is longer than the model takes.
    TooLong,
    /// The provider does not take the question; asking again would change nothing.
    Refused,
    /// No connection.
    Unreachable,
    /// The answer broke off.
    BrokenOff,
    /// The answer stood still for too long.
    TimedOut,
    /// What came is no answer.
    Malformed,
}

impl ErrorKind {
    pub fn is_worth_another_try(self) -> bool {
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

    /// The next step, a sentence.
    pub fn advice(self) -> &'static str {
        match self {
            Self::NotConfigured => "`zubi agent models` shows which models there are and what others need.",
            Self::Unauthorized => "Check the key of this provider: `zubi agent models` says where it was found.",
            Self::RateLimited => "Wait a little, or choose another model with --model.",
            Self::Overloaded => "The provider has trouble; try again later, or choose another model with --model.",
            Self::TooLong => "Begin a new conversation, or choose a model with a larger context.",
            Self::Refused => "Choose another model with --model if this one cannot take such a question.",
            Self::Unreachable => "Check the address and the network: `zubi agent models` shows where zubi asks.",
            Self::BrokenOff | Self::TimedOut => "Ask again; what was done until then is kept.",
            Self::Malformed => "Check that the address is one of a model's API: `zubi agent models` shows it.",
        }
    }
}

/// Hears the pieces of an answer. Called often; must not block.
pub type OnDelta<'a> = &'a (dyn Fn(Delta) + Send + Sync);

/// A model that can be asked. Giving up is dropping the future: it closes the connection at once.
#[async_trait]
pub trait Model: Send + Sync {
    fn info(&self) -> &ModelInfo;

    /// One answer. What `pieces` hears are the beginnings of what is returned; after an error they count for nothing.
    async fn answer(&self, prompt: Prompt<'_>, pieces: OnDelta<'_>) -> Result<Answer, ModelError>;
}

impl fmt::Debug for dyn Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Model").field(&self.info().id).finish()
    }
}

/// Where models come from: a configured provider, the open editor, the mock.
#[async_trait]
pub trait ModelSource: Send + Sync {
    /// [`ModelInfo::provider`] of its models.
    fn provider(&self) -> &str;

    /// Where it is asked, where its key was found or what it needs, for a person; never the key.
    fn describe(&self) -> String {
        String::new()
    }

    /// Whether there is nothing to ask it with, which [`Self::about`] then says.
    fn lacks_something(&self) -> bool {
        false
    }

    /// Whether it is asked only where it is named, not for a list of all models.
    fn only_by_name(&self) -> bool {
        false
    }

    /// The models that it knows, and why it knows none. May ask over the network; bounded.
    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError>;

    /// One of them, or one that it does not list: `name` is what stands behind `provider/`.
    async fn open(&self, name: &str) -> Result<std::sync::Arc<dyn Model>, ModelError>;
}
