//! A server's process, its pipes and its end.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, BufReader};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use zubi_base::process::{Child, Spawner};
use zubi_base::rpc::{CLOSED_OUTPUT, Connection};

use super::StartError;
use crate::health::is_chatter;
use crate::log::LineRing;
use crate::sandbox::ServerCommand;

/// The time in which a server may end on its own after its input was closed.
const EXIT_GRACE: Duration = Duration::from_secs(1);

/// The maximum length of a line of standard error, in bytes.
const MAX_STDERR_LINE: u64 = 64 * 1024;

/// The number of lines of standard error that an error message quotes.
const QUOTED_LINES: usize = 5;

/// A running server before the first message.
pub(crate) struct Process {
    pub(crate) output: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) input: Box<dyn AsyncWrite + Send + Unpin>,
    /// `None` for a server without a process of its own.
    pub(crate) child: Option<Child>,
    /// The last lines of its standard error.
    pub(crate) stderr: Arc<LineRing>,
    /// Whether it can find zubi's process by its number.
    pub(crate) sees_zubi: bool,
    /// The temporary directory of the server, removed after its end.
    pub(crate) temporary: Option<TempDir>,
}

impl Process {
    pub(super) fn spawn(command: ServerCommand, spawner: &Spawner) -> Result<Self, StartError> {
        let sees_zubi = !command.is_confined();
        let ServerCommand { command, temporary } = command;
        let mut child = spawner.spawn(&command).map_err(|error| StartError::Spawn(error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(StartError::Spawn(format!("`{}` has no pipes", command.program)));
        };
        let stderr = Arc::new(LineRing::default());
        if let Some(pipe) = child.stderr.take() {
            tokio::spawn(read_lines(pipe, Arc::clone(&stderr)));
        }
        Ok(Self { output: Box::new(output), input: Box::new(input), child: Some(child), stderr, sees_zubi, temporary })
    }
}

/// The time limit for reading the rest of the output after the end of a process.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Waits until a server has ended, or ends it on request, and records the reason. `verdict` is the reason why zubi
/// ended it, if it did.
pub(super) async fn attend(
    connection: Connection,
    child: Option<Child>,
    stop: CancellationToken,
    verdict: Arc<OnceLock<String>>,
    stderr: Arc<LineRing>,
    ended: watch::Sender<Option<String>>,
    temporary: Option<TempDir>,
) {
    let mut closed = connection.closed_reason();
    let mut child = child;
    let exited = async {
        match &mut child {
            Some(child) => drop(child.wait().await),
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = exited => {}
        _ = closed.wait_for(Option::is_some) => {}
        () = stop.cancelled() => {}
    }
    connection.close_writer();
    let by_itself = match &mut child {
        Some(child) => tokio::time::timeout(EXIT_GRACE, child.wait()).await.is_ok(),
        None => true,
    };
    let status = match &mut child {
        Some(child) => match child.end(Duration::ZERO).await {
            Ok(status) => format!("the process ended ({status})"),
            Err(error) => format!("the process ended ({error})"),
        },
        None => "the connection was closed".to_owned(),
    };
    let reason = match verdict.get() {
        Some(verdict) => verdict.clone(),
        None if stop.is_cancelled() => status,
        // The server can send nothing more.
        None if !by_itself => match broke_off(&mut closed).await {
            Some(fault) => format!("{fault}; it was ended"),
            None => "it closed its output but continued to run, so it was ended".to_owned(),
        },
        // A text in place of a message, or another violation of the protocol, explains the end best.
        None => match broke_off(&mut closed).await {
            Some(fault) => format!("{fault}; {status}"),
            None => status,
        },
    };
    ended.send_replace(Some(format!("{reason}{}", quote(&stderr))));
    // Removing a full directory takes time; only a panic makes the task fail.
    drop(tokio::task::spawn_blocking(move || drop(temporary)).await);
}

/// Returns the reason why a connection was closed, unless it is only the end of the process.
async fn broke_off(closed: &mut watch::Receiver<Option<String>>) -> Option<String> {
    // The process has ended and its pipe is closed, so this completes at once unless another process has the pipe open.
    let closed = tokio::time::timeout(LAST_WORDS, closed.wait_for(Option::is_some)).await.ok()?.ok()?;
    let reason = closed.as_deref()?;
    let rest = reason.strip_prefix(CLOSED_OUTPUT).map_or(reason, |rest| rest.trim_start_matches("; "));
    (!rest.is_empty()).then(|| rest.to_owned())
}

/// Returns the last lines of standard error, as the end of a message.
pub(super) fn quote(stderr: &LineRing) -> String {
    let mut lines = stderr.last(usize::MAX);
    lines.retain(|line| !is_chatter(line));
    let last = lines.split_off(lines.len().saturating_sub(QUOTED_LINES));
    if last.is_empty() { String::new() } else { format!("; it wrote: {}", last.join(" | ")) }
}

/// Reads standard error until it ends: a server blocks when the pipe is full.
async fn read_lines(pipe: impl AsyncRead + Unpin, lines: Arc<LineRing>) {
    let mut reader = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(MAX_STDERR_LINE).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => lines.push(&String::from_utf8_lossy(&line)),
        }
        // A server that writes continuously must not block the other tasks of this thread.
        tokio::task::consume_budget().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn informative_last_lines_are_quoted() {
        let stderr = LineRing::default();
        assert_eq!(quote(&stderr), "");
        stderr.push(
            "2026-05-01 10:00:00.123 INFO Initialized\n[INFO] served\n\tDEBUG: x\nI/O continued: TRACE is a word here",
        );
        insta::assert_snapshot!(quote(&stderr), @"");
        for number in 0..9 {
            stderr.push(&format!("2026-05-01T10:00:00Z ERROR failure {number}\n2026-05-01T10:00:00Z  INFO still here"));
        }
        insta::assert_snapshot!(quote(&stderr), @"; it wrote: 2026-05-01T10:00:00Z ERROR failure 4 | 2026-05-01T10:00:00Z ERROR failure 5 | 2026-05-01T10:00:00Z ERROR failure 6 | 2026-05-01T10:00:00Z ERROR failure 7 | 2026-05-01T10:00:00Z ERROR failure 8");
    }
}
