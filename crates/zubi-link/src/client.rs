//! How a front comes to a host that it has found.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use zubi_base::rpc::{Connection, PeerHandler};

use crate::discovery::Advertisement;

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    #[error("the host has no {what}")]
    NoDoor { what: &'static str },
    #[error("nobody listens at {at}: {why}")]
    NobodyListens { at: String, why: String },
    #[error("`{socket}` belongs to somebody else and is not used: {why}")]
    NotOurs { socket: Utf8PathBuf, why: String },
    #[error("what listens at port {port} does not prove that it is the host: {why}")]
    NotProved { port: u16, why: String },
    #[error("the host refuses the connection: {why}")]
    Refused { why: String },
    #[error("the host does not answer within {} s", after.as_secs_f64())]
    TimedOut { after: Duration },
    #[error("the host has gone: {why}")]
    Gone { why: String },
}

/// Connects by the socket. The host has answered a `ping`, with whatever, when this returns.
pub async fn connect(
    _advertisement: &Advertisement,
    _handler: Arc<dyn PeerHandler>,
    _timeout: Duration,
) -> Result<Connection, ConnectError> {
    todo!()
}

/// Connects by the port on 127.0.0.1, with the proof of both sides.
pub async fn connect_port(
    _port: u16,
    _token: &str,
    _handler: Arc<dyn PeerHandler>,
    _timeout: Duration,
) -> Result<Connection, ConnectError> {
    todo!()
}
