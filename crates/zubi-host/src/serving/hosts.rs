//! The `host/*` methods.

use serde_json::Value;
use zubi_base::framing::ResponseError;
use zubi_ipc::wire::codes;
use zubi_ipc::wire::host::{FolderInfo, HostInfo, HostInfoParams, HostStatus};

use super::errors::{error, invalid};
use super::server::{Client, ClientHello, HostServer};
use crate::service::ToolService as _;

/// The maximum length of a client's name, in characters; a longer one is cut.
const MAX_NAME: usize = 200;

/// Stores the identity that the client sends, and returns the host's.
pub(super) fn info(client: &Client, params: HostInfoParams) -> Result<HostInfo, ResponseError> {
    if let Some(protocol) = params.protocol.filter(|protocol| *protocol != zubi_ipc::wire::PROTOCOL) {
        let ours = zubi_ipc::wire::PROTOCOL;
        let version = env!("CARGO_PKG_VERSION");
        let message = format!("this host (zubi {version}) speaks version {ours} of the protocol, not {protocol}");
        return Err(invalid("protocol", message));
    }
    // The name may be printed to a terminal later.
    let name = params.client.map(|name| zubi_base::escape::printable(&name).chars().take(MAX_NAME).collect());
    *client.lock_hello() = ClientHello { name, pid: params.pid };
    client.server.count.send_modify(|_| {});
    Ok(client.server.info())
}

/// Reports the language servers of the host and the connected clients.
pub(super) async fn status(client: &Client) -> HostStatus {
    let server = &client.server;
    HostStatus {
        info: server.info(),
        memory: zubi_base::process::rss_bytes(std::process::id()),
        servers: server.host.servers().await,
        watches: server.host.watches(),
        index: server.host.index_status().await,
        clients: server.client_statuses(),
    }
}

/// Ends the process, if clients may end it.
pub(super) fn shutdown(client: &Client) -> Result<Value, ResponseError> {
    let Some(shutdown_token) = &client.server.shutdown_token else {
        let kind = client.server.identity().kind.name();
        let message = format!("only a daemon ends on request; this host is of the kind `{kind}`");
        return Err(error(codes::INVALID_REQUEST, message));
    };
    shutdown_token.cancel();
    Ok(Value::Bool(true))
}

impl HostServer {
    /// Returns the host's description of itself.
    pub fn info(&self) -> HostInfo {
        let description = self.host.describe();
        let folder = |folder: &zubi_base::workspace::Folder| FolderInfo {
            name: folder.name.clone(),
            path: folder.path.to_string(),
        };
        HostInfo {
            protocol: zubi_ipc::wire::PROTOCOL,
            version: description.version,
            instance: self.identity().instance.clone(),
            pid: std::process::id(),
            kind: self.identity().kind,
            workspace_folders: description.folders.iter().map(folder).collect(),
            trusted: description.trusted,
            environment: self.identity().environment.clone(),
        }
    }
}
