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

use crate::view::PushedState;
use crate::wire::STATUS;
use crate::wire::editor::{ConnectedClient, StatusParams};

/// Name of a client that has not sent one.
const NAMELESS: &str = "an unnamed program";

/// A tool that is listed exactly if there are DomainLang models.
const OF_MODELS: &str = "domainlang_validate";

/// Handle with which the creator of a host reports how clients can find it. Without a report, clients cannot.
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
    serving: Option<(Weak<HostServer>, watch::Receiver<usize>)>,
}

impl PublicationReporter {
    /// Reports that clients can find this host.
    pub fn set_published(&self, shared: &PublishedHost) {
        let mut found = self.lock();
        found.instance = Some(shared.instance().to_owned());
        found.file = Some(shared.file().to_owned());
        found.port = shared.port();
        found.serving = Some((Arc::downgrade(shared.server()), shared.client_count()));
    }

    /// Reports a problem of the host: a sentence for the user, with a hint.
    pub fn problem(&self, what: String) {
        self.lock().problem = Some(what);
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
        made: &Result<Arc<dyn ToolService>, String>,
        findable: &PublicationReporter,
    ) {
        if !self.pushed_state.has_open(folders) {
            return;
        }
        let mut follower = self.follower.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = follower.take() {
            before.abort();
        }
        let found = findable.lock().clone();
        match made {
            Ok(service) => {
                let following = follow(self.client.clone(), Arc::downgrade(service), found);
                *follower = Some(self.runtime.spawn(following).abort_handle());
            }
            Err(why) => {
                let found = PublicationState { problem: Some(why.clone()), ..found };
                log(&self.client, &format!("Problem: {why}"));
                send_status(&self.client, &found, &ToolsStatus::default(), Vec::new());
            }
        }
    }
}

/// Reports the status of a host until it ends.
async fn follow(client: ClientHandle, service: Weak<dyn ToolService>, mut found: PublicationState) {
    let Some(mut changes) = service.upgrade().map(|service| service.changes()) else { return };
    log_found(&client, &found);
    let mut before = Vec::new();
    loop {
        // Read before the query, so that no change in between is missed.
        let revision = *changes.borrow_and_update();
        if let Some((_, connected)) = &mut found.serving {
            connected.mark_unchanged();
        }
        let Some(tool_service) = service.upgrade() else { return };
        let specs = tool_service.list(&Restrictions::default()).await.unwrap_or_default();
        drop(tool_service);
        let has_models = specs.iter().any(|spec| spec.id == OF_MODELS && spec.exposure == Exposure::Direct);
        let clients = found.clients();
        log_changes(&client, &before, &clients);
        send_status(&client, &found, &ToolsStatus { count: specs.len(), revision, has_models }, clients.clone());
        before = clients;
        let came_or_went = async {
            match &mut found.serving {
                Some((_, connected)) => connected.changed().await,
                None => std::future::pending().await,
            }
        };
        let goes_on = tokio::select! {
            changed = changes.changed() => changed.is_ok(),
            changed = came_or_went => changed.is_ok(),
        };
        if !goes_on {
            return;
        }
    }
}

impl PublicationState {
    /// Clients that are connected.
    fn clients(&self) -> Vec<ConnectedClient> {
        let serving = self.serving.as_ref().and_then(|(serving, _)| serving.upgrade());
        let clients = serving.map(|serving| serving.client_statuses()).unwrap_or_default();
        let attached =
            |it: ClientStatus| ConnectedClient { name: it.client.unwrap_or_else(|| NAMELESS.to_owned()), pid: it.pid };
        clients.into_iter().map(attached).collect()
    }
}

fn log_found(client: &ClientHandle, found: &PublicationState) {
    if let Some(file) = &found.file {
        let port = found.port.map_or_else(|| "no port".to_owned(), |port| format!("port {port}"));
        log(client, &format!("Other programs find this window by {file}, {port}"));
    }
    if let Some(problem) = &found.problem {
        log(client, &format!("Problem: {problem}"));
    }
}

fn log_changes(client: &ClientHandle, before: &[ConnectedClient], now: &[ConnectedClient]) {
    for came in now.iter().filter(|it| !before.contains(it)) {
        log(client, &format!("ConnectedClient: {came}"));
    }
    for disconnected in before.iter().filter(|it| !now.contains(it)) {
        log(client, &format!("Left: {disconnected}"));
    }
}

/// Writes a line to the log that the user sees.
fn log(client: &ClientHandle, line: &str) {
    client.notify("window/logMessage", json!({ "type": lsp::MessageType::Info, "message": line }));
}

fn send_status(client: &ClientHandle, found: &PublicationState, tools: &ToolsStatus, clients: Vec<ConnectedClient>) {
    let params = StatusParams {
        instance: found.instance.clone(),
        file: found.file.clone(),
        port: found.port,
        problem: found.problem.clone(),
        clients,
        tools: tools.count,
        revision: tools.revision,
        has_models: tools.has_models,
    };
    // Serializing strings and numbers does not fail.
    client.notify(STATUS, serde_json::to_value(params).unwrap_or(Value::Null));
}
