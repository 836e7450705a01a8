//! Implementations in other projects. A server that searches only the project of the request's document returns them for
//! a use of the symbol in that project.

use camino::Utf8PathBuf;
use rustc_hash::FxHashSet;
use zubi_base::position::Encoding;
use zubi_base::text::pluralize;
use zubi_base::uri;

use super::locations::{RawLocation, Relation};
use crate::locate::ResolvedTarget;
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::request::position_params;
use crate::status::AnswerStatus;

const RELATION: Relation = Relation::Implementations;

/// The maximum number of files in which zubi requests the implementations at a use.
const MAX_FILES: usize = 100;

impl CodeQuery<'_> {
    /// Adds the implementations that the servers return at the uses of a symbol. A file can be in several projects, and the
    /// projects of a directory differ, so zubi requests them in each file with a use.
    pub(super) async fn add_implementations_at_uses(
        &self,
        at: &ResolvedTarget,
        found: &mut Vec<RawLocation>,
        status: &mut AnswerStatus,
    ) {
        let uses = match Box::pin(self.locations(at, Relation::References { include_declaration: false })).await {
            Ok(uses) => uses,
            Err(error) => {
                status.mark_incomplete(format!("the uses in other projects were not found: {error}"));
                return;
            }
        };
        status.merge(uses.status);
        let own = uri::from_path(&at.path);
        let files = uses.value.chunk_by(|one, next| one.location.uri == next.location.uri);
        let files = files.filter_map(|uses| uses.first()).filter(|first| first.location.uri != own && !first.external);
        let (mut requested, mut failed, mut omitted) = (0, 0, 0);
        for first in files {
            let is_answered = found.iter().any(|one| one.location.uri == first.location.uri);
            if is_answered {
                continue;
            }
            requested += 1;
            if requested > MAX_FILES {
                omitted += 1;
            } else if self.add_implementations_at(first, found).await.is_none() {
                failed += 1;
            }
        }
        for (number, outcome) in [(omitted, "not searched"), (failed, "without an answer")] {
            if number > 0 {
                let files = pluralize(number, "file");
                let reason = format!("the server looks in one project at a time, and {files} with uses are {outcome}");
                status.mark_incomplete(reason);
            }
        }
    }

    /// Requests the implementations at a use. Returns `None` if no server answers.
    async fn add_implementations_at(&self, place: &RawLocation, found: &mut Vec<RawLocation>) -> Option<()> {
        let path = uri::to_path(&place.location.uri)?;
        let document = self.document(&path).await.ok()?;
        let offset = document.index.from_lsp(place.location.range.start, place.encoding);
        let at = self.resolved_target(path, &document, offset, None);
        let ready =
            self.ready_for(&at.reference, RELATION.method(), RELATION.operation(), ReadinessLevel::Project).await;
        let cx = self.request_cx().for_document(&at.reference);
        let params = |endpoint: &dyn zubi_base::endpoint::Endpoint| {
            position_params(&at.reference, &document, at.offset, endpoint.encoding())
        };
        let replies = self.request_all(&ready.ok()?, RELATION.method(), &cx, params).await.ok()?;
        let mut added = Vec::new();
        self.add_replies(&mut added, &replies.replies, &[]);
        self.remove_specifiers(&mut added).await;
        found.extend(added);
        Some(())
    }

    /// Removes the locations that are names in an `import` or `export` list: TypeScript returns the new name of a renamed
    /// one as an implementation.
    async fn remove_specifiers(&self, found: &mut Vec<RawLocation>) {
        let mut specifiers: FxHashSet<(Utf8PathBuf, u32)> = FxHashSet::default();
        for one in found.iter() {
            let Some(path) = uri::to_path(&one.location.uri) else { continue };
            let line = one.location.range.start.line;
            let Ok(document) = self.document(&path).await else { continue };
            let start = document.index.from_lsp(zubi_base::lsp::Position { line, character: 0 }, Encoding::Utf16);
            let text = document.text.get(usize::from(start)..).unwrap_or_default().trim_start();
            if ["import ", "export {", "export type {"].iter().any(|list| text.starts_with(list)) {
                specifiers.insert((path, line));
            }
        }
        found.retain(|one| {
            let path = uri::to_path(&one.location.uri);
            path.is_none_or(|path| !specifiers.contains(&(path, one.location.range.start.line)))
        });
    }
}
