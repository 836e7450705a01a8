//! The commands, one file each, and the runtime they share.

mod agent;
mod call;
mod doctor;
mod ipc;
mod lsp;
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
use std::time::Duration;

use zubi_cli::failure::Failure;
use zubi_host::ToolService;

use crate::cli::{CallToolCommand, Cli, CliCommand};
use crate::session::CliSession;

/// How long ending the language servers may take before the process exits without waiting; their supervisors then kill
/// the remaining ones.
const SHUTDOWN: Duration = Duration::from_millis(300);

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
        CliCommand::Ipc(ipc) => ipc::run(&session, &ipc),
        CliCommand::Lsp(lsp) => lsp::run(session, &lsp),
        CliCommand::Call(call) => {
            let CallToolCommand::Tool(words) = call.tool;
            call::run(&session, &words)
        }
        CliCommand::Tools(tools) => tools::run(&session, &tools),
        CliCommand::Policy(policy) => policy::run(&session, &policy),
        CliCommand::Agent(agent) => agent::run(&session, &agent),
        CliCommand::Web(web) => web::run(&session, &web),
        CliCommand::Trust(trust) => trust::run(&session, &trust),
        CliCommand::Doctor(doctor) => doctor::run(&session, &doctor),
        CliCommand::Verify => verify::run(Ok(&session)),
    }
}

/// Ends the processes that the host started, within a time limit.
pub(crate) async fn end(host: &dyn ToolService) {
    if tokio::time::timeout(SHUTDOWN, host.shutdown()).await.is_err() {
        tracing::debug!("servers were still ending; their supervisors see to it");
    }
}
