//! Output formats: for people, plain lines, or JSON; with or without colours.

use std::io::{self, IsTerminal as _};

use camino::{Utf8Path, Utf8PathBuf};
use dlang_workspace::normalize;
use terminal_size::terminal_size_of;
use zubi_base::env::DlangEnvironment;
use zubi_cli::failure::Failure;

use crate::cli::Global;
use crate::excerpt::Style;

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// For a person.
    Rich,
    /// One line per result.
    Quiet,
    /// For a program. Beats [`Mode::Quiet`].
    Json,
}

/// The output settings of this run, and its current directory.
#[derive(Debug, Clone)]
pub(crate) struct DlangOutput {
    pub(crate) mode: Mode,
    pub(crate) environment: DlangEnvironment,
    /// The directory in which the program was started; paths in output for people are relative to it.
    pub(crate) current_dir: Utf8PathBuf,
    no_color: bool,
}

impl DlangOutput {
    pub(crate) fn new(global: &Global) -> Result<Self, Failure> {
        let environment = DlangEnvironment::read();
        let mode = match (global.json, global.quiet) {
            (true, _) => Mode::Json,
            (false, true) => Mode::Quiet,
            (false, false) => Mode::Rich,
        };
        let current_dir = zubi_cli::current_directory()?;
        Ok(Self { mode, environment, current_dir, no_color: global.no_color || environment.no_color })
    }

    /// Whether the environment disables colours.
    pub(crate) fn is_colour_off() -> bool {
        DlangEnvironment::read().no_color
    }

    /// Returns the style of excerpts on stdout.
    pub(crate) fn on_stdout(&self) -> Style {
        Style { colour: !self.no_color && io::stdout().is_terminal(), width: width(&io::stdout()) }
    }

    /// Returns the style of excerpts on stderr.
    pub(crate) fn on_stderr(&self) -> Style {
        Style { colour: !self.no_color && io::stderr().is_terminal(), width: width(&io::stderr()) }
    }

    /// Returns a typed path as an absolute one without `.` and `..`.
    pub(crate) fn absolute(&self, typed: &Utf8Path) -> Utf8PathBuf {
        normalize(&self.current_dir.join(typed))
    }

    /// Returns a path relative to the current directory, if it lies below it.
    pub(crate) fn show<'p>(&self, path: &'p Utf8Path) -> &'p str {
        match path.strip_prefix(&self.current_dir) {
            Ok(below) if below.as_str().is_empty() => ".",
            Ok(below) => below.as_str(),
            Err(_) => path.as_str(),
        }
    }
}

/// Returns the width of the terminal, if there is one and it reports its width.
#[cfg(unix)]
fn width(stream: &impl std::os::fd::AsFd) -> Option<usize> {
    terminal_size_of(stream).map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0)
}

#[cfg(windows)]
fn width(stream: &impl std::os::windows::io::AsHandle) -> Option<usize> {
    terminal_size_of(stream).map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0)
}
