//! The editor, as plain data: what a channel to one has to be able to tell.

use async_trait::async_trait;
use camino::Utf8Path;
use serde_json::Value;
use zubi_base::endpoint::RequestCx;
use zubi_base::lsp;
use zubi_link::wire::codes;
use zubi_link::wire::editor::Selection;

use super::EditorServiceError;

/// A file that is open in the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownFile {
    /// As the editor writes it.
    pub uri: String,
    /// LSP's `languageId`.
    pub language_id: String,
    /// Whether it has changes that are not saved.
    pub is_dirty: bool,
    pub line_count: u32,
}

/// The file that the user looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveEditor {
    pub file: ShownFile,
    /// Where the cursor is, from 1.
    pub selection: Selection,
}

/// What is open in the editor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenEditors {
    /// `None`: the user looks at nothing that is a text, or at another window.
    pub active: Option<ActiveEditor>,
    pub open: Vec<ShownFile>,
}

/// What the editor knows of a file's problems.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EditorDiagnostics {
    /// Columns in UTF-16 units.
    pub items: Vec<lsp::Diagnostic>,
    /// LSP's `languageId`, where the editor has the file open.
    pub language_id: Option<String>,
    /// Whether the editor has the file open: many servers look only at such files.
    pub is_open: bool,
    /// Whether somebody has spoken about the present text.
    pub is_current: bool,
}

/// Why the editor did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// It does not do this.
    #[error("the editor does not do this")]
    Unsupported,
    /// It has not told yet what is open.
    #[error("the editor has not told yet what is open in it; ask again")]
    NotYet,
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the editor did not answer in time; ask again")]
    TimedOut,
    /// It is not connected any more.
    #[error("the editor has closed the connection; ask again")]
    Gone,
    /// It said no, or something that cannot be read.
    #[error("the editor answered: {0}")]
    Failed(String),
}

impl From<ViewError> for EditorServiceError {
    fn from(error: ViewError) -> Self {
        let code = match error {
            ViewError::NotYet => codes::LOADING,
            ViewError::Cancelled => codes::CANCELLED,
            ViewError::Unsupported | ViewError::TimedOut | ViewError::Gone | ViewError::Failed(_) => {
                codes::INTERNAL_ERROR
            }
        };
        Self::new(code, error.to_string())
    }
}

/// An open editor. It answers with what it shows; nothing here is checked against the workspace.
#[async_trait]
pub trait EditorClient: Send + Sync {
    /// What it calls itself.
    fn name(&self) -> String;

    /// What is open in it.
    fn open_editors(&self) -> Result<OpenEditors, ViewError>;

    /// The problems that it shows in a file, without opening it.
    async fn diagnostics(&self, path: &Utf8Path, cx: &RequestCx) -> Result<EditorDiagnostics, ViewError>;

    /// The problems that it shows anywhere, by URI. A file without any may be missing.
    async fn all_diagnostics(&self, cx: &RequestCx) -> Result<Vec<(String, Vec<lsp::Diagnostic>)>, ViewError>;

    /// Opens a file, without showing it, and waits until somebody has spoken about it.
    async fn validate(&self, path: &Utf8Path, cx: &RequestCx) -> Result<EditorDiagnostics, ViewError>;

    /// Runs a command. Whether it may run has been decided.
    async fn execute(&self, command: &str, args: Vec<Value>, cx: &RequestCx) -> Result<Value, ViewError>;
}
