//! What stands between the surfaces and the tools: the [`ToolService`] every surface speaks to, and [`LocalHost`], which
//! owns a workspace in this process and assembles trust, providers, registry and policy.
//!
//! Nothing here knows MCP or LSP.

pub mod doctor;
pub mod local;
mod scope;
pub mod service;
pub mod verify;

pub use crate::local::{DomainModel, HostConfig, HostError, LocalHost, Root, asks_for};
pub use crate::scope::{Scope, Scoped};
pub use crate::service::{
    AllowedTools, CallAnswer, CallFailure, CallRequest, Circumstances, Explanation, HostDescription, PolicyInForce,
    RuleInForce, ToolService, UnknownTool,
};

/// The tools that a workspace declares: for the commands that look at their files.
pub use zubi_toolbox::declared;
/// The toolset whose tools run commands. A surface for which it is too much leaves it out.
pub use zubi_toolbox::shell::TOOLSET as SHELL_TOOLSET;
