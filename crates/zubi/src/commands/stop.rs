//! `zubi stop`: ends the daemon of the workspace.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use zubi_cli::failure::{Failure, NEGATIVE};
use zubi_cli::runtime::block_on;
use zubi_cli::terminal;
use zubi_host::RemoteHost;
use zubi_link::discovery::{self, Advertisement, RunDirectory};
use zubi_link::wire::host::{self, HostKind};

use crate::cli::Stop;
use crate::session::{self, Session};

/// How long a daemon may take to end: what it started is ended first.
const PATIENCE: Duration = Duration::from_secs(10);

/// Between looks whether its process has ended; nobody tells of the end of a process that is not one's child.
const LOOK: Duration = Duration::from_millis(20);

pub(super) fn run(session: &Session, stop: &Stop) -> Result<ExitCode, Failure> {
    let folders = session::canonical(&session.folders)?;
    let run = RunDirectory::open(session.run_directory(), false).map_err(Failure::environment)?;
    let is_ours = |host: &Advertisement| {
        stop.all || folders.iter().all(|folder| host.workspace_folders.iter().any(|other| folder == other.as_str()))
    };
    let hosts: Vec<Advertisement> = run.read().hosts.into_iter().filter(is_ours).collect();
    let (daemons, others): (Vec<_>, Vec<_>) = hosts.into_iter().partition(|host| host.kind == HostKind::Daemon);
    if daemons.is_empty() {
        let failure =
            Failure::Told { code: NEGATIVE, message: "no daemon serves this workspace".to_owned(), hints: Vec::new() };
        return Err(match others.first() {
            Some(host) => failure.hint(format!(
                "Its host is of the kind `{}` (process {}) and ends with that process.",
                host.kind.name(),
                host.pid
            )),
            None => failure.hint("`zubi status` shows all hosts; --all means the daemons of every workspace."),
        });
    }
    block_on(async {
        for daemon in &daemons {
            end(session, daemon).await?;
            terminal::say(&format!("ended: process {}", daemon.pid));
        }
        Ok(ExitCode::SUCCESS)
    })?
}

async fn end(session: &Session, daemon: &Advertisement) -> Result<(), Failure> {
    let pid = daemon.pid;
    let failed = |why: String| {
        Failure::environment(format!("the daemon in process {pid} cannot be ended: {why}"))
            .hint(format!("`kill {pid}` ends it as well."))
    };
    let remote = RemoteHost::attach(daemon, &session::client(), &session.shown_environment()).await;
    let remote = remote.map_err(|error| failed(error.to_string()))?;
    let asked = remote.ask_raw(host::SHUTDOWN, Value::Null, &CancellationToken::new(), PATIENCE).await;
    asked.map_err(|error| failed(error.to_string()))?;
    let gone = async {
        while discovery::process_start(pid) == Some(daemon.started_at) {
            tokio::time::sleep(LOOK).await;
        }
    };
    let seconds = PATIENCE.as_secs();
    tokio::time::timeout(PATIENCE, gone).await.map_err(|_| failed(format!("it is still there after {seconds} s")))
}
