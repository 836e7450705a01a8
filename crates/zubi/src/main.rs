//! The command line and the composition root: the only place that reads the environment, knows every crate, and decides
//! exit codes. Data goes to stdout, everything else to stderr.

mod arguments;
mod ask;
mod cli;
mod commands;
mod log;
mod session;

use std::ffi::OsStr;
use std::process::ExitCode;

use clap::Parser as _;
use zubi_base::process;

use crate::cli::Cli;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    // The supervisor of a language server: no command line, no runtime, nothing but its one child.
    if arguments.next().as_deref() == Some(OsStr::new(process::SUPERVISOR_ARGUMENT)) {
        return process::supervise(arguments);
    }
    let result = match Cli::try_parse() {
        Ok(cli) => commands::run(cli),
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(code) => code,
        Err(failure) => failure.tell(),
    }
}
