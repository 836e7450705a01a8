//! `tools/*`, `policy/*` and `resources/*`: methods that a surface in another process calls on a host.
//!
//! Over the port, only read-only tools can be listed and called, and no approval prompt is sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Restrictions of the caller. A tool must pass every filter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Restrictions {
    /// Excludes tools that write, execute or send anything.
    pub read_only: bool,
    /// Filters for toolsets, each a list of patterns.
    pub toolsets: Vec<Vec<String>>,
    /// Filters for tool ids, each a list of patterns.
    pub tools: Vec<Vec<String>>,
}

/// Parameters of `tools/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListParams {
    /// If absent, those of the user's and the workspace's settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restrictions: Option<Restrictions>,
}

/// One tool. `description`, `input` and `effect` are as `zubi tools show --json` prints them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Tool")]
pub struct ToolInfo {
    pub id: String,
    pub title: String,
    pub description: String,
    /// JSON Schema of the arguments, which are an object.
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
    /// Time-out in milliseconds.
    pub timeout: u64,
    pub category: String,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub icon: Option<String>,
}

/// Result of `tools/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ToolList")]
pub struct ToolInfoList {
    pub tools: Vec<ToolInfo>,
}

/// Parameters of `tools/find`: one tool by id or wire name, including hidden ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindParams {
    pub name: String,
    /// As in `tools/list`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub restrictions: Option<Restrictions>,
}

/// Parameters of `tools/call` and `tools/explain`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallParams {
    /// Tool id or wire name.
    pub tool: String,
    #[serde(default)]
    pub arguments: Value,
    /// Surface of the call (`mcp`, `command-line`, `agent`); `ipc` if absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub surface: Option<String>,
    /// Name and version of the client, for the audit log.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client: Option<String>,
    /// Session of the client, if it has several (for example conversations): session approvals apply to that one only.
    /// The client chooses the numbers; they do not collide with those of other clients.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<u64>,
    /// As in `tools/list`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub restrictions: Option<Restrictions>,
    /// Maximum length of the text, in tokens.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub budget: Option<usize>,
    /// Time-out of the caller, in milliseconds.
    #[serde(rename = "patience")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timeout_ms: Option<u64>,
    /// Progress is sent as notifications `$/progress {token, value}` with this token.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub token: Option<Value>,
    /// Whether the client answers `approval/request`.
    #[serde(rename = "asks")]
    #[serde(default)]
    pub handles_approvals: bool,
    /// Whether the client itself prompts its user before each call.
    #[serde(rename = "clientAsks")]
    #[serde(default)]
    pub client_prompts: bool,
}

/// Result of `tools/call`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    /// Text with the status line, the same as on every surface.
    pub text: String,
    /// Structured result, if the tool has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub data: Option<Value>,
    pub is_error: bool,
    /// Error code of a failure.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// Hint of a failure; also the end of `text`.
    #[serde(rename = "next")]
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub next: String,
    /// Duration of the call, in milliseconds.
    pub duration: f64,
    /// Whether the text ends with a status line.
    #[serde(default)]
    pub status: bool,
}

/// Value of `$/progress`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Progress")]
pub struct ProgressValue {
    /// Fraction from 0 to 1, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fraction: Option<f64>,
    pub message: String,
}

/// Parameters of `$/progress`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgressParams {
    pub token: Value,
    pub value: ProgressValue,
}

/// Parameters of `tools/register`: tools that this client implements as long as it is connected. Their ids are prefixed
/// with its name and a dot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegisterParams {
    /// Name of the client, `[a-z][a-z0-9_]*`.
    pub client: String,
    #[serde(default)]
    pub tools: Vec<ContributedTool>,
    /// Names of `function` handlers that tool files can refer to.
    #[serde(default)]
    pub functions: Vec<String>,
}

/// A tool that a client contributes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContributedTool {
    /// Id without the client's prefix.
    pub id: String,
    pub description: String,
    #[serde(default)]
    pub title: Option<String>,
    /// JSON Schema of the arguments, which are an object; absent for a tool without arguments.
    #[serde(default)]
    pub input: Option<serde_json::Map<String, Value>>,
    /// `read`, `plan`, `write`, `execute` or `network` [default: `execute`].
    #[serde(default)]
    pub effect: Option<String>,
    /// Whether each call requires approval; if absent, the effect decides. A tool with `false` and without an effect is
    /// `read`.
    #[serde(default)]
    pub requires_approval: Option<bool>,
    #[serde(default)]
    pub category: Option<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    /// Time-out in milliseconds.
    #[serde(default)]
    pub timeout: Option<u64>,
}

/// Result of `tools/register`: the full ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisteredTools {
    pub tools: Vec<String>,
    pub functions: Vec<String>,
}

/// Parameters of `tools/unregister`: names as registered; if both lists are empty, everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UnregisterParams {
    pub tools: Vec<String>,
    pub functions: Vec<String>,
}

/// Parameters of `tools/invoke`, from the host to the client that has registered the tool or function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvokeParams {
    /// Id as registered, without the client's prefix.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
    pub arguments: Value,
}

/// Result of `tools/invoke`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct InvokeResult {
    pub success: bool,
    /// A string is shown as it is, any other value as JSON.
    pub data: Value,
    /// Error message of a failure.
    pub error: Option<String>,
}

/// Lists the tools: [`ListParams`] to [`ToolInfoList`].
pub const LIST: &str = "tools/list";
/// Finds one tool: [`FindParams`] to [`ToolInfo`].
pub const FIND: &str = "tools/find";
/// Calls a tool: [`CallParams`] to [`CallResult`].
pub const CALL: &str = "tools/call";
/// Explains the policy decision for a call without making it: [`CallParams`] to the output of `zubi policy explain
/// --json`.
pub const EXPLAIN: &str = "tools/explain";
/// Effective rules, as `zubi policy list --json` prints them.
pub const POLICY: &str = "tools/policy";
/// Contributes tools: [`RegisterParams`] to [`RegisteredTools`].
pub const REGISTER: &str = "tools/register";
/// Withdraws contributed tools: [`UnregisterParams`] to [`RegisteredTools`], which lists those that were withdrawn.
pub const UNREGISTER: &str = "tools/unregister";
/// To the client: calls a contributed tool or function, [`InvokeParams`] to [`InvokeResult`].
pub const INVOKE: &str = "tools/invoke";
/// To the client: prompts its user, [`ApprovalParams`] to the user's choice.
pub const APPROVAL: &str = "approval/request";
/// To the client, a notification: the result of `tools/list` has changed.
pub const CHANGED: &str = "tools/changed";
/// To the client, a notification: [`ProgressParams`].
pub const PROGRESS: &str = "$/progress";
/// Lists the readable documents: no parameters to [`Resources`].
pub const RESOURCES: &str = "resources/list";
/// Reads one document: [`ReadParams`] to [`ResourceContent`].
pub const READ_RESOURCE: &str = "resources/read";

/// Parameters of `approval/request`: an approval prompt for a call that waits for the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalParams {
    /// `token` of the call.
    pub token: Value,
    /// Content of the prompt: `tool`, `why`, `rule`, `footprint`, `arguments`, and `options` with a `label` each.
    pub request: Value,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Resource")]
pub struct ResourceInfo {
    pub uri: String,
    pub name: String,
    pub description: String,
    pub mime_type: String,
}

/// Result of `resources/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resources {
    pub resources: Vec<ResourceInfo>,
}

/// Parameters of `resources/read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadParams {
    pub uri: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub surface: Option<String>,
}

/// Result of `resources/read`. If the document could not be read, `error` is the reason; if all fields are absent,
/// there is no document with this URI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "ResourceText")]
pub struct ResourceContent {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
