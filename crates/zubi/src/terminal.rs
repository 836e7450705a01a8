//! Writing to stdout and stderr, progress on a terminal, and asking the person in front of it.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use zubi_tools::cx::{ApprovalAnswer, ApprovalRequest, ApprovalScope, Approver, ProgressSink};

use crate::failure::Failure;

/// Writes data and a line feed to stdout. A reader that went away (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let result = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::environment(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes JSON to stdout: indented for a person, compact for a program.
pub(crate) fn print_json(value: &Value) -> Result<(), Failure> {
    let text = if io::stdout().is_terminal() { format!("{value:#}") } else { value.to_string() };
    print(&text)
}

/// Writes a line to stderr. When that fails there is nobody left to tell.
pub(crate) fn say(line: &str) {
    drop(writeln!(io::stderr().lock(), "{line}"));
}

/// Progress as one line of the terminal that is written over, and is gone when the answer comes.
#[derive(Debug, Default)]
pub(crate) struct ProgressLine {
    shown: Mutex<bool>,
}

impl ProgressLine {
    /// `None` when stderr is no terminal: a log is no place for progress.
    pub(crate) fn new() -> Option<Self> {
        io::stderr().is_terminal().then(Self::default)
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        if std::mem::take(&mut *self.shown.lock().unwrap_or_else(PoisonError::into_inner)) {
            drop(write!(io::stderr().lock(), "\r\x1b[K"));
        }
    }
}

impl ProgressSink for ProgressLine {
    fn report(&self, fraction: Option<f64>, message: &str) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = true;
        let percent = fraction.map(|fraction| format!("{:3.0} % ", fraction * 100.0)).unwrap_or_default();
        let message: String = message.chars().filter(|c| !c.is_control()).take(100).collect();
        drop(write!(io::stderr().lock(), "\r\x1b[K{percent}{message}"));
    }
}

/// Asks on the terminal.
#[derive(Debug)]
pub(crate) struct AskOnTerminal;

impl AskOnTerminal {
    /// `None` when there is nobody in front of a terminal.
    pub(crate) fn new() -> Option<Self> {
        (io::stdin().is_terminal() && io::stderr().is_terminal()).then_some(Self)
    }
}

#[async_trait]
impl Approver for AskOnTerminal {
    async fn ask(&self, request: ApprovalRequest) -> ApprovalAnswer {
        let question = format!("Run {}? {} [y/N] ", request.tool, request.why);
        let answer = tokio::task::spawn_blocking(move || -> io::Result<String> {
            write!(io::stderr().lock(), "{question}")?;
            let mut line = String::new();
            io::stdin().read_line(&mut line)?;
            Ok(line)
        })
        .await;
        match answer {
            Ok(Ok(line)) if matches!(line.trim(), "y" | "Y" | "yes") => ApprovalAnswer::Allow(ApprovalScope::Once),
            Ok(Ok(_)) => ApprovalAnswer::Deny,
            _ => ApprovalAnswer::Unavailable,
        }
    }
}
