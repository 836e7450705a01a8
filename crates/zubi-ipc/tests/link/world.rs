//! A host with a few methods, in a temporary run directory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zubi_base::framing::ResponseError;
use zubi_base::rpc::{Connection, ConnectionError, PeerHandler, Responder};
use zubi_ipc::client::{self, ConnectError};
use zubi_ipc::discovery::{DiscoveryRecord, PublishedFiles, RunDirectory, new_instance, process_start};
use zubi_ipc::listener::{ConnectedPeer, ConnectionHandler, ConnectionLimits, Listener, ListenerConfig, PortChoice};
use zubi_ipc::wire::PROTOCOL;
use zubi_ipc::wire::host::HostKind;

use crate::port_client;

/// The time limit for an event that must happen.
pub(crate) const EVENT_TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) async fn within_timeout<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(EVENT_TIMEOUT, future).await.unwrap()
}

/// Events that the host has recorded.
pub(crate) struct HostLog {
    /// Number of connected peers.
    pub(crate) connected: watch::Sender<usize>,
    pub(crate) opened: AtomicUsize,
    /// Number of requests handed to the host.
    pub(crate) requests: AtomicUsize,
    pub(crate) peers: Mutex<Vec<(ConnectedPeer, Connection)>>,
    pub(crate) disconnect_reasons: Mutex<Vec<String>>,
    pending_requests: mpsc::UnboundedSender<(Value, Responder)>,
}

impl ConnectionHandler for Host {
    fn peer_connected(&self, peer: ConnectedPeer, connection: Connection) -> Arc<dyn PeerHandler> {
        self.0.opened.fetch_add(1, Ordering::SeqCst);
        self.0.peers.lock().unwrap().push((peer, connection));
        self.0.connected.send_modify(|count| *count += 1);
        Arc::new(Self(Arc::clone(&self.0)))
    }

    fn peer_disconnected(&self, peer: &ConnectedPeer, why: &str) {
        self.0.peers.lock().unwrap().retain(|(other, _)| other.id != peer.id);
        self.0.disconnect_reasons.lock().unwrap().push(why.to_owned());
        self.0.connected.send_modify(|count| *count -= 1);
    }
}

struct Host(Arc<HostLog>);

impl PeerHandler for Host {
    fn notification(&self, _: &str, _: Value) {}

    fn request(&self, method: &str, params: Value, responder: Responder) {
        self.0.requests.fetch_add(1, Ordering::SeqCst);
        match method {
            "ping" | "echo" => responder.answer(Ok(params)),
            "hold" => drop(self.0.pending_requests.send((params, responder))),
            _ => responder.answer(Err(ResponseError::method_not_found(method))),
        }
    }
}

/// A client that answers `ask`, and answers `wait` only when it is cancelled.
#[derive(Default)]
pub(crate) struct Client;

impl PeerHandler for Client {
    fn notification(&self, _: &str, _: Value) {}

    fn request(&self, method: &str, params: Value, responder: Responder) {
        match method {
            "ask" => responder.answer(Ok(json!({ "asked": params }))),
            // The answer follows the cancellation.
            "wait" => drop(tokio::spawn(async move { responder.cancel().clone().cancelled().await })),
            _ => responder.answer(Err(ResponseError::method_not_found(method))),
        }
    }
}

pub(crate) struct World {
    pub(crate) advertisement: DiscoveryRecord,
    pub(crate) run: RunDirectory,
    pub(crate) log: Arc<HostLog>,
    pub(crate) pending_requests: mpsc::UnboundedReceiver<(Value, Responder)>,
    pub(crate) stop: CancellationToken,
    pub(crate) server: JoinHandle<()>,
    _published: PublishedFiles,
    _guard: tempfile::TempDir,
}

pub(crate) fn directory() -> (tempfile::TempDir, Utf8PathBuf) {
    let guard = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(Utf8Path::from_path(guard.path()).unwrap()).unwrap();
    (guard, root)
}

pub(crate) fn advertisement(socket: Option<Utf8PathBuf>, port: Option<u16>, token: &str) -> DiscoveryRecord {
    let pid = std::process::id();
    DiscoveryRecord {
        version: PROTOCOL,
        instance: new_instance().unwrap(),
        pid,
        started_at: process_start(pid).unwrap(),
        boot: None,
        namespace: None,
        kind: HostKind::Daemon,
        workspace_folders: vec!["/w".to_owned()],
        socket,
        port,
        token: token.to_owned(),
        capabilities: Vec::new(),
        program: "0.0.0".to_owned(),
    }
}

pub(crate) fn world() -> World {
    world_with(ConnectionLimits::default())
}

pub(crate) fn world_with(limits: ConnectionLimits) -> World {
    let (guard, root) = directory();
    let run = RunDirectory::open(root.join("run"), true).unwrap();
    let instance = new_instance().unwrap();
    let listener =
        Listener::bind(&run, ListenerConfig { instance: instance.clone(), port: PortChoice::Fixed(0) }).unwrap();
    let listener = listener.with_limits(limits);
    let advertisement = DiscoveryRecord {
        instance,
        ..advertisement(Some(listener.socket().to_owned()), listener.port(), listener.token())
    };
    let published = run.publish(&advertisement).unwrap();
    let (sender, pending_requests) = mpsc::unbounded_channel();
    let log = Arc::new(HostLog {
        connected: watch::Sender::new(0),
        opened: AtomicUsize::new(0),
        requests: AtomicUsize::new(0),
        peers: Mutex::default(),
        disconnect_reasons: Mutex::default(),
        pending_requests: sender,
    });
    let stop = CancellationToken::new();
    let server = tokio::spawn(listener.serve(Arc::new(Host(Arc::clone(&log))), stop.clone()));
    World { advertisement, run, log, pending_requests, stop, server, _published: published, _guard: guard }
}

impl World {
    pub(crate) fn socket(&self) -> &Utf8Path {
        self.advertisement.socket.as_deref().unwrap()
    }

    pub(crate) fn port(&self) -> u16 {
        self.advertisement.port.unwrap()
    }

    pub(crate) async fn connect(&self) -> Result<Connection, ConnectError> {
        client::connect(&self.advertisement, Arc::new(Client), EVENT_TIMEOUT).await
    }

    pub(crate) async fn connect_port(&self) -> Result<Connection, ConnectError> {
        within_timeout(port_client::connect(self.port(), &self.advertisement.token, Arc::new(Client))).await
    }

    /// An unauthenticated connection to the port, and the nonce that it receives.
    pub(crate) async fn open_port(&self) -> (Raw<TcpStream>, String) {
        let mut raw = Raw(BufReader::new(TcpStream::connect(("127.0.0.1", self.port())).await.unwrap()));
        let line = raw.line().await;
        let challenge: Value = serde_json::from_str(&line).unwrap();
        (raw, challenge["nonce"].as_str().unwrap().to_owned())
    }

    pub(crate) async fn open_socket(&self) -> Raw<UnixStream> {
        Raw(BufReader::new(UnixStream::connect(self.socket()).await.unwrap()))
    }

    pub(crate) async fn wait_for_connections(&self, count: usize) {
        within_timeout(self.log.connected.subscribe().wait_for(|now| *now == count)).await.unwrap();
    }

    pub(crate) async fn next_pending_request(&mut self) -> (Value, Responder) {
        within_timeout(self.pending_requests.recv()).await.unwrap()
    }

    pub(crate) fn connection_count(&self) -> usize {
        self.log.opened.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> usize {
        self.log.requests.load(Ordering::SeqCst)
    }
}

pub(crate) async fn request(connection: &Connection, method: &str, params: Value) -> Result<Value, ConnectionError> {
    connection.request(method, params, &CancellationToken::new(), Instant::now() + EVENT_TIMEOUT).await
}

/// A raw stream, without a protocol.
pub(crate) struct Raw<S>(pub(crate) BufReader<S>);

impl<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin> Raw<S> {
    /// Reads the next line; empty at the end, even if the other side closed the connection with unread data.
    pub(crate) async fn line(&mut self) -> String {
        let mut line = String::new();
        if let Err(error) = within_timeout(self.0.read_line(&mut line)).await {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
        }
        line.trim_end().to_owned()
    }

    /// Everything up to the end of the stream.
    pub(crate) async fn rest(&mut self) -> String {
        let mut text = String::new();
        loop {
            match self.line().await {
                line if line.is_empty() => return text,
                line => text.push_str(&line),
            }
        }
    }

    /// Writes bytes, even if the other side has closed the connection.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        within_timeout(self.0.write_all(bytes)).await.ok();
    }
}
