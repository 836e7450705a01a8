//! A thread that owns the model of some roots: it loads it when it is first asked, and looks at the disk for every question.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use anyhow::anyhow;
use dlang_workspace::files::SharedFiles;
use dlang_workspace::workspace::{LoadError, Progress, Root};
use dlang_workspace::{Workspace, WorkspaceSnapshot};
use tokio::sync::{oneshot, watch};

use super::{ModelError, Promise};

/// A thread that is started by the first question, and again when a defect has ended it. It ends with this.
pub(super) struct ModelThread {
    pub(super) files: SharedFiles,
    pub(super) roots: Vec<Root>,
    /// Whether there was a file in the model when it was asked last.
    has_files: Arc<AtomicBool>,
    running: Mutex<Option<ThreadHandle>>,
}

/// Where a snapshot goes, or why there is none.
type Reply = oneshot::Sender<Result<WorkspaceSnapshot, LoadError>>;

/// The way to the thread.
struct ThreadHandle {
    questions: mpsc::Sender<Reply>,
    progress: watch::Receiver<Progress>,
    stop: Arc<AtomicBool>,
}

impl Drop for ThreadHandle {
    fn drop(&mut self) {
        // It may be in the middle of loading; otherwise it ends because nobody can ask any more.
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl ModelThread {
    pub(super) fn new(files: SharedFiles, roots: Vec<Root>) -> Self {
        Self { files, roots, has_files: Arc::default(), running: Mutex::default() }
    }

    /// Whether there was a file in the model when it was asked last; not before the first question.
    pub(super) fn has_files(&self) -> bool {
        self.has_files.load(Ordering::Relaxed)
    }

    /// Asks the thread for a snapshot; starts it when there is none.
    pub(super) fn request(&self) -> Result<Promise, ModelError> {
        let (reply, snapshot) = oneshot::channel();
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = match running.as_ref() {
            None => reply,
            Some(thread) => match thread.questions.send(reply) {
                Ok(()) => return Ok(Promise { snapshot, progress: thread.progress.clone() }),
                // A defect ended it.
                Err(mpsc::SendError(reply)) => reply,
            },
        };
        let started = self.start().map_err(|error| ModelError::Defect(error.into()))?;
        let progress = started.progress.clone();
        let sent = started.questions.send(reply);
        *running = Some(started);
        sent.map_err(|_| ModelError::Defect(anyhow!("the thread of the DomainLang model did not begin")))?;
        Ok(Promise { snapshot, progress })
    }

    fn start(&self) -> std::io::Result<ThreadHandle> {
        let (questions, asked) = mpsc::channel();
        let (told, progress) = watch::channel(Progress { loaded: 0, total: 0 });
        let stop = Arc::new(AtomicBool::new(false));
        let (files, roots, has_files) = (Arc::clone(&self.files), self.roots.clone(), Arc::clone(&self.has_files));
        let is_stopped = Arc::clone(&stop);
        let own = move || own(&files, &roots, &asked, &told, &is_stopped, &has_files);
        std::thread::Builder::new().name("domainlang".to_owned()).spawn(own)?;
        Ok(ThreadHandle { questions, progress, stop })
    }
}

/// What the thread does: it loads the workspace when there is a first question, then looks at the disk and hands out a
/// snapshot for each. What cannot be loaded is tried again with the next question.
fn own(
    files: &SharedFiles,
    roots: &[Root],
    asked: &mpsc::Receiver<Reply>,
    told: &watch::Sender<Progress>,
    is_stopped: &AtomicBool,
    has_files: &AtomicBool,
) {
    let mut watch = |progress| {
        told.send_replace(progress);
        if is_stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut owned: Option<Workspace> = None;
    while let Ok(reply) = asked.recv() {
        // One look is enough for all who wait: each of them asked before it.
        let waiting = std::iter::once(reply).chain(asked.try_iter()).collect::<Vec<Reply>>();
        let looked = match owned.take() {
            Some(mut workspace) => {
                workspace.refresh();
                Ok(workspace)
            }
            None => Workspace::load(Arc::clone(files), roots.to_vec(), &mut watch),
        };
        has_files.store(looked.as_ref().is_ok_and(Workspace::has_models), Ordering::Relaxed);
        for reply in waiting.into_iter().filter(|reply| !reply.is_closed()) {
            reply.send(looked.as_ref().map(Workspace::snapshot).map_err(Clone::clone)).ok();
        }
        owned = looked.ok();
    }
}
