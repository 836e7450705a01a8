//! Starts the servers of a pool: the process, if needed before its program is known to be usable, and the file watcher.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use tokio::sync::{OnceCell, watch};
use tokio_util::task::TaskTracker;
use zubi_base::endpoint::{MissingServer, Readiness};
use zubi_base::file_observer::FileObserver;
use zubi_base::process::Spawner;
use zubi_base::worktree::nested_worktree_of;

use crate::endpoint::{LaunchSpec, ServerEndpoint, Starter};
use crate::sandbox::{ServerCommand, ServerSandbox};
use crate::session::{ServerSession, StartError};
use crate::watch::{FileWatcher, PACKAGE_DIRECTORIES, WatchInterests, is_package_directory};

/// The file watcher, started at most once.
pub(super) struct WatcherCell {
    pub(super) folders: Vec<Utf8PathBuf>,
    pub(super) interests: WatchInterests,
    pub(super) state_directory: Utf8PathBuf,
    pub(super) observer: Option<Arc<dyn FileObserver>>,
    pub(super) cell: OnceCell<Arc<FileWatcher>>,
}

/// Starts servers as processes.
pub(super) struct ProcessStarter {
    pub(super) spawner: Spawner,
    pub(super) sandbox: Option<Arc<dyn ServerSandbox>>,
    pub(super) watcher: Arc<WatcherCell>,
}

impl WatcherCell {
    pub(super) async fn start(&self) -> Arc<FileWatcher> {
        let start = || async {
            let (folders, state_directory) = (self.folders.clone(), self.state_directory.clone());
            let interests = self.interests.clone();
            let started =
                tokio::task::spawn_blocking(move || FileWatcher::start(&folders, interests, &state_directory)).await;
            if let (Ok(_), Some(observer)) = (&started, &self.observer) {
                observer.start();
            }
            // Only a panic leads here. A watcher without folders still compares opened documents.
            Arc::new(
                started.unwrap_or_else(|_| FileWatcher::start(&[], WatchInterests::default(), &self.state_directory)),
            )
        };
        Arc::clone(self.cell.get_or_init(start).await)
    }

    /// Watches the files of a server with this root directory.
    async fn watch_project(&self, root: &Utf8Path) {
        let watcher = self.start().await;
        let folder =
            self.folders.iter().filter(|folder| root.starts_with(folder)).max_by_key(|folder| folder.as_str().len());
        if let Some(worktree) = folder.and_then(|folder| nested_worktree_of(root, folder)) {
            // Only a panic makes it fail.
            drop(tokio::task::spawn_blocking(move || watcher.watch_worktree(&worktree)).await);
        }
    }
}

#[async_trait]
impl Starter for ProcessStarter {
    async fn start(
        &self,
        launch: &LaunchSpec,
        first: Option<Utf8PathBuf>,
        readiness: Arc<watch::Sender<Readiness>>,
        tasks: &TaskTracker,
    ) -> Result<Arc<ServerSession>, StartError> {
        let watching = self.watcher.watch_project(&launch.spec.folder.path);
        let command = self.confine(launch).await.map_err(StartError::Spawn)?;
        let is_confined = command.is_confined();
        let started =
            ServerSession::start(launch.spec.clone(), command, &self.spawner, first, readiness, tasks, watching).await;
        let session = started.map_err(|error| match error {
            StartError::Handshake(reason) if is_confined => StartError::ConfinedHandshake(reason),
            error => error,
        })?;
        tasks.spawn(watch_registered_packages(self.watcher.start().await, Arc::downgrade(&session)));
        Ok(session)
    }
}

impl ProcessStarter {
    async fn confine(&self, launch: &LaunchSpec) -> Result<ServerCommand, String> {
        let command = launch.command.clone();
        match &self.sandbox {
            Some(sandbox) => sandbox.confine(command, &launch.project()).await,
            None => Ok(command.into()),
        }
    }
}

/// Watches the directories of packages that a server registers, until the server ends. Most are outside the workspace.
async fn watch_registered_packages(watcher: Arc<FileWatcher>, session: Weak<ServerSession>) {
    let Some((mut registrations, mut ended)) =
        session.upgrade().map(|session| (session.peer().registrations(), session.end_reason()))
    else {
        return;
    };
    loop {
        let Some(session) = session.upgrade() else { return };
        let directories = session.peer().capabilities().watched_directories();
        drop(session);
        let watcher = Arc::clone(&watcher);
        let watch = move || watcher.watch_packages(&package_directories(directories));
        // Only a panic makes it fail.
        drop(tokio::task::spawn_blocking(watch).await);
        tokio::select! {
            changed = registrations.changed() => if changed.is_err() { return },
            _ = ended.wait_for(Option::is_some) => return,
        }
    }
}

/// Returns the directories of packages among watched directories and directly below them.
fn package_directories(watched: BTreeSet<Utf8PathBuf>) -> Vec<Utf8PathBuf> {
    let below = |directory: Utf8PathBuf| {
        let is_one = directory.file_name().is_some_and(is_package_directory);
        let below = PACKAGE_DIRECTORIES.iter().map(|name| directory.join(name)).collect::<Vec<_>>();
        if is_one { vec![directory] } else { below }
    };
    watched.into_iter().flat_map(below).filter(|directory| directory.is_dir()).collect()
}

/// A server that was started before its program was known to be usable. It is ended unless it is taken.
pub(super) struct PrestartPlan {
    pub(super) program: Utf8PathBuf,
    pub(super) endpoint: Option<Arc<ServerEndpoint>>,
    pub(super) retiring: TaskTracker,
}

impl PrestartPlan {
    pub(super) fn take(&mut self) -> Option<Arc<ServerEndpoint>> {
        self.endpoint.take()
    }
}

impl Drop for PrestartPlan {
    fn drop(&mut self) {
        if let Some(endpoint) = self.endpoint.take() {
            self.retiring.spawn(async move { endpoint.shutdown().await });
        }
    }
}

/// The reason why a server was not started.
pub(super) struct NotStarted {
    pub(super) absent: MissingServer,
    /// Whether its program exists.
    pub(super) installed: bool,
}

/// The result of starting one group.
#[derive(Default)]
pub(super) struct StartedGroup {
    pub(super) endpoints: Vec<Arc<ServerEndpoint>>,
    pub(super) absent: Vec<MissingServer>,
    /// Whether a server of the group can find definitions and uses; a linter cannot.
    pub(super) navigates: bool,
}
