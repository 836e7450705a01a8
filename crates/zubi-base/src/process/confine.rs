//! Restrictions of a child: the files it sees, the network, the number of processes and the share of the machine it may
//! use.
//!
//! A [`Confinement`] is plain data and names exactly the [`SandboxBackends`] that enforce it; its creator chooses them
//! from those that [`super::Spawner::probe_capabilities`] reports. The supervisor starts the program through this very
//! executable once more (`__child --apply`), which confines *itself* and then becomes the program with `exec`: Landlock domains,
//! seccomp filters, `no_new_privs` and resource limits all outlive `exec`, so no `unsafe` code runs between fork and
//! exec, and inside bubblewrap's namespaces the step is the same. If a requested backend is not available, the program
//! does not start (exit code [`CANNOT_CONFINE`]); a backend is never silently omitted.
//!
//! Landlock has limits that affect all of these modules. It takes a list of allowed paths, so "all but these" is
//! expanded to the neighbours of the excluded paths (`paths`); names in such a directory can be listed, contents cannot
//! be read, and nothing can be created directly in it. A program can connect to a socket in the file system whatever
//! the rules are (until ABI 9), hence seccomp denies `AF_UNIX` sockets unless the network is [`Network::All`]. Landlock
//! does not restrict permissions, owners and times of files (chmod(2), chown(2), utimensat(2)) at all.

mod availability;
mod bubblewrap;
mod capabilities;
pub(super) mod confinement;
mod landlock;
mod limits;
mod paths;
mod seccomp;
pub(super) mod stage;

pub use availability::{Availability, Capabilities};
pub use confinement::{ConfineError, Confinement, MAX_PROCESSES, Network, ResourceLimits, SandboxBackends};
pub use stage::{CANNOT_CONFINE, lock_down};

#[cfg(test)]
mod tests;
