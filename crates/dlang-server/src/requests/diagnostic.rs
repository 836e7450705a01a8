//! `textDocument/diagnostic`, `workspace/diagnostic`: models, manifests and locks.
//!
//! The name of a result is made of what is in it, so a client that names the one it has is told when it is the same.

use std::collections::BTreeMap;

use zubi_base::lsp;

use crate::diagnostics::{by_file, result_id};
use crate::methods::RequestError;
use crate::snapshot::Snapshot;

pub(super) fn document(
    snapshot: &Snapshot,
    params: &lsp::DocumentDiagnosticParams,
) -> Result<lsp::DocumentDiagnosticReport, RequestError> {
    let problems = match snapshot.path(&params.text_document.uri) {
        Some(path) => snapshot.workspace().problems_of(&path)?,
        None => Vec::new(),
    };
    let found = by_file(snapshot, &problems)?.into_values().flatten().collect();
    Ok(match report(found, params.previous_result_id.as_deref()) {
        Report::Full(full) => lsp::DocumentDiagnosticReport::RelatedFullDocumentDiagnosticReport(
            lsp::RelatedFullDocumentDiagnosticReport { related_documents: None, full_document_diagnostic_report: full },
        ),
        Report::Same(same) => lsp::DocumentDiagnosticReport::RelatedUnchangedDocumentDiagnosticReport(
            lsp::RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: same,
            },
        ),
    })
}

/// Every file that something is wrong with, and those that the client knows a result of.
pub(super) fn workspace(
    snapshot: &Snapshot,
    params: &lsp::WorkspaceDiagnosticParams,
) -> Result<lsp::WorkspaceDiagnosticReport, RequestError> {
    let found = by_file(snapshot, &snapshot.workspace().problems()?)?;
    let found = found.into_iter().map(|(path, diagnostics)| (snapshot.uri(&path).0, diagnostics));
    let mut found: BTreeMap<String, Vec<lsp::Diagnostic>> = found.collect();
    let mut previous = BTreeMap::new();
    for known in &params.previous_result_ids {
        found.entry(known.uri.0.clone()).or_default();
        previous.insert(known.uri.0.as_str(), known.value.as_str());
    }
    let items = found.into_iter().map(|(uri, diagnostics)| {
        let previous = previous.get(uri.as_str()).copied();
        let uri = lsp::Uri(uri);
        let version = snapshot.path(&uri).and_then(|path| snapshot.version(&path));
        match report(diagnostics, previous) {
            Report::Full(full) => lsp::WorkspaceDocumentDiagnosticReport::WorkspaceFullDocumentDiagnosticReport(
                lsp::WorkspaceFullDocumentDiagnosticReport { uri, version, full_document_diagnostic_report: full },
            ),
            Report::Same(same) => lsp::WorkspaceDocumentDiagnosticReport::WorkspaceUnchangedDocumentDiagnosticReport(
                lsp::WorkspaceUnchangedDocumentDiagnosticReport {
                    uri,
                    version,
                    unchanged_document_diagnostic_report: same,
                },
            ),
        }
    });
    Ok(lsp::WorkspaceDiagnosticReport { items: items.collect() })
}

enum Report {
    Full(lsp::FullDocumentDiagnosticReport),
    Same(lsp::UnchangedDocumentDiagnosticReport),
}

fn report(items: Vec<lsp::Diagnostic>, previous: Option<&str>) -> Report {
    let result_id = result_id(&items);
    if previous == Some(&*result_id) {
        Report::Same(lsp::UnchangedDocumentDiagnosticReport { result_id })
    } else {
        Report::Full(lsp::FullDocumentDiagnosticReport { result_id: Some(result_id), items })
    }
}
