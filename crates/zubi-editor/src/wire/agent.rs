//! Messages of zubi's agent, `zubi/agent/*`, and of the editor's models, `zubi/model/*`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request of a chat page.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AgentRequestParams {
    /// Method of the page's protocol: `hello`, `open`, `send`.
    pub method: String,
    #[serde(default)]
    pub params: Value,
}

/// Conversation events since the last message.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentEventsParams {
    /// Whether the client must reload earlier events: this is the first message, events were lost, or another folder is
    /// open.
    #[serde(rename = "isFresh")]
    pub is_fresh: bool,
    /// Events in order, as the page receives them: `{conversation, event}`.
    #[serde(rename = "told")]
    pub events: Vec<Value>,
    /// The last of their prompts that the user must answer in the chat.
    #[serde(rename = "waits", skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitingQuestion>,
}

/// An approval prompt that waits for an answer in the chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WaitingQuestion")]
pub struct WaitingQuestion {
    pub conversation: String,
    /// One line for people.
    pub text: String,
}

/// A task of an extension for the agent. The options apply to this run only.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentRunParams {
    pub task: String,
    /// Same format as the setting `model`, which is the default.
    pub model: Option<String>,
    /// Instructions to the model, placed before zubi's own.
    pub instructions: Option<String>,
    pub max_iterations: Option<u64>,
    /// Patterns of the tools to offer; if empty, all.
    #[serde(default)]
    pub tools: Vec<String>,
}

/// Result of a task, from the last event of its turn.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AgentRunResult {
    /// Conversation that contains the task.
    pub conversation: String,
    /// `completed`, or the reason why there is no complete answer.
    pub reason: String,
    /// The answer, or else a report of what was done.
    pub text: String,
    /// Error message, with a hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Models that extensions offer in the editor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ModelListResult {
    pub models: Vec<EditorModel>,
}

/// A model, with the editor's own data.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorModel {
    pub id: String,
    pub vendor: String,
    pub family: String,
    pub name: String,
    pub max_input_tokens: u64,
}

/// A request to a model of the editor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelRequestParams {
    pub id: String,
    pub vendor: String,
    pub messages: Vec<ModelMessage>,
    pub tools: Vec<ModelTool>,
    /// Maximum output in tokens; the model's own limit if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// Token for `zubi/model/piece`.
    pub token: u64,
}

/// A message in one of the editor's two roles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelMessage {
    pub role: ModelRole,
    pub parts: Vec<ModelPart>,
}

/// Author of a message. Tool results and instructions are the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ModelRole {
    User,
    Assistant,
}

/// One part of a message; exactly one field is set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelPart {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<ModelCall>,
    #[serde(rename = "outcome", skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ModelOutcome>,
}

/// A tool call that a model requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelCall {
    pub id: String,
    pub name: String,
    /// An object, unless the model has produced another value.
    pub input: Value,
}

/// Result of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ModelOutcome")]
pub struct ModelOutcome {
    /// Id of the call.
    pub id: String,
    pub text: String,
}

/// A tool as defined for the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelTool {
    pub name: String,
    pub description: String,
    /// JSON Schema of the input.
    pub input_schema: Value,
}

/// A delta of an answer: text, or reasoning.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ModelDeltaParams {
    /// Token of the request.
    pub token: u64,
    pub text: Option<String>,
    #[serde(rename = "thought")]
    pub thought: Option<String>,
}

/// A complete answer, or the error.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelRequestResult {
    pub text: String,
    #[serde(rename = "thought")]
    pub thought: String,
    pub calls: Vec<ModelCall>,
    pub error: Option<ModelFailure>,
}

/// Error of a model.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelFailure {
    /// Error code of the editor (`NoPermissions`, `Blocked`, `NotFound`), otherwise the name of the error.
    pub code: String,
    pub message: String,
}
