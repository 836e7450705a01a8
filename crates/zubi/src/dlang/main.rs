//! The command `dlang`: DomainLang models on the command line.
//!
//! Data goes to stdout, everything else to stderr. With `--json` stdout is always JSON: a failure is an object with
//! `success: false`, the error, and its hints; stderr has the same as text.

mod cli;
mod commands;
mod excerpt;
mod interrupt;
mod load;
mod output;
mod path_error;
mod table;
mod yaml;

use std::ffi::OsStr;
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory as _, FromArgMatches as _};
use zubi_cli::failure::Failure;
use zubi_cli::terminal;

use crate::cli::Cli;
use crate::output::DlangOutput;

fn main() -> ExitCode {
    match parse().and_then(|cli| commands::run(&cli)) {
        Ok(code) => code,
        Err(failure) => {
            if is_typed("--json")
                && let Some(error) = failure.to_json()
            {
                // If stdout cannot be written, the report on stderr below must suffice.
                drop(terminal::print_json(&error));
            }
            failure.report()
        }
    }
}

fn parse() -> Result<Cli, Failure> {
    // The colour of error messages must be known before the arguments are parsed.
    let colour =
        if is_typed("--no-color") || DlangOutput::is_colour_off() { ColorChoice::Never } else { ColorChoice::Auto };
    let matches = Cli::command().color(colour).try_get_matches()?;
    Ok(Cli::from_arg_matches(&matches)?)
}

/// Whether a flag is among the arguments, before any `--`.
fn is_typed(flag: &str) -> bool {
    std::env::args_os().skip(1).take_while(|word| word != OsStr::new("--")).any(|word| word == OsStr::new(flag))
}
