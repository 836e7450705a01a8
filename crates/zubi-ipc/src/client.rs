//! Connecting to a host that was discovered.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::net::{TcpStream, UnixStream};
use tokio_util::sync::CancellationToken;
use zubi_base::framing::{Message, Request, RequestId, Response, ResponseError};
use zubi_base::rpc::{Connection, ConnectionError, ConnectionOptions, PeerHandler};

use crate::auth::{self, AuthResult, Authenticate, Bytes32, Challenge, HandshakeRole};
use crate::discovery::{DiscoveryRecord, current_uid, is_own_socket};
use crate::handshake::{read_line, write_line};
use crate::wire::PROTOCOL;

/// Reason why a client cannot connect to a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    #[error("the host has no socket")]
    NoSocket,
    #[error("the host speaks version {theirs} of the protocol, and this zubi {PROTOCOL}; update the older one")]
    OtherVersion { theirs: u32 },
    #[error("cannot connect to {at}: {why}")]
    Unreachable { at: String, why: String },
    #[error("refusing to use `{socket}`: {why}")]
    NotOurs { socket: Utf8PathBuf, why: String },
    #[error("the server at port {port} does not prove that it is the host: {why}")]
    NotProved { port: u16, why: String },
    #[error("the host refuses the connection: {why}")]
    Refused { why: String },
    #[error("the host did not answer within {} s", after.as_secs_f64())]
    TimedOut { after: Duration },
    #[error("the host closed the connection: {why}")]
    Disconnected { why: String },
}

/// Connects over the Unix socket. When this returns, the host has answered a `ping` (with a result or an error), so it
/// is alive and has a free slot.
pub async fn connect(
    advertisement: &DiscoveryRecord,
    handler: Arc<dyn PeerHandler>,
    timeout: Duration,
) -> Result<Connection, ConnectError> {
    if advertisement.version != PROTOCOL {
        return Err(ConnectError::OtherVersion { theirs: advertisement.version });
    }
    let socket = advertisement.socket.as_deref().ok_or(ConnectError::NoSocket)?;
    let connecting = async {
        let (reader, writer) = open_socket(socket).await?.into_split();
        greet(reader, writer, handler, timeout).await
    };
    with_timeout(timeout, connecting).await
}

/// Connects to the port on 127.0.0.1; both sides authenticate, see [`auth`](crate::auth).
pub async fn connect_port(
    port: u16,
    token: &str,
    handler: Arc<dyn PeerHandler>,
    timeout: Duration,
) -> Result<Connection, ConnectError> {
    let connecting = async {
        let not_proved = |why: String| ConnectError::NotProved { port, why };
        let token = Bytes32::from_hex(token)
            .ok_or_else(|| not_proved("the token is not 64 lower-case hexadecimal digits".to_owned()))?;
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
            .await
            .map_err(|error| ConnectError::Unreachable { at: format!("127.0.0.1:{port}"), why: error.to_string() })?;
        stream.set_nodelay(true).ok();
        let (reader, mut writer) = stream.into_split();
        let mut reader = BufReader::new(reader);
        match prove(token, &mut reader, &mut writer).await {
            Ok(()) => greet(reader, writer, handler, timeout).await,
            Err(Doubt::Refused(error)) => Err(ConnectError::Refused { why: error.message }),
            Err(Doubt::Strange(why)) => Err(not_proved(why)),
        }
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

/// Reason why the server at a port is rejected.
enum Doubt {
    Refused(ResponseError),
    Strange(String),
}

impl Doubt {
    fn strange(why: &(impl ToString + ?Sized)) -> Self {
        Self::Strange(why.to_string())
    }
}

async fn prove<R, W>(token: Bytes32, reader: &mut R, writer: &mut W) -> Result<(), Doubt>
where
    R: tokio::io::AsyncBufRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let line = next_line(reader).await?;
    if let Ok(Message::Response(Response { result: Err(error), .. })) = Message::parse_strictly(&line) {
        return Err(Doubt::Refused(error));
    }
    let Challenge { nonce: theirs } =
        serde_json::from_slice(&line).map_err(|_| Doubt::strange("it does not send a nonce first"))?;
    let ours = Bytes32::random().map_err(|error| Doubt::strange(&error))?;
    let authenticate =
        Authenticate { nonce: ours, proof: auth::compute_proof(token, HandshakeRole::Client, theirs, ours) };
    let params = serde_json::to_value(authenticate).map_err(|error| Doubt::strange(&error))?;
    let request = Request { id: RequestId::Number(1), method: auth::AUTHENTICATE.to_owned(), params };
    write_line(writer, Message::Request(request).to_body()).await.map_err(|error| Doubt::strange(&error))?;
    let line = next_line(reader).await?;
    let answer = match Message::parse_strictly(&line) {
        Ok(Message::Response(Response { result, .. })) => result.map_err(Doubt::Refused)?,
        Ok(_) | Err(_) => return Err(Doubt::strange("it does not answer the request")),
    };
    let AuthResult { proof } =
        serde_json::from_value(answer).map_err(|_| Doubt::strange("it answers without a proof"))?;
    if !auth::verify_proof(proof, token, HandshakeRole::Server, theirs, ours) {
        return Err(Doubt::strange("its proof is wrong"));
    }
    Ok(())
}

async fn next_line<R: tokio::io::AsyncBufRead + Unpin>(reader: &mut R) -> Result<Vec<u8>, Doubt> {
    read_line(reader)
        .await
        .map_err(|error| Doubt::strange(&error))?
        .ok_or_else(|| Doubt::strange("it does not speak the protocol"))
}

/// Starts the connection and waits for the answer to a `ping`: a host that hangs still accepts connections, and a host
/// with no free slot sends a refusal before it disconnects.
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
