//! The step between supervisor and program: a process that confines itself and then becomes the program.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::ExitCode;

use super::confinement::{ConfineError, Confinement, SandboxBackends};
use super::{availability, bubblewrap, capabilities, landlock, limits, seccomp};
use crate::process::signal::SUPERVISOR_ARGUMENT;
use crate::process::supervisor::{report_error, start_failure};

/// The argument of the step; the next one is a [`Confinement`] as JSON, then `--`, the program and its arguments.
pub(in crate::process) const APPLY: &str = "--apply";

/// The argument of a process that finds out which backends are available, and prints [`super::availability::ProbeResult`] as JSON.
pub(in crate::process) const PROBE: &str = "--probe";

/// Exit code of a program that was not started because it could not be confined. Standard error says why, in a line
/// that begins with `zubi: cannot confine`. 125 is what `env`, `timeout` and `docker run` give when they themselves
/// fail.
pub const CANNOT_CONFINE: u8 = 125;

/// Confines this process and becomes the program. Returns only if that fails.
pub(in crate::process) fn apply(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let confinement = match Confinement::from_argument(args.next()) {
        Ok(confinement) => confinement,
        Err(error) => return refuse(&error),
    };
    let mut args = args.skip_while(|arg| arg == "--");
    let Some(program) = args.next() else {
        return refuse(&ConfineError::Unreadable("no program was named".to_owned()));
    };
    if let Err(error) = confine(&confinement) {
        return refuse(&error);
    }
    start_failure(&program, &become_program(&program, args))
}

/// In this order: reading directories needs no right that is gone by then, and the filter of system calls comes last.
fn confine(confinement: &Confinement) -> Result<(), ConfineError> {
    if confinement.backends.landlock {
        landlock::restrict(confinement)?;
    }
    limits::set(&confinement.limits)?;
    if confinement.backends.landlock || confinement.backends.seccomp {
        capabilities::drop_dangerous();
    }
    if confinement.backends.seccomp {
        seccomp::restrict(confinement.network)?;
    }
    Ok(())
}

/// Drops the permissions that a program needs only while it is loaded: from here on this process opens no file, starts
/// no program and no process, and has no network, as far as these backends enforce it. Threads that run already are not
/// restricted, so call this before starting any. The program is zubi's own and was confined before; the step is
/// irreversible.
///
/// # Errors
/// If one of the backends is not available. The process then must not continue as if it were sealed.
pub fn lock_down(backends: &SandboxBackends) -> Result<(), ConfineError> {
    if backends.landlock {
        landlock::lock_down()?;
    }
    if backends.seccomp {
        seccomp::lock_down()?;
    }
    Ok(())
}

/// Replaces this process.
#[expect(clippy::disallowed_methods, reason = "the confined half of the one place that starts processes")]
fn become_program(program: &OsString, args: impl Iterator<Item = OsString>) -> io::Error {
    std::process::Command::new(program).args(args).exec()
}

fn refuse(error: &ConfineError) -> ExitCode {
    report_error(&format!("cannot confine the program, so it was not started: {error}"));
    ExitCode::from(CANNOT_CONFINE)
}

/// Tries the backends on this process and prints the result.
pub(in crate::process) fn probe() -> ExitCode {
    use std::io::Write as _;
    let found = serde_json::to_vec(&availability::try_all()).unwrap_or_default();
    match io::stdout().write_all(&found) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

impl Confinement {
    /// The command that confines itself and becomes `program`: its own program and arguments. `executable` is the one
    /// whose `main` calls [`crate::process::supervise`].
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
