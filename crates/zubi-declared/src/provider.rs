//! Provider of declared tools: loads the files, watches them, offers the tools of trusted files.
//!
//! The provider reads the files again after a change of a file or of the trust records, and before each list, so that
//! lists are correct even if watching fails. It detects changes by content and polls nothing.

use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use async_trait::async_trait;
use camino::Utf8PathBuf;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::watch;
use zubi_base::config::Secrets;
use zubi_base::process::Spawner;
use zubi_base::text::ContentHash;
use zubi_base::trust::Trust;
use zubi_base::workspace::WorkspaceFolders;
use zubi_exec::http::{AddressLookup, SystemLookup};
use zubi_exec::job::Jobs;
use zubi_tool_api::registry::Registry;
use zubi_tool_api::{ProviderId, Tool, ToolProvider};

use super::declared_tool::DeclaredTool;
use super::execute::ExecutionContext;
use super::functions::Functions;
use super::load::{self, DIRECTORY};
use super::loaded::{DeclaredTools, LoadedFile, TrustState, is_called};
use super::source::{self, ToolSource};
use zubi_tools::editor_state::EditorClient;

/// Directory of the tool files.
const EDITOR_DIRECTORY: &str = ".vscode";

/// Dependencies of declared tools.
pub struct DeclaredToolsConfig {
    pub workspace: Arc<WorkspaceFolders>,
    pub trust: Trust,
    /// The user's values of `${env:NAME}`.
    pub secrets: Secrets,
    pub spawner: Spawner,
    /// Runs scripts, and stores outputs too long for an answer.
    pub jobs: Arc<Jobs>,
    /// The open editor, if there is one, for tools that are editor commands.
    pub editor: Option<Arc<dyn EditorClient>>,
}

/// Provider of declared tools. Code can call other tools only after [`DeclaredProvider::connect`].
pub struct DeclaredProvider {
    id: ProviderId,
    workspace: Arc<WorkspaceFolders>,
    trust: Trust,
    context: Arc<ExecutionContext>,
    state: Mutex<ProviderState>,
    /// Locked while files are read, so that the latest read determines the state.
    reading: Mutex<()>,
    changes: watch::Sender<u64>,
    watcher: OnceLock<Option<Mutex<RecommendedWatcher>>>,
    weak_self: Weak<Self>,
}

/// Files with content hash and trust, and the version of the registered functions.
type ProviderFingerprint = (Vec<(Utf8PathBuf, ContentHash, bool)>, u64);

#[derive(Default)]
struct ProviderState {
    fingerprint: ProviderFingerprint,
    tools: Vec<Arc<dyn Tool>>,
    notes: Vec<String>,
    /// Tools that are left out, by id, with the reason.
    omitted_tools: Vec<(String, String)>,
}

impl DeclaredProvider {
    /// Reads the files once. Watching begins with the first list.
    pub fn new(setup: DeclaredToolsConfig) -> Arc<Self> {
        Self::with_lookup(setup, Arc::new(SystemLookup))
    }

    /// Like [`Self::new`], with a custom DNS lookup.
    pub fn with_lookup(setup: DeclaredToolsConfig, lookup: Arc<dyn AddressLookup>) -> Arc<Self> {
        let DeclaredToolsConfig { workspace, trust, secrets, spawner, jobs, editor } = setup;
        let context = ExecutionContext { editor, ..ExecutionContext::new(secrets, &spawner, lookup, jobs) };
        let provider = Arc::new_cyclic(|weak_self| Self {
            id: ProviderId("declared".into()),
            workspace,
            trust,
            context: Arc::new(context),
            state: Mutex::default(),
            reading: Mutex::default(),
            changes: watch::Sender::new(0),
            watcher: OnceLock::new(),
            weak_self: weak_self.clone(),
        });
        provider.reload();
        provider
    }

    /// Sets the registry through which code calls other tools. Only the first call has an effect.
    pub fn connect(&self, registry: Weak<Registry>) {
        // A second registry would not contain this provider.
        drop(self.context.registry.set(registry));
    }

    /// Returns the registry of functions for tools of the kind `function`.
    pub fn functions(&self) -> &Arc<Functions> {
        &self.context.functions
    }

    /// Updates the tools after a function was registered or removed, because descriptions state whether a tool can run.
    pub fn functions_changed(&self) {
        self.reload();
    }

    /// Reads the files again and notifies subscribers if the list changed.
    pub(super) fn reload(&self) {
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let names: Vec<String> = self.context.secrets.names().map(str::to_owned).collect();
        let loaded = load::load(&self.workspace, &self.trust, &names);
        let is_trusted = |file: &LoadedFile| file.trust == TrustState::Trusted;
        let files = loaded.files.iter().map(|file| (file.path.clone(), file.hash.clone(), is_trusted(file))).collect();
        let fingerprint = (files, self.context.functions.version());
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.fingerprint == fingerprint {
                return;
            }
            *state = ProviderState {
                fingerprint,
                tools: self.tools_of(&loaded),
                notes: notes(&loaded),
                omitted_tools: omitted_tools(&loaded),
            };
        }
        self.changes.send_modify(|count| *count += 1);
    }

    fn tools_of(&self, loaded: &DeclaredTools) -> Vec<Arc<dyn Tool>> {
        let trusted = loaded.files.iter().filter(|file| file.trust == TrustState::Trusted);
        let new_tool = |file: &LoadedFile, tool| -> Arc<dyn Tool> {
            let origin = ToolSource {
                folder: file.folder.clone(),
                path: file.path.clone(),
                display_path: file.display_path.clone(),
                hash: file.hash.clone(),
                trust: self.trust.clone(),
                provider: self.weak_self.clone(),
            };
            Arc::new(DeclaredTool::new(tool, file.folder.clone(), Arc::clone(&self.context)).with_source(origin))
        };
        let tools = trusted.flat_map(|file| file.tools.iter().map(move |tool| (file, tool)));
        tools.map(|(file, tool)| new_tool(file, tool)).collect()
    }

    /// Starts to watch the files. Lists stay correct even if this fails.
    fn start_watching(&self) {
        let start = || {
            let (sender, receiver) = mpsc::channel();
            let directories = self.watched_directories();
            let on_event = move |event: notify::Result<notify::Event>| {
                let Ok(event) = event else { return };
                let is_watched =
                    |path: &std::path::PathBuf| directories.iter().any(|directory| path.starts_with(directory));
                // Reads are events too; reacting to them would loop forever.
                if !event.kind.is_access() && (event.need_rescan() || event.paths.iter().any(is_watched)) {
                    // The receiver is gone only when the provider is dropped.
                    let _ = sender.send(());
                }
            };
            let watcher = notify::recommended_watcher(on_event);
            let watcher = watcher.inspect_err(|error| tracing::warn!(%error, "tool files are not watched")).ok()?;
            let weak_self = self.weak_self.clone();
            let thread = std::thread::Builder::new()
                .name("tool files".to_owned())
                .spawn(move || watch_files(&receiver, &weak_self));
            thread.inspect_err(|error| tracing::warn!(%error, "tool files are not watched")).ok()?;
            Some(Mutex::new(watcher))
        };
        self.watcher.get_or_init(start);
        self.watch_directories();
    }

    /// Returns the directories in which a change may affect the list.
    fn watched_directories(&self) -> Vec<Utf8PathBuf> {
        let folders = self.workspace.folders().iter().map(|folder| folder.path.join(EDITOR_DIRECTORY));
        folders.chain([self.trust.directory().to_owned()]).collect()
    }

    /// Watches every directory that now exists. Watching a directory twice has no effect.
    fn watch_directories(&self) {
        let Some(Some(watcher)) = self.watcher.get() else { return };
        let mut directories: Vec<Utf8PathBuf> = Vec::new();
        for folder in self.workspace.folders() {
            directories.push(folder.path.clone());
            directories.extend([EDITOR_DIRECTORY, DIRECTORY].map(|name| folder.path.join(name)));
        }
        directories.push(self.trust.directory().to_owned());
        directories.extend(self.trust.directory().parent().map(ToOwned::to_owned));
        let mut watcher = watcher.lock().unwrap_or_else(PoisonError::into_inner);
        for directory in directories.iter().filter(|directory| directory.is_dir()) {
            if let Err(error) = watcher.watch(directory.as_std_path(), RecursiveMode::NonRecursive) {
                tracing::debug!(%directory, %error, "not watched");
            }
        }
    }
}

/// Reloads after each batch of events, until the provider is dropped.
fn watch_files(events: &Receiver<()>, weak_self: &Weak<DeclaredProvider>) {
    while events.recv().is_ok() {
        while events.try_recv().is_ok() {}
        let Some(provider) = weak_self.upgrade() else { return };
        // In this order, one of the two calls sees files that appear in a new directory.
        provider.watch_directories();
        provider.reload();
    }
}

/// Returns notes about omitted tools. Repeats nothing of an untrusted file except its name.
fn notes(loaded: &DeclaredTools) -> Vec<String> {
    let short_name = |file: &LoadedFile| source::short_name(&file.display_path);
    let mut notes: Vec<String> = loaded
        .untrusted_files()
        .filter_map(|file| {
            let reason = file.trust.reason()?;
            let count = file.tools.len();
            let tools = if count == 1 { "its tool is".to_owned() } else { format!("its {count} tools are") };
            let action = match file.trust {
                TrustState::Withheld => "trust the folder there",
                _ => "review it and run `zubi trust`",
            };
            Some(format!("`{}` {reason}, so {tools} left out; the user can {action}", short_name(file)))
        })
        .collect();
    for file in loaded.files.iter().filter(|file| file.trust == TrustState::Trusted && file.has_errors()) {
        notes.push(format!("`{}` has errors; the affected tools are left out (`zubi tools check`)", short_name(file)));
    }
    notes
}

/// Returns the ids of omitted tools, each with the reason.
fn omitted_tools(loaded: &DeclaredTools) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for file in &loaded.files {
        let reason = source::explain_untrusted(file);
        let unused = file.tools.iter().filter(|_| file.trust != TrustState::Trusted);
        let ids = unused.map(|tool| &tool.definition.id).chain(&file.broken);
        all.extend(ids.map(|id| (id.clone(), reason.clone())));
    }
    all
}

#[async_trait]
impl ToolProvider for DeclaredProvider {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn name(&self) -> &'static str {
        "Tools of this workspace"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).tools.clone()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn notes(&self) -> Vec<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).notes.clone()
    }

    fn omission_reason(&self, name: &str) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.omitted_tools.iter().find(|(id, _)| is_called(id, name)).map(|(_, reason)| reason.clone())
    }

    async fn prepare(&self) {
        let Some(provider) = self.weak_self.upgrade() else { return };
        let refresh = move || {
            provider.start_watching();
            provider.reload();
        };
        if tokio::task::spawn_blocking(refresh).await.is_err() {
            tracing::error!("reading the tool files failed");
        }
    }
}

#[cfg(test)]
mod tests;
