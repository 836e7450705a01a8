//! The protocol between a supervisor and its owner, and signals to processes.

use std::time::Duration;

use rustix::process::Pid;

/// The first argument with which a supervisor is started; `main` hands over to [`super::supervise`] when it sees it.
pub const SUPERVISOR_ARGUMENT: &str = "__child";

/// How long a program may take to end after SIGTERM, or after its owner has gone, before it is killed. Servers write
/// nothing of value when they end; one that is still busy then would not stop soon either.
pub(crate) const TERMINATION_GRACE: Duration = Duration::from_millis(300);

pub(super) fn pid_of(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// A process that has ended meanwhile needs no signal.
pub(super) fn ignore_missing_process(result: rustix::io::Result<()>) {
    if let Err(error) = result
        && error != rustix::io::Errno::SRCH
    {
        tracing::debug!(%error, "cannot signal a child");
    }
}
