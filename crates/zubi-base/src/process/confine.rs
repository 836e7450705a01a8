//! Restrictions of a child: the files, the network, the number of processes and the share of the machine that it may
//! use.
//!
//! A [`Confinement`] is plain data and names exactly the [`SandboxBackends`] that enforce it; its creator chooses them
//! from those that [`super::Spawner::probe_capabilities`] reports. The supervisor starts the program through this
//! executable again (`__child --apply`), which confines *itself* and then becomes the program with `exec`: Landlock
//! domains, seccomp filters, `no_new_privs` and resource limits all survive `exec`, so no `unsafe` code runs between
//! fork and exec. Inside bubblewrap's namespaces the step is the same. If a requested backend is not available, the
//! program does not start (exit code [`CANNOT_CONFINE`]); zubi never silently omits a backend.
//!
//! The step can begin before the program is known (`standby`): this process then makes most rules of Landlock, and
//! compares them with the present files and with the program's own confinement before it applies them.
//!
//! Landlock has limits that affect all of these modules. It only accepts allowed paths, so "all except these" is
//! expanded to the siblings of the excluded paths (`paths`). In such a directory a program can list names, but cannot
//! read the excluded contents or create anything. Until ABI 9, a program can connect to any socket in the file system,
//! so seccomp denies `AF_UNIX` sockets unless the network is [`Network::All`]. Landlock does not restrict permissions,
//! owners and times of files (chmod(2), chown(2), utimensat(2)), so seccomp denies extended attributes. Landlock does
//! not know System V IPC either, and can open `/dev/shm` only as a whole: a program gets its own ones (`ipc`), or none.

mod availability;
mod bubblewrap;
mod capabilities;
pub(super) mod confinement;
mod ipc;
mod landlock;
mod level;
mod limits;
mod paths;
mod seccomp;
pub(super) mod stage;

pub use availability::{Availability, Capabilities};
pub use confinement::{ConfineError, Confinement, MAX_PROCESSES, Network, ResourceLimits, SandboxBackends};
pub use level::Level;
pub use stage::{CANNOT_CONFINE, lock_down};

#[cfg(test)]
mod tests;
