//! `host/*`: information about a host, its status and its shutdown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Process in which a host runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HostKind {
    /// The language server of an open editor.
    Editor,
    /// `zubi serve`.
    Daemon,
    /// The process of an agent or a command, which serves other clients as long as it lives.
    #[serde(rename = "front")]
    InProcess,
}

impl HostKind {
    /// The name in texts for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Editor => "editor",
            Self::Daemon => "daemon",
            Self::InProcess => "agent",
        }
    }
}

/// Parameters of `host/info`: information about the client. The first request of a client that is more than a script.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HostInfoParams {
    /// Version of the protocol that the client speaks; a host of another version refuses the request.
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
    /// Absolute path with links resolved.
    pub path: String,
}

/// Environment variables that decide which programs a host finds and what those see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "Environment")]
pub struct HostEnvironment {
    /// SHA-256 of `PATH`, in hexadecimal; used only to compare for equality.
    pub path: Option<String>,
    /// `VIRTUAL_ENV` or `CONDA_PREFIX`.
    pub python: Option<String>,
}

/// Information about a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostInfo {
    pub protocol: u32,
    /// Version of the program.
    pub version: String,
    pub instance: String,
    pub pid: u32,
    pub kind: HostKind,
    pub workspace_folders: Vec<FolderInfo>,
    /// Whether every folder is trusted.
    pub trusted: bool,
    #[serde(default)]
    pub environment: HostEnvironment,
}

/// A language server that a host has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerStatus {
    pub id: String,
    /// Root directory of the project that it serves.
    pub root: String,
    /// `starting`, `loading 43 %`, `ready`, `readiness unknown`, `failed`.
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pid: Option<u32>,
    /// Resident memory of the process and its children, in bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory: Option<u64>,
}

/// The number of directories that a host watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WatchStatus {
    pub directories: usize,
    /// Those of `directories` that have installed packages.
    pub packages: usize,
    /// The maximum of `packages`.
    pub package_limit: usize,
    /// Directories that it does not watch, because a limit is reached.
    pub unwatched: usize,
}

/// The index of a host's workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IndexStatus {
    /// `ready`, `building, 900 of 1200 files`, or the reason why it does not follow the files.
    pub state: String,
    /// Files whose words are in the index.
    pub files: usize,
    /// Size on disk in bytes.
    pub bytes: u64,
    /// Files with exact data that it could not import, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub failed_imports: Vec<String>,
}

/// A client that is connected to a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientStatus {
    /// Name that the client has sent, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pid: Option<u32>,
    /// Transport: `socket` or `port`.
    #[serde(rename = "over")]
    pub transport: String,
    /// Time since it connected, in seconds.
    pub connected: u64,
}

/// Result of `host/status`: language servers and clients of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostStatus {
    #[serde(flatten)]
    pub info: HostInfo,
    /// Resident memory of the host's own process, in bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory: Option<u64>,
    pub servers: Vec<ServerStatus>,
    /// Directories that it watches for changed files; missing before the first language server starts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub watches: Option<WatchStatus>,
    /// Index of declarations and words; missing if it makes none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub index: Option<IndexStatus>,
    /// All clients, including the caller.
    pub clients: Vec<ClientStatus>,
}

/// Information about the host: [`HostInfoParams`] to [`HostInfo`].
pub const INFO: &str = "host/info";
/// Language servers and clients of the host: no parameters to [`HostStatus`].
pub const STATUS: &str = "host/status";
/// Ends a daemon: no parameters, `true`. Other clients are disconnected once the answer is written.
pub const SHUTDOWN: &str = "host/shutdown";
