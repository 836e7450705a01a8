//! Diagnostics in LSP's form, for programs. Each file says whether all servers that report diagnostics have checked it.

use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::StreamExt as _;
use futures_util::stream;
use zubi_base::endpoint::{DocumentRef, Endpoint, EndpointError, Readiness};
use zubi_base::position::Encoding;
use zubi_base::{lsp, uri};

use super::problem::is_unresolved_import;
use super::{AT_ONCE, MAX_LISTED};
use crate::error::CodeError;
use crate::query::CodeQuery;
use crate::status::more_absent;

/// The diagnostics of one file.
#[derive(Debug, Clone)]
pub struct FileReport {
    pub path: Utf8PathBuf,
    /// LSP's language id of the file, if a server has one.
    pub language: Option<String>,
    /// Columns in UTF-16 units, regardless of the server's encoding.
    pub items: Vec<lsp::Diagnostic>,
    /// Whether every server has checked the current text and read its project. If not, diagnostics may be missing.
    pub analysed: bool,
    /// The endpoint that is still reading its project, with its progress.
    pub loading: Option<String>,
    /// The reason why `analysed` is false.
    pub reason: Option<String>,
    /// Caveats of the answer even when all servers are ready: no `compile_commands.json`, libraries that were not read.
    pub caveats: Vec<String>,
}

/// The diagnostics of many files.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceReport {
    /// The files that were checked before the deadline, sorted by path.
    pub files: Vec<FileReport>,
    /// The number of files that a server serves.
    pub total: usize,
    /// The endpoint that is still reading its project, with its progress.
    pub loading: Option<String>,
    /// Caveats of the answer and gaps in its coverage: projects without a server, languages whose server is not
    /// installed.
    pub notes: Vec<String>,
}

impl CodeQuery<'_> {
    /// Returns the diagnostics of one file, or an error if no server reports diagnostics for it or all of them failed.
    pub async fn file_report(&self, path: &Utf8Path) -> Result<FileReport, CodeError> {
        let reference = DocumentRef::new(path);
        let (ready, reports) = self.reports_of(&reference, Duration::MAX, &self.request_cx()).await?;
        let language = ready.endpoints.iter().find_map(|endpoint| endpoint.language_id(&reference));
        let loading = loading(&ready.endpoints);
        let mut report = FileReport {
            path: path.to_owned(),
            language,
            items: Vec::new(),
            analysed: loading.is_none(),
            loading,
            reason: None,
            caveats: Vec::new(),
        };
        let mut failures: Vec<EndpointError> = Vec::new();
        for (endpoint, answer) in ready.endpoints.iter().zip(reports) {
            match answer {
                Ok(answer) => {
                    report.analysed &= answer.current && !answer.is_partial;
                    if !answer.current {
                        report.reason = Some(format!("{} has not checked the present text yet", endpoint.id()));
                    } else if answer.is_partial {
                        report.reason = answer.note;
                    }
                    for item in answer.items {
                        report.items.push(self.problem_in_utf16(item, path, endpoint.encoding()).await);
                    }
                }
                Err(error) => failures.push(error),
            }
        }
        if let Some(error) = failures.pop() {
            if failures.len() + 1 == ready.endpoints.len() {
                return Err(error.into());
            }
            report.analysed = false;
            report.reason = Some(error.to_string());
        }
        report.items.sort_by_key(|item| (item.range.start.line, item.range.start.character));
        report.items.dedup();
        let mut status = ready.status;
        let has_unresolved_import = report.items.iter().any(|item| {
            serde_json::to_value(&item.code).is_ok_and(|code| code.as_str().is_some_and(is_unresolved_import))
        });
        status.add_library_caveats_to(!report.items.is_empty(), has_unresolved_import);
        report.caveats = [status.gaps, status.notes, status.remarks].concat();
        Ok(report)
    }

    /// Returns the diagnostics of at most `most` files, as far as the deadline allows. A file whose request fails
    /// counts as not checked. Returns an error if no server reports diagnostics in this workspace.
    pub async fn workspace_report(&self, most: usize) -> Result<WorkspaceReport, CodeError> {
        let found = self.ready_for_problems_anywhere().await?;
        let listed = self.served_files(&found.endpoints, None).await;
        let cut = listed.is_cut.then(|| format!("only the first {MAX_LISTED} files were looked at"));
        let files = listed.served;
        let mut report = WorkspaceReport { total: files.len(), ..WorkspaceReport::default() };
        let requests =
            stream::iter(files.into_iter().take(most)).map(|path| async move { self.file_report(&path).await });
        let end = tokio::time::sleep_until(self.cx.deadline.into());
        let answers: Vec<_> = requests.buffer_unordered(AT_ONCE).take_until(end).collect().await;
        let mut failure = None;
        for answer in answers {
            match answer {
                Ok(file) => report.files.push(file),
                // Requests usually fail for the same reason, so one is enough.
                Err(error) => failure = Some(error.to_string()),
            }
        }
        report.files.sort_by(|one, other| one.path.cmp(&other.path));
        report.loading = loading(&found.endpoints);
        report.notes.extend(failure);
        report.notes.extend(cut);
        report.notes.extend(found.uncovered);
        let absent = found.absent.iter().take(crate::status::MAX_ABSENT);
        report.notes.extend(absent.map(|absent| format!("{}: {}", absent.reason, absent.hint)));
        report.notes.extend(more_absent(found.absent.len()));
        for caveat in report.files.iter().flat_map(|file| &file.caveats) {
            if !report.notes.contains(caveat) {
                report.notes.push(caveat.clone());
            }
        }
        Ok(report)
    }

    /// Converts the ranges of a diagnostic to UTF-16 units.
    async fn problem_in_utf16(&self, item: lsp::Diagnostic, path: &Utf8Path, encoding: Encoding) -> lsp::Diagnostic {
        if encoding == Encoding::Utf16 {
            return item;
        }
        let mut item = item;
        item.range = self.range_in_utf16(item.range, path, encoding).await;
        for related in item.related_information.iter_mut().flatten() {
            if let Some(path) = uri::to_path(&related.location.uri) {
                related.location.range = self.range_in_utf16(related.location.range, &path, encoding).await;
            }
        }
        item
    }

    async fn range_in_utf16(&self, range: lsp::Range, path: &Utf8Path, encoding: Encoding) -> lsp::Range {
        // Without the text, zubi cannot convert the server's range.
        let Ok(document) = self.document(path).await else { return range };
        document.index.range_to_lsp(document.index.range_from_lsp(&range, encoding), Encoding::Utf16)
    }
}

/// Returns the endpoint that is still reading its project, with its progress.
fn loading(endpoints: &[Arc<dyn Endpoint>]) -> Option<String> {
    endpoints.iter().find_map(|endpoint| match endpoint.readiness() {
        state @ (Readiness::Starting | Readiness::Loading { .. }) => Some(format!("{} is {state}", endpoint.id())),
        Readiness::Ready | Readiness::Unknown { .. } | Readiness::Failed { .. } => None,
    })
}
