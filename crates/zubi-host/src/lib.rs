//! The layer between the surfaces and the tools: the [`ToolService`] that every surface uses, and [`LocalHost`], which
//! owns a workspace in this process and assembles trust, providers, registry and policy.
//!
//! This crate does not know MCP or LSP.

mod client;
pub mod contributed;
mod daemon;
pub mod doctor;
pub mod environment;
mod filters;
pub mod index;

pub mod local;
mod remote;
mod scope;
pub mod service;
mod serving;
pub mod team_index;
pub mod verify;

pub use crate::client::{HostClient, HostClientConfig};
pub use crate::daemon::{Daemon, DaemonConfig, DaemonEnd, DaemonError};
pub use crate::filters::{RequestedTools, UnknownName, find_unknown_tool, find_unknown_toolset};
pub use crate::local::{
    DomainModel, EditorIntegration, EditorOptions, HostConfig, LocalHost, LocalHostError, Root, model_texts,
};
pub use crate::remote::{AttachError, RemoteHost};
pub use crate::scope::{FilteredService, SessionFilters, split_filters};
pub use crate::service::{
    AllowedTools, CallAnswer, CallContext, CallFailure, CallRequest, Explanation, HostDescription, HostError,
    PolicyInForce, RuleInForce, ToolService, UnknownTool,
};
pub use crate::serving::{ClientPolicy, HostServer, Identity, PublishOptions, PublishedHost};

/// The settings of an open editor, for the editor's connection.
pub use zubi_code::settings;
/// The kind of process in which a host runs.
pub use zubi_ipc::wire::host::HostKind;
/// The state of an editor, for the editor's connection.
pub use zubi_tools::editor_state;
/// The toolset whose tools run commands. A surface may omit it.
pub use zubi_tools::script::TOOLSET as SCRIPT_TOOLSET;
pub use zubi_tools::shell::TOOLSET as SHELL_TOOLSET;
