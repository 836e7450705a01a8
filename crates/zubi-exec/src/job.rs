//! Runs programs and shell scripts to their end, or in the background ([`background`]).
//!
//! A job has a directory, a chosen environment, a sandbox, and a time-out that ends it with all of its processes. The
//! [`OutputStore`] stores both output streams up to its limit, even after a time-out or a cancellation, and a bounded
//! view is in memory ([`CapturedOutput`]).

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use tokio::io::AsyncWriteExt as _;
use tokio_util::sync::CancellationToken;
use zubi_base::process::confine::CANNOT_CONFINE;
use zubi_base::process::{Child, ChildEnvironment, CommandSpec, Spawner};

use self::standby::NextSupervisor;
use crate::sandbox::{Level, Sandbox, SandboxContext, SandboxError, SandboxRequest};
use crate::store::OutputStore;

pub mod background;
mod capture;
mod standby;

pub use background::{Background, BackgroundError, Jobs};
pub use capture::{CapturedOutput, Streams};

/// The shell of scripts, which exists on every system.
const SHELL: &str = "/bin/sh";

/// The preferred shell, if it exists: most users and models write bash.
const BASH: &str = "/bin/bash";

/// Makes a shell read its script from its input. The shell opens the pipe again, with a descriptor that its children do
/// not inherit (POSIX, XCU 2.14, `dot`).
const READ_PIPE: &str = ". /dev/stdin";

/// The prefix of a script, on its first line, so that line numbers do not change. It empties the input: a program that
/// reads it would otherwise consume the rest of a piped script, and ripgrep searches a pipe instead of the folder.
const DETACH_STDIN: &str = "exec </dev/null; ";

/// The beginning of a variable's value that means the job's temporary directory.
pub const TEMPORARY: &str = "$TMPDIR/";

/// The time to drain the pipes of a finished job. No process has them open any more by then.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The command of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessCommand {
    /// A program by its absolute path, and its arguments.
    Program { program: Utf8PathBuf, arguments: Vec<String> },
    /// A script for bash, or sh if there is no bash, passed as one argument; `arguments` are `$1`, `$2`, ….
    Script { text: String, arguments: Vec<String> },
    /// A script that its shell reads from a pipe. It may have any length (one argument has at most 128 KiB,
    /// `MAX_ARG_STRLEN` of execve(2)), and process lists do not show it. [`ProcessJob::stdin`] does not apply: the
    /// input of the script and its children is empty.
    Piped { text: String, shell: Shell },
}

/// The shell of a [`ProcessCommand::Piped`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// `/bin/sh`, which may be any POSIX shell.
    Sh,
    Bash,
}

/// A program or script to run, with its environment and limits.
#[derive(Debug, Clone)]
pub struct ProcessJob {
    pub command: ProcessCommand,
    /// The absolute working directory. The policy has already allowed it.
    pub directory: Utf8PathBuf,
    /// The folders of the workspace. The job may write them, unless the manifest names other paths.
    pub folders: Vec<Utf8PathBuf>,
    /// Variables in addition to those of every program. A value may begin with [`TEMPORARY`].
    pub environment: Vec<(String, String)>,
    /// Files in the job's temporary directory, by name and text.
    pub files: Vec<(String, String)>,
    /// Values to redact in the output before it is stored.
    pub secrets: Vec<String>,
    pub stdin: Option<String>,
    /// The time after which the job is ended.
    pub timeout: Duration,
    pub manifest: SandboxRequest,
    /// The minimum sandbox level; the job does not run with a lower one.
    pub min_level: Level,
}

impl ProcessJob {
    /// A job with the default sandbox, no input, and a time-out of one minute.
    pub fn new(command: ProcessCommand, directory: impl Into<Utf8PathBuf>, folders: Vec<Utf8PathBuf>) -> Self {
        Self {
            command,
            directory: directory.into(),
            folders,
            environment: Vec::new(),
            files: Vec::new(),
            secrets: Vec::new(),
            stdin: None,
            timeout: Duration::from_mins(1),
            manifest: SandboxRequest::default(),
            min_level: Level::None,
        }
    }
}

/// The reason for a job's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// The job exited with this code; 128 + signal if a signal ended it.
    Exited(i32),
    /// The time-out expired.
    TimedOut,
    /// The job was cancelled.
    Cancelled,
}

/// A job that has ended.
#[derive(Debug, Clone)]
pub struct JobResult {
    pub end: ExitReason,
    pub duration: Duration,
    /// The sandbox level.
    pub level: Level,
    pub stdout: CapturedOutput,
    pub stderr: CapturedOutput,
}

/// The reason why a job did not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The program could not be started; the error names it.
    #[error("{0}")]
    Start(std::io::Error),
    /// The sandbox could not be set up.
    #[error("{0}")]
    Confine(String),
    #[error("there is no `{0}` on this machine")]
    NoShell(&'static str),
    #[error("cannot store its output: {0}")]
    StoreOutput(std::io::Error),
}

/// Runs jobs.
#[derive(Debug, Clone)]
pub struct Runner {
    spawner: Spawner,
    sandbox: Arc<Sandbox>,
    store: OutputStore,
    /// The supervisor that the next job uses, if jobs prepare one.
    standby: Option<NextSupervisor>,
}

impl Runner {
    pub fn new(spawner: Spawner, sandbox: Arc<Sandbox>, store: OutputStore) -> Self {
        Self { spawner, sandbox, store, standby: None }
    }

    /// Makes each job start a supervisor at its end that waits for the next job, so that this one need not wait for its
    /// sandbox. The supervisor and one process below it run until [`Jobs::stop_all`], or until the last clone of this runner
    /// is dropped.
    #[must_use]
    pub fn with_standby(self) -> Self {
        Self { standby: Some(NextSupervisor::default()), ..self }
    }

    pub fn sandbox(&self) -> &Arc<Sandbox> {
        &self.sandbox
    }

    pub fn store(&self) -> &OutputStore {
        &self.store
    }

    /// Runs a job to its end. None of its processes remains when this returns. Dropping the future also ends the job,
    /// but then its output is not stored.
    pub async fn run(&self, job: &ProcessJob, cancel: &CancellationToken) -> Result<JobResult, RunError> {
        self.run_into(job, cancel, &self.streams(job)?).await
    }

    /// Opens the streams for the outputs of a job.
    fn streams(&self, job: &ProcessJob) -> Result<Streams, RunError> {
        Streams::new(&self.store, &job.secrets).map_err(RunError::StoreOutput)
    }

    async fn run_into(
        &self,
        job: &ProcessJob,
        cancel: &CancellationToken,
        streams: &Streams,
    ) -> Result<JobResult, RunError> {
        let temporary = zubi_base::fs::temporary_directory().map_err(RunError::Start)?;
        let result = self.run_in(job, cancel, streams, temporary.path()).await;
        // Removing a full directory takes time, and a process that exits now would leave it behind.
        tokio::task::spawn_blocking(move || drop(temporary)).await.ok();
        result
    }

    async fn run_in(
        &self,
        job: &ProcessJob,
        cancel: &CancellationToken,
        streams: &Streams,
        temporary: &std::path::Path,
    ) -> Result<JobResult, RunError> {
        let temporary = Utf8Path::from_path(temporary)
            .ok_or_else(|| RunError::Start(std::io::Error::other("the temporary directory is not UTF-8")))?;
        let context = SandboxContext { folders: &job.folders, temporary, home: self.sandbox.home() };
        let (mut confinement, level) = self.sandbox.confine(&job.manifest, job.min_level, &context).await?;
        let CommandLine { program, arguments, input } = self.command_line(job)?;
        if let Some(executable) = &mut confinement.executable {
            // Permission for the job includes its program.
            executable.push(program.clone());
        }
        let mut environment =
            ChildEnvironment::inherited_with(&job.manifest.env).with_variable("TMPDIR", temporary.as_str());
        for (name, value) in &job.environment {
            let path = value.strip_prefix(TEMPORARY).map(|file| temporary.join(file).into_string());
            environment = environment.with_variable(name, path.as_deref().unwrap_or(value));
        }
        for (name, text) in &job.files {
            zubi_base::fs::write_atomic(&temporary.join(name), text.as_bytes()).map_err(RunError::Start)?;
        }
        let mut spec = CommandSpec::new(program, job.directory.clone()).args(arguments).with_confinement(confinement);
        spec.environment = environment;

        let started = Instant::now();
        let mut child = self.start(&spec).await.map_err(RunError::Start)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // A program that does not read its input must not block this; if it ends, it closes the pipe.
        let stdin_task = tokio::spawn(async move {
            if let Some(mut stdin) = stdin {
                stdin.write_all(input.as_bytes()).await.ok();
            }
        });
        let stdout_task = tokio::spawn(streams.stdout.clone().fill(stdout));
        let stderr_task = tokio::spawn(streams.stderr.clone().fill(stderr));
        let end = tokio::select! {
            status = child.wait() => ExitReason::Exited(status.map_err(RunError::Start)?.code().unwrap_or(-1)),
            () = tokio::time::sleep(job.timeout) => ExitReason::TimedOut,
            () = cancel.cancelled() => ExitReason::Cancelled,
        };
        if !matches!(end, ExitReason::Exited(_)) {
            stdin_task.abort();
            child.end(Duration::ZERO).await.map_err(RunError::Start)?;
        }
        let duration = started.elapsed();
        self.prepare_next(&spec);
        tokio::time::timeout(DRAIN_TIMEOUT, async { tokio::join!(stdout_task, stderr_task) }).await.ok();
        stdin_task.abort();
        let (stdout, stderr) = streams.persist(&self.store).await.map_err(RunError::StoreOutput)?;
        if end == ExitReason::Exited(i32::from(CANNOT_CONFINE)) && stderr.text().starts_with("zubi: cannot confine") {
            return Err(RunError::Confine(stderr.text().trim().trim_start_matches("zubi: ").to_owned()));
        }
        Ok(JobResult { end, duration, level, stdout, stderr })
    }

    /// Starts the child of a job, with the waiting supervisor if there is one.
    async fn start(&self, spec: &CommandSpec) -> std::io::Result<Child> {
        let child = match self.standby.as_ref().and_then(NextSupervisor::take) {
            Some(standby) => standby.start(spec).await,
            None => None,
        };
        match child {
            Some(child) => Ok(child),
            None => self.spawner.spawn(spec),
        }
    }

    /// Prepares the supervisor of the next job when this one has ended. Not earlier: while the kernel moves the new
    /// supervisor to its control group, which takes milliseconds, no program can start a process.
    fn prepare_next(&self, spec: &CommandSpec) {
        if let (Some(standby), Some(confinement)) = (&self.standby, &spec.confinement) {
            standby.prepare(self.spawner.clone(), confinement.clone());
        }
    }

    /// Ends the waiting supervisor; no job prepares another one.
    async fn end_standby(&self) {
        if let Some(standby) = &self.standby {
            standby.close().await;
        }
    }

    /// Returns the command line of a job and its input.
    fn command_line(&self, job: &ProcessJob) -> Result<CommandLine, RunError> {
        let input = job.stdin.clone().unwrap_or_default();
        Ok(match &job.command {
            ProcessCommand::Program { program, arguments } => {
                CommandLine { program: program.clone(), arguments: arguments.clone(), input }
            }
            ProcessCommand::Script { text, arguments } => {
                // The script is one argument, even if it begins with `-`, and the following ones are positional
                // parameters: no shell reads them as code.
                let detach = if job.stdin.is_none() { DETACH_STDIN } else { "" };
                let fixed = ["-c".to_owned(), "--".to_owned(), format!("{detach}{text}"), "sh".to_owned()];
                let arguments = fixed.into_iter().chain(arguments.iter().cloned()).collect();
                CommandLine { program: self.bash().unwrap_or_else(|| SHELL.into()), arguments, input }
            }
            ProcessCommand::Piped { text, shell } => {
                let program = match shell {
                    Shell::Sh => SHELL.into(),
                    Shell::Bash => self.bash().ok_or(RunError::NoShell("bash"))?,
                };
                CommandLine {
                    program,
                    arguments: ["-c", READ_PIPE, "sh"].map(str::to_owned).into(),
                    input: format!("{DETACH_STDIN}{text}\n"),
                }
            }
        })
    }

    fn bash(&self) -> Option<Utf8PathBuf> {
        let path = Utf8Path::new(BASH);
        if path.is_file() { Some(path.to_owned()) } else { self.sandbox.find("bash") }
    }
}

/// The command line of a job, and its input.
struct CommandLine {
    program: Utf8PathBuf,
    arguments: Vec<String>,
    input: String,
}
