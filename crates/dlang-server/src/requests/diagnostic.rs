//! `textDocument/diagnostic`, `workspace/diagnostic`: models, manifests and locks.
//!
//! The name of a result is made of what is in it, so a client that names the one it has is told when it is the same.
//!
//! Few clients ask for the workspace, and of documents only for those that are open, which manifests seldom are. A client
//! that takes related documents therefore gets those of a model's module with the model. One that does neither sees what is
//! wrong with a manifest when it opens it: nothing says beforehand that it will not ask for the workspace, and if it did it
//! would show twice what it was sent.

use std::collections::BTreeMap;

use camino::Utf8Path;
use dlang_workspace::modules::Module;
use zubi_base::lsp;

use crate::diagnostics::{by_file, result_id};
use crate::methods::RequestError;
use crate::snapshot::Snapshot;

pub(super) fn document(
    snapshot: &Snapshot,
    params: &lsp::DocumentDiagnosticParams,
) -> Result<lsp::DocumentDiagnosticReport, RequestError> {
    let path = snapshot.path(&params.text_document.uri);
    let found = path.as_deref().map_or(Ok(Vec::new()), |path| of_file(snapshot, path))?;
    let manifests = path.as_deref().map_or(Ok(Vec::new()), |path| manifests(snapshot, path))?;
    let related_documents = (!manifests.is_empty()).then(|| manifests.into_iter().collect());
    Ok(match report(found, params.previous_result_id.as_deref()) {
        Report::Full(full) => lsp::DocumentDiagnosticReport::RelatedFullDocumentDiagnosticReport(
            lsp::RelatedFullDocumentDiagnosticReport { related_documents, full_document_diagnostic_report: full },
        ),
        Report::Same(same) => lsp::DocumentDiagnosticReport::RelatedUnchangedDocumentDiagnosticReport(
            lsp::RelatedUnchangedDocumentDiagnosticReport {
                related_documents,
                unchanged_document_diagnostic_report: same,
            },
        ),
    })
}

fn of_file(snapshot: &Snapshot, path: &Utf8Path) -> Result<Vec<lsp::Diagnostic>, RequestError> {
    let problems = snapshot.workspace().problems_of(path)?;
    Ok(by_file(snapshot, &problems)?.into_values().flatten().collect())
}

/// The manifest and the lock of the module that a file lies in, for a client that takes them along with it. Those without a
/// mistake are among them: one may have been put right.
fn manifests(snapshot: &Snapshot, path: &Utf8Path) -> Result<Vec<(lsp::Uri, lsp::RelatedDocument)>, RequestError> {
    let module = snapshot.module_of(path).filter(|_| snapshot.settings.has_related_documents);
    let others = module.into_iter().flat_map(Module::own_texts).filter(|own| own.path != path);
    let report = |own: &Utf8Path| {
        let items = of_file(snapshot, own)?;
        let full = lsp::FullDocumentDiagnosticReport { result_id: Some(result_id(&items)), items };
        Ok((snapshot.uri(own), lsp::RelatedDocument::FullDocumentDiagnosticReport(full)))
    };
    others.map(|own| report(own.path)).collect()
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
