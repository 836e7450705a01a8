//! Starts other programs: loudly (the user sees their output) or quietly (the output is shown only on failure).

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::paths;

/// A command in the workspace's root.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(&*paths::ROOT);
    command
}

/// The cargo that runs this xtask.
pub(crate) fn cargo() -> Command {
    command(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
}

/// A command as a user would type it, for messages.
pub(crate) fn display(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|argument| argument.to_string_lossy().into_owned()));
    words.join(" ")
}

/// Runs a command in the user's terminal.
pub(crate) fn loud(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", display(command)))?;
    if status.success() { Ok(()) } else { bail!("`{}` failed ({status})", display(command)) }
}

/// Runs a command and returns its stdout. If it fails, the error contains its stderr.
pub(crate) fn quiet(command: &mut Command) -> Result<String> {
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{}`", display(command)))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed ({})\n{}{}", display(command), output.status, stdout, stderr);
    }
    Ok(stdout)
}

/// Passes a text to a command's stdin and returns its stdout.
pub(crate) fn filter(command: &mut Command, text: &str) -> Result<String> {
    let command_line = display(command);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{command_line}`"))?;
    // The program reads its whole input before it writes, so this order cannot deadlock.
    child.stdin.take().context("no stdin")?.write_all(text.as_bytes()).with_context(|| format!("`{command_line}`"))?;
    let output = child.wait_with_output().with_context(|| format!("cannot wait for `{command_line}`"))?;
    if !output.status.success() {
        bail!("`{command_line}` failed ({})", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command, prints its stderr line by line and passes each line to `on_line`.
pub(crate) fn run_with_lines(command: &mut Command, mut on_line: impl FnMut(&str)) -> Result<()> {
    let command_line = display(command);
    let mut child = command.stderr(Stdio::piped()).spawn().with_context(|| format!("cannot start `{command_line}`"))?;
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).lines() {
            let line = line.with_context(|| format!("cannot read the output of `{command_line}`"))?;
            println!("{line}");
            on_line(&line);
        }
    }
    let status = child.wait().with_context(|| format!("cannot wait for `{command_line}`"))?;
    if status.success() { Ok(()) } else { bail!("`{command_line}` failed ({status})") }
}

/// The first program of this name on the caller's own PATH.
pub(crate) fn on_path(program: &str) -> Option<camino::Utf8PathBuf> {
    let path = std::env::var("PATH").ok()?;
    path.split(':').map(|directory| camino::Utf8Path::new(directory).join(program)).find(|file| file.is_file())
}

/// Parts of a long command, with the seconds that each took.
#[derive(Default)]
pub(crate) struct Parts {
    rows: Vec<(String, f64, Option<String>)>,
}

impl Parts {
    /// Runs a part, prints its duration and records whether it failed. Later parts run even after a failure.
    pub(crate) fn part(&mut self, name: &str, work: impl FnOnce() -> Result<String>) {
        println!("── {name}");
        let start = Instant::now();
        let outcome = work();
        let seconds = start.elapsed().as_secs_f64();
        let failure = match outcome {
            Ok(note) => {
                println!("   {name}: ok, {seconds:.1} s{}{note}", if note.is_empty() { "" } else { " · " });
                None
            }
            Err(error) => {
                println!("   {name}: FAILED after {seconds:.1} s\n{error:#}");
                Some(error.to_string().lines().next().unwrap_or_default().to_owned())
            }
        };
        self.rows.push((name.to_owned(), seconds, failure));
    }

    /// One line per part: its name, its seconds, and `FAILED` if it failed.
    pub(crate) fn table(&self) -> String {
        let row = |(name, seconds, failure): &(String, f64, Option<String>)| {
            format!("  {name:<12} {seconds:>7.1}{}\n", if failure.is_some() { "   FAILED" } else { "" })
        };
        self.rows.iter().map(row).collect()
    }

    /// Prints the seconds per part. Fails if a part failed.
    pub(crate) fn finish(&self) -> Result<()> {
        print!("\nseconds per part\n{}", self.table());
        let failed: Vec<_> =
            self.rows.iter().filter_map(|(name, _, failure)| Some(format!("{name}: {}", failure.as_ref()?))).collect();
        if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("\n       ")) }
    }
}
