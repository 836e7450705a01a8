//! Scenarios: a conversation with its model's answers, as a file. The model `mock:FILE` plays one, a conversation is exported as
//! one, and a replay compares one with what happens.
//!
//! Owns the format and its bounds; who plays and who compares stand elsewhere.
//!
//! ```yaml
//! zubiScenario: 1
//! title: What a shop sells
//! turns:
//! - user: What is in the catalogue?
//!   answers:
//!   - text: I look.
//!     calls:
//!     - {tool: file_read, arguments: {path: catalogue.md}}
//!   - expect: {outcome: {file_read: tea}}
//!     text: Tea.
//!   ended: completed
//! ```

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ErrorKind;
use crate::message::{StopReason, Usage};

/// Of the format.
pub const VERSION: u32 = 1;
/// In bytes; no more than is read as a text.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// In milliseconds.
const MAX_DELAY: u64 = 600_000;

/// A conversation to be played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// The version of the format.
    pub zubi_scenario: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    #[serde(default)]
    pub turns: Vec<Turn>,
}

/// What a person says, and everything until the turn ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    pub user: String,
    #[serde(default)]
    pub answers: Vec<Answer>,
    /// What came of the calls, in the order of the calls; the model that plays does not read it, a replay compares it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<Outcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<StopReason>,
}

/// One answer of the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Answer {
    /// What has to be true of the question.
    #[serde(skip_serializing_if = "Expectation::is_empty")]
    pub expect: Expectation,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// In place of an answer, after text and reasoning have been heard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Before the first piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
}

/// A call of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Wire name; the id of a tool is understood too.
    pub tool: String,
    /// An object, or the text that the model wrote if it was none.
    #[serde(default = "no_arguments")]
    pub arguments: Value,
}

/// The model gives no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    pub kind: ErrorKind,
    pub message: String,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    pub tool: String,
    #[serde(default = "no_arguments")]
    pub arguments: Value,
    pub text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// What has to be true of what the model is told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Expectation {
    /// Each of them stands somewhere: in the instructions, in what was said, in what came of a call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contains: Vec<String>,
    /// By tool, what stands in what came of one of its calls since the last answer.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub outcome: BTreeMap<String, String>,
}

impl Expectation {
    fn is_empty(&self) -> bool {
        self.contains.is_empty() && self.outcome.is_empty()
    }
}

/// Why a text is no scenario. Says the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    #[error("it has {0} bytes, more than the {MAX_BYTES} that a scenario may have")]
    TooLong(usize),
    #[error("{0}")]
    Unreadable(String),
    #[error("it is of version {0} of the format, this program reads version {VERSION}: use a newer zubi")]
    Newer(u32),
    #[error("an answer waits {0} ms, more than the {MAX_DELAY} that it may")]
    TooSlow(u64),
    #[error("the arguments of a call of `{0}` are neither an object nor a text")]
    Arguments(String),
}

/// What every version of the format has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    zubi_scenario: u32,
}

impl Scenario {
    /// From YAML, of which JSON is a part.
    pub fn read(text: &str) -> Result<Self, ScenarioError> {
        if text.len() > MAX_BYTES {
            return Err(ScenarioError::TooLong(text.len()));
        }
        // One that is newer may have more in it: that it is newer is the better message.
        // Without excerpts of the text: errors are shown on one line, and what stands in a file may be private.
        let options = || serde_saphyr::options! { with_snippet: false };
        if let Ok(Version { zubi_scenario }) = serde_saphyr::from_str_with_options(text, options())
            && zubi_scenario != VERSION
        {
            return Err(ScenarioError::Newer(zubi_scenario));
        }
        let scenario: Self = serde_saphyr::from_str_with_options(text, options())
            .map_err(|error| ScenarioError::Unreadable(error.to_string()))?;
        for answer in scenario.turns.iter().flat_map(|turn| &turn.answers) {
            if let Some(delay) = answer.delay_ms.filter(|delay| *delay > MAX_DELAY) {
                return Err(ScenarioError::TooSlow(delay));
            }
            if let Some(call) =
                answer.calls.iter().find(|call| !call.arguments.is_object() && !call.arguments.is_string())
            {
                return Err(ScenarioError::Arguments(call.tool.clone()));
            }
        }
        Ok(scenario)
    }

    /// As YAML, with a line feed at its end.
    pub fn to_yaml(&self) -> Result<String, ScenarioError> {
        serde_saphyr::to_string(self).map_err(|error| ScenarioError::Unreadable(error.to_string()))
    }
}

/// The line in which each answer of a scenario's text begins, over all turns, from 1; nothing where it cannot be told.
pub(crate) fn lines_of_answers(text: &str) -> Vec<u64> {
    #[derive(Deserialize)]
    struct ConversationPositions {
        #[serde(default)]
        turns: Vec<OfTurn>,
    }
    #[derive(Deserialize)]
    struct OfTurn {
        #[serde(default)]
        answers: Vec<serde_saphyr::Spanned<IgnoredAny>>,
    }
    let places: Result<ConversationPositions, _> =
        serde_saphyr::from_str_with_options(text, serde_saphyr::options! { with_snippet: false });
    let turns = places.map(|places| places.turns).unwrap_or_default();
    turns.iter().flat_map(|turn| &turn.answers).map(|answer| answer.referenced.line()).collect()
}

fn no_arguments() -> Value {
    Value::Object(Map::new())
}

#[cfg(test)]
mod tests;
