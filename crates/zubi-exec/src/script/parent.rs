//! zubi's side: starts the child, answers its calls, and ends it at the result or at a limit.

use std::ffi::OsString;
use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio_util::sync::CancellationToken;
use zubi_base::process::confine::SandboxBackends;
use zubi_base::process::{Child, ChildEnvironment, CommandSpec, Confinement, Spawner, read_error_output};

use super::child::MAX_LINE;
use super::{CHILD_ARGUMENT, CallReply, ChildMessage, MAX_RESULT, ScriptEnd, ScriptJob};

/// The maximum number of tool calls of one run.
pub const MAX_CALLS: usize = 100;

/// The maximum nesting of code that calls tools that are code.
pub const MAX_DEPTH: usize = 3;

/// The time in addition to the child's own limit, for its start and end, before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// Calls tools for the code, through the registry and so through the policy.
#[async_trait::async_trait]
pub trait NestedCaller: Send + Sync {
    /// Returns the tool's result, or the reason of the failure for the code.
    async fn call(&self, tool: &str, args: Value) -> Result<Value, String>;
}

/// A caller for code that may not call tools.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCalls;

#[async_trait::async_trait]
impl NestedCaller for NoCalls {
    async fn call(&self, tool: &str, _args: Value) -> Result<Value, String> {
        Err(format!("`{tool}` cannot be called here"))
    }
}

/// The reason why the code has no result.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("the JavaScript process cannot be started: {0}")]
    Start(#[source] io::Error),
    #[error("the JavaScript process ended before it answered ({reason})")]
    Died { reason: String },
    #[error("the JavaScript process sent an invalid message")]
    Garbled,
    #[error("the code ran longer than {after_ms} ms")]
    TimedOut { after_ms: u64 },
    #[error("code calls tools that are code, more than {MAX_DEPTH} deep")]
    TooDeep,
    #[error("the call was cancelled")]
    Cancelled,
}

/// Runs code in children.
#[derive(Debug, Clone)]
pub struct Runner {
    spawner: Spawner,
    executable: Utf8PathBuf,
    confinement: Option<Confinement>,
}

impl Runner {
    /// `executable` is the absolute path of zubi's own program.
    pub fn new(spawner: Spawner, executable: impl Into<Utf8PathBuf>) -> Self {
        Self { spawner, executable: executable.into(), confinement: None }
    }

    /// Adds a confinement of the process to the engine's own limits: see [`crate::sandbox::Sandbox::for_scripts`]. It
    /// allows the program to load; the program drops the other permissions before it reads the job. Needs a supervised
    /// spawner.
    #[must_use]
    pub fn with_confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = Some(confinement);
        self
    }

    pub fn executable(&self) -> &Utf8Path {
        &self.executable
    }

    /// Runs a job. `depth` is the number of enclosing runs of code. The child has ended when this returns; dropping the
    /// future ends it too.
    pub async fn run(
        &self,
        job: &ScriptJob,
        depth: usize,
        nested: &dyn NestedCaller,
        cancel: &CancellationToken,
    ) -> Result<ScriptEnd, ScriptError> {
        if depth >= MAX_DEPTH {
            return Err(ScriptError::TooDeep);
        }
        let mut spec = CommandSpec::new(self.executable.clone(), "/").args([CHILD_ARGUMENT]);
        spec.environment = ChildEnvironment::from_allowed(std::iter::empty::<(OsString, OsString)>());
        if let Some(confinement) = &self.confinement {
            let backends = SandboxBackends { bubblewrap: None, ..confinement.backends.clone() };
            spec.args.push(serde_json::to_string(&backends).map_err(|error| ScriptError::Start(error.into()))?);
        }
        spec.confinement.clone_from(&self.confinement);
        let mut child = self.spawner.spawn(&spec).map_err(ScriptError::Start)?;
        let finished = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ScriptError::Cancelled),
            finished = converse(&mut child, job, nested) => finished,
        };
        let stderr = child.stderr.take();
        let status = child.end(if finished.is_ok() { GRACE } else { Duration::ZERO }).await;
        match (finished, status) {
            (Err(ScriptError::Died { .. }), Ok(status)) => {
                let stderr = read_error_output(stderr).await;
                Err(ScriptError::Died { reason: if stderr.is_empty() { status.to_string() } else { stderr } })
            }
            (finished, _) => finished,
        }
    }
}

async fn converse(child: &mut Child, job: &ScriptJob, nested: &dyn NestedCaller) -> Result<ScriptEnd, ScriptError> {
    let died = |error: io::Error| ScriptError::Died { reason: error.to_string() };
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(ScriptError::Garbled);
    };
    let mut output = BufReader::new(output);
    let mut remaining = job.limits.time() + GRACE;
    let mut calls = 0;
    let mut line = line_of(job)?;
    loop {
        let started = tokio::time::Instant::now();
        let response = tokio::time::timeout(remaining, async {
            input.write_all(&line).await?;
            input.flush().await?;
            let mut buffer = Vec::new();
            (&mut output).take(MAX_LINE).read_until(b'\n', &mut buffer).await?;
            Ok(buffer)
        });
        let response =
            response.await.map_err(|_| ScriptError::TimedOut { after_ms: job.limits.time_ms })?.map_err(died)?;
        remaining = remaining.saturating_sub(started.elapsed());
        if response.is_empty() {
            return Err(died(io::ErrorKind::UnexpectedEof.into()));
        }
        match serde_json::from_slice(&response).map_err(|_| ScriptError::Garbled)? {
            ChildMessage::Done(finished) => return Ok(finished),
            ChildMessage::Call { tool, args } => {
                calls += 1;
                let reply = if calls > MAX_CALLS {
                    Err(format!("more than {MAX_CALLS} calls"))
                } else {
                    nested.call(&tool, args).await
                };
                line = line_of(&match reply {
                    Ok(value) if value.to_string().len() > MAX_RESULT => {
                        CallReply::Error(format!("the result of `{tool}` is too long"))
                    }
                    Ok(value) => CallReply::Result(value),
                    Err(message) => CallReply::Error(message),
                })?;
            }
        }
    }
}

fn line_of(value: &impl serde::Serialize) -> Result<Vec<u8>, ScriptError> {
    let mut line = serde_json::to_vec(value).map_err(|_| ScriptError::Garbled)?;
    line.push(b'\n');
    Ok(line)
}
