//! zubi's own agent: requests answers from a model, runs the calls that the model makes and returns their results,
//! until the model has given its final answer.
//!
//! [`event`] defines the events of a conversation, [`journal`] the interface for saving them, and [`history`] builds
//! the model's messages from them. [`zubi_models`] is the interface to models, [`chat`] the interface to clients that
//! show conversations, and [`wire`] the messages of that interface.
//!
//! Nothing here depends on MCP, LSP or HTTP serving; tools are called only through `ToolService`.

pub mod chat;
mod conversation;
mod delegation;
pub mod event;
pub mod export;
pub mod history;
pub mod journal;
pub mod manager;
mod prompt;
pub mod questions;
pub mod replay;
pub mod run;
mod streaming_answer;
#[cfg(test)]
mod testing;
pub mod wire;
