//! Writing to stdout and stderr, and progress on a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use zubi_tools::cx::ProgressSink;

use crate::failure::Failure;

/// Writes data and a line feed to stdout. A reader that went away (`| head`) is no error.
pub fn print(text: &str) -> Result<(), Failure> {
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
pub fn print_json(value: &Value) -> Result<(), Failure> {
    let text = if io::stdout().is_terminal() { format!("{value:#}") } else { value.to_string() };
    print(&text)
}

/// Writes a line to stderr. When that fails there is nobody left to tell.
pub fn say(line: &str) {
    drop(writeln!(io::stderr().lock(), "{line}"));
}

/// Progress as one line of the terminal that is written over, and is gone when the answer comes.
#[derive(Debug, Default)]
pub struct ProgressLine {
    shown: Mutex<bool>,
}

impl ProgressLine {
    /// `None` when stderr is no terminal: a log is no place for progress.
    pub fn new() -> Option<Self> {
        io::stderr().is_terminal().then(Self::default)
    }

    /// Takes the line away.
    pub fn clear(&self) {
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
