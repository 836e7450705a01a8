//! The protocol of a chat client: methods with parameters and results, the same over HTTP (`zubi web`) and over the
//! editor channel (`zubi/agent/request`), and one stream of events.
//!
//! | method | parameters | result |
//! |---|---|---|
//! | `hello` | – | [`ServerInfo`] |
//! | `models` | – | [`ModelList`] |
//! | `conversations` | [`ConversationQuery`] | [`ConversationList`] |
//! | `open` | [`OpenParams`] | [`OpenResult`] |
//! | `send` | [`SendParams`] | [`SendResult`] |
//! | `stop` | [`ConversationRef`] | `{}`; the turn ends at once, and its last event reports that |
//! | `answer` | [`AnswerParams`] | `{}` |
//! | `rename` | [`Rename`] | `{}` |
//! | `delete` | [`ConversationRef`] | `{}` |
//! | `export` | [`ConversationRef`] | [`ExportedScenario`] |
//! | `tools` | – | [`ToolList`] |
//! | `call` | [`CallTool`] | [`ManualCallResult`] |
//!
//! A client that wants to follow a conversation subscribes first, then opens it, and drops the streamed events that it
//! has already received by opening. Events that are not saved carry their offset ([`crate::event::EventKind::Text`]).

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::AgentEvent;
use zubi_models::message::TokenUsage;
pub use zubi_models::{ModelList, ProviderProblem};

/// The conversation id of the tool inspector's calls: their approval prompts are sent under this id. It is never saved.
pub const INSPECTOR: &str = "inspector";

/// The server's version, workspace and default model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// The version of the program.
    pub version: String,
    #[schemars(with = "Vec<String>")]
    pub folders: Vec<Utf8PathBuf>,
    pub trusted: bool,
    /// The default model.
    pub model: String,
    pub max_iterations: u64,
}

/// A query for conversations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Search")]
pub struct ConversationQuery {
    /// Words that must all occur in the messages and calls of a conversation. Without them, all conversations of the
    /// workspace are returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Only conversations whose id has this prefix, in the order of their ids. Ignores `query`, and searches all
    /// conversations, however many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The maximum number of conversations; 50 by default, and at most 500.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// A list of conversations, the latest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConversationList {
    pub conversations: Vec<ListedConversation>,
    /// The number of conversations beyond the limit.
    pub more: usize,
    /// Why the search was slow, and the next step, as a sentence for the user. The list is complete all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Summary")]
pub struct ListedConversation {
    pub id: String,
    pub title: String,
    /// The time of creation, in milliseconds since the Unix epoch.
    pub created: u64,
    pub updated: u64,
    /// The last model that the conversation used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub turns: u64,
    pub usage: TokenUsage,
    pub state: ConversationState,
    /// The text in which the words of a search were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "found")]
    pub excerpt: Option<String>,
}

/// The state of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "State")]
pub enum ConversationState {
    Idle,
    Running,
    /// An approval prompt waits for an answer.
    Waiting,
    /// Another process writes to the conversation.
    Elsewhere,
}

/// The id of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConversationRef {
    pub conversation: String,
}

/// A conversation to open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenParams {
    pub conversation: String,
    /// Only events with a higher number are returned; all if it is missing.
    #[serde(default)]
    pub after: u64,
}

/// An opened conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenResult {
    pub summary: ListedConversation,
    /// The number of the last saved event, whether it is among the returned events or not.
    pub last: u64,
    /// The requested saved events.
    pub events: Vec<AgentEvent>,
    /// The part of the current answer that has been received so far, as [`crate::event::EventKind::Text`] and `Thought`
    /// from offset 0. A `Notice` describes damage to the file, if there is any.
    #[serde(rename = "passing")]
    pub partial_answer: Vec<AgentEvent>,
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendParams {
    /// The conversation; a new one if it is missing. If a turn is running in the conversation, the turn receives the
    /// message in its next iteration. In that case only the text may be set, because the other parameters are fixed
    /// until the turn ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    pub text: String,
    /// The model, as in `--model`. Without it, the conversation's last model is used, or the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u64>,
    /// Patterns of the tools that the turn may use, as in `--tools`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// A JSON Schema for the final answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Instructions that precede zubi's own in the system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
}

/// The conversation and turn that received the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SendResult {
    pub conversation: String,
    pub turn: u64,
}

/// An answer to an approval prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerParams {
    pub conversation: String,
    pub question: String,
    /// The answer, as a `zubi_tool_api::cx::ApprovalAnswer`: `{"allow": {"option": 0, "arguments": null}}`, `{"deny":
    /// {"text": "…"}}`.
    pub answer: Value,
}

/// A new title for a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    pub conversation: String,
    pub title: String,
}

/// A conversation as a scenario, which `mock:FILE` and `zubi agent replay FILE` can play.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExportedScenario {
    /// A file name for the scenario.
    pub name: String,
    /// The scenario as YAML.
    pub scenario: String,
}

/// The tools, each as `zubi tools show --json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolList {
    pub tools: Vec<Value>,
}

/// A tool call by hand. Its approval prompt, if there is one, is sent under [`INSPECTOR`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallTool {
    pub tool: String,
    pub arguments: Value,
}

/// The result of a tool call by hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManualCallResult {
    pub text: String,
    pub is_error: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// The duration in milliseconds.
    pub duration: u64,
}

/// An event, with its conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConversationEvent {
    pub conversation: String,
    pub event: AgentEvent,
}
