//! Policy rules as written in a file, as data with their line. The policy interprets them. An invalid rule does not
//! prevent the program from starting; the policy then denies everything instead.

use serde::de::Deserializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::SettingSource;

/// One `[[policy]]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolicyRule {
    /// The 1-based line at which the rule begins; 0 if the rule is not from a file.
    pub line: usize,
    pub rule: Value,
}

/// A rule and the layer that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcedRule {
    pub rule: PolicyRule,
    pub source: SettingSource,
    /// Whether the user wrote the rule or trusts the present content of its file. Otherwise zubi does not show the
    /// texts of the rule.
    pub trusted: bool,
}

impl PolicyRule {
    /// Whether the rule can only restrict: its action is `ask` or `deny`. A rule with an unknown action is restrictive
    /// too, because it invalidates the policy, which then denies everything.
    pub fn is_restrictive(&self) -> bool {
        self.rule.get("action").and_then(Value::as_str) != Some("allow")
    }
}

impl<'de> Deserialize<'de> for PolicyRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<Value>::deserialize(deserializer)?;
        // A byte offset. The reader of the file converts it to a line.
        Ok(Self { line: spanned.span().start, rule: spanned.into_inner() })
    }
}
