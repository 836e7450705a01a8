//! The descendants of this process, and waiting for their end.
//!
//! A test first makes itself the reaper of its descendants, so that a process whose parent is killed stays among them
//! instead of moving to the machine's init.

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, set_child_subreaper};

/// One running process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: i32,
    pub parent: i32,
    /// The command line, arguments joined by blanks.
    pub command: String,
}

/// Adopts orphaned descendants into this process.
pub fn adopt_orphans() {
    set_child_subreaper(Some(getpid())).expect("the kernel has subreapers");
}

/// Every living descendant of this process.
pub fn descendants() -> Vec<Process> {
    descendants_of(getpid().as_raw_nonzero().get())
}

/// Every living descendant of a process.
pub fn descendants_of(ancestor: i32) -> Vec<Process> {
    let all = all_processes();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![ancestor];
    while let Some(parent) = parents.pop() {
        for (process, ended) in all.iter().filter(|(process, _)| process.parent == parent) {
            // A process that has ended may still be the parent of others.
            parents.push(process.pid);
            if !ended {
                found.push(process.clone());
            }
        }
    }
    found
}

/// Living descendants whose command line contains a text.
pub fn find_by_command(text: &str) -> Vec<Process> {
    descendants().into_iter().filter(|process| process.command.contains(text)).collect()
}

/// Kills a process.
pub fn kill(process: &Process) {
    // The process may have ended meanwhile.
    if let Some(pid) = Pid::from_raw(process.pid) {
        kill_process(pid, Signal::KILL).ok();
    }
}

/// Handles of processes, opened while they live, to wait for their end without polling.
#[derive(Debug)]
pub struct WatchedProcesses(Vec<(Process, OwnedFd)>);

/// Opens handles of processes; omits those that have already ended.
pub fn watch(processes: Vec<Process>) -> WatchedProcesses {
    let handle = |process: &Process| pidfd_open(Pid::from_raw(process.pid)?, PidfdFlags::empty()).ok();
    WatchedProcesses(processes.into_iter().filter_map(|process| handle(&process).map(|fd| (process, fd))).collect())
}

impl WatchedProcesses {
    /// Waits at most this long until all have ended. Returns the elapsed time, or the processes that still run.
    pub fn ended_within(&self, limit: Duration) -> Result<Duration, Vec<Process>> {
        let start = Instant::now();
        let remaining: Vec<Process> = self
            .0
            .iter()
            .filter(|(_, handle)| !ends_within(handle, limit.saturating_sub(start.elapsed())))
            .map(|(process, _)| process.clone())
            .collect();
        if remaining.is_empty() { Ok(start.elapsed()) } else { Err(remaining) }
    }
}

/// Waits for one process, whose handle becomes readable when it ends.
fn ends_within(handle: &OwnedFd, limit: Duration) -> bool {
    let start = Instant::now();
    loop {
        let remaining = Timespec::try_from(limit.saturating_sub(start.elapsed())).expect("a short time");
        match poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&remaining)) {
            Ok(ready) => return ready > 0,
            // The end of another child interrupted the wait; the awaited process may still run.
            Err(Errno::INTR) => {}
            Err(error) => panic!("poll: {error}"),
        }
    }
}

/// Waits until no descendant of this process is left, including new ones. Returns the elapsed time, or the processes
/// that still run.
pub fn nothing_left_within(limit: Duration) -> Result<Duration, Vec<Process>> {
    nothing_left_except(&[], limit)
}

/// Waits in the same way, but ignores these processes of the test, which must have no children.
pub fn nothing_left_except(others: &[u32], limit: Duration) -> Result<Duration, Vec<Process>> {
    let start = Instant::now();
    let descendants = || {
        let mut all = descendants();
        all.retain(|process| !others.contains(&process.pid.unsigned_abs()));
        all
    };
    loop {
        let mut remaining = descendants();
        if remaining.is_empty() {
            // Children of an ending process change their parent, so one reading can miss them; the next does not.
            remaining = descendants();
        }
        if remaining.is_empty() {
            return Ok(start.elapsed());
        }
        watch(remaining).ended_within(limit.saturating_sub(start.elapsed()))?;
    }
}

/// The resident memory of a process in bytes, as the kernel counts it now.
pub fn resident_bytes(pid: u32) -> Option<u64> {
    memory(pid, "VmRSS:")
}

/// The peak resident memory of a process, in bytes.
pub fn peak_bytes(pid: u32) -> Option<u64> {
    memory(pid, "VmHWM:")
}

fn memory(pid: u32, field: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

fn all_processes() -> Vec<(Process, bool)> {
    let entries = std::fs::read_dir("/proc").expect("/proc");
    entries.flatten().filter_map(|entry| read_process(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// Reads a process, and whether it is a zombie that waits for its parent.
fn read_process(pid: i32) -> Option<(Process, bool)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses, which may contain any character.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let (state, parent) = (fields.next()?, fields.next()?.parse().ok()?);
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).replace('\0', " ").trim_end().to_owned();
    Some((Process { pid, parent, command }, matches!(state, "Z" | "X")))
}
