//! Reports from editor diagnostics: filtered, counted and cut.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::{lsp, uri};
use zubi_ipc::wire::diagnostics::{
    AllDiagnostics, AllDiagnosticsParams, Coverage, Diagnostic, ErrorCounts, ErrorFile, FileDiagnostics, MAX_TOP_FILES,
    Severity, UNKNOWN_SOURCE, WorkspaceErrors,
};

use super::client::EditorDiagnostics;
use super::convert;

/// How the diagnostics of a file are obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiagnosticsMode {
    /// Diagnostics known to the editor.
    Cached,
    /// Diagnostics after opening and checking the file.
    Refresh,
}

/// Diagnostics of one file.
#[derive(Debug, Clone)]
pub(super) struct EditorFileReport {
    pub(super) uri: String,
    pub(super) language_id: Option<String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) coverage: Option<Coverage>,
    pub(super) note: Option<String>,
}

/// Diagnostics of all files that have any.
#[derive(Debug, Clone, Default)]
pub(super) struct EditorReport {
    pub(super) files: Vec<FileDiagnostics>,
    pub(super) coverage: Option<Coverage>,
    pub(super) note: Option<String>,
}

/// Note about diagnostics of an editor, which may be incomplete.
const EDITOR_NOTE: &str = "from the editor: most of its servers check only open files; validating a file opens it";

/// Maximum size of files in one answer, in bytes; a message over the socket may have 8 MiB.
const MAX_BYTES: usize = 6 * 1024 * 1024;

/// Returns the URI under which zubi names a file.
pub(super) fn uri_of(path: &Utf8Path) -> String {
    uri::from_path(path).0
}

/// Creates the report of one file from the editor's diagnostics.
pub(super) fn from_editor(path: &Utf8Path, answer: EditorDiagnostics, mode: DiagnosticsMode) -> EditorFileReport {
    let (diagnostics, omitted) = convert::convert_all(&answer.items);
    let mut notes = Vec::new();
    if !answer.is_open && mode == DiagnosticsMode::Cached {
        notes.push("the file is not open in the editor, so it may be unchecked; validating it opens it".to_owned());
    } else if !answer.is_current {
        notes.push(
            "no server of the editor has reported on the present text: it may have no diagnostics, or not be done yet"
                .to_owned(),
        );
    }
    notes.extend(omission_note(omitted));
    EditorFileReport {
        uri: uri_of(path),
        language_id: answer.language_id,
        diagnostics,
        coverage: None,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    }
}

/// Returns a note if diagnostics of a file were left out.
pub(super) fn omission_note(omitted: usize) -> Option<String> {
    (omitted > 0).then(|| format!("further diagnostics, omitted for size: {omitted}"))
}

/// Creates the report of all workspace files from the editor's diagnostics.
pub(super) fn workspace_report(
    all: Vec<(String, Vec<lsp::Diagnostic>)>,
    path_of: impl Fn(&str) -> Option<Utf8PathBuf>,
) -> EditorReport {
    let mut files: BTreeMap<Utf8PathBuf, FileDiagnostics> = BTreeMap::new();
    for (uri, items) in all.into_iter().filter(|(_, items)| !items.is_empty()) {
        // Two URIs of the same file mean that it is open through a symlink; their diagnostics are equal.
        if let Some(path) = path_of(&uri)
            && !files.contains_key(&path)
        {
            let (diagnostics, omitted) = convert::convert_all(&items);
            let text = path.to_string();
            let note = omission_note(omitted);
            files.insert(path, FileDiagnostics { uri, path: text, diagnostics, coverage: None, note });
        }
    }
    EditorReport { files: files.into_values().collect(), coverage: None, note: Some(EDITOR_NOTE.to_owned()) }
}

/// Builds the result of `getAllDiagnostics`.
pub(super) fn all_diagnostics(report: EditorReport, filter: &AllDiagnosticsParams) -> AllDiagnostics {
    let matches_filter = |problem: &Diagnostic| {
        filter.severity.is_none_or(|severity| problem.severity == severity)
            && filter.source.as_ref().is_none_or(|source| problem.source.as_ref() == Some(source))
    };
    let mut files = report.files;
    for file in &mut files {
        file.diagnostics.retain(matches_filter);
    }
    files.retain(|file| !file.diagnostics.is_empty());
    let file_count = files.len();
    let total_diagnostics = files.iter().map(|file| file.diagnostics.len()).sum();
    files.truncate(filter.limit.unwrap_or(usize::MAX).min(count_fitting(&files)));
    AllDiagnostics {
        file_count,
        total_diagnostics,
        returned: files.len(),
        truncated: files.len() < file_count,
        files,
        coverage: report.coverage,
        note: report.note,
    }
}

/// Returns how many of these files fit into an answer.
fn count_fitting(files: &[FileDiagnostics]) -> usize {
    let mut budget = MAX_BYTES;
    files
        .iter()
        .take_while(|file| {
            let size = serde_json::to_string(file).map_or(0, |text| text.len());
            let fits = size <= budget;
            budget = budget.saturating_sub(size);
            fits
        })
        .count()
}

/// Builds the result of `getWorkspaceErrors`.
pub(super) fn workspace_errors(report: EditorReport) -> WorkspaceErrors {
    let mut summary = ErrorCounts::default();
    let mut by_source: BTreeMap<String, usize> = BTreeMap::new();
    let mut top_error_files: Vec<ErrorFile> = Vec::new();
    for FileDiagnostics { path, diagnostics, .. } in report.files {
        let count = |severity| diagnostics.iter().filter(|problem| problem.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        summary.errors += errors;
        summary.warnings += warnings;
        summary.info += count(Severity::Info) + count(Severity::Hint);
        summary.files_with_errors += usize::from(errors > 0);
        summary.files_with_warnings += usize::from(warnings > 0);
        for problem in diagnostics {
            *by_source.entry(problem.source.unwrap_or_else(|| UNKNOWN_SOURCE.to_owned())).or_default() += 1;
        }
        if errors > 0 {
            top_error_files.push(ErrorFile { path, errors, warnings });
        }
    }
    // Stable sort: files with equal counts stay in path order.
    top_error_files.sort_by_key(|file| Reverse((file.errors, file.warnings)));
    top_error_files.truncate(MAX_TOP_FILES);
    let sources = by_source.keys().cloned().collect();
    WorkspaceErrors { summary, by_source, top_error_files, sources, coverage: report.coverage, note: report.note }
}
