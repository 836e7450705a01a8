//! A host as other processes see it: the methods of the protocol over a [`LocalHost`].
//!
//! [`Serving`] is what all connections share, [`Client`] what one of them has. Every request runs as a task of its own, so that a
//! slow one delays none after it. Over the port a client can look, and nothing else.

mod approvals;
mod contributed;
mod in_process;
mod hosts;
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
use zubi_ipc::listener::{Transport, Peer, ConnectionHandler};
use zubi_ipc::wire;
use zubi_ipc::wire::host::{ClientStatus, Environment, HostKind};
use zubi_tool_api::cx::Restrictions;

use crate::contributed::Contributions;
use crate::local::LocalHost;
use crate::service::ToolService as _;

use self::sessions::Sessions;
pub use self::shared::{PublishedHost, PublishOptions};

/// Who a host is for others.
#[derive(Debug, Clone)]
pub struct Identity {
    /// Names the host among all of this user.
    pub instance: String,
    pub kind: HostKind,
    pub environment: Environment,
}

/// What clients may not do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientPolicy {
    /// Whatever they say of themselves.
    pub always: Restrictions,
    /// Those who say nothing of their own: what the settings of the user and the workspace say. A front has read the same
    /// settings, and its flags may beat them.
    pub unless_said: Restrictions,
}

/// A host and who is connected to it.
pub struct HostServer {
    host: Arc<LocalHost>,
    identity: Identity,
    limits: ClientPolicy,
    /// Ends the process, where others may ask for that.
    ends: Option<CancellationToken>,
    /// By the number of their connection.
    clients: Mutex<BTreeMap<u64, Arc<Client>>>,
    /// How many are connected; told anew when one of them has said who it is.
    count: watch::Sender<usize>,
    me: Weak<Self>,
}

/// One connection.
pub(crate) struct Client {
    serving: Arc<HostServer>,
    peer: Peer,
    said: Mutex<ClientHello>,
    connection: Connection,
    contributions: Contributions,
    sessions: Sessions,
    me: Weak<Self>,
}

/// What a client has said of itself.
#[derive(Debug, Clone, Default)]
struct ClientHello {
    name: Option<String>,
    pid: Option<u32>,
}

impl HostServer {
    /// `ends` is cancelled when a client asks the host to end; without it none can.
    pub fn new(host: Arc<LocalHost>, identity: Identity, limits: ClientPolicy, ends: Option<CancellationToken>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            host,
            identity,
            limits,
            ends,
            clients: Mutex::default(),
            count: watch::Sender::new(0),
            me: Weak::clone(me),
        })
    }

    /// How many clients are connected. It also changes, to the same number, when one of them has said who it is.
    pub fn client_count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Who is connected, in the order in which they came.
    pub fn client_statuses(&self) -> Vec<ClientStatus> {
        self.clients().values().map(|client| hosts::of_client(client)).collect()
    }

    fn clients(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Client>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionHandler for HostServer {
    fn peer_connected(&self, peer: Peer, connection: Connection) -> Arc<dyn PeerHandler> {
        // It is asked through the `Arc`, so there is one.
        let Some(serving) = self.me.upgrade() else { return Arc::new(Nobody) };
        let client = Arc::new_cyclic(|me| Client {
            serving,
            peer,
            said: Mutex::default(),
            connection,
            contributions: Contributions::new(self.host.registrar()),
            sessions: Sessions::new(peer.id),
            me: Weak::clone(me),
        });
        if peer.channel == Transport::Socket {
            tokio::spawn(tell_changes(self.host.changes(), Arc::downgrade(&client)));
        }
        self.clients().insert(peer.id, Arc::clone(&client));
        self.count.send_replace(self.clients().len());
        client
    }

    fn peer_disconnected(&self, peer: &Peer, why: &str) {
        tracing::debug!(id = peer.id, why, "a client has gone");
        let gone = self.clients().remove(&peer.id);
        if let Some(client) = gone {
            client.contributions.clear();
            for session in client.sessions.all() {
                self.host.registry().end_session(session);
            }
        }
        self.count.send_replace(self.clients().len());
    }
}

/// Answers nothing; its requests are answered as by a host that has ended.
struct Nobody;

impl PeerHandler for Nobody {
    fn notification(&self, _method: &str, _params: Value) {}

    fn request(&self, _method: &str, _params: Value, responder: Responder) {
        drop(responder);
    }
}

impl Client {
    fn lock_hello(&self) -> MutexGuard<'_, ClientHello> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self) -> Option<String> {
        self.lock_hello().name.clone()
    }

    fn is_on_port(&self) -> bool {
        self.peer.channel == Transport::Port
    }

    /// What holds for every question over this connection.
    fn restrictions(&self) -> Restrictions {
        let port = Restrictions { read_only: self.is_on_port(), ..Restrictions::default() };
        self.serving.limits.always.combine(&port)
    }
}

impl PeerHandler for Client {
    fn notification(&self, method: &str, _params: Value) {
        tracing::debug!(method, "a notification that means nothing here");
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

/// Tells a client whenever the list of tools is another one.
async fn tell_changes(mut changes: watch::Receiver<u64>, client: Weak<Client>) {
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
