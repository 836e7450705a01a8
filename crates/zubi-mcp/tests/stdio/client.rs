//! A client that sends and receives raw lines.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zubi_base::clock::SystemClock;
use zubi_base::config::Layers;
use zubi_base::process::Spawner;
use zubi_base::trust::{Trust, TrustStore};
use zubi_host::{HostConfig, LocalHost};
use zubi_mcp::{ElicitationMode, ServerIdentity};

use crate::tools::{Signals, provider, resources};

/// The time limit for an event that must happen.
const DEADLINE: Duration = Duration::from_secs(20);

pub(crate) async fn with_deadline<T>(operation: &str, operation_future: impl Future<Output = T>) -> T {
    let value = tokio::time::timeout(DEADLINE, operation_future).await;
    value.unwrap_or_else(|_| panic!("{operation} did not happen within {DEADLINE:?}"))
}

pub(crate) struct Client {
    _state: tempfile::TempDir,
    write: Option<DuplexStream>,
    read: Lines<BufReader<DuplexStream>>,
    pub(crate) signals: Arc<Signals>,
    pub(crate) stop: CancellationToken,
    server: JoinHandle<anyhow::Result<()>>,
}

/// A server, and the two ends of its connection to a client.
pub(crate) struct ServedPair {
    pub(crate) state: tempfile::TempDir,
    pub(crate) write: DuplexStream,
    pub(crate) read: DuplexStream,
    pub(crate) signals: Arc<Signals>,
    pub(crate) stop: CancellationToken,
    pub(crate) server: JoinHandle<anyhow::Result<()>>,
}

impl ServedPair {
    pub(crate) fn new(mode: ElicitationMode) -> Self {
        let state = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(state.path().to_owned()).unwrap();
        let signals = Arc::new(Signals::default());
        let config = HostConfig {
            folders: vec![root.clone()],
            state_dir: root.join("state"),
            cache_dir: None,
            settings: Layers::default().resolve(),
            trust: Trust::new(TrustStore::new(&root), false),
            spawner: Spawner::direct(),
            user_catalogue: None,
            search_path: None,
            kind: zubi_host::HostKind::InProcess,
            clock: Arc::new(SystemClock),
        };
        let host = Arc::new(LocalHost::with_providers(&config, vec![provider(&signals)], resources()).unwrap());
        // Two pipes, as a process has them: closing one leaves the other open.
        let (write, input) = tokio::io::duplex(64 * 1024);
        let (output, read) = tokio::io::duplex(64 * 1024);
        let stop = CancellationToken::new();
        let server = tokio::spawn(zubi_mcp::serve(ServerIdentity::ZUBI, mode, host, input, output, stop.clone()));
        Self { state, write, read, signals, stop, server }
    }
}

impl Client {
    pub(crate) fn connect() -> Self {
        Self::connect_with_elicitation(ElicitationMode::default())
    }

    /// Connects a client to a server with this elicitation mode.
    pub(crate) fn connect_with_elicitation(mode: ElicitationMode) -> Self {
        let ServedPair { state, write, read, signals, stop, server } = ServedPair::new(mode);
        Self { _state: state, write: Some(write), read: BufReader::new(read).lines(), signals, stop, server }
    }
    /// Connects a client and performs the old handshake.
    pub(crate) async fn new_initialized() -> Self {
        let mut client = Self::connect();
        client.initialize(json!({})).await;
        client
    }

    /// Performs the old handshake with these client capabilities.
    pub(crate) async fn initialize(&mut self, capabilities: Value) {
        self.initialize_as("test", capabilities).await;
    }

    /// Performs the old handshake as a client of this name.
    pub(crate) async fn initialize_as(&mut self, name: &str, capabilities: Value) -> Value {
        let info = json!({"name": name, "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": info});
        let answer = self.request(0, "initialize", params).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        answer
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_raw(&format!("{message}\n")).await;
    }

    pub(crate) async fn send_raw(&mut self, text: &str) {
        self.send_bytes(text.as_bytes()).await;
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        let write = self.write.as_mut().unwrap();
        with_deadline("writing", write.write_all(bytes)).await.unwrap();
    }

    /// Reads the next line; `None` when the server has closed its output.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = with_deadline("a line from the server", self.read.next_line()).await.unwrap()?;
        Some(serde_json::from_str(&line).expect("each line is one JSON value"))
    }

    /// Sends a request and reads the next message.
    pub(crate) async fn request(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        self.next().await.expect("an answer")
    }

    pub(crate) async fn call(&mut self, id: u32, tool: &str, arguments: Value) -> Value {
        self.request(id, "tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Sends a call without waiting for its answer.
    pub(crate) async fn start_call(&mut self, id: u32, tool: &str, meta: Value) {
        let params = json!({"name": tool, "arguments": {}, "_meta": meta});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    }

    /// Ends the server's input.
    pub(crate) fn close_input(&mut self) {
        self.write = None;
    }

    /// Waits until the server has ended.
    pub(crate) async fn wait_for_end(&mut self) {
        with_deadline("the end of the server", &mut self.server).await.unwrap().unwrap();
    }
}

/// Adds the parameters that every request of the stateless era carries.
pub(crate) fn modern(params: Value) -> Value {
    modern_with(params, json!({}))
}

/// Returns the parameters of [`modern`] with these client capabilities.
pub(crate) fn modern_with(mut params: Value, mut capabilities: Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities.take(),
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    match params.get_mut("_meta").and_then(Value::as_object_mut) {
        Some(existing) => existing.extend(meta.as_object().unwrap().clone()),
        None => params["_meta"] = meta,
    }
    params
}
