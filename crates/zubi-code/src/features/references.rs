//! References of a symbol, checked against the word matches of its name.
//!
//! A server reports what it has read. The texts show what else mentions the name, so that an answer can say which part
//! may be missing, or prove that nothing is.

use std::time::{Duration, Instant};

use camino::Utf8Path;
use zubi_base::endpoint::{DocumentRef, EndpointError, Readiness};
use zubi_base::text::{list_first, pluralize};

use crate::error::CodeError;
use crate::exact_answer::ExactReferences;
use crate::features::locations::{RawLocation, Relation};
use crate::features::mentions::{Mentions, UnreadMentions};
use crate::locate::ResolvedTarget;
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::request::{Replies, position_params};
use crate::status::{AnswerSource, AnswerStatus, Completeness, QualifiedAnswer};
use crate::text_search::{FileKind, SearchLimit, WordOccurrences};

/// The pause before an unsettled server is queried again; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(800);

/// The time in which zubi queries an unsettled server again. pyrefly 1.2 needs 0.5 s for a small project.
const UNSETTLED: Duration = Duration::from_secs(4);

/// The age at which a server without a readiness signal counts as settled.
const SETTLED_AGE: Duration = Duration::from_secs(20);

/// The maximum number of other languages' files whose own servers are queried.
const MAX_OTHER_FILES: usize = 8;

/// The references of a symbol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolReferences {
    /// Sorted by path and line.
    pub locations: Vec<RawLocation>,
    /// The word matches that are not references. `None` if there is no name, or if the search took too long.
    pub mentions: Option<Mentions>,
    /// References in projects that no server has answered about, from imported data. They are not among the others.
    pub unqueried: Option<ExactReferences>,
}

impl CodeQuery<'_> {
    /// Returns the references of a target, and rates their completeness by the word matches of its name.
    pub async fn references(
        &self,
        at: &ResolvedTarget,
        include_declaration: bool,
    ) -> Result<QualifiedAnswer<SymbolReferences>, CodeError> {
        let relation = Relation::References { include_declaration };
        let (until, mut pause) = (Instant::now() + UNSETTLED.min(self.cx.wait), FIRST_PAUSE);
        let mut has_opened_files = false;
        loop {
            // The text search runs while the servers work.
            let (answer, words) = tokio::join!(self.locations(at, relation), self.search_word(at));
            let QualifiedAnswer { value: mut locations, mut status } = answer?;
            let is_cut = matches!(words, Some(Err(SearchLimit::Time)));
            let Some(Ok(words)) = words.filter(|_| status.source == AnswerSource::Servers) else {
                match at.name.as_deref().filter(|_| is_cut && status.source == AnswerSource::Servers) {
                    Some(name) => status.mark_incomplete(format!(
                        "the search for `{name}` in files that the servers do not read took too long; give a larger `waitMs`"
                    )),
                    None => add_unsearched_note(at, &mut status),
                }
                status.add_library_caveats(locations.is_empty());
                return Ok(QualifiedAnswer {
                    value: SymbolReferences { locations, ..SymbolReferences::default() },
                    status,
                });
            };
            // Excluded declarations are references too, so they are not other mentions.
            let mut known = if include_declaration {
                locations.clone()
            } else {
                self.locations(at, Relation::References { include_declaration: true }).await?.value
            };
            if let Some(counterpart) = self.counterpart(at, &known).await
                && let Ok(other) = self.locations(&counterpart, relation).await
            {
                locations.extend(other.value.iter().cloned());
                known.extend(other.value);
                self.sort(&mut locations).await;
                self.sort(&mut known).await;
                status.merge(other.status);
            }
            let mut sorted = self.sort_mentions(at, &known, &words).await;
            if sorted.unread().iter().any(|file| !file.locations.is_empty()) {
                let others = self.query_other_servers(sorted.unread(), &known, &words).await?;
                if !others.replies.is_empty() {
                    self.add_replies(&mut locations, &others.replies, &[]);
                    self.sort(&mut locations).await;
                    known.extend(locations.iter().cloned());
                    self.sort(&mut known).await;
                    status.merge(others.status);
                    sorted = self.sort_mentions(at, &known, &words).await;
                }
            }
            let is_unsettled = matches!(status.completeness, Completeness::Unknown { .. })
                && !sorted.has_no_code()
                && status.endpoints.iter().any(|endpoint| is_young(&endpoint.readiness));
            if is_unsettled && Instant::now() + pause < until.min(self.cx.deadline) {
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = self.cx.cancel.cancelled() => return Err(EndpointError::Cancelled.into()),
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
                continue;
            }
            let mentions = if status.endpoints.iter().all(|endpoint| endpoint.readiness.is_settled()) {
                let (mut mentions, outcome) = self.prove_mentions(at, &known, sorted).await;
                // Some servers report uses in files outside their project once these are open (pyright 1.1, gopls 0.16).
                if outcome.has_new_uses && !has_opened_files && Instant::now() < self.cx.deadline {
                    has_opened_files = true;
                    continue;
                }
                let others = self.references_at_uses(&outcome.left_out, &known).await;
                if !others.value.is_empty() {
                    for found in [&mut locations, &mut known] {
                        found.extend(others.value.iter().cloned());
                        self.sort(found).await;
                    }
                    status.merge(others.status);
                    let sorted = self.sort_mentions(at, &known, &words).await;
                    (mentions, _) = self.prove_mentions(at, &known, sorted).await;
                }
                mentions
            } else {
                self.leave_unchecked(sorted)
            };
            rate(at, &mut status, known.len(), &mentions);
            status.add_library_caveats(locations.is_empty() && !mentions.has_only_namesakes());
            let unqueried = self.exact_references_elsewhere(at, &known, &mut status.notes).await;
            let value = SymbolReferences { locations, mentions: Some(mentions), unqueried };
            return Ok(QualifiedAnswer { value, status });
        }
    }

    /// Queries the servers of other languages' files that mention the name: their references count if they include one
    /// that is known, because then they are about the same symbol.
    async fn query_other_servers(
        &self,
        unread: &[UnreadMentions],
        known: &[RawLocation],
        words: &WordOccurrences,
    ) -> Result<Replies, CodeError> {
        let mut all = Replies { replies: Vec::new(), status: AnswerStatus::default() };
        let relation = Relation::References { include_declaration: true };
        let is_embedding =
            |path: &Utf8Path| words.files.iter().any(|file| file.path == path && file.kind == FileKind::Embedding);
        for file in unread.iter().filter(|file| is_embedding(&file.path)).take(MAX_OTHER_FILES) {
            let Some(first) = file.locations.first() else { continue };
            let reference = DocumentRef::new(file.path.clone());
            let Ok(ready) =
                self.ready_for(&reference, relation.method(), relation.operation(), ReadinessLevel::Project).await
            else {
                continue;
            };
            let document = self.document(&file.path).await?;
            let offset = document.index.from_lsp(first.location.range.start, first.encoding);
            let cx = self.request_cx().for_document(&reference);
            let replies = self
                .request_all(&ready, relation.method(), &cx, |endpoint| {
                    let mut params = position_params(&reference, &document, offset, endpoint.encoding());
                    relation.add_context(&mut params);
                    params
                })
                .await;
            let Ok(mut replies) = replies else { continue };
            replies.replies.retain(|reply| {
                let found = crate::location::parse(&reply.result);
                found.iter().any(|found| {
                    known
                        .iter()
                        .any(|known| known.location.uri == found.uri && known.location.range.start == found.range.start)
                })
            });
            if !replies.replies.is_empty() {
                all.replies.extend(replies.replies);
                all.status.merge(replies.status);
            }
        }
        Ok(all)
    }
}

/// Whether a server without a readiness signal may still be reading the project.
fn is_young(readiness: &Readiness) -> bool {
    matches!(readiness, Readiness::Unknown { elapsed } if *elapsed < SETTLED_AGE)
}

/// Notes that the texts did not confirm an answer, if the search for the symbol's name did not finish.
pub(crate) fn add_unsearched_note(at: &ResolvedTarget, status: &mut AnswerStatus) {
    let is_marked =
        status.source != AnswerSource::Servers || matches!(status.completeness, Completeness::Partial { .. });
    if let Some(name) = at.name.as_deref().filter(|_| !is_marked) {
        status
            .notes
            .push(format!("zubi did not look for `{name}` in files that the servers do not read: too many matches"));
    }
}

/// Rates an answer about every use of a symbol by the matches that it does not contain.
pub(crate) fn rate(at: &ResolvedTarget, status: &mut AnswerStatus, references: usize, mentions: &Mentions) {
    let name = at.name.as_deref().unwrap_or_default();
    if !mentions.quoted.is_empty() {
        status
            .notes
            .push(format!("`{name}` is also in strings that may look it up: {}", describe_places(&mentions.quoted)));
    }
    if !mentions.unresolved.is_empty() {
        let places = describe_places(&mentions.unresolved);
        status.notes.push(format!("the server does not know whether these are `{name}`: {places}"));
    }
    if mentions.has_only_namesakes() {
        // Every mention in code is a reference or another symbol: what the servers may not have read does not mention it.
        status.excuse_gaps();
        if matches!(status.completeness, Completeness::Unknown { .. }) {
            status.completeness = Completeness::Complete;
        }
        return;
    }
    if let Some(unread) = mentions.describe_unread() {
        status.mark_incomplete(format!("`{name}` also occurs in {unread}"));
    }
    if let Completeness::Unknown { reason } = &mut status.completeness {
        let others = pluralize(mentions.in_code(), "other match");
        *reason = format!("{reason}; {references} references and {others} in code");
    }
}

/// Notes the matches in code that zubi did not check: a rename would leave those that are uses.
pub(crate) fn add_unchecked_note(at: &ResolvedTarget, status: &mut AnswerStatus, mentions: &Mentions) {
    if !mentions.unchecked.is_empty() {
        let name = at.name.as_deref().unwrap_or_default();
        let matches = pluralize(mentions.unchecked.len(), "other match");
        let places = describe_places(&mentions.unchecked);
        status.notes.push(format!("zubi did not check {matches} of `{name}` in code: {places}"));
    }
}

/// The maximum number of places that a note names.
const MAX_PLACES: usize = 3;

/// Names places: `lib.py:1, main.py:3, 2 more`.
fn describe_places(found: &[RawLocation]) -> String {
    let place = |one: &RawLocation| format!("{}:{}", one.display_path, one.location.range.start.line + 1);
    let mut all: Vec<_> = found.iter().map(place).collect();
    all.dedup();
    list_first(all, MAX_PLACES)
}
