//! Reports from editor diagnostics: filtered, counted and cut.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::lsp;
use zubi_link::wire::diagnostics::{
    AllDiagnostics, AllDiagnosticsParams, Coverage, Diagnostic, ErrorCounts, ErrorFile, FileDiagnostics, MAX_TOP_FILES,
    Severity, UNKNOWN_SOURCE, WorkspaceErrors,
};

use super::{EditorDiagnostics, convert, uri_of};

/// How the diagnostics of a file are obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiagnosticsMode {
    /// Diagnostics known to the editor.
    Glance,
    /// Diagnostics after opening and checking the file.
    Validate,
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
const AS_SHOWN: &str =
    "from the editor: most of its servers check only open files; validating a file opens it";

/// Most bytes of files in one answer; a message over the socket may have 8 MiB.
const MAX_BYTES: usize = 6 * 1024 * 1024;

/// Creates the report of one file from the editor's diagnostics.
pub(super) fn from_editor(path: &Utf8Path, known: EditorDiagnostics, look: DiagnosticsMode) -> EditorFileReport {
    let (diagnostics, left_out) = convert::diagnostics(&known.items);
    let mut notes = Vec::new();
    if !known.is_open && look == DiagnosticsMode::Glance {
        notes.push(
            "the file is not open in the editor, so it may be unchecked; validating it opens it".to_owned(),
        );
    } else if !known.is_current {
        notes.push("no server of the editor has reported on the present text: it may have no diagnostics, or not be done yet".to_owned());
    }
    notes.extend(too_many(left_out));
    EditorFileReport {
        uri: uri_of(path),
        language_id: known.language_id,
        diagnostics,
        coverage: None,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    }
}

/// Returns a note if diagnostics of a file were left out.
pub(super) fn too_many(left_out: usize) -> Option<String> {
    (left_out > 0).then(|| format!("further diagnostics, omitted for size: {left_out}"))
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
            let (diagnostics, left_out) = convert::diagnostics(&items);
            let text = path.to_string();
            let note = too_many(left_out);
            files.insert(path, FileDiagnostics { uri, path: text, diagnostics, coverage: None, note });
        }
    }
    EditorReport { files: files.into_values().collect(), coverage: None, note: Some(AS_SHOWN.to_owned()) }
}

/// Builds the result of `getAllDiagnostics`.
pub(super) fn all(around: EditorReport, wanted: &AllDiagnosticsParams) -> AllDiagnostics {
    let is_wanted = |problem: &Diagnostic| {
        wanted.severity.is_none_or(|severity| problem.severity == severity)
            && wanted.source.as_ref().is_none_or(|source| problem.source.as_ref() == Some(source))
    };
    let mut files = around.files;
    for file in &mut files {
        file.diagnostics.retain(is_wanted);
    }
    files.retain(|file| !file.diagnostics.is_empty());
    let file_count = files.len();
    let total_diagnostics = files.iter().map(|file| file.diagnostics.len()).sum();
    files.truncate(wanted.limit.unwrap_or(usize::MAX).min(room_for(&files)));
    AllDiagnostics {
        file_count,
        total_diagnostics,
        returned: files.len(),
        truncated: files.len() < file_count,
        files,
        coverage: around.coverage,
        note: around.note,
    }
}

/// Returns how many of these files fit into an answer.
fn room_for(files: &[FileDiagnostics]) -> usize {
    let mut room = MAX_BYTES;
    files
        .iter()
        .take_while(|file| {
            let size = serde_json::to_string(file).map_or(0, |text| text.len());
            let fits = size <= room;
            room = room.saturating_sub(size);
            fits
        })
        .count()
}

/// Builds the result of `getWorkspaceErrors`.
pub(super) fn errors(around: EditorReport) -> WorkspaceErrors {
    let mut summary = ErrorCounts::default();
    let mut by_source: BTreeMap<String, usize> = BTreeMap::new();
    let mut top: Vec<ErrorFile> = Vec::new();
    for FileDiagnostics { path, diagnostics, .. } in around.files {
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
            top.push(ErrorFile { path, errors, warnings });
        }
    }
    // Stable sort: files with equal counts stay in path order.
    top.sort_by_key(|file| Reverse((file.errors, file.warnings)));
    top.truncate(MAX_TOP_FILES);
    let sources = by_source.keys().cloned().collect();
    WorkspaceErrors { summary, by_source, top_error_files: top, sources, coverage: around.coverage, note: around.note }
}
