//! Where a host hears: a Unix socket that only this user can open, and a loopback port for what only looks.
//!
//! ```text
//! let listener = Listener::bind(&run, Spec { instance, port: PortChoice::Default })?;   // within a tokio runtime
//! let advertisement = Advertisement { socket: Some(listener.socket().to_owned()), port: listener.port(), token: listener.token().to_owned(), … };
//! let published = run.publish(&advertisement)?;
//! listener.serve(host, stop).await;     // until `stop`; then the socket is gone and every connection closed
//! ```
//!
//! For every connection that has proved itself, [`Serve::opened`] gets the [`Peer`] and the [`Connection`] back to it, and
//! returns the handler of what it says; nothing of it is read before. The handler may keep the connection. [`Serve::closed`]
//! follows exactly once.

use std::io;
use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use tokio::net::{TcpListener, UnixListener};
use tokio_util::sync::CancellationToken;
use zubi_base::rpc::{Connection, PeerHandler};

use self::doors::Acceptor;
use crate::discovery::{RemoveOnDrop, RunDirectory};
use crate::proof::Bytes32;

mod doors;
mod strangers;

/// The port that is tried first. Clients never guess it, they read the discovery file; it is a fixed one so that people can
/// name it in a firewall or a forwarding.
pub const DEFAULT_PORT: u16 = 9847;

/// How many ports after the first are tried before any is taken.
const MORE_PORTS: u16 = 10;

/// How a peer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// The Unix socket: the same user, who may do everything.
    Socket,
    /// The loopback port: somebody who can read the discovery file, who may look.
    Port,
}

/// Somebody who is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Unique within the listener.
    pub id: u64,
    pub channel: Transport,
    /// Process id, on a socket, where the system tells it.
    pub pid: Option<u32>,
    pub since: Instant,
}

/// Who answers.
pub trait ConnectionHandler: Send + Sync {
    /// Somebody has connected and proved who it is. What it says goes to the handler that is returned. Must not block.
    fn peer_connected(&self, peer: Peer, connection: Connection) -> Arc<dyn PeerHandler>;

    /// The connection has ended, and all that it waited for. Must not block.
    fn peer_disconnected(&self, peer: &Peer, why: &str);
}

/// Which port is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortChoice {
    /// 9847, else 9848 to 9857, else any.
    Default,
    /// This one, or none.
    Fixed(u16),
    None,
}

/// What a listener is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenerConfig {
    pub instance: String,
    pub port: PortChoice,
}

/// How many may come, and how long they may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections that have proved themselves, over both doors; one more is told so and let go.
    pub connections: usize,
    /// Connections to the port that have not proved themselves yet; for one more, the one that has been there longest is let go
    /// without a word.
    pub strangers: usize,
    /// How long proving oneself may take.
    pub handshake: Duration,
    /// How long a connection to the port is kept on which nothing comes and nothing is in work; up to a tenth longer.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 64, strangers: 16, handshake: Duration::from_secs(5), idle: Duration::from_mins(10) }
    }
}

/// The two doors of a host, open.
#[derive(Debug)]
pub struct Listener {
    unix: UnixListener,
    /// Removes the socket.
    socket: RemoveOnDrop,
    tcp: Option<(TcpListener, u16)>,
    token: Bytes32,
    /// The same as text.
    token_text: String,
    limits: Limits,
}

impl Listener {
    /// Opens the doors. Must be called within a tokio runtime. That there is no port is no error.
    pub fn bind(run: &RunDirectory, spec: ListenerConfig) -> io::Result<Self> {
        let ListenerConfig { instance, port } = spec;
        let path = run.socket(&instance)?;
        let token = Bytes32::random()?;
        let named = |error: io::Error| io::Error::new(error.kind(), format!("`{path}`: {error}"));
        // The directory is ours alone, so nobody can come in before the socket is ours alone, too.
        let unix = UnixListener::bind(&path).map_err(named)?;
        let socket = RemoveOnDrop::for_path(path.clone()).map_err(named)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(named)?;
        let tcp = take_port(candidates(port));
        Ok(Self { unix, socket, tcp, token, token_text: token.to_hex(), limits: Limits::default() })
    }

    /// The same with other bounds.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The Unix socket.
    pub fn socket(&self) -> &Utf8Path {
        self.socket.path()
    }

    /// The port on 127.0.0.1, where one was to be had.
    pub fn port(&self) -> Option<u16> {
        self.tcp.as_ref().map(|(_, port)| *port)
    }

    /// The secret of the port, in hexadecimal.
    pub fn token(&self) -> &str {
        &self.token_text
    }

    /// Serves until `stop`, or until the future is dropped; then closes every connection, each with the answers that are queued,
    /// and removes the socket.
    pub async fn serve(self, on: Arc<dyn ConnectionHandler>, stop: CancellationToken) {
        let stop = stop.child_token();
        let ending = stop.clone().drop_guard();
        let doors = Acceptor::new(on, self.token, self.limits, stop);
        let (at_socket, at_port, tcp) = (Arc::clone(&doors), Arc::clone(&doors), self.tcp);
        let port = async move {
            if let Some((tcp, _)) = tcp {
                at_port.accept_port(tcp).await;
            }
        };
        tokio::join!(at_socket.accept_socket(self.unix), port);
        drop(self.socket);
        drop(ending);
        doors.wait().await;
    }
}

/// The ports to try, in this order; 0 is any.
fn candidates(choice: PortChoice) -> Vec<u16> {
    match choice {
        PortChoice::Default => (DEFAULT_PORT..=DEFAULT_PORT + MORE_PORTS).chain([0]).collect(),
        PortChoice::Fixed(port) => vec![port],
        PortChoice::None => Vec::new(),
    }
}

/// The first of some ports that is free.
fn take_port(candidates: Vec<u16>) -> Option<(TcpListener, u16)> {
    for candidate in candidates {
        let taken = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, candidate)).and_then(|listener| {
            listener.set_nonblocking(true)?;
            let port = listener.local_addr()?.port();
            Ok((TcpListener::from_std(listener)?, port))
        });
        match taken {
            Ok(taken) => return Some(taken),
            Err(error) => tracing::debug!(candidate, %error, "a port is not to be had"),
        }
    }
    None
}

#[cfg(test)]
mod tests;
