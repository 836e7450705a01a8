//! Reports the changes of files since the last request to the servers, and to the pool's observer.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use zubi_base::endpoint::{DocumentRef, EndpointSource, Endpoints, RequestCx};
use zubi_base::sync::lock;

use super::{PoolState, ServerPool};
use crate::capabilities::ChangeKind;
use crate::watch::{self, FileWatcher, WatchedEntry, WatchedFileChange};

/// The maximum time that a request without a server waits until changed files are compared: thousands of new files take
/// seconds.
const COMPARISON_WAIT: Duration = Duration::from_millis(300);

/// The watcher of a host whose servers belong to an open editor: reports changes to the pool's observer, and has no
/// endpoints.
pub struct FolderWatch(pub Arc<ServerPool>);

#[async_trait]
impl EndpointSource for FolderWatch {
    async fn for_document(&self, _document: &DocumentRef, _method: &str, _cx: &RequestCx) -> Endpoints {
        Endpoints::default()
    }

    async fn for_workspace(&self, _method: &str, _cx: &RequestCx) -> Endpoints {
        Endpoints::default()
    }

    async fn refresh(&self, cx: &RequestCx) -> Option<String> {
        // The note is about the servers of the pool, and it has none.
        drop(self.0.refresh(cx).await);
        None
    }

    fn file_changes(&self) -> Option<u64> {
        // The editor watches for its own servers.
        Some(0)
    }

    async fn shutdown(&self) {
        self.0.shutdown().await;
    }
}

/// Reports the changes; returns a note if they may be incomplete. The first call with an observer starts the watcher.
pub(super) async fn report(shared: &Arc<PoolState>) -> Option<String> {
    shared.roots.clear();
    let Some(watcher) = shared.watcher.cell.get().map(Arc::clone) else {
        // Before the first server runs, no server can have outdated content.
        start_observing(shared);
        return None;
    };
    lock(&shared.comparison).running += 1;
    let task = Arc::clone(shared);
    // In a task of its own: the watcher returns each change once, so a request that is cancelled must not lose it.
    let reporting = tokio::spawn(async move {
        let end = ComparisonEnd(task);
        end.0.report_changes(&watcher).await
    });
    let Some(observer) = shared.observer.as_ref().filter(|_| shared.endpoints().is_empty()) else {
        return reporting.await.unwrap_or_default();
    };
    // A server would answer from the former files; an observer says that it may.
    match tokio::time::timeout(COMPARISON_WAIT, reporting).await {
        Ok(note) => note.unwrap_or_default(),
        Err(_) => {
            let mut comparison = lock(&shared.comparison);
            if comparison.running > 0 && !std::mem::replace(&mut comparison.is_announced, true) {
                observer.begin_comparison();
            }
            None
        }
    }
}

/// The comparisons of changed files that run now.
#[derive(Debug, Default)]
pub(super) struct ChangeComparison {
    running: usize,
    /// Whether the observer knows that requests do not wait for them.
    is_announced: bool,
}

/// Starts the watcher without waiting for it.
fn start_observing(shared: &Arc<PoolState>) {
    if shared.observer.is_some() {
        let shared = Arc::clone(shared);
        tokio::spawn(async move { shared.watcher.start().await });
    }
}

/// Ends a comparison when it is dropped, however its task ends.
struct ComparisonEnd(Arc<PoolState>);

impl Drop for ComparisonEnd {
    fn drop(&mut self) {
        let mut comparison = lock(&self.0.comparison);
        comparison.running = comparison.running.saturating_sub(1);
        if comparison.running == 0
            && std::mem::take(&mut comparison.is_announced)
            && let Some(observer) = &self.0.observer
        {
            observer.end_comparison();
        }
    }
}

impl PoolState {
    async fn report_changes(&self, watcher: &FileWatcher) -> Option<String> {
        let _one = self.reporting.lock().await;
        let refreshed = watcher.refresh().await;
        if let Some(observer) = &self.observer {
            let paths = observed_paths(&refreshed.changes);
            if !paths.is_empty() {
                observer.report(paths);
            }
        }
        self.replace_outdated_servers().await;
        let mut notes: Vec<String> = refreshed.note.into_iter().collect();
        if !refreshed.changes.is_empty() {
            self.update_detection(&refreshed.changes).await;
            self.forget_manifests(&refreshed.changes).await;
            let worktrees = watcher.worktrees();
            for endpoint in self.endpoints() {
                let changes = watch::changes_in_worktree(&refreshed.changes, endpoint.root(), &worktrees);
                notes.extend(endpoint.notify_changes(&changes));
            }
        }
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// Discards the scan result if changed files could affect it.
    async fn update_detection(&self, changes: &[WatchedFileChange]) {
        let mut detection = self.detection.lock().await;
        let Some(cached) = &*detection else { return };
        let affects_detection = |change: &WatchedFileChange| {
            change.kind != ChangeKind::Changed
                && change.entry == WatchedEntry::File
                && self.languages.for_path(&change.path).is_none_or(|language| {
                    match cached.languages.get(&**language) {
                        Some(files) => change.kind == ChangeKind::Deleted && files.example == change.path,
                        None => true,
                    }
                })
        };
        if changes.iter().any(affects_detection) {
            *detection = None;
        }
    }
}

/// Returns the paths of an observer: without installed packages, and without second paths of files behind links.
fn observed_paths(changes: &[WatchedFileChange]) -> Vec<Utf8PathBuf> {
    let is_own = |change: &&WatchedFileChange| matches!(change.entry, WatchedEntry::File | WatchedEntry::Directory);
    changes.iter().filter(is_own).map(|change| change.path.clone()).collect()
}
