//! Diagnostics for clients.
//!
//! A client that pulls diagnostics (`textDocument/diagnostic`, `workspace/diagnostic`) receives no notifications: it
//! would show both. For any other client they are published: for every file with diagnostics, open or not, models,
//! manifests and locks alike, and an empty list once they are fixed. Open documents get an empty list, too, with their
//! version, so that a client knows that they were checked. Publishing starts with a delay after the last change, on
//! another thread, and is cancelled by the next change.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use camino::Utf8PathBuf;
use dlang_model::QueryCancelled;
use dlang_syntax::DiagnosticCode as _;
use dlang_workspace::workspace::LocatedDiagnostic;
use serde_json::Value;
use zubi_base::lsp;

use crate::client::ClientHandle;
use crate::convert::{PositionMapper, severity};
use crate::snapshot::Snapshot;

/// Diagnostics of one file, ready to be sent.
pub(crate) struct DiagnosticsToPublish {
    pub(crate) uri: String,
    params: Value,
    is_empty: bool,
}

/// Groups diagnostics by file; `problems` must be sorted by file.
pub(crate) fn by_file(
    snapshot: &Snapshot,
    problems: &[LocatedDiagnostic],
) -> Result<BTreeMap<Utf8PathBuf, Vec<lsp::Diagnostic>>, QueryCancelled> {
    let mapper = PositionMapper::new(snapshot);
    let mut found: BTreeMap<Utf8PathBuf, Vec<lsp::Diagnostic>> = BTreeMap::new();
    for problem in problems {
        found.entry(problem.path.clone()).or_default().push(diagnostic(snapshot, &mapper, problem)?);
    }
    Ok(found)
}

fn diagnostic(
    snapshot: &Snapshot,
    mapper: &PositionMapper<'_>,
    problem: &LocatedDiagnostic,
) -> Result<lsp::Diagnostic, QueryCancelled> {
    let found = &problem.diagnostic;
    let mut related = Vec::new();
    if snapshot.settings.has_related {
        for entry in &found.related {
            let range = mapper.path_lines(&entry.location.path)?.range(entry.location.range);
            let location = lsp::Location { uri: snapshot.uri(&entry.location.path), range };
            related.push(lsp::DiagnosticRelatedInformation { location, message: entry.message.to_owned() });
        }
    }
    Ok(lsp::Diagnostic {
        range: mapper.path_lines(&problem.path)?.range(found.range),
        severity: Some(severity(found.severity())),
        code: Some(lsp::Code::String(found.code.as_str().to_owned())),
        code_description: None,
        source: Some(problem.source.to_owned()),
        message: lsp::Message::String(found.text()),
        tags: None,
        related_information: (!related.is_empty()).then_some(related),
        data: None,
    })
}

/// Returns the identifier of a list of diagnostics, computed from its content.
pub(crate) fn result_id(diagnostics: &[lsp::Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    diagnostics.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Returns the diagnostics to publish: of every file that has some, and of every open document.
pub(crate) fn collect_diagnostics(snapshot: &Snapshot) -> Result<Vec<DiagnosticsToPublish>, QueryCancelled> {
    let mut found = by_file(snapshot, &snapshot.workspace().problems()?)?;
    for (path, _) in snapshot.names().iter() {
        found.entry(path.clone()).or_default();
    }
    let published = found.into_iter().map(|(path, diagnostics)| {
        let uri = snapshot.uri(&path);
        let is_empty = diagnostics.is_empty();
        let (text, version) = (uri.0.clone(), snapshot.version(&path));
        let params = lsp::PublishDiagnosticsParams { uri, version, diagnostics };
        DiagnosticsToPublish { uri: text, params: serde_json::to_value(params).unwrap_or_default(), is_empty }
    });
    Ok(published.collect())
}

/// State of the published diagnostics.
#[derive(Default)]
pub(crate) struct Publisher {
    /// Last sent params, by document; without those that were cleared.
    sent: BTreeMap<String, Value>,
}

impl Publisher {
    /// Sends the diagnostics that differ from those sent before.
    pub(crate) fn publish(&mut self, client: &ClientHandle, found: Vec<DiagnosticsToPublish>) {
        let mut old = std::mem::take(&mut self.sent);
        for published in found {
            let before = old.remove(&published.uri);
            let is_new = before.as_ref() != Some(&published.params);
            if is_new {
                client.notify("textDocument/publishDiagnostics", published.params.clone());
            }
            let is_stored = !published.is_empty || published.params.get("version").is_some();
            if is_stored {
                self.sent.insert(published.uri, published.params);
            }
        }
        for (uri, before) in old {
            let was_empty = before.get("diagnostics").and_then(Value::as_array).is_some_and(Vec::is_empty);
            if !was_empty {
                let cleared = serde_json::json!({ "uri": uri, "diagnostics": [] });
                client.notify("textDocument/publishDiagnostics", cleared);
            }
        }
    }
}
