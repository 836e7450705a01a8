//! State of the editor, and the few commands that clients may run: `ping`, `getOpenFiles`, `getActiveFile` and
//! `executeCommand`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::diagnostics::{self, Diagnostic};

/// Checks that the host answers: no parameters to [`Pong`].
pub const PING: &str = "ping";
/// Files that are open in the editor: no parameters to [`OpenFiles`].
pub const GET_OPEN_FILES: &str = "getOpenFiles";
/// File in the active editor: no parameters to [`ActiveFileResult`].
pub const GET_ACTIVE_FILE: &str = "getActiveFile";
/// Runs one of a few commands: [`ExecuteCommandParams`] to [`ExecutedCommand`].
pub const EXECUTE_COMMAND: &str = "executeCommand";

/// All methods that an editor answers if it is present.
pub const METHODS: [&str; 8] = [
    PING,
    diagnostics::GET_DIAGNOSTICS,
    diagnostics::GET_ALL_DIAGNOSTICS,
    diagnostics::GET_WORKSPACE_ERRORS,
    diagnostics::VALIDATE_FILE,
    GET_OPEN_FILES,
    GET_ACTIVE_FILE,
    EXECUTE_COMMAND,
];

/// Commands that clients may run. All others are refused unless the user allows them in the settings of the machine.
pub mod commands {
    /// Checks one file; its only argument is the file's path. Returns the result of `validateFile`.
    pub const VALIDATE_FILE: &str = "zubi.validateFile";
    /// Checks the workspace. Returns the result of `getWorkspaceErrors`.
    pub const VALIDATE_WORKSPACE: &str = "zubi.validateWorkspace";
    /// Makes the editor redraw zubi's views. Succeeds without an effect if there is no editor.
    pub const REFRESH_VIEWS: &str = "zubi.refreshViews";
    /// Restarts the language server of the editor; without an editor, the language servers of the host.
    pub const RESTART: &str = "zubi.restart";
    /// Shows the list of diagnostics. Requires an editor, as do the commands below.
    pub const FOCUS_PROBLEMS: &str = "workbench.action.problems.focus";
    /// Goes to the next diagnostic.
    pub const NEXT_PROBLEM: &str = "editor.action.marker.next";
    /// Goes to the previous diagnostic.
    pub const PREVIOUS_PROBLEM: &str = "editor.action.marker.prev";

    /// All commands above.
    pub const ALLOWED: [&str; 7] =
        [VALIDATE_FILE, VALIDATE_WORKSPACE, REFRESH_VIEWS, RESTART, FOCUS_PROBLEMS, NEXT_PROBLEM, PREVIOUS_PROBLEM];
}

/// Result of `ping`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pong {
    /// Always `ok`.
    pub status: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub timestamp: u64,
}

/// A file that is open in the editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenFile {
    pub uri: String,
    /// Absolute path.
    pub path: String,
    /// LSP language id: `python`, `typescriptreact`.
    pub language_id: String,
    /// Whether it has unsaved changes.
    pub is_dirty: bool,
    pub line_count: u32,
}

/// Result of `getOpenFiles`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenFiles {
    pub count: usize,
    /// Open files of the workspace, sorted by path.
    pub files: Vec<OpenFile>,
    /// Why files are missing: no editor is connected, or they are outside of the workspace.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// Position for people, 1-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Selection {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in UTF-16 units.
    pub column: u32,
}

/// Result of `getActiveFile`. Without an active file, only `active` and possibly `note` are present.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "ActiveFile")]
pub struct ActiveFileResult {
    /// Whether a file of the workspace is in the active editor.
    pub active: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Absolute path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// LSP language id: `python`, `typescriptreact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language_id: Option<String>,
    /// Whether it has unsaved changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_dirty: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u32>,
    /// Position of the cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// Diagnostics of the file, sorted by position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Vec<Diagnostic>>,
    /// Why there is no active file, or what is unknown about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Parameters of `executeCommand`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecuteCommandParams {
    pub command: String,
    /// Arguments; among the commands that are always allowed, only `zubi.validateFile` has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Value>,
}

/// Result of `executeCommand`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutedCommand {
    /// Always true; a command that was not run is an error.
    pub executed: bool,
    pub command: String,
    /// Return value of the command, or null.
    pub result: Value,
}
