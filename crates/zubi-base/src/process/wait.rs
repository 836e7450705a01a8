//! Waits for the end of a process that is not a child of this one.

use std::io;

/// Waits until a process has ended; returns at once if no process has this id. Blocks the thread.
///
/// # Errors
///
/// If the system does not support it: on systems other than Linux, or on a Linux older than 5.3.
#[cfg(target_os = "linux")]
pub fn wait(pid: u32) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    use rustix::process::{PidfdFlags, pidfd_open};

    let Some(pid) = super::signal::pid_of(pid) else { return Ok(()) };
    let process = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => process,
        Err(Errno::SRCH) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    loop {
        match poll(&mut [PollFd::new(&process, PollFlags::IN)], None) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(()),
        }
    }
}

/// Waits until a process has ended.
///
/// # Errors
///
/// Always: this system has no way to wait for a process that is not a child.
#[cfg(not(target_os = "linux"))]
pub fn wait(_pid: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
