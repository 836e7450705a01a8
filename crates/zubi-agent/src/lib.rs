//! zubi's own agent: a model is asked, makes calls, is told what came of them, until it has answered.
//!
//! [`event`] is what happens, [`journal`] where it is put, [`history`] what the model is told of it. [`model`] is the seam to
//! models. [`chat`] is the seam to whoever shows conversations, [`wire`] what goes over it.
//!
//! Nothing here knows MCP, LSP or HTTP serving; tools are called through `ToolService` alone.

pub mod chat;
mod conversation;
pub mod manager;
pub mod event;
pub mod export;
pub mod history;
pub mod journal;
mod delegation;
mod prompt;
pub mod questions;
pub mod replay;
pub mod run;
pub mod wire;
