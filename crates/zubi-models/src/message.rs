//! The messages between a person, a model and tools: the parts of a prompt, independent of any provider's format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", rename_all = "snake_case")]
#[schemars(rename = "Message")]
pub enum PromptMessage {
    /// The user's message, or its replacement: the summary of messages that were removed from the prompt.
    User {
        text: String,
    },
    Assistant(AssistantMessage),
    /// The result of one call.
    Tool(ToolResult),
}

/// One answer of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AssistantMessage {
    pub text: String,
    /// The model's reasoning; shown, never sent back as text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// Data that only the provider understands and needs back unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native: Option<ProviderMetadata>,
}

/// Parts of an answer in the provider's own format, such as signatures of reasoning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderMetadata {
    /// [`crate::ModelInfo::provider`]; zubi does not send these parts to another provider.
    pub provider: String,
    pub parts: Value,
}

/// A call that the model requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// Unique in its conversation: zubi's own if the provider gives none, or the same one twice.
    pub id: String,
    /// The tool's wire name, as the model wrote it; the tool may not exist.
    pub tool: String,
    /// An object; a string with the model's own text if that is not a JSON object.
    pub arguments: Value,
}

/// The result of a call, as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// [`ToolCall::id`].
    pub call: String,
    /// [`ToolCall::tool`]: some providers require the name with the result.
    pub tool: String,
    pub text: String,
    #[serde(default)]
    pub is_error: bool,
}

/// Tokens, as the provider counts them; 0 if it reports none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Usage")]
pub struct TokenUsage {
    /// Tokens of the whole prompt, including `cached`.
    pub input: u64,
    /// Tokens of the answer, including reasoning.
    pub output: u64,
    /// The part of `input` that the provider had in its cache.
    pub cached: u64,
}

impl TokenUsage {
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
    }
}

/// The reason why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model gave its answer.
    Completed,
    /// The user stopped the turn.
    Stopped,
    /// The turn has used up its iterations, calls, tokens or time.
    Iterations,
    Calls,
    Tokens,
    Time,
    /// The model repeated the same call too often.
    Repeating,
    /// The model repeatedly made calls with invalid arguments, or its final answer did not fit the schema.
    Invalid,
    /// The model gave no answer.
    Model,
    /// An error of zubi's own: the host has ended, the disk is full.
    Failed,
    /// The process ended during the turn; reported when the conversation is opened again.
    Killed,
}
