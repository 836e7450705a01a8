//! The description of a tool.

use std::time::Duration;

use serde_json::{Map, Value, json};

/// The worst effect that a call can have. Every permission decision starts here.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Looks only.
    Read,
    /// Prepares a change and remembers it; nothing outside zubi's own state directory is touched.
    Plan,
    /// Changes files of the workspace.
    Write,
    /// Runs something whose effect cannot be known.
    Execute,
    /// Reaches beyond this machine.
    Network,
}

/// The lists in which a tool appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exposure {
    /// In every list.
    Direct,
    /// Found through `find_tools`, called through `call_read_tool` or `call_tool`; this makes tool lists shorter.
    Deferred,
    /// Callable by id, never listed.
    Hidden,
}

/// Whether a call needs a person's yes, before any rule is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approval {
    /// The effect decides.
    ByEffect,
    /// The tool's author requires approval for each call.
    Always,
}

/// A JSON Schema for a tool's arguments, in the portable subset (`zubi_tool_api::schema` checks it).
pub type Schema = Map<String, Value>;

/// One worked call, shown to models that take examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    pub title: String,
    pub args: Value,
}

/// The description of a tool: everything that a surface needs to list it and a policy needs to judge it.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// Segments of `[A-Za-z0-9_-]+` joined by dots, the first of which begins with a letter: `lsp_definition`,
    /// `file.read`. Files, filters, the policy and the command line use this id.
    pub id: String,
    pub title: String,
    /// At most 1,024 bytes; the first 300 characters say what comes back and when to use it.
    pub description: String,
    pub input: Schema,
    pub examples: Vec<Example>,
    /// Longer notes for people, not sent with lists.
    pub notes: String,
    pub effect: Effect,
    /// Group that `--toolsets` selects: `lsp`, `edit`, `domainlang`.
    pub toolset: String,
    pub exposure: Exposure,
    pub approval: Approval,
    /// The time-out after which zubi cancels the call and reports that.
    pub timeout: Duration,
    pub category: String,
    pub tags: Vec<String>,
    /// A codicon name or an `https:`/`data:` URI.
    pub icon: Option<String>,
}

/// The name on MCP, VS Code and model APIs of the tool with this id: `.` as `_`. A name of the wire is its own.
pub fn wire_name(id: &str) -> String {
    id.replace('.', "_")
}

/// Whether `name` refers to the tool with this id: it is the id itself or the id's wire name.
pub fn is_called(id: &str, name: &str) -> bool {
    id == name || wire_name(id) == name
}

impl ToolSpec {
    pub fn wire_name(&self) -> String {
        wire_name(&self.id)
    }

    /// Whether clients learn that a call may change something, so that they prompt their user before they make it.
    pub fn is_to_be_confirmed(&self) -> bool {
        self.effect > Effect::Plan || self.approval == Approval::Always
    }

    /// As data, for programs that list tools.
    pub fn to_json(&self) -> Value {
        let examples: Vec<Value> =
            self.examples.iter().map(|example| json!({ "title": example.title, "arguments": example.args })).collect();
        json!({
            "id": self.id,
            "name": self.wire_name(),
            "title": self.title,
            "description": self.description,
            "effect": self.effect,
            "toolset": self.toolset,
            "category": self.category,
            "tags": self.tags,
            "exposure": self.exposure,
            "inputSchema": self.input,
            "examples": examples,
        })
    }
}
