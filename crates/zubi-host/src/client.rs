//! A host client: a session that uses the host of its workspace, in any process.
//!
//! The client attaches to the best available host (an open editor's, else a daemon, else the host of another client).
//! If none is available, it **is** the host itself and lets other clients attach. When its host ends, it finds another
//! one or becomes one; when a better one appears, it switches to that. Callers only notice such a change if a call is
//! lost: the client repeats a call that only reads. For any other call it cannot determine whether the host has made
//! the call, and the answer reports that.

mod backend;
mod config;
pub(crate) mod election;

use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::Instant;

use async_trait::async_trait;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use zubi_base::sync::lock;
use zubi_code::edit::take_recovery_notes;
use zubi_ipc::wire::host::HostKind;
use zubi_tool_api::cx::{Caller, Restrictions};
use zubi_tool_api::spec::Effect;
use zubi_tool_api::{ResourceSpec, ResourceText, ToolSpec};

use self::backend::Backend;
pub use self::config::HostClientConfig;
use self::election::DiscoverySnapshot;
use crate::local::LocalHost;
use crate::remote::RemoteHost;
use crate::service::{
    CallAnswer, CallContext, CallFailure, CallRequest, Explanation, HostDescription, HostError, PolicyInForce,
    ToolService, UnknownTool,
};

/// The maximum number of hosts in a row that one request may try.
const ATTEMPTS: usize = 3;

/// The client; see the module's documentation.
pub struct HostClient {
    config: HostClientConfig,
    current: RwLock<Arc<Backend>>,
    /// Locked during the search for another host, so that one caller searches for all.
    search_lock: tokio::sync::Mutex<()>,
    snapshot: Mutex<DiscoverySnapshot>,
    changes: watch::Sender<u64>,
    /// Counts the changes of `current`.
    backend_changes: watch::Sender<u64>,
    follower: Mutex<Option<JoinHandle<()>>>,
}

impl HostClient {
    /// Finds a host or becomes one.
    ///
    /// # Errors
    ///
    /// If there is no host and this process cannot become one, because the workspace or the configuration is invalid.
    pub async fn open(config: HostClientConfig) -> Result<Arc<Self>, String> {
        let mut snapshot = DiscoverySnapshot::default();
        let initial = election::attach(&config, &mut snapshot).await?;
        let client = Arc::new(Self {
            config,
            current: RwLock::new(Arc::new(initial)),
            search_lock: tokio::sync::Mutex::default(),
            snapshot: Mutex::new(snapshot),
            changes: watch::Sender::new(0),
            backend_changes: watch::Sender::new(0),
            follower: Mutex::default(),
        });
        *lock(&client.follower) = Some(tokio::spawn(follow(Arc::downgrade(&client))));
        Ok(client)
    }

    /// Returns the kind of the present host, and its process id if it is another process.
    pub fn host(&self) -> (HostKind, Option<u32>) {
        match &*self.now() {
            Backend::Local(_) => (HostKind::InProcess, None),
            Backend::Remote(remote) => (remote.info().kind, Some(remote.info().pid)),
        }
    }

    /// Returns the host of this process, if it is the present one.
    pub fn local_host(&self) -> Option<Arc<LocalHost>> {
        match &*self.now() {
            Backend::Local(local) => Some(Arc::clone(local.host())),
            Backend::Remote(_) => None,
        }
    }

    /// Returns the host in another process, if it is the present one.
    pub fn remote(&self) -> Option<Arc<RemoteHost>> {
        match &*self.now() {
            Backend::Local(_) => None,
            Backend::Remote(remote) => Some(Arc::clone(remote)),
        }
    }

    fn now(&self) -> Arc<Backend> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the host to use: the present one, unless it has ended or there is a better one.
    async fn current(&self) -> Result<Arc<Backend>, String> {
        let now = self.now();
        let can_stay = !now.is_disconnected() && {
            let mut snapshot = lock(&self.snapshot);
            now.kind() == HostKind::Editor
                || now.has_session_state()
                || !election::has_changed(&self.config, &mut snapshot)
        };
        if can_stay { Ok(now) } else { self.replace(&now, now.is_disconnected()).await }
    }

    /// Returns another host if `previous` has ended, else a better one if there is one. `disconnected` is set by a
    /// caller that has lost a response: [`Backend::is_disconnected`] may report the end only a moment later.
    async fn replace(&self, previous: &Arc<Backend>, disconnected: bool) -> Result<Arc<Backend>, String> {
        let _guard = self.search_lock.lock().await;
        let now = self.now();
        if !Arc::ptr_eq(&now, previous) {
            return Ok(now);
        }
        let mut snapshot = std::mem::take(&mut *lock(&self.snapshot));
        let next = if disconnected {
            if let Backend::Remote(remote) = &**previous {
                snapshot.exclude(&remote.info().instance);
            }
            election::attach(&self.config, &mut snapshot).await.map(Some)
        } else {
            Ok(election::find_preferred(&self.config, &mut snapshot, previous).await)
        };
        *lock(&self.snapshot) = snapshot;
        let Some(next) = next? else { return Ok(now) };
        let next = Arc::new(next);
        tracing::info!(kind = next.kind().name(), "moved to another host");
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&next);
        if let Backend::Local(local) = &**previous {
            local.unpublish();
        }
        self.backend_changes.send_modify(|count| *count += 1);
        self.changes.send_modify(|count| *count += 1);
        Ok(next)
    }

    /// Sends a request to the host, and to the next one if that host has ended. `call` is the tool call in the request,
    /// which is repeated only if it reads or plans; `None` is a query, which can always be repeated.
    async fn send<T, F>(
        &self,
        call: Option<&CallRequest>,
        send: impl Fn(Arc<dyn ToolService>) -> F,
    ) -> Result<T, HostError>
    where
        F: Future<Output = Result<T, HostError>>,
    {
        let unavailable = |why| HostError::Unavailable { why };
        let mut backend = self.current().await.map_err(unavailable)?;
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            let answer = {
                let _in_progress = backend.track_query();
                send(backend.service()).await
            };
            let Err(HostError::Disconnected { why }) = answer else { return answer };
            let next = self.replace(&backend, true).await;
            if let Some(call) = call {
                // `None` if there is no host left that could describe the tool, or the host does not know it.
                let effect = match &next {
                    Ok(next) => next.service().find(&call.tool, &call.caller.restrictions).await.ok(),
                    Err(_) => None,
                };
                let effect = effect.map(|spec| spec.effect);
                if effect.is_none_or(|effect| effect > Effect::Plan) {
                    return Err(HostError::OutcomeUnknown { why, journal: self.write_note(effect) });
                }
            }
            backend = next.map_err(unavailable)?;
            last = why;
        }
        Err(unavailable(if call.is_some() { format!("{last}, {ATTEMPTS} times in a row") } else { last }))
    }

    /// Describes, as a clause, the progress of an interrupted change to files. `None` for a call that is not known to
    /// write files, because the journal does not record those. The new host has recovered the change when it looked up
    /// the tool.
    fn write_note(&self, effect: Option<Effect>) -> Option<String> {
        let (state_dir, folders) = (&self.config.state_dir, &self.config.folders);
        let notes = take_recovery_notes(state_dir, |path| folders.iter().any(|folder| path.starts_with(folder)));
        if !notes.is_empty() {
            return Some(notes.join("; "));
        }
        let journal = state_dir.join("journal");
        let entries = journal.read_dir_utf8().map(|entries| entries.flatten().collect()).unwrap_or_else(|_| Vec::new());
        let latest = entries
            .iter()
            .filter(|entry| entry.path().extension() == Some("journal"))
            .max_by_key(|entry| entry.metadata().and_then(|metadata| metadata.modified()).ok());
        match latest {
            Some(entry) => Some(format!(
                "the journal entry `{}` records the changes begun on files, and zubi reverts them at the next call",
                entry.path()
            )),
            None if matches!(effect, None | Some(Effect::Write)) => {
                Some(format!("there is no entry in the journal `{journal}`, so no file was left half changed"))
            }
            None => None,
        }
    }
}

/// Looks for another host as soon as the present one has ended, and forwards its notifications about a changed list.
async fn follow(client: Weak<HostClient>) {
    loop {
        let Some(upgraded) = client.upgrade() else { return };
        // Subscribed before reading the present host, so that no switch in between is missed.
        let mut backend_changes = upgraded.backend_changes.subscribe();
        let now = upgraded.now();
        let (mut changes, disconnected_future) = (now.service().changes(), now.wait_disconnected());
        drop(upgraded);
        let is_disconnected = tokio::select! {
            () = disconnected_future => true,
            changed = changes.changed() => changed.is_err(),
            changed = backend_changes.changed() => {
                if changed.is_err() {
                    return;
                }
                continue;
            }
        };
        let Some(client) = client.upgrade() else { return };
        if !is_disconnected {
            client.changes.send_modify(|count| *count += 1);
        } else if let Err(why) = client.replace(&now, now.is_disconnected()).await {
            // The next caller tries again and receives the error.
            tracing::warn!(why, "there is no host");
            drop(client);
            if backend_changes.changed().await.is_err() {
                return;
            }
        }
    }
}

/// Reports a tool as unknown because there is no host, with the reason.
fn unknown_without_host(name: &str, error: HostError) -> HostError {
    match error {
        HostError::Unavailable { .. } => {
            let (why, code) = (format!("{error}\n{}", error.hint()), error.code());
            UnknownTool { name: name.to_owned(), why, code }.into()
        }
        error => error,
    }
}

#[async_trait]
impl ToolService for HostClient {
    fn describe(&self) -> HostDescription {
        self.now().service().describe()
    }

    async fn list(&self, restrictions: &Restrictions) -> Result<Vec<Arc<ToolSpec>>, HostError> {
        self.send(None, async |host: Arc<dyn ToolService>| host.list(restrictions).await).await
    }

    async fn find(&self, name: &str, restrictions: &Restrictions) -> Result<Arc<ToolSpec>, HostError> {
        let send = async |host: Arc<dyn ToolService>| host.find(name, restrictions).await;
        self.send(None, send).await.map_err(|error| unknown_without_host(name, error))
    }

    async fn call(&self, request: &CallRequest, context: &CallContext) -> Result<CallAnswer, HostError> {
        let started = Instant::now();
        let send = async |host: Arc<dyn ToolService>| host.call(request, context).await;
        match self.send(Some(request), send).await {
            Err(error @ (HostError::Unavailable { .. } | HostError::OutcomeUnknown { .. })) => {
                let failure = CallFailure::new(&request.tool, error.code(), &error, &error.hint());
                Ok(failure.into_answer(started.elapsed()))
            }
            answer => answer,
        }
    }

    async fn explain(&self, request: &CallRequest, context: &CallContext) -> Result<Explanation, HostError> {
        let send = async |host: Arc<dyn ToolService>| host.explain(request, context).await;
        self.send(None, send).await.map_err(|error| unknown_without_host(&request.tool, error))
    }

    async fn policy(&self) -> Result<PolicyInForce, HostError> {
        self.send(None, async |host: Arc<dyn ToolService>| host.policy().await).await.map_err(|error| match error {
            HostError::Unavailable { why } => HostError::PolicyUnknown { why },
            error => error,
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    async fn resources(&self) -> Result<Vec<ResourceSpec>, HostError> {
        self.send(None, async |host: Arc<dyn ToolService>| host.resources().await).await
    }

    async fn read_resource(
        &self,
        uri: &str,
        caller: &Arc<Caller>,
        context: &CallContext,
    ) -> Result<ResourceText, HostError> {
        let send = async |host: Arc<dyn ToolService>| host.read_resource(uri, caller, context).await;
        self.send(None, send).await.map_err(|error| match error {
            HostError::Unavailable { why } => HostError::UnreadableResource(format!("Failed to read {uri}: {why}")),
            error => error,
        })
    }

    async fn shutdown(&self) {
        if let Some(follower) = lock(&self.follower).take() {
            follower.abort();
        }
        self.now().end().await;
    }
}
