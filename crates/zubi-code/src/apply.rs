//! Carrying a plan out, taking it back, and what that did to the problems in the files touched.

use camino::Utf8PathBuf;
use futures_util::future::join_all;
use zubi_base::text::EditOptions;

use crate::diagnostics::{CodeProblem, DiagnosticsDelta, DiagnosticsSnapshot};
use crate::edit::AppliedChange;
use crate::error::CodeError;
use crate::query::CodeQuery;
use crate::status::{AnswerStatus, QualifiedAnswer};

/// The most files whose problems are compared before and after an edit.
const MAX_COMPARED: usize = 20;

/// An edit that was made, and its effect.
#[derive(Debug, Clone)]
pub struct AppliedEdit {
    pub applied: AppliedChange,
    /// `None` when it could not be worked out; the status says why.
    pub delta: Option<DiagnosticsDelta>,
}

/// Which way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Direction {
    /// In this manner, where an editor is open.
    Apply(EditOptions),
    Undo,
}

impl CodeQuery<'_> {
    /// Carries out a plan, or takes it back, and compares the problems of the files it touches.
    pub async fn change(&self, plan: &str, direction: Direction) -> Result<QualifiedAnswer<AppliedEdit>, CodeError> {
        let files: Vec<Utf8PathBuf> = self.intel.edits.files_of(plan)?;
        let before = self.problems_of_all(&files).await;
        let applied = match direction {
            Direction::Apply(options) => self.intel.edits.apply_as(plan, options).await?,
            Direction::Undo => self.intel.edits.undo(plan).await?,
        };
        self.forget_documents();
        // The servers learn of the new texts by the same way as of any other change on disk.
        self.intel.router.refresh(&self.request_cx()).await;
        let after = self.problems_of_all(&files).await;
        let (delta, status) = match (before, after) {
            (Ok((before, mut status)), Ok((after, after_status))) => {
                let checks = [(&before, status.is_partial), (&after, after_status.is_partial)];
                let [first, last] = checks.map(|(problems, is_partial)| DiagnosticsSnapshot { problems, is_partial });
                let delta = DiagnosticsDelta::compare(&before, &after).without_unanswered_sources(first, last);
                // A server that was still running before the change has finished by now, or the second check reports it
                // again.
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
        // All files at once, so that a silent server costs the time-out once and not for each file.
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
