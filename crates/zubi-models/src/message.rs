//! What is said between a person, a model and tools: the prompt's parts, in no provider's own form.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What a person says, or what stands for it: the summary of what was taken out of the prompt.
    User {
        text: String,
    },
    Assistant(AssistantMessage),
    /// What came of one call.
    Tool(ToolResult),
}

/// What a model said in one answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AssistantMessage {
    pub text: String,
    /// What it thought aloud; shown, never sent back as text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// What only its provider understands and wants back untouched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native: Option<ProviderMetadata>,
}

/// Parts of an answer in its provider's own form, as signatures of thoughts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderMetadata {
    /// [`crate::ModelInfo::provider`]; another provider is not sent them.
    pub provider: String,
    pub parts: Value,
}

/// A call that a model wants made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// Unique in its conversation: zubi's own where the provider gives none, or the same one twice.
    pub id: String,
    /// The tool's wire name, as the model wrote it; there may be no such tool.
    pub tool: String,
    /// An object. A string if what the model wrote is no JSON object: then it is that very text.
    pub arguments: Value,
}

/// What came of a call, as the model is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// [`Call::id`].
    pub call: String,
    /// [`Call::tool`]: some providers want the name with the result.
    pub tool: String,
    pub text: String,
    #[serde(default)]
    pub is_error: bool,
}

/// Tokens, as the provider counts them; 0 where it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Usage {
    /// Of the whole prompt, `cached` included.
    pub input: u64,
    /// Of the answer, reasoning included.
    pub output: u64,
    /// How much of `input` the provider had kept from before.
    pub cached: u64,
}

impl Usage {
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
    }
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model's answer.
    Completed,
    /// Somebody stopped it.
    Stopped,
    /// It is out of iterations, calls, tokens or time.
    Iterations,
    Calls,
    Tokens,
    Time,
    /// The model made the same call over and over.
    Repeating,
    /// The model kept calling with arguments that are none, or its final answer did not fit the schema.
    Invalid,
    /// The model gave no answer.
    Model,
    /// Something of zubi's own: the host has gone, the disk is full.
    Failed,
    /// The process ended in the middle; told when the conversation is opened again.
    Killed,
}
