//! What is said about zubi's agent, `zubi/agent/*`, and to the models of the editor, `zubi/model/*`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request of a chat page.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AgentRequestParams {
    /// As in the page's own protocol: `hello`, `open`, `send`.
    pub method: String,
    #[serde(default)]
    pub params: Value,
}

/// What happened in conversations since it was told before.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentEventsParams {
    /// Whether what was before has to be asked for anew: it is the first time, something of it was lost, or another folder
    /// is open.
    pub is_fresh: bool,
    /// As the page is told it, in order: `{conversation, event}`.
    pub told: Vec<Value>,
    /// The last question among them that somebody has to answer in the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitingQuestion>,
}

/// A question that waits for an answer in the chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitingQuestion {
    pub conversation: String,
    /// For a person, a line.
    pub text: String,
}

/// A task for the agent, of an extension. What it says holds for this run alone.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentRunParams {
    pub task: String,
    /// As the setting; that one, if it names none.
    pub model: Option<String>,
    /// In front of zubi's own instructions to the model.
    pub instructions: Option<String>,
    pub max_iterations: Option<u64>,
    /// Patterns of the tools that there are for it; none: all.
    #[serde(default)]
    pub tools: Vec<String>,
}

/// What came of it: how it ended, as the last event of the turn says.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AgentRunResult {
    /// Where it can be read.
    pub conversation: String,
    /// `completed`, or why there is no whole answer.
    pub reason: String,
    /// The answer; a report of what was done, where there is none.
    pub text: String,
    /// What went wrong, with the next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The models that extensions offer in the editor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ModelListResult {
    pub models: Vec<EditorModel>,
}

/// One of them, in the editor's own words.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorModel {
    pub id: String,
    pub vendor: String,
    pub family: String,
    pub name: String,
    pub max_input_tokens: u64,
}

/// A question to a model of the editor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelRequestParams {
    pub id: String,
    pub vendor: String,
    pub messages: Vec<ModelMessage>,
    pub tools: Vec<ModelTool>,
    /// In tokens; the model's own limit if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// For `zubi/model/piece`.
    pub token: u64,
}

/// A message in one of the editor's two roles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelMessage {
    pub role: ModelRole,
    pub parts: Vec<ModelPart>,
}

/// Who says it. What calls came to is the user's, and so are instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ModelRole {
    User,
    Assistant,
}

/// A part of a message: one of the three.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelPart {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<ModelCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ModelOutcome>,
}

/// A call that a model wants made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelCall {
    pub id: String,
    pub name: String,
    /// An object, unless the model has written something else.
    pub input: Value,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelOutcome {
    /// Of the call.
    pub id: String,
    pub text: String,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelTool {
    pub name: String,
    pub description: String,
    /// A JSON Schema.
    pub input_schema: Value,
}

/// A piece of an answer: text, or what the model thinks aloud.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ModelDeltaParams {
    /// Of the request.
    pub token: u64,
    pub text: Option<String>,
    pub thought: Option<String>,
}

/// A whole answer, or why there is none.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelRequestResult {
    pub text: String,
    pub thought: String,
    pub calls: Vec<ModelCall>,
    pub error: Option<ModelFailure>,
}

/// Why a model gave no answer.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelFailure {
    /// The editor's: `NoPermissions`, `Blocked`, `NotFound`; else the name of the error.
    pub code: String,
    pub message: String,
}
