//! Events that other threads send to the main loop.

use dlang_workspace::workspace::Progress;
use lsp_server::ResponseError;
use serde_json::Value;

use crate::diagnostics::DiagnosticsToPublish;

/// An event of another thread.
pub(crate) enum Event {
    /// A request has been answered.
    Answered { serial: u64, result: Result<Value, ResponseError> },
    /// The client's process has ended, or the client does not read any more.
    ClientDisconnected,
    /// Loading has progressed.
    Progress(Progress),
    /// The workspace has been loaded.
    Loaded,
    /// The model has changed.
    Changed { by: ChangedBy },
    /// Diagnostics of the workspace; `None` if it changed meanwhile.
    Problems { number: u64, problems: Option<Vec<DiagnosticsToPublish>> },
}

/// Origin of a change of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangedBy {
    /// The client, by an edit of a model, so it knows that results have changed.
    Editor,
    /// Another program, or an edit of a manifest, whose effect on other documents a client cannot foresee.
    External,
}
