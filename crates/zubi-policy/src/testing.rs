//! Tool specifications for tests, also for other crates with the feature `testing`.

#![expect(clippy::unwrap_used, reason = "a test's helper fails the test that called it")]

use std::time::Duration;

use serde_json::json;

use crate::spec::{Approval, Effect, Exposure, ToolSpec};

/// Creates a plain specification with a string parameter `text`.
pub fn spec(id: &str, effect: Effect) -> ToolSpec {
    let input = json!({
        "type": "object",
        "properties": {"text": {"type": "string", "description": "Any text."}},
    });
    ToolSpec {
        id: id.to_owned(),
        title: id.to_owned(),
        description: "Does something for a test.".to_owned(),
        input: input.as_object().unwrap().clone(),
        examples: Vec::new(),
        notes: String::new(),
        effect,
        toolset: id.split(['.', '_']).next().unwrap().to_owned(),
        exposure: Exposure::Direct,
        approval: Approval::ByEffect,
        timeout: Duration::from_mins(1),
        category: "test".to_owned(),
        tags: Vec::new(),
        icon: None,
    }
}
