//! What the user looks at, and the few commands that others may run: `ping`, `getOpenFiles`, `getActiveFile` and
//! `executeCommand`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::diagnostics::{self, Diagnostic};

/// Whether somebody is there: no parameters to [`Pong`].
pub const PING: &str = "ping";
/// The files that the editor has open: no parameters to [`OpenFiles`].
pub const GET_OPEN_FILES: &str = "getOpenFiles";
/// The file that the user looks at: no parameters to [`ActiveFile`].
pub const GET_ACTIVE_FILE: &str = "getActiveFile";
/// Runs one of a few commands: [`ExecuteCommandParams`] to [`ExecutedCommand`].
pub const EXECUTE_COMMAND: &str = "executeCommand";

/// All methods that ask what the editor sees.
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

/// Commands that may be run. All others are refused, unless the user has allowed them in the settings of the machine.
pub mod commands {
    /// Checks one file; its only argument is the file's path. The result is that of `validateFile`.
    pub const VALIDATE_FILE: &str = "zubi.validateFile";
    /// Checks the workspace. The result is that of `getWorkspaceErrors`.
    pub const VALIDATE_WORKSPACE: &str = "zubi.validateWorkspace";
    /// Has the editor draw zubi's views anew. Without an editor there is nothing to do, and that is done.
    pub const REFRESH_VIEWS: &str = "zubi.refreshViews";
    /// Starts the language server of the editor anew; without an editor, the language servers of the host.
    pub const RESTART: &str = "zubi.restart";
    /// Shows the list of problems. It needs an editor, as those below.
    pub const FOCUS_PROBLEMS: &str = "workbench.action.problems.focus";
    /// Goes to the next problem.
    pub const NEXT_PROBLEM: &str = "editor.action.marker.next";
    /// Goes to the problem before.
    pub const PREVIOUS_PROBLEM: &str = "editor.action.marker.prev";

    /// All of them.
    pub const ALLOWED: [&str; 7] =
        [VALIDATE_FILE, VALIDATE_WORKSPACE, REFRESH_VIEWS, RESTART, FOCUS_PROBLEMS, NEXT_PROBLEM, PREVIOUS_PROBLEM];
}

/// The result of `ping`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pong {
    /// Always `ok`.
    pub status: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub timestamp: u64,
}

/// One open file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenFile {
    pub uri: String,
    /// Absolute.
    pub path: String,
    /// As editors name languages: `python`, `typescriptreact`.
    pub language_id: String,
    /// Whether it has changes that are not saved.
    pub is_dirty: bool,
    pub line_count: u32,
}

/// The result of `getOpenFiles`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenFiles {
    pub count: usize,
    /// Those of the workspace, in order of path.
    pub files: Vec<OpenFile>,
    /// Why there are none, or less than the user sees: no editor, files outside of the workspace.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// A place as people count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Selection {
    /// From 1.
    pub line: u32,
    /// From 1, in UTF-16 units.
    pub column: u32,
}

/// The result of `getActiveFile`. Without an active file `active` is all there is, and possibly a `note`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ActiveFile {
    /// Whether the user looks at a file of the workspace.
    pub active: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// As editors name languages: `python`, `typescriptreact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language_id: Option<String>,
    /// Whether it has changes that are not saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_dirty: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u32>,
    /// Where the cursor is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// Its problems, in order of place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Vec<Diagnostic>>,
    /// Why there is none although the user may look at one, or what is not known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Parameters of `executeCommand`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecuteCommandParams {
    pub command: String,
    /// Only `zubi.validateFile` takes one, of those that are always allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Value>,
}

/// The result of `executeCommand`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutedCommand {
    /// Always true: what was not run is an error.
    pub executed: bool,
    pub command: String,
    /// What the command returned; null if nothing.
    pub result: Value,
}
