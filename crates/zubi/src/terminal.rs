//! Writing to stdout and stderr, and progress on a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use zubi_tool_api::cx::ProgressSink;

use crate::failure::Failure;

/// Whether a write to stdout has failed because its reader closed it.
static READER_CLOSED: AtomicBool = AtomicBool::new(false);

/// Writes a text and a line feed to stdout, without anything that a terminal would interpret: text from a model, a key
/// or a file name is data. A closed pipe (`| head`) is not an error.
pub fn print(text: &str) -> Result<(), Failure> {
    print_styled(&printable(text))
}

/// Like [`print()`], for text that this program has styled: its control sequences are written unchanged.
pub fn print_styled(text: &str) -> Result<(), Failure> {
    write(&[text.as_bytes(), b"\n"])
}

/// Writes the exact bytes of a text to stdout, for another program. On a terminal, escapes it as [`print()`] does.
pub fn print_exact(text: &str) -> Result<(), Failure> {
    let text = if io::stdout().is_terminal() { printable(text) } else { Cow::Borrowed(text) };
    write(&[text.as_bytes()])
}

/// Writes JSON to stdout: indented for a person, compact for a program.
pub fn print_json(value: &Value) -> Result<(), Failure> {
    let text = if io::stdout().is_terminal() { format!("{value:#}") } else { value.to_string() };
    print_styled(&escape_controls(&text))
}

/// Writes JSON to stdout on one line, also on a terminal: one of many values.
pub fn print_json_line(value: &Value) -> Result<(), Failure> {
    print_styled(&escape_controls(&value.to_string()))
}

fn write(parts: &[&[u8]]) -> Result<(), Failure> {
    if READER_CLOSED.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    let written = parts.iter().try_for_each(|part| out.write_all(part)).and_then(|()| out.flush());
    written.or_else(|error| handle_write_error(&error))
}

/// Handles an error from a write to stdout: a closed pipe is recorded and is not a failure.
pub(crate) fn handle_write_error(error: &io::Error) -> Result<(), Failure> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        READER_CLOSED.store(true, Ordering::Relaxed);
        return Ok(());
    }
    Err(Failure::environment(format!("cannot write to stdout: {error}"))
        .hint("Free some space, or redirect the output."))
}

/// Whether the reader of stdout has closed it. For loops that would otherwise never end: without a write, no error
/// reports it.
pub fn is_broken_pipe() -> bool {
    READER_CLOSED.load(Ordering::Relaxed) || is_hung_up()
}

#[cfg(unix)]
fn is_hung_up() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    // The poll does not wait; it reports errors even without requested events.
    let mut poll_fds = [PollFd::new(&stdout, PollFlags::empty())];
    let poll_result = poll(&mut poll_fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    poll_result.is_ok() && poll_fds.iter().any(|fd| fd.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}

#[cfg(not(unix))]
fn is_hung_up() -> bool {
    false
}

/// Writes a line to stderr, as [`print()`] does for stdout. A failed write is ignored, since there is nowhere left to
/// report it.
pub fn print_err(line: &str) {
    print_err_styled(&printable(line));
}

/// Like [`print_err`], for text that this program has styled: its control sequences are written unchanged.
pub fn print_err_styled(text: &str) {
    drop(writeln!(io::stderr().lock(), "{text}"));
}

/// Replaces everything that a terminal would interpret, apart from line ends and tabs.
fn printable(text: &str) -> Cow<'_, str> {
    let is_interpreted = |at: usize, c: char| match c {
        '\n' | '\t' => false,
        // Alone it would let a text overwrite the beginning of its line.
        '\r' => !text.get(at + 1..).is_some_and(|rest| rest.starts_with('\n')),
        c => c.is_control(),
    };
    if !text.char_indices().any(|(at, c)| is_interpreted(at, c)) {
        return Cow::Borrowed(text);
    }
    text.char_indices().map(|(at, c)| if is_interpreted(at, c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Escapes control characters in JSON. Those that JSON allows unescaped occur only in strings, where they can be
/// escaped.
fn escape_controls(json: &str) -> Cow<'_, str> {
    let is_unescaped_control = |c: char| matches!(c, '\u{7f}'..='\u{9f}');
    if !json.contains(is_unescaped_control) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_unescaped_control(c) {
            _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

/// Progress as one line of the terminal, overwritten by each report and removed before the answer.
#[derive(Debug, Default)]
pub struct ProgressLine {
    is_visible: Mutex<bool>,
}

impl ProgressLine {
    /// `None` if stderr is not a terminal, because progress does not belong in a log.
    pub fn new() -> Option<Self> {
        io::stderr().is_terminal().then(Self::default)
    }

    /// Removes the line.
    pub fn clear(&self) {
        if std::mem::take(&mut *self.is_visible.lock().unwrap_or_else(PoisonError::into_inner)) {
            drop(write!(io::stderr().lock(), "\r\x1b[K"));
        }
    }
}

impl ProgressSink for ProgressLine {
    fn report(&self, fraction: Option<f64>, message: &str) {
        *self.is_visible.lock().unwrap_or_else(PoisonError::into_inner) = true;
        let percent = fraction.map(|fraction| format!("{:3.0} % ", fraction * 100.0)).unwrap_or_default();
        let message: String = message.chars().filter(|c| !c.is_control()).take(100).collect();
        drop(write!(io::stderr().lock(), "\r\x1b[K{percent}{message}"));
    }
}

#[cfg(test)]
mod tests {
    use super::{escape_controls, printable};

    #[test]
    fn control_characters_are_replaced() {
        let inputs = ["a\tb\r\nc\n", "\u{1b}[31m\u{7}", "over\rwritten", "\u{7f}\u{9b}2J", "end\r", "é注"];
        insta::assert_snapshot!(format!("{:?}", inputs.map(printable)), @r#"["a\tb\r\nc\n", "�[31m�", "over�written", "��2J", "end�", "é注"]"#);
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let value = serde_json::json!({ "a\u{9b}": "\u{1b}\u{7f}\u{80}é\n" });
        let text = escape_controls(&value.to_string()).into_owned();
        assert_eq!(text, r#"{"a\u009b":"\u001b\u007f\u0080é\n"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
