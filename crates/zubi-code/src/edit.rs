//! Edits: plan, preview, apply and undo. No other part of zubi changes a file of the workspace.
//!
//! zubi computes or refuses a server's edit as a whole ([`change::ComputedChange`], the final contents). It stores the
//! result as a plan with the hash of every text it was computed from ([`plan`]), shows it as a diff ([`diff`]), and
//! applies it only while these hashes match ([`apply`]). It stores the undo data before it touches the first file.

pub mod apply;
pub mod change;
pub mod diff;
mod error;
pub(crate) mod generated;
mod overlay;
pub mod plan;
pub mod replace;
mod splice;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use zubi_base::clock::Clock;
use zubi_base::lsp;
use zubi_base::position::Encoding;
use zubi_base::text::{
    ChangeLabel, ContentHash, EditOptions, EditOutcome, EditSink, FileOperation, Save, SinkError, TextOrigin,
    TextSource, quote_all,
};
use zubi_base::walk;
use zubi_base::workspace::WorkspaceFolders;

pub use self::apply::{DiskSink, EditorOrDiskSink, RecoveredChanges, take_recovery_notes};
pub use self::change::{ComputedChange, FileAction, NewText, ServerEdit};
pub use self::error::EditError;
pub use self::plan::{action_id, plan_id};

use self::apply::lock::EditLock;
use self::apply::prepare::{expected_after, matches_expected, prepare, undo_of};
use self::apply::recovery::RecoveryMemory;
use self::plan::{ExpectedContent, PlanState, PlanStore, StoredPlan, Undo};
use crate::worktrees::tree_of;

/// The maximum number of files that a note of a plan names.
const MAX_NAMED: usize = 4;

/// A change that zubi has computed and stored but not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The plan's id: `p-` and ten characters, valid for 24 hours.
    pub id: String,
    pub title: String,
    /// Unified diff with display paths, at most [`diff::MAX_DIFF_BYTES`] and one line.
    pub diff: String,
    /// Sorted by path.
    pub files: Vec<PlannedFile>,
    /// The number of text edits in all files.
    pub edit_count: usize,
    /// Notes for the reader before they apply the plan, one sentence each.
    pub notes: Vec<String>,
}

/// One file of a plan, with display paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    pub path: String,
    /// The path before the change, if it differs.
    pub old_path: Option<String>,
    pub operation: FileAction,
    pub edits: usize,
}

/// A change that was applied or undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedChange {
    /// The id of the plan, for `undo_edit` or to apply it again.
    pub plan: String,
    pub title: String,
    /// Every touched path once, in the order of the steps, with its last action.
    pub files: Vec<AppliedFile>,
    /// The display paths of files with unsaved changes in an open editor.
    pub unsaved: Vec<String>,
    /// Notes for the reader, one sentence each.
    pub notes: Vec<String>,
}

/// One path of an applied change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedFile {
    /// The absolute path, with which a caller can request diagnostics.
    pub path: Utf8PathBuf,
    /// The path as answers show it.
    pub display_path: String,
    /// The action: `written`, `created`, `removed`, `renamed from src/old.rs`.
    pub done: String,
}

/// Plans, applies and undoes the edits of one workspace. Cheap to clone.
#[derive(Clone)]
pub struct EditService {
    inner: Arc<Inner>,
}

struct Inner {
    workspace: Arc<WorkspaceFolders>,
    texts: Arc<dyn TextSource>,
    sink: Arc<dyn EditSink>,
    state_dir: Utf8PathBuf,
    store: PlanStore,
    memory: RecoveryMemory,
}

/// Names the first of some files, and counts the others.
fn name_first(files: &[String]) -> String {
    let named = quote_all(files.iter().take(MAX_NAMED));
    let more = files.len().checked_sub(MAX_NAMED).filter(|more| *more > 0);
    named + &more.map(|more| format!(" and {more} more")).unwrap_or_default()
}

impl EditService {
    pub fn new(
        workspace: Arc<WorkspaceFolders>,
        texts: Arc<dyn TextSource>,
        sink: Arc<dyn EditSink>,
        state_dir: &Utf8Path,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let store = PlanStore::new(state_dir, Arc::clone(&workspace), clock);
        let memory = RecoveryMemory::default();
        Self { inner: Arc::new(Inner { workspace, texts, sink, state_dir: state_dir.to_owned(), store, memory }) }
    }

    /// Plans one server's `WorkspaceEdit`, as the server sent it. Returns [`EditError::Nothing`] if it has no effect.
    pub async fn plan(&self, title: &str, edit: &Value, encoding: Encoding, by: &str) -> Result<Plan, EditError> {
        self.plan_combined(title, &[ServerEdit { edit, encoding }], by).await
    }

    /// Plans the edits of several servers, all for the same texts, as one plan; `by` names all servers.
    pub async fn plan_combined(&self, title: &str, edits: &[ServerEdit<'_>], by: &str) -> Result<Plan, EditError> {
        let workspace = &self.inner.workspace;
        let mut change = ComputedChange::from_workspace_edits(edits, &*self.inner.texts, workspace).await?;
        self.note_made_files(&mut change);
        self.store(title, &change, by)
    }

    /// Plans the whole new texts of several files as one plan. Each file must exist and have the text that it was computed
    /// from.
    pub async fn plan_texts(&self, title: &str, files: &[NewText], by: &str) -> Result<Plan, EditError> {
        let mut change = ComputedChange::from_texts(files, &*self.inner.texts, &self.inner.workspace).await?;
        self.note_made_files(&mut change);
        self.store(title, &change, by)
    }

    /// Adds notes about files that are not sources: those that git ignores and those that a generator writes.
    fn note_made_files(&self, change: &mut ComputedChange) {
        let workspace = &self.inner.workspace;
        let old_path = |file: &change::FileChange| file.old_path.as_ref().unwrap_or(&file.path).clone();
        let mut by_tree: BTreeMap<Utf8PathBuf, Vec<Utf8PathBuf>> = BTreeMap::new();
        for path in change.files.iter().map(old_path).filter(|path| path.exists()) {
            if let Some(tree) = tree_of(workspace, &path) {
                by_tree.entry(tree).or_default().push(path);
            }
        }
        let omitted: BTreeSet<_> =
            by_tree.into_iter().flat_map(|(tree, paths)| walk::find_omitted(&tree, paths)).collect();
        let ignored = change.files.iter().filter(|file| omitted.contains(&old_path(file)));
        let ignored: Vec<_> = ignored.map(|file| workspace.display(&file.path)).collect();
        let is_generated = |file: &&change::FileChange| {
            file.edits > 0 && file.before.as_ref().is_some_and(|text| generated::is_generated(&file.path, text))
        };
        let generated = change.files.iter().filter(is_generated).map(|file| workspace.display(&file.path));
        let generated: Vec<_> = generated.filter(|path| !ignored.contains(path)).collect();
        if !ignored.is_empty() {
            let named = name_first(&ignored);
            change.notes.push(format!("git ignores {named}: a build may write such files again"));
        }
        if !generated.is_empty() {
            let (named, is) = (name_first(&generated), if generated.len() == 1 { "is" } else { "are" });
            change
                .notes
                .push(format!("{named} {is} generated: the generator will undo the edits until its input changes"));
        }
    }

    /// Plans text edits of one file (formatting). `path` is absolute.
    pub async fn plan_text_edits(
        &self,
        title: &str,
        path: &Utf8Path,
        edits: Vec<lsp::TextEdit>,
        encoding: Encoding,
        by: &str,
    ) -> Result<Plan, EditError> {
        let (texts, workspace) = (&*self.inner.texts, &*self.inner.workspace);
        let change = ComputedChange::from_text_edits(path, &edits, encoding, texts, workspace).await?;
        self.store(title, &change, by)
    }

    /// Plans the whole new text of a file. `path` is absolute; `before` is the hash that its text must have now. With
    /// `None`, the file must not exist, and the plan creates its parent directories.
    pub async fn plan_text(
        &self,
        title: &str,
        path: &Utf8Path,
        before: Option<&ContentHash>,
        text: &str,
        by: &str,
    ) -> Result<Plan, EditError> {
        let change = ComputedChange::from_text(path, before, text, &*self.inner.texts, &self.inner.workspace).await?;
        self.store(title, &change, by)
    }

    fn store(&self, title: &str, change: &ComputedChange, by: &str) -> Result<Plan, EditError> {
        let workspace = &self.inner.workspace;
        let stored = self.inner.store.add(|id| StoredPlan {
            id: id.to_owned(),
            title: title.to_owned(),
            produced_by: by.to_owned(),
            operations: change.operations.clone(),
            based_on: change.based_on.clone(),
            state: PlanState::Planned,
        })?;
        let files = change.files.iter().map(|file| PlannedFile {
            path: workspace.display(&file.path),
            old_path: file.old_path.as_ref().map(|from| workspace.display(from)),
            operation: file.action,
            edits: file.edits,
        });
        Ok(Plan {
            id: stored.id,
            title: stored.title,
            diff: diff::unified_diff(change, workspace, diff::MAX_DIFF_BYTES),
            files: files.collect(),
            edit_count: change.files.iter().map(|file| file.edits).sum(),
            notes: change.notes.clone(),
        })
    }

    /// Returns the absolute paths of the files that a plan touches, before and after, each once. Files inside a
    /// directory that moves as a whole are not listed.
    pub fn files_of(&self, id: &str) -> Result<Vec<Utf8PathBuf>, EditError> {
        let plan = self.inner.store.plan(id)?;
        let mut files = BTreeSet::new();
        for operation in &plan.operations {
            match operation {
                FileOperation::Rename { from, to } => {
                    files.insert(from.clone());
                    files.insert(to.clone());
                }
                FileOperation::Write { path, .. } | FileOperation::Delete { path, .. } => {
                    files.insert(path.clone());
                }
                _ => {}
            }
        }
        Ok(files.into_iter().collect())
    }

    /// Returns the operations of a plan, or those that undo it.
    pub(crate) fn operations_of(&self, id: &str, undo: bool) -> Result<Vec<FileOperation>, EditError> {
        let plan = self.inner.store.plan(&plan_id(id)?)?;
        Ok(match plan.state {
            PlanState::Applied(applied) | PlanState::Applying(applied) if undo => applied.operations,
            _ => plan.operations,
        })
    }

    /// Applies a plan completely or not at all; `id` is its own id or its action's. Continues if the caller stops
    /// waiting.
    pub async fn apply(&self, id: &str) -> Result<AppliedChange, EditError> {
        self.apply_as(id, EditOptions::default()).await
    }

    /// Applies a plan with options for an open editor.
    pub async fn apply_as(&self, id: &str, options: EditOptions) -> Result<AppliedChange, EditError> {
        let (inner, id) = (Arc::clone(&self.inner), plan_id(id)?);
        run_detached(async move { inner.apply(&id, &options).await }).await
    }

    /// Undoes an applied plan: restores bytes, modes and links. Fails if a touched file has changed since.
    pub async fn undo(&self, id: &str) -> Result<AppliedChange, EditError> {
        let (inner, id) = (Arc::clone(&self.inner), plan_id(id)?);
        run_detached(async move { inner.undo(&id).await }).await
    }
}

/// Runs a future to its end even if the caller stops waiting: a change must not stop between its files.
async fn run_detached<T: Send + 'static>(
    future: impl Future<Output = Result<T, EditError>> + Send + 'static,
) -> Result<T, EditError> {
    match tokio::spawn(future).await {
        Ok(result) => result,
        Err(error) => Err(plan::state("the edit was interrupted", &error)),
    }
}

impl Inner {
    async fn apply(&self, id: &str, options: &EditOptions) -> Result<AppliedChange, EditError> {
        let _lock = EditLock::acquire(&self.state_dir).await?;
        self.recover_locked().await?;
        let mut plan = self.store.plan(id)?;
        let is_applied = match &plan.state {
            PlanState::Planned => false,
            // The process that undid the plan may have ended before it could record that.
            PlanState::Applied(undo) => self.all_hold(&undo.after).await || self.check_texts(&plan).await.is_err(),
            // The process that applied the plan ended before it could record that.
            PlanState::Applying(undo) => self.all_hold(&undo.after).await,
        };
        if is_applied {
            return Err(EditError::AlreadyApplied { id: id.to_owned() });
        }
        let unsaved = self.check_texts(&plan).await?;
        let prepared = prepare(&plan.operations, &unsaved).map_err(|error| self.sink_error(error))?;
        let after = expected_after(&plan.operations).map_err(|error| self.sink_error(error))?;
        let mut undo = Undo { operations: undo_of(&prepared), after, settings: options.undo_settings.clone() };
        plan.state = PlanState::Applying(undo.clone());
        self.store.update(&plan)?;
        let label = ChangeLabel { plan: plan.id.clone(), title: plan.title.clone(), is_undo: false };
        let outcome = match self.sink.apply(&plan.operations, &EditOptions { label, ..options.clone() }).await {
            Ok(outcome) => outcome,
            Err(error) => {
                if !error.may_have_written() {
                    plan.state = PlanState::Planned;
                    self.update_record(&plan);
                }
                return Err(self.sink_error(error));
            }
        };
        let mut applied = self.applied_change(&plan, &plan.operations);
        self.add_sink_outcome(&mut applied, &outcome, options.save, &plan.operations);
        self.update_undo(&mut undo, outcome).await;
        plan.state = PlanState::Applied(undo);
        self.update_record(&plan);
        Ok(applied)
    }

    /// Records a change that is made. The change itself has succeeded, and the files show its state as well as the record,
    /// so a full disk must not hide that.
    fn update_record(&self, plan: &StoredPlan) {
        if let Err(error) = self.store.update(plan) {
            tracing::warn!(%error, id = plan.id, "the record of a plan could not be updated");
        }
    }

    /// Adds the editor's changes and notes to an answer.
    fn add_sink_outcome(
        &self,
        applied: &mut AppliedChange,
        outcome: &EditOutcome,
        save: Save,
        operations: &[FileOperation],
    ) {
        let written = |path: &Utf8Path| {
            operations.iter().rev().find_map(|operation| match operation {
                FileOperation::Write { path: written, content, .. } if written == path => Some(content),
                _ => None,
            })
        };
        for changed in &outcome.changed {
            let display_path = self.workspace.display(&changed.path);
            match written(&changed.path) {
                Some(content) if *content == changed.after => {}
                Some(_) => applied.notes.push(format!(
                    "the editor saved another text of `{display_path}` than was requested: other line ends, or a change of its own on save"
                )),
                None => {
                    let done = "changed by an extension of the editor";
                    match applied.files.iter_mut().find(|listed| listed.path == changed.path) {
                        Some(listed) => listed.done = format!("{}, {done}", listed.done),
                        None => applied.files.push(AppliedFile {
                            path: changed.path.clone(),
                            display_path,
                            done: done.to_owned(),
                        }),
                    }
                }
            }
        }
        applied.unsaved = outcome.unsaved.iter().map(|path| self.workspace.display(path)).collect();
        if !applied.unsaved.is_empty() {
            let files = quote_all(&applied.unsaved);
            applied.notes.push(match save {
                Save::Unopened => format!("not saved, for it is open in the editor: {files}"),
                Save::Clean => format!("not saved, for it had unsaved changes: {files}"),
                Save::All => format!("the editor could not save {files}"),
            });
        }
        applied.notes.extend(outcome.typed.iter().map(|path| {
            let display_path = self.workspace.display(path);
            format!("the user typed into `{display_path}` meanwhile: it is neither saved nor taken back; read it again")
        }));
        applied.notes.extend(outcome.notes.iter().cloned());
    }

    /// Updates the undo data with the changes that the editor and its extensions made. Ignores files outside the
    /// workspace.
    async fn update_undo(&self, undo: &mut Undo, outcome: EditOutcome) {
        for changed in outcome.changed.into_iter().filter(|changed| self.workspace.contains(&changed.path)) {
            let now = ContentHash::from_bytes(&changed.after);
            let expected = ExpectedContent::Content(now.clone());
            match undo.after.iter_mut().find(|(path, _)| *path == changed.path) {
                Some((_, after)) => *after = expected,
                None => undo.after.push((changed.path.clone(), expected)),
            }
            let back = undo.operations.iter_mut().find_map(|operation| match operation {
                FileOperation::Write { path, before: Some(before), .. } if *path == changed.path => Some(before),
                _ => None,
            });
            match back {
                Some(before) => *before = now,
                // First, because the path is the one before any undo step moves the file.
                None => undo
                    .operations
                    .insert(0, FileOperation::Write { path: changed.path, before: Some(now), content: changed.before }),
            }
        }
        // An unsaved text moved along with its file.
        for (path, expected) in &mut undo.after {
            if matches!(expected, ExpectedContent::Content(_))
                && !undo
                    .operations
                    .iter()
                    .any(|operation| matches!(operation, FileOperation::Write { .. }) && operation.path() == path)
                && let Ok(text) = self.texts.read(path).await
                && matches!(text.origin, TextOrigin::Editor { .. })
            {
                *expected = ExpectedContent::Content(text.hash());
            }
        }
    }

    async fn undo(&self, id: &str) -> Result<AppliedChange, EditError> {
        let _lock = EditLock::acquire(&self.state_dir).await?;
        self.recover_locked().await?;
        let mut plan = self.store.plan(id)?;
        let undo = match plan.state.clone() {
            PlanState::Applied(undo) => undo,
            PlanState::Applying(undo) if self.all_hold(&undo.after).await => undo,
            PlanState::Planned | PlanState::Applying(_) => return Err(EditError::NotApplied { id: id.to_owned() }),
        };
        let changed =
            |path: &Utf8Path| EditError::ChangedSinceApply { id: id.to_owned(), path: self.workspace.display(path) };
        for (path, expected) in &undo.after {
            if !self.holds_now(path, expected).await {
                return Err(changed(path));
            }
        }
        let label = ChangeLabel { plan: plan.id.clone(), title: plan.title.clone(), is_undo: true };
        let options = EditOptions { label, settings: undo.settings.clone(), exact: true, ..EditOptions::default() };
        let outcome = self.sink.apply(&undo.operations, &options).await.map_err(|error| match &error {
            SinkError::Changed { path } | SinkError::Exists { path } => changed(path),
            _ => self.sink_error(error),
        })?;
        plan.state = PlanState::Planned;
        self.update_record(&plan);
        let mut applied = self.applied_change(&plan, &undo.operations);
        self.add_sink_outcome(&mut applied, &outcome, options.save, &undo.operations);
        Ok(applied)
    }

    /// Returns the unsaved texts of files that are open in an editor, by the path to which they will be written. Fails
    /// if a text from which the plan was computed has changed.
    async fn check_texts(&self, plan: &StoredPlan) -> Result<BTreeMap<Utf8PathBuf, Vec<u8>>, EditError> {
        let mut unsaved = BTreeMap::new();
        for text in &plan.based_on {
            let changed = || EditError::Changed { path: self.workspace.display(&text.path) };
            let now = self.texts.read(&text.path).await.map_err(|_| changed())?;
            if now.hash() != text.hash {
                return Err(changed());
            }
            if matches!(now.origin, TextOrigin::Editor { .. })
                && let Some(path) = overlay::forward_through(&plan.operations, &text.path)
            {
                unsaved.insert(path, now.bytes());
            }
        }
        Ok(unsaved)
    }

    async fn all_hold(&self, expected: &[(Utf8PathBuf, ExpectedContent)]) -> bool {
        for (path, expected) in expected {
            if !self.holds_now(path, expected).await {
                return false;
            }
        }
        true
    }

    /// Whether a path has the expected content, in the editor if it is open there, otherwise on disk.
    async fn holds_now(&self, path: &Utf8Path, expected: &ExpectedContent) -> bool {
        if let ExpectedContent::Content(hash) = expected
            && let Ok(text) = self.texts.read(path).await
            && matches!(text.origin, TextOrigin::Editor { .. })
        {
            return text.hash() == *hash;
        }
        matches_expected(path, expected)
    }

    fn sink_error(&self, error: SinkError) -> EditError {
        match error {
            SinkError::Changed { path } => EditError::Changed { path: self.workspace.display(&path) },
            other => EditError::Sink(other.map_path(|path| self.workspace.display(path).into())),
        }
    }

    fn applied_change(&self, plan: &StoredPlan, operations: &[FileOperation]) -> AppliedChange {
        let mut files: Vec<AppliedFile> = Vec::new();
        for operation in operations {
            let done = match operation {
                FileOperation::Write { before: Some(_), .. } => "written".to_owned(),
                FileOperation::Write { before: None, .. } | FileOperation::CreateLink { .. } => "created".to_owned(),
                FileOperation::Rename { from, .. } => format!("renamed from {}", self.workspace.display(from)),
                FileOperation::Delete { .. } => "removed".to_owned(),
                FileOperation::CreateDirectory { .. } => "directory created".to_owned(),
                FileOperation::RemoveDirectory { .. } => "directory removed".to_owned(),
                FileOperation::SetMode { .. } => continue,
            };
            let path = operation.path();
            let file = AppliedFile { path: path.to_owned(), display_path: self.workspace.display(path), done };
            match files.iter_mut().find(|listed| listed.path == file.path) {
                // Such a file was both moved and written.
                Some(listed) if listed.done.starts_with("renamed") && file.done == "written" => {
                    listed.done.push_str(", written");
                }
                Some(listed) => *listed = file,
                None => files.push(file),
            }
        }
        AppliedChange {
            plan: plan.id.clone(),
            title: plan.title.clone(),
            files,
            unsaved: Vec::new(),
            notes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
