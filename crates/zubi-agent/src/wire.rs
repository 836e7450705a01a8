//! What a chat page speaks: methods with parameters and results, the same over HTTP (`zubi web`) and over the editor channel
//! (`zubi/agent/request`), and one stream of what happens.
//!
//! | method | parameters | result |
//! |---|---|---|
//! | `hello` | – | [`Hello`] |
//! | `models` | – | [`ModelList`] |
//! | `conversations` | [`Search`] | [`ConversationList`] |
//! | `open` | [`Open`] | [`Opened`] |
//! | `send` | [`Send`] | [`Sent`] |
//! | `stop` | [`Named`] | `{}`; the turn ends at once, and so says its last event |
//! | `answer` | [`AnswerTo`] | `{}` |
//! | `rename` | [`Rename`] | `{}` |
//! | `delete` | [`Named`] | `{}` |
//! | `export` | [`Named`] | [`Exported`] |
//! | `tools` | – | [`ToolList`] |
//! | `call` | [`CallTool`] | [`Called`] |
//!
//! A page that wants to follow a conversation listens first, then opens it, and drops what it hears of events that it has
//! got by opening. Events that are not kept say where they belong ([`crate::event::What::Text`]).

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use zubi_models::message::Usage;
pub use zubi_models::{ModelList, ProviderProblem};

/// The conversation that calls of the tool inspector belong to: their questions are told under this name. It is never kept.
pub const INSPECTOR: &str = "inspector";

/// What there is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// Of the program.
    pub version: String,
    #[schemars(with = "Vec<String>")]
    pub folders: Vec<Utf8PathBuf>,
    pub trusted: bool,
    /// The model that is asked if none is named.
    pub model: String,
    pub max_iterations: u64,
}

/// Which conversations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// Words that all have to occur in what was said or done; all conversations of the workspace if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Those whose id begins so, in the order of their ids and whatever their words: all are looked at, however many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// How many at most; 50 if it does not say, and never more than 500.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Conversations, the latest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConversationList {
    pub conversations: Vec<Summary>,
    /// How many there are beyond the limit.
    pub more: usize,
    /// Why it took longer than it need, and what to do: a sentence for a person. The list is whole all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub id: String,
    pub title: String,
    /// Milliseconds since the Unix epoch.
    pub created: u64,
    pub updated: u64,
    /// The last model that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub turns: u64,
    pub usage: Usage,
    pub state: State,
    /// Where the words of a search were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

/// Whether something happens in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Idle,
    Running,
    /// A question waits for an answer.
    Waiting,
    /// Another process has it.
    Elsewhere,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConversationRef {
    pub conversation: String,
}

/// A conversation to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenParams {
    pub conversation: String,
    /// Of the events, only those whose number is higher; all if it does not say.
    #[serde(default)]
    pub after: u64,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenResult {
    pub summary: Summary,
    /// The number of the last event that is kept, whether it is among these or not.
    pub last: u64,
    /// Those that are kept and were asked for.
    pub events: Vec<Event>,
    /// What was heard so far of the answer that is being given, as [`crate::event::What::Text`] and `Thought` from 0. A `Notice`
    /// says what is wrong with the file, if something is.
    pub passing: Vec<Event>,
}

/// Something to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendParams {
    /// A new one if it names none. One in which a turn is going on hears it in its next iteration; then there is a text alone,
    /// for what else a turn is begun with holds until its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    pub text: String,
    /// As `--model`; that of the conversation, else the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u64>,
    /// Patterns of tools that exist for this turn, as `--tools`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The final answer is data that fits this JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// In front of zubi's own instructions to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
}

/// Where it was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SendResult {
    pub conversation: String,
    pub turn: u64,
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerParams {
    pub conversation: String,
    pub question: String,
    /// As `zubi_tool_api::cx::ApprovalAnswer`: `{"allow": {"option": 0, "arguments": null}}`, `{"deny": {"text": "…"}}`.
    pub answer: Value,
}

/// A new title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    pub conversation: String,
    pub title: String,
}

/// A conversation as a scenario, which `mock:FILE` and `zubi agent replay FILE` play.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExportedScenario {
    /// A file's name for it.
    pub name: String,
    /// YAML.
    pub scenario: String,
}

/// The tools, as `zubi tools show --json` prints each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolList {
    pub tools: Vec<Value>,
}

/// A call by hand. Its question, if there is one, is told under [`INSPECTOR`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallTool {
    pub tool: String,
    pub arguments: Value,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManualCallResult {
    pub text: String,
    pub is_error: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Milliseconds.
    pub duration: u64,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConversationEvent {
    pub conversation: String,
    pub event: Event,
}
