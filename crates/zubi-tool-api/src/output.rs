//! The output of a call, and its errors.

use std::fmt;

use serde_json::Value;
use zubi_base::escape;
use zubi_base::text::ellipsize;

use crate::code::ErrorCode;

/// The last line of an output: which server answered, how reliable the output is, and what is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct OutputStatus {
    /// The server: `rust-analyzer`, `pyright + ruff`, `no server`.
    pub endpoint: String,
    /// The state of the server: `ready`, `loading 43 %`, `unknown`.
    pub readiness: String,
    /// Whether the output is complete; `None` if unknown.
    pub complete: Option<bool>,
    /// Reasons why the output may be incomplete, what was analysed, and the next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl fmt::Display for OutputStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.endpoint)?;
        for part in [Some(&self.readiness), self.note.as_ref()].into_iter().flatten().filter(|part| !part.is_empty()) {
            write!(f, " · {part}")?;
        }
        f.write_str("]")
    }
}

/// How the output was truncated.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Truncation {
    pub shown: usize,
    pub total: usize,
    /// The value of `cursor` that returns the rest.
    pub cursor: Option<String>,
}

/// The output of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutput {
    /// The text for a model or a person, without the status line, which [`ToolOutput::render`] adds.
    pub text: String,
    /// The data for programs, on request (`format: "json"`, `--json`).
    pub data: Option<Value>,
    pub status: Option<OutputStatus>,
    pub truncated: Option<Truncation>,
}

impl ToolOutput {
    /// Returns the output without characters that could hide or forge text; see [`clean`].
    #[must_use]
    pub fn sanitize(self) -> Self {
        let status = self.status.map(|status| OutputStatus {
            endpoint: clean(status.endpoint),
            readiness: clean(status.readiness),
            complete: status.complete,
            note: status.note.map(clean),
        });
        Self { text: clean(self.text), status, ..self }
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Returns the text that every surface shows: the text, then the status line.
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

/// The error of a call.
#[derive(Debug)]
pub enum ToolError {
    /// An error that the caller can act on: the message says what is wrong, the hint names the next step.
    Actionable { code: ErrorCode, message: String, hint: String },
    /// A defect of zubi; the details go to the log.
    Fatal(anyhow::Error),
}

impl ToolError {
    /// Creates an error that the caller can act on; see [`ToolError::Actionable`]. The message must begin with one of the
    /// three prefixes of [`ToolError::render`].
    pub fn user(code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Actionable { code, message: message.into(), hint: hint.into() }
    }

    /// Returns the code for logs, programs and exit codes.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Actionable { code, .. } => *code,
            Self::Fatal(_) => ErrorCode::Fatal,
        }
    }

    /// Returns the error without characters that could hide or forge text; see [`clean`].
    #[must_use]
    pub fn sanitize(self) -> Self {
        match self {
            Self::Actionable { code, message, hint } => {
                Self::Actionable { code, message: truncate(&clean(message)), hint: truncate(&clean(hint)) }
            }
            Self::Fatal(error) => Self::Fatal(error),
        }
    }

    /// Creates an error for an invalid argument: `Invalid input: <field>: <what>`.
    pub fn invalid(field: &str, problem: impl fmt::Display, hint: impl Into<String>) -> Self {
        Self::Actionable {
            code: ErrorCode::InvalidInput,
            message: format!("Invalid input: {field}: {problem}"),
            hint: hint.into(),
        }
    }

    /// Creates an error for a failed operation: `Failed to <operation>: <why>`.
    pub fn operation_failed(operation: &str, reason: impl fmt::Display, hint: impl Into<String>) -> Self {
        Self::Actionable {
            code: ErrorCode::Failed,
            message: format!("Failed to {operation}: {reason}"),
            hint: hint.into(),
        }
    }

    /// Returns the text that every surface shows for an error of this tool. It begins with one of three prefixes
    /// (`Invalid input`, `Failed to`, `Error in`) and ends with a next step.
    pub fn render(&self, tool: &str) -> String {
        match self {
            // A message that is data has no hint.
            Self::Actionable { message, hint, .. } if hint.is_empty() => message.clone(),
            Self::Actionable { message, .. } => format!("{message}\n{}", self.hint()),
            Self::Fatal(error) => format!("Error in {tool}: {error:#}\n{}", self.hint()),
        }
    }

    /// Returns the next step; empty if the message is data.
    pub fn hint(&self) -> &str {
        match self {
            Self::Actionable { hint, .. } => hint,
            Self::Fatal(_) => "This is a defect of zubi; the log on stderr has the details.",
        }
    }
}

impl From<anyhow::Error> for ToolError {
    fn from(error: anyhow::Error) -> Self {
        Self::Fatal(error)
    }
}

/// Removes characters that change how the rest is read or that are invisible ([`escape::is_hidden`]), except line feed
/// and tab. Texts from files and servers pass through here before a model or a terminal receives them. Joiners stay,
/// because scripts and emoji need them.
pub fn clean(text: String) -> String {
    if text.chars().all(is_plain) { text } else { text.chars().filter(|c| is_plain(*c)).collect() }
}

/// The maximum length of an error's message, and of its hint, in characters.
const MAX_ERROR_CHARS: usize = 4_000;

/// Shortens an error text: it repeats input, which may be of any size.
fn truncate(text: &str) -> String {
    ellipsize(text, MAX_ERROR_CHARS).into_owned()
}

/// Returns whether a character is visible, or needed to write its script.
fn is_plain(c: char) -> bool {
    matches!(c, '\n' | '\t') || escape::is_script_joiner(c) || !escape::is_hidden(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_removed() {
        for (text, expected) in [
            ("plain\n\ttext é 日本 👩\u{200d}🚀", "plain\n\ttext é 日本 👩\u{200d}🚀"),
            ("\u{1b}[31mred\u{1b}[0m", "[31mred[0m"),
            ("a\r\nb", "a\nb"),
            ("if\u{202e} access\u{2066}", "if access"),
            ("a\u{3164}b\u{e0100}\u{200f}\u{2028}\u{115f}\u{34f} ☎\u{fe0f}", "ab ☎\u{fe0f}"),
            ("\u{feff}x\u{200b}y\u{e0041}\u{9b}", "xy"),
        ] {
            assert_eq!(clean(text.to_owned()), expected);
        }
    }

    #[test]
    fn answers_end_in_their_status_line() {
        let status = OutputStatus {
            endpoint: "clangd".to_owned(),
            readiness: "loading 43 %".to_owned(),
            complete: Some(false),
            note: Some("may be incomplete".to_owned()),
        };
        let output = ToolOutput { text: "2 hits\n\n".to_owned(), status: Some(status), ..ToolOutput::default() };
        assert_eq!(output.render(), "2 hits\n[clangd · loading 43 % · may be incomplete]");
        assert_eq!(ToolOutput::text("x").render(), "x");
    }
}
