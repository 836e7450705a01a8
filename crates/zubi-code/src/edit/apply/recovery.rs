//! Recovers the changes that an ended process left unfinished: reverts them, or leaves them if they were complete.
//!
//! A host calls [`EditService::recover_now`] when it is built and [`EditService::recover`] before it answers, so that no
//! answer is about half of a change. A host recovers only changes of its own folders: the files of other ones may be out
//! of its reach, as in a container. A journal whose files cannot be written now stays for the next attempt.

use std::io;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::sync::lock;
use zubi_base::text::{ContentHash, FileOperation, pluralize, quote_all};

use super::disk::remove_finished;
use super::editor_or_disk::revert_editors_part;
use super::journal::{self, EditJournal, InvalidJournal, JournalPart, directory};
use super::lock::EditLock;
use super::notes::{self, NoteTarget};
use super::sweep::{is_temporary, sweep_directory, sweep_temporary};
use super::unrestored::{CONFLICT_EXTENSION, RevertOutcome, UnrestoredFile, end_journal};
use crate::edit::error::EditError;
use crate::edit::overlay::{EntryKind, kind_on_disk};
use crate::edit::plan::state;
use crate::edit::{EditService, Inner};

/// The time between two attempts to restore files that could not be written.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// The changes that one attempt has recovered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecoveredChanges {
    /// The number of unfinished changes that were undone completely.
    pub reverted: usize,
    /// One sentence for each change that could not be undone completely because files had changed since.
    pub unrestored: Vec<String>,
    /// One sentence for each change that waits for a later attempt, and for each journal that cannot be read.
    pub pending: Vec<String>,
}

/// The memory of a service about earlier attempts.
#[derive(Debug, Default)]
pub(in crate::edit) struct RecoveryMemory {
    /// Whether this process has once waited for the end of another one's change.
    has_waited: Mutex<bool>,
    /// The time of the last attempt that left something.
    failed_at: Mutex<Option<Instant>>,
    /// The changes that still wait, and whether an answer has delivered this text.
    waiting: Mutex<(Vec<String>, bool)>,
}

/// The files beside the journals.
struct JournalScan {
    /// The newest first: a later change was made on the files as an earlier one had left them.
    journals: Vec<Utf8PathBuf>,
    has_temporary: bool,
}

impl JournalScan {
    fn read(state_dir: &Utf8Path) -> io::Result<Self> {
        let mut scan = Self { journals: Vec::new(), has_temporary: false };
        let entries = match directory(state_dir).read_dir_utf8() {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(scan),
            Err(error) => return Err(error),
        };
        for entry in entries.filter_map(Result::ok) {
            scan.has_temporary |= is_temporary(entry.file_name());
            if entry.path().extension() == Some(journal::EXTENSION) {
                scan.journals.push(entry.into_path());
            }
        }
        let written = |path: &Utf8PathBuf| {
            path.metadata().and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
        };
        scan.journals.sort_by_cached_key(|path| (std::cmp::Reverse(written(path)), path.clone()));
        Ok(scan)
    }

    fn is_empty(&self) -> bool {
        self.journals.is_empty() && !self.has_temporary
    }
}

impl EditService {
    /// Recovers the unfinished changes of the workspace whose steps are all on disk. Does nothing while another process
    /// is applying an edit. Cheap if there is no journal.
    pub fn recover_now(&self) -> Result<RecoveredChanges, EditError> {
        let inner = &self.inner;
        if inner.scan()?.is_empty() {
            return Ok(RecoveredChanges::default());
        }
        let Some(_lock) = EditLock::try_acquire(&inner.state_dir)? else { return Ok(RecoveredChanges::default()) };
        let mut recovered = RecoveredChanges::default();
        for path in inner.begin_recovery()? {
            let Some(journal) = inner.open_journal(&path, &mut recovered)? else { continue };
            if !(journal.has_editors_part() && inner.sink.editor().is_some()) {
                inner.recover_on_disk(journal, &mut recovered);
            }
        }
        inner.remember(&recovered);
        Ok(recovered)
    }

    /// Recovers the unfinished changes of the workspace. The first call of a process waits until another process that is
    /// applying an edit is done, because that process may have been killed and may be about to end. Cheap if there is no
    /// journal.
    pub async fn recover(&self) -> Result<RecoveredChanges, EditError> {
        let inner = &self.inner;
        let is_recent = |failed_at: Instant| failed_at.elapsed() < RETRY_INTERVAL;
        if inner.scan()?.is_empty() || lock(&inner.memory.failed_at).is_some_and(is_recent) {
            return Ok(RecoveredChanges::default());
        }
        let _lock = match EditLock::try_acquire(&inner.state_dir)? {
            Some(lock) => lock,
            None if !std::mem::replace(&mut *lock(&inner.memory.has_waited), true) => {
                match EditLock::acquire(&inner.state_dir).await {
                    Ok(lock) => lock,
                    Err(EditError::Busy { .. }) => return Ok(RecoveredChanges::default()),
                    Err(error) => return Err(error),
                }
            }
            None => return Ok(RecoveredChanges::default()),
        };
        inner.recover_locked().await
    }

    /// Whether there may be notes for [`Self::take_recovery_notes`].
    pub fn has_recovery_notes(&self) -> bool {
        let waiting = lock(&self.inner.memory.waiting);
        !waiting.1 && !waiting.0.is_empty() || !notes::find_notes(&self.inner.state_dir).is_empty()
    }

    /// Returns the notes about recovered changes of the workspace that no answer has delivered, each as a clause.
    pub fn take_recovery_notes(&self) -> Vec<String> {
        let inner = &self.inner;
        let mut taken = notes::take_recovery_notes(&inner.state_dir, |path| inner.workspace.contains(path));
        let mut waiting = lock(&inner.memory.waiting);
        if !std::mem::replace(&mut waiting.1, true) {
            taken.extend(waiting.0.iter().cloned());
        }
        taken
    }

    /// Returns one sentence for each change, of any workspace, that waits for its recovery, and for each one whose old
    /// texts are stored because files had changed since. For the user's own look at the state.
    pub fn describe_journals(&self) -> Vec<String> {
        let directory = directory(&self.inner.state_dir);
        let Ok(Some(_lock)) = EditLock::try_acquire(&self.inner.state_dir) else { return Vec::new() };
        let Ok(entries) = directory.read_dir_utf8() else { return Vec::new() };
        let mut paths: Vec<_> = entries.filter_map(Result::ok).map(camino::Utf8DirEntry::into_path).collect();
        paths.sort();
        let describe = |path: Utf8PathBuf| match path.extension()? {
            journal::EXTENSION => {
                let journal = EditJournal::read(&path).ok()?.ok()?;
                let first = journal.paths().first().map(ToString::to_string).unwrap_or_default();
                Some(format!(
                    "{} was interrupted and waits for zubi's next start in that folder: `{first}` and others; journal `{path}`",
                    name(&journal)
                ))
            }
            CONFLICT_EXTENSION => Some(format!(
                "an interrupted edit could not be undone completely; `{path}` has the old texts, remove it when you need them no longer"
            )),
            _ => None,
        };
        paths.into_iter().filter_map(describe).collect()
    }
}

impl Inner {
    fn scan(&self) -> Result<JournalScan, EditError> {
        JournalScan::read(&self.state_dir).map_err(|error| state("the journal directory cannot be read", &error))
    }

    /// Removes temporary files of zubi's own state, and returns the journals. The caller holds the lock.
    fn begin_recovery(&self) -> Result<Vec<Utf8PathBuf>, EditError> {
        sweep_directory(&directory(&self.state_dir));
        sweep_directory(self.store.directory());
        Ok(self.scan()?.journals)
    }

    /// Recovers the unfinished changes of the workspace. The caller holds the lock.
    pub(in crate::edit) async fn recover_locked(&self) -> Result<RecoveredChanges, EditError> {
        let mut recovered = RecoveredChanges::default();
        for path in self.begin_recovery()? {
            let Some(journal) = self.open_journal(&path, &mut recovered)? else { continue };
            if journal.has_editors_part() && self.sink.editor().is_some() {
                self.recover_in_editor(journal, &mut recovered).await;
            } else {
                self.recover_on_disk(journal, &mut recovered);
            }
        }
        self.remember(&recovered);
        Ok(recovered)
    }

    fn remember(&self, recovered: &RecoveredChanges) {
        *lock(&self.memory.failed_at) = (!recovered.pending.is_empty()).then(Instant::now);
        let mut waiting = lock(&self.memory.waiting);
        if waiting.0 != recovered.pending {
            *waiting = (recovered.pending.clone(), false);
        }
    }

    /// Reads a journal of this workspace. `None` if it belongs to another one or cannot be read.
    fn open_journal(
        &self,
        path: &Utf8Path,
        recovered: &mut RecoveredChanges,
    ) -> Result<Option<EditJournal>, EditError> {
        let fail = |error: io::Error| state(&format!("the journal `{path}` cannot be worked off"), &error);
        let invalid = match EditJournal::read(path) {
            Ok(Ok(journal)) => {
                let is_ours = journal.paths().into_iter().any(|path| self.workspace.contains(path));
                return Ok(is_ours.then_some(journal));
            }
            Ok(Err(invalid)) => invalid,
            // Another process has just worked it off.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        let problem = match invalid {
            InvalidJournal::TooLarge => "is too large to be read",
            InvalidJournal::Unparsable => "cannot be parsed",
        };
        std::fs::rename(path, path.with_extension(CONFLICT_EXTENSION)).map_err(fail)?;
        recovered
            .pending
            .push(format!("the journal `{path}` {problem}; it was renamed with the extension `.{CONFLICT_EXTENSION}`"));
        Ok(None)
    }

    fn recover_on_disk(&self, mut journal: EditJournal, recovered: &mut RecoveredChanges) {
        sweep_temporary(journal.steps());
        if journal.is_committed()
            || (ends_in_editor(&journal) && editors_operations(&journal).iter().all(holds_on_disk))
        {
            return end_complete(journal);
        }
        let (mut reverted, mut unrestored) = (0, Vec::new());
        for part in (0..journal.parts.len()).rev() {
            let (steps, failed) = journal.revert_part(part, 0);
            reverted += steps;
            unrestored.extend(failed);
        }
        let doubtful = editors_operations(&journal);
        self.end_reverted(journal, reverted, &unrestored, &doubtful, recovered);
    }

    async fn recover_in_editor(&self, mut journal: EditJournal, recovered: &mut RecoveredChanges) {
        let Some(editor) = self.sink.editor() else { return };
        sweep_temporary(journal.steps());
        let mut texts = Vec::new();
        for operation in editors_operations(&journal) {
            texts.push(self.holds_in_editor(&operation).await);
        }
        let is_made = !texts.is_empty() && texts.iter().all(|holds| *holds);
        if journal.is_committed() || (is_made && ends_in_editor(&journal)) {
            return end_complete(journal);
        }
        let (mut reverted, mut unrestored) = (0, Vec::new());
        for part in (0..journal.parts.len()).rev() {
            if journal.parts.get(part).is_some_and(|part| part.is_editors) && is_made {
                let failed = revert_editors_part(&mut journal, part, editor).await;
                reverted +=
                    if failed.is_empty() { journal.parts.get(part).map_or(0, |part| part.steps.len()) } else { 0 };
                unrestored.extend(failed);
            } else {
                let (steps, failed) = journal.revert_part(part, 0);
                reverted += steps;
                unrestored.extend(failed);
            }
        }
        let is_doubtful = !is_made && texts.contains(&true);
        let doubtful = if is_doubtful { editors_operations(&journal) } else { Vec::new() };
        self.end_reverted(journal, reverted, &unrestored, &doubtful, recovered);
    }

    /// Whether the effect of an editor's step is visible, in the editor or on disk.
    async fn holds_in_editor(&self, operation: &FileOperation) -> bool {
        match operation {
            FileOperation::Write { path, content, .. } => match self.texts.read(path).await {
                Ok(text) => text.hash() == ContentHash::from_bytes(content),
                Err(_) => false,
            },
            other => holds_on_disk(other),
        }
    }

    /// Ends a change that was reverted as far as possible. `doubtful` are files whose text in the editor is unknown.
    fn end_reverted(
        &self,
        journal: EditJournal,
        reverted: usize,
        unrestored: &[UnrestoredFile],
        doubtful: &[FileOperation],
        recovered: &mut RecoveredChanges,
    ) {
        let (name, label, target) = (name(&journal), journal.label(), NoteTarget::new(&journal));
        let path = journal.path().to_owned();
        let display = |path: &Utf8Path| self.workspace.display(path);
        if unrestored.is_empty() {
            let steps = pluralize(journal.steps().count(), "step");
            let mut text = format!("{name} was interrupted and is undone: {reverted} of {steps} reverted");
            if !doubtful.is_empty() {
                let files = quote_all(doubtful.iter().map(|operation| display(operation.path())));
                text = format!("{text}; check the unsaved text of {files} in the editor");
            }
            match (label.plan.as_str(), label.is_undo) {
                ("", _) => {}
                (plan, false) => text = format!("{text}; apply_edit {{\"plan\":\"{plan}\"}} makes it again"),
                (plan, true) => text = format!("{text}; undo_edit {{\"plan\":\"{plan}\"}} undoes the edit"),
            }
            // Before the journal is removed, so that no interruption loses the note.
            target.store(&text);
            end_journal(journal, &[], &display);
            recovered.reverted += 1;
            return;
        }
        match end_journal(journal, unrestored, &display) {
            RevertOutcome::Restored => {}
            RevertOutcome::Pending(files) => recovered.pending.push(format!(
                "{name} was interrupted, and these files are not restored yet: {files}. zubi tries again at later calls; `{path}` has the old texts"
            )),
            RevertOutcome::Conflict(files) => {
                let text = format!("{name} was interrupted and is undone, except for files that stay as they are: {files}");
                target.store(&text);
                recovered.unrestored.push(text);
            }
        }
    }
}

/// Ends a change that was complete before its process ended.
fn end_complete(journal: EditJournal) {
    let files = pluralize(journal.paths().len(), "file");
    let label = journal.label();
    let next = match (label.plan.as_str(), label.is_undo) {
        ("", _) => String::new(),
        (plan, false) => format!("; undo_edit {{\"plan\":\"{plan}\"}} undoes it"),
        (plan, true) => format!("; apply_edit {{\"plan\":\"{plan}\"}} makes the edit again"),
    };
    let text = format!("{} was complete before its process was ended: {files} changed{next}", name(&journal));
    NoteTarget::new(&journal).store(&text);
    remove_finished(journal);
}

/// Whether the effect of a step is visible on disk.
fn holds_on_disk(operation: &FileOperation) -> bool {
    match operation {
        FileOperation::Write { path, content, .. } => {
            zubi_base::fs::read_bytes(path).is_ok_and(|bytes| bytes == *content)
        }
        FileOperation::Rename { from, to } => {
            kind_on_disk(from) == EntryKind::Missing && kind_on_disk(to) != EntryKind::Missing
        }
        FileOperation::Delete { path, .. } | FileOperation::RemoveDirectory { path } => {
            kind_on_disk(path) == EntryKind::Missing
        }
        FileOperation::CreateDirectory { path }
        | FileOperation::CreateLink { path, .. }
        | FileOperation::SetMode { path, .. } => kind_on_disk(path) != EntryKind::Missing,
    }
}

/// Whether a change ends in the editor. It may be complete although its end is not recorded.
fn ends_in_editor(journal: &EditJournal) -> bool {
    journal.parts.last().is_some_and(|part| part.is_editors && part.is_last)
}

/// Returns the steps that the open editor makes.
fn editors_operations(journal: &EditJournal) -> Vec<FileOperation> {
    journal.parts.iter().filter(|part| part.is_editors).flat_map(JournalPart::operations).collect()
}

/// Names a change for a message.
fn name(journal: &EditJournal) -> String {
    let label = journal.label();
    let kind = if label.is_undo { "the undo of an edit" } else { "an edit" };
    match (label.title.as_str(), label.plan.as_str()) {
        ("", _) => kind.to_owned(),
        (title, plan) => format!("{kind} ({title}, {plan})"),
    }
}
