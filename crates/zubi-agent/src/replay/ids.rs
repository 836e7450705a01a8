//! Ids that are generated for each run: of plans, of code actions, of outputs, of background commands. In a replayed
//! call, they are replaced by the current ids.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// The ids: `p-` or `a-` with ten Base32 characters, or `o-` with 16 hexadecimal digits.
#[expect(clippy::expect_used, reason = "the pattern is a constant, and the tests use it")]
static ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:[pa]-[a-z2-7]{10}|o-[0-9a-f]{16})\b").expect("a constant pattern"));
/// A number with a unit of time.
#[expect(clippy::expect_used, reason = "the pattern is a constant, and the tests use it")]
static TIME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b\d+(?:\.\d+)? ?(?:µs|ms|s|min|h)\b").expect("a constant pattern"));

/// The current id for each recorded id.
#[derive(Debug, Default)]
pub(super) struct IdMap(BTreeMap<String, String>);

impl IdMap {
    /// Learns the current ids from the recorded result of a call and the current one, as far as both have ids at the
    /// same positions.
    pub(super) fn learn(&mut self, recorded: &str, current: &str) {
        let suffix = |text: &'_ str| text.split_once('-').map_or("", |(_, suffix)| suffix).to_owned();
        for (recorded, current) in ID.find_iter(recorded).zip(ID.find_iter(current)) {
            // The ids of a plan and of the code action that it resolves differ only in the first letter.
            self.0.insert(suffix(recorded.as_str()), suffix(current.as_str()));
        }
    }

    /// Returns the arguments with the current ids.
    pub(super) fn current(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let replacement = |captures: &regex::Captures<'_>| {
                    let recorded = captures.get(0).map_or("", |id| id.as_str());
                    let mapped = recorded.split_once('-').and_then(|(kind, suffix)| Some((kind, self.0.get(suffix)?)));
                    mapped.map_or_else(|| recorded.to_owned(), |(kind, current)| format!("{kind}-{current}"))
                };
                ID.replace_all(text, replacement).into_owned().into()
            }
            Value::Array(items) => items.iter().map(|item| self.current(item)).collect(),
            Value::Object(fields) => {
                Value::Object(fields.iter().map(|(name, inner)| (name.clone(), self.current(inner))).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

/// Returns a text without the parts that differ between runs.
pub(super) fn normalize(text: &str) -> String {
    let text = ID.replace_all(text, "(id)");
    TIME.replace_all(&text, "(time)").into_owned()
}

/// Applies [`normalize`] to every text in a value.
pub(super) fn normalize_value(value: &Value) -> Value {
    match value {
        Value::String(text) => normalize(text).into(),
        Value::Array(items) => items.iter().map(normalize_value).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, inner)| (name.clone(), normalize_value(inner))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
