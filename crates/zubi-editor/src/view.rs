//! View of the editor: its open files, as it last reported them, and its diagnostics, which are queried.

use std::sync::Arc;

use async_trait::async_trait;
use camino::Utf8Path;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::endpoint::RequestCx;
use zubi_base::lsp;
use zubi_base::position::Encoding;
use zubi_host::editor_state::{EditorClient, EditorDiagnostics, OpenEditors, ViewError};

use crate::editor::Editor;
use crate::editor::diagnostics::{ALL_DIAGNOSTICS, DIAGNOSTICS, VALIDATE, view_error};
use crate::wire::EDITOR_COMMAND;
use crate::wire::editor::EditorCommandParams;

#[derive(Deserialize)]
struct WorkspaceDiagnosticReport {
    items: Vec<UriReport>,
}

#[derive(Deserialize)]
struct UriReport {
    uri: String,
    #[serde(default)]
    items: Vec<lsp::Diagnostic>,
}

/// View of an open editor over its channel.
pub(crate) struct EditorView {
    name: String,
    editor: Arc<Editor>,
}

impl EditorView {
    pub(crate) fn new(name: Option<String>, editor: Arc<Editor>) -> Self {
        Self { name: name.unwrap_or_else(|| "an editor".to_owned()), editor }
    }
}

#[async_trait]
impl EditorClient for EditorView {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn open_editors(&self) -> Result<OpenEditors, ViewError> {
        self.editor.pushed_state.open_editors().ok_or(ViewError::Loading)
    }

    async fn diagnostics(&self, path: &Utf8Path, cx: &RequestCx) -> Result<EditorDiagnostics, ViewError> {
        self.in_utf16()?;
        self.editor.diagnostics(DIAGNOSTICS, path, cx).await
    }

    async fn all_diagnostics(&self, cx: &RequestCx) -> Result<Vec<(String, Vec<lsp::Diagnostic>)>, ViewError> {
        self.in_utf16()?;
        let params = json!({ "previousResultIds": [] });
        let report: WorkspaceDiagnosticReport = self.editor.report(ALL_DIAGNOSTICS, params, cx).await?;
        Ok(report.items.into_iter().map(|file| (file.uri, file.items)).collect())
    }

    async fn validate(&self, path: &Utf8Path, cx: &RequestCx) -> Result<EditorDiagnostics, ViewError> {
        self.in_utf16()?;
        self.editor.diagnostics(VALIDATE, path, cx).await
    }

    async fn execute(&self, command: &str, args: Vec<Value>, cx: &RequestCx) -> Result<Value, ViewError> {
        let params = json!(EditorCommandParams { command: command.to_owned(), args });
        self.editor.send(EDITOR_COMMAND, command, params, cx).await.map_err(view_error)
    }
}

impl EditorView {
    /// Fails unless columns count UTF-16 units. For other encodings, the caller queries the editor as an endpoint and
    /// converts the columns, because it has the texts.
    fn in_utf16(&self) -> Result<(), ViewError> {
        if self.editor.encoding == Encoding::Utf16 { Ok(()) } else { Err(ViewError::Unsupported) }
    }
}
