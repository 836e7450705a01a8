//! What the editor sees, and what language servers know where there is no editor: the eight methods of the IPC protocol
//! ([`zubi_link::wire::editor::METHODS`]), which the tool `editor` asks as well.
//!
//! With an editor ([`EditorView`]) it answers, from its servers and with what is typed and not saved. What it does not answer,
//! and everything where there is no editor, is asked of the servers that code intelligence knows; such an answer has a
//! `coverage`. Nothing is empty without a reason: either it says that all was looked at, or why not.
//!
//! Paths lead into the workspace, after links are resolved, or they are refused. What is outside of it and open in the editor
//! is left out and counted.

mod answer;
mod commands;
mod convert;
mod headless;
mod params;
mod view;

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::Clock;
use zubi_base::endpoint::RequestCx;
use zubi_base::uri;
use zubi_base::workspace::PathError;
use zubi_code::{CallCx, CodeIntel, Question};
use zubi_link::wire::codes;
use zubi_link::wire::diagnostics::{
    self, AllDiagnostics, AllDiagnosticsParams, DocumentParams, FileDiagnostics, ValidateFileParams, ValidatedFile,
    WorkspaceErrors,
};
use zubi_link::wire::editor::{self, ActiveFile, ExecuteCommandParams, OpenFile, OpenFiles, Pong};
use zubi_link::wire::host::HostKind;

use self::answer::{DiagnosticsMode, EditorFileReport};
use self::params::{no_params, parse};
pub use self::view::{EditorClient, EditorDiagnostics, OpenEditors, ActiveEditor, ShownFile, ViewError};

/// What a [`Sight`] has to know of the host that it belongs to.
#[derive(Clone)]
pub struct EditorServiceConfig {
    /// Where the host lives.
    pub kind: HostKind,
    /// Commands of the editor that the user allows besides those that are always allowed, from settings of the machine.
    pub commands: Vec<String>,
    pub clock: Arc<dyn Clock>,
}

/// The circumstances of one question.
#[derive(Debug, Clone)]
pub struct EditorCallContext {
    /// Cancelled when the caller gives up.
    pub cancel: CancellationToken,
    /// When the answer has to be there. Servers are asked until a moment before.
    pub deadline: Instant,
    /// Whether the caller may only look: then commands that the user has added are refused, for they may do anything.
    pub read_only: bool,
}

impl EditorCallContext {
    fn request(&self) -> RequestCx {
        RequestCx::new(self.cancel.clone(), self.early())
    }

    /// A moment before the deadline, so that what is known by then can still be told.
    fn early(&self) -> Instant {
        let left = self.deadline.saturating_duration_since(Instant::now());
        self.deadline.checked_sub((left / 10).min(LAST_WORDS)).unwrap_or(self.deadline)
    }
}

/// How long before the deadline no more is asked.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Why a question has no answer: an error of JSON-RPC.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EditorServiceError {
    /// One of [`zubi_link::wire::codes`].
    pub code: i64,
    /// What is wrong, and what to do.
    pub message: String,
    /// The parameter that is wrong.
    pub field: Option<String>,
}

impl EditorServiceError {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), field: None }
    }

    fn invalid(field: &str, what: impl std::fmt::Display) -> Self {
        Self {
            code: codes::INVALID_PARAMS,
            message: format!("Invalid params: {field}: {what}"),
            field: Some(field.to_owned()),
        }
    }
}

/// Whether there is an editor, and whose workspace this is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EditorStatus {
    /// Whether an editor answers.
    pub available: bool,
    /// For people.
    pub message: String,
    pub kind: HostKind,
    /// Absolute paths.
    pub workspace_folders: Vec<String>,
}

/// What the editor sees; see the module.
pub struct EditorService {
    intel: Arc<CodeIntel>,
    view: Option<Arc<dyn EditorClient>>,
    config: EditorServiceConfig,
}

impl EditorService {
    /// Over code intelligence, and over the editor if there is one.
    pub fn new(intel: Arc<CodeIntel>, view: Option<Arc<dyn EditorClient>>, config: EditorServiceConfig) -> Arc<Self> {
        Arc::new(Self { intel, view, config })
    }

    /// Answers one of the eight methods of the protocol. `None`: it is another method.
    pub async fn handle(&self, method: &str, params: Value, cx: EditorCallContext) -> Option<Result<Value, EditorServiceError>> {
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
                Ok(params) => self.execute_command(params, &cx).await.and_then(|done| to_value(&done)),
                Err(error) => Err(error),
            },
            _ => return None,
        })
    }

    /// Whether there is an editor.
    pub fn has_editor(&self) -> bool {
        self.view.is_some()
    }

    /// Whether there is an editor, and whose workspace this is.
    pub fn status(&self) -> EditorStatus {
        let message = match &self.view {
            Some(view) => format!("{} is connected", view.name()),
            None => "no editor is connected; problems are asked of language servers".to_owned(),
        };
        let folders = self.intel.workspace().roots().into_iter().map(Utf8PathBuf::into_string);
        EditorStatus {
            available: self.view.is_some(),
            message,
            kind: self.config.kind,
            workspace_folders: folders.collect(),
        }
    }

    /// `ping`.
    pub fn ping(&self) -> Pong {
        let timestamp = u64::try_from(self.config.clock.now().as_millis()).unwrap_or(u64::MAX);
        Pong { status: "ok".to_owned(), timestamp }
    }

    /// `getDiagnostics`.
    pub async fn diagnostics(&self, params: &DocumentParams, cx: &EditorCallContext) -> Result<FileDiagnostics, EditorServiceError> {
        let path = match (&params.path, &params.uri) {
            (Some(path), None) => self.file("path", path)?,
            (None, Some(uri)) => self.file("uri", uri)?,
            (None, None) => return Err(EditorServiceError::invalid("path", "missing; name a file with `path` or `uri`")),
            (Some(_), Some(_)) => return Err(EditorServiceError::invalid("uri", "`path` is given as well; give one of them")),
        };
        let look = self.look_at(&path, DiagnosticsMode::Glance, cx).await?;
        let EditorFileReport { uri, diagnostics, coverage, note, .. } = look;
        Ok(FileDiagnostics { uri, path: path.into_string(), diagnostics, coverage, note })
    }

    /// `validateFile`.
    pub async fn validate_file(&self, path: &str, cx: &EditorCallContext) -> Result<ValidatedFile, EditorServiceError> {
        let path = self.file("path", path)?;
        let look = self.look_at(&path, DiagnosticsMode::Validate, cx).await?;
        let EditorFileReport { uri, language_id, diagnostics, coverage, note } = look;
        let language_id = language_id.unwrap_or_else(|| "plaintext".to_owned());
        Ok(ValidatedFile { uri, path: path.into_string(), language_id, diagnostics, coverage, note })
    }

    /// `getAllDiagnostics`.
    pub async fn all_diagnostics(
        &self,
        params: &AllDiagnosticsParams,
        cx: &EditorCallContext,
    ) -> Result<AllDiagnostics, EditorServiceError> {
        Ok(answer::all(self.look_around(cx).await?, params))
    }

    /// `getWorkspaceErrors`.
    pub async fn workspace_errors(&self, cx: &EditorCallContext) -> Result<WorkspaceErrors, EditorServiceError> {
        Ok(answer::errors(self.look_around(cx).await?))
    }

    /// `getOpenFiles`.
    pub fn open_files(&self) -> Result<OpenFiles, EditorServiceError> {
        let Some(view) = &self.view else {
            let note = "no editor is connected, so no file is open in one".to_owned();
            return Ok(OpenFiles { count: 0, files: Vec::new(), note: Some(note) });
        };
        let seen = view.open_editors()?;
        let all = seen.open.len();
        let mut files: Vec<OpenFile> = seen.open.into_iter().filter_map(|file| self.open_file(file)).collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let outside = all - files.len();
        let note =
            (outside > 0).then(|| format!("open files outside of the workspace, which are not listed: {outside}"));
        Ok(OpenFiles { count: files.len(), files, note })
    }

    /// `getActiveFile`.
    pub async fn active_file(&self, cx: &EditorCallContext) -> Result<ActiveFile, EditorServiceError> {
        let none = |note: Option<&str>| ActiveFile { note: note.map(str::to_owned), ..ActiveFile::default() };
        let Some(view) = &self.view else { return Ok(none(Some("no editor is connected"))) };
        let Some(ActiveEditor { file, selection }) = view.open_editors()?.active else { return Ok(none(None)) };
        let Some(file) = self.open_file(file) else {
            return Ok(none(Some("what the user looks at is no file of the workspace")));
        };
        let look = self.look_at(Utf8Path::new(&file.path), DiagnosticsMode::Glance, cx).await?;
        Ok(ActiveFile {
            active: true,
            uri: Some(file.uri),
            path: Some(file.path),
            language_id: Some(file.language_id),
            is_dirty: Some(file.is_dirty),
            line_count: Some(file.line_count),
            selection: Some(selection),
            diagnostics: Some(look.diagnostics),
            note: look.note.or_else(|| look.coverage.and_then(|coverage| coverage.note)),
        })
    }

    /// The file of the workspace that a caller names. Of what lies outside not even whether it exists is told.
    fn file(&self, field: &str, given: &str) -> Result<Utf8PathBuf, EditorServiceError> {
        let workspace = self.intel.workspace();
        let missing = match workspace.resolve(given) {
            Ok(path) if path.is_dir() => return Err(EditorServiceError::invalid(field, format!("`{given}` is a folder"))),
            Ok(path) => return Ok(path),
            Err(missing) => missing,
        };
        match (missing, workspace.resolve_for_creation(given)) {
            (PathError::Outside { .. }, _) | (_, Err(PathError::Outside { .. })) => {
                let folders: Vec<String> = workspace.roots().into_iter().map(Utf8PathBuf::into_string).collect();
                let message = format!("`{given}` is not in this workspace: {}", folders.join(", "));
                Err(EditorServiceError { code: codes::NOT_IN_WORKSPACE, message, field: Some(field.to_owned()) })
            }
            // Deleted on disk, and still there for its user.
            (_, Ok(path)) if self.is_open(&path) => Ok(path),
            (missing, _) => Err(EditorServiceError::invalid(field, missing)),
        }
    }

    /// Whether the editor has another text of a file than the disk.
    pub(crate) fn is_dirty(&self, path: &str) -> bool {
        let seen = self.view.as_ref().and_then(|view| view.open_editors().ok());
        let is_meant = |file: &ShownFile| self.path_of(&file.uri).is_some_and(|open| open == path);
        seen.is_some_and(|seen| seen.open.iter().any(|file| file.is_dirty && is_meant(file)))
    }

    fn is_open(&self, path: &Utf8Path) -> bool {
        let seen = self.view.as_ref().and_then(|view| view.open_editors().ok());
        seen.is_some_and(|seen| seen.open.iter().any(|file| self.path_of(&file.uri).as_deref() == Some(path)))
    }

    /// The path of the workspace that a URI of the editor's means; `None` for whatever else it is.
    fn path_of(&self, uri: &str) -> Option<Utf8PathBuf> {
        uri.starts_with("file:").then(|| self.intel.workspace().resolve_for_creation(uri).ok()).flatten()
    }

    fn open_file(&self, file: ShownFile) -> Option<OpenFile> {
        let path = self.path_of(&file.uri)?.into_string();
        let ShownFile { uri, language_id, is_dirty, line_count } = file;
        Some(OpenFile { uri, path, language_id, is_dirty, line_count })
    }

    /// The problems of one file, by the editor or else by the servers.
    async fn look_at(&self, path: &Utf8Path, look: DiagnosticsMode, cx: &EditorCallContext) -> Result<EditorFileReport, EditorServiceError> {
        if let Some(view) = &self.view {
            let known = match look {
                DiagnosticsMode::Glance => view.diagnostics(path, &cx.request()).await,
                DiagnosticsMode::Validate => view.validate(path, &cx.request()).await,
            };
            match known {
                Ok(known) => return Ok(answer::from_editor(path, known, look)),
                Err(ViewError::Unsupported) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.headless_file(path, cx).await
    }

    /// The problems of all files, by the editor or else by the servers.
    async fn look_around(&self, cx: &EditorCallContext) -> Result<answer::EditorReport, EditorServiceError> {
        if let Some(view) = &self.view {
            match view.all_diagnostics(&cx.request()).await {
                Ok(all) => return Ok(answer::workspace_report(all, |uri| self.path_of(uri))),
                Err(ViewError::Unsupported) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.headless_workspace(cx).await
    }

    /// A question to code intelligence.
    async fn question(&self, cx: &EditorCallContext) -> Question<'_> {
        let deadline = cx.early();
        let wait = deadline.saturating_duration_since(Instant::now());
        let call =
            CallCx { cancel: cx.cancel.clone(), deadline, wait, check_wait: wait, progress: Arc::new(|_, _| {}) };
        self.intel.question(call).await
    }
}

/// The URI under which zubi names a file.
fn uri_of(path: &Utf8Path) -> String {
    uri::from_path(path).0
}

fn to_value(result: &impl Serialize) -> Result<Value, EditorServiceError> {
    // What is made here can be written; a reason why not is a mistake of this program.
    serde_json::to_value(result).map_err(|error| EditorServiceError::new(codes::INTERNAL_ERROR, error.to_string()))
}
