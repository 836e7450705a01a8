//! The model of a zubi workspace. Every query sees the current files.
//!
//! With an editor, the DomainLang language server owns the model, including unsaved text. Otherwise a thread of its own
//! loads the model from disk at the first query. Both owners hand out snapshots. Queries run on the pool for blocking
//! work, so that they never block a thread that answers clients.

mod thread;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use camino::Utf8PathBuf;
use dlang_model::CancellationToken;
use dlang_server::ModelHandle;
use dlang_workspace::files::{DiskFiles, EXTENSION, SharedFiles};
use dlang_workspace::queries::{self, QueryError};
use dlang_workspace::workspace::{LoadError, Progress, Root};
use dlang_workspace::{Workspace, WorkspaceSnapshot};
use tokio::sync::{OnceCell, oneshot, watch};
use zubi_base::walk::{self, WalkOptions};
use zubi_tool_api::ToolCx;

use self::thread::{ModelThread, PendingSnapshot};

/// Time-out of a query that waits for the model to load.
const LOAD_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of attempts of a query whose model changes while it runs.
const ATTEMPTS: usize = 10;

/// Time limit of the search for models. If it finds none by then, the workspace counts as one without models.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(2);

/// Reason why a query has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum DomainModelError {
    /// The query is invalid.
    #[error(transparent)]
    Invalid(dlang_ide::query::InvalidInput),
    /// The model changed during every attempt.
    #[error("its files change too often")]
    Changing,
    /// The model is not loaded yet.
    #[error("{} of {} files are loaded", .0.loaded, .0.total)]
    Loading(Progress),
    /// The model cannot be loaded.
    #[error(transparent)]
    Load(LoadError),
    /// The client cancelled the query.
    #[error("the call was cancelled")]
    Cancelled,
    /// A bug in zubi.
    #[error(transparent)]
    Internal(anyhow::Error),
}

impl From<QueryError> for DomainModelError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::InvalidInput(input) => Self::Invalid(input),
            QueryError::Cancelled(_) => Self::Changing,
        }
    }
}

/// Context of a query.
pub(super) struct ModelCallContext<'a> {
    /// Cancelled when the client cancels the query.
    pub(super) cancel: &'a tokio_util::sync::CancellationToken,
    /// Deadline of waiting for a model that is loading.
    pub(super) deadline: Instant,
    /// Receives the loading progress.
    pub(super) progress: &'a (dyn Fn(Progress) + Send + Sync),
}

impl<'a> ModelCallContext<'a> {
    /// Creates a context with the default time-out and without progress reports.
    pub(super) fn without_deadline(cancel: &'a tokio_util::sync::CancellationToken) -> Self {
        Self { cancel, deadline: Instant::now() + LOAD_TIMEOUT, progress: &|_| {} }
    }
}

/// A source that is loaded for a single query.
#[derive(Debug)]
pub(super) enum AdHocSource {
    /// A folder, or a file with its imports.
    Root(Root),
    /// A text without a file.
    Text(String),
}

/// A model that answers queries.
pub struct DomainModel {
    owner: ModelOwner,
    /// Whether the search on disk found a model.
    is_found: OnceCell<bool>,
}

/// Owner of the model.
enum ModelOwner {
    /// A thread of this object.
    Thread(ModelThread),
    /// The language server of an editor.
    Server(ModelHandle),
}

impl DomainModel {
    /// Creates the model of these roots (absolute paths without symlinks). Reads nothing yet.
    pub fn new(files: SharedFiles, roots: Vec<Root>) -> Self {
        Self { owner: ModelOwner::Thread(ModelThread::new(files, roots)), is_found: OnceCell::new() }
    }

    /// Creates a model of files on disk.
    pub fn on_disk(roots: Vec<Root>) -> Self {
        Self::new(Arc::new(DiskFiles), roots)
    }

    /// Creates a model backed by an editor's language server: its folders, with unsaved text.
    pub fn from_server(server: ModelHandle) -> Self {
        Self { owner: ModelOwner::Server(server), is_found: OnceCell::new() }
    }

    /// Returns the language server that owns the model, if there is one.
    pub(super) fn server(&self) -> Option<&ModelHandle> {
        match &self.owner {
            ModelOwner::Server(server) => Some(server),
            ModelOwner::Thread(_) => None,
        }
    }

    /// Returns whether the workspace has models; a server that is still loading may have some. On disk, one search
    /// decides without loading anything, because it runs in every workspace. The next query detects a model that was
    /// added later.
    pub(super) async fn has_models(&self) -> bool {
        let thread = match &self.owner {
            ModelOwner::Thread(thread) => thread,
            ModelOwner::Server(server) => return server.has_models().unwrap_or(true),
        };
        let search = async || {
            let roots = thread.roots.clone();
            tokio::task::spawn_blocking(move || has_models(&roots, SEARCH_TIMEOUT)).await.unwrap_or_default()
        };
        thread.has_files() || *self.is_found.get_or_init(search).await
    }

    /// Waits until a loading server knows its files, at most for the time-out of a query. Loads nothing from disk.
    pub(super) async fn wait_until_known(&self, cancel: &tokio_util::sync::CancellationToken) {
        if self.server().is_some_and(|server| server.has_models().is_none()) {
            self.query(&ModelCallContext::without_deadline(cancel), |_| Ok::<_, DomainModelError>(())).await.ok();
        }
    }

    /// Runs a query on the model with its present files.
    pub(super) async fn query<T: Send + 'static, E: Into<DomainModelError> + Send + 'static>(
        &self,
        context: &ModelCallContext<'_>,
        query: impl Fn(&WorkspaceSnapshot) -> Result<T, E> + Send + Sync + 'static,
    ) -> Result<T, DomainModelError> {
        let query = Arc::new(query);
        let mut attempt = 1;
        loop {
            let snapshot = self.snapshot(context).await?;
            let query = Arc::clone(&query);
            match run_query(context.cancel, snapshot, move |snapshot| query(snapshot)).await {
                Err(DomainModelError::Changing) if attempt < ATTEMPTS => attempt += 1,
                answer => return answer,
            }
        }
    }

    /// Runs a query for a tool.
    pub(super) async fn query_for_tool<T: Send + 'static>(
        &self,
        cx: &ToolCx,
        query: impl Fn(&WorkspaceSnapshot) -> Result<T, QueryError> + Send + Sync + 'static,
    ) -> Result<T, DomainModelError> {
        let progress = |progress| report_progress(cx, progress);
        self.query(&ModelCallContext { progress: &progress, ..ModelCallContext::without_deadline(&cx.cancel) }, query)
            .await
    }

    /// Runs a query on a source that is loaded for this query only. Does not return loading progress, because a later
    /// call could not use it.
    pub(super) async fn query_ad_hoc<T: Send + 'static>(
        &self,
        cx: &ToolCx,
        source: AdHocSource,
        query: impl Fn(&WorkspaceSnapshot) -> Result<T, QueryError> + Send + Sync + 'static,
    ) -> Result<T, DomainModelError> {
        let load: Box<dyn FnOnce() -> Result<Workspace, LoadError> + Send> = match source {
            AdHocSource::Text(text) => Box::new(|| Ok(Workspace::from_text(queries::TEXT, text))),
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
        let workspace = match loaded.map_err(|error| DomainModelError::Internal(error.into()))? {
            Ok(workspace) => workspace,
            Err(LoadError::Interrupted) => return Err(DomainModelError::Cancelled),
            Err(error) => return Err(DomainModelError::Load(error)),
        };
        run_query(&cx.cancel, workspace.snapshot(), query).await
    }

    /// Returns the files of the model, with unsaved text, and the root in the spelling used there.
    async fn files(&self, cx: &ToolCx, root: Root) -> Result<(SharedFiles, Root), DomainModelError> {
        match &self.owner {
            ModelOwner::Thread(thread) => Ok((Arc::clone(&thread.files), root)),
            ModelOwner::Server(_) => {
                let snapshot = self.snapshot(&ModelCallContext::without_deadline(&cx.cancel)).await?;
                let workspace_path_of = |path: Utf8PathBuf| snapshot.workspace_path(&path).into_owned();
                let root = match root {
                    Root::Folder(path) => Root::Folder(workspace_path_of(path)),
                    Root::File(path) => Root::File(workspace_path_of(path)),
                };
                Ok((snapshot.shared_files(), root))
            }
        }
    }

    /// Returns a snapshot of the model with its present files.
    async fn snapshot(&self, context: &ModelCallContext<'_>) -> Result<WorkspaceSnapshot, DomainModelError> {
        let PendingSnapshot { mut snapshot, mut progress } = match &self.owner {
            ModelOwner::Thread(thread) => thread.request_snapshot().map_err(DomainModelError::Internal)?,
            ModelOwner::Server(server) => promised_snapshot(server),
        };
        let deadline_timer = tokio::time::sleep_until(context.deadline.into());
        tokio::pin!(deadline_timer);
        let mut has_progress = true;
        loop {
            tokio::select! {
                biased;
                snapshot = &mut snapshot => return snapshot.map_err(|_| terminated_thread_error())?.map_err(DomainModelError::Load),
                () = context.cancel.cancelled() => return Err(DomainModelError::Cancelled),
                changed = progress.changed(), if has_progress => {
                    has_progress = changed.is_ok();
                    (context.progress)(*progress.borrow_and_update());
                }
                () = &mut deadline_timer => {
                    let server = self.server().map(ModelHandle::progress);
                    return Err(DomainModelError::Loading(server.unwrap_or_else(|| *progress.borrow())));
                }
            }
        }
    }
}

/// Requests a snapshot from a language server, which shows its loading progress itself.
fn promised_snapshot(server: &ModelHandle) -> PendingSnapshot {
    let (sender, snapshot) = oneshot::channel();
    server.with_snapshot(move |snapshot| {
        sender.send(Ok(snapshot.workspace().clone())).ok();
    });
    let (_, progress) = watch::channel(server.progress());
    PendingSnapshot { snapshot, progress }
}

fn terminated_thread_error() -> DomainModelError {
    DomainModelError::Internal(anyhow!("the thread of the DomainLang model is gone"))
}

/// Returns whether a search within the time limit finds a model below the roots.
fn has_models(roots: &[Root], limit: Duration) -> bool {
    let started = Instant::now();
    // A root that is a file yields itself.
    let files = roots.iter().flat_map(|root| walk::files(root.path(), WalkOptions::default()));
    files.take_while(|_| started.elapsed() < limit).any(|path| path.extension() == Some(EXTENSION))
}

/// Runs a query on the blocking pool and cancels it when the client cancels or the future is dropped.
async fn run_query<T: Send + 'static, E: Into<DomainModelError> + Send + 'static>(
    cancel: &tokio_util::sync::CancellationToken,
    snapshot: WorkspaceSnapshot,
    query: impl FnOnce(&WorkspaceSnapshot) -> Result<T, E> + Send + 'static,
) -> Result<T, DomainModelError> {
    let guard = CancelOnDrop(snapshot.cancellation_token());
    let mut running = tokio::task::spawn_blocking(move || query(&snapshot));
    let answer = tokio::select! {
        answer = &mut running => answer,
        () = cancel.cancelled() => {
            drop(guard);
            return Err(DomainModelError::Cancelled);
        }
    };
    answer.map_err(|error| DomainModelError::Internal(error.into()))?.map_err(Into::into)
}

/// Cancels a query when dropped.
struct CancelOnDrop(CancellationToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn report_progress(cx: &ToolCx, progress: Progress) {
    let (loaded, total) = (progress.loaded, progress.total);
    if total > 0 {
        #[expect(clippy::cast_precision_loss, reason = "there are not 2^52 files")]
        let fraction = loaded as f64 / total as f64;
        cx.progress.report(Some(fraction), &format!("domainlang: {loaded} of {total} files"));
    }
}
