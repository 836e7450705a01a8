//! The process between zubi and a program it runs: ensures that no process survives zubi.
//!
//! The supervisor inherits the three pipes, passes them on unchanged and does not read or write a byte itself. It
//! watches two things. One is the program. The other is its own copy of the error pipe: the kernel reports an error on
//! the writing end when no process has the reading end open any more, which is when zubi has died, by whatever means.
//! (The supervisor retains no copy of the input and the output, so that each side notices when the other closes them.)
//! As a *child subreaper* (prctl(2), Linux), it becomes the parent of every process the program leaves behind, so it
//! finds and kills those too.
//!
//! If the program is confined (`confine`), the supervisor itself is not: it starts this executable once more, which
//! confines itself and becomes the program. The supervisor only counts ([`ProcessCounter`]): a program that creates
//! more processes than allowed is stopped with all of its processes at once, and killed.
//!
//! The supervisor runs before anything else in `main`, on plain threads, so it costs one to two megabytes.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::confine::confinement::{CONFINE, Confinement};
use super::confine::stage;
use super::count::ProcessCounter;
use super::signal::{TERMINATION_GRACE, ignore_missing_process, pid_of};
use super::tree::descendants_with_groups;

/// Exit codes for a program that cannot be started, as shells give them.
const CANNOT_EXECUTE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// The number of kill rounds while descendants continue to appear, and the time that each round waits for them to end.
const KILL_ROUNDS: usize = 250;
const KILL_ROUND: Duration = Duration::from_millis(20);

/// The number of rounds that stop running processes before the remaining ones are killed while running.
const FREEZE_ROUNDS: usize = 100;

/// Exit code of a program that was killed, as shells give it: 128 + SIGKILL.
const KILLED: u8 = 137;

/// An event that a supervisor reacts to.
#[derive(Debug)]
enum SupervisorEvent {
    /// The program has ended, with this exit code.
    Ended(u8),
    /// No child is left, neither the program nor anything it left behind.
    NoChildLeft,
    /// The reader of the error output is gone.
    OwnerExited,
    /// A signal requests the end (SIGTERM, SIGINT, SIGHUP).
    Terminate,
}

/// The `main` of `<executable> __child … -- program args…`; `args` is what follows `__child`. Returns the program's
/// exit code, or 128 + signal.
pub fn supervise(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    close_inherited();
    let mut args = args.into_iter().peekable();
    if args.next_if(|arg| arg == stage::PROBE).is_some() {
        return stage::probe();
    }
    if args.next_if(|arg| arg == stage::APPLY).is_some() {
        return stage::apply(args);
    }
    let confinement = match args.next_if(|arg| arg == CONFINE) {
        None => None,
        Some(_) => match Confinement::from_argument(args.next()) {
            Ok(confinement) => Some(confinement),
            Err(error) => {
                report_error(&format!("cannot confine the program, so it was not started: {error}"));
                return ExitCode::from(stage::CANNOT_CONFINE);
            }
        },
    };
    let mut args = args.skip_while(|arg| arg == "--");
    let Some(program) = args.next() else {
        report_error("no program was named");
        return ExitCode::from(CANNOT_EXECUTE);
    };
    match run(&program, args, confinement.as_ref()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => start_failure(&program, &error),
    }
}

/// Closes all files that zubi inherited from its parent process, except the standard streams: an open file is
/// accessible to a program in a sandbox too, wherever it is in the file system.
fn close_inherited() {
    #[cfg(target_os = "linux")]
    if let Ok(entries) = std::fs::read_dir("/proc/self/fd") {
        let number = |entry: io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse::<i32>().ok();
        let open: Vec<i32> = entries.filter_map(number).filter(|number| *number > 2).collect();
        for number in open {
            // The list itself was one of them and is closed already.
            nix::unistd::close(number).ok();
        }
    }
}

/// Reports that a program could not be started, as shells do.
pub(super) fn start_failure(program: &OsString, error: &io::Error) -> ExitCode {
    report_error(&format!("cannot start `{}`: {error}", program.to_string_lossy()));
    ExitCode::from(if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { CANNOT_EXECUTE })
}

pub(super) fn report_error(message: &str) {
    // There is nowhere else to report that standard error is closed.
    drop(writeln!(io::stderr(), "zubi: {message}"));
}

fn run(program: &OsString, args: impl Iterator<Item = OsString>, confinement: Option<&Confinement>) -> io::Result<u8> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // Before the program runs, so that no signal finds the default action, which would orphan it.
    let signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let child = match confinement {
        None => start(program, args)?,
        Some(confinement) => {
            let executable = std::env::current_exe()?;
            let executable = executable.to_str().ok_or_else(|| io::Error::other("the path of zubi is not UTF-8"))?;
            let (first, words) = confinement.command(executable, program.clone(), args)?;
            start(&first, words.into_iter())?
        }
    };
    let Some(pid) = pid_of(child.id()) else { return Err(io::Error::other("it has no process id")) };
    // The program alone holds its input and its output now, so that zubi notices when the program closes them.
    let nothing = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;

    let (sender, events) = mpsc::channel();
    watch_children(pid, sender.clone());
    watch_owner(sender.clone());
    watch_signals(signals, sender);
    let population = confinement.map(|confinement| ProcessCounter::new(confinement.limits.processes));
    let code = wait_for_end(pid, &events, population);
    kill_leftovers(&events);
    Ok(code)
}

#[expect(clippy::disallowed_methods, reason = "the supervisor's half of the one place that starts processes")]
fn start(program: &OsString, args: impl Iterator<Item = OsString>) -> io::Result<std::process::Child> {
    let mut command = std::process::Command::new(program);
    // A group of its own, so that it can be signalled without the supervisor.
    std::os::unix::process::CommandExt::process_group(command.args(args), 0);
    command.spawn()
}

/// Reaps all children: the program and the processes that it left behind.
fn watch_children(program: Pid, events: Sender<SupervisorEvent>) {
    thread::spawn(move || {
        loop {
            match rustix::process::wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) if pid == program => {
                    drop(events.send(SupervisorEvent::Ended(exit_code(status))));
                }
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                // ECHILD: no child is left.
                Err(_) => {
                    drop(events.send(SupervisorEvent::NoChildLeft));
                    return;
                }
            }
        }
    });
}

fn exit_code(status: WaitStatus) -> u8 {
    let code = status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

fn watch_owner(events: Sender<SupervisorEvent>) {
    thread::spawn(move || {
        let stderr = io::stderr();
        loop {
            // No events are requested: errors and hang-ups are always reported. On a file or a terminal they never
            // come, and the owner is then the process that waits for this one.
            let mut watched = [PollFd::new(&stderr, PollFlags::empty())];
            let outcome = poll(&mut watched, None);
            let [watched] = watched;
            match outcome {
                Ok(_) if watched.revents().intersects(PollFlags::ERR | PollFlags::HUP) => {
                    drop(events.send(SupervisorEvent::OwnerExited));
                    return;
                }
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) | Err(_) => return,
            }
        }
    });
}

fn watch_signals(mut signals: Signals, events: Sender<SupervisorEvent>) {
    thread::spawn(move || {
        for _ in signals.forever() {
            drop(events.send(SupervisorEvent::Terminate));
        }
    });
}

/// Waits until the program has ended. Ends it when the owner is gone, when a signal requests it, or when it has more
/// processes than allowed.
fn wait_for_end(program: Pid, events: &Receiver<SupervisorEvent>, mut population: Option<ProcessCounter>) -> u8 {
    let mut deadline: Option<Instant> = None;
    loop {
        let remaining = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let tick = population.as_ref().map(|_| ProcessCounter::TICK);
        let event = match remaining.into_iter().chain(tick).min() {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(remaining) => events.recv_timeout(remaining),
        };
        match event {
            Ok(SupervisorEvent::Ended(code)) => return code,
            // Its input has ended with the owner: time to notice that.
            Ok(SupervisorEvent::OwnerExited) => {
                deadline.get_or_insert(Instant::now() + TERMINATION_GRACE);
            }
            Ok(SupervisorEvent::Terminate) => {
                ignore_missing_process(rustix::process::kill_process_group(program, Signal::TERM));
                deadline.get_or_insert(Instant::now() + TERMINATION_GRACE);
            }
            Err(RecvTimeoutError::Timeout) if deadline.is_some_and(|deadline| deadline <= Instant::now()) => {
                ignore_missing_process(rustix::process::kill_process_group(program, Signal::KILL));
                // Nothing survives SIGKILL; the reaper reports it.
                deadline = None;
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Some(limit) = population.as_mut().and_then(ProcessCounter::exceeded_limit) {
                    // First of all, because most of its processes are in the program's own group.
                    ignore_missing_process(rustix::process::kill_process_group(program, Signal::KILL));
                    freeze();
                    report_error(&format!("ended the program: it had more than {limit} processes at once"));
                    return KILLED;
                }
            }
            Ok(SupervisorEvent::NoChildLeft) | Err(RecvTimeoutError::Disconnected) => return u8::MAX,
        }
    }
}

/// Kills all processes that the program left behind, including those outside its process group, until none is left.
/// Repeated because processes may start others while they are being killed, and become children of the supervisor only
/// when their parent dies.
fn kill_leftovers(events: &Receiver<SupervisorEvent>) {
    for _ in 0..KILL_ROUNDS {
        for pid in freeze().into_iter().filter_map(pid_of) {
            ignore_missing_process(rustix::process::kill_process(pid, Signal::KILL));
        }
        let end = Instant::now() + KILL_ROUND;
        loop {
            match events.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(SupervisorEvent::NoChildLeft) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
    }
}

/// Stops all processes that the program has started and returns their ids. A stopped process starts no others, so that
/// killing catches up even with a program that does nothing but start others.
///
/// Whole groups are stopped at once, which the kernel does in one step that no fork escapes. Stopping processes one by
/// one loses against a fork bomb: while its processes are listed their parents end, so that the scan misses some.
fn freeze() -> Vec<u32> {
    let mut stopped = FxHashSet::default();
    for _ in 0..FREEZE_ROUNDS {
        let running: Vec<_> =
            descendants_with_groups(std::process::id()).into_iter().filter(|(pid, _)| !stopped.contains(pid)).collect();
        if running.is_empty() {
            break;
        }
        signal_groups(&running, Signal::STOP);
        for (pid, _) in running {
            if let Some(pid) = pid_of(pid) {
                ignore_missing_process(rustix::process::kill_process(pid, Signal::STOP));
            }
            stopped.insert(pid);
        }
    }
    stopped.into_iter().collect()
}

/// Signals every process group of these descendants, also a group whose first process has ended, but not the
/// supervisor's own group.
fn signal_groups(family: &[(u32, u32)], signal: Signal) {
    let own_group = rustix::process::getpgrp().as_raw_nonzero().get().unsigned_abs();
    let groups: FxHashSet<u32> = family.iter().map(|(_, group)| *group).filter(|group| *group != own_group).collect();
    let mut groups: Vec<u32> = groups.into_iter().collect();
    groups.sort_unstable();
    for group in groups.into_iter().filter_map(pid_of) {
        ignore_missing_process(rustix::process::kill_process_group(group, signal));
    }
}
