//! Probes which sandbox backends are available on this machine.

use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::confinement::{ConfineError, Confinement, Network, SandboxBackends};
use super::stage::PROBE;
use super::{ipc, landlock, seccomp};
use crate::process::child::{CommandSpec, Spawner};
use crate::process::signal::SUPERVISOR_ARGUMENT;

/// A backend's property, or the reason why the backend is not available.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Availability<T> {
    Has(T),
    /// The reason, as one clause. It holds as long as this machine runs as it does.
    Lacks(String),
    /// The reason, as one clause, why this attempt has not found out anything. Another one may.
    Unknown(String),
}

impl<T> Availability<T> {
    /// Whether the result stays the same until the machine changes, so that callers may store it.
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }
}

/// The sandbox capabilities of this machine's kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// The version of the kernel's Landlock ABI.
    pub landlock: Availability<u32>,
    pub seccomp: Availability<()>,
    /// [`SandboxBackends::private_ipc`].
    pub private_ipc: Availability<()>,
}

impl Capabilities {
    /// Whether the result stays the same until the machine changes, so that callers may store it.
    pub fn is_known(&self) -> bool {
        self.landlock.is_known() && self.seccomp.is_known() && self.private_ipc.is_known()
    }
}

/// The result of a probing process that restricted itself.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ProbeResult {
    landlock: Availability<u32>,
    seccomp: Availability<()>,
    private_ipc: Availability<()>,
    /// The id of the probing process, which is small in a new PID namespace.
    pid: u32,
}

/// An existing directory that the probing process allows itself, and one that it does not.
const ALLOWED: &str = "/usr";
const FORBIDDEN: &str = "/proc";

/// An upper bound of the ids that bubblewrap's own processes take in a new namespace.
const SMALL_PID: u32 = 10;

/// More than the time that a process needs to start on a busy machine.
const PROBE_TIMEOUT: Duration = Duration::from_secs(20);

/// An upper bound of [`ProbeResult`] as JSON, in bytes, with room for the kernel's error texts.
const MAX_ANSWER: usize = 64 * 1024;

/// Restricts this process with every backend and checks that each has an effect.
pub(super) fn try_all() -> ProbeResult {
    let shared_memory = file_system(ipc::SHARED_MEMORY);
    // First, because the others deny it.
    let private_ipc = match ipc::separate() {
        Ok(()) if file_system(ipc::SHARED_MEMORY) == shared_memory => Availability::Lacks(WITHOUT_EFFECT.to_owned()),
        Ok(()) => Availability::Has(()),
        Err(error) => unavailable(&error),
    };
    let landlock = match landlock::restrict_to(ALLOWED) {
        Ok(_) if std::fs::read_dir(FORBIDDEN).is_ok() => Availability::Lacks(WITHOUT_EFFECT.to_owned()),
        Ok(abi) => Availability::Has(abi),
        Err(error) => unavailable(&error),
    };
    let seccomp = match seccomp::restrict(Network::None, &SandboxBackends::default()) {
        Ok(()) if std::net::UdpSocket::bind("127.0.0.1:0").is_ok() => Availability::Lacks(WITHOUT_EFFECT.to_owned()),
        Ok(()) => Availability::Has(()),
        Err(error) => unavailable(&error),
    };
    ProbeResult { landlock, seccomp, private_ipc, pid: std::process::id() }
}

/// The reason for a backend that accepts restrictions and does not enforce them.
const WITHOUT_EFFECT: &str = "it is there and holds nothing";

/// Returns the number of the file system that is mounted at a directory.
fn file_system(directory: &str) -> Option<u64> {
    std::fs::metadata(directory).ok().map(|directory| std::os::unix::fs::MetadataExt::dev(&directory))
}

/// Converts the error of a backend. Only an error that says that the kernel cannot or must not do it is knowledge.
fn unavailable<T>(error: &ConfineError) -> Availability<T> {
    let reason = error.to_string();
    match error {
        ConfineError::NoLandlock(_) | ConfineError::NoSeccomp(_) => Availability::Lacks(reason),
        ConfineError::Namespaces { source, .. } if is_refusal(source) => Availability::Lacks(reason),
        _ => Availability::Unknown(reason),
    }
}

/// Whether an error means that the kernel refuses namespaces to this user. Other errors come from resources that are
/// short for a moment.
fn is_refusal(error: &io::Error) -> bool {
    use libc::{EACCES, EINVAL, ENOENT, ENOSPC, ENOSYS, EPERM};
    match error.raw_os_error() {
        Some(EPERM | EACCES | EINVAL | ENOSYS | ENOENT) => true,
        Some(ENOSPC) => are_namespaces_off(),
        _ => false,
    }
}

/// Whether the system allows no user namespaces. Their creation then fails like one of too many.
fn are_namespaces_off() -> bool {
    let limit = crate::fs::read_text(Utf8Path::new("/proc/sys/user/max_user_namespaces"));
    limit.is_ok_and(|limit| limit.trim() == "0")
}

/// Parts of the messages with which `bwrap` says that it cannot or must not work here, and not only now.
const BUBBLEWRAP_REFUSALS: &[&str] = &[
    "Operation not permitted",
    "Permission denied",
    "Function not implemented",
    "Invalid argument",
    "Unknown option",
    "No permissions to create",
];

/// The reason why a probing process has not answered.
struct ProbeFailure {
    reason: String,
    /// Whether the program said that it cannot work here.
    is_refusal: bool,
}

impl Spawner {
    /// Probes the kernel with a child that confines itself. Fails if no such child can be started or if it does not
    /// answer, so that nothing is known about the machine.
    pub async fn probe_capabilities(&self) -> io::Result<Capabilities> {
        let found = self.probe(&self.probe_spec()?).await.map_err(|failure| io::Error::other(failure.reason))?;
        let ProbeResult { landlock, seccomp, private_ipc, .. } = found;
        Ok(Capabilities { landlock, seccomp, private_ipc })
    }

    /// Probes `bwrap`, whose path is given if it exists. Returns the path if it works.
    pub async fn probe_bubblewrap(&self, bwrap: Option<&Utf8Path>) -> Availability<Utf8PathBuf> {
        let Some(bwrap) = bwrap else { return Availability::Lacks("no `bwrap` on PATH".to_owned()) };
        let spec = match self.probe_spec() {
            Ok(spec) => spec,
            Err(error) => return Availability::Lacks(error.to_string()),
        };
        let backends = SandboxBackends { bubblewrap: Some(bwrap.to_owned()), ..SandboxBackends::default() };
        let confinement = Confinement { backends, readable: vec!["/".into()], ..Confinement::default() };
        match self.probe(&spec.with_confinement(confinement)).await {
            Ok(found) if found.pid > SMALL_PID => {
                Availability::Lacks("`bwrap` made no namespace of processes".to_owned())
            }
            Ok(_) => Availability::Has(bwrap.to_owned()),
            Err(ProbeFailure { reason, is_refusal }) => {
                let reason = format!("`bwrap` does not work here: {reason}");
                if is_refusal { Availability::Lacks(reason) } else { Availability::Unknown(reason) }
            }
        }
    }

    fn probe_spec(&self) -> io::Result<CommandSpec> {
        match self.executable() {
            Some(executable) => Ok(CommandSpec::new(executable, "/").args([SUPERVISOR_ARGUMENT, PROBE])),
            None => Err(io::Error::other("children without a supervisor cannot be confined")),
        }
    }

    async fn probe(&self, spec: &CommandSpec) -> Result<ProbeResult, ProbeFailure> {
        let output = self.output(spec, MAX_ANSWER, PROBE_TIMEOUT).await;
        let output = output.map_err(|error| ProbeFailure { reason: error.to_string(), is_refusal: false })?;
        serde_json::from_slice(&output.stdout).map_err(|_| {
            let complaint = String::from_utf8_lossy(&output.stderr);
            let line = complaint.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
            let is_refusal = line.starts_with("bwrap:")
                && (BUBBLEWRAP_REFUSALS.iter().any(|refusal| line.contains(refusal))
                    || line.contains("No space left on device") && are_namespaces_off());
            ProbeFailure { reason: line.chars().take(300).collect(), is_refusal }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only a refusal is stored; everything else is tried again.
    #[test]
    fn lack_of_resources_is_no_knowledge() {
        let namespaces = |errno| ConfineError::Namespaces { step: "x", source: io::Error::from_raw_os_error(errno) };
        let check = |error: ConfineError| unavailable::<()>(&error).is_known();
        assert!(check(ConfineError::NoLandlock("the kernel does not have it")));
        assert!(check(ConfineError::NoSeccomp("no filter".to_owned())));
        assert!(check(namespaces(libc::EPERM)) && check(namespaces(libc::ENOSYS)));
        assert!(!check(namespaces(libc::ENOMEM)) && !check(namespaces(libc::EAGAIN)));
        assert!(!check(ConfineError::Landlock("Too many open files".to_owned())));
        assert!(!check(ConfineError::Seccomp("Cannot allocate memory".to_owned())));
    }
}
