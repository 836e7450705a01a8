//! `zubi/status`: status of the host of a connection, sent to the editor whenever any of it has changed.
//!
//! Changes during the computation of a status are sent with the next one, so a burst of changes results in few
//! messages.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use camino::Utf8PathBuf;
use dlang_server::ClientHandle;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use zubi_base::lsp;
use zubi_host::{HostServer, PublishedHost, ToolService};
use zubi_ipc::wire::host::ClientStatus;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::spec::Exposure;

use crate::pushed_state::PushedState;
use crate::wire::STATUS;
use crate::wire::editor::{ConnectedClient, StatusParams};

/// Name of a client that has not sent one.
const UNNAMED: &str = "an unnamed program";

/// A tool that is listed if and only if there are DomainLang models.
const MODEL_TOOL: &str = "domainlang_validate";

/// Handle with which a host's creator reports how clients can find the host. Without a report, they cannot.
#[derive(Clone, Default)]
pub struct PublicationReporter(Arc<Mutex<PublicationState>>);

/// How clients can find a host.
#[derive(Clone, Default)]
struct PublicationState {
    instance: Option<String>,
    file: Option<Utf8PathBuf>,
    port: Option<u16>,
    problem: Option<String>,
    /// The server and its client count; weak, so that the host can end.
    server: Option<(Weak<HostServer>, watch::Receiver<usize>)>,
}

impl PublicationReporter {
    /// Reports that clients can find this host.
    pub fn set_published(&self, host: &PublishedHost) {
        let mut state = self.lock();
        state.instance = Some(host.instance().to_owned());
        state.file = Some(host.file().to_owned());
        state.port = host.port();
        state.server = Some((Arc::downgrade(host.server()), host.client_count()));
    }

    /// Reports a problem of the host: a sentence for the user, with a hint.
    pub fn problem(&self, message: String) {
        self.lock().problem = Some(message);
    }

    fn lock(&self) -> MutexGuard<'_, PublicationState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for ConnectedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "{}, process {pid}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Tool data for the status.
#[derive(Default)]
struct ToolsStatus {
    count: usize,
    revision: u64,
    has_models: bool,
}

/// Reports the status of an editor's host, and of the next host when the editor opens other folders.
pub(crate) struct Reporter {
    runtime: Handle,
    client: ClientHandle,
    pushed_state: Arc<PushedState>,
    /// Task that follows the current host.
    follower: Mutex<Option<AbortHandle>>,
}

impl Reporter {
    pub(crate) fn new(runtime: Handle, client: ClientHandle, pushed_state: Arc<PushedState>) -> Self {
        Self { runtime, client, pushed_state, follower: Mutex::default() }
    }

    /// Starts to report the status of a new host, or the failure to create one. Hosts for folders that are no longer
    /// open are ignored.
    pub(crate) fn host_ready(
        &self,
        folders: &[Utf8PathBuf],
        result: &Result<Arc<dyn ToolService>, String>,
        findable: &PublicationReporter,
    ) {
        if !self.pushed_state.has_open(folders) {
            return;
        }
        let mut follower = self.follower.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = follower.take() {
            before.abort();
        }
        let state = findable.lock().clone();
        match result {
            Ok(service) => {
                let task = follow(self.client.clone(), Arc::downgrade(service), state);
                *follower = Some(self.runtime.spawn(task).abort_handle());
            }
            Err(why) => {
                let state = PublicationState { problem: Some(why.clone()), ..state };
                log(&self.client, &format!("Problem: {why}"));
                send_status(&self.client, &state, &ToolsStatus::default(), Vec::new());
            }
        }
    }
}

/// Reports the status of a host until it ends.
async fn follow(client: ClientHandle, service: Weak<dyn ToolService>, mut state: PublicationState) {
    let Some(mut changes) = service.upgrade().map(|service| service.changes()) else { return };
    log_state(&client, &state);
    let mut before = Vec::new();
    loop {
        // Read before the query, so that no change in between is missed.
        let revision = *changes.borrow_and_update();
        if let Some((_, connected)) = &mut state.server {
            connected.mark_unchanged();
        }
        let Some(tool_service) = service.upgrade() else { return };
        let specs = tool_service.list(&Restrictions::default()).await.unwrap_or_default();
        drop(tool_service);
        let has_models = specs.iter().any(|spec| spec.id == MODEL_TOOL && spec.exposure == Exposure::Direct);
        let clients = state.clients();
        log_changes(&client, &before, &clients);
        send_status(&client, &state, &ToolsStatus { count: specs.len(), revision, has_models }, clients.clone());
        before = clients;
        let client_change = async {
            match &mut state.server {
                Some((_, connected)) => connected.changed().await,
                None => std::future::pending().await,
            }
        };
        let is_running = tokio::select! {
            changed = changes.changed() => changed.is_ok(),
            changed = client_change => changed.is_ok(),
        };
        if !is_running {
            return;
        }
    }
}

impl PublicationState {
    /// Clients that are connected.
    fn clients(&self) -> Vec<ConnectedClient> {
        let server = self.server.as_ref().and_then(|(server, _)| server.upgrade());
        let clients = server.map(|server| server.client_statuses()).unwrap_or_default();
        let to_connected = |status: ClientStatus| ConnectedClient {
            name: status.client.unwrap_or_else(|| UNNAMED.to_owned()),
            pid: status.pid,
        };
        clients.into_iter().map(to_connected).collect()
    }
}

fn log_state(client: &ClientHandle, state: &PublicationState) {
    if let Some(file) = &state.file {
        let port = state.port.map_or_else(|| "no port".to_owned(), |port| format!("port {port}"));
        log(client, &format!("Other programs find this window by {file}, {port}"));
    }
    if let Some(problem) = &state.problem {
        log(client, &format!("Problem: {problem}"));
    }
}

fn log_changes(client: &ClientHandle, before: &[ConnectedClient], now: &[ConnectedClient]) {
    for joined in now.iter().filter(|it| !before.contains(it)) {
        log(client, &format!("Connected: {joined}"));
    }
    for disconnected in before.iter().filter(|it| !now.contains(it)) {
        log(client, &format!("Left: {disconnected}"));
    }
}

/// Writes a line to the log that the user sees.
fn log(client: &ClientHandle, line: &str) {
    client.notify("window/logMessage", json!({ "type": lsp::MessageType::Info, "message": line }));
}

fn send_status(client: &ClientHandle, state: &PublicationState, tools: &ToolsStatus, clients: Vec<ConnectedClient>) {
    let params = StatusParams {
        instance: state.instance.clone(),
        file: state.file.clone(),
        port: state.port,
        problem: state.problem.clone(),
        clients,
        tools: tools.count,
        revision: tools.revision,
        has_models: tools.has_models,
    };
    // Serializing strings and numbers does not fail.
    client.notify(STATUS, serde_json::to_value(params).unwrap_or(Value::Null));
}
