//! Listener of a host: a Unix socket that only this user can open, and a loopback port for read-only access.
//!
//! ```text
//! let listener = Listener::bind(&run, ListenerConfig { instance, port })?;   // within a tokio runtime
//! let record = DiscoveryRecord { socket: Some(listener.socket().into()), port: listener.port(), … };
//! let published = run.publish(&record)?;
//! listener.serve(host, stop).await;     // until `stop`; then removes the socket and closes every connection
//! ```
//!
//! For every authenticated connection, [`ConnectionHandler::peer_connected`] receives the [`ConnectedPeer`] and the
//! [`Connection`] back to it, and returns the handler of its messages; no message is read before that. The handler may
//! store the connection. [`ConnectionHandler::peer_disconnected`] follows exactly once.

use std::io;
use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use tokio::net::{TcpListener, UnixListener};
use tokio_util::sync::CancellationToken;
use zubi_base::rpc::{Connection, PeerHandler};

use self::accept::Acceptor;
use crate::auth::Bytes32;
use crate::discovery::{RemoveOnDrop, RunDirectory};

mod accept;
mod pending;

/// The first port to try. Clients read the port from the discovery file; users can name a fixed default in a firewall
/// or a port forwarding.
pub const DEFAULT_PORT: u16 = 9847;

/// Number of ports after the first to try before an arbitrary one.
const MORE_PORTS: u16 = 10;

/// Transport over which a peer has connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// The Unix socket: a process of the same user, with full access.
    Socket,
    /// The loopback port: a process that can read the discovery file, with read-only access.
    Port,
}

/// A connected, authenticated peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectedPeer {
    /// Unique within the listener.
    pub id: u64,
    pub channel: Transport,
    /// Process id of the peer; only over the socket, and only if the system provides it.
    pub pid: Option<u32>,
    pub connected_at: Instant,
}

/// Handler of the connections that a [`Listener`] accepts.
pub trait ConnectionHandler: Send + Sync {
    /// Called when a peer has connected and authenticated; the returned handler receives its messages. Must not block.
    fn peer_connected(&self, peer: ConnectedPeer, connection: Connection) -> Arc<dyn PeerHandler>;

    /// Called once the connection and all its pending requests have ended. Must not block.
    fn peer_disconnected(&self, peer: &ConnectedPeer, why: &str);
}

/// Port on 127.0.0.1 to listen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortChoice {
    /// 9847, otherwise the first free one of 9848 to 9857, otherwise an arbitrary one.
    Default,
    /// Exactly this port, or no port if it is in use.
    Fixed(u16),
    None,
}

/// Configuration of a [`Listener`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenerConfig {
    pub instance: String,
    pub port: PortChoice,
}

/// Maximum numbers of connections, and time-outs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Maximum number of authenticated connections over both transports; further ones get an error response and are
    /// closed.
    pub connections: usize,
    /// Maximum number of connections to the port that have not authenticated yet; for a further one, the oldest of them
    /// is closed without a response.
    pub unauthenticated: usize,
    /// Time-out of the handshake.
    pub handshake: Duration,
    /// Time without messages and running requests after which a connection to the port is closed, up to a tenth later.
    pub idle: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { connections: 64, unauthenticated: 16, handshake: Duration::from_secs(5), idle: Duration::from_mins(10) }
    }
}

/// The bound socket and port of a host.
#[derive(Debug)]
pub struct Listener {
    unix: UnixListener,
    /// Path of the socket; the file is removed on drop.
    socket: RemoveOnDrop,
    tcp: Option<(TcpListener, u16)>,
    token: Bytes32,
    /// The token in hexadecimal.
    token_text: String,
    limits: ConnectionLimits,
}

impl Listener {
    /// Binds the socket and the port. Must be called within a tokio runtime. Without a free port, it only listens on
    /// the socket.
    pub fn bind(run: &RunDirectory, spec: ListenerConfig) -> io::Result<Self> {
        let ListenerConfig { instance, port } = spec;
        let path = run.socket(&instance)?;
        let token = Bytes32::random()?;
        let with_path = |error: io::Error| io::Error::new(error.kind(), format!("`{path}`: {error}"));
        // The directory is private, so no other user can connect before the socket is private too.
        let unix = UnixListener::bind(&path).map_err(with_path)?;
        let socket = RemoveOnDrop::for_path(path.clone()).map_err(with_path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(with_path)?;
        let tcp = take_port(candidates(port));
        Ok(Self { unix, socket, tcp, token, token_text: token.to_hex(), limits: ConnectionLimits::default() })
    }

    /// Replaces the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: ConnectionLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Path of the Unix socket.
    pub fn socket(&self) -> &Utf8Path {
        self.socket.path()
    }

    /// Port on 127.0.0.1, if one was free.
    pub fn port(&self) -> Option<u16> {
        self.tcp.as_ref().map(|(_, port)| *port)
    }

    /// Secret token of the port, in hexadecimal.
    pub fn token(&self) -> &str {
        &self.token_text
    }

    /// Serves until `stop` is cancelled or the future is dropped; then closes every connection after its queued
    /// responses are written, and removes the socket.
    pub async fn serve(self, handler: Arc<dyn ConnectionHandler>, stop: CancellationToken) {
        let stop = stop.child_token();
        let stop_guard = stop.clone().drop_guard();
        let acceptor = Acceptor::new(handler, self.token, self.limits, stop);
        let (socket_acceptor, port_acceptor, tcp) = (Arc::clone(&acceptor), Arc::clone(&acceptor), self.tcp);
        let port = async move {
            if let Some((tcp, _)) = tcp {
                port_acceptor.accept_port(tcp).await;
            }
        };
        tokio::join!(socket_acceptor.accept_socket(self.unix), port);
        drop(self.socket);
        drop(stop_guard);
        acceptor.wait().await;
    }
}

/// Returns the ports to try, in order; 0 means an arbitrary one.
fn candidates(choice: PortChoice) -> Vec<u16> {
    match choice {
        PortChoice::Default => (DEFAULT_PORT..=DEFAULT_PORT + MORE_PORTS).chain([0]).collect(),
        PortChoice::Fixed(port) => vec![port],
        PortChoice::None => Vec::new(),
    }
}

/// Binds the first free port.
fn take_port(candidates: Vec<u16>) -> Option<(TcpListener, u16)> {
    for candidate in candidates {
        let bound = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, candidate)).and_then(|listener| {
            listener.set_nonblocking(true)?;
            let port = listener.local_addr()?.port();
            Ok((TcpListener::from_std(listener)?, port))
        });
        match bound {
            Ok(bound) => return Some(bound),
            Err(error) => tracing::debug!(candidate, %error, "a port is not available"),
        }
    }
    None
}

#[cfg(test)]
mod tests;
