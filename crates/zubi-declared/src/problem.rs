//! Problems of tool files: location, severity, stable code, hint.

use std::ops::Range;

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use zubi_base::position::{TextIndex, TextSize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProblemSeverity {
    /// The tool or file does not run.
    Error,
    /// The tool runs, but probably not as intended, or not as well as it could.
    Warning,
}

impl ProblemSeverity {
    /// Returns the severity as compilers print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One problem of a tool file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFileProblem {
    pub severity: ProblemSeverity,
    /// Stable id: programs may depend on it.
    pub code: &'static str,
    /// Byte range in the file.
    pub range: Range<usize>,
    pub message: String,
    /// Remedy, for users.
    pub hint: String,
}

impl ToolFileProblem {
    pub(super) fn error(
        code: &'static str,
        range: Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { severity: ProblemSeverity::Error, code, range, message: message.into(), hint: hint.into() }
    }

    pub(super) fn warning(
        code: &'static str,
        range: Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { severity: ProblemSeverity::Warning, code, range, message: message.into(), hint: hint.into() }
    }
}

/// A [`ToolFileProblem`] with its file and a 1-based line and column (columns count characters).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedProblem {
    /// Path relative to the workspace, for users.
    pub file: String,
    pub path: Utf8PathBuf,
    pub line: usize,
    pub column: usize,
    pub problem: ToolFileProblem,
}

impl LocatedProblem {
    pub(super) fn new(file: &str, path: &Utf8PathBuf, text: &str, index: &TextIndex, problem: ToolFileProblem) -> Self {
        let (line, column) = line_and_column(text, index, problem.range.start);
        Self { file: file.to_owned(), path: path.clone(), line, column, problem }
    }

    /// Renders `file:line:column: error[code]: message`, with the hint on a second line.
    pub fn render(&self) -> String {
        let ToolFileProblem { severity, code, message, hint, .. } = &self.problem;
        let head = format!("{}:{}:{}: {}[{code}]: {message}", self.file, self.line, self.column, severity.as_str());
        if hint.is_empty() { head } else { format!("{head}\n  {hint}") }
    }

    pub fn to_json(&self) -> Value {
        let ToolFileProblem { severity, code, message, hint, .. } = &self.problem;
        json!({
            "file": self.file, "line": self.line, "column": self.column,
            "severity": severity, "code": code, "message": message, "hint": hint,
        })
    }
}

/// Returns the 1-based line and column of a byte offset; the column counts characters.
pub(super) fn line_and_column(text: &str, index: &TextIndex, offset: usize) -> (usize, usize) {
    let position = index.line_col(TextSize::try_from(offset).unwrap_or(index.len()));
    let line = index.line_range(position.line);
    let before = line.and_then(|line| {
        let start = usize::from(line.start());
        text.get(start..start + position.col as usize)
    });
    (position.line as usize + 1, before.unwrap_or_default().chars().count() + 1)
}
