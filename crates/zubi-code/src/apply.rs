//! Applies and undoes plans, and compares the diagnostics of the touched files before and after.

use camino::Utf8PathBuf;
use futures_util::future::join_all;
use zubi_base::text::EditOptions;

use crate::diagnostics::{CodeProblem, DiagnosticsDelta, DiagnosticsSnapshot};
use crate::edit::AppliedChange;
use crate::error::CodeError;
use crate::query::CodeQuery;
use crate::status::{AnswerStatus, QualifiedAnswer};

/// The maximum number of files whose diagnostics are compared before and after an edit.
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

impl CodeQuery<'_> {
    /// Applies or undoes a plan, and compares the diagnostics of the files it touches.
    pub async fn change(&self, plan: &str, direction: Direction) -> Result<QualifiedAnswer<AppliedEdit>, CodeError> {
        let files: Vec<Utf8PathBuf> = self.intel.edits.files_of(plan)?;
        let before = self.problems_of_all(&files).await;
        let applied = match direction {
            Direction::Apply(options) => self.intel.edits.apply_as(plan, options).await?,
            Direction::Undo => self.intel.edits.undo(plan).await?,
        };
        self.forget_documents();
        // Servers learn about the new texts in the same way as about any other change on disk.
        self.intel.router.refresh(&self.request_cx()).await;
        let after = self.problems_of_all(&files).await;
        let (delta, status) = match (before, after) {
            (Ok((before, mut status)), Ok((after, after_status))) => {
                let checks = [(&before, status.is_partial), (&after, after_status.is_partial)];
                let [first, last] = checks.map(|(problems, is_partial)| DiagnosticsSnapshot { problems, is_partial });
                let delta = DiagnosticsDelta::compare(&before, &after).without_unanswered_sources(first, last);
                // A note from the first check is obsolete, or the second check repeats it.
                status.notes.clear();
                status.merge(after_status);
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

    async fn problems_of_all(&self, files: &[Utf8PathBuf]) -> Result<(Vec<CodeProblem>, AnswerStatus), CodeError> {
        let mut problems = Vec::new();
        let mut status = AnswerStatus::default();
        let mut failure = None;
        // All files at once, so that a silent server costs one time-out in total and not one for each file.
        let compared = files.iter().filter(|file| file.is_file()).take(MAX_COMPARED);
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
