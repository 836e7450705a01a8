//! Restrictions of a child: the files it sees, the network, the number of processes and the share of the machine it may
//! use.
//!
//! A [`Confinement`] is plain data and names exactly the [`SandboxBackends`] that enforce it; its creator chooses them
//! from those that [`super::Spawner::offers`] reports. The supervisor starts the program through this very executable
//! once more (`__child --apply`), which confines *itself* and then becomes the program with `exec`: Landlock domains,
//! seccomp filters, `no_new_privs` and resource limits all outlive `exec`, so no `unsafe` code runs between fork and
//! exec, and inside bubblewrap's namespaces the step is the same. If a requested backend is not available, the program
//! does not start (exit code [`CANNOT_CONFINE`]); a backend is never silently omitted.
//!
//! Landlock has limits that affect all of these modules. It takes a list of allowed paths, so "all but these" is
//! expanded to the neighbours of the excluded paths (`paths`); names in such a directory can be listed, contents cannot
//! be read, and nothing can be created directly in it. A program can connect to a socket in the file system whatever
//! the rules are (until ABI 9), hence seccomp denies `AF_UNIX` sockets unless the network is [`Network::All`]. Landlock
//! does not restrict permissions, owners and times of files (chmod(2), chown(2), utimensat(2)) at all.

use std::ffi::OsString;
use std::io;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

mod bubblewrap;
mod capabilities;
mod landlock;
mod limits;
mod offers;
mod paths;
mod seccomp;
mod stage;

pub use offers::{Availability, Capabilities};
pub(super) use stage::{APPLY, PROBE, apply, probe};
pub use stage::{CANNOT_CONFINE, seal};

/// The first argument of a supervisor that confines its program; the next one is a [`Confinement`] as JSON.
pub(super) const CONFINE: &str = "--confine";

/// The permissions of a child. The default allows no path and names no backend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    pub means: SandboxBackends,
    /// Files and directories that may be read, with all below them. Absolute.
    pub readable: Vec<Utf8PathBuf>,
    /// Files and directories that may be written and read. Absolute.
    pub writable: Vec<Utf8PathBuf>,
    /// Files that may be executed; `None`: all files that may be read. This restricts programs that are started by
    /// their path, not a determined one: an interpreter or the dynamic loader runs any file it can read.
    pub executable: Option<Vec<Utf8PathBuf>>,
    /// Files and directories that the child may not access, whatever the lists above contain.
    pub excluded: Vec<Utf8PathBuf>,
    pub network: Network,
    pub limits: ResourceLimits,
}

/// The mechanisms that enforce a confinement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxBackends {
    /// Landlock restricts files (landlock(7)).
    pub landlock: bool,
    /// seccomp restricts sockets and system calls that reach into other processes or the kernel (seccomp(2)).
    pub seccomp: bool,
    /// The program `bwrap`, if the child also gets its own namespaces (`user_namespaces(7)`).
    pub bubblewrap: Option<Utf8PathBuf>,
}

/// The sockets that a child may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// No sockets at all; pipes and `socketpair` remain.
    #[default]
    None,
    /// IPv4, IPv6 and what name look-ups need, but no socket in the file system: behind those are daemons that would
    /// act for the program outside the sandbox (`docker.sock`, an SSH agent).
    Internet,
    /// All sockets of the system.
    All,
}

/// The resources that a child may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceLimits {
    /// Processes at once, itself included. `RLIMIT_NPROC` counts all of a person's processes and does not bind root, so
    /// the supervisor counts, and ends everything when there are more.
    pub processes: u32,
    /// Address space of each process, in bytes (`RLIMIT_AS`).
    pub memory: Option<u64>,
    /// Size of a file that is written, in bytes (`RLIMIT_FSIZE`).
    pub file_size: Option<u64>,
    /// Processor time of each process, in seconds (`RLIMIT_CPU`).
    pub cpu_seconds: Option<u64>,
}

/// Far more processes than a build needs on usual machines, far fewer than make a machine unusable.
pub const MAX_PROCESSES: u32 = 200;

impl Default for ResourceLimits {
    fn default() -> Self {
        Self { processes: MAX_PROCESSES, memory: None, file_size: None, cpu_seconds: None }
    }
}

/// The reason why a program could not be confined and so was not started.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    #[error("this confinement cannot be read: {0}")]
    Unreadable(String),
    #[error("Landlock: {0}")]
    Landlock(String),
    #[error("seccomp: {0}")]
    Seccomp(String),
    #[error("cannot list `{path}`: {source}")]
    List { path: Utf8PathBuf, source: io::Error },
    #[error("there are more than {0} files beside those that are left out")]
    TooMany(usize),
    #[error("cannot limit {what}: {source}")]
    Limit { what: &'static str, source: io::Error },
}

impl Confinement {
    /// As the argument of a supervisor.
    pub(super) fn to_argument(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)?)
    }

    /// From the argument of a supervisor.
    pub(super) fn from_argument(argument: Option<OsString>) -> Result<Self, ConfineError> {
        let text = argument.and_then(|argument| argument.into_string().ok());
        let text = text.ok_or_else(|| ConfineError::Unreadable("it is missing, or no text".to_owned()))?;
        serde_json::from_str(&text).map_err(|error| ConfineError::Unreadable(error.to_string()))
    }

    /// The command that confines itself and becomes `program`: its own program and arguments. `executable` is the one
    /// whose `main` calls [`super::supervise`].
    pub(super) fn command(
        &self,
        executable: &str,
        program: OsString,
        args: impl Iterator<Item = OsString>,
    ) -> io::Result<(OsString, Vec<OsString>)> {
        let mut command: Vec<OsString> = match &self.means.bubblewrap {
            Some(bwrap) => bubblewrap::command(bwrap, self),
            None => Vec::new(),
        };
        command.extend([executable, super::SUPERVISOR_ARGUMENT, APPLY, &self.to_argument()?, "--"].map(OsString::from));
        command.push(program);
        command.extend(args);
        let first = command.remove(0);
        Ok((first, command))
    }
}

#[cfg(test)]
mod tests;
