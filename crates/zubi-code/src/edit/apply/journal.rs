//! The journal of a change in progress, from which zubi undoes an unfinished change.
//!
//! A journal is one file under `<state>/journal/`. Its first line, durable before the first step, holds the first part of
//! the change: its steps and their inverses, with the old contents. Then comes a line for each step that is done (`done
//! 0`) or undone (`undone 0`), and `committed` at the end, after which zubi removes the file. So at most one step is in
//! doubt at any time, and the content on disk shows whether it was made. A change that an open editor makes in part has
//! further parts, each in a line `part {…}` that is durable before the part begins; the steps of all parts are counted
//! together.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use zubi_base::owner_only;
use zubi_base::text::{ChangeLabel, FileOperation, SinkError};

use super::prepare::ReversibleStep;
use super::step;
use super::unrestored::{Obstacle, UnrestoredFile};
use crate::edit::plan::fresh_id;

/// The maximum size of a journal that is read: the old and new contents of a change, with JSON escapes.
pub(in crate::edit) const MAX_JOURNAL_BYTES: u64 = 12 * crate::edit::change::MAX_CHANGE_BYTES;
/// The extension of the journals of changes in progress.
pub(in crate::edit) const EXTENSION: &str = "journal";

/// The steps that are made one after the other, on disk or in the open editor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::edit) struct JournalPart {
    version: u32,
    /// Only in the first part.
    #[serde(default)]
    label: ChangeLabel,
    pub(super) steps: Vec<ReversibleStep>,
    /// Whether the open editor applies the steps, as one edit.
    #[serde(default)]
    pub(super) is_editors: bool,
    /// Whether this is the last part of the change.
    #[serde(default)]
    pub(super) is_last: bool,
    /// The devices of the directories in which the steps write, to recognize a mount point that is lost.
    #[serde(default)]
    devices: BTreeMap<Utf8PathBuf, u64>,
}

impl JournalPart {
    pub(super) fn new(steps: Vec<ReversibleStep>, label: &ChangeLabel) -> Self {
        let operations = steps.iter().map(|step| &step.operation);
        let directories = operations.flat_map(paths_of).filter_map(Utf8Path::parent);
        let devices = directories.filter_map(|directory| Some((directory.to_owned(), device(directory)?))).collect();
        Self { version: 1, label: label.clone(), steps, is_editors: false, is_last: true, devices }
    }

    /// The operations of the steps.
    pub(super) fn operations(&self) -> Vec<FileOperation> {
        self.steps.iter().map(|step| step.operation.clone()).collect()
    }

    /// Whether the directory of a path is on another device than when the change began: its mount point is lost.
    fn is_unreachable(&self, path: &Utf8Path) -> bool {
        let recorded = path.parent().and_then(|directory| self.devices.get(directory));
        recorded.is_some() && recorded.copied() != path.parent().and_then(device)
    }
}

/// The paths of an operation, the old one of a rename first.
fn paths_of(operation: &FileOperation) -> impl Iterator<Item = &Utf8Path> {
    let from = match operation {
        FileOperation::Rename { from, .. } => Some(from.as_path()),
        _ => None,
    };
    from.into_iter().chain([operation.path()])
}

/// The device of a directory, or of its nearest parent that exists.
#[cfg(unix)]
fn device(directory: &Utf8Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    directory.ancestors().find_map(|above| Some(std::fs::metadata(above).ok()?.dev()))
}

#[cfg(not(unix))]
fn device(_directory: &Utf8Path) -> Option<u64> {
    None
}

/// A journal of a change in progress, or of one that was interrupted.
pub(in crate::edit) struct EditJournal {
    file: std::fs::File,
    path: Utf8PathBuf,
    /// In the order of execution; at least one.
    pub(super) parts: Vec<JournalPart>,
    /// The number of steps marked as done.
    done: usize,
    /// The steps marked as undone.
    undone: BTreeSet<usize>,
    is_committed: bool,
    /// The step that this process has refused to make, because its file is not as the change expects it.
    refused: Option<usize>,
    /// Whether the last write failed, so that the file may end inside a line.
    is_torn: bool,
}

/// The reason why a file is not a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::edit) enum InvalidJournal {
    TooLarge,
    /// zubi writes the first line atomically, so the file is not a journal or was damaged from outside.
    Unparsable,
}

impl EditJournal {
    /// Writes the first part durably. The caller must not touch any file before this returns.
    pub(super) fn begin(state_dir: &Utf8Path, part: JournalPart) -> io::Result<Self> {
        let directory = directory(state_dir);
        owner_only::create_directory(&directory)?;
        let id = fresh_id().map_err(io::Error::other)?;
        let path = directory.join(format!("{id}.{EXTENSION}"));
        let mut header = serde_json::to_vec(&part)?;
        header.push(b'\n');
        owner_only::write_atomic(&path, &header)?;
        let file = std::fs::OpenOptions::new().append(true).open(&path)?;
        Ok(Self {
            file,
            path,
            parts: vec![part],
            done: 0,
            undone: BTreeSet::new(),
            is_committed: false,
            refused: None,
            is_torn: false,
        })
    }

    /// Reads the journal of an interrupted change.
    pub(in crate::edit) fn read(path: &Utf8Path) -> io::Result<Result<Self, InvalidJournal>> {
        let file = std::fs::OpenOptions::new().append(true).open(path)?;
        if file.metadata()?.len() > MAX_JOURNAL_BYTES {
            return Ok(Err(InvalidJournal::TooLarge));
        }
        let text = String::from_utf8(std::fs::read(path)?).unwrap_or_default();
        // Only complete lines count.
        let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let Some(first) = lines.next().and_then(|line| serde_json::from_str::<JournalPart>(line).ok()) else {
            return Ok(Err(InvalidJournal::Unparsable));
        };
        let mut journal = Self {
            file,
            path: path.to_owned(),
            parts: vec![first],
            done: 0,
            undone: BTreeSet::new(),
            is_committed: false,
            refused: None,
            is_torn: !text.ends_with('\n'),
        };
        for line in lines {
            if line == "committed" {
                journal.is_committed = true;
            } else if line.starts_with("done ") {
                journal.done += 1;
            } else if let Some(step) = line.strip_prefix("undone ").and_then(|step| step.parse().ok()) {
                journal.undone.insert(step);
            } else if let Some(part) = line.strip_prefix("part ").and_then(|part| serde_json::from_str(part).ok()) {
                journal.parts.push(part);
            }
        }
        Ok(Ok(journal))
    }

    pub(in crate::edit) fn path(&self) -> &Utf8Path {
        &self.path
    }

    pub(in crate::edit) fn label(&self) -> ChangeLabel {
        self.parts.first().map(|part| part.label.clone()).unwrap_or_default()
    }

    /// Whether the change is complete and only its journal is left.
    pub(in crate::edit) fn is_committed(&self) -> bool {
        self.is_committed
    }

    /// Whether the open editor makes a part of the change.
    pub(in crate::edit) fn has_editors_part(&self) -> bool {
        self.parts.iter().any(|part| part.is_editors)
    }

    /// The steps of all parts, in order.
    pub(in crate::edit) fn steps(&self) -> impl DoubleEndedIterator<Item = &ReversibleStep> {
        self.parts.iter().flat_map(|part| &part.steps)
    }

    /// The paths that the change touches, each once, in the order of the steps.
    pub(in crate::edit) fn paths(&self) -> Vec<&Utf8Path> {
        let mut paths = Vec::new();
        for path in self.steps().flat_map(|step| paths_of(&step.operation)) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// Appends a part durably. The caller must not make its steps before this returns.
    pub(super) fn add_part(&mut self, part: JournalPart) -> io::Result<()> {
        let line = format!("part {}\n", serde_json::to_string(&part)?);
        self.append(&line)?;
        self.parts.push(part);
        Ok(())
    }

    /// Marks the next step as done.
    pub(super) fn mark_done(&mut self) -> io::Result<()> {
        self.append(&format!("done {}\n", self.done))?;
        self.done += 1;
        Ok(())
    }

    /// Records that the next step is not made, so that its file belongs to the program that has changed it.
    pub(super) fn refuse_next(&mut self) {
        self.refused = Some(self.done);
    }

    fn append(&mut self, line: &str) -> io::Result<()> {
        if std::mem::replace(&mut self.is_torn, true) {
            self.file.write_all(b"\n")?;
        }
        self.file.write_all(line.as_bytes())?;
        self.is_torn = false;
        self.file.sync_data()
    }

    /// Marks the change as complete; it is never undone from here on.
    pub(super) fn commit(&mut self) -> io::Result<()> {
        self.append("committed\n")?;
        self.is_committed = true;
        Ok(())
    }

    pub(in crate::edit) fn remove(self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }

    /// The number of a part's first step.
    pub(super) fn first_step(&self, part: usize) -> usize {
        self.parts.iter().take(part).map(|part| part.steps.len()).sum()
    }

    /// Whether all steps of a part are marked as done.
    pub(super) fn is_part_done(&self, part: usize) -> bool {
        self.done >= self.first_step(part + 1)
    }

    /// The number of steps that may be made: those marked, and the one in doubt.
    fn count_begun(&self) -> usize {
        (self.done + 1).min(self.steps().count())
    }

    /// Reverts the steps of a part that may be made, the last first, and at most down to step `last` of the whole
    /// change. A step whose paths a later step still occupies stays. Returns the number of steps that it reverted, and
    /// the inverse operations that failed.
    pub(super) fn revert_part(&mut self, part: usize, last: usize) -> (usize, Vec<UnrestoredFile>) {
        let (mut reverted, mut unrestored) = (0, Vec::<UnrestoredFile>::new());
        let first = self.first_step(part);
        let Some((steps, is_editors)) = self.parts.get(part).map(|part| (part.steps.len(), part.is_editors)) else {
            return (0, unrestored);
        };
        // The editor makes all its steps at once, and they are marked afterwards.
        let end = if is_editors { first + steps } else { self.count_begun().min(first + steps) };
        for index in (first.max(last)..end).rev() {
            if self.undone.contains(&index) {
                continue;
            }
            tracing::trace!(step = index, "reverts");
            let Some((part, step)) = self.parts.get(part).and_then(|part| Some((part, part.steps.get(index - first)?)))
            else {
                continue;
            };
            let (is_changed, failed) = if self.refused == Some(index) {
                remove_directories(step);
                (false, Vec::new())
            } else {
                revert_step(part, step, &unrestored)
            };
            reverted += usize::from(is_changed);
            if failed.is_empty() {
                self.mark_undone(&[index]);
            }
            unrestored.extend(failed);
        }
        (reverted, unrestored)
    }

    /// Marks all steps of a part as undone.
    pub(super) fn mark_part_undone(&mut self, part: usize) {
        let first = self.first_step(part);
        let steps = self.parts.get(part).map_or(0, |part| part.steps.len());
        self.mark_undone(&(first..first + steps).rev().collect::<Vec<_>>());
    }

    /// Marks steps as undone. Without the mark, they are reverted once more after another interruption, which finds that
    /// nothing is left to do.
    fn mark_undone(&mut self, steps: &[usize]) {
        let mut lines = String::new();
        for step in steps {
            // Writing to a `String` cannot fail.
            let _ = writeln!(lines, "undone {step}");
        }
        if let Err(error) = self.append(&lines) {
            tracing::warn!(%error, path = %self.path, "a journal could not be continued");
        }
        self.undone.extend(steps);
    }
}

/// Removes the directories that a refused step has created, if they are empty.
fn remove_directories(step: &ReversibleStep) {
    for operation in step.inverse.iter().filter(|operation| matches!(operation, FileOperation::RemoveDirectory { .. }))
    {
        if let Err(error) = step::revert(operation, false) {
            tracing::debug!(%error, "a directory stays");
        }
    }
}

/// Reverts one step, unless one of its paths is among those that could not be restored. Returns whether it changed a
/// file, and the inverse operations that failed.
fn revert_step(
    part: &JournalPart,
    step: &ReversibleStep,
    unrestored: &[UnrestoredFile],
) -> (bool, Vec<UnrestoredFile>) {
    let fail = |operation: &FileOperation, obstacle| UnrestoredFile { operation: operation.clone(), obstacle };
    let occupied = |path: &Utf8Path| {
        let overlaps = |other: &Utf8Path| path.starts_with(other) || other.starts_with(path);
        unrestored.iter().find(|file| paths_of(&file.operation).any(overlaps))
    };
    if let Some(other) = step.inverse.iter().flat_map(paths_of).find_map(occupied) {
        // The other operations of the step, such as the removal of directories, follow from the first.
        let blocked = step.inverse.iter().take(1).map(|operation| fail(operation, other.obstacle.clone()));
        return (false, blocked.collect());
    }
    let mut is_changed = false;
    for operation in &step.inverse {
        match step::revert(operation, part.is_editors) {
            Ok(changed) => is_changed |= changed,
            Err(error) => {
                let obstacle = match error {
                    SinkError::Io { source, .. } => Obstacle::Io(source.to_string()),
                    _ if part.is_unreachable(operation.path()) => Obstacle::Unreachable,
                    _ => Obstacle::Changed,
                };
                return (is_changed, vec![fail(operation, obstacle)]);
            }
        }
    }
    (is_changed, Vec::new())
}

/// Returns the directory of the journals.
pub(in crate::edit) fn directory(state_dir: &Utf8Path) -> Utf8PathBuf {
    state_dir.join("journal")
}
