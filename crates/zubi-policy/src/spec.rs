//! The specification of a tool.

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

/// The lists that contain a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exposure {
    /// In every list.
    Direct,
    /// Found with `zubi_find_tools` and called with `zubi_call_read_tool` or `zubi_call_tool`, so that tool lists stay
    /// short.
    Deferred,
    /// Callable by id, never listed.
    Hidden,
}

/// Whether a call requires the user's approval before any rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approval {
    /// The effect of the call decides.
    ByEffect,
    /// The tool's author requires approval for each call.
    Always,
}

/// The toolsets of the built-in tools whose writes can be undone.
const REVERSIBLE_TOOLSETS: [&str; 4] = [EDIT_TOOLSET, "file", "refactor", "settings"];

/// A JSON Schema for a tool's arguments, in the portable subset that `zubi_tool_api::schema` checks.
pub type Schema = Map<String, Value>;

/// An example call, for models that accept examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    pub title: String,
    pub args: Value,
}

/// The specification of a tool: everything that a surface needs to list it and the policy needs to judge it.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// Segments of `[A-Za-z0-9_-]+` joined by dots; the first begins with a letter: `lsp_definition`, `file.read`.
    /// Files, filters, the policy and the command line use this id.
    pub id: String,
    pub title: String,
    /// At most 1,024 bytes. The first 300 characters state the result and when to use the tool.
    pub description: String,
    pub input: Schema,
    pub examples: Vec<Example>,
    /// Longer notes for users, which lists omit.
    pub notes: String,
    pub effect: Effect,
    /// Toolset that `--toolsets` selects: `lsp`, `edit`, `domainlang`.
    pub toolset: String,
    pub exposure: Exposure,
    pub approval: Approval,
    /// The time-out after which zubi cancels the call and reports the time-out.
    pub timeout: Duration,
    pub category: String,
    pub tags: Vec<String>,
    /// A codicon name or an `https:`/`data:` URI.
    pub icon: Option<String>,
}

/// The toolset of the tools that apply plans and revert edits.
pub const EDIT_TOOLSET: &str = "edit";

/// The toolset of the tools that find and call others.
pub const META_TOOLSET: &str = "tools";

/// The ids of the tools of [`META_TOOLSET`]. Some clients show tools without the name of their server, so these names
/// say whose tools they find and call.
pub const FIND_TOOLS: &str = "zubi_find_tools";
pub const CALL_READ_TOOL: &str = "zubi_call_read_tool";
pub const CALL_TOOL: &str = "zubi_call_tool";

/// The former ids of tools, with the present ones. Calls, filters and rules accept both.
const FORMER_IDS: [(&str, &str); 3] =
    [("find_tools", FIND_TOOLS), ("call_read_tool", CALL_READ_TOOL), ("call_tool", CALL_TOOL)];

/// Returns the present id of a tool for a former one; any other name is returned as it is.
pub fn present_id(name: &str) -> &str {
    FORMER_IDS.iter().find(|(former, _)| *former == name).map_or(name, |(_, present)| present)
}

/// Returns the former id of a tool, if it has one.
pub fn former_id(id: &str) -> Option<&'static str> {
    FORMER_IDS.iter().find(|(_, present)| *present == id).map(|(former, _)| *former)
}

/// Returns the name of a tool in MCP, VS Code and model APIs: the id with `_` instead of `.`. A wire name is unchanged.
pub fn wire_name(id: &str) -> String {
    id.replace('.', "_")
}

/// Returns whether `name` is the tool's id, its wire name or its former id.
pub fn is_called(id: &str, name: &str) -> bool {
    id == name || wire_name(id) == name || id == present_id(name)
}

impl ToolSpec {
    pub fn wire_name(&self) -> String {
        wire_name(&self.id)
    }

    /// Returns whether clients learn that a call may change something, so that they prompt their user before it.
    pub fn is_to_be_confirmed(&self) -> bool {
        self.effect > Effect::Plan || self.approval == Approval::Always
    }

    /// Whether a later call can take back everything that a call of the tool changes, and the tool never overwrites a
    /// change that it does not know. These are the built-in tools that write through plans, or settings; nothing is known
    /// about the tools of files and of other programs, whose toolsets have other names.
    pub fn is_reversible(&self) -> bool {
        self.effect <= Effect::Plan
            || (self.effect == Effect::Write && REVERSIBLE_TOOLSETS.contains(&self.toolset.as_str()))
    }

    /// Returns the specification as JSON, for programs that list tools.
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
