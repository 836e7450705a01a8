//! What happens in a conversation, one event at a time. The same events are kept in its file, printed by `zubi agent run
//! --json` and sent to chat pages, so their names are for good: a change of meaning is a new [`VERSION`].
//!
//! A conversation is made of turns: a person says something, the model answers in iterations with calls between them, the turn
//! ends. What is kept is enough to tell the model everything again ([`crate::history`]).

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zubi_tools::{Code, Effect};

use crate::message::{AssistantMessage, Usage};
use crate::model::{ErrorKind, FinishReason};

/// Of the events, in the first line of each file.
pub const VERSION: u32 = 1;

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// From 1, without gaps, in the order of the file. An event that is not kept has that of the last one that is.
    pub seq: u64,
    /// Milliseconds since the Unix epoch.
    pub at: u64,
    #[serde(flatten)]
    pub what: EventKind,
}

/// What happened.
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
    /// It is called this from now on. Before, it is called by its first words.
    Titled { title: String },
    /// A person says something. Begins a turn unless one is going on: then the model hears it in its next iteration.
    Asked { turn: u64, text: String },
    /// The model is asked.
    Iteration {
        turn: u64,
        /// From 1, in each turn.
        iteration: u64,
        /// [`crate::model::ModelInfo::id`].
        model: String,
    },
    /// The model has answered.
    Answered {
        turn: u64,
        iteration: u64,
        said: AssistantMessage,
        usage: Usage,
        stop: FinishReason,
        /// It was stopped while it spoke; `said` is how far it came, without calls.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        interrupted: bool,
    },
    /// The model gave no answer and is asked again. What was heard of this iteration counts for nothing.
    Retrying {
        turn: u64,
        iteration: u64,
        kind: ErrorKind,
        message: String,
        /// Which try failed, from 1.
        attempt: u64,
        /// Milliseconds until the next.
        wait: u64,
    },
    /// A call of the model begins: it has been looked up and, where it may be asked about, its footprint worked out.
    Calling {
        turn: u64,
        call: String,
        /// The tool's id; as the model wrote it if there is no such tool.
        tool: String,
        /// For a person: the tool's title and the argument that tells most, as `Read file: src/main.rs`.
        summary: String,
        arguments: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<String>")]
        effect: Option<Effect>,
        /// What it would change, a unified diff, or what it would send.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        preview: Option<String>,
    },
    /// A person is asked whether a call may be made.
    Question {
        turn: u64,
        call: String,
        question: String,
        /// As `zubi_tools::cx::ApprovalRequest`: tool, why, rule, footprint, arguments, options.
        request: Value,
    },
    /// The answer.
    Decision {
        question: String,
        /// As `zubi_tools::cx::ApprovalAnswer`.
        answer: Value,
        /// Through which door it came: `web`, `editor`, `terminal`, `--auto-approve`.
        by: String,
    },
    /// What came of a call.
    Result {
        turn: u64,
        call: String,
        /// As the model is told.
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<String>")]
        failure: Option<Code>,
        /// Milliseconds.
        duration: u64,
    },
    /// The prompt became too long: from now on the model is told `summary` in place of what was before `before`, and the
    /// results of the calls in `pruned` are left out of what remains. The person's words are never taken out.
    Compacted {
        turn: u64,
        /// Seq of the first event that is still told word for word.
        before: u64,
        summary: String,
        pruned: Vec<String>,
        /// Tokens of the prompt, estimated.
        tokens_before: u64,
        tokens_after: u64,
    },
    /// Something that the person should know.
    Notice { turn: u64, text: String },
    /// The turn has ended.
    Ended(TurnEnded),
    /// Text of the answer that is being given; not kept.
    Text {
        turn: u64,
        iteration: u64,
        /// Where in the text of this iteration it belongs, in UTF-16 code units: a page that comes later, or hears it twice,
        /// puts it there.
        offset: u64,
        text: String,
    },
    /// The same of what the model thinks aloud; not kept.
    Thought { turn: u64, iteration: u64, offset: u64, text: String },
    /// How far a call is; not kept.
    Progress {
        call: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fraction: Option<f64>,
        message: String,
    },
}

impl EventKind {
    /// Whether it stands in the conversation's file.
    pub fn is_persisted(&self) -> bool {
        !matches!(self, Self::Text { .. } | Self::Thought { .. } | Self::Progress { .. })
    }
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnEnded {
    pub turn: u64,
    pub reason: StopReason,
    /// The final answer; where there is none, a report of what was done and what was not.
    pub text: String,
    /// The final answer as data, where a schema was given and it fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// What went wrong, with the next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    pub iterations: u64,
    pub calls: u64,
    pub usage: Usage,
    /// Milliseconds.
    pub duration: u64,
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model has answered.
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
