//! Runs a short command to its end, such as a version probe or a formatter.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::ChildStderr;

use super::child::{CommandSpec, Spawner};

/// The output of a finished command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    pub status: ExitStatus,
    /// The first bytes of stdout, up to the limit.
    pub stdout: Vec<u8>,
    /// The first bytes of stderr, up to the limit.
    pub stderr: Vec<u8>,
}

impl Spawner {
    /// Runs a command without input and waits for its end. Stores the first `limit` bytes of each output, and reads and
    /// drops the rest, so that the command does not block. Kills the command after `timeout`; the error then has the
    /// kind `TimedOut`. No process that it started remains in either case, nor if the future is dropped.
    pub async fn output(&self, spec: &CommandSpec, limit: usize, timeout: Duration) -> io::Result<CommandOutput> {
        let mut child = self.spawn(spec)?;
        drop(child.stdin.take());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let finished = tokio::time::timeout(timeout, async {
            tokio::join!(
                async {
                    let status = child.wait().await;
                    // A background process would leave the pipes open forever.
                    child.end_leftovers();
                    status
                },
                read_start(stdout, limit),
                read_start(stderr, limit),
            )
        });
        match finished.await {
            Ok((status, stdout, stderr)) => Ok(CommandOutput { status: status?, stdout: stdout?, stderr: stderr? }),
            Err(_) => {
                child.end(Duration::ZERO).await?;
                let message = format!("`{}` did not end within {} s", spec.program, timeout.as_secs_f32());
                Err(io::Error::new(io::ErrorKind::TimedOut, message))
            }
        }
    }
}

/// Returns the first kilobyte of an ended child's error output: for example why it could not be confined.
pub async fn read_error_output(stderr: Option<ChildStderr>) -> String {
    let mut bytes = Vec::new();
    if let Some(stderr) = stderr {
        // The other end is closed; unreadable output is omitted.
        drop(stderr.take(1024).read_to_end(&mut bytes).await);
    }
    String::from_utf8_lossy(&bytes).trim().trim_start_matches("zubi: ").to_owned()
}

async fn read_start(stream: Option<impl AsyncRead + Unpin>, limit: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    if let Some(mut stream) = stream {
        (&mut stream).take(limit as u64).read_to_end(&mut start).await?;
        tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    }
    Ok(start)
}
