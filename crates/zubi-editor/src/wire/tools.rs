//! Messages of tools, `zubi/tools/*`, of contributions, and of approval prompts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zubi_ipc::wire::tools::{ContributedTool, InvokeParams};
use zubi_tool_api::{Effect, ErrorCode};

/// One tool, as `zubi tools show --json` prints it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ToolSpec")]
#[serde(rename_all = "camelCase")]
pub struct ToolDescription {
    /// Id as in settings and filters: `lsp_definition`, `workspace.deploy`.
    pub id: String,
    pub title: String,
    pub description: String,
    pub effect: Effect,
    pub toolset: String,
    pub input_schema: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
}

/// Result of `zubi/tools/list`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolsListResult {
    #[schemars(with = "Vec<ToolDescription>")]
    pub tools: Vec<Value>,
}

/// Parameters of `zubi/tools/call`; `zubi/tools/prepare` uses the first two.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolsCallParams {
    /// Id or wire name of the tool.
    pub id: String,
    #[serde(default)]
    pub args: Value,
    /// Maximum length of the answer, in tokens.
    pub budget: Option<usize>,
    /// Token for `$/progress`.
    #[schemars(extend("type" = ["integer", "string"]))]
    pub token: Option<Value>,
    /// Whether the user has approved the confirmation of `TOOLS_PREPARE`, if there was one.
    #[serde(default)]
    pub confirmed: bool,
}

/// Result of `zubi/tools/call`: a text for a model; of a failure, the error with a hint.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolsCallResult {
    pub text: String,
    pub is_error: bool,
    /// Error code of a failure, one of those that `zubi tools codes` lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub code: Option<ErrorCode>,
    /// Structured result, if the tool has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// Message to show while a call runs, and confirmation to show before it; texts are Markdown.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolsPrepareResult {
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
}

/// A confirmation to show before a call.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Confirmation {
    pub title: String,
    pub message: String,
}

/// Contributions of extensions; all are registered, or none.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolsRegisterParams {
    /// Tools with full ids: `namespace.name`.
    pub tools: Vec<ContributedTool>,
    /// Names that declared tools of the kind `function` may call.
    pub functions: Vec<String>,
}

/// Changes of the list of tools.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolsDidChangeParams {
    /// New and changed tools.
    #[schemars(with = "Vec<ToolDescription>")]
    pub added: Vec<Value>,
    pub removed: Vec<String>,
}

/// A call of a contributed tool or function.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct InvokeContributedParams {
    #[serde(flatten)]
    pub call: InvokeParams,
    /// Token for `$/progress` to the server.
    pub token: u64,
}

/// An approval prompt for a modal dialog.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequestParams {
    pub title: String,
    pub detail: String,
    /// Labels of the options that allow the call.
    pub options: Vec<String>,
}

/// Index of the chosen option, or null if the call is denied.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequestResult {
    pub choice: Option<usize>,
}
