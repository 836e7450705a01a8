//! Connects to a discovered host.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;
use zubi_base::rpc::{Connection, ConnectionError, ConnectionOptions, PeerHandler};

use crate::discovery::{DiscoveryRecord, current_uid, is_own_socket};
use crate::wire::PROTOCOL;

/// Reason why a client cannot connect to a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    #[error("the host has no socket")]
    NoSocket,
    #[error("the host speaks version {version} of the protocol, and this zubi {PROTOCOL}; update the older one")]
    OtherVersion { version: u32 },
    #[error("cannot connect to {at}: {why}")]
    Unreachable { at: String, why: String },
    #[error("refusing to use `{socket}`: {why}")]
    NotOurs { socket: Utf8PathBuf, why: String },
    #[error("the host refuses the connection: {why}")]
    Refused { why: String },
    #[error("the host did not answer within {} s", after.as_secs_f64())]
    TimedOut { after: Duration },
    #[error("the host closed the connection: {why}")]
    Disconnected { why: String },
}

/// Connects over the Unix socket. The host has answered a `ping` (with a result or an error) when this returns, so it
/// is alive and has a free slot.
pub async fn connect(
    advertisement: &DiscoveryRecord,
    handler: Arc<dyn PeerHandler>,
    timeout: Duration,
) -> Result<Connection, ConnectError> {
    if advertisement.version != PROTOCOL {
        return Err(ConnectError::OtherVersion { version: advertisement.version });
    }
    let socket = advertisement.socket.as_deref().ok_or(ConnectError::NoSocket)?;
    let connecting = async {
        let (reader, writer) = open_socket(socket).await?.into_split();
        greet(reader, writer, handler, timeout).await
    };
    with_timeout(timeout, connecting).await
}

async fn with_timeout<T>(
    timeout: Duration,
    connecting: impl Future<Output = Result<T, ConnectError>>,
) -> Result<T, ConnectError> {
    tokio::time::timeout(timeout, connecting).await.unwrap_or(Err(ConnectError::TimedOut { after: timeout }))
}

async fn open_socket(socket: &Utf8Path) -> Result<UnixStream, ConnectError> {
    let not_ours = |why: &str| ConnectError::NotOurs { socket: socket.to_owned(), why: why.to_owned() };
    let connect_failed =
        |error: io::Error| ConnectError::Unreachable { at: format!("`{socket}`"), why: error.to_string() };
    std::fs::symlink_metadata(socket).map_err(connect_failed)?;
    if !is_own_socket(socket) {
        return Err(not_ours("it is not a socket of this user"));
    }
    let stream = UnixStream::connect(socket).await.map_err(connect_failed)?;
    let peer = stream.peer_cred().map_err(connect_failed)?;
    if peer.uid() != current_uid() {
        return Err(not_ours("another user's process listens on it"));
    }
    Ok(stream)
}

/// Starts the connection and waits for the response to a `ping`: a host that hangs still accepts connections, and a
/// host without a free slot sends a refusal before it disconnects.
async fn greet<R, W>(
    reader: R,
    writer: W,
    handler: Arc<dyn PeerHandler>,
    timeout: Duration,
) -> Result<Connection, ConnectError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let connection = Connection::start(reader, writer, handler, ConnectionOptions::ipc());
    let deadline = Instant::now() + timeout;
    match connection.request("ping", Value::Null, &CancellationToken::new(), deadline).await {
        Ok(_) | Err(ConnectionError::Response { .. }) => Ok(connection),
        Err(ConnectionError::TimedOut { .. }) => Err(ConnectError::TimedOut { after: timeout }),
        Err(error) => {
            // Writing may fail before the refusal is read.
            let mut closed = connection.closed_reason();
            let why = closed.wait_for(Option::is_some).await.ok().and_then(|why| why.clone());
            Err(match connection.refusal() {
                Some(error) => ConnectError::Refused { why: error.message },
                None => ConnectError::Disconnected { why: why.unwrap_or_else(|| error.to_string()) },
            })
        }
    }
}
