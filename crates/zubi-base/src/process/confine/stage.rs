//! The step between supervisor and program: a process that confines itself and then becomes the program.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use super::confinement::{ConfineError, Confinement, SandboxBackends};
use super::landlock::ReadableRules;
use super::{availability, bubblewrap, capabilities, ipc, landlock, limits, seccomp};
use crate::process::signal::SUPERVISOR_ARGUMENT;
use crate::process::standby::{self, AssignedProgram, STANDBY};
use crate::process::supervisor::{report_error, start_failure};

/// The argument that selects this step; then follow a [`Confinement`] as JSON, `--`, the program and its arguments.
pub(in crate::process) const APPLY: &str = "--apply";

/// The argument that makes a process probe the backends and print [`super::availability::ProbeResult`] as JSON.
pub(in crate::process) const PROBE: &str = "--probe";

/// The exit code of a program that was not started because it could not be confined. A line on stderr that begins with
/// `zubi: cannot confine` has the reason. `env`, `timeout` and `docker run` use 125 for their own errors too.
pub const CANNOT_CONFINE: u8 = 125;

/// Confines this process and becomes the program. Returns only on an error.
pub(in crate::process) fn apply(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let confinement = match Confinement::from_argument(args.next()) {
        Ok(confinement) => confinement,
        Err(error) => return refuse(&error),
    };
    let mut args = args.skip_while(|arg| arg == "--");
    let Some(program) = args.next() else {
        return refuse(&ConfineError::Unreadable("no program was named".to_owned()));
    };
    let readable = confinement.backends.landlock.then(|| ReadableRules::new(&confinement)).transpose();
    if let Err(error) = readable.and_then(|readable| confine(&confinement, readable)) {
        return refuse(&error);
    }
    let error = become_program(&program, |command| command.args(args));
    start_failure(&program, &error)
}

/// Returns the number of the descriptor from which a process reads its assignment, if these are the arguments of one
/// that waits.
pub(in crate::process) fn assignments(args: &[OsString]) -> Option<i32> {
    match args {
        [apply, standby, number, ..] if apply == APPLY && standby == STANDBY => number.to_str()?.parse().ok(),
        _ => None,
    }
}

/// Prepares for a likely confinement, waits for the assignment, enforces its confinement and becomes its program.
/// Returns on an error, or if there is no assignment.
pub(in crate::process) fn apply_assignment(number: i32, confinement: Option<OsString>) -> ExitCode {
    let mut pipe = match standby::open_inherited(number) {
        Ok(pipe) => pipe,
        Err(error) => return refuse(&ConfineError::Unreadable(error.to_string())),
    };
    // An error is reported if it still occurs for the assignment.
    let likely = Confinement::from_argument(confinement).ok().filter(|likely| likely.backends.landlock);
    let prepared = likely.and_then(|likely| ReadableRules::new(&likely).ok());
    let Ok(assignment) = AssignedProgram::read_from(&mut pipe) else { return ExitCode::FAILURE };
    drop(pipe);
    let AssignedProgram { confinement, program, args, directory, environment } = assignment;
    let program = OsString::from(program.into_string());
    // The process could be unable to enter it later.
    if let Err(error) = std::env::set_current_dir(&directory) {
        return start_failure(&program, &error);
    }
    let new_or_prepared = || match prepared {
        Some(prepared) => prepared.with_changes(&confinement),
        None => ReadableRules::new(&confinement),
    };
    let readable = confinement.backends.landlock.then(new_or_prepared).transpose();
    if let Err(error) = readable.and_then(|readable| confine(&confinement, readable)) {
        return refuse(&error);
    }
    let error = become_program(&program, |command| command.args(args).env_clear().envs(environment));
    start_failure(&program, &error)
}

/// Applies the backends in an order that works: Landlock denies mounts and must still read directories, and seccomp comes
/// last. `readable` are the rules of Landlock, if it is a backend.
fn confine(confinement: &Confinement, readable: Option<ReadableRules>) -> Result<(), ConfineError> {
    if confinement.backends.private_ipc {
        ipc::separate()?;
    }
    if let Some(readable) = readable {
        landlock::restrict(confinement, readable)?;
    }
    limits::set(&confinement.limits)?;
    if confinement.backends.landlock || confinement.backends.seccomp {
        capabilities::drop_dangerous();
    }
    if confinement.backends.seccomp {
        seccomp::restrict(confinement.network, &confinement.backends)?;
    }
    Ok(())
}

/// Drops the permissions that a program needs only while it is loaded: this process can then no longer open files,
/// start programs or processes, or use the network, as far as these backends enforce it. Running threads are not
/// restricted, so call this before starting any. The program is zubi's own and was confined before; the step is
/// irreversible.
///
/// # Errors
/// If one of the backends is not available. The process must not continue then.
pub fn lock_down(backends: &SandboxBackends) -> Result<(), ConfineError> {
    if backends.landlock {
        landlock::lock_down()?;
    }
    if backends.seccomp {
        seccomp::lock_down()?;
    }
    Ok(())
}

/// Replaces this process by a program; returns only on an error.
#[expect(clippy::disallowed_methods, reason = "the confined half of the one place that starts processes")]
fn become_program(program: &OsString, complete: impl FnOnce(&mut Command) -> &mut Command) -> io::Error {
    complete(&mut Command::new(program)).exec()
}

fn refuse(error: &ConfineError) -> ExitCode {
    report_error(&format!("cannot confine the program, so it was not started: {error}"));
    ExitCode::from(CANNOT_CONFINE)
}

/// Probes the backends on this process and prints the result.
pub(in crate::process) fn probe() -> ExitCode {
    use std::io::Write as _;
    let found = serde_json::to_vec(&availability::try_all()).unwrap_or_default();
    match io::stdout().write_all(&found) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

impl Confinement {
    /// Returns the program and arguments of a command that confines itself and becomes `program`. `executable` is the
    /// one whose `main` calls [`crate::process::supervise`].
    pub(in crate::process) fn command(
        &self,
        executable: &str,
        program: OsString,
        args: impl Iterator<Item = OsString>,
    ) -> io::Result<(OsString, Vec<OsString>)> {
        let mut command: Vec<OsString> = match &self.backends.bubblewrap {
            Some(bwrap) => bubblewrap::command(bwrap, self),
            None => Vec::new(),
        };
        command.extend([executable, SUPERVISOR_ARGUMENT, APPLY, &self.to_argument()?, "--"].map(OsString::from));
        command.push(program);
        command.extend(args);
        let first = command.remove(0);
        Ok((first, command))
    }
}
