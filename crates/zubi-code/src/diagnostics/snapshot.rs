//! Named snapshots of diagnostics, and the difference between two.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::problem::CodeProblem;

/// The difference between two snapshots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiagnosticsDelta {
    pub new: Vec<CodeProblem>,
    pub fixed: Vec<CodeProblem>,
}

impl DiagnosticsDelta {
    pub fn compare(before: &[CodeProblem], after: &[CodeProblem]) -> Self {
        let (mut fixed, mut new) = (before.to_vec(), after.to_vec());
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
        Self { new, fixed }
    }

    /// Drops diagnostics that one snapshot could not contain because a source had not reported yet. They are not fixed
    /// if the source was silent after the change, and not new if it was silent before.
    #[must_use]
    pub fn without_unanswered_sources(
        mut self,
        before: DiagnosticsSnapshot<'_>,
        after: DiagnosticsSnapshot<'_>,
    ) -> Self {
        self.fixed.retain(|problem| after.has_source_of(problem));
        self.new.retain(|problem| before.has_source_of(problem));
        self
    }
}

/// The diagnostics at one time.
#[derive(Debug, Clone, Copy)]
pub struct DiagnosticsSnapshot<'a> {
    pub problems: &'a [CodeProblem],
    /// Whether a source had not reported for the current text.
    pub is_partial: bool,
}

impl DiagnosticsSnapshot<'_> {
    fn has_source_of(&self, problem: &CodeProblem) -> bool {
        !self.is_partial || self.problems.iter().any(|other| other.source == problem.source)
    }
}

/// The last [`MAX_SNAPSHOTS`] results, by name.
#[derive(Default)]
pub(crate) struct SnapshotStore(Mutex<Snapshots>);

#[derive(Default)]
struct Snapshots {
    next: u64,
    entries: VecDeque<(String, Vec<CodeProblem>)>,
}

/// The maximum number of stored results.
const MAX_SNAPSHOTS: usize = 32;

impl SnapshotStore {
    pub(super) fn store(&self, problems: Vec<CodeProblem>) -> String {
        let mut snapshots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        snapshots.next += 1;
        let name = format!("d-{}", snapshots.next);
        snapshots.entries.push_back((name.clone(), problems));
        if snapshots.entries.len() > MAX_SNAPSHOTS {
            snapshots.entries.pop_front();
        }
        name
    }

    pub(super) fn get(&self, name: &str) -> Option<Vec<CodeProblem>> {
        let snapshots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        snapshots.entries.iter().find(|(stored_name, _)| stored_name == name).map(|(_, problems)| problems.clone())
    }
}
