//! What the loop hears from the other threads of the server.

use dlang_workspace::workspace::Progress;
use lsp_server::ResponseError;
use serde_json::Value;

use crate::diagnostics::DiagnosticsToPublish;

/// Something that happened elsewhere.
pub(crate) enum Event {
    /// A request has its answer.
    Answered { serial: u64, result: Result<Value, ResponseError> },
    /// The client's process has ended, or it does not listen any more.
    ClientGone,
    /// Loading goes on.
    Progress(Progress),
    /// The workspace is there.
    Loaded,
    /// The model is another one now.
    Changed { by: ChangedBy },
    /// What is wrong with the workspace; nothing if it changed meanwhile.
    Problems { number: u64, problems: Option<Vec<DiagnosticsToPublish>> },
}

/// Who changed the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangedBy {
    /// The client, by an edit of a model: it knows that answers are others now.
    Editor,
    /// Somebody else, or an edit of a manifest, whose effect on other documents a client cannot foresee.
    Others,
}
