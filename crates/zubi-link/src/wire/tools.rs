//! `tools/*`, `policy/*` and `resources/*`: what a surface asks of a host, from another process.
//!
//! Over the port only tools that look can be listed and called, and nobody is asked anything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the caller may not do. Every filter must be passed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Restrictions {
    /// No tool that writes, runs or sends anything.
    pub read_only: bool,
    /// Filters over toolsets, each a list of patterns.
    pub toolsets: Vec<Vec<String>>,
    /// Filters over ids of tools, likewise.
    pub tools: Vec<Vec<String>>,
}

/// `tools/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListParams {
    /// Nothing: those of the user's and the workspace's settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restrictions: Option<Restrictions>,
}

/// One tool. `description`, `input` and `effect` are as `zubi tools show --json` prints them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    pub id: String,
    pub title: String,
    pub description: String,
    /// JSON Schema of the arguments, an object.
    pub input: serde_json::Map<String, Value>,
    #[serde(default)]
    pub examples: Vec<Value>,
    #[serde(default)]
    pub notes: String,
    /// `read`, `plan`, `write`, `execute` or `network`.
    pub effect: String,
    pub toolset: String,
    /// `direct`, `deferred` or `hidden`.
    pub exposure: String,
    pub approval: String,
    /// In milliseconds.
    pub timeout: u64,
    pub category: String,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub icon: Option<String>,
}

/// The answer to `tools/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolList {
    pub tools: Vec<Tool>,
}

/// `tools/find`: one tool by id or wire name, hidden ones too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindParams {
    pub name: String,
    /// As in `tools/list`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub restrictions: Option<Restrictions>,
}

/// `tools/call` and `tools/explain`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallParams {
    /// Id or wire name.
    pub tool: String,
    #[serde(default)]
    pub arguments: Value,
    /// Whose door the call came through (`mcp`, `command-line`, `agent`); nothing is `ipc`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub surface: Option<String>,
    /// Name and version of who asks, for the audit log.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client: Option<String>,
    /// Which of the client's own sessions the call belongs to, where it has several (conversations, say): what a person allows for
    /// the session holds for that one alone. The numbers are the client's own; another client's sessions are others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<u64>,
    /// As in `tools/list`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub restrictions: Option<Restrictions>,
    /// Upper bound of the text, in tokens.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub budget: Option<usize>,
    /// How long the caller waits at most, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub patience: Option<u64>,
    /// Progress comes as notifications `$/progress {token, value}` with this token.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub token: Option<Value>,
    /// Whether `approval/request` can be sent to the caller.
    #[serde(default)]
    pub asks: bool,
    /// Whether the client itself asks its user before each call.
    #[serde(default)]
    pub client_asks: bool,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    /// As every surface has it, with the status line.
    pub text: String,
    /// For machines, where the tool has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub data: Option<Value>,
    pub is_error: bool,
    /// Of a failure what programs branch on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// Of a failure the next step, which is the end of `text`.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub next: String,
    /// From the call to the answer, in milliseconds.
    pub duration: f64,
    /// Whether the text ends in a status line.
    #[serde(default)]
    pub status: bool,
}

/// The value of `$/progress`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// From 0 to 1, when known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fraction: Option<f64>,
    pub message: String,
}

/// `$/progress`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgressParams {
    pub token: Value,
    pub value: Progress,
}

/// `tools/register`: tools whose calls this client answers, as long as it is connected. Their ids are prefixed with its
/// name and a dot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegisterParams {
    /// `[a-z][a-z0-9_]*`: whose tools they are.
    pub client: String,
    #[serde(default)]
    pub tools: Vec<ContributedTool>,
    /// Names of `function` handlers that tool files may name.
    #[serde(default)]
    pub functions: Vec<String>,
}

/// A tool that a client contributes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContributedTool {
    /// Without the client's prefix.
    pub id: String,
    pub description: String,
    #[serde(default)]
    pub title: Option<String>,
    /// JSON Schema of the arguments, an object; nothing means none.
    #[serde(default)]
    pub input: Option<serde_json::Map<String, Value>>,
    /// `read`, `plan`, `write`, `execute` or `network`; `execute` if it is not said.
    #[serde(default)]
    pub effect: Option<String>,
    /// Whether the user is asked before each call; not said: the effect decides. A tool that says no and no effect is `read`.
    #[serde(default)]
    pub requires_approval: Option<bool>,
    #[serde(default)]
    pub category: Option<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    /// In milliseconds.
    #[serde(default)]
    pub timeout: Option<u64>,
}

/// The answer to `tools/register`: the whole ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisteredTools {
    pub tools: Vec<String>,
    pub functions: Vec<String>,
}

/// `tools/unregister`: by what was registered; both empty: everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UnregisterParams {
    pub tools: Vec<String>,
    pub functions: Vec<String>,
}

/// `tools/invoke`, from the host to the client that has registered the tool or function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvokeParams {
    /// As it was registered, without the client's prefix.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
    pub arguments: Value,
}

/// The answer to `tools/invoke`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct InvokeResult {
    pub success: bool,
    /// A text is shown as it is, anything else as JSON.
    pub data: Value,
    /// Of a failure, what went wrong.
    pub error: Option<String>,
}

/// The tools: [`ListParams`] to [`ToolList`].
pub const LIST: &str = "tools/list";
/// One tool: [`FindParams`] to [`Tool`].
pub const FIND: &str = "tools/find";
/// Calls a tool: [`CallParams`] to [`CallResult`].
pub const CALL: &str = "tools/call";
/// What the policy says of a call, which is not made: [`CallParams`] to what `zubi policy explain --json` prints.
pub const EXPLAIN: &str = "tools/explain";
/// The rules in force, as `zubi policy list --json` prints them.
pub const POLICY: &str = "tools/policy";
/// Contributes tools: [`RegisterParams`] to [`Registered`].
pub const REGISTER: &str = "tools/register";
/// Takes them back: [`UnregisterParams`] to [`Registered`], which names what was taken back.
pub const UNREGISTER: &str = "tools/unregister";
/// To the client: calls what it has contributed, [`InvokeParams`] to [`InvokeResult`].
pub const INVOKE: &str = "tools/invoke";
/// To the client: asks its user, [`ApprovalParams`] to what he answered.
pub const APPROVAL: &str = "approval/request";
/// To the client, a notification: `tools/list` would answer differently now.
pub const CHANGED: &str = "tools/changed";
/// To the client, a notification: [`ProgressParams`].
pub const PROGRESS: &str = "$/progress";
/// The documents that can be read: no parameters to [`Resources`].
pub const RESOURCES: &str = "resources/list";
/// One document: [`ReadParams`] to [`ResourceText`].
pub const READ_RESOURCE: &str = "resources/read";

/// `approval/request`: a question for a person, about a call that waits for the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalParams {
    /// The `token` of the call.
    pub token: Value,
    /// What is to be asked: `tool`, `why`, `rule`, `footprint`, `arguments`, and `options` with a `label` each.
    pub request: Value,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    pub uri: String,
    pub name: String,
    pub description: String,
    pub mime_type: String,
}

/// The answer to `resources/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resources {
    pub resources: Vec<Resource>,
}

/// `resources/read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadParams {
    pub uri: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub surface: Option<String>,
}

/// The answer to `resources/read`. Of a document that could not be read `error` says why; nothing at all: there is none
/// under this URI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceText {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
