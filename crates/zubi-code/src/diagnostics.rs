//! Diagnostics of files, and their changes. zubi stores each result under a name, so that a later request can return
//! only the new and the fixed diagnostics.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream;
use zubi_base::endpoint::{DiagnosticsReport, DocumentRef, Endpoint, EndpointError, Endpoints, RequestCx};
use zubi_base::lsp;
use zubi_base::text::{pluralize, quote_all};
use zubi_base::walk::{self, WalkOptions};

mod problem;
pub mod report;
pub(crate) mod snapshot;

use crate::embedding;
use crate::error::CodeError;
use crate::markup::clean_line;
use crate::query::CodeQuery;
use crate::request::ReadyEndpoints;
use crate::status::{AnswerStatus, Completeness, QualifiedAnswer};

pub use self::problem::{CodeProblem, Severity};
pub use self::snapshot::{DiagnosticsDelta, DiagnosticsSnapshot};

/// The diagnostics of some files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    /// Errors first, then warnings; sorted by path and line.
    pub items: Vec<CodeProblem>,
    /// The number of problems of each severity that the caller did not request, most severe first.
    pub milder: Vec<(Severity, usize)>,
    pub files: usize,
    /// The name of this result; a caller passes it as `since` to get only the changes.
    pub snapshot: String,
    /// The difference from the snapshot that the caller named, in all severities.
    pub delta: Option<DiagnosticsDelta>,
}

/// The maximum number of files checked for one answer.
const MAX_FILES: usize = 200;
/// The number of files whose diagnostics are requested at once. More would not help: servers handle them one by one.
const AT_ONCE: usize = 8;

impl CodeQuery<'_> {
    /// Returns the diagnostics of at least `severity` for a file, a directory or the whole workspace.
    pub async fn problems(
        &self,
        path: Option<&Utf8Path>,
        severity: Severity,
        since: Option<&str>,
    ) -> Result<QualifiedAnswer<Problems>, CodeError> {
        let before = match since {
            Some(name) => Some(self.intel.snapshots.get(name).ok_or_else(|| {
                CodeError::input(
                    "since",
                    format!("no snapshot `{name}` is stored"),
                    "Leave `since` out to get all problems and a new snapshot.",
                )
            })?),
            None => None,
        };
        let (after, files, mut status) = match path {
            Some(file) if file.is_file() => {
                let check = self.check_file(file, Duration::MAX, &self.request_cx()).await?;
                let mut snapshot = DiagnosticsSnapshot { scope: Some(file.to_owned()), ..Default::default() };
                let mut status = AnswerStatus::default();
                snapshot.add(file, check, &mut status);
                (snapshot, 1, status)
            }
            scope => self.check_scope(scope).await?,
        };
        let mut items = after.problems.clone();
        let mut codes = items.iter().filter_map(|problem| problem.code.as_deref());
        let has_unresolved_import = codes.any(problem::is_unresolved_import);
        status.add_library_caveats_to(!items.is_empty(), has_unresolved_import);
        let delta = before.map(|before| {
            let name = since.unwrap_or_default();
            if let Some(scope) = before.scope.as_ref().filter(|scope| !after.is_within(scope)) {
                let shown = clean_line(&self.workspace().display(scope));
                status.notes.push(format!("compared only in `{shown}`, because `{name}` covers nothing else"));
            }
            if let Some(end) = &before.end {
                let shown = clean_line(&self.workspace().display(end));
                status.notes.push(format!("not compared from `{shown}` on, which `{name}` does not cover"));
            }
            if !before.unchecked.is_empty() {
                let named = self.name_files(&before.unchecked);
                status.notes.push(format!("not compared, because `{name}` has no complete check: {named}"));
            }
            DiagnosticsDelta::compare(&before, &after)
        });
        // With all severities, so that a later request may compare others.
        let snapshot = self.intel.snapshots.store(Arc::new(after));
        items.sort_by_key(|problem| problem.severity);
        let milder = items.split_off(items.partition_point(|problem| problem.severity <= severity));
        let milder = milder.chunk_by(|one, next| one.severity == next.severity);
        let milder = milder.filter_map(|same| Some((same.first()?.severity, same.len()))).collect();
        Ok(QualifiedAnswer { value: Problems { items, milder, files, snapshot, delta }, status })
    }

    /// Checks one file with every endpoint that serves it.
    ///
    /// Once the endpoints are ready, waits at most `timeout` for them to check the current text. If an endpoint begins
    /// to read the project again meanwhile (because a file was renamed), sends it a second request when it has
    /// finished.
    pub(crate) async fn check_file(
        &self,
        path: &Utf8Path,
        timeout: Duration,
        cx: &RequestCx,
    ) -> Result<FileCheck, CodeError> {
        let reference = DocumentRef::new(path);
        let (ready, reports) = self.reports_of(&reference, timeout, cx).await?;
        let mut status = ready.status.clone();
        ready.add_reports(&mut status);
        let mut problems = Vec::new();
        let mut failure = None;
        let mut is_current = true;
        for (endpoint, report) in ready.endpoints.iter().zip(reports) {
            match report {
                Ok(report) => {
                    is_current &= report.current;
                    note_state(&mut status, endpoint.as_ref(), &report);
                    problems.extend(self.problems_in(&reference, endpoint.as_ref(), report).await);
                }
                Err(error) => {
                    is_current = false;
                    status.completeness = Completeness::Partial { reason: error.to_string() };
                    failure = Some(error);
                }
            }
        }
        if let Some(error) = failure.filter(|_| ready.endpoints.len() == 1) {
            return Err(error.into());
        }
        if problems.is_empty()
            && let Some(reason) = self.unread_file_reason(path).await
        {
            status.mark_incomplete(reason);
        }
        for endpoint in ready.endpoints.iter().filter(|_| problems.is_empty()) {
            if let Some(reason) = self.unchecked_file_reason(endpoint.as_ref(), path) {
                status.mark_incomplete(reason);
            }
        }
        problems.sort_by_cached_key(|problem| {
            let location = &problem.location;
            (location.line, location.column, problem.severity, problem.code.clone(), problem.message.clone())
        });
        problems.dedup_by(|later, first| {
            let is_repeated = later.is_repeated(first);
            if is_repeated && later.message.len() > first.message.len() {
                // The longer one explains more.
                std::mem::swap(later, first);
            }
            is_repeated
        });
        Ok(FileCheck { problems, status, is_current })
    }

    /// Returns the report of every endpoint that serves a file; see [`Self::check_file`].
    async fn reports_of(
        &self,
        reference: &DocumentRef,
        timeout: Duration,
        cx: &RequestCx,
    ) -> Result<(ReadyEndpoints, Vec<Result<DiagnosticsReport, EndpointError>>), CodeError> {
        let start = Instant::now();
        loop {
            let ready = self.ready_for_problems(reference).await?;
            let mut cx = cx.for_document(reference);
            cx.deadline = Instant::now().checked_add(timeout).map_or(cx.deadline, |until| until.min(cx.deadline));
            let reports = join_all(ready.endpoints.iter().map(|endpoint| endpoint.diagnostics(reference, &cx))).await;
            let is_loading = ready.endpoints.iter().any(|endpoint| !endpoint.readiness().is_settled());
            if !is_loading || start.elapsed() >= timeout.min(self.cx.wait) {
                return Ok((ready, reports));
            }
        }
    }

    /// Checks the files of a directory or of the whole workspace, and returns their number with the result.
    async fn check_scope(
        &self,
        scope: Option<&Utf8Path>,
    ) -> Result<(DiagnosticsSnapshot, usize, AnswerStatus), CodeError> {
        let Endpoints { endpoints, uncovered, .. } = self.ready_for_problems_anywhere().await?;
        let listed = self.served_files(&endpoints, scope).await;
        let total = listed.served.len();
        let end = listed.served.get(MAX_FILES).cloned();
        let scope = scope.map(Utf8Path::to_owned);
        let mut snapshot = DiagnosticsSnapshot { scope, end, ..Default::default() };
        let checked: Vec<_> = listed.served.into_iter().take(MAX_FILES).collect();
        let files = checked.len();
        let cx = &RequestCx { is_batch: true, ..self.request_cx() };
        let answers: Vec<_> = stream::iter(checked)
            .map(|path| async move { (self.check_file(&path, Duration::MAX, cx).await, path) })
            .buffered(AT_ONCE)
            .collect()
            .await;
        let mut status = AnswerStatus::default();
        let mut failures = Vec::new();
        for (answer, path) in answers {
            match answer {
                Ok(check) => snapshot.add(&path, check, &mut status),
                Err(error) => failures.push((path, error)),
            }
        }
        // Every request failed, so the answer is the error.
        if status.endpoints.is_empty()
            && let Some((_, error)) = failures.pop()
        {
            return Err(error);
        }
        if let Some((path, error)) = failures.first() {
            let named = self.name_files(failures.iter().map(|(path, _)| path));
            let reason = error.to_string().replace(&format!("`{path}`"), "it");
            status.mark_incomplete(format!("{named} could not be checked ({reason})"));
        }
        if !listed.embedding.is_empty() {
            let named = self.name_files(&listed.embedding);
            status.mark_incomplete(format!("no queried server checks {named}"));
        }
        if listed.is_cut {
            status.mark_incomplete(format!("only the first {MAX_LISTED} files were looked at; narrow with `path`"));
        }
        if let Some(reason) = uncovered.filter(|_| listed.unserved > 0) {
            status.mark_incomplete(self.with_all_projects_hint(&reason));
        }
        if total > files {
            status.mark_incomplete(format!("checked {files} of {total} files; narrow with `path`"));
        }
        let checked = files - failures.len();
        snapshot.unchecked.extend(failures.into_iter().map(|(path, _)| path));
        Ok((snapshot, checked, status))
    }

    /// Names the first of some files, and counts the others.
    pub(crate) fn name_files<'a>(&self, files: impl IntoIterator<Item = &'a Utf8PathBuf>) -> String {
        let names: Vec<_> = files.into_iter().map(|path| clean_line(&self.workspace().display(path))).collect();
        let named = quote_all(names.iter().take(MAX_NAMED));
        match names.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
            Some(more) => format!("{named} and {}", pluralize(more, "more file")),
            None => named,
        }
    }

    /// Returns the files of a directory or of the whole workspace by whether the endpoints check them.
    async fn served_files(&self, endpoints: &[Arc<dyn Endpoint>], scope: Option<&Utf8Path>) -> ListedFiles {
        let roots: Vec<Utf8PathBuf> = match scope {
            Some(scope) => vec![scope.to_owned()],
            None => self.workspace().roots(),
        };
        let all = tokio::task::spawn_blocking(move || files_below(&roots)).await.unwrap_or_default();
        let mut listed = ListedFiles { is_cut: all.len() >= MAX_LISTED, ..ListedFiles::default() };
        let mut others = Vec::new();
        for path in all {
            let reference = DocumentRef::new(path);
            if endpoints.iter().any(|endpoint| endpoint.serves(&reference)) {
                listed.served.push(reference.path);
            } else if endpoints.iter().any(|endpoint| endpoint.supports_language(&reference)) {
                listed.unserved += 1;
            } else {
                others.push(reference.path);
            }
        }
        let extensions: BTreeSet<_> = listed.served.iter().filter_map(|path| path.extension()).collect();
        others.retain(|path| embedding::is_source_with_code(path, &extensions));
        listed.embedding = others;
        listed
    }

    async fn problems_in(
        &self,
        reference: &DocumentRef,
        endpoint: &dyn Endpoint,
        report: DiagnosticsReport,
    ) -> Vec<CodeProblem> {
        let mut problems = Vec::new();
        for item in report.items {
            let location = lsp::Location { uri: reference.uri(), range: item.range };
            let location = self.location(&location, endpoint.encoding(), 0).await;
            problems.push(CodeProblem::from_lsp(&item, location));
        }
        problems
    }
}

/// The diagnostics of one file.
pub(crate) struct FileCheck {
    pub problems: Vec<CodeProblem>,
    pub status: AnswerStatus,
    /// Whether every endpoint has checked the current text.
    pub is_current: bool,
}

/// The files of a workspace in relation to some endpoints, each list sorted by path.
#[derive(Debug, Default)]
struct ListedFiles {
    /// The files that at least one endpoint serves.
    served: Vec<Utf8PathBuf>,
    /// The number of further files in the endpoints' languages.
    unserved: usize,
    /// Files of other languages with code of a served language: components, notebooks.
    embedding: Vec<Utf8PathBuf>,
    /// Whether there may be more files, because the listing reached its limit.
    is_cut: bool,
}

/// The maximum number of files that a clause names.
const MAX_NAMED: usize = 4;

/// The maximum number of files listed; a caller must check a larger workspace by directory.
const MAX_LISTED: usize = 50_000;

fn files_below(roots: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let mut files: Vec<Utf8PathBuf> =
        roots.iter().flat_map(|root| walk::files(root, WalkOptions::default())).take(MAX_LISTED).collect();
    files.sort();
    files
}

fn note_state(status: &mut AnswerStatus, endpoint: &dyn Endpoint, report: &DiagnosticsReport) {
    status.is_partial |= !report.current || report.is_partial;
    if !report.current {
        let reason = format!("{} has not checked the present text yet", endpoint.id());
        status.completeness = Completeness::Partial { reason };
    }
    if let Some(note) = &report.note
        && !status.notes.contains(note)
    {
        status.notes.push(note.clone());
    }
}
