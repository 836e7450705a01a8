//! The one model of a zubi workspace, as it is at every question.
//!
//! Beside an editor it is the language server's, unsaved text included. Without one it is loaded from disk when it is first
//! asked, on a thread of its own. Either way somebody else owns the model and hands out snapshots; questions run on the pool
//! for blocking work, so nothing here blocks a thread that answers callers.

mod thread;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use camino::Utf8PathBuf;
use dlang_model::CancellationToken;
use dlang_server::ModelHandle;
use dlang_workspace::ask::{self, QueryError};
use dlang_workspace::files::{DiskFiles, EXTENSION, SharedFiles};
use dlang_workspace::workspace::{LoadError, Progress, Root};
use dlang_workspace::{Workspace, WorkspaceSnapshot};
use tokio::sync::{OnceCell, oneshot, watch};
use zubi_base::walk::{self, WalkOptions};
use zubi_tools::ToolCx;

use self::thread::ModelThread;

/// How long a question waits for the model to be loaded before it says that it is not.
const WAIT: Duration = Duration::from_secs(5);

/// How often a question is asked again because the model changed while it was asked.
const ATTEMPTS: usize = 10;

/// How long models are looked for. A tree in which none was found until then is taken for one without.
const LOOK: Duration = Duration::from_secs(2);

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum ModelError {
    /// It is asked wrongly.
    #[error(transparent)]
    Invalid(dlang_ide::query::InvalidInput),
    /// The model changed while it was asked, every time.
    #[error("its files keep changing")]
    Changing,
    /// The model is not loaded yet.
    #[error("{} of {} files are loaded", .0.loaded, .0.total)]
    Loading(Progress),
    /// It cannot be loaded.
    #[error(transparent)]
    Load(LoadError),
    /// Whoever asked gave up.
    #[error("the call was cancelled")]
    Withdrawn,
    /// A defect of ours.
    #[error(transparent)]
    Defect(anyhow::Error),
}

impl From<QueryError> for ModelError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::InvalidInput(input) => Self::Invalid(input),
            QueryError::Cancelled(_) => Self::Changing,
        }
    }
}

/// The circumstances of a question.
pub(super) struct ModelCallContext<'a> {
    /// Cancelled when whoever asks gives up.
    pub(super) cancel: &'a tokio_util::sync::CancellationToken,
    /// How long to wait for a model that is loading.
    pub(super) until: Instant,
    /// Hears how far loading is.
    pub(super) progress: &'a (dyn Fn(Progress) + Send + Sync),
}

impl<'a> ModelCallContext<'a> {
    /// One who waits as long as a question may, and is not told how far loading is.
    pub(super) fn without_deadline(cancel: &'a tokio_util::sync::CancellationToken) -> Self {
        Self { cancel, until: Instant::now() + WAIT, progress: &|_| {} }
    }
}

/// What is loaded for one question.
#[derive(Debug)]
pub(super) enum AdHocSource {
    /// A folder, or a file and what it imports.
    Root(Root),
    /// A text that is no file.
    Text(String),
}

/// A model that may be asked.
pub struct DomainModel {
    owner: Owner,
    /// Whether a model was found on disk when one was looked for.
    is_found: OnceCell<bool>,
}

/// Who has the model.
enum Owner {
    /// A thread of this object.
    Thread(ModelThread),
    /// The language server of an editor.
    Server(ModelHandle),
}

/// A snapshot to come, and how far it is.
struct Promise {
    snapshot: oneshot::Receiver<Result<WorkspaceSnapshot, LoadError>>,
    progress: watch::Receiver<Progress>,
}

impl DomainModel {
    /// The model of these roots, whose paths are absolute with links resolved. Reads nothing yet.
    pub fn new(files: SharedFiles, roots: Vec<Root>) -> Self {
        Self { owner: Owner::Thread(ModelThread::new(files, roots)), is_found: OnceCell::new() }
    }

    /// The same of files on disk.
    pub fn on_disk(roots: Vec<Root>) -> Self {
        Self::new(Arc::new(DiskFiles), roots)
    }

    /// The model of a language server: its editor's folders, with what is not saved.
    pub fn of_server(server: ModelHandle) -> Self {
        Self { owner: Owner::Server(server), is_found: OnceCell::new() }
    }

    /// The language server that has the model, if it is one's.
    pub(super) fn server(&self) -> Option<&ModelHandle> {
        match &self.owner {
            Owner::Server(server) => Some(server),
            Owner::Thread(_) => None,
        }
    }

    /// Whether there are models to be asked about; while a server is loading there may be some. On disk they are looked for
    /// once and not loaded for it, because every workspace is looked at; the first one that comes later is known of as soon as
    /// a model is asked.
    pub(super) async fn has_models(&self) -> bool {
        let thread = match &self.owner {
            Owner::Thread(thread) => thread,
            Owner::Server(server) => return server.has_models().unwrap_or(true),
        };
        let look = async || {
            let roots = thread.roots.clone();
            tokio::task::spawn_blocking(move || has_models(&roots, LOOK)).await.unwrap_or_default()
        };
        thread.has_files() || *self.is_found.get_or_init(look).await
    }

    /// Waits until a server that is loading knows what it has, at most as long as a question does. On disk nothing is loaded.
    pub(super) async fn settle(&self, cancel: &tokio_util::sync::CancellationToken) {
        if self.server().is_some_and(|server| server.has_models().is_none()) {
            self.query(&ModelCallContext::without_deadline(cancel), |_| Ok::<_, ModelError>(())).await.ok();
        }
    }

    /// Asks the model as its files are now.
    pub(super) async fn query<T: Send + 'static, E: Into<ModelError> + Send + 'static>(
        &self,
        asker: &ModelCallContext<'_>,
        question: impl Fn(&WorkspaceSnapshot) -> Result<T, E> + Send + Sync + 'static,
    ) -> Result<T, ModelError> {
        let question = Arc::new(question);
        let mut attempt = 1;
        loop {
            let snapshot = self.snapshot(asker).await?;
            let asked = Arc::clone(&question);
            match run(asker.cancel, snapshot, move |snapshot| asked(snapshot)).await {
                Err(ModelError::Changing) if attempt < ATTEMPTS => attempt += 1,
                answer => return answer,
            }
        }
    }

    /// Asks the model for a tool.
    pub(super) async fn ask_for_tool<T: Send + 'static>(
        &self,
        cx: &ToolCx,
        question: impl Fn(&WorkspaceSnapshot) -> Result<T, QueryError> + Send + Sync + 'static,
    ) -> Result<T, ModelError> {
        let progress = |progress| report(cx, progress);
        self.query(&ModelCallContext { progress: &progress, ..ModelCallContext::without_deadline(&cx.cancel) }, question).await
    }

    /// Asks something that is loaded for this question alone. There is no use in answering how far that is: nothing of it
    /// would be there the next time.
    pub(super) async fn ask_once<T: Send + 'static>(
        &self,
        cx: &ToolCx,
        once: AdHocSource,
        question: impl Fn(&WorkspaceSnapshot) -> Result<T, QueryError> + Send + Sync + 'static,
    ) -> Result<T, ModelError> {
        let load: Box<dyn FnOnce() -> Result<Workspace, LoadError> + Send> = match once {
            AdHocSource::Text(text) => Box::new(|| Ok(Workspace::of_text(ask::TEXT, text))),
            AdHocSource::Root(root) => {
                let (files, root) = self.files(cx, root).await?;
                let cancel = cx.cancel.clone();
                let mut watch = move |_| {
                    if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                Box::new(move || Workspace::load(files, vec![root], &mut watch))
            }
        };
        let loaded = tokio::task::spawn_blocking(load).await;
        let workspace = match loaded.map_err(|error| ModelError::Defect(error.into()))? {
            Ok(workspace) => workspace,
            Err(LoadError::Interrupted) => return Err(ModelError::Withdrawn),
            Err(error) => return Err(ModelError::Load(error)),
        };
        run(&cx.cancel, workspace.snapshot(), question).await
    }

    /// The files that the model is made of, with what is not saved, and a root as it is spelled there.
    async fn files(&self, cx: &ToolCx, root: Root) -> Result<(SharedFiles, Root), ModelError> {
        match &self.owner {
            Owner::Thread(thread) => Ok((Arc::clone(&thread.files), root)),
            Owner::Server(_) => {
                let snapshot = self.snapshot(&ModelCallContext::without_deadline(&cx.cancel)).await?;
                let spelled = |path: Utf8PathBuf| snapshot.spelling(&path).into_owned();
                let root = match root {
                    Root::Folder(path) => Root::Folder(spelled(path)),
                    Root::File(path) => Root::File(spelled(path)),
                };
                Ok((snapshot.shared_files(), root))
            }
        }
    }

    /// The model as its files are now.
    async fn snapshot(&self, asker: &ModelCallContext<'_>) -> Result<WorkspaceSnapshot, ModelError> {
        let Promise { mut snapshot, mut progress } = match &self.owner {
            Owner::Thread(thread) => thread.request()?,
            Owner::Server(server) => promised_snapshot(server),
        };
        let wait = tokio::time::sleep_until(asker.until.into());
        tokio::pin!(wait);
        let mut is_told = true;
        loop {
            tokio::select! {
                biased;
                snapshot = &mut snapshot => return snapshot.map_err(|_| thread_gone_error())?.map_err(ModelError::Load),
                () = asker.cancel.cancelled() => return Err(ModelError::Withdrawn),
                changed = progress.changed(), if is_told => {
                    is_told = changed.is_ok();
                    (asker.progress)(*progress.borrow_and_update());
                }
                () = &mut wait => {
                    let server = self.server().map(ModelHandle::progress);
                    return Err(ModelError::Loading(server.unwrap_or_else(|| *progress.borrow())));
                }
            }
        }
    }
}

/// A snapshot of a language server, which shows by itself how far loading is.
fn promised_snapshot(server: &ModelHandle) -> Promise {
    let (sender, snapshot) = oneshot::channel();
    server.with_snapshot(move |lent| {
        sender.send(Ok(lent.workspace().clone())).ok();
    });
    let (_, progress) = watch::channel(server.progress());
    Promise { snapshot, progress }
}

fn thread_gone_error() -> ModelError {
    ModelError::Defect(anyhow!("the thread of the DomainLang model is gone"))
}

/// Whether there is a model at the roots, as far as they can be walked through in time.
fn has_models(roots: &[Root], time: Duration) -> bool {
    let begin = Instant::now();
    // A file is below itself.
    let files = roots.iter().flat_map(|root| walk::files(root.path(), WalkOptions::default()));
    files.take_while(|_| begin.elapsed() < time).any(|path| path.extension() == Some(EXTENSION))
}

/// Runs a question where it may take its time, and ends it when whoever asked gives up or goes away.
async fn run<T: Send + 'static, E: Into<ModelError> + Send + 'static>(
    cancel: &tokio_util::sync::CancellationToken,
    snapshot: WorkspaceSnapshot,
    question: impl FnOnce(&WorkspaceSnapshot) -> Result<T, E> + Send + 'static,
) -> Result<T, ModelError> {
    let withdraw = Withdraw(snapshot.cancellation_token());
    let mut running = tokio::task::spawn_blocking(move || question(&snapshot));
    let answer = tokio::select! {
        answer = &mut running => answer,
        () = cancel.cancelled() => {
            drop(withdraw);
            return Err(ModelError::Withdrawn);
        }
    };
    answer.map_err(|error| ModelError::Defect(error.into()))?.map_err(Into::into)
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
