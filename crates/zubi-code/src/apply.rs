//! Applies and undoes plans, and compares the diagnostics before and after: in the touched files and in those that mention
//! a changed name or path.

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::future::join_all;
use rustc_hash::FxHashSet;
use zubi_base::text::{EditOptions, FileOperation, pluralize};
use zubi_base::walk::{self, WalkOptions};

use crate::diagnostics::{CodeProblem, DiagnosticsDelta, DiagnosticsSnapshot};
use crate::edit::AppliedChange;
use crate::error::CodeError;
use crate::markup::clean_line;
use crate::path_mentions::PathMove;
use crate::query::CodeQuery;
use crate::status::{AnswerStatus, QualifiedAnswer};

/// The maximum number of touched files whose diagnostics are compared before and after an edit.
const MAX_COMPARED: usize = 20;

/// An applied edit and its effect on the diagnostics.
#[derive(Debug, Clone)]
pub struct AppliedEdit {
    pub applied: AppliedChange,
    /// `None` if zubi could not compare the diagnostics; the status has the reason.
    pub delta: Option<DiagnosticsDelta>,
}

/// Whether to apply or undo a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Direction {
    /// Apply, with these options for an open editor.
    Apply(EditOptions),
    Undo,
}

/// The paths that a change moves.
struct MovedPaths {
    /// In the order in which they happen.
    moves: Vec<PathMove>,
    /// The touched files and those in directories that move, by their paths before the change.
    files: Vec<Utf8PathBuf>,
}

impl MovedPaths {
    /// `touched` has the paths before and after the change. Reads directories that move.
    fn new(operations: &[FileOperation], touched: &[Utf8PathBuf]) -> Self {
        let moves: Vec<_> = operations
            .iter()
            .filter_map(|operation| match operation {
                FileOperation::Rename { from, to } => Some(PathMove { from: from.clone(), to: to.clone() }),
                _ => None,
            })
            .collect();
        let directories = moves.iter().map(|moved| &moved.from).filter(|from| from.is_dir() && !from.is_symlink());
        let inside =
            directories.flat_map(|from| walk::files(from, WalkOptions { sorted: true, ..WalkOptions::default() }));
        let touched = touched.iter().filter(|path| !path.is_dir());
        let files = touched.cloned().chain(inside.take(MAX_COMPARED)).collect();
        Self { moves, files }
    }

    /// Returns the path of a file after the change.
    fn forward(&self, path: &Utf8Path) -> Utf8PathBuf {
        self.moves.iter().fold(path.to_owned(), |path, moved| moved.forward(&path))
    }
}

impl CodeQuery<'_> {
    /// Applies or undoes a plan, and compares the diagnostics of the files that it can affect.
    pub async fn change(&self, plan: &str, direction: Direction) -> Result<QualifiedAnswer<AppliedEdit>, CodeError> {
        let operations = self.intel.edits.operations_of(plan, direction == Direction::Undo)?;
        let files = self.intel.edits.files_of(plan)?;
        let moved = MovedPaths::new(&operations, &files);
        let related = self.related_files(operations, &files).await;
        let compared = ComparedFiles::new(&moved, &related.files);
        let before = self.check_files(compared.pairs.iter().map(|(before, _)| before)).await;
        let applied = match direction {
            Direction::Apply(options) => self.intel.edits.apply_as(plan, options).await?,
            Direction::Undo => self.intel.edits.undo(plan).await?,
        };
        self.forget_documents();
        // Servers learn about the new texts in the same way as about any other change on disk.
        self.intel.router.refresh(&self.request_cx()).await;
        let after = self.check_files(compared.pairs.iter().map(|(_, after)| after)).await;
        let (delta, status) = match (before, after) {
            (Ok(mut before), Ok(mut after)) => {
                for problem in &mut before.snapshot.problems {
                    self.move_problem(problem, &moved);
                }
                before.snapshot.unchecked = before.snapshot.unchecked.iter().map(|path| moved.forward(path)).collect();
                let delta = DiagnosticsDelta::compare(&before.snapshot, &after.snapshot);
                let mut status = before.status;
                // A note from the first check is obsolete, or the second check repeats it.
                status.notes.clear();
                status.merge(after.status);
                let failure = before.failure.or(after.failure);
                let mut unchecked = before.snapshot.unchecked;
                unchecked.append(&mut after.snapshot.unchecked);
                let is_compared = unchecked.len() < compared.pairs.len();
                if !unchecked.is_empty() {
                    let reason = failure.map_or_else(String::new, |error| format!(" ({error})"));
                    status.notes.push(format!("problems not compared in {}{reason}", self.name_files(&unchecked)));
                }
                if compared.omitted > 0 {
                    let all = compared.omitted + MAX_COMPARED;
                    status.notes.push(format!("problems compared in {MAX_COMPARED} of {all} files"));
                }
                if related.omitted > 0 {
                    let files = pluralize(related.omitted, "further file");
                    status.notes.push(format!("{files} that mention a changed name were not compared"));
                }
                (is_compared.then_some(delta), status)
            }
            (Err(reason), _) | (_, Err(reason)) => {
                let status =
                    AnswerStatus { notes: vec![format!("problems not compared: {reason}")], ..AnswerStatus::default() };
                (None, status)
            }
        };
        Ok(QualifiedAnswer { value: AppliedEdit { applied, delta }, status })
    }

    /// Gives a diagnostic of a moved file the path that the file has after the change.
    fn move_problem(&self, problem: &mut CodeProblem, moved: &MovedPaths) {
        if let Some(path) = &problem.location.path {
            let new_path = moved.forward(path);
            if new_path != *path {
                problem.location.display_path = clean_line(&self.workspace().display(&new_path));
                problem.location.path = Some(new_path);
            }
        }
    }

    /// Checks files, all at once, so that a silent server costs one time-out in total and not one for each file. A path
    /// without a file has no problems.
    async fn check_files(&self, files: impl Iterator<Item = &Utf8PathBuf>) -> Result<FileChecks, CodeError> {
        let files: Vec<_> = files.filter(|file| file.is_file()).collect();
        let cx = self.request_cx();
        let mut checks = FileChecks::default();
        let answers = join_all(files.iter().map(|file| self.check_file(file, self.cx.check_wait, &cx))).await;
        for (answer, file) in answers.into_iter().zip(files) {
            match answer {
                Ok(check) => checks.snapshot.add(file, check, &mut checks.status),
                // No server would ever report a problem of such a file.
                Err(error @ CodeError::NoEndpoint(_)) => checks.unserved = Some(error),
                Err(error) => {
                    checks.snapshot.unchecked.insert(file.clone());
                    checks.failure = Some(error);
                }
            }
        }
        if checks.status.endpoints.is_empty()
            && let Some(error) = checks.failure.take().or(checks.unserved.take())
        {
            return Err(error);
        }
        Ok(checks)
    }
}

/// The files whose diagnostics are compared.
struct ComparedFiles {
    /// The path of each file before and after the change. One of them may be absent.
    pairs: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    /// The number of touched files beyond [`MAX_COMPARED`].
    omitted: usize,
}

impl ComparedFiles {
    fn new(moved: &MovedPaths, related: &[Utf8PathBuf]) -> Self {
        let pair = |path: &Utf8PathBuf| (path.clone(), moved.forward(path));
        let mut pairs: Vec<_> = moved.files.iter().map(pair).collect();
        // A plan touches both paths of a moved file. The new one does not exist yet.
        pairs.sort_by_key(|(before, _)| !before.is_file());
        let mut seen = FxHashSet::default();
        pairs.retain(|(_, after)| seen.insert(after.clone()));
        let omitted = pairs.len().saturating_sub(MAX_COMPARED);
        pairs.truncate(MAX_COMPARED);
        pairs.extend(related.iter().map(pair));
        Self { pairs, omitted }
    }
}

/// The result of one check of the compared files.
#[derive(Default)]
struct FileChecks {
    snapshot: DiagnosticsSnapshot,
    status: AnswerStatus,
    /// The last error of a check.
    failure: Option<CodeError>,
    /// The last reason why no server serves a file.
    unserved: Option<CodeError>,
}
