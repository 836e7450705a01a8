//! Named snapshots of diagnostics, and the difference between two.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use super::FileCheck;
use super::problem::CodeProblem;
use crate::status::AnswerStatus;

/// The diagnostics of some files at one time.
#[derive(Debug, Clone, Default)]
pub struct DiagnosticsSnapshot {
    pub problems: Vec<CodeProblem>,
    /// The file or directory that was checked; `None` is the whole workspace.
    pub scope: Option<Utf8PathBuf>,
    /// The first file, in the order of paths, that was not checked because of a limit. Neither was any file after it.
    pub end: Option<Utf8PathBuf>,
    /// The files whose check failed, or that a server had not checked in their current text.
    pub unchecked: BTreeSet<Utf8PathBuf>,
    /// Whether a source had not reported for the current text, such as a running checker.
    pub is_partial: bool,
}

impl DiagnosticsSnapshot {
    /// Adds the check of a file, and merges its status into that of all.
    pub(crate) fn add(&mut self, file: &Utf8Path, check: FileCheck, status: &mut AnswerStatus) {
        if !check.is_current {
            self.unchecked.insert(file.to_owned());
        }
        self.is_partial |= check.status.is_partial;
        self.problems.extend(check.problems);
        status.merge(check.status);
    }

    /// Whether the snapshot contains every diagnostic of a file, as far as its sources have reported.
    fn covers(&self, file: &Utf8Path) -> bool {
        self.scope.as_ref().is_none_or(|scope| file.starts_with(scope))
            && self.end.as_ref().is_none_or(|end| file < end.as_path())
            && !self.unchecked.contains(file)
    }

    /// Whether it concerns only files of a directory, or only one file.
    pub(super) fn is_within(&self, directory: &Utf8Path) -> bool {
        self.scope.as_ref().is_some_and(|scope| scope.starts_with(directory))
    }

    /// Whether the absence of a diagnostic from the snapshot means that the text did not have it.
    fn could_contain(&self, problem: &CodeProblem) -> bool {
        problem.location.path.as_deref().is_none_or(|file| self.covers(file))
            && (!self.is_partial || self.problems.iter().any(|other| other.source == problem.source))
    }
}

/// The difference between two snapshots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiagnosticsDelta {
    pub new: Vec<CodeProblem>,
    pub fixed: Vec<CodeProblem>,
}

impl DiagnosticsDelta {
    /// Omits diagnostics that one snapshot could not contain: they are not fixed if the later one lacks the file or the
    /// source, and not new if the earlier one does.
    pub fn compare(before: &DiagnosticsSnapshot, after: &DiagnosticsSnapshot) -> Self {
        let (mut fixed, mut new) = (before.problems.clone(), after.problems.clone());
        // Moved lines first, so that the diagnostic of an edited line is not matched with its neighbour's.
        for same in [CodeProblem::is_moved, CodeProblem::is_near] {
            new.retain(|problem| match fixed.iter().position(|other| same(other, problem)) {
                Some(at) => {
                    fixed.remove(at);
                    false
                }
                None => true,
            });
        }
        fixed.retain(|problem| after.could_contain(problem));
        new.retain(|problem| before.could_contain(problem));
        Self { new, fixed }
    }
}

/// The last [`MAX_SNAPSHOTS`] results, by name.
#[derive(Default)]
pub(crate) struct SnapshotStore(Mutex<Snapshots>);

#[derive(Default)]
struct Snapshots {
    next: u64,
    entries: VecDeque<(String, Arc<DiagnosticsSnapshot>)>,
}

/// The maximum number of stored results.
const MAX_SNAPSHOTS: usize = 32;

impl SnapshotStore {
    pub(super) fn store(&self, snapshot: Arc<DiagnosticsSnapshot>) -> String {
        let mut snapshots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        snapshots.next += 1;
        let name = format!("d-{}", snapshots.next);
        snapshots.entries.push_back((name.clone(), snapshot));
        if snapshots.entries.len() > MAX_SNAPSHOTS {
            snapshots.entries.pop_front();
        }
        name
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<DiagnosticsSnapshot>> {
        let snapshots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        snapshots.entries.iter().find(|(stored_name, _)| stored_name == name).map(|(_, snapshot)| Arc::clone(snapshot))
    }
}
