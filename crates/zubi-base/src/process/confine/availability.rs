//! Probes which sandbox backends are available on this machine.

use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::confinement::{Confinement, Network, SandboxBackends};
use super::stage::PROBE;
use super::{landlock, seccomp};
use crate::process::child::{CommandSpec, Spawner};
use crate::process::signal::SUPERVISOR_ARGUMENT;

/// A backend's property, or the reason why the backend is not available.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Availability<T> {
    Has(T),
    /// The reason, as one clause.
    Lacks(String),
}

/// The sandbox capabilities of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// The version of the kernel's Landlock ABI.
    pub landlock: Availability<u32>,
    pub seccomp: Availability<()>,
    /// The path of `bwrap`.
    pub bubblewrap: Availability<Utf8PathBuf>,
}

/// The result of a probing process that restricted itself.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ProbeResult {
    landlock: Availability<u32>,
    seccomp: Availability<()>,
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
    let landlock = match landlock::restrict_to(ALLOWED) {
        Ok(_) if std::fs::read_dir(FORBIDDEN).is_ok() => {
            Availability::Lacks("it is there and holds nothing".to_owned())
        }
        Ok(abi) => Availability::Has(abi),
        Err(error) => Availability::Lacks(error.to_string()),
    };
    let seccomp = match seccomp::restrict(Network::None) {
        Ok(()) if std::net::UdpSocket::bind("127.0.0.1:0").is_ok() => {
            Availability::Lacks("it is there and holds nothing".to_owned())
        }
        Ok(()) => Availability::Has(()),
        Err(error) => Availability::Lacks(error.to_string()),
    };
    ProbeResult { landlock, seccomp, pid: std::process::id() }
}

impl Spawner {
    /// Probes the sandbox capabilities of this machine with children that confine themselves. `bwrap` is the program's
    /// path, if it exists. Fails if no such child can be started, so that confinement is impossible.
    pub async fn probe_capabilities(&self, bwrap: Option<&Utf8Path>) -> io::Result<Capabilities> {
        let Some(executable) = self.executable() else {
            return Err(io::Error::other("children without a supervisor cannot be confined"));
        };
        let spec = CommandSpec::new(executable, "/").args([SUPERVISOR_ARGUMENT, PROBE]);
        let found = self.probe(&spec).await?;
        let bubblewrap = match bwrap {
            None => Availability::Lacks("no `bwrap` on PATH".to_owned()),
            Some(bwrap) => self.try_bubblewrap(bwrap, &spec).await,
        };
        Ok(Capabilities { landlock: found.landlock, seccomp: found.seccomp, bubblewrap })
    }

    async fn probe(&self, spec: &CommandSpec) -> io::Result<ProbeResult> {
        let output = self.output(spec, MAX_ANSWER, PROBE_TIMEOUT).await?;
        serde_json::from_slice(&output.stdout).map_err(|_| {
            let complaint = String::from_utf8_lossy(&output.stderr);
            let line = complaint.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
            io::Error::other(line.chars().take(300).collect::<String>())
        })
    }

    async fn try_bubblewrap(&self, bwrap: &Utf8Path, spec: &CommandSpec) -> Availability<Utf8PathBuf> {
        let backends = SandboxBackends { bubblewrap: Some(bwrap.to_owned()), ..SandboxBackends::default() };
        let confinement = Confinement { backends, readable: vec!["/".into()], ..Confinement::default() };
        match self.probe(&spec.clone().with_confinement(confinement)).await {
            Ok(found) if found.pid > SMALL_PID => {
                Availability::Lacks("`bwrap` made no namespace of processes".to_owned())
            }
            Ok(_) => Availability::Has(bwrap.to_owned()),
            Err(error) => Availability::Lacks(format!("`bwrap` does not work here: {error}")),
        }
    }
}
