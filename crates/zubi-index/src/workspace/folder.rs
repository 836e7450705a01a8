//! One folder of a workspace with its index, and the tasks that build and update it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use zubi_base::sync::lock;
use zubi_code::symbol_index::{IndexState, SymbolIndex as _};

use crate::build::BuildError;
use crate::index::LocalIndex;

/// The minimum time after which a query leads to another attempt to build an index that another process updates, or that
/// failed.
const LOCKED_RETRY: Duration = Duration::from_secs(2);
const FAILED_RETRY: Duration = Duration::from_secs(10);

/// A folder and its index.
pub(super) struct IndexedFolder {
    pub(super) root: Utf8PathBuf,
    pub(super) index: LocalIndex,
    /// Whether the folder has no index, because it is too broad.
    is_too_broad: bool,
    changes: Mutex<ReportedChanges>,
    wake: Notify,
    /// The number of reports whose files the index has read.
    read: watch::Sender<u64>,
}

/// The changes that the watcher has reported, and the state of the tasks that read them.
#[derive(Default)]
struct ReportedChanges {
    paths: Vec<Utf8PathBuf>,
    /// The number of reports.
    reports: u64,
    /// The number of changes that the running update reads.
    in_update: usize,
    /// Whether all files must be compared.
    needs_build: bool,
    is_building: bool,
    /// The time of the last build.
    built_at: Option<Instant>,
    /// Whether another process updates the index.
    is_locked: bool,
}

impl IndexedFolder {
    pub(super) fn new(root: Utf8PathBuf, index: LocalIndex, is_too_broad: bool) -> Self {
        Self { root, index, is_too_broad, changes: Mutex::default(), wake: Notify::new(), read: watch::Sender::new(0) }
    }

    /// Returns the state of the index with the changes that it has not read.
    pub(super) fn state(&self) -> IndexState {
        let mut state = self.index.state();
        if self.is_too_broad {
            state.problem = Some(format!("zubi makes no index of `{}`: open the folder of a project", self.root));
            return state;
        }
        let changes = lock(&self.changes);
        state.unread = changes.paths.len() + changes.in_update;
        if changes.is_locked {
            // It reads changes when its own requests begin, so its store may be older than the files.
            state.problem = Some(BuildError::Locked.to_string());
        }
        state
    }

    /// Builds the index, and then updates it, until `cancel` is cancelled.
    pub(super) fn start(self: &Arc<Self>, cancel: &CancellationToken) {
        if self.is_too_broad {
            return;
        }
        lock(&self.changes).needs_build = true;
        let (folder, token) = (Arc::clone(self), cancel.clone());
        tokio::spawn(async move { folder.follow_changes(&token).await });
    }

    /// Adds changed files and directories.
    pub(super) fn add_changes<'a>(&self, paths: impl Iterator<Item = &'a Utf8PathBuf>) {
        let mut changes = lock(&self.changes);
        let before = changes.paths.len();
        changes.paths.extend(paths.cloned());
        let added = changes.paths.get(before..).unwrap_or_default();
        if added.is_empty() || self.is_too_broad {
            return;
        }
        changes.reports += 1;
        drop(changes);
        self.wake.notify_one();
    }

    /// Waits until the index has read all changes that were reported before this call.
    pub(super) async fn wait_for_updates(&self) {
        let reports = {
            let mut changes = lock(&self.changes);
            let age = changes.built_at.map(|at| at.elapsed());
            let is_due = age.is_some_and(|age| match self.index.state().problem {
                _ if changes.is_locked => age >= LOCKED_RETRY,
                Some(_) => age >= FAILED_RETRY,
                None => self.index.is_lost(),
            });
            if is_due && !changes.is_building {
                changes.needs_build = true;
                self.wake.notify_one();
            }
            changes.reports
        };
        // The sender lives as long as this folder.
        drop(self.read.subscribe().wait_for(|read| *read >= reports).await);
    }

    /// Builds and updates the index. A build runs beside updates, so that a long one does not delay them.
    async fn follow_changes(self: Arc<Self>, cancel: &CancellationToken) {
        loop {
            let (paths, reports, must_build) = {
                let mut changes = lock(&self.changes);
                let must_build = changes.needs_build && !changes.is_building;
                if must_build {
                    changes.needs_build = false;
                    changes.is_building = true;
                }
                let paths = std::mem::take(&mut changes.paths);
                changes.in_update = paths.len();
                (paths, changes.reports, must_build)
            };
            if must_build {
                let (folder, token) = (Arc::clone(&self), cancel.clone());
                tokio::spawn(async move { folder.build(&token).await });
            }
            if !paths.is_empty() {
                // The state has the error.
                drop(self.index.update(paths, cancel).await);
                lock(&self.changes).in_update = 0;
            }
            self.read.send_replace(reports);
            tokio::select! {
                () = self.wake.notified() => {}
                () = cancel.cancelled() => return,
            }
        }
    }

    async fn build(&self, cancel: &CancellationToken) {
        let built = self.index.build(cancel).await;
        let mut changes = lock(&self.changes);
        changes.is_building = false;
        changes.is_locked = matches!(built, Err(BuildError::Locked));
        changes.built_at = Some(Instant::now());
        drop(changes);
        self.wake.notify_one();
    }
}
