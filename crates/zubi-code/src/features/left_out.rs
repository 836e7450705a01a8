//! Uses that a server resolves to a symbol, but does not report with it: their project reads the symbol's file, and that of
//! the symbol does not read theirs. TypeScript 7 reports only the symbol's own file if no `tsconfig.json` is above it. A
//! request at such a use returns the rest.

use zubi_base::position::Encoding;
use zubi_base::uri;

use super::locations::{RawLocation, Relation};
use crate::locate::ResolvedTarget;
use crate::query::CodeQuery;
use crate::status::{AnswerSource, AnswerStatus, QualifiedAnswer};

/// The maximum number of files in which a use is queried.
const MAX_FILES: usize = 4;

impl CodeQuery<'_> {
    /// Returns the first of the uses in each of the first files.
    pub(super) async fn first_uses(&self, left_out: &[RawLocation]) -> Vec<ResolvedTarget> {
        let mut uses = Vec::new();
        for group in left_out.chunk_by(|one, next| one.location.uri == next.location.uri).take(MAX_FILES) {
            let Some(first) = group.first() else { continue };
            let Some(path) = uri::to_path(&first.location.uri) else { continue };
            let Ok(document) = self.document(&path).await else { continue };
            let offset = document.index.from_lsp(first.location.range.start, Encoding::Utf16);
            uses.push(self.resolved_target(path, &document, offset, None));
        }
        uses
    }

    /// Returns the references that the servers report at uses that they left out, without `known` ones. Those of a use count
    /// if a known place is among them, because then they are about the same symbol.
    pub(super) async fn references_at_uses(
        &self,
        left_out: &[RawLocation],
        known: &[RawLocation],
    ) -> QualifiedAnswer<Vec<RawLocation>> {
        let mut all = QualifiedAnswer { value: Vec::new(), status: AnswerStatus::default() };
        for target in self.first_uses(left_out).await {
            let Ok(answer) = self.locations(&target, Relation::References { include_declaration: true }).await else {
                continue;
            };
            let mut added = Vec::new();
            for location in &answer.value {
                if !self.is_among(location, known).await {
                    added.push(location.clone());
                }
            }
            let is_same_symbol = added.len() < answer.value.len();
            if answer.status.source == AnswerSource::Servers && is_same_symbol && !added.is_empty() {
                all.value.extend(added);
                all.status.merge(answer.status);
            }
        }
        all
    }
}
