//! State of the editor, or the language servers' diagnostics if there is no editor: the eight methods of the IPC
//! protocol ([`zubi_ipc::wire::editor::METHODS`]), which the tool `editor` uses too.
//!
//! An open editor ([`EditorClient`]) answers from its own servers, unsaved text included. Requests that it does not
//! support, and all requests without an editor, go to the servers that code intelligence runs; such answers have a
//! `coverage`. An empty answer means that everything was checked, or gives the reason why not.
//!
//! Paths must resolve into the workspace after symlinks are followed; others are rejected. Answers omit and count files
//! outside it that are open in the editor.

mod client;
mod commands;
mod convert;
mod error;
mod headless;
mod params;
mod report;

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::{Clock, milliseconds};
use zubi_base::endpoint::RequestCx;
use zubi_base::workspace::PathError;
use zubi_code::{CallCx, CodeIntel, CodeQuery};
use zubi_ipc::wire::codes;
use zubi_ipc::wire::diagnostics::{
    self, AllDiagnostics, AllDiagnosticsParams, DocumentParams, FileDiagnostics, ValidateFileParams, ValidatedFile,
    WorkspaceErrors,
};
use zubi_ipc::wire::editor::{self, ActiveFileResult, ExecuteCommandParams, OpenFile, OpenFiles, Pong};
use zubi_ipc::wire::host::HostKind;

pub use self::client::{ActiveEditor, EditorClient, EditorDiagnostics, OpenEditors, ViewError};
pub use self::error::EditorServiceError;
use self::params::{no_params, parse};
use self::report::{DiagnosticsMode, EditorFileReport};

/// Configuration of an [`EditorService`] by its host.
#[derive(Clone)]
pub struct EditorServiceConfig {
    /// Kind of the host process.
    pub kind: HostKind,
    /// Editor commands that the user allows in machine-wide settings, in addition to those that are always allowed.
    pub commands: Vec<String>,
    pub clock: Arc<dyn Clock>,
}

/// Context of one request.
#[derive(Debug, Clone)]
pub struct EditorCallContext {
    /// Cancelled when the client cancels the request.
    pub cancel: CancellationToken,
    /// Time by which the answer must be sent. zubi stops querying servers shortly before.
    pub deadline: Instant,
    /// Whether the client has read access only. Commands that the user has added are then rejected, because they may
    /// change anything.
    pub read_only: bool,
}

impl EditorCallContext {
    fn request(&self) -> RequestCx {
        RequestCx::new(self.cancel.clone(), self.server_deadline())
    }

    /// Returns a time shortly before the deadline, so that partial results can still be sent.
    fn server_deadline(&self) -> Instant {
        let remaining = self.deadline.saturating_duration_since(Instant::now());
        self.deadline.checked_sub((remaining / 10).min(ANSWER_RESERVE)).unwrap_or(self.deadline)
    }
}

/// Maximum time before the deadline in which zubi no longer queries servers.
const ANSWER_RESERVE: Duration = Duration::from_millis(500);

/// Connection state of the editor, and the workspace of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EditorStatus {
    /// Whether an editor is connected.
    pub available: bool,
    /// Text for users.
    pub message: String,
    pub kind: HostKind,
    /// Absolute paths.
    pub workspace_folders: Vec<String>,
}

/// Service for the state of the editor; see the module.
pub struct EditorService {
    intel: Arc<CodeIntel>,
    client: Option<Arc<dyn EditorClient>>,
    config: EditorServiceConfig,
}

impl EditorService {
    /// Creates the service over code intelligence and, if there is one, over the editor.
    pub fn new(intel: Arc<CodeIntel>, view: Option<Arc<dyn EditorClient>>, config: EditorServiceConfig) -> Arc<Self> {
        Arc::new(Self { intel, client: view, config })
    }

    /// Handles one of the eight methods of the protocol. Returns `None` for any other method.
    pub async fn handle(
        &self,
        method: &str,
        params: Value,
        cx: EditorCallContext,
    ) -> Option<Result<Value, EditorServiceError>> {
        Some(match method {
            editor::PING => no_params(&params).and_then(|()| to_value(&self.ping())),
            diagnostics::GET_DIAGNOSTICS => match parse::<DocumentParams>(params) {
                Ok(params) => self.diagnostics(&params, &cx).await.and_then(|found| to_value(&found)),
                Err(error) => Err(error),
            },
            diagnostics::GET_ALL_DIAGNOSTICS => match parse::<AllDiagnosticsParams>(params) {
                Ok(params) => self.all_diagnostics(&params, &cx).await.and_then(|found| to_value(&found)),
                Err(error) => Err(error),
            },
            diagnostics::GET_WORKSPACE_ERRORS => match no_params(&params) {
                Ok(()) => self.workspace_errors(&cx).await.and_then(|found| to_value(&found)),
                Err(error) => Err(error),
            },
            diagnostics::VALIDATE_FILE => match parse::<ValidateFileParams>(params) {
                Ok(params) => self.validate_file(&params.path, &cx).await.and_then(|found| to_value(&found)),
                Err(error) => Err(error),
            },
            editor::GET_OPEN_FILES => {
                no_params(&params).and_then(|()| self.open_files()).and_then(|files| to_value(&files))
            }
            editor::GET_ACTIVE_FILE => match no_params(&params) {
                Ok(()) => self.active_file(&cx).await.and_then(|file| to_value(&file)),
                Err(error) => Err(error),
            },
            editor::EXECUTE_COMMAND => match parse::<ExecuteCommandParams>(params) {
                Ok(params) => self.execute_command(params, &cx).await.and_then(|executed| to_value(&executed)),
                Err(error) => Err(error),
            },
            _ => return None,
        })
    }

    /// Returns whether an editor is connected.
    pub fn has_editor(&self) -> bool {
        self.client.is_some()
    }

    /// Returns the connection state of the editor, and the workspace of the host.
    pub fn status(&self) -> EditorStatus {
        let message = match &self.client {
            Some(view) => format!("{} is connected", view.name()),
            None => "no editor is connected; language servers provide the diagnostics".to_owned(),
        };
        let folders = self.intel.workspace().roots().into_iter().map(Utf8PathBuf::into_string);
        EditorStatus {
            available: self.client.is_some(),
            message,
            kind: self.config.kind,
            workspace_folders: folders.collect(),
        }
    }

    /// Handles `ping`.
    pub fn ping(&self) -> Pong {
        let timestamp = milliseconds(self.config.clock.now());
        Pong { status: "ok".to_owned(), timestamp }
    }

    /// Handles `getDiagnostics`.
    pub async fn diagnostics(
        &self,
        params: &DocumentParams,
        cx: &EditorCallContext,
    ) -> Result<FileDiagnostics, EditorServiceError> {
        let path = match (&params.path, &params.uri) {
            (Some(path), None) => self.resolve_file("path", path)?,
            (None, Some(uri)) => self.resolve_file("uri", uri)?,
            (None, None) => {
                return Err(EditorServiceError::invalid("path", "missing; name a file with `path` or `uri`"));
            }
            (Some(_), Some(_)) => return Err(EditorServiceError::invalid("uri", "`path` is given too; pass only one")),
        };
        let report = self.file_report(&path, DiagnosticsMode::Cached, cx).await?;
        let EditorFileReport { uri, diagnostics, coverage, note, .. } = report;
        Ok(FileDiagnostics { uri, path: path.into_string(), diagnostics, coverage, note })
    }

    /// Handles `validateFile`.
    pub async fn validate_file(&self, path: &str, cx: &EditorCallContext) -> Result<ValidatedFile, EditorServiceError> {
        let path = self.resolve_file("path", path)?;
        let report = self.file_report(&path, DiagnosticsMode::Refresh, cx).await?;
        let EditorFileReport { uri, language_id, diagnostics, coverage, note } = report;
        let language_id = language_id.unwrap_or_else(|| "plaintext".to_owned());
        Ok(ValidatedFile { uri, path: path.into_string(), language_id, diagnostics, coverage, note })
    }

    /// Handles `getAllDiagnostics`.
    pub async fn all_diagnostics(
        &self,
        params: &AllDiagnosticsParams,
        cx: &EditorCallContext,
    ) -> Result<AllDiagnostics, EditorServiceError> {
        Ok(report::all_diagnostics(self.workspace_report(cx).await?, params))
    }

    /// Handles `getWorkspaceErrors`.
    pub async fn workspace_errors(&self, cx: &EditorCallContext) -> Result<WorkspaceErrors, EditorServiceError> {
        Ok(report::workspace_errors(self.workspace_report(cx).await?))
    }

    /// Handles `getOpenFiles`.
    pub fn open_files(&self) -> Result<OpenFiles, EditorServiceError> {
        let Some(view) = &self.client else {
            let note = "no editor is connected, so no file is open in one".to_owned();
            return Ok(OpenFiles { count: 0, files: Vec::new(), note: Some(note) });
        };
        let editors = view.open_editors()?;
        let all = editors.open.len();
        let mut files: Vec<OpenFile> = editors.open.into_iter().filter_map(|file| self.open_file(file)).collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let outside_count = all - files.len();
        let note =
            (outside_count > 0).then(|| format!("open files outside the workspace, not listed: {outside_count}"));
        Ok(OpenFiles { count: files.len(), files, note })
    }

    /// Handles `getActiveFile`.
    pub async fn active_file(&self, cx: &EditorCallContext) -> Result<ActiveFileResult, EditorServiceError> {
        let none =
            |note: Option<&str>| ActiveFileResult { note: note.map(str::to_owned), ..ActiveFileResult::default() };
        let Some(view) = &self.client else { return Ok(none(Some("no editor is connected"))) };
        let Some(ActiveEditor { file, selection }) = view.open_editors()?.active else { return Ok(none(None)) };
        let Some(file) = self.open_file(file) else {
            return Ok(none(Some("the active tab is not a file of the workspace")));
        };
        let report = self.file_report(Utf8Path::new(&file.path), DiagnosticsMode::Cached, cx).await?;
        Ok(ActiveFileResult {
            active: true,
            uri: Some(file.uri),
            path: Some(file.path),
            language_id: Some(file.language_id),
            is_dirty: Some(file.is_dirty),
            line_count: Some(file.line_count),
            selection: Some(selection),
            diagnostics: Some(report.diagnostics),
            note: report.note.or_else(|| report.coverage.and_then(|coverage| coverage.note)),
        })
    }

    /// Resolves a path or URI to a file of the workspace. The error for a path outside does not reveal whether the file
    /// exists.
    fn resolve_file(&self, field: &str, path_or_uri: &str) -> Result<Utf8PathBuf, EditorServiceError> {
        let workspace = self.intel.workspace();
        let missing = match workspace.resolve(path_or_uri) {
            Ok(path) if path.is_dir() => {
                return Err(EditorServiceError::invalid(field, format!("`{path_or_uri}` is a folder")));
            }
            Ok(path) => return Ok(path),
            Err(missing) => missing,
        };
        match (missing, workspace.resolve_for_creation(path_or_uri)) {
            (PathError::Outside { .. }, _) | (_, Err(PathError::Outside { .. })) => {
                let folders: Vec<String> = workspace.roots().into_iter().map(Utf8PathBuf::into_string).collect();
                let message = format!("`{path_or_uri}` is not in this workspace: {}", folders.join(", "));
                Err(EditorServiceError { code: codes::NOT_IN_WORKSPACE, message, field: Some(field.to_owned()) })
            }
            // A deleted file that is still open in the editor.
            (_, Ok(path)) if self.is_open(&path) => Ok(path),
            (missing, _) => Err(EditorServiceError::invalid(field, missing)),
        }
    }

    /// Returns whether the editor has unsaved changes in a file.
    pub(crate) fn is_dirty(&self, path: &str) -> bool {
        let editors = self.client.as_ref().and_then(|view| view.open_editors().ok());
        let is_same = |file: &OpenFile| self.path_of(&file.uri).is_some_and(|open_path| open_path == path);
        editors.is_some_and(|editors| editors.open.iter().any(|file| file.is_dirty && is_same(file)))
    }

    fn is_open(&self, path: &Utf8Path) -> bool {
        let editors = self.client.as_ref().and_then(|view| view.open_editors().ok());
        editors.is_some_and(|editors| editors.open.iter().any(|file| self.path_of(&file.uri).as_deref() == Some(path)))
    }

    /// Returns the workspace path of an editor's URI, or `None` for anything else.
    fn path_of(&self, uri: &str) -> Option<Utf8PathBuf> {
        uri.starts_with("file:").then(|| self.intel.workspace().resolve_for_creation(uri).ok()).flatten()
    }

    /// Fills in the path of an open file of the workspace.
    fn open_file(&self, file: OpenFile) -> Option<OpenFile> {
        Some(OpenFile { path: self.path_of(&file.uri)?.into_string(), ..file })
    }

    /// Returns the diagnostics of one file, from the editor or else from the servers.
    async fn file_report(
        &self,
        path: &Utf8Path,
        mode: DiagnosticsMode,
        cx: &EditorCallContext,
    ) -> Result<EditorFileReport, EditorServiceError> {
        if let Some(view) = &self.client {
            let answer = match mode {
                DiagnosticsMode::Cached => view.diagnostics(path, &cx.request()).await,
                DiagnosticsMode::Refresh => view.validate(path, &cx.request()).await,
            };
            match answer {
                Ok(diagnostics) => return Ok(report::from_editor(path, diagnostics, mode)),
                Err(ViewError::Unsupported) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.headless_file_report(path, cx).await
    }

    /// Returns the diagnostics of all files, from the editor or else from the servers.
    async fn workspace_report(&self, cx: &EditorCallContext) -> Result<report::EditorReport, EditorServiceError> {
        if let Some(view) = &self.client {
            match view.all_diagnostics(&cx.request()).await {
                Ok(all) => return Ok(report::workspace_report(all, |uri| self.path_of(uri))),
                Err(ViewError::Unsupported) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.headless_workspace_report(cx).await
    }

    /// Creates a query to code intelligence.
    async fn code_query(&self, cx: &EditorCallContext) -> CodeQuery<'_> {
        let deadline = cx.server_deadline();
        let wait = deadline.saturating_duration_since(Instant::now());
        let call = CallCx {
            cancel: cx.cancel.clone(),
            deadline,
            wait,
            check_wait: wait,
            may_use_index: false,
            all_projects: None,
            reads_external: false,
            progress: Arc::new(|_, _| {}),
        };
        self.intel.query(call).await
    }
}

fn to_value(result: &impl Serialize) -> Result<Value, EditorServiceError> {
    // Serialization cannot fail; a failure is a bug in zubi.
    serde_json::to_value(result).map_err(|error| EditorServiceError::new(codes::INTERNAL_ERROR, error.to_string()))
}
