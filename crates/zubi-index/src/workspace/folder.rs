//! One folder of a workspace with its index, and the tasks that build and update it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use zubi_base::sync::lock;
use zubi_base::walk::{RuleStamp, UserRules, rule_stamp};
use zubi_code::symbol_index::{IndexPhase, IndexState, SymbolIndex as _};

use crate::build::BuildError;
use crate::index::LocalIndex;
use crate::store::reader::{FileIdentity, identity_of};

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
    user_rules: UserRules,
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
    /// Whether the watcher compares files that it has not reported yet.
    is_comparing: bool,
    /// The number of reports for which a query has waited as long as it may.
    awaited: u64,
    /// The number of changes that the running update reads.
    in_update: usize,
    /// Whether all files must be compared.
    needs_build: bool,
    is_building: bool,
    /// The time of the last build.
    built_at: Option<Instant>,
    /// Whether another process updates the index.
    is_locked: bool,
    /// The identity of the folder that the watcher watches.
    watched: Option<FileIdentity>,
    /// Whether the folder was another one, or none, at some time since.
    is_replaced: bool,
    /// The files outside the watched directories that decide which files are sources.
    rules: Vec<RuleStamp>,
}

impl IndexedFolder {
    pub(super) fn new(root: Utf8PathBuf, index: LocalIndex, is_too_broad: bool) -> Self {
        Self {
            root,
            index,
            is_too_broad,
            changes: Mutex::default(),
            user_rules: UserRules::default(),
            wake: Notify::new(),
            read: watch::Sender::new(0),
        }
    }

    /// Returns the state of the index with the changes that it has not read.
    pub(super) fn state(&self) -> IndexState {
        let mut state = self.index.state();
        if self.is_too_broad {
            state.problem = Some(format!("zubi makes no index of `{}`: open the folder of a project", self.root));
            return state;
        }
        let mut changes = lock(&self.changes);
        state.unread = changes.paths.len() + changes.in_update;
        if changes.needs_build {
            state.phase = IndexPhase::Unchecked;
        }
        if changes.watched.is_some() && identity_of(&self.root) != changes.watched {
            changes.is_replaced = true;
        }
        if changes.is_replaced {
            // The watcher watches the former directory.
            state.problem = Some(format!("`{}` was removed or replaced; restart zubi to index it again", self.root));
        }
        if changes.is_comparing {
            state.problem = Some("many files have changed, and zubi has not compared them all yet".to_owned());
        }
        if changes.is_locked {
            // It reads changes when its own requests begin, so its store may be older than the files.
            state.problem = Some(BuildError::Locked.to_string());
        }
        state
    }

    /// Records whether the watcher compares files that it has not reported yet.
    pub(super) fn set_comparing(&self, is_comparing: bool) {
        lock(&self.changes).is_comparing = is_comparing;
    }

    /// Whether a build runs. Its last steps follow the state that says that the index is complete.
    #[cfg(test)]
    pub(super) fn is_building(&self) -> bool {
        lock(&self.changes).is_building
    }

    /// Returns a receiver that changes when the index has read all reports so far.
    pub(super) fn reads(&self) -> watch::Receiver<u64> {
        self.read.subscribe()
    }

    /// Builds the index, and then updates it, until `cancel` is cancelled.
    pub(super) fn start(self: &Arc<Self>, cancel: &CancellationToken) {
        if self.is_too_broad {
            return;
        }
        {
            let mut changes = lock(&self.changes);
            changes.needs_build = true;
            changes.watched = identity_of(&self.root);
            changes.rules = rule_stamps(&self.root, &self.user_rules);
        }
        let (folder, token) = (Arc::clone(self), cancel.clone());
        tokio::spawn(async move { folder.follow_changes(&token).await });
    }

    /// Adds changed files and directories.
    pub(super) fn add_changes<'a>(&self, paths: impl Iterator<Item = &'a Utf8PathBuf>) {
        if self.is_too_broad {
            return;
        }
        let mut changes = lock(&self.changes);
        let before = changes.paths.len();
        changes.paths.extend(paths.cloned());
        if changes.paths.len() == before {
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
            let rules = rule_stamps(&self.root, &self.user_rules);
            // A build that runs may have read the former rules, so another one follows it.
            let has_new_rules = changes.watched.is_some() && rules != changes.rules;
            changes.rules = rules;
            if is_due && !changes.is_building || has_new_rules {
                changes.needs_build = true;
                self.wake.notify_one();
            }
            if changes.awaited >= changes.reports {
                return;
            }
            changes.reports
        };
        // The sender lives as long as this folder.
        drop(self.read.subscribe().wait_for(|read| *read >= reports).await);
    }

    /// Records that a query has waited as long as it may for the reports so far, so that no other one waits for them.
    pub(super) fn end_waits(&self) {
        let mut changes = lock(&self.changes);
        if *self.read.borrow() < changes.reports {
            changes.awaited = changes.reports;
        }
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
                if identity_of(&self.root).is_none() {
                    lock(&self.changes).is_replaced = true;
                } else {
                    // The state has the error.
                    drop(self.index.update(paths, cancel).await);
                }
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

/// Returns the stamps of the files outside the watched directories that decide which files of a folder are sources: those of
/// git, and the rules of the directories above the folder. Looks for a few files.
fn rule_stamps(root: &Utf8Path, of_user: &UserRules) -> Vec<RuleStamp> {
    let above =
        root.ancestors().skip(1).flat_map(|directory| [directory.join(".gitignore"), directory.join(".ignore")]);
    let paths = above.map(Utf8PathBuf::into_std_path_buf).chain([root.join(".git/info/exclude").into_std_path_buf()]);
    paths.chain(of_user.path()).map(|path| rule_stamp(&path)).collect()
}
