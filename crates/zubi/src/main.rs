//! The command line and the composition root: the only place that reads the environment, knows every crate, and decides
//! exit codes. Data goes to stdout, everything else to stderr.

mod agent;
mod approver;
mod arguments;
mod cli;
mod commands;
mod log;
mod session;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use zubi_base::process;
use zubi_exec::script;
use zubi_index::parser;

use crate::cli::Cli;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    // The supervisor of a language server: no command line and no runtime, only its one child.
    if first.as_deref() == Some(OsStr::new(process::SUPERVISOR_ARGUMENT)) {
        return process::supervise(arguments);
    }
    // The process in which a tool's JavaScript runs.
    if first.as_deref() == Some(OsStr::new(script::CHILD_ARGUMENT)) {
        return run_javascript(arguments.next());
    }
    // The process that parses files.
    if first.as_deref() == Some(OsStr::new(parser::CHILD_ARGUMENT)) {
        let ended = parser::child::run_in_child(arguments.next(), std::io::stdin().lock(), std::io::stdout());
        return report_child(ended);
    }
    let result = match Cli::try_parse() {
        Ok(cli) => commands::run(cli),
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// Runs one job from stdin and writes its result to stdout.
fn run_javascript(backends: Option<OsString>) -> ExitCode {
    report_child(script::child::run_in_child(backends, std::io::stdin().lock(), std::io::stdout()))
}

/// Reports the end of a child to zubi's other process.
fn report_child(ended: std::io::Result<()>) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Stderr may be closed.
            drop(writeln!(std::io::stderr(), "zubi: {error}"));
            ExitCode::FAILURE
        }
    }
}
