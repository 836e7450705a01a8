//! What a call answers, and how it fails.

use std::fmt;

use serde_json::Value;

/// The last line of an answer: who answered, how far it can be trusted, what was left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Status {
    /// `rust-analyzer`, `pyright + ruff`, `no server`.
    pub endpoint: String,
    /// `ready`, `loading 43 %`, `unknown`.
    pub readiness: String,
    /// Whether nothing is missing; `None`: not known.
    pub complete: Option<bool>,
    /// Why it may be incomplete, what was analysed, what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.endpoint)?;
        for part in [Some(&self.readiness), self.note.as_ref()].into_iter().flatten().filter(|part| !part.is_empty()) {
            write!(f, " · {part}")?;
        }
        f.write_str("]")
    }
}

/// How an answer was cut.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Truncated {
    pub shown: usize,
    pub total: usize,
    /// Pass as `cursor` to go on.
    pub cursor: Option<String>,
}

/// What a call answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutput {
    /// For a model or a person; without the status line, which [`ToolOutput::render`] adds.
    pub text: String,
    /// For machines, on request (`format: "json"`, `--json`).
    pub data: Option<Value>,
    pub status: Option<Status>,
    pub truncated: Option<Truncated>,
}

impl ToolOutput {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The one text every surface shows: the text, then the status line.
    pub fn render(&self) -> String {
        let mut text = self.text.trim_end().to_owned();
        if let Some(status) = &self.status {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&status.to_string());
        }
        text
    }
}

/// How a call fails.
#[derive(Debug)]
pub enum ToolError {
    /// The caller can act on it: the message says what is wrong, the hint what to do next.
    Tell { code: &'static str, message: String, hint: String },
    /// zubi itself is at fault; the details go to the log.
    Fatal(anyhow::Error),
}

impl ToolError {
    /// A wrong argument: `Invalid input: <field>: <what>`.
    pub fn invalid(field: &str, what: impl fmt::Display, hint: impl Into<String>) -> Self {
        Self::Tell { code: "invalid_input", message: format!("Invalid input: {field}: {what}"), hint: hint.into() }
    }

    /// Something could not be done: `Failed to <operation>: <why>`.
    pub fn failed(operation: &str, why: impl fmt::Display, hint: impl Into<String>) -> Self {
        Self::Tell { code: "failed", message: format!("Failed to {operation}: {why}"), hint: hint.into() }
    }

    /// The one text every surface shows for a failure of this tool. Begins with one of the three prefixes of the
    /// contract and ends with a next step.
    pub fn render(&self, tool: &str) -> String {
        match self {
            Self::Tell { message, hint, .. } => format!("{message}\n{hint}"),
            Self::Fatal(error) => {
                format!("Error in {tool}: {error:#}\nThis is a defect of zubi; the log on stderr has the details.")
            }
        }
    }
}

impl From<anyhow::Error> for ToolError {
    fn from(error: anyhow::Error) -> Self {
        Self::Fatal(error)
    }
}
