//! A confinement as data, and as a command-line argument of a supervisor.

use std::ffi::OsString;
use std::io;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

/// The first argument of a supervisor that confines its program; the next one is a [`Confinement`] as JSON.
pub(in crate::process) const CONFINE: &str = "--confine";

/// The permissions of a child. The default allows no path and names no backend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    #[serde(rename = "means")]
    pub backends: SandboxBackends,
    /// Absolute paths of readable files and directories, including everything below them.
    pub readable: Vec<Utf8PathBuf>,
    /// Absolute paths of writable and readable files and directories, including everything below them.
    pub writable: Vec<Utf8PathBuf>,
    /// Executable files; `None`: all readable ones. This restricts programs that are started by path, but not a
    /// determined one: an interpreter or the dynamic loader runs any file that it can read.
    pub executable: Option<Vec<Utf8PathBuf>>,
    /// Files and directories that the child may not access, even if the lists above contain them.
    pub excluded: Vec<Utf8PathBuf>,
    pub network: Network,
    pub limits: ResourceLimits,
}

/// The mechanisms that enforce a confinement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxBackends {
    /// Landlock restricts files (landlock(7)).
    pub landlock: bool,
    /// seccomp restricts sockets, and system calls that access other processes or the kernel (seccomp(2)).
    pub seccomp: bool,
    /// The path of `bwrap`, if the child also gets its own namespaces (`user_namespaces(7)`).
    pub bubblewrap: Option<Utf8PathBuf>,
    /// Whether the child gets an IPC namespace and a `/dev/shm` of its own without bubblewrap. With neither, it can use
    /// neither System V IPC nor `/dev/shm`: those of the machine belong to other programs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private_ipc: bool,
}

impl SandboxBackends {
    /// Whether the child shares System V IPC, message queues and `/dev/shm` with no other program.
    pub(super) fn has_own_ipc(&self) -> bool {
        self.private_ipc || self.bubblewrap.is_some()
    }
}

/// The sockets that a child may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// No sockets at all; pipes and `socketpair` remain.
    #[default]
    None,
    /// IPv4, IPv6 and the sockets of name look-ups, but no sockets in the file system: their daemons would act for the
    /// program outside the sandbox (`docker.sock`, an SSH agent).
    Internet,
    /// All sockets.
    All,
}

/// The resources that a child may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceLimits {
    /// The maximum number of simultaneous processes, including the program itself. The supervisor counts them and ends
    /// all if there are more, because `RLIMIT_NPROC` counts all processes of a user and does not restrict root.
    pub processes: u32,
    /// Address space of each process, in bytes (`RLIMIT_AS`).
    pub memory: Option<u64>,
    /// Size of a written file, in bytes (`RLIMIT_FSIZE`).
    pub file_size: Option<u64>,
    /// Processor time of each process, in seconds (`RLIMIT_CPU`).
    pub cpu_seconds: Option<u64>,
}

/// Far more processes than a build usually needs, and far fewer than make a machine unusable.
pub const MAX_PROCESSES: u32 = 200;

impl Default for ResourceLimits {
    fn default() -> Self {
        Self { processes: MAX_PROCESSES, memory: None, file_size: None, cpu_seconds: None }
    }
}

/// The reason why a program could not be confined and was not started.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    #[error("this confinement cannot be read: {0}")]
    Unreadable(String),
    #[error("Landlock: {0}")]
    Landlock(String),
    /// The kernel has no Landlock; it is not worth another try.
    #[error("Landlock: {0}")]
    NoLandlock(&'static str),
    #[error("seccomp: {0}")]
    Seccomp(String),
    /// The kernel or the processor has no filters of system calls; they are not worth another try.
    #[error("seccomp: {0}")]
    NoSeccomp(String),
    #[error("namespaces: cannot {step}: {source}")]
    Namespaces { step: &'static str, source: io::Error },
    #[error("cannot list `{path}`: {source}")]
    List { path: Utf8PathBuf, source: io::Error },
    #[error("there are more than {0} files beside those that are left out")]
    TooMany(usize),
    #[error("cannot limit {resource_name}: {source}")]
    Limit { resource_name: &'static str, source: io::Error },
}

impl Confinement {
    /// Serializes the confinement as a supervisor's argument.
    pub(in crate::process) fn to_argument(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)?)
    }

    /// Parses a supervisor's argument.
    pub(in crate::process) fn from_argument(argument: Option<OsString>) -> Result<Self, ConfineError> {
        let text = argument.and_then(|argument| argument.into_string().ok());
        let text = text.ok_or_else(|| ConfineError::Unreadable("it is missing, or no text".to_owned()))?;
        serde_json::from_str(&text).map_err(|error| ConfineError::Unreadable(error.to_string()))
    }
}
