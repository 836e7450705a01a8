//! `zubi status`: the hosts of this user, their language servers and their clients.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::escape::printable;
use zubi_base::text::pluralize;
use zubi_cli::failure::Failure;
use zubi_cli::runtime::block_on;
use zubi_cli::terminal;
use zubi_host::RemoteHost;
use zubi_ipc::discovery::{DiscoveryRecord, RunDirectory};
use zubi_ipc::wire::host::{self, ClientStatus, HostStatus, IndexStatus, ServerStatus, WatchStatus};

use crate::cli::StatusArgs;
use crate::session::{self, CliSession};

/// Time-out for a host to report on its processes.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A host with a discovery record that does not respond as a host.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Unreachable {
    pid: u32,
    kind: host::HostKind,
    workspace_folders: Vec<String>,
    #[serde(rename = "why")]
    reason: String,
}

pub(super) fn run(session: &CliSession, status: &StatusArgs) -> Result<ExitCode, Failure> {
    let run = RunDirectory::open(session.run_directory(), false).map_err(Failure::environment)?;
    let found = run.read();
    let (hosts, unreachable) = block_on(async {
        let mut all = Vec::new();
        for found in &found.hosts {
            all.push(tokio::spawn(query_host(found.clone(), session.wire_environment())));
        }
        let (mut hosts, mut unreachable) = (Vec::new(), Vec::new());
        for (found, answer) in found.hosts.iter().zip(all) {
            match answer.await.map_err(Failure::environment)? {
                Ok(status) => hosts.push(status),
                Err(reason) => unreachable.push(Unreachable {
                    pid: found.pid,
                    kind: found.kind,
                    workspace_folders: found.workspace_folders.clone(),
                    reason,
                }),
            }
        }
        Ok::<_, Failure>((hosts, unreachable))
    })??;
    if status.json {
        let rejected: Vec<Value> =
            found.rejected.iter().map(|file| json!({ "file": file.file, "why": file.reason })).collect();
        terminal::print_json(&json!({ "hosts": hosts, "unreachable": unreachable, "disbelieved": rejected }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for file in &found.rejected {
        let (file, reason) = (printable(file.file.as_str()), printable(&file.reason));
        terminal::print_err(&format!("warning: ignoring `{file}`: {reason}"));
    }
    if hosts.is_empty() && unreachable.is_empty() {
        terminal::print(
            "no host is running: `zubi serve` starts one, and the first `zubi mcp` in a folder becomes one",
        )?;
    }
    let mut pages: Vec<String> = hosts.iter().map(page).collect();
    pages.extend(unreachable.iter().map(silent));
    if !pages.is_empty() {
        terminal::print(&pages.join("\n\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn query_host(found: DiscoveryRecord, environment: host::HostEnvironment) -> Result<HostStatus, String> {
    let remote =
        RemoteHost::attach(&found, &session::client(), &environment).await.map_err(|error| error.to_string())?;
    let answer = remote.request_raw(host::STATUS, Value::Null, &CancellationToken::new(), TIMEOUT).await;
    let answer = answer.map_err(|error| error.to_string())?;
    serde_json::from_value(answer).map_err(|error| format!("invalid response: {error}"))
}

/// Renders a host that does not respond. Names and reasons come from hosts and clients, so they are escaped and stay on
/// their line.
fn silent(host: &Unreachable) -> String {
    let folders = host.workspace_folders.join(", ");
    let (folders, reason) = (printable(&folders), printable(&host.reason));
    format!("{} · process {} · {folders}\n  does not answer: {reason}", host.kind.name(), host.pid)
}

fn page(status: &HostStatus) -> String {
    let info = &status.info;
    let version = printable(&info.version);
    let mut text = format!("{} · process {} · zubi {version}", info.kind.name(), info.pid);
    if let Some(memory) = status.memory {
        let _ = write!(text, " · {}", megabytes(memory));
    }
    let trusted = if info.trusted { "" } else { " (not trusted)" };
    for folder in &info.workspace_folders {
        let _ = write!(text, "\n  {}{trusted}", printable(&folder.path));
    }
    for server in &status.servers {
        let _ = write!(text, "\n  {}", printable(&server_line(server)));
    }
    if status.servers.is_empty() {
        text.push_str("\n  no language servers are running");
    }
    if let Some(watches) = &status.watches {
        let _ = write!(text, "\n  {}", watch_line(watches));
    }
    if let Some(index) = &status.index {
        let _ = write!(text, "\n  {}", printable(&index_line(index)));
        for failure in &index.failed_imports {
            let _ = write!(text, "\n  exact data not imported: {}", printable(failure));
        }
    }
    // This command is one of the clients.
    let own = Some(std::process::id());
    for client in status.clients.iter().filter(|client| client.pid != own) {
        let _ = write!(text, "\n  {}", printable(&client_line(client)));
    }
    text
}

fn server_line(server: &ServerStatus) -> String {
    let process = server.pid.map(|pid| format!(" · process {pid}")).unwrap_or_default();
    let memory = server.memory.map(|bytes| format!(" · {}", megabytes(bytes))).unwrap_or_default();
    format!("{} · {}{process}{memory} · {}", server.id, server.state, server.root)
}

fn watch_line(watches: &WatchStatus) -> String {
    let WatchStatus { directories, packages, package_limit, unwatched } = watches;
    let rest = if *unwatched == 0 {
        String::new()
    } else {
        format!(" · {unwatched} not watched: zubi does not notice changes in them")
    };
    format!("watches {directories} directories, {packages} of them with packages (at most {package_limit}){rest}")
}

fn index_line(index: &IndexStatus) -> String {
    format!("index of {}, {} · {}", pluralize(index.files, "file"), megabytes(index.bytes), index.state)
}

fn client_line(client: &ClientStatus) -> String {
    let name = client.client.as_deref().unwrap_or("a client without a name");
    let process = client.pid.map(|pid| format!(" · process {pid}")).unwrap_or_default();
    format!("client: {name}{process} · over the {} · for {} s", client.transport, client.connected)
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_line_breaks_stay_on_their_lines() {
        let reason = "gone\naway".to_owned();
        let workspace_folders = vec!["/a\n  client: b".to_owned()];
        let host = Unreachable { pid: 7, kind: host::HostKind::Daemon, workspace_folders, reason };
        insta::assert_snapshot!(silent(&host), @r"
        daemon · process 7 · /a\n  client: b
          does not answer: gone\naway
        ");
        let status = serde_json::json!({
            "version": "1\n2", "protocol": 1, "instance": "aaaaaaaaaaaaaaaa", "kind": "daemon", "pid": 7,
            "workspaceFolders": [{"path": "/a\n/b", "name": "a"}], "trusted": true, "servers": [],
            "watches": {"directories": 7, "packages": 2, "packageLimit": 2000, "unwatched": 1},
            "index": {"files": 1200, "bytes": 1_500_000, "state": "building,\n900 of 1200 files",
                "failedImports": ["/a/index.scip: it is\nbroken"]},
            "clients": [{"client": "c\nd", "pid": 8, "over": "socket", "connected": 1}],
        });
        let status: HostStatus = serde_json::from_value(status).unwrap();
        insta::assert_snapshot!(page(&status), @r"
        daemon · process 7 · zubi 1\n2
          /a\n/b
          no language servers are running
          watches 7 directories, 2 of them with packages (at most 2000) · 1 not watched: zubi does not notice changes in them
          index of 1200 files, 2 MB · building,\n900 of 1200 files
          exact data not imported: /a/index.scip: it is\nbroken
          client: c\nd · process 8 · over the socket · for 1 s
        ");
    }
}
