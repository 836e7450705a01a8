//! The protocol without another process, for callers that own the host and use the protocol.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use zubi_base::framing::ResponseError;
use zubi_base::rpc::{Connection, ConnectionError, ConnectionOptions, PeerHandler, Responder};
use zubi_ipc::listener::{ConnectedPeer, ConnectionHandler as _, Transport};
use zubi_ipc::wire::codes;

use super::server::HostServer;

/// The size of the buffer between the two ends, in bytes.
const BUFFER: usize = 64 * 1024;

impl HostServer {
    /// Sends one request to this host, as a client on its socket would.
    pub async fn handle_local(
        self: &Arc<Self>,
        method: &str,
        params: Value,
        cancel: &CancellationToken,
        deadline: Instant,
    ) -> Result<Value, ConnectionError> {
        let (near, far) = tokio::io::duplex(BUFFER);
        let peer = ConnectedPeer {
            id: 0,
            channel: Transport::Socket,
            pid: Some(std::process::id()),
            connected_at: Instant::now(),
        };
        let (input, output) = tokio::io::split(far);
        let server_connection = Connection::start_with(input, output, ConnectionOptions::ipc(), |connection| {
            self.peer_connected(peer, connection.clone())
        });
        let (input, output) = tokio::io::split(near);
        let client = Connection::start(input, output, Arc::new(RejectingHandler), ConnectionOptions::ipc());
        let answer = client.request(method, params, cancel, deadline).await;
        server_connection.close("the request was answered");
        self.peer_disconnected(&peer, "the request was answered");
        answer
    }
}

/// A peer that receives no requests.
struct RejectingHandler;

impl PeerHandler for RejectingHandler {
    fn notification(&self, _method: &str, _params: Value) {}

    fn request(&self, method: &str, _params: Value, responder: Responder) {
        let message = format!("there is no method `{method}`");
        responder.answer(Err(ResponseError { code: codes::METHOD_NOT_FOUND, message, data: None }));
    }
}
