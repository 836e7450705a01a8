//! Editor state as plain data, and the trait that a channel to an editor implements.

use async_trait::async_trait;
use camino::Utf8Path;
use serde_json::Value;
use zubi_base::endpoint::RequestCx;
use zubi_base::lsp;
use zubi_ipc::wire::codes;
use zubi_ipc::wire::editor::{OpenFile, Selection};

use super::error::EditorServiceError;

/// The file in the editor's active tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveEditor {
    pub file: OpenFile,
    /// Cursor or selection, 1-based.
    pub selection: Selection,
}

/// The files open in the editor, with URIs in its own spelling. Their paths are empty: the service resolves the URIs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenEditors {
    /// `None`: the active tab is not a text, or another window has the focus.
    pub active: Option<ActiveEditor>,
    pub open: Vec<OpenFile>,
}

/// The editor's diagnostics of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EditorDiagnostics {
    /// Columns count UTF-16 code units.
    pub items: Vec<lsp::Diagnostic>,
    /// LSP's `languageId`, if the editor has the file open.
    pub language_id: Option<String>,
    /// Whether the editor has the file open; many servers analyse open files only.
    pub is_open: bool,
    /// Whether a server has reported on the present text.
    pub is_current: bool,
}

/// Reason why the editor returned no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// The editor does not implement the request.
    #[error("the editor does not support this")]
    Unsupported,
    /// The editor has not reported its open files yet.
    #[error("the editor has not reported its open files yet; try again")]
    Loading,
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the editor did not answer in time; try again")]
    TimedOut,
    /// The connection is closed.
    #[error("the editor has closed the connection; try again")]
    Disconnected,
    /// The editor returned an error or an unreadable answer.
    #[error("the editor answered: {0}")]
    Failed(String),
}

impl From<ViewError> for EditorServiceError {
    fn from(error: ViewError) -> Self {
        let code = match error {
            ViewError::Loading => codes::LOADING,
            ViewError::Cancelled => codes::CANCELLED,
            ViewError::Unsupported | ViewError::TimedOut | ViewError::Disconnected | ViewError::Failed(_) => {
                codes::INTERNAL_ERROR
            }
        };
        Self::new(code, error.to_string())
    }
}

/// An open editor. It reports its own state; nothing here is checked against the workspace.
#[async_trait]
pub trait EditorClient: Send + Sync {
    fn name(&self) -> String;

    /// Returns the files open in the editor.
    fn open_editors(&self) -> Result<OpenEditors, ViewError>;

    /// Returns the diagnostics of a file without opening it.
    async fn diagnostics(&self, path: &Utf8Path, cx: &RequestCx) -> Result<EditorDiagnostics, ViewError>;

    /// Returns the diagnostics of all files, by URI. Files without diagnostics may be missing.
    async fn all_diagnostics(&self, cx: &RequestCx) -> Result<Vec<(String, Vec<lsp::Diagnostic>)>, ViewError>;

    /// Opens a file without showing it and waits until a server has reported on it.
    async fn validate(&self, path: &Utf8Path, cx: &RequestCx) -> Result<EditorDiagnostics, ViewError>;

    /// Runs a command. The caller has checked that the command may run.
    async fn execute(&self, command: &str, args: Vec<Value>, cx: &RequestCx) -> Result<Value, ViewError>;
}
