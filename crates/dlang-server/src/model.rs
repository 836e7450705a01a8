//! The thread that owns the workspace.
//!
//! It executes commands one after the other, in the order in which the main loop sends them: it loads, edits, checks
//! the disk, and passes snapshots to the requests that query them. So the main loop never waits, a request sees every
//! change made before it, and commands that arrive while the workspace loads wait for that.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8PathBuf;
use crossbeam_channel::{Receiver, Sender};
use dlang_workspace::Workspace;
use dlang_workspace::files::{LOCK, MANIFEST, SharedFiles};
use dlang_workspace::workspace::{LoadError, Progress, Root};
use lsp_server::ErrorCode;
use serde_json::Value;
use zubi_base::lsp::Uri;

use crate::diagnostics;
use crate::documents;
use crate::event::{ChangedBy, Event};
use crate::pool::Pool;
use crate::request::{Cancel, LoadingBehavior, Method, RequestError, response_error};
use crate::settings::ClientSettings;
use crate::snapshot::{DocumentNames, OpenDocument, Snapshot, TokenStore};

/// A command to the model thread.
pub(crate) enum ModelCommand {
    /// Loads the workspace of these folders.
    Roots(Vec<Utf8PathBuf>),
    /// Changes the text of a document, or closes it.
    Edit(Edit),
    /// Checks the disk for changes.
    Refresh,
    /// Answers a request.
    Query(SnapshotRequest),
    /// Computes all diagnostics, for the main loop to publish.
    Problems(u64),
    /// Checks the disk for changes and passes a snapshot to the callback.
    WithSnapshot(Box<dyn FnOnce(Snapshot) + Send>),
    /// Ends the thread.
    Stop,
}

/// An edit of a document; without a text, it is closed.
pub(crate) struct Edit {
    pub(crate) uri: String,
    pub(crate) version: i32,
    pub(crate) text: Option<Arc<str>>,
}

/// A request that queries a snapshot.
pub(crate) struct SnapshotRequest {
    pub(crate) serial: u64,
    pub(crate) name: String,
    pub(crate) method: Arc<Method>,
    pub(crate) params: Value,
    pub(crate) cancel: Cancel,
    /// Whether this is the retry after the model changed meanwhile.
    pub(crate) is_second: bool,
}

/// Handle of the workspace for other threads. Cheap to clone.
#[derive(Clone)]
pub struct ModelHandle {
    pub(crate) commands: Sender<ModelCommand>,
    pub(crate) shared: Arc<SharedModel>,
}

/// A document that the client has open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenText {
    /// Version of the text, assigned by the client.
    pub version: i32,
    /// The text.
    pub text: Arc<str>,
}

/// State that the model thread shares with other threads.
#[derive(Default)]
pub(crate) struct SharedModel {
    /// Last reported progress of loading.
    progress: Mutex<Option<Progress>>,
    /// Whether the server ends, which also interrupts loading.
    pub(crate) is_over: AtomicBool,
    /// Documents that the client has open, by path; updated before the workspace is.
    open: Mutex<Arc<BTreeMap<Utf8PathBuf, OpenText>>>,
    /// Whether the workspace has models; `None` while it loads.
    has_models: Mutex<Option<bool>>,
    /// Folders of the workspace, for the watcher.
    pub(crate) folders: Mutex<Arc<BTreeSet<Utf8PathBuf>>>,
}

impl SharedModel {
    pub(crate) fn progress(&self) -> Progress {
        let progress = *self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.unwrap_or(Progress { loaded: 0, total: 0 })
    }
}

impl ModelHandle {
    /// Passes a snapshot to `to`, once all changes of the client so far are applied and the disk is checked; while the
    /// workspace loads, after that. `to` is called on the model thread and must return at once; it is dropped without a
    /// call if the server ends. Changes wait until the snapshot is dropped.
    pub fn with_snapshot(&self, to: impl FnOnce(Snapshot) + Send + 'static) {
        self.send(ModelCommand::WithSnapshot(Box::new(to)));
    }

    /// Returns the last reported progress of loading.
    pub fn progress(&self) -> Progress {
        self.shared.progress()
    }

    /// Whether the workspace has models; `None` while it loads. Does not wait.
    pub fn has_models(&self) -> Option<bool> {
        *self.shared.has_models.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the documents that the client has open, by the path it uses. Does not wait, not even while the workspace
    /// loads: a later snapshot has these texts or newer ones.
    pub fn open_texts(&self) -> Arc<BTreeMap<Utf8PathBuf, OpenText>> {
        Arc::clone(&self.shared.open.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Applies an edit, opening or closing of a document.
    pub(crate) fn edit(&self, edit: Edit) {
        let path = documents::path_of(&Uri(edit.uri.clone()));
        let mut open = self.shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = Arc::make_mut(&mut *open);
        match &edit.text {
            Some(text) => texts.insert(path, OpenText { version: edit.version, text: Arc::clone(text) }),
            None => texts.remove(&path),
        };
        drop(open);
        self.send(ModelCommand::Edit(edit));
    }

    pub(crate) fn send(&self, command: ModelCommand) {
        // Without the model thread the server has ended.
        self.commands.send(command).ok();
    }
}

/// The workspace and its dependencies.
pub(crate) struct Model {
    pub(crate) files: SharedFiles,
    pub(crate) workspace: Workspace,
    pub(crate) roots: Vec<Utf8PathBuf>,
    pub(crate) names: Arc<DocumentNames>,
    pub(crate) settings: Arc<ClientSettings>,
    pub(crate) tokens: Arc<TokenStore>,
    pub(crate) pool: Pool,
    pub(crate) handle: ModelHandle,
    pub(crate) events: Sender<Event>,
    /// Wakes the watcher when the folders have changed.
    pub(crate) on_folders: Box<dyn Fn() + Send>,
}

impl Model {
    /// Executes commands until [`ModelCommand::Stop`].
    pub(crate) fn run(mut self, commands: &Receiver<ModelCommand>) {
        let mut next = None;
        while let Some(command) = next.take().or_else(|| commands.recv().ok()) {
            let outcome = catch_unwind(AssertUnwindSafe(|| match command {
                ModelCommand::Edit(edit) => {
                    let mut edits = BTreeMap::from([(edit.uri.clone(), edit)]);
                    // The last of several edits of a document contains all of them.
                    while let Ok(command) = commands.try_recv() {
                        match command {
                            ModelCommand::Edit(edit) => {
                                edits.insert(edit.uri.clone(), edit);
                            }
                            other => {
                                next = Some(other);
                                break;
                            }
                        }
                    }
                    for edit in edits.into_values() {
                        self.edit(edit);
                    }
                    ControlFlow::Continue(())
                }
                other => self.run_command(other),
            }));
            match outcome {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return,
                Err(_) => self.recover(),
            }
        }
    }

    fn run_command(&mut self, command: ModelCommand) -> ControlFlow<()> {
        match command {
            ModelCommand::Stop => return ControlFlow::Break(()),
            ModelCommand::Roots(roots) => {
                self.roots = roots;
                self.load();
            }
            ModelCommand::Edit(edit) => self.edit(edit),
            ModelCommand::Refresh => self.refresh(),
            ModelCommand::Query(question) => self.answer_query(question),
            ModelCommand::Problems(number) => self.problems(number),
            ModelCommand::WithSnapshot(to) => {
                self.refresh();
                to(self.snapshot());
            }
        }
        ControlFlow::Continue(())
    }

    fn snapshot(&self) -> Snapshot {
        let (names, settings) = (Arc::clone(&self.names), Arc::clone(&self.settings));
        Snapshot::new(self.workspace.snapshot(), names, settings, Arc::clone(&self.tokens))
    }

    fn load(&mut self) {
        *self.handle.shared.has_models.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let mut roots: Vec<Root> = self.roots.iter().cloned().map(Root::Folder).collect();
        let workspace = loop {
            let mut watch = |progress| {
                *self.handle.shared.progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
                self.events.send(Event::Progress(progress)).ok();
                let is_over = self.handle.shared.is_over.load(Ordering::SeqCst);
                if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            match Workspace::load(Arc::clone(&self.files), roots.clone(), &mut watch) {
                Ok(workspace) => break workspace,
                Err(LoadError::Interrupted) => return,
                Err(error) => {
                    // A folder of the editor may be missing; the others are loaded nevertheless.
                    tracing::warn!("skipping a folder: {error}");
                    let exists = |root: &Root| self.files.is_directory(root.path());
                    let before = roots.len();
                    roots.retain(exists);
                    if roots.len() == before {
                        roots.clear();
                    }
                }
            }
        };
        self.workspace = workspace;
        for (path, open) in self.names.iter() {
            self.workspace.overlay(path, Some(Arc::clone(&open.text)));
        }
        self.update_folders();
        self.update_has_models();
        self.events.send(Event::Loaded).ok();
    }

    fn edit(&mut self, edit: Edit) {
        let (path, is_changed) = match edit.text {
            Some(text) => {
                let path = self.workspace.canonical_path(&documents::path_of(&Uri(edit.uri.clone())));
                let open = OpenDocument { uri: edit.uri, version: edit.version, text: Arc::clone(&text) };
                Arc::make_mut(&mut self.names).open(path.clone(), open);
                let is_changed = self.workspace.overlay(&path, Some(text));
                (path, is_changed)
            }
            None => {
                let Some(path) = Arc::make_mut(&mut self.names).close(&edit.uri) else { return };
                let is_changed = self.workspace.overlay(&path, None);
                (path, is_changed)
            }
        };
        let is_manifest = matches!(path.file_name(), Some(MANIFEST | LOCK));
        if is_changed {
            self.update_folders();
            self.update_has_models();
        }
        // Also if the model is unchanged: published diagnostics contain the document's version.
        let by = if is_manifest { ChangedBy::External } else { ChangedBy::Editor };
        self.events.send(Event::Changed { by }).ok();
    }

    fn refresh(&mut self) {
        if self.workspace.refresh() {
            self.update_folders();
            self.update_has_models();
            self.events.send(Event::Changed { by: ChangedBy::External }).ok();
        }
    }

    fn update_has_models(&self) {
        let has_models = Some(self.workspace.has_models());
        *self.handle.shared.has_models.lock().unwrap_or_else(PoisonError::into_inner) = has_models;
    }

    fn update_folders(&self) {
        let folders = self.workspace.folders();
        let mut shared_folders = self.handle.shared.folders.lock().unwrap_or_else(PoisonError::into_inner);
        // Most changes leave the allocation as it is, which saves the comparison.
        if !Arc::ptr_eq(&shared_folders, folders) && *shared_folders != *folders {
            shared_folders.clone_from(folders);
            drop(shared_folders);
            (self.on_folders)();
        }
    }

    fn answer_query(&mut self, question: SnapshotRequest) {
        if question.cancel.is_cancelled() {
            return;
        }
        if matches!(*question.method, Method::Query { loading: LoadingBehavior::Limited, .. }) {
            self.refresh();
        }
        let snapshot = self.snapshot();
        let token = snapshot.workspace().cancellation_token();
        question.cancel.on_cancel(move || token.cancel());
        let (commands, events) = (self.handle.clone(), self.events.clone());
        self.pool.run(move || question.answer(snapshot, &commands, &events));
    }

    fn problems(&self, number: u64) {
        let (snapshot, events) = (self.snapshot(), self.events.clone());
        self.pool.run(move || {
            let found = catch_unwind(AssertUnwindSafe(|| diagnostics::collect_diagnostics(&snapshot)));
            drop(snapshot);
            let problems = found.unwrap_or_else(|_| {
                tracing::error!("computing diagnostics panicked");
                Ok(Vec::new())
            });
            events.send(Event::Problems { number, problems: problems.ok() }).ok();
        });
    }

    /// After a panic the state of the workspace is unknown, which is why it is loaded again; on failure it is replaced
    /// by an empty one.
    fn recover(&mut self) {
        tracing::error!("changing the workspace panicked; it is loaded again");
        if catch_unwind(AssertUnwindSafe(|| self.load())).is_err() {
            self.workspace = Workspace::from_text("empty.dlang", "");
            self.events.send(Event::Loaded).ok();
        }
    }
}

impl SnapshotRequest {
    fn answer(self, snapshot: Snapshot, model: &ModelHandle, events: &Sender<Event>) {
        let Method::Query { run, .. } = &*self.method else { return };
        if self.cancel.is_cancelled() {
            return;
        }
        // The snapshot is dropped before the answer is sent, because the next change waits for it.
        let outcome = catch_unwind(AssertUnwindSafe(|| run(snapshot, self.params.clone(), &self.cancel)));
        let result = match outcome {
            Ok(Err(RequestError::Cancelled)) if !self.is_second => {
                model.send(ModelCommand::Query(Self { is_second: true, ..self }));
                return;
            }
            Ok(answer) => answer.map_err(RequestError::into_response),
            Err(_) => {
                tracing::error!("{} panicked", self.name);
                Err(response_error(ErrorCode::InternalError, &format!("{} failed: a defect of the server", self.name)))
            }
        };
        // Without a main loop there is no client to answer.
        events.send(Event::Answered { serial: self.serial, result }).ok();
    }
}
