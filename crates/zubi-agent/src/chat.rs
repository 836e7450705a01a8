//! The one interface of everything that shows conversations: a page in a browser, a view in an editor, a terminal.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::broadcast;

use crate::wire::ConversationEvent;

/// Why a request was refused. Its text ends with the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    #[error("there is no method `{0}`")]
    UnknownMethod(String),
    /// Wrong parameters.
    #[error("Invalid input: {0}")]
    Invalid(String),
    /// No such conversation, question or tool.
    #[error("{0}")]
    NotFound(String),
    /// It cannot be done now.
    #[error("{0}")]
    Failed(String),
}

/// Conversations with the agent, of one workspace.
#[async_trait]
pub trait ChatService: Send + Sync {
    /// One of the methods of [`crate::wire`]. `door` says who asks, for decisions: `web`, `editor`, `terminal`.
    async fn request(&self, method: &str, params: Value, surface: &str) -> Result<Value, ChatError>;

    /// Everything that happens from now on. Whoever is too slow loses the oldest and is told so by the channel: then it
    /// opens its conversation anew.
    fn listen(&self) -> broadcast::Receiver<Arc<ConversationEvent>>;

    /// Stops every turn. Returns when all have ended.
    async fn shutdown(&self);
}
