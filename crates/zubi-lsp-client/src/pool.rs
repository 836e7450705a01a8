//! All headless servers of a workspace: selects the servers for a document and starts them at the first request.
//!
//! The pool owns the running endpoints (one for each server and project root), their shared file watcher, and the
//! reasons why others do not run. Creating a pool does no I/O, so that a client can answer its own `initialize` at
//! once; the first request scans the folders and starts the watcher.
//!
//! **Selection.** All servers of the document's language get a request, in order of preference; of a group (pyright,
//! ty), only the first that is installed and may run. **Trust** is checked for each request, so that `zubi trust` in
//! another terminal takes effect at once: a server with restrictions is then replaced. So is a server whose project has
//! got another Python environment.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use futures_util::future::join_all;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use zubi_base::endpoint::{DocumentRef, Endpoint, EndpointSource, Endpoints, MissingServer, OtherProject, RequestCx};
use zubi_base::file_observer::FileObserver;
use zubi_base::process::Spawner;
use zubi_base::trust::Trust;
use zubi_base::workspace::{Folder, WorkspaceFolders};

use crate::catalogue::{Catalogue, ServerEntry, ServerRole};
use crate::detect::{self, Detection, Languages, ProgramFinder, PythonEnvironments, PythonSearch, ScanLimits};
use crate::endpoint::{ServerEndpoint, Starter};
use crate::sandbox::ServerSandbox;
pub use crate::watch::WatchCounts;

mod cargo;
mod caveats;
mod changes;
mod conditions;
mod launch;
mod projects;
mod recent_roots;
mod reload;
pub mod report;
mod start;
#[cfg(test)]
mod tests;

use cargo::CargoLaunch;
use caveats::{FileClauses, install_hint, missing_folder, no_row, subject};
use changes::ChangeComparison;
pub use changes::FolderWatch;
use conditions::LaunchConditions;
use projects::roots;
use recent_roots::RecentRoots;
use reload::LaunchFiles;
use start::{NotStarted, PrestartPlan, ProcessStarter, StartedGroup, WatcherCell};

/// The maximum number of servers suggested from a group if none of them is installed.
const MAX_SUGGESTED: usize = 2;

/// The parameters of a pool.
#[derive(Debug, Clone)]
pub struct PoolConfig {
    pub workspace: Arc<WorkspaceFolders>,
    pub catalogue: Catalogue,
    pub spawner: Spawner,
    pub trust: Trust,
    /// Confines the servers, and the programs that print their versions; `None`: they are not confined.
    pub sandbox: Option<Arc<dyn ServerSandbox>>,
    /// The value of the PATH variable, for finding servers.
    pub search_path: Option<OsString>,
    pub python: PythonSearch,
    /// zubi's own directory, private to the user; created on demand.
    pub state_directory: Utf8PathBuf,
    /// The directory for builds that must not be in the project, which servers may write below; created on demand.
    pub build_directory: Utf8PathBuf,
    /// Receives all changes of the folders' files from the first request on, if there is one.
    pub observer: Option<Arc<dyn FileObserver>>,
}

/// The headless language servers of a workspace.
pub struct ServerPool {
    shared: Arc<PoolState>,
}

struct PoolState {
    workspace: Arc<WorkspaceFolders>,
    catalogue: Catalogue,
    languages: Arc<Languages>,
    trust: Trust,
    finder: Arc<ProgramFinder>,
    python: PythonEnvironments,
    clauses: Arc<FileClauses>,
    starter: Arc<dyn Starter>,
    sandbox: Option<Arc<dyn ServerSandbox>>,
    build_directory: Utf8PathBuf,
    watcher: Arc<WatcherCell>,
    observer: Option<Arc<dyn FileObserver>>,
    /// Whether this pool has selected a server to start.
    has_started: AtomicBool,
    /// One report of changes at a time.
    reporting: tokio::sync::Mutex<()>,
    comparison: Mutex<ChangeComparison>,
    detection: tokio::sync::Mutex<Option<Arc<Detection>>>,
    servers: Mutex<BTreeMap<ServerKey, RunningServer>>,
    /// How the server of each Cargo project starts; without those whose manifests may have changed.
    cargo: tokio::sync::Mutex<BTreeMap<Utf8PathBuf, CargoLaunch>>,
    roots: Arc<RecentRoots>,
    /// The files that each server has read at its start.
    launch_files: tokio::sync::Mutex<BTreeMap<ServerKey, LaunchFiles>>,
    /// Cancelled at shutdown, so that servers whose program is still being searched are not started.
    closed: CancellationToken,
    /// The locks that let one task at a time start a server.
    turns: Mutex<BTreeMap<ServerKey, Arc<tokio::sync::Mutex<()>>>>,
    /// Servers that are being ended.
    retiring: TaskTracker,
}

/// A server's id and the root of the project it works in.
type ServerKey = (String, Utf8PathBuf);

struct RunningServer {
    endpoint: Arc<ServerEndpoint>,
    conditions: LaunchConditions,
}

impl ServerPool {
    /// Creates a pool that has started nothing yet. Does no I/O.
    pub fn new(config: PoolConfig) -> Self {
        let watcher = Arc::new(WatcherCell {
            folders: config.workspace.roots(),
            interests: reload::interests(&config.catalogue),
            state_directory: config.state_directory.clone(),
            observer: config.observer.clone(),
            cell: OnceCell::new(),
        });
        let starter = ProcessStarter {
            spawner: config.spawner.clone(),
            sandbox: config.sandbox.clone(),
            watcher: Arc::clone(&watcher),
        };
        Self::with_starter(config, Arc::new(starter), watcher)
    }

    fn with_starter(config: PoolConfig, starter: Arc<dyn Starter>, watcher: Arc<WatcherCell>) -> Self {
        let shared = PoolState {
            languages: Arc::new(Languages::from_catalogue(&config.catalogue)),
            finder: Arc::new(ProgramFinder::new(config.spawner, config.sandbox.clone(), config.search_path.as_deref())),
            sandbox: config.sandbox,
            build_directory: config.build_directory,
            python: PythonEnvironments::new(config.python),
            clauses: Arc::default(),
            workspace: config.workspace,
            catalogue: config.catalogue,
            trust: config.trust,
            starter,
            watcher,
            observer: config.observer,
            has_started: AtomicBool::new(false),
            reporting: tokio::sync::Mutex::default(),
            comparison: Mutex::default(),
            detection: tokio::sync::Mutex::default(),
            servers: Mutex::default(),
            cargo: tokio::sync::Mutex::default(),
            roots: Arc::default(),
            launch_files: tokio::sync::Mutex::default(),
            closed: CancellationToken::new(),
            turns: Mutex::default(),
            retiring: TaskTracker::new(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Returns the servers that were started, with their roots, for `doctor` and tests.
    pub fn started_servers(&self) -> Vec<Arc<ServerEndpoint>> {
        self.shared.endpoints()
    }

    /// Returns the numbers of watched directories; `None` if nothing is watched yet.
    pub fn watch_counts(&self) -> Option<WatchCounts> {
        self.shared.watcher.cell.get().map(|watcher| watcher.counts())
    }
}

#[async_trait]
impl EndpointSource for ServerPool {
    async fn for_document(&self, document: &DocumentRef, method: &str, _cx: &RequestCx) -> Endpoints {
        let shared = &self.shared;
        let path = &document.path;
        let Some(language) = shared.languages.for_file(path).cloned() else {
            return Endpoints { absent: vec![no_row(path)], ..Endpoints::default() };
        };
        let Some(folder) = shared.workspace.folder_of(path).cloned() else {
            return shared.for_external(document);
        };
        let rows = shared.catalogue.for_language(&language).into_iter().filter(|row| row.answers(method));
        let needed = |row| NeededServer {
            row,
            root: OnceLock::new(),
            roots: Arc::clone(&shared.roots),
            folder: folder.clone(),
            document: path.clone(),
        };
        let needed = rows.map(needed).collect();
        shared.start_all(needed).await
    }

    async fn for_workspace(&self, method: &str, cx: &RequestCx) -> Endpoints {
        let shared = &self.shared;
        let detection = shared.detect().await;
        let mut needed = Vec::new();
        let mut seen = BTreeSet::new();
        let mut omitted = Vec::new();
        let rows = |language: &str| {
            shared.catalogue.for_language(language).into_iter().filter(|row| row.answers(method)).collect::<Vec<_>>()
        };
        let has_code = detection.languages.keys().any(|language| rows(language).iter().any(|row| !row.auxiliary));
        for (language, files) in &detection.languages {
            for row in rows(language).into_iter().filter(|row| !(has_code && row.auxiliary)) {
                for (folder, example) in &files.examples {
                    let Some(folder) = shared.workspace.folder_of(folder) else { continue };
                    let is_running = |root: &Utf8Path| shared.is_running(&row, root);
                    let (roots, more) =
                        roots(&row, &detection, example, folder, cx.all_projects, &shared.roots, is_running);
                    if more > 0 {
                        omitted.push((row.id.clone(), projects::unqueried_projects_note(&row, more)));
                    }
                    for root in roots {
                        // A language and its dialects (TypeScript, JavaScript) share a server.
                        if seen.insert((row.id.clone(), root.clone())) {
                            // The document to open first must exist; a root without a known file of its own gets none.
                            let document = if example.starts_with(&root) { example.clone() } else { root.clone() };
                            needed.push(NeededServer {
                                row: Arc::clone(&row),
                                root: OnceLock::from(root),
                                roots: Arc::clone(&shared.roots),
                                folder: folder.clone(),
                                document,
                            });
                        }
                    }
                }
            }
        }
        if needed.is_empty() {
            let absent = shared.workspace.folders().iter().filter(|folder| !folder.path.is_dir()).map(missing_folder);
            return Endpoints { absent: absent.collect(), ..Endpoints::default() };
        }
        let mut found = shared.start_all(needed).await;
        omitted.retain(|(id, _)| found.endpoints.iter().any(|endpoint| *endpoint.id().0 == **id));
        omitted.dedup();
        let omitted: Vec<_> = omitted.into_iter().map(|(_, reason)| reason).collect();
        found.uncovered = (!omitted.is_empty()).then(|| omitted.join(", "));
        found
    }

    async fn has_other_projects(&self, document: &DocumentRef, method: &str) -> bool {
        let Some(row) = self.shared.answering_row(document, method) else { return false };
        let detection = self.shared.detect().await;
        let shared = Arc::clone(&self.shared);
        let document = document.path.clone();
        // Examines a few files for each marker.
        let count = move || projects::has_several(&row, &document, &detection, &shared.workspace, &shared.roots);
        tokio::task::spawn_blocking(count).await.unwrap_or_default()
    }

    async fn other_projects(&self, document: &DocumentRef, method: &str, files: Vec<Utf8PathBuf>) -> Vec<OtherProject> {
        let Some(row) = self.shared.answering_row(document, method) else { return Vec::new() };
        let shared = Arc::clone(&self.shared);
        let languages = Arc::clone(&shared.languages);
        let document = document.path.clone();
        let find = move || {
            let own = files.into_iter().filter(|file| languages.for_file(file).is_some_and(|own| row.serves(own)));
            let is_running = |root: &Utf8Path| shared.is_running(&row, root);
            projects::other_projects(&row, &document, own, &shared.workspace, &shared.roots, is_running)
        };
        tokio::task::spawn_blocking(find).await.unwrap_or_default()
    }

    async fn refresh(&self, _cx: &RequestCx) -> Option<String> {
        changes::report(&self.shared).await
    }

    fn file_changes(&self) -> Option<u64> {
        // Answers without a server depend on the servers that run, so none is stored before the first server.
        let watcher = self.shared.watcher.cell.get()?;
        self.shared.has_started.load(Ordering::Acquire).then(|| watcher.refreshes_with_changes())
    }

    async fn restart(&self) -> usize {
        // New requests start new servers; a task that waits for an old server gets the error that it has ended.
        let ended = std::mem::take(&mut *self.shared.servers());
        let shut_down =
            |RunningServer { endpoint, .. }| self.shared.retiring.spawn(async move { endpoint.shutdown().await });
        join_all(ended.into_values().map(shut_down)).await.len()
    }

    async fn shutdown(&self) {
        let endpoints = {
            // Under the lock, so that every server is either in this list or not started, because the pool is closed.
            let servers = self.shared.servers();
            self.shared.closed.cancel();
            servers.values().map(|running| Arc::clone(&running.endpoint)).collect::<Vec<_>>()
        };
        join_all(endpoints.iter().map(|endpoint| endpoint.shutdown())).await;
        self.shared.retiring.close();
        self.shared.retiring.wait().await;
    }
}

/// A server that should answer if it can.
struct NeededServer {
    row: Arc<ServerEntry>,
    /// Computed on demand: a language may have ten servers, of which one receives requests.
    root: OnceLock<Utf8PathBuf>,
    roots: Arc<RecentRoots>,
    folder: Folder,
    /// The document to open first.
    document: Utf8PathBuf,
}

impl NeededServer {
    /// Returns the root directory of the document's project.
    fn root(&self) -> &Utf8PathBuf {
        self.root.get_or_init(|| self.roots.find(&self.row, &self.document, &self.folder.path))
    }

    /// Returns the directory of the document.
    fn directory(&self) -> &Utf8Path {
        let directory = self.document.parent().filter(|directory| directory.starts_with(self.root()));
        directory.unwrap_or_else(|| self.root())
    }
}

impl PoolState {
    fn servers(&self) -> MutexGuard<'_, BTreeMap<ServerKey, RunningServer>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_running(&self, row: &ServerEntry, root: &Utf8Path) -> bool {
        self.servers().contains_key(&(row.id.clone(), root.to_owned()))
    }

    fn endpoints(&self) -> Vec<Arc<ServerEndpoint>> {
        self.servers().values().map(|running| Arc::clone(&running.endpoint)).collect()
    }

    /// Returns the started server that handles such requests about a document.
    fn answering_row(&self, document: &DocumentRef, method: &str) -> Option<Arc<ServerEntry>> {
        let language = self.languages.for_file(&document.path)?;
        let folder = self.workspace.folder_of(&document.path)?;
        let servers = self.servers();
        let runs = |row: &Arc<ServerEntry>| {
            row.answers(method)
                && servers.contains_key(&(row.id.clone(), self.roots.find(row, &document.path, &folder.path)))
        };
        self.catalogue.for_language(language).into_iter().find(runs)
    }

    /// Returns the running servers that support the language of a library's file.
    fn for_external(&self, document: &DocumentRef) -> Endpoints {
        let endpoints: Vec<Arc<dyn Endpoint>> = self
            .endpoints()
            .into_iter()
            .filter(|endpoint| endpoint.serves(document))
            .map(|endpoint| endpoint as Arc<dyn Endpoint>)
            .collect();
        let absent = if endpoints.is_empty() {
            vec![MissingServer {
                subject: subject(&document.path),
                reason: "the file is outside the workspace, and no running server supports it".to_owned(),
                hint: "query a file of the workspace first".to_owned(),
            }]
        } else {
            Vec::new()
        };
        Endpoints { endpoints, absent, ..Endpoints::default() }
    }

    /// Starts the servers that can run: the first of each group and root, and all servers without a group.
    async fn start_all(&self, needed: Vec<NeededServer>) -> Endpoints {
        let mut slots: Vec<Vec<NeededServer>> = Vec::new();
        for server in needed {
            let together = |other: &NeededServer| other.row.group.is_some() && other.row.group == server.row.group;
            match slots.iter_mut().find(|slot| slot.first().is_some_and(together)) {
                Some(slot) => slot.push(server),
                None => slots.push(vec![server]),
            }
        }
        self.has_started.store(true, Ordering::Release);
        // Finding a program runs it (`--version`), which takes up to half a second; so all searches run at once, and
        // the file watcher starts with them.
        let watcher = Arc::clone(&self.watcher);
        let watching = tokio::spawn(async move { watcher.start().await });
        let started = join_all(slots.into_iter().map(|slot| self.start_first(slot))).await;
        // A server may read files from now on, so their changes must be recorded. Without one, the walk of a large folder
        // would only delay the answer.
        if started.iter().any(|slot| !slot.endpoints.is_empty()) {
            // Only a panic makes it fail.
            drop(watching.await);
        }
        let mut endpoints: Vec<Arc<dyn Endpoint>> = Vec::new();
        let mut absent = Vec::new();
        let mut companions = Vec::new();
        for slot in started {
            endpoints.extend(slot.endpoints.into_iter().map(|endpoint| endpoint as Arc<dyn Endpoint>));
            if slot.navigates {
                absent.extend(slot.absent);
            } else {
                companions.extend(slot.absent);
            }
        }
        // A missing linter is reported only if no other server serves the language.
        if endpoints.is_empty() {
            absent.extend(companions);
        }
        Endpoints { endpoints, absent, ..Endpoints::default() }
    }

    /// Starts the first server of a group that can run, in each root of the group.
    async fn start_first(&self, slot: Vec<NeededServer>) -> StartedGroup {
        let mut result = StartedGroup::default();
        let mut served: Option<String> = None;
        let mut suggested = 0;
        result.navigates = slot.iter().any(|needed| needed.row.roles.contains(&ServerRole::Navigation));
        for needed in slot {
            // One server serves all roots, so that a workspace does not mix answers of two programs.
            if served.as_ref().is_some_and(|id| *id != needed.row.id) {
                break;
            }
            match self.start(&needed).await {
                Ok(endpoint) => {
                    result.endpoints.push(endpoint);
                    served = Some(needed.row.id.clone());
                }
                Err(NotStarted { absent, installed }) => {
                    if !result.absent.contains(&absent) && (installed || suggested < MAX_SUGGESTED) {
                        suggested += usize::from(!installed);
                        result.absent.push(absent);
                    }
                }
            }
        }
        if served.is_some() {
            result.absent.clear();
        }
        result
    }

    /// Starts one server, or returns the reason why it cannot run.
    async fn start(&self, needed: &NeededServer) -> Result<Arc<ServerEndpoint>, NotStarted> {
        let NeededServer { row, folder, document, .. } = needed;
        let root = needed.root();
        let conditions = self.conditions(needed).await;
        let trusted = conditions.trusted;
        let document = document.is_file().then_some(document.as_path());
        let key = (row.id.clone(), root.clone());
        // Concurrent requests wait for one start; if a request is cancelled, the next one starts the server.
        let turn =
            Arc::clone(self.turns.lock().unwrap_or_else(PoisonError::into_inner).entry(key.clone()).or_default());
        let _turn = turn.lock().await;
        let existing = self
            .servers()
            .get(&key)
            .and_then(|running| (running.conditions == conditions).then(|| Arc::clone(&running.endpoint)));
        if let Some(endpoint) = existing {
            endpoint.ensure_started(document);
            endpoint.set_caveats(needed.directory(), self.caveats(needed, &conditions).await);
            return Ok(endpoint);
        }
        let may_run = trusted || row.runs_untrusted();
        self.record_launch_files(&key, row, &folder.path).await;
        // A program takes up to half a second (Node.js) to print its version, so the server is started meanwhile. If
        // the program proves unusable, the server is ended before it receives any request.
        let candidate = self.finder.first_candidate(row, root, &folder.path, trusted).filter(|_| may_run);
        let mut plan = match candidate {
            Some(program) => {
                let endpoint = self.endpoint(needed, &program, &conditions).await;
                endpoint.ensure_started(document);
                Some(PrestartPlan { program, endpoint: Some(endpoint), retiring: self.retiring.clone() })
            }
            None => None,
        };
        let program = self.finder.find(row, root, &folder.path, trusted).await.map_err(|missing| NotStarted {
            installed: !missing.tried.is_empty(),
            absent: MissingServer { subject: row.title.clone(), reason: missing.to_string(), hint: install_hint(row) },
        })?;
        if !may_run {
            let absent = MissingServer {
                subject: row.title.clone(),
                reason: format!("{} may not run here: the folder is not trusted", row.title),
                hint: format!("`zubi trust {}` allows it; it would run {}", folder.path, row.runs),
            };
            return Err(NotStarted { absent, installed: true });
        }
        let endpoint = match plan.as_mut().filter(|plan| plan.program == program.path).and_then(PrestartPlan::take) {
            Some(endpoint) => endpoint,
            None => self.endpoint(needed, &program.path, &conditions).await,
        };
        let running = RunningServer { endpoint: Arc::clone(&endpoint), conditions };
        let replaced = {
            let mut servers = self.servers();
            if self.closed.is_cancelled() {
                let absent = MissingServer {
                    subject: row.title.clone(),
                    reason: format!("{} is not started: this host is shutting down", row.title),
                    hint: "retry the request".to_owned(),
                };
                return Err(NotStarted { absent, installed: true });
            }
            servers.insert(key, running)
        };
        if let Some(replaced) = replaced {
            self.retiring.spawn(async move { replaced.endpoint.shutdown().await });
        }
        endpoint.ensure_started(document);
        Ok(endpoint)
    }

    /// Creates an endpoint without starting its server.
    async fn endpoint(
        &self,
        needed: &NeededServer,
        program: &Utf8Path,
        conditions: &LaunchConditions,
    ) -> Arc<ServerEndpoint> {
        let launch = self.launch(needed, program, conditions, self.caveats(needed, conditions).await);
        Arc::new(ServerEndpoint::new(launch, Arc::clone(&self.starter)))
    }

    /// Returns the result of the workspace scan, which runs once.
    async fn detect(&self) -> Arc<Detection> {
        let mut detection = self.detection.lock().await;
        if let Some(cached) = &*detection {
            return Arc::clone(cached);
        }
        let (workspace, catalogue) = (Arc::clone(&self.workspace), self.catalogue.clone());
        let scan = tokio::task::spawn_blocking(move || detect::scan(&workspace, &catalogue, ScanLimits::default()));
        let found = Arc::new(scan.await.unwrap_or_default());
        *detection = Some(Arc::clone(&found));
        found
    }
}
