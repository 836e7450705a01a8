//! The commands, one file each, and the runtime they share.

mod call;
mod doctor;
mod mcp;
mod tools;
mod trust;

use std::process::ExitCode;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use zubi_cli::failure::Failure;
use zubi_host::{LocalHost, ToolService as _};

use crate::cli::{CallTool, Cli, Command};
use crate::session::Session;

/// How long ending the language servers may take before the process ends without waiting: their supervisors kill what is
/// left once we are gone.
const SHUTDOWN: Duration = Duration::from_millis(300);

/// Stack of a thread for blocking work, in bytes. The deepest recursion is a directory walk's.
const STACK: usize = 1024 * 1024;

pub(crate) fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let session = Session::open(&cli.global)?;
    match cli.command {
        Command::Mcp => mcp::run(&session),
        Command::Call(call) => {
            let CallTool::Tool(words) = call.tool;
            call::run(&session, &words)
        }
        Command::Tools(tools) => tools::run(&session, &tools),
        Command::Trust(trust) => trust::run(&session, &trust),
        Command::Doctor(doctor) => doctor::run(&session, &doctor),
    }
}

/// Runs a command's work and ends without waiting for threads that hang in a read.
fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = runtime()?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    Ok(result)
}

/// One thread drives the servers' pipes and the tools: the work is waiting, and waking another thread costs more than
/// what it would do. What blocks (walks, searches, hashing of programs) goes to threads for blocking work.
fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(|error| Failure::environment(format!("cannot start the runtime: {error}")))
}

/// Ends what the host started, within a bound.
async fn end(host: &LocalHost) {
    if tokio::time::timeout(SHUTDOWN, host.shutdown()).await.is_err() {
        tracing::debug!("servers were still ending; their supervisors see to it");
    }
}

/// A token that is cancelled by Ctrl-C, SIGTERM or the terminal's end.
fn on_interrupt() -> Result<CancellationToken, Failure> {
    let token = CancellationToken::new();
    let interrupted = token.clone();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let listen =
            |kind| signal(kind).map_err(|error| Failure::environment(format!("cannot listen to signals: {error}")));
        let (mut int, mut term, mut hup) =
            (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?, listen(SignalKind::hangup())?);
        tokio::spawn(async move {
            tokio::select! {
                _ = int.recv() => {}
                _ = term.recv() => {}
                _ = hup.recv() => {}
            }
            interrupted.cancel();
        });
    }
    #[cfg(not(unix))]
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            interrupted.cancel();
        }
    });
    Ok(token)
}
