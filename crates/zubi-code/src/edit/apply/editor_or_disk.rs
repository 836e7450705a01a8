//! The edit sink for an open editor: changes the files that the editor has open in the editor, all others on disk.
//!
//! A change has three parts, in this order: steps on disk; steps in the editor; and steps on disk that must follow the
//! editor's, because they concern a path that the editor moves a file from or to. One journal has all parts, and the
//! editor applies text edits completely or not at all. If a part fails or the process ends, zubi reverts the parts
//! before it.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::text::{
    EditOptions, EditOutcome, EditSink, EditorSink, FileOperation, SinkError, TextOrigin, TextSource,
};

use super::disk::{self, DiskSink};
use super::journal::{EditJournal, JournalPart};
use super::prepare::{ReversibleStep, prepare, undo_of};
use super::unrestored::{Obstacle, UnrestoredFile};
use crate::edit::overlay::disk_before;

/// A sink that writes to the editor or disk. The caller must hold the edit lock, as [`crate::edit::EditService`] does.
pub struct EditorOrDiskSink {
    disk: DiskSink,
    editor: Arc<dyn EditorSink>,
    texts: Arc<dyn TextSource>,
}

/// The parts of a change, in the order of application.
const PARTS: [WritePart; 3] = [WritePart::Disk, WritePart::Editor, WritePart::DiskAfterwards];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WritePart {
    Disk,
    Editor,
    DiskAfterwards,
}

impl EditorOrDiskSink {
    pub fn new(disk: DiskSink, editor: Arc<dyn EditorSink>, texts: Arc<dyn TextSource>) -> Self {
        Self { disk, editor, texts }
    }

    /// Returns the part to which each operation belongs.
    fn parts(&self, operations: &[FileOperation], options: &EditOptions) -> Vec<WritePart> {
        let mut parts = Vec::with_capacity(operations.len());
        // Source and target paths of the files that the editor moves.
        let mut moved: Vec<&Utf8Path> = Vec::new();
        for (index, operation) in operations.iter().enumerate() {
            let done = operations.get(..index).unwrap_or_default();
            let is_open = |path| disk_before(done, path).is_some_and(|path| self.editor.has_open(&path));
            let path = operation.path();
            let is_editors = match operation {
                FileOperation::Write { before: Some(_), .. } => {
                    is_open(path) || moved.iter().any(|moved| path.starts_with(moved))
                }
                FileOperation::Rename { from, .. } => options.followed || is_open(from),
                FileOperation::Delete { .. } => is_open(path),
                _ => false,
            };
            let overlaps = |moved: &&Utf8Path| path.starts_with(moved) || moved.starts_with(path);
            parts.push(match is_editors {
                true => WritePart::Editor,
                false if moved.iter().any(overlaps) => WritePart::DiskAfterwards,
                false => WritePart::Disk,
            });
            if is_editors && !matches!(operation, FileOperation::Write { .. }) {
                moved.push(path);
                if let FileOperation::Rename { from, .. } = operation {
                    moved.push(from);
                }
            }
        }
        parts
    }

    /// Returns the editor's unsaved contents of the files that a change writes, by target path.
    async fn unsaved_contents(&self, operations: &[FileOperation]) -> BTreeMap<Utf8PathBuf, Vec<u8>> {
        let mut unsaved = BTreeMap::new();
        for (index, operation) in operations.iter().enumerate() {
            if let FileOperation::Write { path, before: Some(_), .. } = operation
                && let Some(now) = disk_before(operations.get(..index).unwrap_or_default(), path)
                && let Ok(text) = self.texts.read(&now).await
                && matches!(text.origin, TextOrigin::Editor { .. })
            {
                unsaved.insert(path.clone(), text.bytes());
            }
        }
        unsaved
    }

    /// Makes the steps of one part and records them in the journal.
    async fn write(
        &self,
        journal: &mut Option<EditJournal>,
        part: JournalPart,
        options: &EditOptions,
    ) -> Result<EditOutcome, SinkError> {
        let (operations, is_editors) = (part.operations(), part.is_editors);
        let first = operations.first().map(|operation| operation.path().to_owned()).unwrap_or_default();
        let io = |source| SinkError::Io { path: first.clone(), source };
        match journal {
            Some(journal) => journal.add_part(part).map_err(io)?,
            None => *journal = Some(EditJournal::begin(self.disk.state_dir(), part).map_err(io)?),
        }
        if is_editors {
            let outcome = self.editor.apply(&operations, options).await?;
            if let Some(journal) = journal {
                operations.iter().try_for_each(|_| journal.mark_done()).map_err(io)?;
            }
            return Ok(outcome);
        }
        let Some(mut taken) = journal.take() else { return Ok(EditOutcome::default()) };
        let disk = self.disk.clone();
        let written = tokio::task::spawn_blocking(move || {
            let result = disk.execute(&mut taken);
            (taken, result)
        });
        let interrupted = |error| SinkError::Refused { reason: format!("the write was interrupted: {error}") };
        let (taken, result) = written.await.map_err(interrupted)?;
        *journal = Some(taken);
        result.map(|()| EditOutcome::default())
    }

    /// Undoes the parts before a failure, the last first. The editor has reverted its own part if it failed.
    async fn revert(&self, journal: EditJournal, error: SinkError) -> SinkError {
        let mut journal = journal;
        let mut unrestored = Vec::new();
        let last = journal.parts.len().saturating_sub(1);
        let is_editors =
            |journal: &EditJournal, part: usize| journal.parts.get(part).is_some_and(|part| part.is_editors);
        if is_editors(&journal, last) && !journal.is_part_done(last) {
            journal.mark_part_undone(last);
        }
        for part in (0..=last).rev() {
            if is_editors(&journal, part) && journal.is_part_done(part) {
                unrestored.extend(revert_editors_part(&mut journal, part, &*self.editor).await);
            } else if !is_editors(&journal, part) {
                unrestored.extend(journal.revert_part(part, 0).1);
            }
        }
        disk::end_failed(journal, &unrestored, error)
    }
}

/// Reverts the part of a change that the editor has made.
pub(super) async fn revert_editors_part(
    journal: &mut EditJournal,
    part: usize,
    editor: &dyn EditorSink,
) -> Vec<UnrestoredFile> {
    let undo = journal.parts.get(part).map(|part| undo_of(&part.steps)).unwrap_or_default();
    let options = EditOptions { exact: true, ..EditOptions::default() };
    match editor.apply(&undo, &options).await {
        Ok(_) => {
            journal.mark_part_undone(part);
            Vec::new()
        }
        Err(cause) => {
            let obstacle = Obstacle::Editor(cause.to_string());
            undo.into_iter().map(|operation| UnrestoredFile { operation, obstacle: obstacle.clone() }).collect()
        }
    }
}

#[async_trait]
impl EditSink for EditorOrDiskSink {
    async fn apply(&self, operations: &[FileOperation], options: &EditOptions) -> Result<EditOutcome, SinkError> {
        let parts = self.parts(operations, options);
        let present: Vec<WritePart> = PARTS.into_iter().filter(|part| parts.contains(part)).collect();
        match present.as_slice() {
            [] | [WritePart::Disk] => return self.disk.apply(operations, options).await,
            // The editor makes its part completely or not at all, so there is nothing to record.
            [WritePart::Editor] => return self.editor.apply(operations, options).await,
            _ => {}
        }
        let steps = prepare(operations, &self.unsaved_contents(operations).await)?;
        let mut journal = None;
        let mut outcome = EditOutcome::default();
        for part in &present {
            let part_steps = steps.iter().zip(&parts).filter(|(_, of)| *of == part).map(|(step, _)| step.clone());
            let part_steps: Vec<ReversibleStep> = part_steps.collect();
            let part_steps = if *part == WritePart::Editor {
                Ok(part_steps)
            } else {
                // As the disk is now: other parts may have made or removed directories.
                let operations: Vec<_> = part_steps.into_iter().map(|step| step.operation).collect();
                prepare(&operations, &BTreeMap::new())
            };
            let result = match part_steps {
                Ok(part_steps) => {
                    let mut journal_part = JournalPart::new(part_steps, &options.label);
                    journal_part.is_editors = *part == WritePart::Editor;
                    journal_part.is_last = Some(part) == present.last();
                    self.write(&mut journal, journal_part, options).await
                }
                Err(error) => Err(error),
            };
            match (result, journal.take()) {
                (Ok(done), kept) => {
                    outcome.merge(done);
                    journal = kept;
                }
                (Err(error), Some(journal)) => return Err(self.revert(journal, error).await),
                (Err(error), None) => return Err(error),
            }
        }
        if let Some(mut journal) = journal {
            if let Err(error) = self.disk.commit(&mut journal) {
                return Err(self.revert(journal, error).await);
            }
            disk::remove_finished(journal);
        }
        Ok(outcome)
    }

    fn editor(&self) -> Option<&dyn EditorSink> {
        Some(&*self.editor)
    }
}
