//! What is said about the editor: `zubi/editor/*`, and `zubi/status`.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zubi_base::lsp;
use zubi_base::text::{Save, Setting};
use zubi_link::wire::editor::Selection;

/// A file that is open in the editor.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenFile {
    pub uri: String,
    pub language_id: String,
    #[serde(default)]
    pub is_dirty: bool,
    #[serde(default)]
    pub line_count: u32,
    /// Another number with each change of the text; an editor that tells none tells no texts either.
    pub version: Option<i32>,
    /// What is not saved; left out once it was told for this version.
    pub text: Option<String>,
}

/// The file that the user looks at.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ActiveFile {
    #[serde(flatten)]
    pub file: OpenFile,
    /// The cursor; both numbers from 1.
    pub selection: Selection,
}

/// What is open in the editor.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorDidChangeParams {
    /// What the user looks at.
    pub active: Option<ActiveFile>,
    #[serde(default)]
    pub open: Vec<OpenFile>,
    /// Documents whose problems have changed since this was told before.
    #[serde(default)]
    pub diagnostics_uris: Vec<String>,
}

/// A question to the editor's language features.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EditorRequestParams {
    /// LSP's name of it.
    pub method: String,
    pub params: Value,
}

/// A change through the editor.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorApplyParams {
    /// In order.
    #[schemars(extend("x-lsp" = "WorkspaceEdit"))]
    pub edit: Value,
    /// By URI, SHA-256 of each text that the edit was made for, without carriage returns. An open document that has another
    /// one refuses all of it with LSP's `ContentModified`, whose message is the URI.
    pub texts: BTreeMap<String, String>,
    #[schemars(with = "SaveShape")]
    pub save: Save,
    /// Settings of the workspace that hold meanwhile, and are put back.
    #[schemars(with = "Vec<HeldSetting>")]
    pub settings: Vec<Setting>,
    /// Whether files move and extensions are waited for that change what refers to them.
    pub is_followed: bool,
}

/// What is saved after a change: what was not open before; that and what had nothing unsaved; everything that was changed.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", rename = "Save")]
#[expect(dead_code, reason = "the shape of another type, which knows no schemas")]
enum SaveShape {
    Unopened,
    Clean,
    All,
}

/// A setting that holds during a change.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the shape of another type, which knows no schemas")]
struct HeldSetting {
    key: String,
    value: Value,
}

/// What a change came to.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorApplyResult {
    pub applied: bool,
    pub failure_reason: Option<String>,
    /// Every document that has another text now, those that extensions changed among them; as it is named now.
    pub changed: Vec<EditorChange>,
    /// Settings that could not be put back.
    #[serde(default)]
    pub left: Vec<String>,
}

/// A document that has another text now.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorChange {
    pub uri: String,
    pub before: String,
    pub after: String,
    pub is_saved: bool,
    /// Whether the user typed into it meanwhile: the text after is his too, and neither saved nor taken back.
    #[serde(default)]
    pub is_typed: bool,
}

/// A command of the editor; the result is what it returned, or null.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EditorCommandParams {
    pub command: String,
    pub args: Vec<Value>,
}

/// Where a setting stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SettingScope {
    Workspace,
    /// The first folder.
    Folder,
}

/// A setting that is read, or written where there is a value; null takes it out of the scope.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EditorConfigParams {
    pub key: String,
    /// Written at; absent: `workspace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<SettingScope>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// What a setting is; null where it is not set.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EditorConfigResult {
    pub key: String,
    /// What holds.
    pub value: Value,
    pub default: Value,
    pub user: Value,
    pub workspace: Value,
    pub folder: Value,
}

/// How the host of this window is doing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusParams {
    /// What others find this host by; absent while there is none, `problem` says why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// The discovery file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub file: Option<Utf8PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Who is connected.
    pub clients: Vec<ConnectedClient>,
    /// How many tools there are.
    pub tools: usize,
    /// Another number when there are other tools.
    pub revision: u64,
    /// Whether there are DomainLang models.
    pub has_models: bool,
}

/// Somebody who is connected to a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConnectedClient {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
}

/// A document's problems as LSP has them, with what else is known: the result of `textDocument/diagnostic` and
/// `zubi/validate`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentReport {
    #[serde(default)]
    pub kind: ReportKind,
    #[schemars(with = "Vec<Value>", extend("x-lsp" = "Diagnostic", "x-many" = true))]
    pub items: Vec<lsp::Diagnostic>,
    pub is_open: Option<bool>,
    /// Whether somebody has spoken since the document was opened or changed. Who finds nothing may say nothing.
    pub is_current: Option<bool>,
    pub language_id: Option<String>,
}

/// Of LSP's kinds the one that has the problems.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReportKind {
    #[default]
    Full,
}
