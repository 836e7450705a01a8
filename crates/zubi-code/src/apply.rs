//! Applies and undoes plans, and compares the diagnostics before and after: in the touched files and in those that mention
//! a changed name or path.

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::future::join_all;
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

/// The files that a change moves.
struct MovedPaths {
    /// In the order in which they happen.
    moves: Vec<PathMove>,
    /// The files to compare, with their paths before and after the change.
    files_before: Vec<Utf8PathBuf>,
    files_after: Vec<Utf8PathBuf>,
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
        let mut files_before = touched.to_vec();
        files_before.extend(inside.take(MAX_COMPARED));
        let mut moved = Self { moves, files_before, files_after: Vec::new() };
        moved.files_after = moved.files_before.iter().map(|path| moved.forward(path)).collect();
        moved.files_after.dedup();
        moved
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
        let before = self.problems_of_all(&moved.files_before, &related.files).await;
        let applied = match direction {
            Direction::Apply(options) => self.intel.edits.apply_as(plan, options).await?,
            Direction::Undo => self.intel.edits.undo(plan).await?,
        };
        self.forget_documents();
        // Servers learn about the new texts in the same way as about any other change on disk.
        self.intel.router.refresh(&self.request_cx()).await;
        let related_after: Vec<_> = related.files.iter().map(|path| moved.forward(path)).collect();
        let after = self.problems_of_all(&moved.files_after, &related_after).await;
        let (delta, status) = match (before, after) {
            (Ok((mut before, mut status)), Ok((after, after_status))) => {
                for problem in &mut before {
                    self.move_problem(problem, &moved);
                }
                let checks = [(&before, status.is_partial), (&after, after_status.is_partial)];
                let [first, last] = checks.map(|(problems, is_partial)| DiagnosticsSnapshot { problems, is_partial });
                let delta = DiagnosticsDelta::compare(&before, &after).without_unanswered_sources(first, last);
                // A note from the first check is obsolete, or the second check repeats it.
                status.notes.clear();
                status.merge(after_status);
                if related.omitted > 0 {
                    let files = pluralize(related.omitted, "further file");
                    status.notes.push(format!("{files} that mention a changed name were not compared"));
                }
                (Some(delta), status)
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

    /// Returns the diagnostics of the files that a change touches, and of those among the related ones that a server
    /// serves.
    async fn problems_of_all(
        &self,
        files: &[Utf8PathBuf],
        related: &[Utf8PathBuf],
    ) -> Result<(Vec<CodeProblem>, AnswerStatus), CodeError> {
        let mut problems = Vec::new();
        let mut status = AnswerStatus::default();
        let mut failure = None;
        // All files at once, so that a silent server costs one time-out in total and not one for each file.
        let compared = files.iter().filter(|file| file.is_file()).take(MAX_COMPARED);
        let compared = compared.chain(related.iter().filter(|file| file.is_file()));
        for answer in join_all(compared.map(|file| self.problems_of(file, self.cx.check_wait))).await {
            match answer {
                Ok((items, file_status)) => {
                    problems.extend(items);
                    status.merge(file_status);
                }
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            Some(error) if status.endpoints.is_empty() => Err(error),
            _ => {
                if files.len() > MAX_COMPARED {
                    status.notes.push(format!("problems compared in {MAX_COMPARED} of {} files", files.len()));
                }
                Ok((problems, status))
            }
        }
    }
}
