//! Supervisors that wait for their program, so that a command does not wait for its sandbox.
//!
//! A supervisor and the process that confines itself are two programs to load, a new control group takes the kernel
//! several milliseconds, and so do the rules of Landlock beside a large directory. All of this is the same for most
//! commands, so an owner can start it before it has the next command ([`super::Spawner::prepare`]).
//!
//! The owner then writes an [`AssignedProgram`] to the input of the supervisor: its length and the program with its whole
//! confinement. The rest of the pipe is the program's own input. The supervisor counts processes from then on, and
//! passes the assignment to the process that confines itself. That process trusts nothing from before: it enforces the
//! confinement of the assignment and adapts its rules to the present files (`confine::landlock`).

use std::fs::File;
use std::io::{self, Read as _};
use std::time::Duration;

use camino::Utf8PathBuf;
use rustix::io::FdFlags;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt as _;

use super::child::{Child, CommandSpec, check_program};
use super::confine::confinement::Confinement;

/// The first argument of a supervisor that waits for its program; the next one is a [`Confinement`] as JSON, which the
/// program is likely to have. For a process that confines itself, the number of a descriptor is between them.
pub(super) const STANDBY: &str = "--standby";

/// The maximum length of an assignment, in bytes: more than the arguments and the environment of a program.
const MAX_LENGTH: u32 = 16 * 1024 * 1024;

/// The time in which a supervisor ends whose input has ended.
const END_GRACE: Duration = Duration::from_secs(1);

/// A program with its arguments, directory, environment and confinement.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AssignedProgram {
    pub(super) confinement: Confinement,
    pub(super) program: Utf8PathBuf,
    pub(super) args: Vec<String>,
    pub(super) directory: Utf8PathBuf,
    pub(super) environment: Vec<(String, String)>,
}

impl AssignedProgram {
    /// Converts a command; `None` if it has no confinement, or a variable that is not UTF-8.
    fn from_spec(spec: &CommandSpec) -> Option<Self> {
        let variable = |(name, value): (&std::ffi::OsStr, &std::ffi::OsStr)| {
            Some((name.to_str()?.to_owned(), value.to_str()?.to_owned()))
        };
        Some(Self {
            confinement: spec.confinement.clone()?,
            program: spec.program.clone(),
            args: spec.args.clone(),
            directory: spec.directory.clone(),
            environment: spec.environment.iter().map(variable).collect::<Option<_>>()?,
        })
    }

    /// Returns the length and the assignment as JSON; `None` if it is too long.
    pub(super) fn to_bytes(&self) -> Option<Vec<u8>> {
        let text = serde_json::to_vec(self).ok()?;
        let length = u32::try_from(text.len()).ok().filter(|length| *length <= MAX_LENGTH)?;
        Some([length.to_le_bytes().as_slice(), &text].concat())
    }

    /// Reads an assignment and nothing after it.
    pub(super) fn read_from(pipe: &mut impl io::Read) -> io::Result<Self> {
        let mut length = [0; 4];
        pipe.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > MAX_LENGTH {
            return Err(io::Error::other("an assignment is too long"));
        }
        let mut text = Vec::new();
        pipe.take(u64::from(length)).read_to_end(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }
}

/// A supervisor that waits for its program. Dropping it ends it.
#[derive(Debug)]
pub struct Standby {
    child: Child,
}

impl Standby {
    pub(super) fn new(child: Child) -> Self {
        Self { child }
    }

    /// Starts the program. Returns `None` if that is not possible in this way; the program has not started then, and
    /// [`super::Spawner::spawn`] can start it or reports why not.
    pub async fn start(mut self, spec: &CommandSpec) -> Option<Child> {
        let assignment = AssignedProgram::from_spec(spec)?;
        // Bubblewrap makes its namespaces before the process in them starts.
        if assignment.confinement.backends.bubblewrap.is_some() {
            return None;
        }
        if check_program(&spec.program).is_err() || !spec.directory.is_dir() {
            return None;
        }
        if self.child.has_ended() {
            return None;
        }
        let input = self.child.stdin.as_mut()?;
        input.write_all(&assignment.to_bytes()?).await.ok()?;
        Some(self.child)
    }

    /// Ends the supervisor, which runs nothing yet, and waits for its end.
    pub async fn end(mut self) {
        self.child.end(END_GRACE).await.ok();
    }
}

/// The supervisor's end of the pipe to the process that waits for the assignment.
#[derive(Debug)]
pub(super) struct StandbyPipe(io::PipeWriter);

impl StandbyPipe {
    /// Creates a pipe. The next program that this process starts inherits the returned reading end, so this must run on
    /// the only thread.
    pub(super) fn new() -> io::Result<(Self, io::PipeReader)> {
        let (reader, writer) = io::pipe()?;
        rustix::io::fcntl_setfd(&reader, FdFlags::empty())?;
        Ok((Self(writer), reader))
    }

    /// Passes the assignment on. The other process has ended if this fails.
    pub(super) fn pass(mut self, assignment: &AssignedProgram) {
        if let Some(bytes) = assignment.to_bytes() {
            io::Write::write_all(&mut self.0, &bytes).ok();
        }
    }
}

/// Opens the inherited reading end of an [`StandbyPipe`] and closes its number, which the program would inherit.
pub(super) fn open_inherited(number: i32) -> io::Result<File> {
    let pipe = File::open(format!("/proc/self/fd/{number}"))?;
    nix::unistd::close(number)?;
    Ok(pipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_leaves_the_input_of_the_program_in_the_pipe() {
        let assignment = AssignedProgram {
            confinement: Confinement { readable: vec!["/".into()], ..Confinement::default() },
            program: "/bin/sh".into(),
            args: vec!["-c".to_owned(), "a \"b\"\n".to_owned()],
            directory: "/".into(),
            environment: vec![("A".to_owned(), String::new())],
        };
        let bytes = assignment.to_bytes().unwrap();
        let mut pipe = io::Cursor::new([bytes.as_slice(), b"input"].concat());
        assert_eq!(AssignedProgram::read_from(&mut pipe).unwrap(), assignment);
        let mut rest = String::new();
        pipe.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "input");
        for broken in [&[][..], &[1, 0, 0], &[255; 8], &[2, 0, 0, 0, b'{'], &bytes[..bytes.len() - 1]] {
            assert!(AssignedProgram::read_from(&mut io::Cursor::new(broken)).is_err(), "{broken:?}");
        }
    }
}
