//! The interface of all clients that show conversations: a page in a browser, a view in an editor, a terminal.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::broadcast;

use crate::wire::ConversationEvent;

/// Why a request was refused. The message ends with the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    #[error("there is no method `{0}`")]
    UnknownMethod(String),
    /// The parameters are invalid.
    #[error("Invalid input: {0}")]
    Invalid(String),
    /// The conversation, approval prompt or tool does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The request is valid, but the manager cannot serve it in its present state.
    #[error("{0}")]
    Failed(String),
}

/// The agent's conversations in one workspace.
#[async_trait]
pub trait ChatService: Send + Sync {
    /// Handles a request with one of the methods of [`crate::wire`]. `surface` names the caller's surface for approval
    /// decisions: `web`, `editor` or `terminal`.
    async fn request(&self, method: &str, params: Value, surface: &str) -> Result<Value, ChatError>;

    /// Subscribes to all events from now on. A receiver that is too slow loses the oldest events; the channel reports
    /// that, and the receiver must then open its conversation again.
    fn listen(&self) -> broadcast::Receiver<Arc<ConversationEvent>>;

    /// Stops all turns and returns when they have ended.
    async fn shutdown(&self);
}
