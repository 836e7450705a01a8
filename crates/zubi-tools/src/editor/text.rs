//! Renders the protocol's objects as text: relative paths, 1-based lines and columns, columns in characters.

use std::fmt::Write as _;

use camino::Utf8Path;
use serde::Serialize;
use serde_json::Value;
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextIndex};
use zubi_base::text::pluralize;
use zubi_ipc::wire::diagnostics::{
    AllDiagnostics, Coverage, CoverageMode, Diagnostic, FileDiagnostics, Severity, ValidatedFile, WorkspaceErrors,
};
use zubi_ipc::wire::editor::{ActiveFileResult, OpenFile, OpenFiles};
use zubi_tool_api::{OutputStatus, ToolCx, ToolOutput, Truncation};

use crate::editor_state::{EditorService, EditorStatus};
use crate::lsp::view::OutputBudget;

/// Renders answers of the `editor` tool.
pub(super) struct EditorRenderer<'a> {
    pub(super) budget: &'a OutputBudget,
    pub(super) cx: &'a ToolCx,
    pub(super) service: &'a EditorService,
}

/// An answer as data and as text.
pub(super) struct EditorAnswer {
    /// The object of the IPC protocol.
    data: Value,
    text: String,
    status: OutputStatus,
    truncated: Option<Truncation>,
}

impl EditorAnswer {
    pub(super) fn new(object: &impl Serialize, text: impl Into<String>, status: OutputStatus) -> Self {
        // Serialization of these types cannot fail.
        let data = serde_json::to_value(object).unwrap_or_default();
        let status =
            if status.endpoint.is_empty() { OutputStatus { endpoint: "zubi".to_owned(), ..status } } else { status };
        Self { data, text: text.into(), status, truncated: None }
    }

    pub(super) fn into_output(self, is_json: bool) -> ToolOutput {
        if is_json {
            return ToolOutput { text: self.data.to_string(), data: Some(self.data), status: None, truncated: None };
        }
        ToolOutput { text: self.text, data: Some(self.data), status: Some(self.status), truncated: self.truncated }
    }
}

/// A diagnostic with its 1-based position.
struct DiagnosticRow<'a> {
    path: &'a str,
    line: u32,
    column: u32,
    diagnostic: &'a Diagnostic,
}

/// Hint for answers that are cut.
const NARROW_HINT: &str = "narrow with `severity` or `source`, or raise `maxTokens`";

impl EditorRenderer<'_> {
    pub(super) fn status(&self, status: &EditorStatus) -> EditorAnswer {
        let mut text = format!("{}\nhost: {}\nfolders:\n", status.message, status.kind.name());
        for folder in &status.workspace_folders {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "  {folder}");
        }
        EditorAnswer::new(status, text, self.status_of(None, None))
    }

    pub(super) fn open_files(&self, open: &OpenFiles) -> EditorAnswer {
        let rows = self.budget.rows(&open.files, "raise `maxTokens`", |text, _, file| {
            let _ = writeln!(text, "  {}  {}", self.display(&file.path), file_summary(file));
        });
        let (list, truncated) = rows.map(|list| (list.text, list.truncated)).unwrap_or_default();
        let text = format!("{} open\n{list}", pluralize(open.count, "file"));
        let status = self.status_of(None, open.note.as_deref());
        EditorAnswer { truncated, ..EditorAnswer::new(open, text, status) }
    }

    pub(super) async fn active_file(&self, active: ActiveFileResult) -> EditorAnswer {
        let status = self.status_of(None, active.note.as_deref());
        let (Some(path), Some(selection)) = (&active.path, active.selection) else {
            return EditorAnswer::new(&active, "no file is active", status);
        };
        let cursor =
            lsp::Position { line: selection.line.saturating_sub(1), character: selection.column.saturating_sub(1) };
        let (line, column) = display_position(self.line_index(path).await.as_ref(), cursor);
        let problems = active.diagnostics.clone().unwrap_or_default();
        let file = OpenFile {
            uri: String::new(),
            path: path.clone(),
            language_id: active.language_id.clone().unwrap_or_default(),
            is_dirty: active.is_dirty == Some(true),
            line_count: active.line_count.unwrap_or_default(),
        };
        let header = format!("{}:{line}:{column}  {}\n", self.display(path), file_summary(&file));
        self.render_file(&active, header, (path, &problems), status).await
    }

    pub(super) async fn file(&self, file: FileDiagnostics) -> EditorAnswer {
        let status = self.status_of(file.coverage.as_ref(), file.note.as_deref());
        self.render_file(&file, String::new(), (&file.path, &file.diagnostics), status).await
    }

    pub(super) async fn render_validation(&self, file: ValidatedFile) -> EditorAnswer {
        let status = self.status_of(file.coverage.as_ref(), file.note.as_deref());
        self.render_file(&file, String::new(), (&file.path, &file.diagnostics), status).await
    }

    pub(super) async fn render_all(&self, all: AllDiagnostics) -> EditorAnswer {
        let status = self.status_of(all.coverage.as_ref(), all.note.as_deref());
        let header = match all.file_count {
            0 => format!("{}\n", empty_list_text(&status)),
            files => format!("{} in {}\n", pluralize(all.total_diagnostics, "problem"), pluralize(files, "file")),
        };
        let files: Vec<_> = all.files.iter().map(|file| (file.path.as_str(), file.diagnostics.as_slice())).collect();
        let (list, truncated) = self.render_diagnostics(&files, true).await;
        let mut answer = EditorAnswer { truncated, ..EditorAnswer::new(&all, header + &list, status) };
        if all.truncated {
            let more = pluralize(all.file_count - all.returned, "more file");
            let _ = writeln!(answer.text, "… {more}: raise `limit`, or {NARROW_HINT}");
        }
        answer
    }

    pub(super) fn render_summary(&self, report: &WorkspaceErrors) -> EditorAnswer {
        let summary = &report.summary;
        let mut text = format!(
            "{} in {}, {} in {}, infos and hints: {}\n",
            pluralize(summary.errors, "error"),
            pluralize(summary.files_with_errors, "file"),
            pluralize(summary.warnings, "warning"),
            pluralize(summary.files_with_warnings, "file"),
            summary.info,
        );
        if !report.by_source.is_empty() {
            let sources = report.by_source.iter().map(|(source, number)| format!("{source} {number}"));
            let _ = writeln!(text, "by source: {}", sources.collect::<Vec<_>>().join(", "));
        }
        if !report.top_error_files.is_empty() {
            text.push_str("most errors:\n");
        }
        for file in &report.top_error_files {
            let (errors, warnings) = (pluralize(file.errors, "error"), pluralize(file.warnings, "warning"));
            let _ = writeln!(text, "  {}  {errors}, {warnings}", self.display(&file.path));
        }
        let (text, truncated) = self.budget.block(&text);
        let status = self.status_of(report.coverage.as_ref(), report.note.as_deref());
        EditorAnswer { truncated, ..EditorAnswer::new(report, text, status) }
    }

    /// Renders an object about one file.
    async fn render_file(
        &self,
        object: &impl Serialize,
        header: String,
        (path, problems): (&str, &[Diagnostic]),
        status: OutputStatus,
    ) -> EditorAnswer {
        let display_path = self.display(path);
        let what = if problems.is_empty() { empty_list_text(&status).to_owned() } else { tally(problems) };
        let (list, truncated) = self.render_diagnostics(&[(path, problems)], false).await;
        EditorAnswer {
            truncated,
            ..EditorAnswer::new(object, format!("{header}{what} in `{display_path}`\n{list}"), status)
        }
    }

    /// Renders a list of diagnostics, with a file name before each group if `named`.
    async fn render_diagnostics(&self, files: &[(&str, &[Diagnostic])], named: bool) -> (String, Option<Truncation>) {
        let mut rows = Vec::new();
        for (path, problems) in files {
            let index = if problems.is_empty() { None } else { self.line_index(path).await };
            rows.extend(problems.iter().map(|problem| {
                let start = problem.range.start;
                let at = lsp::Position { line: start.line, character: start.character };
                let (line, column) = display_position(index.as_ref(), at);
                DiagnosticRow { path, line, column, diagnostic: problem }
            }));
        }
        let list = self.budget.rows(&rows, NARROW_HINT, |text, before, row| {
            if named && before.is_none_or(|before| before.path != row.path) {
                let _ = writeln!(text, "{}", self.display(row.path));
            }
            write_row(text, row);
        });
        list.map(|list| (list.text, list.truncated)).unwrap_or_default()
    }

    /// Creates the status line: source of the answer, coverage, and what may be missing.
    fn status_of(&self, coverage: Option<&Coverage>, note: Option<&str>) -> OutputStatus {
        let join = |notes: [Option<&str>; 2]| {
            let notes: Vec<_> = notes.into_iter().flatten().collect();
            (!notes.is_empty()).then(|| notes.join(" · "))
        };
        let Some(coverage) = coverage else {
            let endpoint = if self.service.has_editor() { "editor" } else { "no editor" };
            return OutputStatus { endpoint: endpoint.to_owned(), note: join([note, None]), ..OutputStatus::default() };
        };
        let (endpoint, readiness) = match coverage.mode {
            CoverageMode::Headless => {
                let coverage_text = format!("{} of {} checked", coverage.analysed, pluralize(coverage.total, "file"));
                ("language servers", coverage_text)
            }
            CoverageMode::None => ("no language server", String::new()),
        };
        let suffix = if self.service.has_editor() { "" } else { ", no editor" };
        OutputStatus {
            endpoint: format!("{endpoint}{suffix}"),
            readiness,
            complete: Some(coverage.mode == CoverageMode::Headless && coverage.analysed == coverage.total),
            note: join([coverage.note.as_deref(), note]),
        }
    }

    fn display(&self, path: &str) -> String {
        self.cx.workspace.display(Utf8Path::new(path))
    }

    /// Returns the line index of a file; `None` if the editor has an unsaved text, to which the positions refer.
    async fn line_index(&self, path: &str) -> Option<TextIndex> {
        if self.service.is_dirty(path) {
            return None;
        }
        let text = self.cx.text_source.read(Utf8Path::new(path)).await.ok()?;
        Some(TextIndex::new(&text.text))
    }
}

/// Returns the 1-based line and column; columns count characters, or UTF-16 code units if the text is unknown.
fn display_position(index: Option<&TextIndex>, position: lsp::Position) -> (u32, u32) {
    let position_in_chars =
        index.map_or(position, |index| index.to_lsp(index.from_lsp(position, Encoding::Utf16), Encoding::Utf32));
    (position_in_chars.line.saturating_add(1), position_in_chars.character.saturating_add(1))
}

/// Returns the text for an empty list. It claims less if some files were not checked.
fn empty_list_text(status: &OutputStatus) -> &'static str {
    if status.complete == Some(false) || status.note.is_some() { "no problem is known" } else { "no problems" }
}

/// Renders `toy, 12 lines, not saved`.
fn file_summary(file: &OpenFile) -> String {
    let lines = pluralize(usize::try_from(file.line_count).unwrap_or(usize::MAX), "line");
    format!("{}, {lines}{}", file.language_id, if file.is_dirty { ", not saved" } else { "" })
}

/// Renders `3 errors, 1 warning`.
fn tally(problems: &[Diagnostic]) -> String {
    let number = |severity| problems.iter().filter(|problem| problem.severity == severity).count();
    let parts = Severity::ALL.into_iter().map(|severity| (number(severity), severity.name()));
    parts.filter(|(number, _)| *number > 0).map(|(number, name)| pluralize(number, name)).collect::<Vec<_>>().join(", ")
}

fn write_row(text: &mut String, row: &DiagnosticRow<'_>) {
    let DiagnosticRow { line, column, diagnostic: problem, .. } = row;
    let message = problem.message.replace('\n', "\n      ");
    let _ = write!(text, "  {line}:{column}  {}: {message}", problem.severity.name());
    let origin: Vec<&str> = [problem.source.as_deref(), problem.code.as_deref()].into_iter().flatten().collect();
    if !origin.is_empty() {
        let _ = write!(text, "  [{}]", origin.join(" "));
    }
    text.push('\n');
}
