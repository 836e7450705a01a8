//! The kernel's resource limits of each process (getrlimit(2)).

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::confinement::{ConfineError, ResourceLimits};

/// The number of threads that the user may have for each allowed process, in addition to those that exist now. A second
/// limit after the supervisor's count, high enough for compilers that start a thread per processor.
const THREADS_PER_PROCESS: u64 = 20;

/// The niceness of a program (nice(2)), so that other processes, such as the supervisor that counts, have priority.
const NICE: i32 = 5;

/// Limits this process and everything it starts.
pub(super) fn set(limits: &ResourceLimits) -> Result<(), ConfineError> {
    let table = [
        ("memory", Resource::As, limits.memory),
        ("the size of files", Resource::Fsize, limits.file_size),
        ("processor time", Resource::Cpu, limits.cpu_seconds),
        // A core dump would leave everything that the program has read in the workspace.
        ("core dumps", Resource::Core, Some(0)),
        // The kernel counts all threads of the user, and does not restrict root.
        ("threads", Resource::Nproc, threads().map(|now| now + u64::from(limits.processes) * THREADS_PER_PROCESS)),
    ];
    // Failing to lower the priority is harmless.
    rustix::process::nice(NICE).ok();
    for (resource_name, resource, limit) in table {
        let Some(limit) = limit else { continue };
        // Only root may raise a limit that was set before.
        let limit = getrlimit(resource).maximum.map_or(limit, |maximum| maximum.min(limit));
        setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) })
            .map_err(|error| ConfineError::Limit { resource_name, source: error.into() })?;
    }
    Ok(())
}

/// Returns the number of threads on the whole machine, an upper bound of the user's (`proc_loadavg(5)`).
fn threads() -> Option<u64> {
    let loads = std::fs::read("/proc/loadavg").ok()?;
    let loads = String::from_utf8_lossy(&loads);
    loads.split_ascii_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}
