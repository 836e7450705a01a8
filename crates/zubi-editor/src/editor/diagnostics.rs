//! Queries of the diagnostics that the editor shows.

use camino::Utf8Path;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::endpoint::{EndpointError, RequestCx};
use zubi_base::{lsp, uri};
use zubi_host::editor_state::{EditorDiagnostics, ViewError};

use super::connection::Editor;
use crate::wire::editor::DocumentReport;

/// Method for the diagnostics that the editor shows in a document.
pub(crate) const DIAGNOSTICS: &str = "textDocument/diagnostic";
/// Method for all diagnostics that the editor shows.
pub(crate) const ALL_DIAGNOSTICS: &str = "workspace/diagnostic";
/// Like [`DIAGNOSTICS`], after the document was opened and a server has reported on it, or the editor's time-out has
/// expired.
pub(crate) const VALIDATE: &str = "zubi/validate";

impl Editor {
    /// Queries the diagnostics of a file, with a method that returns those of one document.
    pub(crate) async fn diagnostics(
        &self,
        method: &str,
        path: &Utf8Path,
        cx: &RequestCx,
    ) -> Result<EditorDiagnostics, ViewError> {
        let uri = self.pushed_state.uri_of(path);
        let params = json!({ "textDocument": { "uri": uri } });
        let report: DocumentReport = self.report(method, params, cx).await?;
        // An editor that does not say whether the file is open has reported its open files before.
        let is_open = report.is_open.unwrap_or_else(|| {
            self.pushed_state
                .open_editors()
                .is_some_and(|editors| editors.open.iter().any(|file| is_same_file(&file.uri, path, &uri)))
        });
        let is_current = report.is_current.unwrap_or(is_open);
        Ok(EditorDiagnostics { items: report.items, language_id: report.language_id, is_open, is_current })
    }

    pub(crate) async fn report<T: for<'de> Deserialize<'de>>(
        &self,
        method: &str,
        params: Value,
        cx: &RequestCx,
    ) -> Result<T, ViewError> {
        if !self.answers(method) {
            return Err(ViewError::Unsupported);
        }
        let answer = self.request(method, params, cx).await.map_err(view_error)?;
        let unreadable = |error| ViewError::Failed(format!("cannot parse its answer to `{method}`: {error}"));
        serde_json::from_value(answer).map_err(unreadable)
    }
}

/// Whether a URI of the editor names the file with this path and this URI.
fn is_same_file(open: &str, path: &Utf8Path, uri: &lsp::Uri) -> bool {
    open == uri.0 || uri::to_path(&lsp::Uri(open.to_owned())).is_some_and(|open| open == path)
}

pub(crate) fn view_error(error: EndpointError) -> ViewError {
    match error {
        EndpointError::Unsupported { .. } => ViewError::Unsupported,
        EndpointError::Cancelled => ViewError::Cancelled,
        EndpointError::TimedOut { .. } => ViewError::TimedOut,
        EndpointError::Exited { .. } => ViewError::Disconnected,
        EndpointError::Server { message, .. } => ViewError::Failed(message),
        EndpointError::Document(message) | EndpointError::Protocol { message, .. } => ViewError::Failed(message),
    }
}
