//! An editor controlled by the test.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use dlang_server::{Exit, Server, ServerConfig};
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use zubi_agent::chat::ChatService;
use zubi_agent::manager::{ConversationManager, ConversationManagerConfig};
use zubi_agent::run::Budgets;
use zubi_base::clock::SystemClock;
use zubi_base::config::Layers;
use zubi_base::process::Spawner;
use zubi_base::trust::{Trust, TrustStore};
use zubi_base::{fs, uri};
use zubi_host::{EditorIntegration, HostConfig, LocalHost, ToolService};
use zubi_models::registry::ModelRegistry;

use zubi_ipc::wire::host::HostKind;
use zubi_tool_api::redact::Redactor;

use crate::{ChatSpec, EditorChannel, PublicationReporter};

/// Time limit for a message that must arrive.
const MESSAGE_TIMEOUT: Duration = Duration::from_mins(1);

pub(super) struct Client {
    pub(super) root: Utf8PathBuf,
    /// Result of `initialize`.
    pub(super) initialized: Value,
    _directory: tempfile::TempDir,
    runtime: Runtime,
    channel: EditorChannel,
    server: Option<Server>,
    connection: Connection,
    next: i32,
    unread: VecDeque<Message>,
    /// Models of the editor.
    pub(super) models: Vec<Value>,
}

impl Client {
    /// A client with these `initializationOptions` and the files of a fixture, each after a line `//- path`. The host
    /// is the real one, without language servers.
    pub(super) fn new(options: &Value, fixture: &str) -> Self {
        Self::with_host(options, fixture, host)
    }

    /// Like [`Self::new`], with a folder that is a link, `linked`.
    pub(super) fn by_link(options: &Value, fixture: &str) -> Self {
        Self::open(options, fixture, Some("linked"), |spec, _, state| host(spec, state), chat)
    }

    /// Like [`Self::new`], with a host of the test.
    pub(super) fn with_host(
        options: &Value,
        fixture: &str,
        factory: impl Fn(EditorIntegration, Utf8PathBuf) -> Result<Arc<dyn ToolService>, String> + Send + Sync + 'static,
    ) -> Self {
        Self::open(options, fixture, None, move |spec, _, state| factory(spec, state), chat)
    }

    /// Like [`Self::new`], with a host of the test that reports how others can find it.
    pub(super) fn with_published_host(
        options: &Value,
        factory: impl Fn(EditorIntegration, PublicationReporter, Utf8PathBuf) -> Result<Arc<dyn ToolService>, String>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self::open(options, "", None, factory, chat)
    }

    /// Like [`Self::new`], with a chat service of the test.
    pub(super) fn with_chat(
        options: &Value,
        change: impl Fn(Arc<dyn ChatService>) -> Arc<dyn ChatService> + Send + Sync + 'static,
    ) -> Self {
        Self::open(
            options,
            "",
            None,
            |spec, _, state| host(spec, state),
            move |spec, state| chat(spec, state).map(&change),
        )
    }

    fn open(
        options: &Value,
        fixture: &str,
        link: Option<&str>,
        factory: impl Fn(EditorIntegration, PublicationReporter, Utf8PathBuf) -> Result<Arc<dyn ToolService>, String>
        + Send
        + Sync
        + 'static,
        chat: impl Fn(ChatSpec, Utf8PathBuf) -> Result<Arc<dyn ChatService>, String> + Send + Sync + 'static,
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let mut root = base.join("project");
        std::fs::create_dir(&root).unwrap();
        if let Some(link) = link {
            std::os::unix::fs::symlink(&root, base.join(link)).unwrap();
            root = base.join(link);
        }
        for file in fixture.split("//- ").skip(1) {
            let (name, text) = file.split_once('\n').unwrap();
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write_atomic(&root.join(name), text.as_bytes()).unwrap();
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let state = base.join("state");
        let of_chat = state.clone();
        let channel =
            EditorChannel::new(runtime.handle().clone(), move |spec, findable| factory(spec, findable, state.clone()))
                .with_agent(move |spec| chat(spec, of_chat.clone()));
        let (connection, server) = Connection::memory();
        let config = ServerConfig { debounce: Duration::ZERO, watch: false, ..ServerConfig::default() };
        let server = dlang_server::run(server, config, channel.methods()).unwrap();
        let mut client = Self {
            root,
            initialized: Value::Null,
            _directory: directory,
            runtime,
            channel,
            server: Some(server),
            connection,
            next: 0,
            unread: VecDeque::new(),
            models: Vec::new(),
        };
        let folder = json!({ "uri": uri::from_path(&client.root).0, "name": "project" });
        let initialize = json!({
            "clientInfo": { "name": "Test Editor", "version": "1" },
            "capabilities": { "textDocument": { "diagnostic": {} } },
            "initializationOptions": options,
            "workspaceFolders": [folder],
        });
        client.initialized = client.request("initialize", initialize).unwrap();
        client.notify("initialized", json!({}));
        client
    }

    pub(super) fn uri(&self, path: &str) -> String {
        uri::from_path(&self.root.join(path)).0
    }

    pub(super) fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params });
    }

    /// Sends a request without waiting for the answer.
    pub(super) fn begin(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.send(Request { id: id.clone(), method: method.to_owned(), params });
        id
    }

    /// Answer to a request: its result, or its error as JSON.
    pub(super) fn answer(&mut self, id: &RequestId) -> Result<Value, Value> {
        let response = self.next_matching(|message| match message {
            Message::Response(response) if response.id == *id => Some(response.clone()),
            _ => None,
        });
        response.response_result.map_err(|error| serde_json::to_value(error).unwrap())
    }

    pub(super) fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin(method, params);
        self.answer(&id)
    }

    /// Calls a tool that sends no request to the editor; the text of its answer, after `error: ` if it is an error.
    pub(super) fn call(&mut self, tool: &str, args: &Value) -> String {
        tool_text(&self.request("zubi/tools/call", json!({ "id": tool, "args": args })).unwrap())
    }

    /// Next `zubi/editor/request` of the server.
    pub(super) fn next_request(&mut self) -> Request {
        self.expect_request("zubi/editor/request")
    }

    /// Cancels a request.
    pub(super) fn cancel(&self, id: &RequestId) {
        self.notify("$/cancelRequest", json!({ "id": id }));
    }

    /// Answer to a request, or an earlier request of the server.
    pub(super) fn next_request_or_answer(&mut self, id: &RequestId) -> Result<Result<Value, Value>, Request> {
        self.next_matching(|message| match message {
            Message::Response(response) if response.id == *id => {
                let result = response.response_result.clone();
                Some(Ok(result.map_err(|error| serde_json::to_value(error).unwrap())))
            }
            Message::Request(request) if request.method.starts_with("zubi/editor/") => Some(Err(request.clone())),
            _ => None,
        })
    }

    /// Next request of this method.
    pub(super) fn expect_request(&mut self, method: &str) -> Request {
        self.next_matching(|message| match message {
            Message::Request(request) if request.method == method => Some(request.clone()),
            _ => None,
        })
    }

    /// Runtime of the tools.
    pub(super) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Next notification of this method.
    pub(super) fn next_notification(&mut self, method: &str) -> Value {
        self.next_matching(|message| match message {
            Message::Notification(notification) if notification.method == method => Some(notification.params.clone()),
            _ => None,
        })
    }

    pub(super) fn respond(&self, id: RequestId, result: Value) {
        self.send(Response { id, response_result: Ok(result) });
    }

    pub(super) fn refuse(&self, id: RequestId, code: i32, message: &str) {
        let error = ResponseError { code, message: message.to_owned(), data: None };
        self.send(Response { id, response_result: Err(error) });
    }

    fn send(&self, message: impl Into<Message>) {
        self.connection.sender.send(message.into()).unwrap();
    }

    /// Next message that matches; earlier messages stay unread.
    fn next_matching<T>(&mut self, matcher: impl Fn(&Message) -> Option<T>) -> T {
        if let Some(index) = self.unread.iter().position(|message| matcher(message).is_some()) {
            return matcher(&self.unread.remove(index).unwrap()).unwrap();
        }
        loop {
            let message =
                self.connection.receiver.recv_timeout(MESSAGE_TIMEOUT).expect("a message within the time limit");
            if let Some(matched) = matcher(&message) {
                return matched;
            }
            if let Message::Request(request) = &message
                && request.method == "zubi/model/list"
            {
                self.respond(request.id.clone(), json!({ "models": self.models }));
                continue;
            }
            self.unread.push_back(message);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.request("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        assert_eq!(self.server.take().unwrap().join(), Exit::Orderly);
        self.runtime.block_on(self.channel.shutdown());
    }
}

/// Text of a tool's answer.
pub(super) fn tool_text(answer: &Value) -> String {
    let text = answer["text"].as_str().unwrap();
    if answer["isError"] == true { format!("error: {text}") } else { text.to_owned() }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of a host factory")]
fn host(spec: EditorIntegration, state_dir: Utf8PathBuf) -> Result<Arc<dyn ToolService>, String> {
    Ok(Arc::new(local(&spec, state_dir)?))
}

/// Chat service as in an editor's server, with only the editor's models.
fn chat(spec: ChatSpec, state: Utf8PathBuf) -> Result<Arc<dyn ChatService>, String> {
    let models = ModelRegistry::new(spec.models.into_iter().collect(), spec.settings.model);
    let iterations = spec.settings.max_iterations.unwrap_or(20);
    let config = ConversationManagerConfig {
        service: spec.service,
        models: Arc::new(models),
        state,
        folders: spec.folders,
        budgets: Budgets { iterations, ..Budgets::default() },
        auto_approve: Vec::new(),
        redactor: Redactor::new(spec.secrets),
        clock: Arc::new(SystemClock),
    };
    ConversationManager::open(config).map(|manager| manager as _).map_err(|error| error.to_string())
}

/// Host as in an editor's server, without language servers.
pub(super) fn local(spec: &EditorIntegration, state_dir: Utf8PathBuf) -> Result<LocalHost, String> {
    local_with(spec, state_dir, &Layers::default())
}

/// Like [`local`], with settings.
pub(super) fn local_with(
    spec: &EditorIntegration,
    state_dir: Utf8PathBuf,
    layers: &Layers,
) -> Result<LocalHost, String> {
    let config = HostConfig {
        folders: spec.folders.clone(),
        cache_dir: None,
        settings: layers.resolve(),
        trust: Trust::new(TrustStore::new(&state_dir), false),
        state_dir,
        spawner: Spawner::direct(),
        user_catalogue: None,
        search_path: None,
        kind: HostKind::Editor,
        clock: Arc::new(SystemClock),
    };
    LocalHost::with_editor(&config, spec).map_err(|error| error.to_string())
}
