//! `host/*`: what a host says of itself, and how it ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a host lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HostKind {
    /// In the language server of an open editor.
    Editor,
    /// In `zubi serve`.
    Daemon,
    /// In the process of an agent or a command, which serves others as long as it lives.
    Front,
}

impl HostKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Editor => "editor",
            Self::Daemon => "daemon",
            Self::Front => "front",
        }
    }
}

/// `host/info`: who asks. The first request of a client that is more than a script.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HostInfoParams {
    /// Version of the protocol that the client speaks; a host that speaks another one refuses it.
    pub protocol: Option<u32>,
    /// Name and version of the client.
    pub client: Option<String>,
    /// Process id of the client.
    pub pid: Option<u32>,
}

/// A folder of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderInfo {
    pub name: String,
    /// Absolute, links resolved.
    pub path: String,
}

/// What decides which programs a host finds and what they see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Environment {
    /// SHA-256 of `PATH`, in hexadecimal: whether it is the same is all that is asked.
    pub path: Option<String>,
    /// `VIRTUAL_ENV` or `CONDA_PREFIX`.
    pub python: Option<String>,
}

/// What a host says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostInfo {
    pub protocol: u32,
    /// Of the program.
    pub version: String,
    pub instance: String,
    pub pid: u32,
    pub kind: HostKind,
    pub workspace_folders: Vec<FolderInfo>,
    /// Whether every folder is trusted.
    pub trusted: bool,
    #[serde(default)]
    pub environment: Environment,
}

/// A language server that a host has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerStatus {
    pub id: String,
    /// Its directory: the project that it serves.
    pub root: String,
    /// `starting`, `loading 43 %`, `ready`, `readiness unknown`, `failed`.
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pid: Option<u32>,
    /// Resident memory of the process and its children, in bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory: Option<u64>,
}

/// Somebody who is connected to a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientStatus {
    /// As it called itself; a client need not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pid: Option<u32>,
    /// `socket` or `port`.
    pub over: String,
    /// Seconds since it connected.
    pub connected: u64,
}

/// `host/status`: what runs behind a host and who is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostStatus {
    #[serde(flatten)]
    pub info: HostInfo,
    /// Resident memory of the host's own process, in bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory: Option<u64>,
    pub servers: Vec<ServerStatus>,
    /// The asking client among them.
    pub clients: Vec<ClientStatus>,
}

/// What a host says of itself: [`HostInfoParams`] to [`HostInfo`].
pub const INFO: &str = "host/info";
/// What runs behind it and who is connected: no parameters to [`HostStatus`].
pub const STATUS: &str = "host/status";
/// Ends a daemon: no parameters, `true`. Whoever is connected is cut off once the answer is written.
pub const SHUTDOWN: &str = "host/shutdown";
