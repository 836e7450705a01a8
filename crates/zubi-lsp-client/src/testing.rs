//! A language server for tests: the test itself acts as the server, at the other end of a pipe.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::{mpsc, watch};
use tokio_util::task::TaskTracker;
use zubi_base::endpoint::Readiness;
use zubi_base::framing::{
    self, Frame, FrameReader, Message, Notification, Request, RequestId, Response, ResponseError,
};
use zubi_base::workspace::Folder;

use crate::catalogue::{Catalogue, Freshness};
use crate::checks::BackgroundCheck;
use crate::detect::Languages;
use crate::document_activity::DocumentStatus;
use crate::endpoint::{LaunchSpec, Starter};
use crate::health::StatusReason;
use crate::log::LineRing;
use crate::readiness::ReadinessSignal;
use crate::session::{Process, ServerSession, SessionSpec, StartError};

/// Longer than any wait of a test; only a failing test gets there.
const TEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The server's end.
pub(crate) struct FakeServer {
    reader: FrameReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    next_id: i64,
}

/// A temporary folder with files, and how a server would run in it.
pub(crate) struct TestWorkspace {
    _directory: tempfile::TempDir,
    pub(crate) root: Utf8PathBuf,
    pub(crate) spec: SessionSpec,
    pub(crate) readiness: Arc<watch::Sender<Readiness>>,
    pub(crate) tasks: TaskTracker,
}

impl TestWorkspace {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = zubi_base::fs::canonical(camino::Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let spec = SessionSpec {
            name: "fake".into(),
            folder: Folder { name: "w".to_owned(), path: root.clone() },
            signal: ReadinessSignal::Initialized,
            settings: json!({ "fake": { "deep": { "value": 1 } }, "fake.dotted": 2 }),
            initialization_options: Value::Null,
            push_settings: false,
            withheld: Vec::new(),
            checker: None,
            document_status: None,
            diagnostic_rounds: None,
            health_signs: Vec::new(),
            barrier_method: None,
            encoding: None,
            names_versions: false,
            publishes_in_parts: false,
            diagnoses_text_only: false,
            also_reads: Vec::new(),
            tsserver_command: None,
            tsserver_takes_paths: false,
            freshness: Freshness::WatchedFiles,
            language_table: Arc::new(Languages::from_catalogue(Catalogue::builtin())),
            languages: vec!["rust".to_owned()],
            extensions: vec!["rs".to_owned()],
            root_markers: vec!["Cargo.toml".to_owned()],
            configure_on: Vec::new(),
            reload: None,
            own_watcher: None,
            status_reason: StatusReason::default(),
            needs_document: false,
            start_timeout: TEST_TIMEOUT,
            shutdown_timeout: TEST_TIMEOUT,
            diagnoses: true,
        };
        let workspace = Self {
            _directory: directory,
            root,
            spec,
            readiness: Arc::new(watch::Sender::new(Readiness::Starting)),
            tasks: TaskTracker::new(),
        };
        for (name, text) in files {
            workspace.write(name, text);
        }
        workspace
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> Utf8PathBuf {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        zubi_base::fs::write_atomic(&path, text.as_bytes()).unwrap();
        path
    }

    pub(crate) fn path(&self, name: &str) -> Utf8PathBuf {
        self.root.join(name)
    }

    /// Starts a session and its server, and performs the handshake with these server capabilities.
    pub(crate) async fn start(&self, capabilities: Value) -> (Arc<ServerSession>, FakeServer) {
        let (mut server, session) = self.connect();
        let (id, _) = server.expect_request("initialize").await;
        server
            .reply(id, json!({ "capabilities": capabilities, "serverInfo": { "name": "fake", "version": "1" } }))
            .await;
        let session = session.await.unwrap().unwrap();
        server.expect_notification("initialized").await;
        session.peer().activate();
        (session, server)
    }

    /// Like [`Self::start`], but before the handshake.
    pub(crate) fn connect(&self) -> (FakeServer, tokio::task::JoinHandle<Result<Arc<ServerSession>, StartError>>) {
        let (client_end, server_end) = tokio::io::duplex(1 << 20);
        let (spec, readiness, tasks) = (self.spec.clone(), Arc::clone(&self.readiness), self.tasks.clone());
        let session = tokio::spawn(async move {
            ServerSession::with_transport(spec, process(client_end), None, readiness, &tasks, async {}).await
        });
        let (reader, writer) = tokio::io::split(server_end);
        (FakeServer { reader: FrameReader::new(reader), writer, next_id: 1000 }, session)
    }
}

/// Returns a check whose tokens begin with `check/`, with a time-out as long as a test may take.
pub(crate) fn checker() -> BackgroundCheck {
    let begins_within_ms = u64::try_from(TEST_TIMEOUT.as_millis()).unwrap();
    BackgroundCheck {
        token: "check/".to_owned(),
        name: "cargo check".to_owned(),
        request: None,
        begins_within_ms,
        lasts_at_least_ms: 0,
    }
}

/// Waits until an endpoint is in a readiness state.
pub(crate) async fn wait_until(states: &mut watch::Receiver<Readiness>, condition: impl FnMut(&Readiness) -> bool) {
    tokio::time::timeout(TEST_TIMEOUT, states.wait_for(condition)).await.expect("the state never comes").unwrap();
}

/// Returns the form in which a server reports its work on documents.
pub(crate) fn document_status() -> DocumentStatus {
    DocumentStatus {
        notification: "fake/status".to_owned(),
        rebuilding: "rebuilding".to_owned(),
        idle: "idle".to_owned(),
        barrier_method: "textDocument/documentLink".to_owned(),
    }
}

fn process(stream: DuplexStream) -> Process {
    let (output, input) = tokio::io::split(stream);
    Process {
        output: Box::new(output),
        input: Box::new(input),
        child: None,
        stderr: Arc::new(LineRing::default()),
        sees_zubi: true,
        temporary: None,
    }
}

/// Starts fake servers that the test controls, one for each run.
pub(crate) struct FakeStarter {
    servers: mpsc::UnboundedSender<FakeServer>,
}

impl FakeStarter {
    pub(crate) fn new() -> (Arc<Self>, mpsc::UnboundedReceiver<FakeServer>) {
        let (servers, started) = mpsc::unbounded_channel();
        (Arc::new(Self { servers }), started)
    }
}

#[async_trait::async_trait]
impl Starter for FakeStarter {
    async fn start(
        &self,
        launch: &LaunchSpec,
        first: Option<Utf8PathBuf>,
        readiness: Arc<watch::Sender<Readiness>>,
        tasks: &TaskTracker,
    ) -> Result<Arc<ServerSession>, StartError> {
        let (client_end, server_end) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(server_end);
        let server = FakeServer { reader: FrameReader::new(reader), writer, next_id: 1000 };
        self.servers.send(server).map_err(|_| StartError::Spawn("the test is over".to_owned()))?;
        let process = process(client_end);
        process.stderr.push("its last words");
        ServerSession::with_transport(launch.spec.clone(), process, first, readiness, tasks, async {}).await
    }
}

impl FakeServer {
    /// Performs the server's side of the handshake.
    pub(crate) async fn initialize(&mut self, capabilities: Value) {
        let (id, _) = self.expect_request("initialize").await;
        self.reply(id, json!({ "capabilities": capabilities })).await;
        self.expect_notification("initialized").await;
    }

    pub(crate) async fn next(&mut self) -> Option<Message> {
        let frame = tokio::time::timeout(TEST_TIMEOUT, self.reader.next()).await.expect("zubi says nothing").unwrap();
        match frame {
            Some(Frame::Body(body)) => Some(Message::parse(&body).unwrap()),
            Some(Frame::TooLarge { .. }) => panic!("too large"),
            None => None,
        }
    }

    pub(crate) async fn expect_request(&mut self, method: &str) -> (RequestId, Value) {
        match self.next().await {
            Some(Message::Request(request)) if request.method == method => (request.id, request.params),
            other => panic!("{method} was expected, not {other:?}"),
        }
    }

    pub(crate) async fn expect_notification(&mut self, method: &str) -> Value {
        match self.next().await {
            Some(Message::Notification(notification)) if notification.method == method => notification.params,
            other => panic!("{method} was expected, not {other:?}"),
        }
    }

    async fn send(&mut self, message: Message) {
        let frame = framing::frame(&message.to_body());
        tokio::io::AsyncWriteExt::write_all(&mut self.writer, &frame).await.unwrap();
    }

    pub(crate) async fn reply(&mut self, id: RequestId, result: Value) {
        self.send(Message::Response(Response { id: Some(id), result: Ok(result) })).await;
    }

    pub(crate) async fn refuse(&mut self, id: RequestId, code: i64, data: Option<Value>) {
        let error = ResponseError { code, message: "no".to_owned(), data };
        self.send(Message::Response(Response { id: Some(id), result: Err(error) })).await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(Message::Notification(Notification { method: method.to_owned(), params })).await;
    }

    /// Sends a request to zubi and returns its response.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        let id = RequestId::Number(self.next_id);
        self.next_id += 1;
        self.send(Message::Request(Request { id: id.clone(), method: method.to_owned(), params })).await;
        match self.next().await {
            Some(Message::Response(response)) if response.id == Some(id) => response.result,
            other => panic!("an answer to {method} was expected, not {other:?}"),
        }
    }
}
