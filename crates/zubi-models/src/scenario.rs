//! Scenarios: a conversation with its model's answers, as a file. The model `mock:FILE` plays one, a conversation is
//! exported as one, and a replay compares one with the actual run.
//!
//! This module owns the format and its limits; other modules play and compare scenarios.
//!
//! ```yaml
//! zubiScenario: 1
//! title: The catalogue of a shop
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
use crate::message::{StopReason, TokenUsage};

/// The current version of the format.
pub const VERSION: u32 = 1;
/// The maximum length of a scenario's text, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// The maximum delay before an answer, in milliseconds.
const MAX_DELAY: u64 = 600_000;

/// A conversation to play.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// The version of the format.
    pub zubi_scenario: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    #[serde(default)]
    pub turns: Vec<ScenarioTurn>,
}

/// The user's message, and everything until the turn ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Turn")]
pub struct ScenarioTurn {
    pub user: String,
    #[serde(default)]
    pub answers: Vec<ScenarioAnswer>,
    /// The results of the calls, in the order of the calls; the mock ignores them, a replay compares them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ScenarioOutcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<StopReason>,
}

/// One answer of the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Answer")]
pub struct ScenarioAnswer {
    /// Conditions on the prompt.
    #[serde(skip_serializing_if = "Expectation::is_empty")]
    pub expect: Expectation,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ScenarioCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
    /// Replaces the answer, after text and reasoning have been sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ScenarioFailure>,
    /// In milliseconds, before the first delta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
}

/// A call of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Call")]
pub struct ScenarioCall {
    /// The wire name; the id of a tool is accepted too.
    pub tool: String,
    /// An object, or the model's own text if that was not an object.
    #[serde(default = "no_arguments")]
    pub arguments: Value,
}

/// An error in place of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Failure")]
pub struct ScenarioFailure {
    pub kind: ErrorKind,
    pub message: String,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Outcome")]
pub struct ScenarioOutcome {
    pub tool: String,
    #[serde(default = "no_arguments")]
    pub arguments: Value,
    pub text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// Conditions on the prompt that the model receives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Expectation {
    /// Texts that must each occur somewhere: in the instructions, in a message, or in the result of a call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contains: Vec<String>,
    /// Texts by tool; each must occur in the result of one of the tool's calls since the last answer.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub outcome: BTreeMap<String, String>,
}

impl Expectation {
    fn is_empty(&self) -> bool {
        self.contains.is_empty() && self.outcome.is_empty()
    }
}

/// The reason why a text is not a valid scenario, with the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    #[error("it has {0} bytes, more than the {MAX_BYTES} that a scenario may have")]
    TooLong(usize),
    #[error("{0}")]
    Unreadable(String),
    #[error("it has version {0} of the format, and this zubi reads version {VERSION}: use a newer zubi")]
    Newer(u32),
    #[error("an answer waits {0} ms, more than the {MAX_DELAY} that it may")]
    TooSlow(u64),
    #[error("the arguments of a call of `{0}` are neither an object nor a text")]
    Arguments(String),
}

/// The fields that every version of the format has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    zubi_scenario: u32,
}

impl Scenario {
    /// Parses YAML, which includes JSON.
    pub fn read(text: &str) -> Result<Self, ScenarioError> {
        if text.len() > MAX_BYTES {
            return Err(ScenarioError::TooLong(text.len()));
        }
        // A newer version may have more fields: the error about the version is more helpful. Errors have no excerpts of
        // the text: they are shown on one line, and the file's content may be private.
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

    /// Returns the scenario as YAML, with a line feed at its end.
    pub fn to_yaml(&self) -> Result<String, ScenarioError> {
        serde_saphyr::to_string(self).map_err(|error| ScenarioError::Unreadable(error.to_string()))
    }
}

/// Returns the line in which each answer of a scenario's text begins, over all turns, 1-based; empty if the lines
/// cannot be determined.
pub(crate) fn answer_lines(text: &str) -> Vec<u64> {
    #[derive(Deserialize)]
    struct ConversationPositions {
        #[serde(default)]
        turns: Vec<TurnPositions>,
    }
    #[derive(Deserialize)]
    struct TurnPositions {
        #[serde(default)]
        answers: Vec<serde_saphyr::Spanned<IgnoredAny>>,
    }
    let positions: Result<ConversationPositions, _> =
        serde_saphyr::from_str_with_options(text, serde_saphyr::options! { with_snippet: false });
    let turns = positions.map(|positions| positions.turns).unwrap_or_default();
    turns.iter().flat_map(|turn| &turn.answers).map(|answer| answer.referenced.line()).collect()
}

fn no_arguments() -> Value {
    Value::Object(Map::new())
}

#[cfg(test)]
mod tests;
