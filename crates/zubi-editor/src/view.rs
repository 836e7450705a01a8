//! View of the editor: its open files, as it last reported them, and its diagnostics, which are queried.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use dlang_server::{RequestError, from_value};
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::endpoint::{EndpointError, RequestCx};
use zubi_base::lsp;
use zubi_base::position::Encoding;
use zubi_base::{fs, uri};
use zubi_host::editor_state::{ActiveEditor, EditorClient, EditorDiagnostics, OpenEditors, ViewError};
use zubi_ipc::wire::editor;

use crate::editor::Editor;
use crate::texts::documents::{self, EditorDocuments};
use crate::wire::EDITOR_COMMAND;
use crate::wire::editor::{ActiveFile, DocumentReport, EditorCommandParams, EditorDidChangeParams, OpenFile};

/// Method for the diagnostics that the editor shows in a document.
pub(crate) const DIAGNOSTICS: &str = "textDocument/diagnostic";
/// Method for all diagnostics that it shows.
pub(crate) const ALL_DIAGNOSTICS: &str = "workspace/diagnostic";
/// Like [`DIAGNOSTICS`], after the document was opened and a server has reported on it, or the editor's time-out has
/// expired.
pub(crate) const VALIDATE: &str = "zubi/validate";

/// Maximum number of open files that are stored.
const MAX_OPEN: usize = 5_000;

impl From<OpenFile> for editor::OpenFile {
    fn from(file: OpenFile) -> Self {
        let OpenFile { uri, language_id, is_dirty, line_count, .. } = file;
        Self { uri, path: String::new(), language_id, is_dirty, line_count }
    }
}

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

/// State that the editor has sent in notifications.
#[derive(Default)]
pub(crate) struct PushedState {
    /// `None` before the first notification.
    open_editors: Mutex<Option<OpenEditors>>,
    /// Open folders, with the paths that the editor uses.
    folders: Mutex<Vec<Utf8PathBuf>>,
    /// Open documents with their texts.
    pub(crate) documents: EditorDocuments,
}

impl PushedState {
    pub(crate) fn new(folders: &[Utf8PathBuf]) -> Self {
        Self { folders: Mutex::new(folders.to_vec()), ..Self::default() }
    }

    /// Replaces the open folders.
    pub(crate) fn open_folders(&self, folders: &[Utf8PathBuf]) {
        *self.folders.lock().unwrap_or_else(PoisonError::into_inner) = folders.to_vec();
    }

    /// Whether exactly these folders are open now.
    pub(crate) fn has_open(&self, folders: &[Utf8PathBuf]) -> bool {
        *self.folders.lock().unwrap_or_else(PoisonError::into_inner) == folders
    }

    /// Handles `zubi/editor/didChange`. Invalid params change nothing.
    pub(crate) fn did_change(&self, params: &Value) -> Result<(), RequestError> {
        let EditorDidChangeParams { active, mut open, .. } = from_value(params)?;
        self.documents.replace_all(open.iter_mut().take(MAX_OPEN).filter_map(|file| {
            Some(documents::DocumentUpdate {
                uri: file.uri.clone(),
                version: file.version?,
                is_dirty: file.is_dirty,
                text: file.text.take(),
            })
        }));
        let active = active.map(|ActiveFile { file, selection }| ActiveEditor { file: file.into(), selection });
        let open = open.into_iter().take(MAX_OPEN).map(Into::into).collect();
        *self.open_editors.lock().unwrap_or_else(PoisonError::into_inner) = Some(OpenEditors { active, open });
        Ok(())
    }

    fn open_editors(&self) -> Option<OpenEditors> {
        self.open_editors.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Path of the settings file of the first folder.
    pub(crate) fn settings_file(&self) -> Option<Utf8PathBuf> {
        let folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.first().map(|folder| folder.join(".vscode/settings.json"))
    }

    /// Folders that the editor has opened through links: the path it uses, and the resolved one.
    pub(crate) fn links(&self) -> Vec<(Utf8PathBuf, Utf8PathBuf)> {
        let folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let resolved = folders.into_iter().filter_map(|folder| Some((fs::canonical(&folder).ok()?, folder)));
        resolved.filter(|(target, linked)| target != linked).map(|(target, linked)| (linked, target)).collect()
    }

    /// URI that the editor uses for a file with a resolved path. It differs if the folder is opened through a link.
    pub(crate) fn uri_of(&self, path: &Utf8Path) -> lsp::Uri {
        if let Some(document) = self.documents.get(path) {
            return lsp::Uri(document.uri);
        }
        let folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let linked = folders.iter().find_map(|folder| {
            let rest = path.strip_prefix(fs::canonical(folder).ok()?).ok()?;
            Some(folder.join(rest))
        });
        uri::from_path(linked.as_deref().unwrap_or(path))
    }
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

impl Editor {
    /// Queries the diagnostics of a file, with one of the methods that return those of one document.
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

    async fn report<T: for<'de> Deserialize<'de>>(
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

fn view_error(error: EndpointError) -> ViewError {
    match error {
        EndpointError::Unsupported { .. } => ViewError::Unsupported,
        EndpointError::Cancelled => ViewError::Cancelled,
        EndpointError::TimedOut { .. } => ViewError::TimedOut,
        EndpointError::Exited { .. } => ViewError::Disconnected,
        EndpointError::Server { message, .. } => ViewError::Failed(message),
        EndpointError::Document(message) | EndpointError::Protocol { message, .. } => ViewError::Failed(message),
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
    /// Other column encodings are converted by the caller, which has the texts: it queries the editor as an endpoint.
    fn in_utf16(&self) -> Result<(), ViewError> {
        if self.editor.encoding == Encoding::Utf16 { Ok(()) } else { Err(ViewError::Unsupported) }
    }
}
