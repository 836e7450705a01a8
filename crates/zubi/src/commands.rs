//! The commands, one file each.

mod agent;
mod call;
mod doctor;
pub(crate) mod end;
mod index;
mod ipc;
mod lsp;
mod map;
mod mcp;
mod policy;
mod serve;
mod status;
mod stop;
mod tools;
mod trust;
mod verify;
mod web;

use std::process::ExitCode;

use zubi_cli::failure::Failure;

use crate::cli::{CallToolCommand, Cli, CliCommand};
use crate::session::CliSession;

pub(crate) fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let session = CliSession::open(&cli.global);
    if matches!(cli.command, CliCommand::Verify) {
        return verify::run(session.as_ref());
    }
    if matches!(cli.command, CliCommand::Mcp) {
        return mcp::run(session);
    }
    let session = session?;
    match cli.command {
        CliCommand::Mcp => mcp::run(Ok(session)),
        CliCommand::Serve(serve) => serve::run(&session, &serve),
        CliCommand::Status(status) => status::run(&session, &status),
        CliCommand::Stop(stop) => stop::run(&session, &stop),
        CliCommand::Index(command) => index::run(&session, &command),
        CliCommand::Ipc(ipc) => ipc::run(&session, &ipc),
        CliCommand::Lsp(lsp) => lsp::run(session, &lsp),
        CliCommand::Call(call) => {
            let CallToolCommand::Tool(words) = call.tool;
            call::run(&session, &words)
        }
        CliCommand::Map(map) => map::run(&session, &map),
        CliCommand::Tools(tools) => tools::run(&session, &tools),
        CliCommand::Policy(policy) => policy::run(&session, &policy),
        CliCommand::Agent(agent) => agent::run(&session, &agent),
        CliCommand::Web(web) => web::run(&session, &web),
        CliCommand::Trust(trust) => trust::run(&session, &trust),
        CliCommand::Doctor(doctor) => doctor::run(&session, &doctor),
        CliCommand::Verify => verify::run(Ok(&session)),
    }
}
