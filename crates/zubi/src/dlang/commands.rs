//! The commands, one file each.

mod fmt;
mod init;
mod install;

use std::process::ExitCode;

use camino::Utf8Path;
use zubi_cli::failure::Failure;

use crate::cli::{Cli, Command};
use crate::output::Output;

pub(crate) fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    let output = Output::new(&cli.global)?;
    match &cli.command {
        Command::Fmt(arguments) => fmt::run(&output, arguments),
        Command::Init(arguments) => init::run(&output, arguments),
        Command::Install(arguments) => install::run(&output, arguments),
        _ => Err(Failure::environment("not joined yet")),
    }
}

/// A path that leads to nothing. As the existing program says it.
fn not_found(given: &Utf8Path) -> Failure {
    Failure::usage(format!("Path not found: {given}")).hint("Name a folder, or a file that ends in .dlang.")
}

/// A file that is no model. As the existing program says it.
fn wrong_extension(given: &Utf8Path) -> Failure {
    Failure::usage("Invalid file extension. Expected: .dlang").hint(format!("`{given}` is no DomainLang file."))
}
