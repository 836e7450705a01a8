//! Answers without an editor: queries language servers within the deadline.

use camino::Utf8Path;
use zubi_base::endpoint::{EndpointError, MissingServer};
use zubi_code::CodeError;
use zubi_code::diagnostics::report::{FileReport, WorkspaceReport};
use zubi_ipc::wire::codes;
use zubi_ipc::wire::diagnostics::{Coverage, CoverageMode, FileDiagnostics};

use super::report::{EditorFileReport, EditorReport, omission_note, uri_of};
use super::{EditorCallContext, EditorService, EditorServiceError, convert};

/// Maximum number of files that are queried for one answer.
const MAX_FILES: usize = 500;

/// Maximum number of missing servers named in an answer.
const MAX_MISSING: usize = 2;

impl EditorService {
    pub(super) async fn headless_file_report(
        &self,
        path: &Utf8Path,
        cx: &EditorCallContext,
    ) -> Result<EditorFileReport, EditorServiceError> {
        let report = match self.code_query(cx).await.file_report(path).await {
            Ok(report) => report,
            Err(CodeError::NoEndpoint(absent)) => return Ok(unserved_report(path, &absent)),
            Err(error) => return Err(service_error(&error)),
        };
        if let Some(loading) = &report.loading
            && report.items.is_empty()
        {
            return Err(still_loading(loading));
        }
        let (diagnostics, omitted) = convert::convert_all(&report.items);
        Ok(EditorFileReport {
            uri: uri_of(path),
            diagnostics,
            coverage: Some(file_coverage(&report)),
            language_id: report.language,
            note: omission_note(omitted),
        })
    }

    pub(super) async fn headless_workspace_report(
        &self,
        cx: &EditorCallContext,
    ) -> Result<EditorReport, EditorServiceError> {
        let report = match self.code_query(cx).await.workspace_report(MAX_FILES).await {
            Ok(report) => report,
            Err(CodeError::NoEndpoint(absent)) => {
                let coverage = Coverage {
                    analysed: 0,
                    total: 0,
                    mode: CoverageMode::None,
                    note: Some(missing_server_note(&absent)),
                };
                return Ok(EditorReport { coverage: Some(coverage), ..EditorReport::default() });
            }
            Err(error) => return Err(service_error(&error)),
        };
        if cx.cancel.is_cancelled() {
            return Err(service_error(&CodeError::Endpoint(EndpointError::Cancelled)));
        }
        let is_empty = report.files.iter().all(|file| !file.analysed && file.items.is_empty());
        if let Some(loading) = report.loading.as_ref().filter(|_| is_empty) {
            return Err(still_loading(loading));
        }
        let coverage = workspace_coverage(&report);
        let files = report.files.into_iter().filter(|file| !file.items.is_empty()).map(|file| {
            let (diagnostics, omitted) = convert::convert_all(&file.items);
            let uri = uri_of(&file.path);
            FileDiagnostics {
                uri,
                path: file.path.into_string(),
                diagnostics,
                coverage: None,
                note: omission_note(omitted),
            }
        });
        Ok(EditorReport { files: files.collect(), coverage: Some(coverage), note: None })
    }
}

fn file_coverage(report: &FileReport) -> Coverage {
    let reason = report.reason.clone().or_else(|| report.loading.clone()).filter(|_| !report.analysed);
    let notes = reason.map(|reason| format!("{reason}; try again")).into_iter().chain(report.caveats.iter().cloned());
    Coverage {
        analysed: usize::from(report.analysed),
        total: 1,
        mode: CoverageMode::Headless,
        note: join_notes(notes.collect()),
    }
}

fn workspace_coverage(report: &WorkspaceReport) -> Coverage {
    let analysed = report.files.iter().filter(|file| file.analysed).count();
    let mut notes = Vec::new();
    if analysed < report.total {
        let limit = if report.total > MAX_FILES { format!("(limit: {MAX_FILES})") } else { String::new() };
        notes.push(format!("not all files were checked in time{limit}; try again, or request one file"));
        notes.extend(report.files.iter().find_map(|file| file.reason.clone()));
    }
    notes.extend(report.loading.clone());
    notes.extend(report.notes.iter().cloned());
    Coverage { analysed, total: report.total, mode: CoverageMode::Headless, note: join_notes(notes) }
}

/// Maximum number of clauses of a note.
const MAX_NOTES: usize = 8;

fn join_notes(mut notes: Vec<String>) -> Option<String> {
    notes.truncate(MAX_NOTES);
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Creates the report of a file that no server checks.
fn unserved_report(path: &Utf8Path, absent: &[MissingServer]) -> EditorFileReport {
    let coverage =
        Coverage { analysed: 0, total: 1, mode: CoverageMode::None, note: Some(missing_server_note(absent)) };
    EditorFileReport {
        uri: uri_of(path),
        language_id: None,
        diagnostics: Vec::new(),
        coverage: Some(coverage),
        note: None,
    }
}

fn missing_server_note(absent: &[MissingServer]) -> String {
    if absent.is_empty() {
        return "no language server provides diagnostics here".to_owned();
    }
    let absent = absent.iter().take(MAX_MISSING).map(|absent| format!("{}: {}", absent.reason, absent.hint));
    absent.collect::<Vec<_>>().join("; ")
}

fn still_loading(reason: &str) -> EditorServiceError {
    EditorServiceError::new(codes::LOADING, format!("{reason}; try again"))
}

fn service_error(error: &CodeError) -> EditorServiceError {
    let code = match error {
        CodeError::Endpoint(EndpointError::Cancelled) => codes::CANCELLED,
        _ => codes::INTERNAL_ERROR,
    };
    EditorServiceError::new(code, format!("{error}. {}", error.hint()))
}
