//! One command of git, without any effect of the repository's or the user's configuration.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use zubi_base::process::{ChildEnvironment, CommandSpec, Spawner};
use zubi_code::version_control::VersionControlError;
use zubi_exec::sandbox::{Level, Sandbox, SandboxContext, SandboxRequest};

/// The time limit of a command.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The maximum size of an output, in bytes: the tree of half a million files, or 128 texts at the limit of the parser.
const MAX_OUTPUT: usize = 64 * 1024 * 1024;

/// The maximum length of an error, in bytes.
const MAX_ERROR: usize = 2_000;

/// Options before the command: no replaced objects, no pager, no locks, and no pattern in a path.
const OPTIONS: &[&str] = &["--no-pager", "--no-replace-objects", "--no-optional-locks", "--literal-pathspecs"];

/// Settings that take precedence over the repository's. None of the commands uses them; they are a second barrier, and
/// the sandbox, which lets git start no program, is the third.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "diff.external=",
    "protocol.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
];

/// Variables instead of those of zubi's environment, such as `GIT_EXTERNAL_DIFF`.
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("HOME", "/nonexistent"),
    ("LC_ALL", "C"),
];

/// Runs commands of git.
pub(super) struct GitCommands {
    program: Utf8PathBuf,
    spawner: Spawner,
    sandbox: Arc<Sandbox>,
}

/// The result of a command.
pub(super) struct GitOutput {
    pub(super) is_success: bool,
    pub(super) stdout: Vec<u8>,
    /// The first line of the error output, if there is one.
    pub(super) error: Option<String>,
}

impl GitOutput {
    /// Returns the output of a command that must succeed.
    pub(super) fn into_success(self) -> Result<Vec<u8>, VersionControlError> {
        if self.is_success {
            return Ok(self.stdout);
        }
        Err(VersionControlError::Failure(self.error.unwrap_or_else(|| "it failed without a reason".to_owned())))
    }
}

impl GitCommands {
    pub(super) fn new(program: Utf8PathBuf, spawner: Spawner, sandbox: Arc<Sandbox>) -> Self {
        Self { program, spawner, sandbox }
    }

    /// Runs a command in a repository, given by its top folder.
    pub(super) async fn run(
        &self,
        repository: &Utf8Path,
        arguments: &[&str],
        input: Vec<u8>,
    ) -> Result<GitOutput, VersionControlError> {
        let spec = self.spec(repository, arguments).await?;
        let failure = |error: std::io::Error| VersionControlError::Failure(error.to_string());
        let mut child = self.spawner.spawn(&spec).map_err(failure)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write = async move {
            if let Some(mut stdin) = stdin {
                // A command that fails does not read its input.
                stdin.write_all(&input).await.ok();
            }
        };
        let work = async { tokio::join!(write, read(stdout, MAX_OUTPUT), read_start(stderr, MAX_ERROR)) };
        let finished = tokio::time::timeout(TIMEOUT, work).await;
        let Ok(((), stdout, stderr)) = finished else {
            child.end(Duration::ZERO).await.map_err(failure)?;
            let command = arguments.first().copied().unwrap_or_default();
            return Err(VersionControlError::Failure(format!(
                "`git {command}` did not end within {} s",
                TIMEOUT.as_secs()
            )));
        };
        let (stdout, is_cut) = stdout.map_err(failure)?;
        let status = child.end(if is_cut { Duration::ZERO } else { TIMEOUT }).await.map_err(failure)?;
        if is_cut {
            let reason = format!("it prints more than {} MiB; open a smaller folder", MAX_OUTPUT / 1024 / 1024);
            return Err(VersionControlError::Failure(reason));
        }
        let stderr = stderr.map_err(failure)?;
        let stderr = String::from_utf8_lossy(&stderr);
        let error = stderr.lines().find(|line| !line.trim().is_empty());
        let error =
            error.map(|line| line.trim().trim_start_matches("fatal: ").trim_start_matches("error: ").to_owned());
        Ok(GitOutput { is_success: status.success(), stdout, error })
    }

    async fn spec(&self, repository: &Utf8Path, arguments: &[&str]) -> Result<CommandSpec, VersionControlError> {
        let mut spec = CommandSpec::new(self.program.clone(), repository.to_owned())
            .args(OPTIONS.iter().copied())
            .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
            // Both are explicit, so that the repository cannot choose another folder (`core.worktree`).
            .args([format!("--git-dir={}", repository.join(".git")), format!("--work-tree={repository}")])
            .args(arguments.iter().copied());
        let environment = ChildEnvironment::from_allowed(std::iter::empty::<(OsString, OsString)>());
        spec.environment =
            VARIABLES.iter().fold(environment, |environment, (name, value)| environment.with_variable(name, value));
        if self.spawner.executable().is_some() {
            let request = SandboxRequest { exec: Some(Vec::new()), ..SandboxRequest::default() };
            let context = SandboxContext { folders: &[], temporary: repository, home: self.sandbox.home() };
            let confined = self.sandbox.confine(&request, Level::None, &context).await;
            let (mut confinement, _) = confined.map_err(|error| VersionControlError::Failure(error.to_string()))?;
            confinement.executable = Some(vec![self.program.clone()]);
            confinement.writable.clear();
            spec.confinement = Some(confinement);
        }
        Ok(spec)
    }
}

/// Reads an output up to a limit; returns whether there is more.
async fn read(stream: Option<impl AsyncRead + Unpin>, limit: usize) -> std::io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(limit as u64 + 1).read_to_end(&mut bytes).await?;
    }
    let is_cut = bytes.len() > limit;
    bytes.truncate(limit);
    Ok((bytes, is_cut))
}

/// Reads the beginning of an output, and drops the rest.
async fn read_start(stream: Option<impl AsyncRead + Unpin>, limit: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        (&mut stream).take(limit as u64).read_to_end(&mut bytes).await?;
        tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    }
    Ok(bytes)
}
