//! The one model of a zubi workspace: loaded when it is first asked, on a thread of its own, and as the disk is at every
//! question.
//!
//! The thread owns the [`Workspace`] and hands out snapshots; questions run on the pool for blocking work. Nothing here
//! blocks a thread that answers callers. The thread ends with the [`DomainModel`].

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use anyhow::anyhow;
use dlang_model::CancellationToken;
use dlang_workspace::ask::{self, AskError};
use dlang_workspace::files::{DiskFiles, SharedFiles};
use dlang_workspace::workspace::{LoadError, Progress, Root};
use dlang_workspace::{Workspace, WorkspaceSnapshot};
use tokio::sync::{oneshot, watch};
use zubi_tools::ToolCx;

/// How long a question waits for the model to be loaded before it says that it is not.
const WAIT: Duration = Duration::from_secs(5);

/// How often a question is asked again because the model changed while it was asked.
const ATTEMPTS: usize = 10;

/// Why a question has no answer.
#[derive(Debug)]
pub(super) enum ModelError {
    /// It is asked wrongly, or the model kept changing.
    Ask(AskError),
    /// The model is not loaded yet.
    Loading(Progress),
    /// It cannot be loaded.
    Load(LoadError),
    /// Whoever asked gave up.
    Withdrawn,
    /// A defect of ours.
    Defect(anyhow::Error),
}

/// What is loaded for one question.
#[derive(Debug)]
pub(super) enum Once {
    /// A folder, or a file and what it imports.
    Root(Root),
    /// A text that is no file.
    Text(String),
}

/// A model that is loaded when it is first asked.
pub struct DomainModel {
    files: SharedFiles,
    roots: Vec<Root>,
    thread: Mutex<Option<Thread>>,
}

/// Where a snapshot goes, or why there is none.
type Reply = oneshot::Sender<Result<WorkspaceSnapshot, LoadError>>;

/// A snapshot to come, and how far it is.
type Promise = (oneshot::Receiver<Result<WorkspaceSnapshot, LoadError>>, watch::Receiver<Progress>);

/// The way to the thread that owns the workspace.
struct Thread {
    questions: mpsc::Sender<Reply>,
    progress: watch::Receiver<Progress>,
    stop: Arc<AtomicBool>,
}

impl Drop for Thread {
    fn drop(&mut self) {
        // It may be in the middle of loading; otherwise it ends because nobody can ask any more.
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl DomainModel {
    /// The model of these roots, whose paths are absolute with links resolved. Reads nothing yet.
    pub fn new(files: SharedFiles, roots: Vec<Root>) -> Self {
        Self { files, roots, thread: Mutex::default() }
    }

    /// The same of files on disk.
    pub fn on_disk(roots: Vec<Root>) -> Self {
        Self::new(Arc::new(DiskFiles), roots)
    }

    /// Asks the model as its files are now.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        cx: &ToolCx,
        question: impl Fn(&WorkspaceSnapshot) -> Result<T, AskError> + Send + Sync + 'static,
    ) -> Result<T, ModelError> {
        let question = Arc::new(question);
        let mut attempt = 1;
        loop {
            let snapshot = self.snapshot(cx).await?;
            let asked = Arc::clone(&question);
            match run(cx, snapshot, move |snapshot| asked(snapshot)).await {
                Err(ModelError::Ask(AskError::Cancelled(_))) if attempt < ATTEMPTS => attempt += 1,
                answer => return answer,
            }
        }
    }

    /// Asks something that is loaded for this question alone. There is no use in answering that it is loading: nothing of
    /// it would be there the next time.
    pub(super) async fn ask_once<T: Send + 'static>(
        &self,
        cx: &ToolCx,
        once: Once,
        question: impl Fn(&WorkspaceSnapshot) -> Result<T, AskError> + Send + Sync + 'static,
    ) -> Result<T, ModelError> {
        let (files, cancel) = (Arc::clone(&self.files), cx.cancel.clone());
        let load = move || match once {
            Once::Text(text) => Ok(Workspace::of_text(ask::TEXT, text)),
            Once::Root(root) => Workspace::load(files, vec![root], &mut |_| {
                if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }),
        };
        let loaded = tokio::task::spawn_blocking(load).await;
        let workspace = match loaded.map_err(|error| ModelError::Defect(error.into()))? {
            Ok(workspace) => workspace,
            Err(LoadError::Interrupted) => return Err(ModelError::Withdrawn),
            Err(error) => return Err(ModelError::Load(error)),
        };
        run(cx, workspace.snapshot(), question).await
    }

    /// The model as its files are now.
    async fn snapshot(&self, cx: &ToolCx) -> Result<WorkspaceSnapshot, ModelError> {
        let (mut reply, mut progress) = self.request()?;
        let wait = tokio::time::sleep(WAIT);
        tokio::pin!(wait);
        let mut is_loading = true;
        loop {
            tokio::select! {
                biased;
                reply = &mut reply => {
                    let gone = |_| ModelError::Defect(anyhow!("the thread of the DomainLang model is gone"));
                    return reply.map_err(gone)?.map_err(ModelError::Load);
                }
                () = cx.cancel.cancelled() => return Err(ModelError::Withdrawn),
                changed = progress.changed(), if is_loading => {
                    is_loading = changed.is_ok();
                    report(cx, *progress.borrow_and_update());
                }
                () = &mut wait => return Err(ModelError::Loading(*progress.borrow())),
            }
        }
    }

    /// Asks the thread for a snapshot; starts it when there is none.
    fn request(&self) -> Result<Promise, ModelError> {
        let (reply, receiver) = oneshot::channel();
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = match thread.as_ref() {
            None => reply,
            Some(running) => match running.questions.send(reply) {
                Ok(()) => return Ok((receiver, running.progress.clone())),
                // A defect ended it.
                Err(mpsc::SendError(reply)) => reply,
            },
        };
        let started = self.start().map_err(|error| ModelError::Defect(error.into()))?;
        let progress = started.progress.clone();
        let sent = started.questions.send(reply);
        *thread = Some(started);
        sent.map_err(|_| ModelError::Defect(anyhow!("the thread of the DomainLang model did not begin")))?;
        Ok((receiver, progress))
    }

    fn start(&self) -> std::io::Result<Thread> {
        let (questions, asked) = mpsc::channel();
        let (told, progress) = watch::channel(Progress { loaded: 0, total: 0 });
        let stop = Arc::new(AtomicBool::new(false));
        let (files, roots, is_stopped) = (Arc::clone(&self.files), self.roots.clone(), Arc::clone(&stop));
        let own = move || own(&files, &roots, &asked, &told, &is_stopped);
        std::thread::Builder::new().name("domainlang".to_owned()).spawn(own)?;
        Ok(Thread { questions, progress, stop })
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
        for reply in waiting.into_iter().filter(|reply| !reply.is_closed()) {
            reply.send(looked.as_ref().map(Workspace::snapshot).map_err(Clone::clone)).ok();
        }
        owned = looked.ok();
    }
}

/// Runs a question where it may take its time, and ends it when whoever asked gives up or goes away.
async fn run<T: Send + 'static>(
    cx: &ToolCx,
    snapshot: WorkspaceSnapshot,
    question: impl FnOnce(&WorkspaceSnapshot) -> Result<T, AskError> + Send + 'static,
) -> Result<T, ModelError> {
    let withdraw = Withdraw(snapshot.cancellation_token());
    let mut running = tokio::task::spawn_blocking(move || question(&snapshot));
    let answer = tokio::select! {
        answer = &mut running => answer,
        () = cx.cancel.cancelled() => {
            drop(withdraw);
            return Err(ModelError::Withdrawn);
        }
    };
    answer.map_err(|error| ModelError::Defect(error.into()))?.map_err(ModelError::Ask)
}

/// Ends a question when it is dropped.
struct Withdraw(CancellationToken);

impl Drop for Withdraw {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn report(cx: &ToolCx, progress: Progress) {
    let (loaded, total) = (progress.loaded, progress.total);
    if total > 0 {
        #[expect(clippy::cast_precision_loss, reason = "there are not 2^52 files")]
        let fraction = loaded as f64 / total as f64;
        cx.progress.report(Some(fraction), &format!("domainlang: {loaded} of {total} files"));
    }
}
