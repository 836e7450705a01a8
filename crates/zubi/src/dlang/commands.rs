//! The commands, one file each.

mod explain;
mod fmt;
mod get;
mod init;
mod install;
mod lsp;
mod mcp;
mod query;
mod validate;

use std::io;
use std::process::ExitCode;

use camino::Utf8Path;
use dlang_workspace::files::EXTENSION;
use zubi_cli::failure::Failure;

use crate::cli::{Cli, Command};
use crate::output::Output;

pub(crate) fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    let output = Output::new(&cli.global)?;
    match &cli.command {
        Command::Validate(arguments) => validate::run(&output, arguments),
        Command::Query(arguments) => query::run(&output, arguments),
        Command::Get(arguments) => get::run(&output, arguments),
        Command::Explain(arguments) => explain::run(&output, arguments),
        Command::Fmt(arguments) => fmt::run(&output, arguments),
        Command::Init(arguments) => init::run(&output, arguments),
        Command::Install(arguments) => install::run(&output, arguments),
        Command::Lsp(flags) => lsp::run(flags),
        Command::Mcp(arguments) => mcp::run(&output, arguments),
    }
}

/// The error for a path that does not exist.
pub(crate) fn not_found(given: &Utf8Path) -> Failure {
    Failure::usage(format!("Path not found: {given}")).hint("Pass a folder, or a file that ends in .dlang.")
}

/// The error for a path that exists but cannot be read.
pub(crate) fn unreadable(given: &Utf8Path, error: &io::Error) -> Failure {
    Failure::environment(format!("cannot read `{given}`: {error}"))
        .hint("Check its permissions, and that links lead to existing files.")
}

/// Fails for a folder that cannot be read, because dlang could not determine whether it is empty.
pub(crate) fn ensure_readable_dir(given: &Utf8Path, folder: &Utf8Path) -> Result<(), Failure> {
    std::fs::read_dir(folder).map(drop).map_err(|error| unreadable(given, &error))
}

/// The error for a file that is not a model.
pub(crate) fn wrong_extension(given: &Utf8Path) -> Failure {
    if given.extension() == Some(EXTENSION) {
        return Failure::usage(format!("`{given}` is neither a file nor a folder"));
    }
    Failure::usage("Invalid file extension. Expected: .dlang").hint(format!("`{given}` is not a DomainLang file."))
}
