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
use std::sync::Arc;
use std::time::Instant;

use camino::Utf8Path;
use tokio_util::sync::CancellationToken;
use zubi_base::rpc::{Connection, PeerHandler};

use crate::discovery::RunDirectory;

/// How a peer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
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
    pub channel: Channel,
    /// Process id, on a socket, where the system tells it.
    pub pid: Option<u32>,
    pub since: Instant,
}

/// Who answers.
pub trait Serve: Send + Sync {
    /// Somebody has connected and proved who it is. What it says goes to the handler that is returned. Must not block.
    fn opened(&self, peer: Peer, connection: Connection) -> Arc<dyn PeerHandler>;

    /// The connection has ended, and all that it waited for. Must not block.
    fn closed(&self, peer: &Peer, why: &str);
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
pub struct Spec {
    pub instance: String,
    pub port: PortChoice,
}

/// The two doors of a host, open.
#[derive(Debug)]
pub struct Listener {}

impl Listener {
    /// Opens the doors. Must be called within a tokio runtime. That there is no port is no error.
    pub fn bind(_run: &RunDirectory, _spec: Spec) -> io::Result<Self> {
        todo!()
    }

    /// The Unix socket.
    pub fn socket(&self) -> &Utf8Path {
        todo!()
    }

    /// The port on 127.0.0.1, where one was to be had.
    pub fn port(&self) -> Option<u16> {
        todo!()
    }

    /// The secret of the port, in hexadecimal.
    pub fn token(&self) -> &str {
        todo!()
    }

    /// Serves until `stop`, then closes every connection, each with the answers that are queued, and removes the socket.
    pub async fn serve(self, _on: Arc<dyn Serve>, stop: CancellationToken) {
        stop.cancelled().await;
    }
}
