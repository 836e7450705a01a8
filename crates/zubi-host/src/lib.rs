//! What stands between the surfaces and the tools: the [`ToolService`] every surface speaks to, and [`LocalHost`], which
//! owns a workspace in this process and assembles trust, providers, registry and policy.
//!
//! Nothing here knows MCP or LSP.

pub mod contributed;
mod daemon;
pub mod doctor;
pub mod environment;
mod client;
pub mod local;
mod remote;
mod scope;
pub mod service;
mod serving;
pub mod verify;

pub use crate::daemon::{Daemon, DaemonConfig, DaemonError, DaemonEnd};
pub use crate::client::{HostClient, FrontConfig};
pub use crate::local::{
    EditorIntegration, EditorOptions, DomainModel, HostConfig, HostError, EditorAccess, LocalHost, Root, asks_for,
};
pub use crate::remote::{AttachError, RemoteHost};
pub use crate::scope::{SessionFilters, FilteredService, misspelt_flags, split_filters};
pub use crate::service::{
    AllowedTools, CallAnswer, CallFailure, CallRequest, CallContext, Explanation, HostDescription, HostUnavailable,
    PolicyInForce, PolicyUnknown, RuleInForce, ToolService, UnknownTool,
};
pub use crate::serving::{Identity, ClientPolicy, HostServer, PublishedHost, PublishOptions};

/// The settings of an open editor, for the channel to one.
pub use zubi_code::settings;
/// Where a host lives.
pub use zubi_ipc::wire::host::HostKind;
/// The tools that a workspace declares: for the commands that look at their files.
pub use zubi_declared;
/// The toolset whose tools run commands. A surface for which it is too much leaves it out.
pub use zubi_tools::shell::TOOLSET as SHELL_TOOLSET;
/// What an editor tells, for the channel to one.
pub use zubi_tools::editor_state;
