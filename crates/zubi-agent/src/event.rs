//! The events of a conversation. The conversation's file stores them, `zubi agent run --json` prints them, and chat
//! pages receive them, so their names are stable: a change of meaning requires a new [`VERSION`].
//!
//! A conversation consists of turns. In a turn, the user sends a message, and the model answers in iterations with
//! calls between them. The stored events are enough to rebuild the prompt ([`crate::history`]).

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zubi_tool_api::{Effect, ErrorCode};

pub use zubi_models::message::StopReason;
use zubi_models::message::{AssistantMessage, TokenUsage};
use zubi_models::{ErrorKind, FinishReason};

/// The version of the events, in the first line of each file.
pub const VERSION: u32 = 1;

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Event")]
pub struct AgentEvent {
    /// From 1, without gaps, in the order of the file. An event that is not stored has the number of the last stored one.
    pub seq: u64,
    /// Milliseconds since the Unix epoch.
    pub at: u64,
    #[serde(flatten)]
    pub kind: EventKind,
}

/// The kind of an event, with its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EventKind {
    /// The first event of each conversation.
    Began {
        version: u32,
        conversation: String,
        #[schemars(with = "Vec<String>")]
        folders: Vec<Utf8PathBuf>,
        /// Version of the program.
        zubi: String,
    },
    /// The title from now on. Before, the title is the beginning of the first message.
    Titled { title: String },
    /// A message of the user. Begins a turn unless one is running: then the model receives it with its next request.
    #[serde(rename = "asked")]
    UserMessage { turn: u64, text: String },
    /// A request to the model.
    Iteration {
        turn: u64,
        /// From 1, in each turn.
        iteration: u64,
        /// [`zubi_models::ModelInfo::id`].
        model: String,
    },
    /// The model's answer.
    Answered {
        turn: u64,
        iteration: u64,
        #[serde(rename = "said")]
        message: AssistantMessage,
        usage: TokenUsage,
        stop: FinishReason,
        /// The user stopped the answer; `said` is the part so far, without calls.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        interrupted: bool,
    },
    /// The request failed and is sent again. The deltas of this iteration do not count.
    Retrying {
        turn: u64,
        iteration: u64,
        kind: ErrorKind,
        message: String,
        /// The number of the failed attempt, from 1.
        attempt: u64,
        /// Milliseconds until the next attempt.
        wait: u64,
    },
    /// A call of the model begins: its tool is known and, if the policy may require approval, its footprint.
    Calling {
        turn: u64,
        call: String,
        /// The tool's id; as the model wrote it if there is no such tool.
        tool: String,
        /// For people: the tool's title and its key argument, such as `Read file: src/main.rs`.
        summary: String,
        arguments: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<String>")]
        effect: Option<Effect>,
        /// The change as a unified diff, or the data to send.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        preview: Option<String>,
        /// Whether the tool only calls the tool in its arguments: an approval prompt and edited arguments are then about
        /// that call.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        delegates: bool,
    },
    /// An approval prompt for a call.
    Question {
        turn: u64,
        call: String,
        question: String,
        /// As `zubi_tool_api::cx::ApprovalRequest`: tool, why, rule, footprint, arguments, options.
        request: Value,
    },
    /// The answer to the prompt.
    Decision {
        question: String,
        /// As `zubi_tool_api::cx::ApprovalAnswer`.
        answer: Value,
        /// The surface of the answer: `web`, `editor`, `terminal`, `--auto-approve`.
        #[serde(rename = "by")]
        surface: String,
    },
    /// The result of a call.
    Result {
        turn: u64,
        call: String,
        /// The text for the model.
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<String>")]
        failure: Option<ErrorCode>,
        /// Milliseconds.
        duration: u64,
    },
    /// The prompt became too long: from now on the model receives `summary` instead of the events before `before`, and no
    /// results of the calls in `pruned`. Messages of the user are never removed.
    Compacted {
        turn: u64,
        /// The number of the first event that the prompt still contains in full.
        before: u64,
        summary: String,
        pruned: Vec<String>,
        /// The estimated tokens of the prompt.
        tokens_before: u64,
        tokens_after: u64,
    },
    /// A note for the user.
    Notice { turn: u64, text: String },
    /// The turn has ended.
    Ended(TurnEnded),
    /// A delta of the answer; not stored.
    Text {
        turn: u64,
        iteration: u64,
        /// The offset in the text of this iteration, in UTF-16 code units: a page that joins later, or receives a delta twice,
        /// inserts it there.
        offset: u64,
        text: String,
    },
    /// A delta of the model's reasoning; not stored.
    Thought { turn: u64, iteration: u64, offset: u64, text: String },
    /// The progress of a call; not stored.
    Progress {
        call: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fraction: Option<f64>,
        message: String,
    },
}

impl EventKind {
    /// Whether the conversation's file contains the event.
    pub fn is_persisted(&self) -> bool {
        !matches!(self, Self::Text { .. } | Self::Thought { .. } | Self::Progress { .. })
    }
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnEnded {
    pub turn: u64,
    pub reason: StopReason,
    /// The final answer; without one, a report of the work done and not done.
    pub text: String,
    /// The final answer as data, if there is a schema and the answer matches it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// The problem, with a hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    pub iterations: u64,
    pub calls: u64,
    pub usage: TokenUsage,
    /// Milliseconds.
    pub duration: u64,
}
