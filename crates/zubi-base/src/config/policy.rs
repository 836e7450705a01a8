//! Rules of the policy as they stand in a file: kept as data with their line. What they mean is the policy's business,
//! and a rule that is broken must not keep the program from starting: it closes the policy instead.

use serde::de::Deserializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Source;

/// One `[[policy]]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolicyRule {
    /// Where it begins, 1-based; 0 where it is not from a file.
    pub line: usize,
    pub rule: Value,
}

/// A rule and the layer that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcedRule {
    pub rule: PolicyRule,
    pub source: Source,
    /// Whether the user wrote it or trusts the file as it is now. Where not, what it says in words is nobody's to read.
    pub trusted: bool,
}

impl PolicyRule {
    /// Whether it can only take away: it asks or denies. One whose action is not understood breaks the policy, which
    /// takes away everything.
    pub fn is_restrictive(&self) -> bool {
        self.rule.get("action").and_then(Value::as_str) != Some("allow")
    }
}

impl<'de> Deserialize<'de> for PolicyRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<Value>::deserialize(deserializer)?;
        // The place in the text; the reader of the file makes a line of it.
        Ok(Self { line: spanned.span().start, rule: spanned.into_inner() })
    }
}
