//! Renders the protocol's objects as text: relative paths, 1-based lines and columns, columns in characters.

use std::fmt::Write as _;

use camino::Utf8Path;
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextIndex};
use zubi_link::wire::diagnostics::{
    AllDiagnostics, Coverage, CoverageMode, Diagnostic, FileDiagnostics, Severity, ValidatedFile, WorkspaceErrors,
};
use zubi_link::wire::editor::{ActiveFile, OpenFile, OpenFiles};
use zubi_tools::{Status, ToolCx, Truncation};

use super::Answer;
use crate::lsp::view::{OutputBudget, count};
use crate::sight::{EditorService, EditorStatus};

/// Renders answers of the `editor` tool.
pub(super) struct EditorRenderer<'a> {
    pub(super) view: &'a OutputBudget,
    pub(super) cx: &'a ToolCx,
    pub(super) sight: &'a EditorService,
}

/// A diagnostic with its 1-based position.
struct Row<'a> {
    path: &'a str,
    line: u32,
    column: u32,
    problem: &'a Diagnostic,
}

/// Hint for answers that are cut.
const NARROW: &str = "narrow with `severity` or `source`, or raise `max_tokens`";

impl EditorRenderer<'_> {
    pub(super) fn status(&self, status: &EditorStatus) -> Answer {
        let mut text = format!("{}\nhost: {}\nfolders:\n", status.message, status.kind.name());
        for folder in &status.workspace_folders {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "  {folder}");
        }
        Answer::new(status, text, self.source(None, None))
    }

    pub(super) fn open_files(&self, open: &OpenFiles) -> Answer {
        let rows = self.view.rows(&open.files, "raise `max_tokens`", |text, _, file| {
            let _ = writeln!(text, "  {}  {}", self.display(&file.path), of_file(file));
        });
        let (list, truncated) = rows.map(|list| (list.text, list.truncated)).unwrap_or_default();
        let text = format!("{} open\n{list}", count(open.count, "file"));
        let status = self.source(None, open.note.as_deref());
        Answer { truncated, ..Answer::new(open, text, status) }
    }

    pub(super) async fn active_file(&self, active: ActiveFile) -> Answer {
        let status = self.source(None, active.note.as_deref());
        let (Some(path), Some(selection)) = (&active.path, active.selection) else {
            return Answer::new(&active, "no file is active", status);
        };
        let cursor =
            lsp::Position { line: selection.line.saturating_sub(1), character: selection.column.saturating_sub(1) };
        let (line, column) = place(self.index(path).await.as_ref(), cursor);
        let problems = active.diagnostics.clone().unwrap_or_default();
        let file = OpenFile {
            uri: String::new(),
            path: path.clone(),
            language_id: active.language_id.clone().unwrap_or_default(),
            is_dirty: active.is_dirty == Some(true),
            line_count: active.line_count.unwrap_or_default(),
        };
        let header = format!("{}:{line}:{column}  {}\n", self.display(path), of_file(&file));
        self.of_one(&active, header, (path, &problems), status).await
    }

    pub(super) async fn file(&self, file: FileDiagnostics) -> Answer {
        let status = self.source(file.coverage.as_ref(), file.note.as_deref());
        self.of_one(&file, String::new(), (&file.path, &file.diagnostics), status).await
    }

    pub(super) async fn render_validation(&self, file: ValidatedFile) -> Answer {
        let status = self.source(file.coverage.as_ref(), file.note.as_deref());
        self.of_one(&file, String::new(), (&file.path, &file.diagnostics), status).await
    }

    pub(super) async fn all(&self, all: AllDiagnostics) -> Answer {
        let status = self.source(all.coverage.as_ref(), all.note.as_deref());
        let header = match all.file_count {
            0 => format!("{}\n", empty_list_text(&status)),
            files => format!("{} in {}\n", count(all.total_diagnostics, "problem"), count(files, "file")),
        };
        let files: Vec<_> = all.files.iter().map(|file| (file.path.as_str(), file.diagnostics.as_slice())).collect();
        let (list, truncated) = self.problems(&files, true).await;
        let mut answer = Answer { truncated, ..Answer::new(&all, header + &list, status) };
        if all.truncated {
            let more = count(all.file_count - all.returned, "more file");
            let _ = writeln!(answer.text, "… {more}: raise `limit`, or {NARROW}");
        }
        answer
    }

    pub(super) fn errors(&self, found: &WorkspaceErrors) -> Answer {
        let summary = &found.summary;
        let mut text = format!(
            "{} in {}, {} in {}, infos and hints: {}\n",
            count(summary.errors, "error"),
            count(summary.files_with_errors, "file"),
            count(summary.warnings, "warning"),
            count(summary.files_with_warnings, "file"),
            summary.info,
        );
        if !found.by_source.is_empty() {
            let sources = found.by_source.iter().map(|(source, number)| format!("{source} {number}"));
            let _ = writeln!(text, "by source: {}", sources.collect::<Vec<_>>().join(", "));
        }
        if !found.top_error_files.is_empty() {
            text.push_str("most errors:\n");
        }
        for file in &found.top_error_files {
            let (errors, warnings) = (count(file.errors, "error"), count(file.warnings, "warning"));
            let _ = writeln!(text, "  {}  {errors}, {warnings}", self.display(&file.path));
        }
        let (text, truncated) = self.view.block(&text);
        let status = self.source(found.coverage.as_ref(), found.note.as_deref());
        Answer { truncated, ..Answer::new(found, text, status) }
    }

    /// Renders an object about one file.
    async fn of_one(
        &self,
        object: &impl serde::Serialize,
        header: String,
        (path, problems): (&str, &[Diagnostic]),
        status: Status,
    ) -> Answer {
        let shown = self.display(path);
        let what = if problems.is_empty() { empty_list_text(&status).to_owned() } else { tally(problems) };
        let (list, truncated) = self.problems(&[(path, problems)], false).await;
        Answer { truncated, ..Answer::new(object, format!("{header}{what} in `{shown}`\n{list}"), status) }
    }

    /// Renders a list of diagnostics, with a file name before each group if `named`.
    async fn problems(&self, files: &[(&str, &[Diagnostic])], named: bool) -> (String, Option<Truncation>) {
        let mut rows = Vec::new();
        for (path, problems) in files {
            let index = if problems.is_empty() { None } else { self.index(path).await };
            rows.extend(problems.iter().map(|problem| {
                let start = problem.range.start;
                let at = lsp::Position { line: start.line, character: start.character };
                let (line, column) = place(index.as_ref(), at);
                Row { path, line, column, problem }
            }));
        }
        let list = self.view.rows(&rows, NARROW, |text, before, row| {
            if named && before.is_none_or(|before| before.path != row.path) {
                let _ = writeln!(text, "{}", self.display(row.path));
            }
            write_row(text, row);
        });
        list.map(|list| (list.text, list.truncated)).unwrap_or_default()
    }

    /// Creates the status line: source of the answer, coverage, and what may be missing.
    fn source(&self, coverage: Option<&Coverage>, note: Option<&str>) -> Status {
        let joined = |notes: [Option<&str>; 2]| {
            let notes: Vec<_> = notes.into_iter().flatten().collect();
            (!notes.is_empty()).then(|| notes.join(" · "))
        };
        let Some(coverage) = coverage else {
            let endpoint = if self.sight.has_editor() { "editor" } else { "no editor" };
            return Status { endpoint: endpoint.to_owned(), note: joined([note, None]), ..Status::default() };
        };
        let (endpoint, readiness) = match coverage.mode {
            CoverageMode::Headless => {
                let looked = format!("{} of {} checked", coverage.analysed, count(coverage.total, "file"));
                ("language servers", looked)
            }
            CoverageMode::None => ("no language server", String::new()),
        };
        let without = if self.sight.has_editor() { "" } else { ", no editor" };
        Status {
            endpoint: format!("{endpoint}{without}"),
            readiness,
            complete: Some(coverage.mode == CoverageMode::Headless && coverage.analysed == coverage.total),
            note: joined([coverage.note.as_deref(), note]),
        }
    }

    fn display(&self, path: &str) -> String {
        self.cx.workspace.display(Utf8Path::new(path))
    }

    /// Returns the line index of a file; `None` if the editor has an unsaved text, to which the positions refer.
    async fn index(&self, path: &str) -> Option<TextIndex> {
        if self.sight.is_dirty(path) {
            return None;
        }
        let text = self.cx.text_source.read(Utf8Path::new(path)).await.ok()?;
        Some(TextIndex::new(&text.text))
    }
}

/// Returns the 1-based line and column; columns count characters, or UTF-16 code units if the text is unknown.
fn place(index: Option<&TextIndex>, at: lsp::Position) -> (u32, u32) {
    let place = index.map_or(at, |index| index.to_lsp(index.from_lsp(at, Encoding::Utf16), Encoding::Utf32));
    (place.line.saturating_add(1), place.character.saturating_add(1))
}

/// Returns the text for an empty list, which is weaker if not everything was checked.
fn empty_list_text(status: &Status) -> &'static str {
    if status.complete == Some(false) || status.note.is_some() { "no problem is known" } else { "no problems" }
}

/// Renders `toy, 12 lines, not saved`.
fn of_file(file: &OpenFile) -> String {
    let lines = count(usize::try_from(file.line_count).unwrap_or(usize::MAX), "line");
    format!("{}, {lines}{}", file.language_id, if file.is_dirty { ", not saved" } else { "" })
}

/// Renders `3 errors, 1 warning`.
fn tally(problems: &[Diagnostic]) -> String {
    let number = |severity| problems.iter().filter(|problem| problem.severity == severity).count();
    let parts = Severity::ALL.into_iter().map(|severity| (number(severity), severity.name()));
    parts.filter(|(number, _)| *number > 0).map(|(number, name)| count(number, name)).collect::<Vec<_>>().join(", ")
}

fn write_row(text: &mut String, row: &Row<'_>) {
    let Row { line, column, problem, .. } = row;
    let message = problem.message.replace('\n', "\n      ");
    let _ = write!(text, "  {line}:{column}  {}: {message}", problem.severity.name());
    let origin: Vec<&str> = [problem.source.as_deref(), problem.code.as_deref()].into_iter().flatten().collect();
    if !origin.is_empty() {
        let _ = write!(text, "  [{}]", origin.join(" "));
    }
    text.push('\n');
}
