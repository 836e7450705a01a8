//! A host with a few tools of every kind, shared in its own run directory, and its clients.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::clock::SystemClock;
use zubi_base::config::{Layer, Layers, UserLayer, file};
use zubi_base::process::Spawner;
use zubi_base::rpc::{Connection, ConnectionError, PeerHandler, Responder};
use zubi_base::trust::{Trust, TrustStore};
use zubi_host::{
    CallContext, CallRequest, ClientPolicy, HostConfig, HostKind, LocalHost, PublishOptions, PublishedHost, RemoteHost,
};
use zubi_ipc::client;
use zubi_ipc::discovery::{DiscoveryRecord, RunDirectory};
use zubi_ipc::listener::PortChoice;
use zubi_ipc::wire::host::HostEnvironment;
use zubi_tool_api::cx::{
    ApprovalAnswer, ApprovalRequest, Approver, Caller, NoProgress, ProgressSink, Restrictions, Surface,
};

use crate::port_client;

/// The time limit for an event that must happen.
pub(crate) const TEST_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) struct World {
    _directory: tempfile::TempDir,
    pub(crate) root: Utf8PathBuf,
    pub(crate) host: Arc<LocalHost>,
    pub(crate) published: PublishedHost,
    pub(crate) record: DiscoveryRecord,
}

impl World {
    /// Shares a host whose workspace has a model, a Python file without a server, and these declared tools.
    pub(crate) fn new(tools: &[Value], settings: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for name in ["work/.vscode", "state", "config"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        let (work, state) = (root.join("work"), root.join("state"));
        std::fs::write(work.join("a.py"), "def parse():\n    return parse\n").unwrap();
        std::fs::write(work.join("sales.dlang"), "Domain Sales {}\nbc Orders for Sales {}\n").unwrap();
        let tool_file = work.join(".vscode/agent-tools.json");
        let text = json!({ "version": "1.0", "tools": tools }).to_string();
        std::fs::write(&tool_file, text).unwrap();
        let store = TrustStore::new(&state);
        store.trust(&work, &[tool_file], Duration::ZERO).unwrap();
        let path = root.join("config/zubi.toml");
        let layer: Layer = file::parse(settings, &path).unwrap();
        let layers = Layers { user: Some(UserLayer { path, layer }), ..Layers::default() };
        let host = LocalHost::new(&HostConfig {
            folders: vec![work],
            state_dir: state,
            cache_dir: None,
            settings: layers.resolve(),
            trust: Trust::new(store, false),
            spawner: Spawner::direct(),
            user_catalogue: None,
            search_path: None,
            kind: HostKind::InProcess,
            clock: Arc::new(SystemClock),
        });
        let host = Arc::new(host.unwrap());
        let run = RunDirectory::open(root.join("run"), true).unwrap();
        let options = PublishOptions {
            kind: HostKind::InProcess,
            environment: HostEnvironment::default(),
            port: PortChoice::Default,
            client_policy: ClientPolicy::default(),
            shutdown_token: None,
        };
        let published = PublishedHost::open(Arc::clone(&host), &run, options).unwrap();
        let record = run.read().hosts.pop().unwrap();
        Self { _directory: directory, root, host, published, record }
    }

    /// Connects to the host as another process would.
    pub(crate) async fn remote(&self) -> RemoteHost {
        RemoteHost::attach(&self.record, "test 1", &HostEnvironment::default()).await.unwrap()
    }

    /// Connects a client on the socket that answers requests with this function.
    pub(crate) async fn client(&self, answers: impl Fn(&str, Value) -> Value + Send + Sync + 'static) -> Client {
        let received = Arc::new(ReceivedMessages { answers: Box::new(answers), notifications: Mutex::default() });
        let connection = client::connect(&self.record, Arc::clone(&received) as _, TEST_TIMEOUT).await.unwrap();
        Client { connection, received }
    }

    /// Connects a client on the port that receives no requests.
    pub(crate) async fn on_port(&self) -> Client {
        let received =
            Arc::new(ReceivedMessages { answers: Box::new(|_, _| Value::Null), notifications: Mutex::default() });
        let (port, token) = (self.record.port.unwrap(), &self.record.token);
        let connection = port_client::connect(port, token, Arc::clone(&received) as _).await.unwrap();
        Client { connection, received }
    }
}

/// A connected client that is not zubi.
pub(crate) struct Client {
    pub(crate) connection: Connection,
    pub(crate) received: Arc<ReceivedMessages>,
}

/// A client's result for a method and its parameters.
type Answers = dyn Fn(&str, Value) -> Value + Send + Sync;

pub(crate) struct ReceivedMessages {
    answers: Box<Answers>,
    pub(crate) notifications: Mutex<Vec<(String, Value)>>,
}

impl PeerHandler for ReceivedMessages {
    fn notification(&self, method: &str, params: Value) {
        self.notifications.lock().unwrap_or_else(PoisonError::into_inner).push((method.to_owned(), params));
    }

    fn request(&self, method: &str, params: Value, responder: Responder) {
        responder.answer(Ok((self.answers)(method, params)));
    }
}

impl Client {
    pub(crate) async fn request(&self, method: &str, params: Value) -> Result<Value, ConnectionError> {
        self.connection.request(method, params, &CancellationToken::new(), Instant::now() + TEST_TIMEOUT).await
    }

    /// Returns the code, the message and the field of the error that the request must cause.
    pub(crate) async fn request_error(&self, method: &str, params: Value) -> String {
        match self.request(method, params).await {
            Err(ConnectionError::Response { code, message, data }) => {
                let field = data.as_ref().and_then(|data| data["field"].as_str()).map(|field| format!(" [{field}]"));
                format!("{code}{}: {message}", field.unwrap_or_default())
            }
            other => panic!("{method}: {other:?}"),
        }
    }
}

/// A user who gives this answer, and the approval requests that they received.
pub(crate) struct FakeUser {
    pub(crate) answer: ApprovalAnswer,
    pub(crate) requests: Mutex<Vec<ApprovalRequest>>,
}

#[async_trait]
impl Approver for FakeUser {
    async fn request_approval(&self, request: ApprovalRequest) -> ApprovalAnswer {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        self.answer.clone()
    }
}

impl FakeUser {
    pub(crate) fn with_answer(answer: ApprovalAnswer) -> Arc<Self> {
        Arc::new(Self { answer, requests: Mutex::default() })
    }
}

pub(crate) fn request(tool: &str, arguments: Value) -> CallRequest {
    let caller = Caller {
        surface: Surface::Mcp,
        client: Some("test 1".to_owned()),
        session: 0,
        restrictions: Restrictions::default(),
    };
    CallRequest { tool: tool.to_owned(), arguments, caller: Arc::new(caller), token_budget: None }
}

pub(crate) fn call_context(approver: Arc<dyn Approver>) -> CallContext {
    with_progress(approver, Arc::new(NoProgress))
}

pub(crate) fn with_progress(approver: Arc<dyn Approver>, progress: Arc<dyn ProgressSink>) -> CallContext {
    CallContext { cancel: CancellationToken::new(), progress, approver, timeout: TEST_TIMEOUT }
}
