//! What a call answers, and how it fails.

use std::fmt;

use serde_json::Value;
use zubi_base::escape;

use crate::code::Code;

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
pub struct Truncation {
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
    pub truncated: Option<Truncation>,
}

impl ToolOutput {
    /// The same without characters that could hide or forge text; see [`clean`].
    #[must_use]
    pub fn sanitized(self) -> Self {
        let status = self.status.map(|status| Status {
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
    Tell { code: Code, message: String, hint: String },
    /// zubi itself is at fault; the details go to the log.
    Fatal(anyhow::Error),
}

impl ToolError {
    /// Something the caller can act on; see [`ToolError::Tell`]. The message must begin with one of the contract's
    /// three prefixes.
    pub fn user(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Tell { code, message: message.into(), hint: hint.into() }
    }

    /// For logs, programs and exit codes.
    pub fn code(&self) -> Code {
        match self {
            Self::Tell { code, .. } => *code,
            Self::Fatal(_) => Code::Fatal,
        }
    }

    /// The same without characters that could hide or forge text; see [`clean`].
    #[must_use]
    pub fn cleaned(self) -> Self {
        match self {
            Self::Tell { code, message, hint } => {
                Self::Tell { code, message: truncate(clean(message)), hint: truncate(clean(hint)) }
            }
            Self::Fatal(error) => Self::Fatal(error),
        }
    }

    /// A wrong argument: `Invalid input: <field>: <what>`.
    pub fn invalid(field: &str, what: impl fmt::Display, hint: impl Into<String>) -> Self {
        Self::Tell { code: Code::InvalidInput, message: format!("Invalid input: {field}: {what}"), hint: hint.into() }
    }

    /// Something could not be done: `Failed to <operation>: <why>`.
    pub fn operation_failed(operation: &str, why: impl fmt::Display, hint: impl Into<String>) -> Self {
        Self::Tell { code: Code::Failed, message: format!("Failed to {operation}: {why}"), hint: hint.into() }
    }

    /// The one text every surface shows for a failure of this tool. Begins with one of the three prefixes of the
    /// contract and ends with a next step.
    pub fn render(&self, tool: &str) -> String {
        match self {
            // A message that is data has no next step beside it.
            Self::Tell { message, hint, .. } if hint.is_empty() => message.clone(),
            Self::Tell { message, .. } => format!("{message}\n{}", self.hint()),
            Self::Fatal(error) => format!("Error in {tool}: {error:#}\n{}", self.hint()),
        }
    }

    /// What to do next; nothing where the message is data.
    pub fn hint(&self) -> &str {
        match self {
            Self::Tell { hint, .. } => hint,
            Self::Fatal(_) => "This is a defect of zubi; the log on stderr has the details.",
        }
    }
}

impl From<anyhow::Error> for ToolError {
    fn from(error: anyhow::Error) -> Self {
        Self::Fatal(error)
    }
}

/// Text without characters that change how the rest is read or that nobody sees ([`visible::is_hidden`]), but line feed and
/// tab. Texts from files and servers pass through here before a model or a terminal gets them. Joiners stay, for
/// scripts and emoji need them.
pub fn clean(text: String) -> String {
    if text.chars().all(is_plain) { text } else { text.chars().filter(|c| is_plain(*c)).collect() }
}

/// How many characters of a failure's message, and of its next step, are told.
const MAX_TOLD: usize = 4_000;

/// A failure repeats what it was given, which may be of any size.
fn truncate(text: String) -> String {
    match text.char_indices().nth(MAX_TOLD) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Whether a character is what it looks like, or belongs to how its script is written.
fn is_plain(c: char) -> bool {
    matches!(c, '\n' | '\t') || visible::is_script_joiner(c) || !visible::is_hidden(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_gets_through() {
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
        let status = Status {
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
