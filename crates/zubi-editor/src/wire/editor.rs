//! Messages of the editor, `zubi/editor/*`, and `zubi/status`.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zubi_base::lsp;
use zubi_base::text::{Save, Setting};
use zubi_ipc::wire::editor::Selection;

/// A file that is open in the editor.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "OpenFile")]
#[serde(rename_all = "camelCase")]
pub struct OpenFile {
    pub uri: String,
    pub language_id: String,
    #[serde(default)]
    pub is_dirty: bool,
    #[serde(default)]
    pub line_count: u32,
    /// Changes with each change of the text; an editor that sends none sends no texts either.
    pub version: Option<i32>,
    /// Unsaved text; omitted if it was already sent for this version.
    pub text: Option<String>,
}

/// The file in the active editor.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "ActiveFile")]
pub struct ActiveFile {
    #[serde(flatten)]
    pub file: OpenFile,
    /// Position of the cursor; both numbers are 1-based.
    pub selection: Selection,
}

/// Open documents of the editor.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorDidChangeParams {
    /// File in the active editor.
    pub active: Option<ActiveFile>,
    #[serde(default)]
    pub open: Vec<OpenFile>,
    /// Documents whose diagnostics have changed since the last message.
    #[serde(default)]
    pub diagnostics_uris: Vec<String>,
}

/// A request to the editor's language features.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EditorRequestParams {
    /// LSP's method name.
    pub method: String,
    pub params: Value,
}

/// A change to apply through the editor.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorApplyParams {
    /// Operations in order.
    #[schemars(extend("x-lsp" = "WorkspaceEdit"))]
    pub edit: Value,
    /// SHA-256 of each text that the edit applies to, without carriage returns, by URI. If an open document has another
    /// text, the editor refuses all of it with LSP's `ContentModified`, whose message is the URI.
    pub texts: BTreeMap<String, String>,
    #[schemars(with = "SaveShape")]
    pub save: Save,
    /// Temporary settings of the workspace, restored after the change.
    #[schemars(with = "Vec<HeldSetting>")]
    pub settings: Vec<Setting>,
    /// Whether files move and the editor must wait for extensions that update references to them.
    #[serde(rename = "isFollowed")]
    pub is_followed: bool,
}

/// Documents to save after a change: those not open before; those and the ones without unsaved changes; all changed
/// ones.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", rename = "Save")]
#[expect(dead_code, reason = "schema of a type that does not implement JsonSchema")]
enum SaveShape {
    Unopened,
    Clean,
    All,
}

/// A setting that applies during a change.
#[derive(JsonSchema)]
#[schemars(rename = "HeldSetting")]
#[expect(dead_code, reason = "schema of a type that does not implement JsonSchema")]
struct HeldSetting {
    key: String,
    value: Value,
}

/// Result of a change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorApplyResult {
    pub applied: bool,
    pub failure_reason: Option<String>,
    /// Every document whose text has changed, including those changed by extensions; with its current URI.
    pub changed: Vec<EditorChange>,
    /// Keys of settings that could not be restored.
    #[serde(rename = "left", default)]
    pub unrestored_settings: Vec<String>,
}

/// A document whose text has changed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorChange {
    pub uri: String,
    pub before: String,
    pub after: String,
    pub is_saved: bool,
    /// Whether the user has typed into it meanwhile: the new text is partly theirs, and neither saved nor reverted.
    #[serde(rename = "isTyped", default)]
    pub is_typed: bool,
}

/// A command of the editor; the result is its return value, or null.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EditorCommandParams {
    pub command: String,
    pub args: Vec<Value>,
}

/// Scope of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SettingScope {
    Workspace,
    /// The first folder.
    Folder,
}

/// A setting to read, or to write if there is a value; null removes it from the scope.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EditorConfigParams {
    pub key: String,
    /// Scope to write to [default: `workspace`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<SettingScope>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// Values of a setting; null where it is not set.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EditorConfigResult {
    pub key: String,
    /// Effective value.
    pub value: Value,
    pub default: Value,
    pub user: Value,
    pub workspace: Value,
    pub folder: Value,
}

/// Status of this window's host.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusParams {
    /// Instance name of the host; absent if there is no host, with the reason in `problem`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// Path of the discovery file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub file: Option<Utf8PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Connected clients.
    pub clients: Vec<ConnectedClient>,
    /// Number of tools.
    pub tools: usize,
    /// Changes whenever the list of tools changes.
    pub revision: u64,
    /// Whether there are DomainLang models.
    pub has_models: bool,
}

/// A client that is connected to a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConnectedClient {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
}

/// Diagnostics of a document as in LSP, with additional fields: the result of `textDocument/diagnostic` and
/// `zubi/validate`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentReport {
    #[serde(default)]
    pub kind: ReportKind,
    #[schemars(with = "Vec<Value>", extend("x-lsp" = "Diagnostic", "x-many" = true))]
    pub items: Vec<lsp::Diagnostic>,
    pub is_open: Option<bool>,
    /// Whether a server has reported since the document was opened or changed. A server without findings may not
    /// report.
    pub is_current: Option<bool>,
    pub language_id: Option<String>,
}

/// The one of LSP's report kinds that contains diagnostics.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReportKind {
    #[default]
    Full,
}
