//! Children: the command to start, its start, and its end.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::process::{Pid, Signal};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::confine::confinement::{CONFINE, Confinement};
use super::environment::ChildEnvironment;
use super::signal::{SUPERVISOR_ARGUMENT, TERMINATION_GRACE, ignore_missing_process, pid_of};
use super::standby::{STANDBY, Standby};
use super::tree::descendants;

/// The time that a supervisor may need in addition to the program's grace period. It only makes a few system calls.
const SUPERVISOR_GRACE: Duration = Duration::from_secs(2);

/// The program to start, with its arguments, directory and environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSpec {
    /// An absolute path. The caller searches the path, so that the checked program is the one that runs.
    pub program: Utf8PathBuf,
    pub args: Vec<String>,
    /// The working directory.
    pub directory: Utf8PathBuf,
    /// The whole environment; nothing is added.
    pub environment: ChildEnvironment,
    /// The restrictions of the child. They need a supervisor.
    pub confinement: Option<Confinement>,
}

impl CommandSpec {
    /// A program without arguments, with the environment of [`ChildEnvironment::from_allowlist`].
    pub fn new(program: impl Into<Utf8PathBuf>, directory: impl Into<Utf8PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            directory: directory.into(),
            environment: ChildEnvironment::from_allowlist(),
            confinement: None,
        }
    }

    #[must_use]
    pub fn args<I: IntoIterator<Item = S>, S: Into<String>>(mut self, args: I) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    #[must_use]
    pub fn with_confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = Some(confinement);
        self
    }
}

/// Starts children. Callers pass it down, so that tests can choose how children run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spawner {
    supervisor: Option<Utf8PathBuf>,
}

impl Spawner {
    /// Starts children directly. zubi kills them when their [`Child`] is dropped, but they survive a SIGKILL of zubi.
    pub fn direct() -> Self {
        Self { supervisor: None }
    }

    /// Starts children through an executable whose `main` calls [`super::supervise`] on [`SUPERVISOR_ARGUMENT`]: zubi's
    /// own. They end when this process ends, for any reason.
    pub fn with_supervisor(executable: impl Into<Utf8PathBuf>) -> Self {
        Self { supervisor: Some(executable.into()) }
    }

    /// zubi's own executable, if it starts the children.
    pub fn executable(&self) -> Option<&Utf8Path> {
        self.supervisor.as_deref()
    }

    /// Starts a child. Needs a tokio runtime. The error names the program.
    pub fn spawn(&self, spec: &CommandSpec) -> io::Result<Child> {
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("cannot start `{}`: {error}", spec.program));
        check_program(&spec.program).map_err(named)?;
        let mut command = command(self.supervisor.as_deref().unwrap_or(&spec.program));
        match (&self.supervisor, &spec.confinement) {
            (None, None) => {}
            (None, Some(_)) => return Err(named(io::Error::other("only a supervised program can be confined"))),
            (Some(_), None) => drop(command.args([SUPERVISOR_ARGUMENT, "--", spec.program.as_str()])),
            (Some(_), Some(confinement)) => {
                let confinement = confinement.to_argument().map_err(named)?;
                command.args([SUPERVISOR_ARGUMENT, CONFINE, &confinement, "--", spec.program.as_str()]);
            }
        }
        command.args(&spec.args).current_dir(&spec.directory).env_clear().envs(spec.environment.iter());
        self.start(command).map_err(named)
    }

    /// Starts a supervisor that waits for its program, which is likely to have this confinement: see [`Standby`]. Needs
    /// a tokio runtime.
    ///
    /// # Errors
    /// If there is no supervisor, or if it cannot wait for programs with these backends.
    pub fn prepare(&self, confinement: &Confinement) -> io::Result<Standby> {
        let backends = &confinement.backends;
        // The program that runs until then must not reach the waiting process, and bubblewrap makes its namespaces before
        // a process in them starts.
        let can_wait = backends.landlock && backends.seccomp && backends.bubblewrap.is_none();
        let Some(supervisor) = self.supervisor.as_deref().filter(|_| can_wait) else {
            return Err(io::Error::other("this program cannot be prepared"));
        };
        let mut command = command(supervisor);
        // Its environment is that of no program.
        command.args([SUPERVISOR_ARGUMENT, STANDBY, &confinement.to_argument()?]).current_dir("/").env_clear();
        Ok(Standby::new(self.start(command)?))
    }

    fn start(&self, mut command: std::process::Command) -> io::Result<Child> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A process group of its own: Ctrl-C in the terminal reaches only zubi, which ends its children in order.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = tokio::process::Command::from(command).spawn()?;
        let pid = process.id().and_then(pid_of).ok_or_else(|| io::Error::other("it has no process id"))?;
        let (stdin, stdout, stderr) = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        Ok(Child { process, pid, supervised: self.supervisor.is_some(), stdin, stdout, stderr })
    }
}

/// Starts a program that outlives this process, with empty stdin and all output in a file. The program itself leaves
/// this process's session: see [`leave_terminal`].
pub fn detach(
    program: &Utf8Path,
    arguments: impl IntoIterator<Item = std::ffi::OsString>,
    log: std::fs::File,
) -> io::Result<std::process::Child> {
    let mut command = command(program);
    command.args(arguments).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    command.spawn()
}

/// Detaches this process from its terminal, so that it survives the end of the terminal.
pub fn leave_terminal() -> io::Result<()> {
    match rustix::process::setsid() {
        // EPERM: the process is already a group leader, like processes that a shell starts, and so already detached.
        Ok(_) | Err(rustix::io::Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Checks for reasons why the start would fail; a supervisor could only report them as text.
pub(super) fn check_program(program: &Utf8Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if !program.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
    }
    let metadata = std::fs::metadata(program)?;
    if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not an executable file"));
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts processes")]
fn command(program: &Utf8Path) -> std::process::Command {
    std::process::Command::new(program)
}

/// A running child. Dropping it ends it without waiting; [`Self::end`] waits for its end.
#[derive(Debug)]
pub struct Child {
    process: tokio::process::Child,
    pid: Pid,
    supervised: bool,
    /// The child's input. Dropping it closes the pipe.
    pub stdin: Option<ChildStdin>,
    /// The child's output.
    pub stdout: Option<ChildStdout>,
    /// The child's standard error. Dropping it makes a supervisor end the child.
    pub stderr: Option<ChildStderr>,
}

impl Child {
    /// The process id: the supervisor's if there is one, else the program's.
    pub fn id(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Whether the child has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// Waits until the child has ended. Its input stays open. With a supervisor, a program that ended by a signal has
    /// the exit code 128 + signal, as in a shell. Cancel-safe.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.process.wait().await
    }

    /// Ends the child and all processes that it started: closes its input, waits up to `grace`, then sends SIGTERM,
    /// then SIGKILL. None of these processes remains when this returns. A caller that took [`Self::stdin`] must close
    /// it first, or the child waits for input during the whole grace period.
    pub async fn end(&mut self, grace: Duration) -> io::Result<ExitStatus> {
        drop(self.stdin.take());
        if let Ok(status) = timeout(grace, self.process.wait()).await {
            self.end_leftovers();
            return status;
        }
        self.signal_politely();
        let total_grace = TERMINATION_GRACE + if self.supervised { SUPERVISOR_GRACE } else { Duration::ZERO };
        if let Ok(status) = timeout(total_grace, self.process.wait()).await {
            self.end_leftovers();
            return status;
        }
        self.kill();
        let status = self.process.wait().await;
        self.end_leftovers();
        status
    }

    /// Sends SIGTERM. A supervisor forwards it and kills the remaining processes after [`TERMINATION_GRACE`].
    fn signal_politely(&self) {
        if self.process.id().is_some() {
            ignore_missing_process(if self.supervised {
                rustix::process::kill_process(self.pid, Signal::TERM)
            } else {
                rustix::process::kill_process_group(self.pid, Signal::TERM)
            });
        }
    }

    /// Sends SIGKILL to all descendants, and then to the child: a supervisor must end after its program.
    fn kill(&self) {
        if self.process.id().is_some() {
            for pid in descendants(self.id()).into_iter().filter_map(pid_of) {
                ignore_missing_process(rustix::process::kill_process(pid, Signal::KILL));
            }
            ignore_missing_process(rustix::process::kill_process_group(self.pid, Signal::KILL));
        }
    }

    /// Kills the processes that an unsupervised program left behind in its group. The system does not reuse the group's
    /// id while the group has a member, and an empty group has nothing to kill.
    pub(super) fn end_leftovers(&self) {
        if !self.supervised {
            ignore_missing_process(rustix::process::kill_process_group(self.pid, Signal::KILL));
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // A supervisor must briefly outlive its program, so it gets a signal to stop instead of SIGKILL. tokio reaps
        // dropped children in the background.
        if self.supervised { self.signal_politely() } else { self.kill() }
    }
}
