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

use crate::cli::{CallTool, Cli, Command};
use crate::session::Session;

/// How long ending the language servers may take before the process exits without waiting; their supervisors then kill
/// the remaining ones.
const SHUTDOWN: Duration = Duration::from_millis(300);

pub(crate) fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let session = Session::open(&cli.global);
    if matches!(cli.command, Command::Verify) {
        return verify::run(session.as_ref());
    }
    if matches!(cli.command, Command::Mcp) {
        return mcp::run(session);
    }
    let session = session?;
    match cli.command {
        Command::Mcp => mcp::run(Ok(session)),
        Command::Serve(serve) => serve::run(&session, &serve),
        Command::Status(status) => status::run(&session, &status),
        Command::Stop(stop) => stop::run(&session, &stop),
        Command::Ipc(ipc) => ipc::run(&session, &ipc),
        Command::Lsp(lsp) => lsp::run(session, &lsp),
        Command::Call(call) => {
            let CallTool::Tool(words) = call.tool;
            call::run(&session, &words)
        }
        Command::Tools(tools) => tools::run(&session, &tools),
        Command::Policy(policy) => policy::run(&session, &policy),
        Command::Agent(agent) => agent::run(&session, &agent),
        Command::Web(web) => web::run(&session, &web),
        Command::Trust(trust) => trust::run(&session, &trust),
        Command::Doctor(doctor) => doctor::run(&session, &doctor),
        Command::Verify => verify::run(Ok(&session)),
    }
}

/// Ends the processes that the host started, within a time limit.
pub(crate) async fn end(host: &dyn ToolService) {
    if tokio::time::timeout(SHUTDOWN, host.shutdown()).await.is_err() {
        tracing::debug!("servers were still ending; their supervisors see to it");
    }
}
