//! Writing to stdout and stderr, and progress on a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use zubi_tool_api::cx::ProgressSink;

use crate::failure::Failure;

/// Whether a write to stdout has found that nobody reads it any more.
static READER_WENT: AtomicBool = AtomicBool::new(false);

/// Writes a text and a line feed to stdout, without anything that a terminal would obey: what a model, a key or the name of
/// a file says is data. A reader that went away (`| head`) is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    print_styled(&printable(text))
}

/// [`print()`], for what was drawn here: its colours are meant.
pub fn print_styled(text: &str) -> Result<(), Failure> {
    write(&[text.as_bytes(), b"\n"])
}

/// Writes a text to stdout to the byte, for another program. A terminal gets it as [`print()`] has it.
pub fn print_exact(text: &str) -> Result<(), Failure> {
    let text = if io::stdout().is_terminal() { printable(text) } else { Cow::Borrowed(text) };
    write(&[text.as_bytes()])
}

/// Writes JSON to stdout: indented for a person, compact for a program.
pub fn print_json(value: &Value) -> Result<(), Failure> {
    let text = if io::stdout().is_terminal() { format!("{value:#}") } else { value.to_string() };
    print_styled(&escape_controls(&text))
}

/// Writes JSON to stdout on one line, whoever reads: one of many values.
pub fn print_json_line(value: &Value) -> Result<(), Failure> {
    print_styled(&escape_controls(&value.to_string()))
}

fn write(parts: &[&[u8]]) -> Result<(), Failure> {
    if READER_WENT.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    let written = parts.iter().try_for_each(|part| out.write_all(part)).and_then(|()| out.flush());
    written.or_else(|error| handle_write_error(&error))
}

/// What it means that stdout did not take something.
pub(crate) fn handle_write_error(error: &io::Error) -> Result<(), Failure> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        READER_WENT.store(true, Ordering::Relaxed);
        return Ok(());
    }
    Err(Failure::environment(format!("cannot write to stdout: {error}"))
        .hint("Make room there, or send the output elsewhere."))
}

/// Whether nobody reads stdout any more. Asked by what would otherwise go on for ever: without a write nobody is told.
pub fn is_broken_pipe() -> bool {
    READER_WENT.load(Ordering::Relaxed) || is_hung_up()
}

#[cfg(unix)]
fn is_hung_up() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    // Nothing is waited for; errors are told whether they are asked for or not.
    let mut asked = [PollFd::new(&stdout, PollFlags::empty())];
    let told = poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    told.is_ok() && asked.iter().any(|fd| fd.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}

#[cfg(not(unix))]
fn is_hung_up() -> bool {
    false
}

/// Writes a line to stderr, as [`print()`] does. When that fails there is nobody left to tell.
pub fn print_err(line: &str) {
    say_styled(&printable(line));
}

/// [`say`], for what was drawn here: its colours are meant.
pub fn say_styled(text: &str) {
    drop(writeln!(io::stderr().lock(), "{text}"));
}

/// A text without anything that a terminal would obey, apart from line ends and tabs.
fn printable(text: &str) -> Cow<'_, str> {
    let is_obeyed = |at: usize, c: char| match c {
        '\n' | '\t' => false,
        // Alone it would let a text write over what stands before it.
        '\r' => !text.get(at + 1..).is_some_and(|rest| rest.starts_with('\n')),
        c => c.is_control(),
    };
    if !text.char_indices().any(|(at, c)| is_obeyed(at, c)) {
        return Cow::Borrowed(text);
    }
    text.char_indices().map(|(at, c)| if is_obeyed(at, c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// JSON without control characters. Those that JSON lets stand are in its strings alone, where they can be escaped.
fn escape_controls(json: &str) -> Cow<'_, str> {
    let is_let_stand = |c: char| matches!(c, '\u{7f}'..='\u{9f}');
    if !json.contains(is_let_stand) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_let_stand(c) {
            _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
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

#[cfg(test)]
mod tests {
    use super::{escape_controls, printable};

    #[test]
    fn what_a_terminal_would_obey_is_replaced() {
        let shown = ["a\tb\r\nc\n", "\u{1b}[31m\u{7}", "over\rwritten", "\u{7f}\u{9b}2J", "end\r", "é注"];
        insta::assert_snapshot!(format!("{:?}", shown.map(printable)), @r#"["a\tb\r\nc\n", "�[31m�", "over�written", "��2J", "end�", "é注"]"#);
    }

    #[test]
    fn json_stays_what_it_was() {
        let value = serde_json::json!({ "a\u{9b}": "\u{1b}\u{7f}\u{80}é\n" });
        let text = escape_controls(&value.to_string()).into_owned();
        assert_eq!(text, r#"{"a\u009b":"\u001b\u007f\u0080é\n"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
