//! `zubi stop`: stops the daemon of the workspace.

use std::process::ExitCode;
use std::time::Duration;

use camino::Utf8PathBuf;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use zubi_cli::failure::{Failure, NEGATIVE};
use zubi_cli::runtime::block_on;
use zubi_cli::terminal;
use zubi_host::RemoteHost;
use zubi_ipc::discovery::{self, DiscoveryRecord, RunDirectory};
use zubi_ipc::wire::host::{self, HostKind};

use crate::cli::Stop;
use crate::session::{self, CliSession};

/// Time-out for a daemon to end, including the processes that it started.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The interval between checks whether the process has ended; there is no notification for a process that is not a
/// child.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(super) fn run(session: &CliSession, stop: &Stop) -> Result<ExitCode, Failure> {
    let folders = session::canonical(&session.folders)?;
    let run = RunDirectory::open(session.run_directory(), false).map_err(Failure::environment)?;
    let (daemons, others) = select_daemons(run.read().hosts, &folders, stop.all);
    if daemons.is_empty() {
        return Err(nothing_to_end(&others));
    }
    block_on(async {
        let mut failures = Vec::new();
        for daemon in &daemons {
            match end(session, daemon).await {
                Ok(()) => terminal::print_err(&format!("stopped: process {}", daemon.pid)),
                Err(failure) => failures.push(failure),
            }
        }
        combine_failures(failures)
    })?
}

/// Selects the daemons to stop, and other hosts that the user may have meant: hosts of these folders that are not
/// daemons, and daemons that serve these folders among others.
fn select_daemons(
    hosts: Vec<DiscoveryRecord>,
    folders: &[Utf8PathBuf],
    all: bool,
) -> (Vec<DiscoveryRecord>, Vec<DiscoveryRecord>) {
    let is_same = |host: &DiscoveryRecord| folders.iter().map(|folder| folder.as_str()).eq(&host.workspace_folders);
    let has_all = |host: &DiscoveryRecord| {
        folders.iter().all(|folder| host.workspace_folders.iter().any(|other| folder == other.as_str()))
    };
    let near = hosts.into_iter().filter(|host| all || has_all(host));
    near.partition(|host| host.kind == HostKind::Daemon && (all || is_same(host)))
}

fn nothing_to_end(others: &[DiscoveryRecord]) -> Failure {
    let message = "no daemon serves this workspace".to_owned();
    let failure = Failure::Message { code: NEGATIVE, message, hints: Vec::new() };
    match others.first() {
        Some(host) if host.kind == HostKind::Daemon => {
            let named: Vec<_> = host.workspace_folders.iter().map(|folder| format!(" --workspace {folder}")).collect();
            let pid = host.pid;
            failure.hint(format!(
                "Process {pid} serves it together with other folders; `zubi stop{}` stops that daemon.",
                named.concat()
            ))
        }
        Some(host) => failure.hint(format!(
            "Its host has the kind `{}` (process {}) and ends with that process.",
            host.kind.name(),
            host.pid
        )),
        None => failure.hint("`zubi status` lists all hosts; --all stops the daemons of every workspace."),
    }
}

/// Combines the failures into one, or returns success without any.
fn combine_failures(failures: Vec<Failure>) -> Result<ExitCode, Failure> {
    let mut failures = failures.into_iter();
    let Some(first) = failures.next() else { return Ok(ExitCode::SUCCESS) };
    // All failures but the last are reported here, so that each appears with its own hint.
    Err(failures.fold(first, |failure, next| {
        failure.report();
        next
    }))
}

async fn end(session: &CliSession, daemon: &DiscoveryRecord) -> Result<(), Failure> {
    let pid = daemon.pid;
    let failed = |reason: String| {
        Failure::environment(format!("cannot stop the daemon in process {pid}: {reason}"))
            .hint(format!("`kill -KILL {pid}` ends it in any state."))
    };
    let remote = RemoteHost::attach(daemon, &session::client(), &session.wire_environment()).await;
    let remote = remote.map_err(|error| failed(error.to_string()))?;
    let response = remote.request_raw(host::SHUTDOWN, Value::Null, &CancellationToken::new(), TIMEOUT).await;
    response.map_err(|error| failed(error.to_string()))?;
    let process_exit = async {
        while discovery::process_start(pid) == Some(daemon.started_at) {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    let seconds = TIMEOUT.as_secs();
    tokio::time::timeout(TIMEOUT, process_exit)
        .await
        .map_err(|_| failed(format!("it is still running after {seconds} s")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which of these hosts are stopped for a workspace of `/a`, `/b`, and which are near matches.
    fn check(all: bool, expected: (&[u32], &[u32])) {
        let host = |pid: u32, kind: &str, folders: &[&str]| -> DiscoveryRecord {
            let file = serde_json::json!({
                "version": 1, "instance": "aaaaaaaaaaaaaaaa", "pid": pid, "startedAt": 1, "kind": kind,
                "workspaceFolders": folders, "token": "",
            });
            serde_json::from_value(file).unwrap()
        };
        let hosts = vec![
            host(1, "daemon", &["/a", "/b"]),
            host(2, "daemon", &["/b", "/a"]),
            host(3, "daemon", &["/a", "/b", "/c"]),
            host(4, "daemon", &["/a"]),
            host(5, "front", &["/a", "/b"]),
        ];
        let (ended, near) = select_daemons(hosts, &["/a".into(), "/b".into()], all);
        let pids = |hosts: &[DiscoveryRecord]| hosts.iter().map(|host| host.pid).collect::<Vec<_>>();
        assert_eq!((pids(&ended).as_slice(), pids(&near).as_slice()), expected);
    }

    #[test]
    fn only_exact_folders_in_order_match() {
        check(false, (&[1], &[2, 3, 5]));
        check(true, (&[1, 2, 3, 4], &[5]));
    }
}
