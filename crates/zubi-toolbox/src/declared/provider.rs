//! Provider of declared tools: loads the files, watches them, offers the tools of trusted files.
//!
//! Files are read again after a change (of a file or of the trust records) and before each list, so that lists are
//! right even if watching fails. Changes are detected by content; nothing is polled.

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
use zubi_base::workspace::Workspace;
use zubi_run::http::{Lookup, SystemLookup};
use zubi_run::job::Jobs;
use zubi_tools::registry::Registry;
use zubi_tools::{ProviderId, Tool, ToolProvider};

use super::execute::ExecutionContext;
use super::functions::Functions;
use super::load::{self, DIRECTORY, DeclaredTools, LoadedFile, TrustState};
use super::origin::{self, Origin};
use super::tool::DeclaredTool;
use crate::sight::EditorClient;

/// Directory of the tool files.
const EDITOR_DIRECTORY: &str = ".vscode";

/// Dependencies of declared tools.
pub struct Setup {
    pub workspace: Arc<Workspace>,
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
    workspace: Arc<Workspace>,
    trust: Trust,
    machinery: Arc<ExecutionContext>,
    state: Mutex<State>,
    /// Locked while files are read, so that the latest read determines the state.
    reading: Mutex<()>,
    changes: watch::Sender<u64>,
    watcher: OnceLock<Option<Mutex<RecommendedWatcher>>>,
    me: Weak<Self>,
}

/// Files with content hash and trust, and the version of the registered functions.
type SeenState = (Vec<(Utf8PathBuf, ContentHash, bool)>, u64);

#[derive(Default)]
struct State {
    seen: SeenState,
    tools: Vec<Arc<dyn Tool>>,
    notes: Vec<String>,
    /// Tools that are left out, by id, with the reason.
    left_out: Vec<(String, String)>,
}

impl DeclaredProvider {
    /// Reads the files once. Watching begins with the first list.
    pub fn new(setup: Setup) -> Arc<Self> {
        Self::with_lookup(setup, Arc::new(SystemLookup))
    }

    /// Like [`Self::new`], with a custom DNS lookup.
    pub fn with_lookup(setup: Setup, lookup: Arc<dyn Lookup>) -> Arc<Self> {
        let Setup { workspace, trust, secrets, spawner, jobs, editor } = setup;
        let machinery = ExecutionContext { editor, ..ExecutionContext::new(secrets, &spawner, lookup, jobs) };
        let declared = Arc::new_cyclic(|me| Self {
            id: ProviderId("declared".into()),
            workspace,
            trust,
            machinery: Arc::new(machinery),
            state: Mutex::default(),
            reading: Mutex::default(),
            changes: watch::Sender::new(0),
            watcher: OnceLock::new(),
            me: me.clone(),
        });
        declared.reload();
        declared
    }

    /// Sets the registry through which code calls other tools. Only the first call has an effect.
    pub fn connect(&self, registry: Weak<Registry>) {
        // A second registry would not contain this provider.
        drop(self.machinery.registry.set(registry));
    }

    /// Returns the registry of functions for tools of the kind `function`.
    pub fn functions(&self) -> &Arc<Functions> {
        &self.machinery.functions
    }

    /// Updates the tools after functions were registered or removed: descriptions state whether a tool can run.
    pub fn functions_changed(&self) {
        self.reload();
    }

    /// Reads the files again and notifies subscribers if the list changed.
    pub(super) fn reload(&self) {
        let _one_at_a_time = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let names: Vec<String> = self.machinery.secrets.names().map(str::to_owned).collect();
        let loaded = load::load(&self.workspace, &self.trust, &names);
        let is_trusted = |file: &LoadedFile| file.standing == TrustState::Trusted;
        let files = loaded.files.iter().map(|file| (file.path.clone(), file.hash.clone(), is_trusted(file))).collect();
        let seen = (files, self.machinery.functions.version());
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.seen == seen {
                return;
            }
            *state = State { seen, tools: self.tools_of(&loaded), notes: notes(&loaded), left_out: left_out(&loaded) };
        }
        self.changes.send_modify(|count| *count += 1);
    }

    fn tools_of(&self, loaded: &DeclaredTools) -> Vec<Arc<dyn Tool>> {
        let trusted = loaded.files.iter().filter(|file| file.standing == TrustState::Trusted);
        let tool = |file: &LoadedFile, tool| -> Arc<dyn Tool> {
            let origin = Origin {
                folder: file.folder.clone(),
                path: file.path.clone(),
                shown: file.shown.clone(),
                hash: file.hash.clone(),
                trust: self.trust.clone(),
                provider: self.me.clone(),
            };
            Arc::new(DeclaredTool::new(tool, file.folder.clone(), Arc::clone(&self.machinery)).declared_by(origin))
        };
        let tools = trusted.flat_map(|file| file.tools.iter().map(move |it| (file, it)));
        tools.map(|(file, it)| tool(file, it)).collect()
    }

    /// Starts watching the files. Lists stay right even if watching fails.
    fn follow(&self) {
        let begin = || {
            let (tell, heard) = mpsc::channel();
            let of_interest = self.of_interest();
            let told = move |event: notify::Result<notify::Event>| {
                let Ok(event) = event else { return };
                let concerns = |path: &std::path::PathBuf| of_interest.iter().any(|it| path.starts_with(it));
                // Reads are events too; reacting to them would loop forever.
                if !event.kind.is_access() && (event.need_rescan() || event.paths.iter().any(concerns)) {
                    // The receiver is gone only when the provider is dropped.
                    let _ = tell.send(());
                }
            };
            let watcher = notify::recommended_watcher(told);
            let watcher = watcher.inspect_err(|error| tracing::warn!(%error, "tool files are not watched")).ok()?;
            let me = self.me.clone();
            let thread = std::thread::Builder::new().name("tool files".to_owned()).spawn(move || watch_files(&heard, &me));
            thread.inspect_err(|error| tracing::warn!(%error, "tool files are not watched")).ok()?;
            Some(Mutex::new(watcher))
        };
        self.watcher.get_or_init(begin);
        self.watch();
    }

    /// Returns the directories in which a change may affect the list.
    fn of_interest(&self) -> Vec<Utf8PathBuf> {
        let folders = self.workspace.folders().iter().map(|folder| folder.path.join(EDITOR_DIRECTORY));
        folders.chain([self.trust.directory().to_owned()]).collect()
    }

    /// Watches every directory that exists by now. Watching a directory twice has no effect.
    fn watch(&self) {
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
fn watch_files(heard: &Receiver<()>, me: &Weak<DeclaredProvider>) {
    while heard.recv().is_ok() {
        while heard.try_recv().is_ok() {}
        let Some(declared) = me.upgrade() else { return };
        // This order ensures that one of the two sees files appearing in a new directory.
        declared.watch();
        declared.reload();
    }
}

/// Returns notes about left-out tools. Repeats nothing of an untrusted file except its name.
fn notes(loaded: &DeclaredTools) -> Vec<String> {
    let shown = |file: &LoadedFile| origin::name(&file.shown);
    let mut notes: Vec<String> = loaded
        .untrusted()
        .filter_map(|file| {
            let why = file.standing.reason()?;
            let count = file.tools.len();
            let tools = if count == 1 { "its tool is".to_owned() } else { format!("its {count} tools are") };
            let next = match file.standing {
                TrustState::Withheld => "trust the folder there",
                _ => "review it and run `zubi trust`",
            };
            Some(format!("`{}` {why}, so {tools} left out; the user can {next}", shown(file)))
        })
        .collect();
    for file in loaded.files.iter().filter(|file| file.standing == TrustState::Trusted && file.has_errors()) {
        notes.push(format!("`{}` has errors; the affected tools are left out (`zubi tools check`)", shown(file)));
    }
    notes
}

/// Returns the ids of left-out tools, each with the reason.
fn left_out(loaded: &DeclaredTools) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for file in &loaded.files {
        let why = origin::explain_untrusted(file);
        let unused = file.tools.iter().filter(|_| file.standing != TrustState::Trusted);
        let ids = unused.map(|tool| &tool.definition.id).chain(&file.broken);
        all.extend(ids.map(|id| (id.clone(), why.clone())));
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

    fn left_out(&self, name: &str) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.left_out.iter().find(|(id, _)| load::is_called(id, name)).map(|(_, why)| why.clone())
    }

    async fn prepare(&self) {
        let Some(me) = self.me.upgrade() else { return };
        let look = move || {
            me.follow();
            me.reload();
        };
        if tokio::task::spawn_blocking(look).await.is_err() {
            tracing::error!("reading the tool files failed");
        }
    }
}

#[cfg(test)]
mod tests;
