//! Accept loops of the socket and the port, and the serving of each connection.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use zubi_base::framing::{Message, Request, RequestId, Response, ResponseError};
use zubi_base::rpc::{Connection, ConnectionOptions};

use super::pending::{PendingPeer, PendingPeers};
use super::{ConnectedPeer, ConnectionHandler, ConnectionLimits, Transport};
use crate::auth::{self, AuthResult, Authenticate, Bytes32, Challenge, HandshakeRole};
use crate::discovery::current_uid;
use crate::handshake::{read_line, write_line};
use crate::wire::codes;

/// Delay after a failed `accept`, for example when the process has no file descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// Time-out for writing a refusal.
const REFUSAL: Duration = Duration::from_secs(1);

/// State that the accept loops and all connections share.
pub(super) struct Acceptor {
    handler: Arc<dyn ConnectionHandler>,
    token: Bytes32,
    limits: ConnectionLimits,
    slots: Arc<Semaphore>,
    pending_peers: PendingPeers,
    next_id: AtomicU64,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// An authenticated peer, with the slot that it occupies while it is connected.
struct AdmittedPeer {
    channel: Transport,
    pid: Option<u32>,
    slot: OwnedSemaphorePermit,
}

impl Acceptor {
    pub(super) fn new(
        handler: Arc<dyn ConnectionHandler>,
        token: Bytes32,
        limits: ConnectionLimits,
        stop: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            handler,
            token,
            limits,
            slots: Arc::new(Semaphore::new(limits.connections)),
            pending_peers: PendingPeers::new(limits.unauthenticated),
            next_id: AtomicU64::new(1),
            stop,
            tasks: TaskTracker::new(),
        })
    }

    /// Waits until every connection has ended, which happens soon after `stop`.
    pub(super) async fn wait(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    pub(super) async fn accept_socket(self: Arc<Self>, listener: UnixListener) {
        loop {
            let accepted = tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => drop(self.tasks.spawn(Arc::clone(&self).handle_socket(stream))),
                Err(error) => self.pause(&error).await,
            }
        }
    }

    pub(super) async fn accept_port(self: Arc<Self>, listener: TcpListener) {
        loop {
            let accepted = tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    // Awaited here, so that many connections do not create as many tasks.
                    let Some(pending_peer) = self.pending_peers.next(&self.stop).await else { return };
                    self.tasks.spawn(Arc::clone(&self).handle_port(stream, pending_peer));
                }
                Err(error) => self.pause(&error).await,
            }
        }
    }

    /// Logs a failed `accept` and waits before the next one.
    async fn pause(&self, error: &io::Error) {
        tracing::warn!(%error, "cannot accept a connection");
        drop(tokio::time::timeout(PAUSE, self.stop.cancelled()).await);
    }

    async fn handle_socket(self: Arc<Self>, mut stream: UnixStream) {
        let peer = match stream.peer_cred() {
            Ok(peer) if peer.uid() == current_uid() => peer,
            Ok(peer) => return tracing::warn!(uid = peer.uid(), "rejected a connection of another user to the socket"),
            Err(error) => return tracing::warn!(%error, "rejected a connection to the socket whose user is unknown"),
        };
        let pid = peer.pid().and_then(|pid| u32::try_from(pid).ok());
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
            return self.refuse(&mut stream, None, &self.full_message()).await;
        };
        let (reader, writer) = stream.into_split();
        self.serve_peer(AdmittedPeer { channel: Transport::Socket, pid, slot }, reader, writer).await;
    }

    async fn handle_port(self: Arc<Self>, mut stream: TcpStream, pending_peer: PendingPeer) {
        // Messages are small, and each side waits for those of the other.
        stream.set_nodelay(true).ok();
        let (reader, mut writer) = stream.split();
        let mut reader = BufReader::new(reader);
        let authenticated = tokio::select! {
            authenticated = self.authenticate(&mut reader, &mut writer) => authenticated,
            () = tokio::time::sleep(self.limits.handshake) => None,
            () = pending_peer.wait_evicted() => None,
        };
        let Some(slot) = authenticated else { return };
        drop(pending_peer);
        // Bytes that arrived directly after the handshake are already in the buffer.
        let rest = reader.buffer().to_vec();
        let (reader, writer) = stream.into_split();
        let reader = tokio::io::AsyncReadExt::chain(io::Cursor::new(rest), reader);
        self.serve_peer(AdmittedPeer { channel: Transport::Port, pid: None, slot }, reader, writer).await;
    }

    /// Runs the host's side of the handshake of [`auth`]. Returns `None` if the connection must be closed.
    async fn authenticate<R, W>(&self, reader: &mut R, writer: &mut W) -> Option<OwnedSemaphorePermit>
    where
        R: tokio::io::AsyncBufRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let nonce = Bytes32::random().ok()?;
        write_line(writer, serde_json::to_vec(&Challenge { nonce }).ok()?).await.ok()?;
        let line = read_line(reader).await.ok()??;
        let Ok(Message::Request(Request { id, method, params })) = Message::parse_strictly(&line) else { return None };
        if method != auth::AUTHENTICATE {
            return None;
        }
        let credentials: Authenticate = serde_json::from_value(params).ok()?;
        if !auth::verify_proof(credentials.proof, self.token, HandshakeRole::Client, nonce, credentials.nonce) {
            let why = "the proof is wrong: read the discovery file of this host again";
            self.refuse(writer, Some(id), why).await;
            return None;
        }
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
            self.refuse(writer, Some(id), &self.full_message()).await;
            return None;
        };
        let auth_result =
            AuthResult { proof: auth::compute_proof(self.token, HandshakeRole::Server, nonce, credentials.nonce) };
        let response = Response { id: Some(id), result: Ok(serde_json::to_value(auth_result).ok()?) };
        write_line(writer, Message::Response(response).to_body()).await.ok()?;
        Some(slot)
    }

    fn full_message(&self) -> String {
        format!("this host already has {} connections, which is its limit; close one", self.limits.connections)
    }

    /// Sends the reason for a refusal, for at most one second.
    async fn refuse<W: AsyncWrite + Unpin>(&self, writer: &mut W, id: Option<RequestId>, why: &str) {
        let error = ResponseError { code: codes::UNAUTHENTICATED, message: why.to_owned(), data: None };
        let line = Message::Response(Response { id, result: Err(error) }).to_body();
        let written = async {
            write_line(writer, line).await?;
            tokio::io::AsyncWriteExt::shutdown(writer).await
        };
        if !matches!(tokio::time::timeout(REFUSAL, written).await, Ok(Ok(()))) {
            tracing::debug!(why, "a peer did not read why it was refused");
        }
    }

    /// Serves one connection until it ends.
    async fn serve_peer<R, W>(&self, AdmittedPeer { channel, pid, slot }: AdmittedPeer, reader: R, writer: W)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let peer = ConnectedPeer { id, channel, pid, connected_at: Instant::now() };
        let connection = Connection::start_with(reader, writer, ConnectionOptions::ipc(), |connection| {
            self.handler.peer_connected(peer, connection.clone())
        });
        let mut closed = connection.closed_reason();
        let reason = tokio::select! {
            _ = closed.wait_for(Option::is_some) => None,
            reason = self.reason_to_close(&peer, &connection) => Some(reason),
        };
        if let Some(reason) = reason {
            connection.close(reason);
        }
        let why = closed.wait_for(Option::is_some).await.ok().and_then(|why| why.clone());
        self.handler.peer_disconnected(&peer, &why.unwrap_or_default());
        connection.wait_flushed().await;
        drop(slot);
    }

    /// Completes with the reason when this side must close the connection.
    async fn reason_to_close(&self, peer: &ConnectedPeer, connection: &Connection) -> &'static str {
        tokio::select! {
            () = self.stop.cancelled() => "the host ends",
            () = self.idle(connection), if peer.channel == Transport::Port => "idle for too long",
        }
    }

    /// Completes after the configured time without messages and running requests.
    async fn idle(&self, connection: &Connection) {
        let mut previous_count = connection.received_count();
        let mut quiet_intervals = 0;
        // The first tenth may have begun late, so one more is counted.
        while quiet_intervals <= 10 {
            tokio::time::sleep(self.limits.idle / 10).await;
            let now = connection.received_count();
            let is_quiet = now == previous_count && !connection.is_busy();
            quiet_intervals = if is_quiet { quiet_intervals + 1 } else { 0 };
            previous_count = now;
        }
    }
}
