//! What is wrong, as clients see it.
//!
//! A client that asks for diagnostics (`textDocument/diagnostic`, `workspace/diagnostic`) is sent none: it would show
//! both. To any other client they are published: for every file that something is wrong with, open or not, models,
//! manifests and locks alike, and an empty list when it is put right. Open documents get an empty list too, with their
//! version, so that a client knows that it was looked at. That happens some time after the last change, on another
//! thread, and is given up when the next change comes.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use camino::Utf8PathBuf;
use dlang_model::QueryCancelled;
use dlang_workspace::workspace::Problem;
use serde_json::Value;
use zubi_base::lsp;

use crate::client::ClientHandle;
use crate::convert::{PositionMapper, severity};
use crate::snapshot::Snapshot;

/// The diagnostics of one file, ready to be sent.
pub(crate) struct DiagnosticsToPublish {
    pub(crate) uri: String,
    params: Value,
    is_empty: bool,
}

/// Diagnostics by file, for problems that are in the order of their files.
pub(crate) fn by_file(
    snapshot: &Snapshot,
    problems: &[Problem],
) -> Result<BTreeMap<Utf8PathBuf, Vec<lsp::Diagnostic>>, QueryCancelled> {
    let places = PositionMapper::new(snapshot);
    let mut found: BTreeMap<Utf8PathBuf, Vec<lsp::Diagnostic>> = BTreeMap::new();
    for problem in problems {
        found.entry(problem.path.clone()).or_default().push(diagnostic(snapshot, &places, problem)?);
    }
    Ok(found)
}

fn diagnostic(snapshot: &Snapshot, places: &PositionMapper<'_>, problem: &Problem) -> Result<lsp::Diagnostic, QueryCancelled> {
    let mut related = Vec::new();
    if snapshot.settings.has_related {
        for place in &problem.related {
            let range = places.of_path(&place.path)?.range(place.range);
            let location = lsp::Location { uri: snapshot.uri(&place.path), range };
            related.push(lsp::DiagnosticRelatedInformation { location, message: place.message.to_owned() });
        }
    }
    Ok(lsp::Diagnostic {
        range: places.of_path(&problem.path)?.range(problem.range),
        severity: Some(severity(problem.severity)),
        code: Some(lsp::Code::String(problem.code.to_owned())),
        code_description: None,
        source: Some(problem.source.to_owned()),
        message: lsp::Message::String(problem.message.clone()),
        tags: None,
        related_information: (!related.is_empty()).then_some(related),
        data: None,
    })
}

/// The name of a list of diagnostics: equal lists have equal names.
pub(crate) fn result_id(diagnostics: &[lsp::Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    diagnostics.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// What there is to publish: each file that something is wrong with, and each open document.
pub(crate) fn everything(snapshot: &Snapshot) -> Result<Vec<DiagnosticsToPublish>, QueryCancelled> {
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

/// What the client was told.
#[derive(Default)]
pub(crate) struct Publisher {
    /// What was sent last, by document; without those that nothing is known about.
    sent: BTreeMap<String, Value>,
}

impl Publisher {
    /// Sends what is different from what was sent before.
    pub(crate) fn publish(&mut self, client: &ClientHandle, found: Vec<DiagnosticsToPublish>) {
        let mut old = std::mem::take(&mut self.sent);
        for published in found {
            let before = old.remove(&published.uri);
            let is_new = before.as_ref() != Some(&published.params);
            if is_new {
                client.notify("textDocument/publishDiagnostics", published.params.clone());
            }
            let is_kept = !published.is_empty || published.params.get("version").is_some();
            if is_kept {
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
