//! `lsp_diagnostics`: errors and warnings without a build.

use std::fmt::Write as _;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_base::text::pluralize;
use zubi_base::workspace::PathError;
use zubi_code::diagnostics::{CodeProblem, DiagnosticsDelta, Severity};
use zubi_code::{CodeError, CodeQuery};

use crate::adapter::ToolMeta;
use crate::lsp::arguments::{PagingArgs, ProjectArgs};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::{OutputBudget, location_json};

/// The default size of a list: the worst problems are the first ones.
const DEFAULT_BYTES: usize = 4_000;

pub(crate) struct DiagnosticsTool;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Default all
    path: Option<String>,
    /// error, warning (default), info, hint
    severity: Option<String>,
    /// Snapshot d-…
    since: Option<String>,
    #[serde(flatten)]
    paging: PagingArgs,
    #[serde(flatten)]
    projects: ProjectArgs,
}

#[async_trait]
impl CodeTool for DiagnosticsTool {
    const META: ToolMeta = ToolMeta {
        id: "lsp_diagnostics",
        title: "Diagnostics",
        description: "Errors and warnings without a build; since lists only changes.",
        tags: &["diagnostics", "errors", "warnings", "problems", "lint", "compile errors", "show errors", "type check"],
        listed: &["cursor", "allProjects"],
        example: || ("Errors in a file", json!({ "path": "src/lib.rs", "severity": "error" })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "check for diagnostics";
    type Input = Input;

    fn all_projects(input: &Input) -> Option<bool> {
        Some(input.projects.all_projects())
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let severity = match input.severity.as_deref() {
            None => Severity::Warning,
            Some(name) => Severity::from_name(name).ok_or_else(|| {
                CodeError::input("severity", format!("no severity `{name}`"), "Use error, warning, info or hint.")
            })?,
        };
        let path = input.path.as_deref().map(|path| resolve_scope(query, path)).transpose()?;
        let answer = query.problems(path.as_deref(), severity, input.since.as_deref()).await?;
        let report = &answer.value;
        let mut text = String::new();
        let checked = match &path {
            Some(path) if report.files == 1 => format!("`{}`", query.workspace().display(path)),
            _ => pluralize(report.files, "file"),
        };
        let milder_count: usize = report.milder.iter().map(|(_, count)| count).sum();
        if let Some(delta) = &report.delta {
            text.push_str(&delta_counts(delta));
            let _ = writeln!(
                text,
                "{} now in {checked}; snapshot {}",
                pluralize(report.items.len() + milder_count, "problem"),
                report.snapshot
            );
            text.push_str(&delta_lists(delta, severity, "severity=hint"));
            let data = view.data(|| json!({ "new": items(&delta.new), "fixed": items(&delta.fixed), "total": report.items.len() + milder_count, "snapshot": report.snapshot }));
            let (text, truncated) = view.block(&text);
            return Ok(CodeAnswer { text, data, status: answer.status, truncated });
        }
        let list = view.with_default(DEFAULT_BYTES).list(&report.items, &input.paging, |text, before, problem| {
            if before.is_none_or(|before| before.location.display_path != problem.location.display_path) {
                let _ = writeln!(text, "{}", problem.location.display_path);
            }
            write_diagnostic(text, problem);
        })?;
        let _ = match report.items.len() {
            0 if milder_count == 0 => writeln!(text, "no problems in {checked}; snapshot {}", report.snapshot),
            0 => writeln!(text, "no {} in {checked}; snapshot {}", severity.describe_minimum(), report.snapshot),
            total => writeln!(text, "{} in {checked}; snapshot {}", tally(&report.items, total), report.snapshot),
        };
        text.push_str(&list.text);
        if milder_count > 0 {
            let _ = writeln!(text, "{}: severity=hint", describe_counts(&report.milder));
        }
        let shown_items = report.items.get(list.range).unwrap_or_default();
        let data = view
            .data(|| {
                let milder: serde_json::Map<_, _> =
                    report.milder.iter().map(|(severity, count)| (severity.name().to_owned(), json!(count))).collect();
                json!({ "items": items(shown_items), "total": report.items.len(), "milder": milder, "snapshot": report.snapshot })
            });
        Ok(CodeAnswer { text, data, status: answer.status, truncated: list.truncated })
    }
}

/// Resolves the file or folder to check. Servers report no problems of libraries.
fn resolve_scope(query: &CodeQuery<'_>, path: &str) -> Result<Utf8PathBuf, CodeError> {
    query.workspace().resolve(path).map_err(|error| match error {
        PathError::Outside { .. } => {
            CodeError::input("path", error.to_string(), "Name a file or folder of the workspace, or omit `path`.")
        }
        error => error.into(),
    })
}

/// Renders `3 errors, 1 warning`.
fn tally(problems: &[CodeProblem], total: usize) -> String {
    let counts: Vec<_> = Severity::ALL
        .into_iter()
        .map(|severity| (severity, problems.iter().filter(|problem| problem.severity == severity).count()))
        .filter(|(_, count)| *count > 0)
        .collect();
    if counts.is_empty() { pluralize(total, "problem") } else { describe_counts(&counts) }
}

fn describe_counts(counts: &[(Severity, usize)]) -> String {
    let parts: Vec<_> = counts.iter().map(|(severity, count)| pluralize(*count, severity.name())).collect();
    parts.join(", ")
}

fn write_diagnostic(text: &mut String, problem: &CodeProblem) {
    let _ = write!(
        text,
        "  {}:{}  {}: {}",
        problem.location.line,
        problem.location.column,
        problem.severity.name(),
        problem.message.replace('\n', "\n      ")
    );
    let origin: Vec<&str> = [problem.source.as_deref(), problem.code.as_deref()].into_iter().flatten().collect();
    if !origin.is_empty() {
        let _ = write!(text, "  [{}]", origin.join(" "));
    }
    text.push('\n');
}

/// Returns the line with the numbers of new and fixed problems: `problems: 3 new (2 errors, 1 hint), 1 fixed`.
pub(crate) fn delta_counts(delta: &DiagnosticsDelta) -> String {
    let (new, fixed) = (delta.new.len(), delta.fixed.len());
    let new = (new > 0).then(|| format!("{new} new ({})", tally(&delta.new, new)));
    let fixed = (fixed > 0).then(|| format!("{fixed} fixed"));
    let counts: Vec<_> = [new, fixed].into_iter().flatten().collect();
    format!("problems: {}\n", if counts.is_empty() { "no change".to_owned() } else { counts.join(", ") })
}

/// Returns the lists `new:` and `fixed:` with paths, the most severe problems first. Those below the severity are counted;
/// `milder_hint` says how to list them.
pub(crate) fn delta_lists(delta: &DiagnosticsDelta, severity: Severity, milder_hint: &str) -> String {
    let mut text = String::new();
    for (title, problems) in [("new", &delta.new), ("fixed", &delta.fixed)] {
        if problems.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{title}:");
        let mut problems: Vec<_> = problems.iter().collect();
        problems.sort_by_key(|problem| problem.severity);
        let milder = problems.split_off(problems.partition_point(|problem| problem.severity <= severity));
        for problem in problems {
            let _ = write!(text, "  {}", problem.location.display_path);
            let mut line = String::new();
            write_diagnostic(&mut line, problem);
            let _ = write!(text, ":{}", line.trim_start());
        }
        let milder: Vec<_> = milder.chunk_by(|one, next| one.severity == next.severity).collect();
        let milder: Vec<_> = milder.into_iter().filter_map(|same| Some((same.first()?.severity, same.len()))).collect();
        if !milder.is_empty() {
            let _ = writeln!(text, "  {}: {milder_hint}", describe_counts(&milder));
        }
    }
    text
}

pub(crate) fn items(problems: &[CodeProblem]) -> Vec<Value> {
    problems
        .iter()
        .map(|problem| {
            let mut item = location_json(&problem.location);
            item["severity"] = json!(problem.severity.name());
            item["message"] = json!(problem.message);
            item["code"] = json!(problem.code);
            item["source"] = json!(problem.source);
            item
        })
        .collect()
}
