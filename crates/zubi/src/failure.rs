//! How a command fails: what is said on stderr, what is advised, and the exit code.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

use serde_json::{Value, json};
use zubi_tool_api::Code;

use crate::terminal;

/// The exit code of an answer that is negative.
pub const NEGATIVE: u8 = 1;
/// The exit code of wrong usage or input.
pub const USAGE: u8 = 2;
/// The exit code when something around the program is not as needed: loading, no server, not trusted, unreadable.
pub const ENVIRONMENT: u8 = 3;
/// The exit code after Ctrl-C, as shells have it: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

#[derive(Debug)]
pub enum Failure {
    /// clap says it itself, help and version included; the note is a hint of ours.
    CommandLine {
        error: clap::Error,
        note: Option<&'static str>,
    },
    Told {
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
        Self::Told { code: USAGE, message: message.to_string(), hints: Vec::new() }
    }

    /// With the exit code of a call that fails for this reason.
    pub fn of_code(code: Code, message: impl Display) -> Self {
        Self::Told { code: code.exit().number(), message: message.to_string(), hints: Vec::new() }
    }

    pub fn environment(message: impl Display) -> Self {
        Self::Told { code: ENVIRONMENT, message: message.to_string(), hints: Vec::new() }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::CommandLine { error, .. } => u8::try_from(error.exit_code()).unwrap_or(USAGE),
            Self::Told { code, .. } => *code,
        }
    }

    /// The same with a hint after clap's own words.
    #[must_use]
    pub fn with_hint(self, note: &'static str) -> Self {
        match self {
            Self::CommandLine { error, .. } => Self::CommandLine { error, note: Some(note) },
            told @ Self::Told { .. } => told,
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Display) -> Self {
        if let Self::Told { hints, .. } = &mut self {
            hints.push(hint.to_string());
        }
        self
    }

    /// The failure of a tool call, from the code and the text every surface shows, which ends in `next`, the next step.
    pub fn of_call(code: Code, text: &str, next: &str) -> Self {
        Self::Told {
            code: code.exit().number(),
            message: text.strip_suffix(next).unwrap_or(text).trim_end().to_owned(),
            hints: next.lines().map(str::to_owned).collect(),
        }
    }

    /// What is wrong and what to do about it, a line each.
    pub fn text(&self) -> String {
        match self {
            Self::CommandLine { error, .. } => error.to_string(),
            Self::Told { message, hints, .. } => [std::slice::from_ref(message), hints].concat().join("\n"),
        }
    }

    /// The failure as data: `{"success":false,"error":…,"hints":[…]}`. Nothing when it is none, but help that was asked for.
    pub fn to_json(&self) -> Option<Value> {
        let (message, hints) = match self {
            Self::CommandLine { error, .. } if !error.use_stderr() => return None,
            Self::CommandLine { error, note } => {
                // The first paragraph says what is wrong, lines that begin with `tip:` what to do about it.
                let text = error.render().to_string();
                let mut lines = text.lines().map(str::trim);
                let message: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
                let tips =
                    lines.filter_map(|line| line.strip_prefix("tip: ")).chain(*note).map(str::to_owned).collect();
                let message = message.join(" ");
                (message.strip_prefix("error: ").unwrap_or(&message).to_owned(), tips)
            }
            Self::Told { message, hints, .. } => (message.clone(), hints.clone()),
        };
        Some(json!({ "success": false, "error": message, "hints": hints }))
    }

    /// Says it on stderr and gives the exit code.
    pub fn report(self) -> ExitCode {
        let code = self.code();
        match self {
            Self::CommandLine { error, note } => {
                // Help and version go to stdout, mistakes to stderr. A reader that went away is no mistake, and of a
                // stderr that cannot be written to nobody can be told.
                let printed = error.print().and_then(|()| io::stdout().flush());
                if let Err(lost) = printed.or_else(|error| terminal::handle_write_error(&error))
                    && !error.use_stderr()
                {
                    return lost.report();
                }
                if let Some(note) = note {
                    terminal::print_err(&format!("hint: {note}"));
                }
                ExitCode::from(code)
            }
            Self::Told { message, hints, .. } => {
                terminal::print_err(&format!("error: {message}"));
                for hint in hints.iter().filter(|hint| !hint.is_empty()) {
                    terminal::print_err(&format!("hint: {hint}"));
                }
                ExitCode::from(code)
            }
        }
    }
}
