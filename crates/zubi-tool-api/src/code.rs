//! The error codes: the only table of them. Programs branch on a code, so a name never changes its meaning, and a
//! removal is announced in the changelog; texts may change at any time.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason why a call failed, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    InvalidInput,
    UnknownTool,
    Failed,
    Stale,
    Exists,
    Denied,
    ApprovalUnavailable,
    Loading,
    NoServer,
    ServerDown,
    NoEditor,
    Unavailable,
    TimedOut,
    Cancelled,
    OutcomeUnknown,
    Fatal,
}

/// The exit status of a program that runs a single call, if the call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExitKind {
    /// The tool ran and reports a negative result.
    Negative,
    /// The call itself is invalid.
    Usage,
    /// A precondition in the environment of the call is missing.
    Environment,
    Interrupted,
}

impl ExitKind {
    /// Returns the exit status as a number, as documented for the command line.
    pub fn number(self) -> u8 {
        match self {
            Self::Negative => 1,
            Self::Usage => 2,
            Self::Environment => 3,
            // 128 + SIGINT, as in shells.
            Self::Interrupted => 130,
        }
    }
}

impl ErrorCode {
    /// Every code, in the order of the documentation.
    pub const ALL: [Self; 16] = [
        Self::InvalidInput,
        Self::UnknownTool,
        Self::Failed,
        Self::Stale,
        Self::Exists,
        Self::Denied,
        Self::ApprovalUnavailable,
        Self::Loading,
        Self::NoServer,
        Self::ServerDown,
        Self::NoEditor,
        Self::Unavailable,
        Self::TimedOut,
        Self::Cancelled,
        Self::OutcomeUnknown,
        Self::Fatal,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalid_input",
            Self::UnknownTool => "unknown_tool",
            Self::Failed => "failed",
            Self::Stale => "stale",
            Self::Exists => "exists",
            Self::Denied => "denied",
            Self::ApprovalUnavailable => "approval_unavailable",
            Self::Loading => "loading",
            Self::NoServer => "no_server",
            Self::ServerDown => "server_down",
            Self::NoEditor => "no_editor",
            Self::Unavailable => "unavailable",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::Fatal => "fatal",
        }
    }

    /// Returns the code of this name; programs pass codes on as text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == name)
    }

    /// Returns the meaning, as a sentence.
    pub fn description(self) -> &'static str {
        match self {
            Self::InvalidInput => "An argument is missing, unknown or not what the tool takes; nothing was done.",
            Self::UnknownTool => "No tool of this name exists for this caller.",
            Self::Failed => "The tool ran and could not do what the call requested.",
            Self::Stale => "The state that the call is based on has changed since; nothing was written.",
            Self::Exists => "The path that the call would write exists already; nothing was written.",
            Self::Denied => "A rule of the policy, or the user, denied the call; nothing was run.",
            Self::ApprovalUnavailable => "The call needs approval and no one can approve it here; nothing was run.",
            Self::Loading => "The server is still loading the data that the answer needs.",
            Self::NoServer => "No language server that is installed and allowed answers for this file.",
            Self::ServerDown => "The language server ended before it answered; it is started again by the next call.",
            Self::NoEditor => "The tool is about an open editor, and none is connected.",
            Self::Unavailable => "The tool cannot run in this place; the text says what it would need.",
            Self::TimedOut => "There was no answer in time; zubi has cancelled what the call had started.",
            Self::Cancelled => "The caller cancelled the call.",
            Self::OutcomeUnknown => "The host ended while the call ran; whether it was carried out is not known.",
            Self::Fatal => "A defect of zubi; the log on stderr has the details.",
        }
    }

    /// Returns the next step for the caller, as a sentence.
    pub fn next_step(self) -> &'static str {
        match self {
            Self::InvalidInput => "Read the text, which names the argument and what it takes, and call again.",
            Self::UnknownTool => "Look at `zubi tools list` or `zubi_find_tools`; the text names the nearest.",
            Self::Failed => "Read the text; it ends with what to do.",
            Self::Stale => "Read the file again, or make a new plan, and call again.",
            Self::Exists => "Read it first, or pass `overwrite: true` if the tool has it.",
            Self::Denied => "Do it another way; `zubi policy explain` shows which rule denies it.",
            Self::ApprovalUnavailable => {
                "Let the user add the rule that the text shows, or call where a user can approve it."
            }
            Self::Loading => "Call again in a few seconds.",
            Self::NoServer => "Look at `zubi doctor`, which says what is missing; `zubi trust` lets servers run.",
            Self::ServerDown => "Call again; if it ends again, `zubi doctor` says why.",
            Self::NoEditor => "Open the workspace in an editor, or use the tool that the text names.",
            Self::Unavailable => "Use the tool that the text names.",
            Self::TimedOut => "Narrow the query, or call again: servers continue to load meanwhile.",
            Self::Cancelled => "Call again if the answer is still wanted.",
            Self::OutcomeUnknown => "Look first whether it was done, where the text says; then decide.",
            Self::Fatal => "Report it, with the log.",
        }
    }

    /// Returns the exit status of `zubi call` for this code.
    pub fn exit(self) -> ExitKind {
        match self {
            Self::InvalidInput | Self::UnknownTool => ExitKind::Usage,
            Self::Failed | Self::Stale | Self::Exists => ExitKind::Negative,
            Self::Denied
            | Self::ApprovalUnavailable
            | Self::Loading
            | Self::NoServer
            | Self::ServerDown
            | Self::NoEditor
            | Self::Unavailable
            | Self::TimedOut
            | Self::OutcomeUnknown
            | Self::Fatal => ExitKind::Environment,
            Self::Cancelled => ExitKind::Interrupted,
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_names_match_in_every_representation() {
        for code in ErrorCode::ALL {
            assert_eq!(serde_json::json!(code), code.as_str());
            assert_eq!(ErrorCode::from_name(code.as_str()), Some(code));
            for text in [code.description(), code.next_step()] {
                assert!(text.ends_with('.') && text.len() < 120, "{text}");
            }
        }
        assert_eq!(ErrorCode::from_name("ok"), None, "`ok` is not a failure");
    }
}
