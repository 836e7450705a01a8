//! `textDocument/diagnostic`, `workspace/diagnostic`: models, manifests and locks.
//!
//! A result id is computed from the content, so a client that sends the id it has gets an unchanged report if the
//! result is the same.
//!
//! Few clients request diagnostics of the workspace, and most request only those of open documents, which manifests
//! seldom are. A client that supports related documents therefore gets those of a model's module with the model. A
//! client with neither sees the diagnostics of a manifest when it opens it: the server cannot know beforehand whether
//! the client will request the workspace, and publishing the diagnostics as well would show them twice.

use std::collections::BTreeMap;

use camino::Utf8Path;
use dlang_workspace::modules::Module;
use zubi_base::lsp;

use crate::diagnostics::{by_file, result_id};
use crate::request::RequestError;
use crate::snapshot::Snapshot;

pub(super) fn document(
    snapshot: &Snapshot,
    params: &lsp::DocumentDiagnosticParams,
) -> Result<lsp::DocumentDiagnosticReport, RequestError> {
    let path = snapshot.path(&params.text_document.uri);
    let found = path.as_deref().map_or(Ok(Vec::new()), |path| file_diagnostics(snapshot, path))?;
    let manifests = path.as_deref().map_or(Ok(Vec::new()), |path| manifests(snapshot, path))?;
    let related_documents = (!manifests.is_empty()).then(|| manifests.into_iter().collect());
    Ok(match report(found, params.previous_result_id.as_deref()) {
        Report::Full(full) => lsp::DocumentDiagnosticReport::RelatedFullDocumentDiagnosticReport(
            lsp::RelatedFullDocumentDiagnosticReport { related_documents, full_document_diagnostic_report: full },
        ),
        Report::Unchanged(unchanged) => lsp::DocumentDiagnosticReport::RelatedUnchangedDocumentDiagnosticReport(
            lsp::RelatedUnchangedDocumentDiagnosticReport {
                related_documents,
                unchanged_document_diagnostic_report: unchanged,
            },
        ),
    })
}

fn file_diagnostics(snapshot: &Snapshot, path: &Utf8Path) -> Result<Vec<lsp::Diagnostic>, RequestError> {
    let problems = snapshot.workspace().problems_of(path)?;
    Ok(by_file(snapshot, &problems)?.into_values().flatten().collect())
}

/// Returns the reports of the manifest and the lock of a file's module, for a client that supports related documents.
/// Includes empty reports, because diagnostics may have been fixed.
fn manifests(snapshot: &Snapshot, path: &Utf8Path) -> Result<Vec<(lsp::Uri, lsp::RelatedDocument)>, RequestError> {
    let module = snapshot.module_of(path).filter(|_| snapshot.settings.has_related_documents);
    let others = module.into_iter().flat_map(Module::own_texts).filter(|own| own.path != path);
    let report = |own: &Utf8Path| {
        let items = file_diagnostics(snapshot, own)?;
        let full = lsp::FullDocumentDiagnosticReport { result_id: Some(result_id(&items)), items };
        Ok((snapshot.uri(own), lsp::RelatedDocument::FullDocumentDiagnosticReport(full)))
    };
    others.map(|own| report(own.path)).collect()
}

/// Reports every file with diagnostics, and every file of which the client has a result.
pub(super) fn workspace(
    snapshot: &Snapshot,
    params: &lsp::WorkspaceDiagnosticParams,
) -> Result<lsp::WorkspaceDiagnosticReport, RequestError> {
    let found = by_file(snapshot, &snapshot.workspace().problems()?)?;
    let found = found.into_iter().map(|(path, diagnostics)| (snapshot.uri(&path).0, diagnostics));
    let mut found: BTreeMap<String, Vec<lsp::Diagnostic>> = found.collect();
    let mut previous = BTreeMap::new();
    for previous_result in &params.previous_result_ids {
        found.entry(previous_result.uri.0.clone()).or_default();
        previous.insert(previous_result.uri.0.as_str(), previous_result.value.as_str());
    }
    let items = found.into_iter().map(|(uri, diagnostics)| {
        let previous = previous.get(uri.as_str()).copied();
        let uri = lsp::Uri(uri);
        let version = snapshot.path(&uri).and_then(|path| snapshot.version(&path));
        match report(diagnostics, previous) {
            Report::Full(full) => lsp::WorkspaceDocumentDiagnosticReport::WorkspaceFullDocumentDiagnosticReport(
                lsp::WorkspaceFullDocumentDiagnosticReport { uri, version, full_document_diagnostic_report: full },
            ),
            Report::Unchanged(unchanged) => {
                lsp::WorkspaceDocumentDiagnosticReport::WorkspaceUnchangedDocumentDiagnosticReport(
                    lsp::WorkspaceUnchangedDocumentDiagnosticReport {
                        uri,
                        version,
                        unchanged_document_diagnostic_report: unchanged,
                    },
                )
            }
        }
    });
    Ok(lsp::WorkspaceDiagnosticReport { items: items.collect() })
}

enum Report {
    Full(lsp::FullDocumentDiagnosticReport),
    Unchanged(lsp::UnchangedDocumentDiagnosticReport),
}

fn report(items: Vec<lsp::Diagnostic>, previous: Option<&str>) -> Report {
    let result_id = result_id(&items);
    if previous == Some(&*result_id) {
        Report::Unchanged(lsp::UnchangedDocumentDiagnosticReport { result_id })
    } else {
        Report::Full(lsp::FullDocumentDiagnosticReport { result_id: Some(result_id), items })
    }
}
