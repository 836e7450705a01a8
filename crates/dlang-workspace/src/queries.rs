//! Queries of a workspace for every surface: one function per tool, plain data in, the same JSON on every surface.
//!
//! Paths in answers are relative as [`WorkspaceSnapshot::show`] shows them; lines and columns are 1-based, columns
//! count characters.

use camino::{Utf8Path, Utf8PathBuf};
use dlang_ide::DiagramFormat;
use dlang_ide::query::{self, InvalidInput, ListInput, Query};
use dlang_model::QueryCancelled;
use dlang_syntax::{DiagnosticCode as _, Severity};
use serde_json::{Map, Value, json};

use crate::workspace::{LocatedDiagnostic, Progress, WorkspaceSnapshot};

/// The diagnostics of a workspace or of one of its files, and the number of files that were checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validation {
    /// The number of checked models, including imported ones.
    pub files: usize,
    /// The number of domains in them.
    pub domains: usize,
    /// The number of bounded contexts in them.
    pub contexts: usize,
    /// Diagnostics by path, then in the order of the text.
    pub problems: Vec<LocatedDiagnostic>,
}

impl Validation {
    /// Whether the model has no errors.
    pub fn is_valid(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    /// Counts the diagnostics of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.problems.iter().filter(|problem| problem.diagnostic.severity() == severity).count()
    }

    /// Renders the answer of `domainlang_validate`. Only errors and warnings are listed; `infoCount` counts the rest.
    pub fn to_json(&self, snapshot: &WorkspaceSnapshot) -> Value {
        let list = |severity: Severity| -> Vec<Value> {
            let matching = self.problems.iter().filter(|problem| problem.diagnostic.severity() == severity);
            matching
                .map(|problem| {
                    json!({
                        "severity": severity.number(),
                        "message": problem.diagnostic.text(),
                        "code": problem.diagnostic.code.as_str(),
                        "file": snapshot.show(&problem.path),
                        "line": problem.start.line,
                        "column": problem.start.column,
                    })
                })
                .collect()
        };
        let (errors, warnings) = (list(Severity::Error), list(Severity::Warning));
        json!({
            "valid": errors.is_empty(),
            "fileCount": self.files,
            "domainCount": self.domains,
            "bcCount": self.contexts,
            "errors": errors,
            "warnings": warnings,
            "infoCount": self.count(Severity::Info) + self.count(Severity::Hint),
        })
    }
}

/// The name of a queried text that is not a file.
pub const TEXT: &str = "text.dlang";

/// Returns the answer while the workspace is loading, so that a model that is not loaded yet does not look empty.
pub fn loading(progress: Progress) -> Value {
    json!({ "error": "workspace is loading", "progress": { "loaded": progress.loaded, "total": progress.total } })
}

/// The reason why a query failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// An argument is invalid; the message contains the reason and valid values.
    #[error("{0}")]
    InvalidInput(#[from] InvalidInput),
    /// The workspace changed during the query.
    #[error("{0}")]
    Cancelled(#[from] QueryCancelled),
}

/// Checks the fields that can replace the workspace in a query: `path`, a folder, or a file and its imports, and
/// `text`, a text that is not a file and imports nothing.
///
/// # Errors
///
/// Fails if `file` or `path` is given together with a text: the query would be ambiguous.
pub fn check_text(fields: &Map<String, Value>) -> Result<(), InvalidInput> {
    let is_present = |field: &str| fields.get(field).is_some_and(|value| !value.is_null());
    match ["file", "path"].into_iter().find(|field| is_present(field)) {
        Some(other) if is_present("text") => {
            Err(InvalidInput { field: "text", message: format!("it is queried by itself, so omit `{other}`") })
        }
        _ => Ok(()),
    }
}

/// Validates the whole workspace, or returns the diagnostics of one file, given by its absolute path.
///
/// The counts always cover the whole workspace.
pub fn validate(snapshot: &WorkspaceSnapshot, file: Option<&Utf8Path>) -> Result<Validation, QueryError> {
    let problems = match file.map(|path| snapshot.workspace_path(path)) {
        None => snapshot.problems()?,
        Some(path) => {
            let path = &*path;
            if snapshot.own_text(path).is_none() && snapshot.file(path)?.is_none() {
                return Err(InvalidInput { field: "file", message: not_a_part(snapshot, path)? }.into());
            }
            snapshot.problems_of(path)?
        }
    };
    let (files, domains, contexts) = snapshot.query(|db| {
        let all = Query::new(db);
        (all.file_count(), all.domains().count(), all.bounded_contexts().count())
    })?;
    Ok(Validation { files, domains, contexts, problems })
}

/// Lists the elements of one type, filtered: the answer of `domainlang_list`.
pub fn list(snapshot: &WorkspaceSnapshot, input: &ListInput) -> Result<Value, QueryError> {
    Ok(snapshot.query(|db| query::list(db, input, &|file| snapshot.show_file(db, file)))??)
}

/// Returns one element, or the counts of the model if no name is given: the answer of `domainlang_get`.
pub fn get(snapshot: &WorkspaceSnapshot, fqn: Option<&str>) -> Result<Value, QueryError> {
    Ok(snapshot.query(|db| query::get(db, fqn, &|file| snapshot.show_file(db, file)))?)
}

/// Explains one element as text: the answer of `domainlang_explain`.
pub fn explain(snapshot: &WorkspaceSnapshot, fqn: &str) -> Result<Value, QueryError> {
    Ok(snapshot.query(|db| dlang_ide::explain(db, fqn))?)
}

/// Finds at most `limit` elements that match a query: the answer of `domainlang_search`.
pub fn search(snapshot: &WorkspaceSnapshot, query: &str, limit: usize) -> Result<Value, QueryError> {
    Ok(snapshot.query(|db| dlang_ide::full_text_search(db, query, limit, &|file| snapshot.show_file(db, file)))??)
}

/// Renders a context map or domain map for a diagram program: the answer of `domainlang_diagram`.
pub fn diagram(snapshot: &WorkspaceSnapshot, fqn: &str, format: DiagramFormat) -> Result<Value, QueryError> {
    Ok(snapshot.query(|db| dlang_ide::diagram(db, fqn, format))?)
}

/// Explains that a file does not belong to the workspace, and suggests files with similar names.
fn not_a_part(snapshot: &WorkspaceSnapshot, path: &Utf8Path) -> Result<String, QueryCancelled> {
    let mut namesakes: Vec<Utf8PathBuf> = snapshot.files()?;
    namesakes.retain(|candidate| candidate.file_name() == path.file_name());
    let suggestions: Vec<String> = namesakes.iter().take(3).map(|path| format!("`{}`", snapshot.show(path))).collect();
    let hint = if suggestions.is_empty() {
        "name a file of the workspace, or leave `file` out to validate all of it".to_owned()
    } else {
        format!("did you mean {}?", suggestions.join(" or "))
    };
    Ok(format!("`{}` is not part of the workspace; {hint}", snapshot.show(path)))
}
