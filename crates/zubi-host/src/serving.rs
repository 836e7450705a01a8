//! A host as other processes see it: the methods of the protocol over a [`LocalHost`].
//!
//! [`HostServer`] is shared by all connections, [`Client`] belongs to one of them. Every request runs as its own task,
//! so that a slow one does not delay later ones. Over the port, clients can only read.

mod approvals;
mod contributed;
mod hosts;
mod in_process;
mod methods;
mod sessions;
mod shared;
mod tools;

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

use crate::contributed::Contributions;
use crate::local::LocalHost;
use crate::service::ToolService as _;

use self::sessions::Sessions;
pub use self::shared::{PublishOptions, PublishedHost};

/// The identity that a host presents to others.
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
    /// Restrictions for clients that send none of their own: the settings of the user and the workspace. A zubi client
    /// has read the same settings, and its flags may override them.
    pub default_restrictions: Restrictions,
}

/// A host and its connected clients.
pub struct HostServer {
    host: Arc<LocalHost>,
    identity: Identity,
    limits: ClientPolicy,
    /// Ends the process, if clients may request that.
    shutdown_token: Option<CancellationToken>,
    /// The clients, by the number of their connection.
    clients: Mutex<BTreeMap<u64, Arc<Client>>>,
    /// The number of connected clients; sent again when one of them has identified itself.
    count: watch::Sender<usize>,
    me: Weak<Self>,
}

/// One connection.
pub(crate) struct Client {
    server: Arc<HostServer>,
    peer: ConnectedPeer,
    hello: Mutex<ClientHello>,
    connection: Connection,
    contributions: Contributions,
    sessions: Sessions,
    me: Weak<Self>,
}

/// The details that a client has sent about itself.
#[derive(Debug, Clone, Default)]
struct ClientHello {
    name: Option<String>,
    pid: Option<u32>,
}

impl HostServer {
    /// `ends` is cancelled when a client requests the end of the host; without it, no client can end the host.
    pub fn new(
        host: Arc<LocalHost>,
        identity: Identity,
        limits: ClientPolicy,
        shutdown_token: Option<CancellationToken>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            host,
            identity,
            limits,
            shutdown_token,
            clients: Mutex::default(),
            count: watch::Sender::new(0),
            me: Weak::clone(me),
        })
    }

    /// The number of connected clients. It is also sent again, unchanged, when one of them has identified itself.
    pub fn client_count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The connected clients, in the order in which they connected.
    pub fn client_statuses(&self) -> Vec<ClientStatus> {
        self.clients().values().map(|client| hosts::client_status(client)).collect()
    }

    fn clients(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Client>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionHandler for HostServer {
    fn peer_connected(&self, peer: ConnectedPeer, connection: Connection) -> Arc<dyn PeerHandler> {
        // The caller holds the `Arc`, so this upgrade succeeds.
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

/// A handler that answers nothing, as a host that has ended.
struct EndedHostHandler;

impl PeerHandler for EndedHostHandler {
    fn notification(&self, _method: &str, _params: Value) {}

    fn request(&self, _method: &str, _params: Value, responder: Responder) {
        drop(responder);
    }
}

impl Client {
    fn lock_hello(&self) -> MutexGuard<'_, ClientHello> {
        self.hello.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self) -> Option<String> {
        self.lock_hello().name.clone()
    }

    fn is_on_port(&self) -> bool {
        self.peer.channel == Transport::Port
    }

    /// The restrictions that hold for every request over this connection.
    fn restrictions(&self) -> Restrictions {
        let port = Restrictions { read_only: self.is_on_port(), ..Restrictions::default() };
        self.server.limits.always.combine(&port)
    }
}

impl PeerHandler for Client {
    fn notification(&self, method: &str, _params: Value) {
        tracing::debug!(method, "an unknown notification");
    }

    fn request(&self, method: &str, params: Value, responder: Responder) {
        let Some(client) = self.me.upgrade() else { return };
        let method = method.to_owned();
        tokio::spawn(async move {
            let cancel = responder.cancel().clone();
            let answer = methods::answer(&client, &method, params, cancel).await;
            responder.answer(answer);
        });
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
