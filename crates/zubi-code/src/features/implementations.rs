//! Implementations in other projects. A server that searches only the project of the request's document returns them for
//! a use of the symbol in that project.

use std::time::Instant;

use rustc_hash::FxHashSet;
use zubi_base::endpoint::{Endpoint, EndpointError};
use zubi_base::text::pluralize;
use zubi_base::{lsp, uri};

use super::locations::{RawLocation, Relation};
use crate::error::CodeError;
use crate::locate::ResolvedTarget;
use crate::outline;
use crate::query::{CodeQuery, SourceDocument};
use crate::readiness::ReadinessLevel;
use crate::request::position_params;
use crate::status::AnswerStatus;

const RELATION: Relation = Relation::Implementations;

/// The maximum number of symbols whose uses zubi follows: the queried one and those that implement it.
const MAX_SYMBOLS: usize = 40;

/// The maximum number of uses at which zubi requests the implementations.
const MAX_USES: usize = 150;

impl CodeQuery<'_> {
    /// Adds the implementations that the servers return at the uses of a symbol, and at the uses of what implements it.
    pub(super) async fn add_implementations_at_uses(
        &self,
        at: &ResolvedTarget,
        found: &mut Vec<RawLocation>,
        status: &mut AnswerStatus,
    ) -> Result<(), CodeError> {
        let mut known: FxHashSet<_> = found.iter().map(key).collect();
        let mut requested = FxHashSet::default();
        let (mut omitted, mut failed) = (0, 0);
        // The queried symbol is the first, and those that were found follow it.
        let mut next = 0;
        while next <= found.len() {
            if next >= MAX_SYMBOLS || Instant::now() >= self.cx.deadline {
                let rest = pluralize(found.len() + 1 - next, "symbol");
                status.mark_incomplete(format!("zubi did not search the uses of {rest} that implement it"));
                break;
            }
            let symbol = match next.checked_sub(1).and_then(|index| found.get(index)) {
                Some(one) => self.target_at(one).await,
                None => Some(at.clone()),
            };
            next += 1;
            let Some(symbol) = symbol else { continue };
            let uses =
                match Box::pin(self.locations(&symbol, Relation::References { include_declaration: false })).await {
                    Ok(uses) => uses,
                    Err(error @ CodeError::Endpoint(EndpointError::Cancelled)) => return Err(error),
                    Err(error) => {
                        status.mark_incomplete(format!("zubi did not find the uses of all that implement it: {error}"));
                        continue;
                    }
                };
            status.merge(uses.status);
            for place in self.places_to_request(&symbol, &uses.value).await {
                if !requested.insert(key(&place)) {
                    continue;
                }
                if requested.len() > MAX_USES {
                    omitted += 1;
                    continue;
                }
                let added = match self.implementations_at(&place, status).await {
                    Ok(added) => added,
                    Err(error @ CodeError::Endpoint(EndpointError::Cancelled)) => return Err(error),
                    Err(_) => {
                        failed += 1;
                        continue;
                    }
                };
                found.extend(added.into_iter().filter(|one| known.insert(key(one))));
            }
        }
        for (number, outcome) in [(omitted, "not searched"), (failed, "without an answer")] {
            if number > 0 {
                let uses = pluralize(number, "use");
                status.mark_incomplete(format!("the server looks in one project at a time, and {uses} are {outcome}"));
            }
        }
        Ok(())
    }

    /// Returns the first use in each file, which is in the projects of the file, and the uses that declare a symbol: the
    /// members that override another one.
    async fn places_to_request(&self, symbol: &ResolvedTarget, uses: &[RawLocation]) -> Vec<RawLocation> {
        let own = uri::from_path(&symbol.path);
        let mut places = Vec::new();
        for uses in uses.chunk_by(|one, next| one.location.uri == next.location.uri) {
            let Some(first) = uses.first().filter(|first| first.location.uri != own && !first.external) else {
                continue;
            };
            places.push(first.clone());
            let Some(path) = uri::to_path(&first.location.uri) else { continue };
            let (Ok(document), Ok(outline)) = (self.document(&path).await, self.declared_in(&path).await) else {
                continue;
            };
            let mut declared = FxHashSet::default();
            outline::walk(&outline.value, |_, symbol| {
                declared.insert(symbol.selection.start());
            });
            let is_declared = |one: &&RawLocation| {
                declared.contains(&document.index.from_lsp(one.location.range.start, one.encoding))
            };
            places.extend(uses.iter().skip(1).filter(is_declared).cloned());
        }
        places
    }

    /// Requests the implementations at a place.
    async fn implementations_at(
        &self,
        place: &RawLocation,
        status: &mut AnswerStatus,
    ) -> Result<Vec<RawLocation>, CodeError> {
        let Some(at) = self.target_at(place).await else { return Ok(Vec::new()) };
        let document = self.document(&at.path).await?;
        let ready =
            self.ready_for(&at.reference, RELATION.method(), RELATION.operation(), ReadinessLevel::Project).await?;
        let cx = self.request_cx().for_document(&at.reference);
        let params =
            |endpoint: &dyn Endpoint| position_params(&at.reference, &document, at.offset, endpoint.encoding());
        let replies = self.request_all(&ready, RELATION.method(), &cx, params).await?;
        status.merge(replies.status);
        let mut added = Vec::new();
        self.add_replies(&mut added, &replies.replies, &[]);
        let mut implementations = Vec::new();
        for one in added {
            let document = match uri::to_path(&one.location.uri) {
                Some(path) => self.document(&path).await.ok(),
                None => None,
            };
            // TypeScript returns the new name of a renamed import as an implementation.
            if !document.is_some_and(|document| is_in_list(&document, &one)) {
                implementations.push(one);
            }
        }
        Ok(implementations)
    }

    /// Returns the target of a query at a location; `None` outside of files.
    async fn target_at(&self, place: &RawLocation) -> Option<ResolvedTarget> {
        let path = uri::to_path(&place.location.uri).filter(|_| !place.external)?;
        let document = self.document(&path).await.ok()?;
        let offset = document.index.from_lsp(place.location.range.start, place.encoding);
        Some(self.resolved_target(path, &document, offset, None))
    }
}

fn key(place: &RawLocation) -> (String, lsp::Position) {
    (place.location.uri.0.clone(), place.location.range.start)
}

/// Whether a location is a name in an `import` statement or in the list of an `export` statement of JavaScript.
fn is_in_list(document: &SourceDocument, place: &RawLocation) -> bool {
    let offset = usize::from(document.index.from_lsp(place.location.range.start, place.encoding));
    let before = document.text.get(..offset).unwrap_or_default();
    let statement = match (before.rfind('{'), before.rfind('}')) {
        (Some(open), close) if close.is_none_or(|close| close < open) => before.get(..open).unwrap_or_default(),
        _ => before,
    };
    let line = statement.rsplit('\n').next().unwrap_or_default().trim();
    line.starts_with("import ") || matches!(line, "import" | "export" | "export type")
}
