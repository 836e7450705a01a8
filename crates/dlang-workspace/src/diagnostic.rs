//! Diagnostics of manifests and locks.

use dlang_model::{ModelCode, ModelDiagnostic};
use text_size::TextRange;

/// The `source` of diagnostics on `model.yaml` and `model.lock`, equal to that of DomainLang's original tools. The
/// caller sets the source of diagnostics on models (`domain-lang`).
pub const SOURCE: &str = "domainlang";

/// The maximum number of diagnostics per text; one more reports that there are others.
pub const MAX_DIAGNOSTICS: usize = 200;

/// Collects diagnostics up to the limit, and sorts them into text order.
#[derive(Debug, Default)]
pub(crate) struct DiagnosticCollector {
    list: Vec<ModelDiagnostic>,
    omitted: usize,
}

impl DiagnosticCollector {
    pub(crate) fn push(&mut self, diagnostic: ModelDiagnostic) {
        if self.list.len() < MAX_DIAGNOSTICS {
            self.list.push(diagnostic);
        } else {
            self.omitted += 1;
        }
    }

    pub(crate) fn finish(mut self) -> Vec<ModelDiagnostic> {
        self.list.sort_by_key(|diagnostic| (diagnostic.range.start(), diagnostic.range.end()));
        if self.omitted > 0 {
            let text = format!("{} further problems are not listed.", self.omitted);
            self.list.push(ModelDiagnostic::new(TextRange::default(), ModelCode::ManifestTooManyProblems, text));
        }
        self.list
    }
}
