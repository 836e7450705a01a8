//! Errors of a request, each with a hint for the caller.

use zubi_base::endpoint::{EndpointError, MissingServer};
use zubi_base::fs::ReadError;
use zubi_base::workspace::PathError;

use crate::edit::EditError;
use crate::status::{MAX_ABSENT, more_absent};
use crate::version_control::VersionControlError;

/// The reason why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// An invalid argument, with the reason and the next step.
    #[error("{field}: {message}")]
    Input { field: &'static str, message: String, hint: String },
    #[error("{0}")]
    Path(#[from] PathError),
    #[error("{0}")]
    Read(#[from] ReadError),
    /// No endpoint serves this document or workspace.
    #[error("{}", absent_line(.0))]
    NoEndpoint(Vec<MissingServer>),
    /// No endpoint serves this document, and zubi cannot parse it either.
    #[error("zubi cannot parse `{file}`: {reason}; {}", absent_line(absent))]
    Unparsed { file: String, reason: String, absent: Vec<MissingServer> },
    /// An endpoint did not answer in time. The reason contains its state.
    #[error("{}", .0.reason)]
    NoAnswer(MissingServer),
    /// Endpoints exist, but none supports this request.
    #[error("{servers} cannot {operation}")]
    Unsupported {
        servers: String,
        operation: String,
        /// The most similar supported tool, with its purpose.
        nearest: Option<&'static str>,
    },
    #[error("{0}")]
    Endpoint(#[from] EndpointError),
    #[error("{0}")]
    Edit(#[from] EditError),
    /// A rename that would leave uses unchanged.
    #[error("uses would be left: {reason}")]
    PartialRename { reason: String, hint: String },
    /// A removal that would leave uses without a declaration, or whose uses are unknown.
    #[error("{reason}")]
    StillUsed { reason: String, hint: String },
    /// A change of a symbol whose result would be invalid.
    #[error("{reason}")]
    RejectedEdit { reason: String, hint: String },
    /// The index is turned off or does not work, and only it could answer.
    #[error("{reason}")]
    Index { reason: String, hint: String },
    /// The revisions cannot be compared.
    #[error("{0}")]
    VersionControl(#[from] VersionControlError),
    /// The server declined, for its own reason.
    #[error("{endpoint} declined: {reason}")]
    Declined { endpoint: String, reason: String, hint: String },
}

fn absent_line(absent: &[MissingServer]) -> String {
    if absent.is_empty() {
        return "no language server answers for this workspace: no file of a language with a catalogue row was found"
            .to_owned();
    }
    absent.iter().take(MAX_ABSENT).map(|absent| absent.reason.as_str()).collect::<Vec<_>>().join("; ")
}

impl CodeError {
    /// Creates an error for an invalid argument.
    pub fn input(field: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Input { field, message: message.into(), hint: hint.into() }
    }

    /// Whether no endpoint supports this request, as opposed to a request that failed.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Unsupported { .. } | Self::Endpoint(EndpointError::Unsupported { .. }))
    }

    /// Returns the servers that are missing or silent, instead of which an answer from texts is possible.
    pub(crate) fn absent_servers(self) -> Result<Vec<MissingServer>, Self> {
        match self {
            Self::NoEndpoint(absent) => Ok(absent),
            Self::NoAnswer(silent) => Ok(vec![silent]),
            error => Err(error),
        }
    }

    /// Returns the next step.
    pub fn hint(&self) -> String {
        match self {
            Self::Input { hint, .. }
            | Self::PartialRename { hint, .. }
            | Self::StillUsed { hint, .. }
            | Self::RejectedEdit { hint, .. }
            | Self::Index { hint, .. }
            | Self::Declined { hint, .. } => hint.clone(),
            Self::VersionControl(error) => version_control_hint(error),
            Self::NoAnswer(silent) => silent.hint.clone(),
            Self::Path(_) => "Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.".to_owned(),
            Self::Read(_) => "Name a text file of the workspace.".to_owned(),
            Self::NoEndpoint(absent) if absent.is_empty() => {
                "Run `zubi tools list` to see what works without a server, or start zubi in the project's folder.".to_owned()
            }
            Self::NoEndpoint(absent) | Self::Unparsed { absent, .. } => {
                let hints = absent.iter().take(MAX_ABSENT).map(|absent| absent.hint.clone());
                hints.chain(more_absent(absent.len())).collect::<Vec<_>>().join("\n")
            }
            Self::Unsupported { nearest: Some(nearest), .. } => format!("The nearest supported request: {nearest}."),
            Self::Unsupported { .. } => "Use another request, or read the file.".to_owned(),
            Self::Endpoint(error) => endpoint_hint(error),
            Self::Edit(error) => error.hint(),
        }
    }
}

fn version_control_hint(error: &VersionControlError) -> String {
    match error {
        VersionControlError::NotInstalled => "Install git, and restart zubi.",
        VersionControlError::NoRepository(_) => "Only folders in a git repository have changes.",
        VersionControlError::UnknownRevision(_) => {
            "Name a branch, a tag or a commit that `git log --all` lists; a shallow clone does not have older commits."
        }
        VersionControlError::Unrelated(..) => "Give `from` without `...` to compare the two revisions themselves.",
        VersionControlError::Failure(_) => "Check the repository with `git fsck`, or read the files.",
    }
    .to_owned()
}

pub(crate) fn endpoint_hint(error: &EndpointError) -> String {
    match error {
        EndpointError::Exited { hint, .. } if !hint.is_empty() => hint.clone(),
        EndpointError::Exited { .. } => "Retry: zubi restarts the server with the next request.".to_owned(),
        EndpointError::TimedOut { .. } => {
            "Retry: the server may be ready by then; zubi ends one that stays silent and starts it again.".to_owned()
        }
        EndpointError::Cancelled => "Retry if the answer is still wanted.".to_owned(),
        EndpointError::Server { .. } => "Check the position with `lsp_document_symbols`, then retry.".to_owned(),
        EndpointError::Unsupported { .. } => "Use another request.".to_owned(),
        EndpointError::Document(_) => "Name a text file of the workspace.".to_owned(),
        EndpointError::Protocol { .. } => "Retry; if it happens again, report a defect of the server.".to_owned(),
    }
}
