//! A host and its clients: [`HostServer`] is shared by all connections, [`Client`] belongs to one of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use zubi_base::rpc::{Connection, PeerHandler, Responder};
use zubi_ipc::listener::{ConnectedPeer, ConnectionHandler, Transport};
use zubi_ipc::wire;
use zubi_ipc::wire::host::{ClientStatus, HostEnvironment, HostKind};
use zubi_tool_api::cx::Restrictions;

use super::sessions::Sessions;
use crate::contributed::Contributions;
use crate::local::LocalHost;
use crate::service::ToolService as _;

/// The identity of a host.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The host's name, unique among all hosts of this user.
    pub instance: String,
    pub kind: HostKind,
    pub environment: HostEnvironment,
}

/// Restrictions for clients.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientPolicy {
    /// Restrictions that always apply.
    pub always: Restrictions,
    /// Restrictions for clients that send none: the settings of the user and the workspace. A zubi client has read the
    /// same settings, and its flags may override them.
    pub default_restrictions: Restrictions,
}

/// A host and its connected clients.
pub struct HostServer {
    pub(super) host: Arc<LocalHost>,
    identity: Identity,
    pub(super) client_policy: ClientPolicy,
    /// Cancelled to end the process; `None` if clients may not request that.
    pub(super) shutdown_token: Option<CancellationToken>,
    /// The clients by the number of their connection.
    clients: Mutex<BTreeMap<u64, Arc<Client>>>,
    /// The number of connected clients; sent again when a client has identified itself.
    pub(super) count: watch::Sender<usize>,
    me: Weak<Self>,
}

/// One connection.
pub(super) struct Client {
    pub(super) server: Arc<HostServer>,
    peer: ConnectedPeer,
    hello: Mutex<ClientHello>,
    pub(super) connection: Connection,
    pub(super) contributions: Contributions,
    pub(super) sessions: Sessions,
    pub(super) me: Weak<Self>,
}

/// The identity that a client has sent.
#[derive(Debug, Clone, Default)]
pub(super) struct ClientHello {
    pub(super) name: Option<String>,
    pub(super) pid: Option<u32>,
}

impl HostServer {
    /// `shutdown_token` is cancelled when a client requests the end of the host; without it, no client can end the
    /// host.
    pub fn new(
        host: Arc<LocalHost>,
        identity: Identity,
        client_policy: ClientPolicy,
        shutdown_token: Option<CancellationToken>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            host,
            identity,
            client_policy,
            shutdown_token,
            clients: Mutex::default(),
            count: watch::Sender::new(0),
            me: Weak::clone(me),
        })
    }

    /// Returns the number of connected clients, which is sent again, unchanged, when a client has identified itself.
    pub fn client_count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns the connected clients in the order of their connection.
    pub fn client_statuses(&self) -> Vec<ClientStatus> {
        self.clients().values().map(|client| client_status(client)).collect()
    }

    fn clients(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Client>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionHandler for HostServer {
    fn peer_connected(&self, peer: ConnectedPeer, connection: Connection) -> Arc<dyn PeerHandler> {
        // The caller has an `Arc` of this server, so this upgrade succeeds.
        let Some(server) = self.me.upgrade() else { return Arc::new(EndedHostHandler) };
        let client = Arc::new_cyclic(|me| Client {
            server,
            peer,
            hello: Mutex::default(),
            connection,
            contributions: Contributions::new(self.host.registrar()),
            sessions: Sessions::new(peer.id),
            me: Weak::clone(me),
        });
        if peer.channel == Transport::Socket {
            tokio::spawn(notify_changes(self.host.changes(), Arc::downgrade(&client)));
        }
        self.clients().insert(peer.id, Arc::clone(&client));
        self.count.send_replace(self.clients().len());
        client
    }

    fn peer_disconnected(&self, peer: &ConnectedPeer, why: &str) {
        tracing::debug!(id = peer.id, why, "a client has gone");
        let removed = self.clients().remove(&peer.id);
        if let Some(client) = removed {
            client.contributions.clear();
            for session in client.sessions.active_numbers() {
                self.host.registry().end_session(session);
            }
        }
        self.count.send_replace(self.clients().len());
    }
}

/// The handler of a host that has ended, which answers nothing.
struct EndedHostHandler;

impl PeerHandler for EndedHostHandler {
    fn notification(&self, _method: &str, _params: Value) {}

    fn request(&self, _method: &str, _params: Value, responder: Responder) {
        drop(responder);
    }
}

impl Client {
    pub(super) fn lock_hello(&self) -> MutexGuard<'_, ClientHello> {
        self.hello.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn name(&self) -> Option<String> {
        self.lock_hello().name.clone()
    }

    pub(super) fn is_on_port(&self) -> bool {
        self.peer.channel == Transport::Port
    }

    /// Returns the restrictions of every request over this connection.
    pub(super) fn restrictions(&self) -> Restrictions {
        let port = Restrictions { read_only: self.is_on_port(), ..Restrictions::default() };
        self.server.client_policy.always.combine(&port)
    }
}

/// Notifies a client whenever the list of tools has changed.
async fn notify_changes(mut changes: watch::Receiver<u64>, client: Weak<Client>) {
    changes.mark_unchanged();
    let Some(mut closed) = client.upgrade().map(|client| client.connection.closed_reason()) else { return };
    loop {
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            _ = closed.wait_for(Option::is_some) => return,
        }
        let Some(client) = client.upgrade() else { return };
        if client.connection.notify(wire::tools::CHANGED, Value::Null).is_err() {
            return;
        }
    }
}

fn client_status(client: &Client) -> ClientStatus {
    let hello = client.lock_hello().clone();
    ClientStatus {
        client: hello.name,
        pid: client.peer.pid.or(hello.pid),
        transport: match client.peer.channel {
            Transport::Socket => "socket".to_owned(),
            Transport::Port => "port".to_owned(),
        },
        connected: client.peer.connected_at.elapsed().as_secs(),
    }
}
