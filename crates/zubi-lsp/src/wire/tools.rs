//! What is said about tools: `zubi/tools/*`, what extensions contribute, and questions to the user.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zubi_link::wire::tools::{ContributedTool, InvokeParams};
use zubi_tools::{Code, Effect};

/// One tool, as `zubi tools show --json` prints it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// As in settings and filters: `lsp_definition`, `workspace.deploy`.
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

/// The answer to `zubi/tools/list`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolsListResult {
    #[schemars(with = "Vec<ToolSpec>")]
    pub tools: Vec<Value>,
}

/// Parameters of `zubi/tools/call`; `zubi/tools/prepare` looks at the first two.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolsCallParams {
    /// Id or wire name of the tool.
    pub id: String,
    #[serde(default)]
    pub args: Value,
    /// Upper bound of the answer, in tokens.
    pub budget: Option<usize>,
    /// For `$/progress`.
    #[schemars(extend("type" = ["integer", "string"]))]
    pub token: Option<Value>,
    /// The user has said yes to what `TOOLS_PREPARE` gave to be confirmed, if it gave anything.
    #[serde(default)]
    pub confirmed: bool,
}

/// The answer's text, made for a model; of a failure, what went wrong and the next step.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolsCallResult {
    pub text: String,
    pub is_error: bool,
    /// Of a failure, one of those that `zubi tools codes` lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub code: Option<Code>,
    /// The same for a program, where the tool has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// What the user reads while a call runs, and what is asked before; texts are Markdown.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolsPrepareResult {
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
}

/// A question before a call.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Confirmation {
    pub title: String,
    pub message: String,
}

/// What extensions contribute; all of it, or none.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolsRegisterParams {
    /// Their ids are whole: `namespace.name`.
    pub tools: Vec<ContributedTool>,
    /// Names that declared tools of the kind `function` may call.
    pub functions: Vec<String>,
}

/// There are other tools.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolsDidChangeParams {
    /// New, or others than before.
    #[schemars(with = "Vec<ToolSpec>")]
    pub added: Vec<Value>,
    pub removed: Vec<String>,
}

/// A call of what an extension has contributed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct InvokeContributedParams {
    #[serde(flatten)]
    pub call: InvokeParams,
    /// For `$/progress` to the server.
    pub token: u64,
}

/// A question to the user, in a dialog that has to be answered.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequestParams {
    pub title: String,
    pub detail: String,
    /// Labels of the answers that allow it.
    pub options: Vec<String>,
}

/// Which of the options was chosen; null: it is not allowed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequestResult {
    pub choice: Option<usize>,
}
