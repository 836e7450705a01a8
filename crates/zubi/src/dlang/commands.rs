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

use std::process::ExitCode;

use zubi_cli::failure::Failure;

use crate::cli::{Cli, DlangCommand};
use crate::output::DlangOutput;

pub(crate) fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    let output = DlangOutput::new(&cli.global)?;
    match &cli.command {
        DlangCommand::Validate(arguments) => validate::run(&output, arguments),
        DlangCommand::Query(arguments) => query::run(&output, arguments),
        DlangCommand::Get(arguments) => get::run(&output, arguments),
        DlangCommand::Explain(arguments) => explain::run(&output, arguments),
        DlangCommand::Fmt(arguments) => fmt::run(&output, arguments),
        DlangCommand::Init(arguments) => init::run(&output, arguments),
        DlangCommand::Install(arguments) => install::run(&output, arguments),
        DlangCommand::Lsp(flags) => lsp::run(flags),
        DlangCommand::Mcp(arguments) => mcp::run(&output, arguments),
    }
}
