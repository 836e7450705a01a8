//! The failure of a command: its message and hints on stderr, and its exit code.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

use serde_json::{Value, json};
use zubi_tool_api::ErrorCode;

use crate::terminal;

/// The exit code of a negative answer.
pub const NEGATIVE: u8 = 1;
/// The exit code of wrong usage or input.
pub const USAGE: u8 = 2;
/// The exit code of a failure of the environment: loading, no server, not trusted, unreadable.
pub const ENVIRONMENT: u8 = 3;
/// The exit code after Ctrl-C, as in shells: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

#[derive(Debug)]
pub enum Failure {
    /// An error that clap prints, including help and version; the note is an additional hint.
    CommandLine {
        error: clap::Error,
        note: Option<String>,
    },
    Message {
        code: u8,
        message: String,
        hints: Vec<String>,
    },
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::CommandLine { error, note: None }
    }
}

impl Failure {
    pub fn usage(message: impl Display) -> Self {
        Self::Message { code: USAGE, message: message.to_string(), hints: Vec::new() }
    }

    /// Creates a failure with the exit code of a call that fails for this reason.
    pub fn from_code(code: ErrorCode, message: impl Display) -> Self {
        Self::Message { code: code.exit().number(), message: message.to_string(), hints: Vec::new() }
    }

    pub fn environment(message: impl Display) -> Self {
        Self::Message { code: ENVIRONMENT, message: message.to_string(), hints: Vec::new() }
    }

    pub fn code(&self) -> u8 {
        match self {
            Self::CommandLine { error, .. } => u8::try_from(error.exit_code()).unwrap_or(USAGE),
            Self::Message { code, .. } => *code,
        }
    }

    /// Adds a hint after clap's own message.
    #[must_use]
    pub fn with_hint(self, note: impl Display) -> Self {
        match self {
            Self::CommandLine { error, .. } => Self::CommandLine { error, note: Some(note.to_string()) },
            failure @ Self::Message { .. } => failure,
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Display) -> Self {
        if let Self::Message { hints, .. } = &mut self {
            hints.push(hint.to_string());
        }
        self
    }

    /// Creates the failure of a tool call from its code and the text that every surface shows, which ends with `next`,
    /// the next step.
    pub fn from_call(code: ErrorCode, text: &str, next: &str) -> Self {
        Self::Message {
            code: code.exit().number(),
            message: text.strip_suffix(next).unwrap_or(text).trim_end().to_owned(),
            hints: next.lines().map(str::to_owned).collect(),
        }
    }

    /// Returns the message and the hints, one per line.
    pub fn text(&self) -> String {
        match self {
            Self::CommandLine { error, .. } => error.to_string(),
            Self::Message { message, hints, .. } => [std::slice::from_ref(message), hints].concat().join("\n"),
        }
    }

    /// Returns the failure as JSON: `{"success":false,"error":…,"hints":[…]}`. `None` for requested help or version
    /// output, which is not a failure.
    pub fn to_json(&self) -> Option<Value> {
        let (message, hints) = match self {
            Self::CommandLine { error, .. } if !error.use_stderr() => return None,
            Self::CommandLine { error, note } => {
                // The first paragraph is the message; lines that begin with `tip:` are hints.
                let text = error.render().to_string();
                let mut lines = text.lines().map(str::trim);
                let message: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
                let tips = lines
                    .filter_map(|line| line.strip_prefix("tip: "))
                    .chain(note.as_deref())
                    .map(str::to_owned)
                    .collect();
                let message = message.join(" ");
                (message.strip_prefix("error: ").unwrap_or(&message).to_owned(), tips)
            }
            Self::Message { message, hints, .. } => (message.clone(), hints.clone()),
        };
        Some(json!({ "success": false, "error": message, "hints": hints }))
    }

    /// Prints the failure to stderr and returns the exit code.
    pub fn report(self) -> ExitCode {
        let code = self.code();
        match self {
            Self::CommandLine { error, note } => {
                // Help and version go to stdout, errors to stderr. A closed pipe is not an error, and a failed write to
                // stderr cannot be reported.
                let printed = error.print().and_then(|()| io::stdout().flush());
                if let Err(write_failure) = printed.or_else(|error| terminal::handle_write_error(&error))
                    && !error.use_stderr()
                {
                    return write_failure.report();
                }
                if let Some(note) = note {
                    terminal::print_err(&format!("hint: {note}"));
                }
                ExitCode::from(code)
            }
            Self::Message { message, hints, .. } => {
                terminal::print_err(&format!("error: {message}"));
                for hint in hints.iter().filter(|hint| !hint.is_empty()) {
                    terminal::print_err(&format!("hint: {hint}"));
                }
                ExitCode::from(code)
            }
        }
    }
}
