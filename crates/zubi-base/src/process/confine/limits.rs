//! Limits of the kernel on each process (getrlimit(2)).

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::confinement::{ConfineError, ResourceLimits};

/// For each process that a program may have, so many threads of its user's may there be beside those there are now. A
/// second fence (the first is the supervisor's count), far enough away for compilers with a thread for each processor.
const THREADS_PER_PROCESS: u64 = 20;

/// How much a program yields to others, the supervisor that counts its processes among them (nice(2)).
const NICE: i32 = 5;

/// Limits this process and everything it starts.
pub(super) fn set(limits: &ResourceLimits) -> Result<(), ConfineError> {
    let table = [
        ("memory", Resource::As, limits.memory),
        ("the size of files", Resource::Fsize, limits.file_size),
        ("processor time", Resource::Cpu, limits.cpu_seconds),
        // A dump would have everything in it that the program has read, and lie about in the workspace.
        ("core dumps", Resource::Core, Some(0)),
        // Counts all threads of a user, and does not bind root.
        ("threads", Resource::Nproc, threads().map(|now| now + u64::from(limits.processes) * THREADS_PER_PROCESS)),
    ];
    // If the process may not lower its own priority, it runs as before.
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

/// How many threads the whole machine has now: more than the user's (`proc_loadavg(5)`).
fn threads() -> Option<u64> {
    let loads = std::fs::read("/proc/loadavg").ok()?;
    let loads = String::from_utf8_lossy(&loads);
    loads.split_ascii_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}
