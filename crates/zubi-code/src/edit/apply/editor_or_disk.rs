//! The edit sink for an open editor: changes the files that the editor has open in the editor, all others on disk.
//!
//! A change has three parts, in this order: steps on disk; steps in the editor; and steps on disk that must follow the
//! editor's, because they concern a path that the editor moves a file from or to. The journal makes each disk part
//! atomic, and the editor applies text edits completely or not at all. If a part fails, zubi reverts the parts before
//! it.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::text::{
    EditOptions, EditOutcome, EditSink, EditorSink, FileOperation, SinkError, TextOrigin, TextSource,
};

use super::disk::DiskSink;
use super::prepare::{ReversibleStep, prepare, undo_of};
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

    fn sink(&self, part: WritePart) -> &dyn EditSink {
        match part {
            WritePart::Disk | WritePart::DiskAfterwards => &self.disk,
            WritePart::Editor => &*self.editor,
        }
    }

    /// Undoes the applied parts after a failure, the last first.
    async fn revert(&self, applied: &[(WritePart, Vec<ReversibleStep>)], error: SinkError) -> SinkError {
        let options = EditOptions { exact: true, ..EditOptions::default() };
        for (part, steps) in applied.iter().rev() {
            if let Err(cause) = self.sink(*part).apply(&undo_of(steps), &options).await {
                let path = steps.first().map(|step| step.operation.path().to_owned()).unwrap_or_default();
                return SinkError::Stuck { path, source: std::io::Error::other(error), unrestored: cause.to_string() };
            }
        }
        error
    }
}

#[async_trait]
impl EditSink for EditorOrDiskSink {
    async fn apply(&self, operations: &[FileOperation], options: &EditOptions) -> Result<EditOutcome, SinkError> {
        let parts = self.parts(operations, options);
        if !parts.contains(&WritePart::Editor) {
            return self.disk.apply(operations, options).await;
        }
        let steps = prepare(operations, &self.unsaved_contents(operations).await)?;
        let mut applied: Vec<(WritePart, Vec<ReversibleStep>)> = Vec::new();
        let mut outcome = EditOutcome::default();
        for part in PARTS {
            let part_steps = steps.iter().zip(&parts).filter(|(_, of)| **of == part).map(|(step, _)| step.clone());
            let steps: Vec<ReversibleStep> = part_steps.collect();
            if steps.is_empty() {
                continue;
            }
            let operations: Vec<FileOperation> = steps.iter().map(|step| step.operation.clone()).collect();
            match self.sink(part).apply(&operations, options).await {
                Ok(done) => outcome.merge(done),
                Err(error) => return Err(self.revert(&applied, error).await),
            }
            applied.push((part, steps));
        }
        Ok(outcome)
    }
}
