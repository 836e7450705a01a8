//! The journal of a change in progress, from which zubi undoes an unfinished change.
//!
//! A journal is one file under `<state>/journal/`. Its first line, durable before the first step, holds all steps and
//! their inverses with the old contents. Then comes a line for each step that is done (`done 0`) or undone (`undone
//! 0`), and `committed` at the end, after which zubi removes the file. So at most one step is in doubt at any time, and
//! the content on disk shows whether it was made.

use std::io::{self, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use zubi_base::text::FileOperation;
use zubi_base::{fs, owner_only};

use super::prepare::ReversibleStep;
use super::step;
use crate::edit::error::EditError;
use crate::edit::plan::{fresh_id, state};

/// The maximum size of a journal that is read: the old and new contents of a change, with JSON escapes.
const MAX_JOURNAL_BYTES: u64 = 12 * crate::edit::change::MAX_CHANGE_BYTES;

/// The unfinished changes that zubi found and undid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecoveredChanges {
    /// The number of unfinished changes that were undone.
    pub reverted: usize,
    /// One sentence for each file that could not be restored, because it changed since or cannot be written. The
    /// journal of such a change is preserved.
    pub unrestored: Vec<String>,
}

/// A journal that is being written.
pub(super) struct EditJournal {
    file: std::fs::File,
    path: Utf8PathBuf,
}

#[derive(Serialize, Deserialize)]
struct JournalHeader {
    version: u32,
    steps: Vec<ReversibleStep>,
}

impl EditJournal {
    /// Writes the steps durably. The caller must not touch any file before this returns.
    pub(super) fn begin(state_dir: &Utf8Path, steps: &[ReversibleStep]) -> io::Result<Self> {
        let directory = directory(state_dir);
        owner_only::create_directory(&directory)?;
        let id = fresh_id().map_err(io::Error::other)?;
        let path = directory.join(format!("{id}.journal"));
        let mut header = serde_json::to_vec(&JournalHeader { version: 1, steps: steps.to_vec() })?;
        header.push(b'\n');
        owner_only::write_atomic(&path, &header)?;
        let file = std::fs::OpenOptions::new().append(true).open(&path)?;
        Ok(Self { file, path })
    }

    pub(super) fn done(&mut self, step: usize) -> io::Result<()> {
        self.mark(&format!("done {step}\n"))
    }

    fn undone(&mut self, step: usize) -> io::Result<()> {
        self.mark(&format!("undone {step}\n"))
    }

    fn mark(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(line.as_bytes())?;
        self.file.sync_data()
    }

    /// Marks the change as complete; it is never undone from here on.
    pub(super) fn commit(&mut self) -> io::Result<()> {
        self.mark("committed\n")
    }

    pub(super) fn remove(self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }

    /// Undoes the steps from `first` down to 0, and returns the errors.
    pub(super) fn revert(&mut self, steps: &[ReversibleStep], first: usize) -> Vec<String> {
        self.revert_down_to(steps, first, 0)
    }

    /// Like [`Self::revert`], but steps below `last` stay done.
    pub(super) fn revert_down_to(&mut self, steps: &[ReversibleStep], first: usize, last: usize) -> Vec<String> {
        sweep_temporary(steps);
        let mut unrestored = Vec::new();
        for (index, step) in steps.iter().enumerate().take(first + 1).skip(last).rev() {
            for operation in &step.inverse {
                if let Err(error) = step::revert(operation) {
                    unrestored.push(error.to_string());
                }
            }
            if let Err(error) = self.undone(index) {
                unrestored.push(format!("cannot write `{}`: {error}", self.path));
            }
        }
        unrestored
    }

    /// Renames the journal so that a person can inspect it and the next start ignores it.
    pub(super) fn quarantine(self) -> io::Result<()> {
        std::fs::rename(&self.path, self.path.with_extension("conflict"))
    }
}

/// Undoes every unfinished change of a process that has ended. The caller holds the lock.
pub(in crate::edit) fn recover(state_dir: &Utf8Path) -> Result<RecoveredChanges, EditError> {
    let directory = directory(state_dir);
    let mut recovered = RecoveredChanges::default();
    let entries = match directory.read_dir_utf8() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(recovered),
        Err(error) => return Err(state("the journal directory cannot be read", &error)),
    };
    let mut journals: Vec<_> = entries.filter_map(Result::ok).map(camino::Utf8DirEntry::into_path).collect();
    journals.retain(|path| path.extension() == Some("journal"));
    journals.sort();
    for path in journals {
        recover_one(&path, &mut recovered)
            .map_err(|error| state(&format!("the journal `{path}` cannot be worked off"), &error))?;
    }
    Ok(recovered)
}

fn recover_one(path: &Utf8Path, recovered: &mut RecoveredChanges) -> io::Result<()> {
    let mut journal = EditJournal { file: std::fs::OpenOptions::new().append(true).open(path)?, path: path.to_owned() };
    if std::fs::metadata(path)?.len() > MAX_JOURNAL_BYTES {
        recovered.unrestored.push(format!(
            "the journal `{path}` is too large to be read; it was renamed with the extension `.conflict`"
        ));
        return journal.quarantine();
    }
    let text = String::from_utf8(std::fs::read(path)?).unwrap_or_default();
    let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    let Some(header) = lines.next().and_then(|line| serde_json::from_str::<JournalHeader>(line).ok()) else {
        // zubi writes the header atomically, so the file is not a journal or was damaged from outside.
        recovered
            .unrestored
            .push(format!("the journal `{path}` cannot be parsed; it was renamed with the extension `.conflict`"));
        return journal.quarantine();
    };
    let lines: Vec<_> = lines.collect();
    if lines.contains(&"committed") {
        return journal.remove();
    }
    // Only complete lines count. The step after the last marked one is in doubt.
    let count = |word: &str| lines.iter().filter(|line| line.starts_with(word)).count();
    let (done, undone) = (count("done "), count("undone "));
    let last_undecided = if undone == 0 { Some(done) } else { lowest_undone(&lines).checked_sub(1) };
    if let Some(first) = last_undecided {
        let unrestored = journal.revert(&header.steps, first);
        if !unrestored.is_empty() {
            recovered.unrestored.extend(unrestored);
            recovered.unrestored.push(format!("the old contents are in `{}`", path.with_extension("conflict")));
            return journal.quarantine();
        }
    }
    recovered.reverted += 1;
    journal.remove()
}

fn lowest_undone(lines: &[&str]) -> usize {
    lines.iter().filter_map(|line| line.strip_prefix("undone ")?.parse().ok()).min().unwrap_or(0)
}

/// Removes temporary files that an interrupted write left next to its targets. The caller holds the lock, so no other
/// zubi writes there.
fn sweep_temporary(steps: &[ReversibleStep]) {
    let directories: std::collections::BTreeSet<_> = steps
        .iter()
        .flat_map(|step| std::iter::once(&step.operation).chain(&step.inverse))
        .filter(|operation| matches!(operation, FileOperation::Write { .. }))
        .filter_map(|operation| operation.path().parent())
        .collect();
    for directory in directories {
        let Ok(entries) = directory.read_dir_utf8() else { continue };
        for entry in entries.filter_map(Result::ok) {
            let name = entry.file_name();
            if name.starts_with(fs::TEMPORARY_PREFIX) && name.ends_with(fs::TEMPORARY_SUFFIX) {
                // The change is restored even if a temporary file stays.
                if let Err(error) = std::fs::remove_file(entry.path()) {
                    tracing::warn!(%error, path = %entry.path(), "a temporary file could not be removed");
                }
            }
        }
    }
}

fn directory(state_dir: &Utf8Path) -> Utf8PathBuf {
    state_dir.join("journal")
}
