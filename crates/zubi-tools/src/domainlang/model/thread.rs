//! Thread that owns the model of some roots: loads it at the first query and checks the disk before every query.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use anyhow::anyhow;
use dlang_workspace::files::SharedFiles;
use dlang_workspace::workspace::{LoadError, Progress, Root};
use dlang_workspace::{Workspace, WorkspaceSnapshot};
use tokio::sync::{oneshot, watch};

/// Handle of a thread that starts with the first query, and again after a panic. Dropping the handle ends the thread.
pub(super) struct ModelThread {
    pub(super) files: SharedFiles,
    pub(super) roots: Vec<Root>,
    /// Whether the model had a file at the last query.
    has_files: Arc<AtomicBool>,
    handle: Mutex<Option<ThreadHandle>>,
}

/// A pending snapshot with its loading progress.
pub(super) struct PendingSnapshot {
    pub(super) snapshot: oneshot::Receiver<Result<WorkspaceSnapshot, LoadError>>,
    pub(super) progress: watch::Receiver<Progress>,
}

/// Channel for a snapshot, or for the load error.
type SnapshotSender = oneshot::Sender<Result<WorkspaceSnapshot, LoadError>>;

/// Channels to the thread.
struct ThreadHandle {
    requests: mpsc::Sender<SnapshotSender>,
    progress: watch::Receiver<Progress>,
    stop: Arc<AtomicBool>,
}

impl Drop for ThreadHandle {
    fn drop(&mut self) {
        // Interrupts loading; an idle thread ends because its channel closes.
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl ModelThread {
    pub(super) fn new(files: SharedFiles, roots: Vec<Root>) -> Self {
        Self { files, roots, has_files: Arc::default(), handle: Mutex::default() }
    }

    /// Returns whether the model had a file at the last query; false before the first one.
    pub(super) fn has_files(&self) -> bool {
        self.has_files.load(Ordering::Relaxed)
    }

    /// Requests a snapshot from the thread; starts the thread if it is not running.
    pub(super) fn request_snapshot(&self) -> anyhow::Result<PendingSnapshot> {
        let (reply, snapshot) = oneshot::channel();
        let mut handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = match handle.as_ref() {
            None => reply,
            Some(thread) => match thread.requests.send(reply) {
                Ok(()) => return Ok(PendingSnapshot { snapshot, progress: thread.progress.clone() }),
                // The thread has panicked.
                Err(mpsc::SendError(reply)) => reply,
            },
        };
        let started = self.start()?;
        let progress = started.progress.clone();
        let sent = started.requests.send(reply);
        *handle = Some(started);
        sent.map_err(|_| anyhow!("the thread of the DomainLang model did not start"))?;
        Ok(PendingSnapshot { snapshot, progress })
    }

    fn start(&self) -> std::io::Result<ThreadHandle> {
        let (questions, receiver) = mpsc::channel();
        let (progress_sender, progress) = watch::channel(Progress { loaded: 0, total: 0 });
        let stop = Arc::new(AtomicBool::new(false));
        let (files, roots, has_files) = (Arc::clone(&self.files), self.roots.clone(), Arc::clone(&self.has_files));
        let is_stopped = Arc::clone(&stop);
        let body = move || serve_snapshots(&files, &roots, &receiver, &progress_sender, &is_stopped, &has_files);
        std::thread::Builder::new().name("domainlang".to_owned()).spawn(body)?;
        Ok(ThreadHandle { requests: questions, progress, stop })
    }
}

/// Body of the thread: loads the workspace at the first query, then checks the disk and hands out a snapshot for each
/// query. Retries a failed load at the next query.
fn serve_snapshots(
    files: &SharedFiles,
    roots: &[Root],
    requests: &mpsc::Receiver<SnapshotSender>,
    progress_sender: &watch::Sender<Progress>,
    is_stopped: &AtomicBool,
    has_files: &AtomicBool,
) {
    let mut watch = |progress| {
        progress_sender.send_replace(progress);
        if is_stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut loaded: Option<Workspace> = None;
    while let Ok(reply) = requests.recv() {
        // One check of the disk serves all waiting queries, because they all arrived before it.
        let replies = std::iter::once(reply).chain(requests.try_iter()).collect::<Vec<SnapshotSender>>();
        let refreshed = match loaded.take() {
            Some(mut workspace) => {
                workspace.refresh();
                Ok(workspace)
            }
            None => Workspace::load(Arc::clone(files), roots.to_vec(), &mut watch),
        };
        has_files.store(refreshed.as_ref().is_ok_and(Workspace::has_models), Ordering::Relaxed);
        for reply in replies.into_iter().filter(|reply| !reply.is_closed()) {
            reply.send(refreshed.as_ref().map(Workspace::snapshot).map_err(Clone::clone)).ok();
        }
        loaded = refreshed.ok();
    }
}
