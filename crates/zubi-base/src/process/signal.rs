//! The protocol between a supervisor and its owner, and signals to processes.

use std::time::Duration;

use rustix::process::Pid;

/// The first argument of a supervisor. `main` calls [`super::supervise`] if it finds this argument.
pub const SUPERVISOR_ARGUMENT: &str = "__child";

/// The time between SIGTERM, or the end of the owner, and SIGKILL. Servers write nothing of value when they end, and
/// one that is still busy then would not stop soon either.
pub(crate) const TERMINATION_GRACE: Duration = Duration::from_millis(300);

pub(super) fn pid_of(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// Ignores the error of a signal to a process that has already ended.
pub(super) fn ignore_missing_process(result: rustix::io::Result<()>) {
    if let Err(error) = result
        && error != rustix::io::Errno::SRCH
    {
        tracing::debug!(%error, "cannot signal a child");
    }
}
