//! The process between zubi and its child program: ensures that no process survives zubi.
//!
//! The supervisor passes its three pipes on to the program and does not read or write a byte itself. It watches the
//! program and its own copy of the stderr pipe: the kernel reports an error on the writing end when no process has the
//! reading end open any more, which means that zubi has ended. (The supervisor closes its copies of stdin and stdout,
//! so that each side notices when the other closes them.) As a *child subreaper* (prctl(2), Linux), it becomes the
//! parent of every process that the program leaves behind, so it finds and kills those too.
//!
//! A supervisor does not confine itself: for a confined program (`confine`), it starts this executable again, which
//! confines itself and becomes the program. The supervisor only counts ([`ProcessCounter`]) and ends a program that
//! creates too many processes. A confined program is in a control group of its own ([`ControlGroup`]) if this user may
//! make one; the kernel then kills all of its processes in one step.
//!
//! A supervisor can start before its program is known (`standby`).
//!
//! The supervisor runs before anything else in `main`, on plain threads, so it costs one to two megabytes.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
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
use super::control_group::ControlGroup;
use super::count::ProcessCounter;
use super::signal::{SUPERVISOR_ARGUMENT, TERMINATION_GRACE, ignore_missing_process, pid_of};
use super::standby::{AssignedProgram, STANDBY, StandbyPipe};
use super::tree::ProcessList;

/// Exit codes for a program that cannot be started, as in shells.
const CANNOT_EXECUTE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// The maximum number of kill rounds while new descendants appear, and the time that each round waits for their end.
const KILL_ROUNDS: usize = 250;
const KILL_ROUND: Duration = Duration::from_millis(20);

/// The time for the report that the program has left nothing behind, which saves the search for it.
const REPORT: Duration = Duration::from_millis(2);

/// The number of rounds that stop running processes before the remaining ones are killed without stopping them.
const FREEZE_ROUNDS: usize = 100;

/// Exit code of a killed program, as in shells: 128 + SIGKILL.
const KILLED: u8 = 137;

/// An event that a supervisor handles.
#[derive(Debug)]
enum SupervisorEvent {
    /// The program has ended with this exit code.
    Ended(u8),
    /// No child remains, neither the program nor a process that it left behind.
    NoChildLeft,
    /// The reader of stderr has ended.
    OwnerExited,
    /// The owner has named the program of a waiting process.
    Assigned(Box<AssignedProgram>),
    /// A signal requests the end of the program (SIGTERM, SIGINT, SIGHUP).
    Terminate,
}

/// The `main` of `<executable> __child … -- program args…`; `args` are those after `__child`. Returns the program's
/// exit code, or 128 + signal.
pub fn supervise(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let assignments = stage::assignments(&args);
    close_inherited(assignments);
    let mut args = args.into_iter().peekable();
    if args.next_if(|arg| arg == stage::PROBE).is_some() {
        return stage::probe();
    }
    if args.next_if(|arg| arg == stage::APPLY).is_some() {
        return match assignments {
            Some(number) => stage::apply_assignment(number, args.nth(2)),
            None => stage::apply(args),
        };
    }
    let is_standby = args.peek().is_some_and(|arg| arg == STANDBY);
    let confinement = match args.next_if(|arg| arg == CONFINE || arg == STANDBY) {
        None => None,
        Some(_) => match Confinement::from_argument(args.next()) {
            Ok(confinement) => Some(confinement),
            Err(error) => {
                report_error(&format!("cannot confine the program, so it was not started: {error}"));
                return ExitCode::from(stage::CANNOT_CONFINE);
            }
        },
    };
    if is_standby {
        return match run_assignment(confinement.as_ref()) {
            Ok(code) => ExitCode::from(code),
            Err(error) => {
                report_error(&format!("cannot wait for a program: {error}"));
                ExitCode::from(CANNOT_EXECUTE)
            }
        };
    }
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

/// Closes all files that zubi inherited from its parent process, except the standard streams and this one: a sandboxed
/// program could access open files anywhere in the file system.
fn close_inherited(except: Option<i32>) {
    #[cfg(target_os = "linux")]
    if let Ok(entries) = std::fs::read_dir("/proc/self/fd") {
        let number = |entry: io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse::<i32>().ok();
        let open: Vec<i32> =
            entries.filter_map(number).filter(|number| *number > 2 && Some(*number) != except).collect();
        for number in open {
            // The descriptor of the directory listing is in the list, but already closed.
            nix::unistd::close(number).ok();
        }
    }
}

/// Reports that a program could not be started, with the exit code of shells.
pub(super) fn start_failure(program: &OsString, error: &io::Error) -> ExitCode {
    report_error(&format!("cannot start `{}`: {error}", program.to_string_lossy()));
    ExitCode::from(if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { CANNOT_EXECUTE })
}

pub(super) fn report_error(message: &str) {
    // An error can be ignored: there is no other output for it.
    drop(writeln!(io::stderr(), "zubi: {message}"));
}

/// Starts a program and waits for its end. Returns its exit code.
fn run(program: &OsString, args: impl Iterator<Item = OsString>, confinement: Option<&Confinement>) -> io::Result<u8> {
    let watch = Watch::new()?;
    let (child, group) = match confinement {
        None => (start(program, args)?, None),
        Some(confinement) => {
            let (first, words) = confinement.command(&own_executable()?, program.clone(), args)?;
            ControlGroup::start(|| start(&first, words.into_iter()))?
        }
    };
    let population = confinement.map(|confinement| ProcessCounter::new(confinement.limits.processes));
    watch.wait(&child, population, group.as_ref(), None)
}

/// Starts a process that waits for its program, which the owner names later, and waits for its end. Returns its exit
/// code.
fn run_assignment(confinement: Option<&Confinement>) -> io::Result<u8> {
    let confinement = confinement.cloned().unwrap_or_default();
    let watch = Watch::new()?;
    let (pipe, reader) = StandbyPipe::new()?;
    let number = reader.as_raw_fd().to_string();
    let words = [SUPERVISOR_ARGUMENT, stage::APPLY, STANDBY, &number, &confinement.to_argument()?].map(OsString::from);
    let executable = own_executable()?.into();
    let (child, group) = ControlGroup::start(|| start(&executable, words.into_iter()))?;
    drop(reader);
    watch.wait(&child, None, group.as_ref(), Some(pipe))
}

fn own_executable() -> io::Result<String> {
    let executable = std::env::current_exe()?;
    executable.into_os_string().into_string().map_err(|_| io::Error::other("the path of zubi is not UTF-8"))
}

/// The files and signals of a supervisor. They are opened and installed before the program starts: without the list of
/// processes, the supervisor could not find what it must end, and the default action of a signal would orphan the
/// program.
struct Watch {
    processes: ProcessList,
    nothing: File,
    signals: Signals,
}

impl Watch {
    fn new() -> io::Result<Self> {
        let processes = ProcessList::open()?;
        let nothing = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        Ok(Self { processes, nothing, signals: Signals::new([SIGTERM, SIGINT, SIGHUP])? })
    }

    /// Waits for the end of the program and of everything that it has started. `pipe` leads to a process that waits for
    /// its program.
    fn wait(
        self,
        child: &std::process::Child,
        population: Option<ProcessCounter>,
        group: Option<&ControlGroup>,
        pipe: Option<StandbyPipe>,
    ) -> io::Result<u8> {
        let Self { processes, nothing, signals } = self;
        let Some(pid) = pid_of(child.id()) else { return Err(io::Error::other("it has no process id")) };
        let (sender, events) = mpsc::channel();
        // From here on nothing may end this process before the program: an error ends the program, too.
        let ready = watch_children(pid, sender.clone())
            .and_then(|()| if pipe.is_some() { watch_input(sender.clone()) } else { Ok(()) })
            .and_then(|()| close_pipes(&nothing))
            .and_then(|()| watch_owner(sender.clone()))
            .and_then(|()| watch_signals(signals, sender));
        let code = match ready {
            Ok(()) => wait_for_end(pid, &events, population, &processes, group, pipe),
            Err(error) => {
                report_error(&format!("ended the program: it cannot be watched: {error}"));
                KILLED
            }
        };
        if !kill_leftovers(&events, &processes, group) {
            report_error("some of its processes have not ended, although they were killed");
        }
        Ok(code)
    }
}

/// Closes the supervisor's copies of stdin and stdout, so that zubi notices when the program closes them.
fn close_pipes(nothing: &File) -> io::Result<()> {
    rustix::stdio::dup2_stdin(nothing)?;
    Ok(rustix::stdio::dup2_stdout(nothing)?)
}

/// Runs a part of the supervisor's work beside the rest.
fn run_thread(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

#[expect(clippy::disallowed_methods, reason = "the supervisor's half of the one place that starts processes")]
fn start(program: &OsString, args: impl Iterator<Item = OsString>) -> io::Result<std::process::Child> {
    let mut command = std::process::Command::new(program);
    // A group of its own, so that a signal to it does not reach the supervisor.
    std::os::unix::process::CommandExt::process_group(command.args(args), 0);
    command.spawn()
}

/// Reaps all children: the program and its leftover processes.
fn watch_children(program: Pid, events: Sender<SupervisorEvent>) -> io::Result<()> {
    run_thread(move || {
        loop {
            match rustix::process::wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) if pid == program => {
                    drop(events.send(SupervisorEvent::Ended(exit_code(status))));
                }
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                // ECHILD: no child remains.
                Err(_) => {
                    drop(events.send(SupervisorEvent::NoChildLeft));
                    return;
                }
            }
        }
    })
}

fn exit_code(status: WaitStatus) -> u8 {
    let code = status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// Reads the assignment from the owner, and ends the waiting process if the input ends before. Reads from a copy of stdin, which
/// is closed then: the rest of the pipe is the program's input.
fn watch_input(events: Sender<SupervisorEvent>) -> io::Result<()> {
    let mut input = File::from(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?);
    run_thread(move || {
        let event = match AssignedProgram::read_from(&mut input) {
            Ok(assignment) => SupervisorEvent::Assigned(Box::new(assignment)),
            Err(_) => SupervisorEvent::Terminate,
        };
        drop(input);
        drop(events.send(event));
    })
}

fn watch_owner(events: Sender<SupervisorEvent>) -> io::Result<()> {
    run_thread(move || {
        let stderr = io::stderr();
        loop {
            // Requests no events, because errors and hang-ups are always reported. A file or a terminal never reports
            // them; the owner is then the process that waits for this one.
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
    })
}

fn watch_signals(mut signals: Signals, events: Sender<SupervisorEvent>) -> io::Result<()> {
    run_thread(move || {
        for _ in signals.forever() {
            drop(events.send(SupervisorEvent::Terminate));
        }
    })
}

/// Waits until the program has ended. Ends it if the owner has ended, a signal requests it, or it has too many
/// processes.
fn wait_for_end(
    program: Pid,
    events: &Receiver<SupervisorEvent>,
    mut population: Option<ProcessCounter>,
    processes: &ProcessList,
    group: Option<&ControlGroup>,
    mut pipe: Option<StandbyPipe>,
) -> u8 {
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
            Ok(SupervisorEvent::Assigned(assignment)) => {
                // Counts before the program exists.
                population = Some(ProcessCounter::new(assignment.confinement.limits.processes));
                if let Some(pipe) = pipe.take() {
                    pipe.pass(&assignment);
                }
            }
            // The program's input has ended with the owner, so it gets time to react.
            Ok(SupervisorEvent::OwnerExited) => {
                deadline.get_or_insert(Instant::now() + TERMINATION_GRACE);
            }
            Ok(SupervisorEvent::Terminate) => {
                ignore_missing_process(rustix::process::kill_process_group(program, Signal::TERM));
                deadline.get_or_insert(Instant::now() + TERMINATION_GRACE);
            }
            Err(RecvTimeoutError::Timeout) if deadline.is_some_and(|deadline| deadline <= Instant::now()) => {
                ignore_missing_process(rustix::process::kill_process_group(program, Signal::KILL));
                // SIGKILL always succeeds; the reaper reports the end.
                deadline = None;
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Some(reason) = population.as_mut().and_then(|population| population.violation(processes)) {
                    // The program's own group first, because it contains most of its processes.
                    ignore_missing_process(rustix::process::kill_process_group(program, Signal::KILL));
                    if !kill_group(group) {
                        freeze(processes);
                    }
                    report_error(&format!("ended the program: {reason}"));
                    return KILLED;
                }
            }
            Ok(SupervisorEvent::NoChildLeft) | Err(RecvTimeoutError::Disconnected) => return u8::MAX,
        }
    }
}

/// Kills all processes that the program left behind, including those outside its process group, until none remains.
/// Repeats, because they may start others meanwhile, and become the supervisor's children only when their parent ends.
/// Returns whether none remains.
///
/// If the program has a control group, the kernel kills all of them at once. The rounds follow in any case: they wait
/// for the end, and find what an unconfined program has moved out of the group.
fn kill_leftovers(events: &Receiver<SupervisorEvent>, processes: &ProcessList, group: Option<&ControlGroup>) -> bool {
    if let Ok(SupervisorEvent::NoChildLeft) | Err(RecvTimeoutError::Disconnected) = events.recv_timeout(REPORT) {
        return true;
    }
    for round in 0..KILL_ROUNDS {
        let is_killed = round == 0 && kill_group(group);
        if !is_killed {
            // The children in any case: descendants that cannot be listed become children when their parents end.
            for pid in freeze(processes).into_iter().chain(processes.children()).filter_map(pid_of) {
                ignore_missing_process(rustix::process::kill_process(pid, Signal::KILL));
            }
        }
        let end = Instant::now() + KILL_ROUND;
        loop {
            match events.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(SupervisorEvent::NoChildLeft) | Err(RecvTimeoutError::Disconnected) => return true,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
    }
    false
}

/// Kills all processes of the program's control group. Returns whether the kernel has done so.
fn kill_group(group: Option<&ControlGroup>) -> bool {
    group.is_some_and(|group| group.kill().is_ok())
}

/// Stops all processes that the program has started and returns their ids. A stopped process starts no others, so this
/// catches up even with a program that only starts others.
///
/// Stops whole groups, because the kernel does so in one step that no fork escapes. Stopping single processes fails
/// against a fork bomb: parents end during the scan, so that it misses their children.
fn freeze(processes: &ProcessList) -> Vec<u32> {
    let mut stopped = FxHashSet::default();
    for _ in 0..FREEZE_ROUNDS {
        let Ok(family) = processes.descendants_with_groups(std::process::id()) else { break };
        let running: Vec<_> = family.into_iter().filter(|(pid, _)| !stopped.contains(pid)).collect();
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

/// Signals all process groups of these descendants, including groups whose leader has ended, except the supervisor's
/// own.
fn signal_groups(family: &[(u32, u32)], signal: Signal) {
    let own_group = rustix::process::getpgrp().as_raw_nonzero().get().unsigned_abs();
    let groups: FxHashSet<u32> = family.iter().map(|(_, group)| *group).filter(|group| *group != own_group).collect();
    let mut groups: Vec<u32> = groups.into_iter().collect();
    groups.sort_unstable();
    for group in groups.into_iter().filter_map(pid_of) {
        ignore_missing_process(rustix::process::kill_process_group(group, signal));
    }
}
