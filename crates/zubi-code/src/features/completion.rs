//! Completions at a position.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;
use zubi_base::endpoint::{Endpoint, RequestCx};
use zubi_base::position::{TextSize, size};

use crate::error::CodeError;
use crate::features::signature::{Trigger, documentation};
use crate::locate::{ResolvedTarget, identifier_around};
use crate::markup::{clean_line, first_code_line, join_words};
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::request::position_params;
use crate::status::QualifiedAnswer;
use crate::text_search;

/// One completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub label: String,
    pub kind: &'static str,
    /// The type or signature.
    pub detail: Option<String>,
    pub documentation: Option<String>,
    pub deprecated: bool,
}

/// The completions at a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposals {
    /// Best first; completions that continue the typed text precede the rest.
    pub items: Vec<Proposal>,
    /// Whether the server can return others after more is typed.
    pub incomplete: bool,
}

/// Names of LSP's `CompletionItemKind`, which is 1-based.
const KINDS: [&str; 25] = [
    "text",
    "method",
    "function",
    "constructor",
    "field",
    "variable",
    "class",
    "interface",
    "module",
    "property",
    "unit",
    "value",
    "enum",
    "keyword",
    "snippet",
    "color",
    "file",
    "reference",
    "folder",
    "enum member",
    "constant",
    "struct",
    "event",
    "operator",
    "type parameter",
];

impl CodeQuery<'_> {
    /// Returns the completions at a position; after typed text, only those that continue it, if there are any. Those in the
    /// range `shown` have their types, as far as the servers return them in time.
    pub async fn completion(
        &self,
        at: &ResolvedTarget,
        trigger: &Trigger,
        shown: Range<usize>,
    ) -> Result<QualifiedAnswer<Proposals>, CodeError> {
        let method = "textDocument/completion";
        let ready = self.ready_for(&at.reference, method, "propose completions", ReadinessLevel::Project).await?;
        let document = self.document(&at.path).await?;
        let cx = self.request_cx().for_document(&at.reference);
        let replies = self
            .request_all(&ready, method, &cx, |endpoint| {
                let mut params = position_params(&at.reference, &document, at.offset, endpoint.encoding());
                params["context"] = trigger.context();
                params
            })
            .await?;
        let typed = typed_before(&document.text, at.offset.into());
        let mut found: Vec<(usize, String, CompletionSource<'_>)> = Vec::new();
        let mut incomplete = false;
        for reply in &replies.replies {
            let data = reply.result.pointer("/itemDefaults/data");
            let items = match &reply.result {
                Value::Array(items) => items,
                Value::Object(list) => {
                    incomplete |= list.get("isIncomplete").and_then(Value::as_bool).unwrap_or(false);
                    match list.get("items").and_then(Value::as_array) {
                        Some(items) => items,
                        None => continue,
                    }
                }
                _ => continue,
            };
            for item in items {
                let Some(proposal) = proposal(item) else { continue };
                let text = item.get("filterText").and_then(Value::as_str).unwrap_or(&proposal.label);
                let sort_text = item.get("sortText").and_then(Value::as_str).unwrap_or(&proposal.label).to_owned();
                let rank = match_rank(text, &typed);
                found.push((rank, sort_text, CompletionSource { proposal, endpoint: &reply.endpoint, item, data }));
            }
        }
        // LSP leaves filtering by the typed text to the client.
        if found.iter().any(|(rank, ..)| *rank < NO_MATCH) {
            found.retain(|(rank, ..)| *rank < NO_MATCH);
        }
        found.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let mut found: Vec<_> = found.into_iter().map(|(_, _, one)| one).collect();
        found.dedup_by(|one, other| one.proposal == other.proposal);
        let end = shown.end.min(found.len());
        if let Some(shown) = found.get_mut(shown.start.min(end)..end) {
            self.resolve_all(shown, &cx).await;
        }
        let items: Vec<_> = found.into_iter().map(|one| one.proposal).collect();
        let mut status = replies.status;
        status.add_library_caveats(items.is_empty());
        let word = identifier_around(Some(&at.path), &document, at.offset);
        let is_in_word = |(word, start): &(String, TextSize)| *start + size(word.len()) > at.offset;
        if let Some((word, _)) = word.filter(|word| items.is_empty() && is_in_word(word)) {
            status.notes.push(format!("the cursor is before the end of `{word}`, where some servers propose nothing"));
        }
        Ok(QualifiedAnswer { value: Proposals { items, incomplete }, status })
    }
}

/// A completion whose type the server may return on request.
struct CompletionSource<'a> {
    proposal: Proposal,
    endpoint: &'a Arc<dyn Endpoint>,
    item: &'a Value,
    /// The `data` of items without their own.
    data: Option<&'a Value>,
}

/// The time for the types of the shown completions, which are useful without them, too.
const RESOLVE_TIME: Duration = Duration::from_secs(3);

/// The maximum number of characters of a type.
const MAX_TYPE: usize = 160;

const RESOLVE: &str = "completionItem/resolve";

impl CodeQuery<'_> {
    /// Requests the types of completions that have none.
    async fn resolve_all(&self, shown: &mut [CompletionSource<'_>], cx: &RequestCx) {
        let requests = shown.iter_mut().filter(|one| one.proposal.detail.is_none()).map(|one| async {
            if !one.endpoint.supports(RESOLVE, None, cx).await {
                return;
            }
            let mut item = one.item.clone();
            if let Some(data) = one.data.filter(|_| item.get("data").is_none()) {
                item["data"] = data.clone();
            }
            if let Ok(resolved) = self.send(one.endpoint.as_ref(), RESOLVE, item, cx).await {
                one.proposal.add_resolved(&resolved);
            }
        });
        // The completions without an answer in this time have no types.
        drop(tokio::time::timeout(RESOLVE_TIME, join_all(requests)).await);
    }
}

impl Proposal {
    fn add_resolved(&mut self, resolved: &Value) {
        let detail = resolved.get("detail").and_then(Value::as_str).map(|text| join_words(&clean_line(text), MAX_TYPE));
        let documentation = documentation(resolved.get("documentation"));
        // Some servers return the type as the first code of the documentation (pyright).
        let code = || first_code_line(documentation.as_deref()?, MAX_TYPE);
        let detail = detail.filter(|detail| !detail.is_empty()).or_else(code);
        let kind = format!("({}) ", self.kind);
        self.detail = detail.map(|detail| detail.strip_prefix(&kind).unwrap_or(&detail).to_owned());
        self.documentation = self.documentation.take().or(documentation);
    }
}

const NO_MATCH: usize = 3;

fn match_rank(text: &str, typed: &str) -> usize {
    let (text, lower) = (text.trim_start(), typed.to_lowercase());
    if text.starts_with(typed) {
        0
    } else if text.to_lowercase().starts_with(&lower) {
        1
    } else if text.to_lowercase().contains(&lower) {
        2
    } else {
        NO_MATCH
    }
}

/// Returns the part of an identifier before a byte offset.
fn typed_before(text: &str, offset: usize) -> String {
    let head = text.get(..offset).unwrap_or_default();
    let start = head.rfind(|character: char| !text_search::continues_identifier(character));
    let start =
        start.map_or(0, |at| at + head.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    head.get(start..).unwrap_or_default().to_owned()
}

fn proposal(item: &Value) -> Option<Proposal> {
    let kind = item.get("kind").and_then(Value::as_u64).and_then(|kind| usize::try_from(kind).ok());
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(|text| clean_line(text).trim().to_owned());
    let mut label = text(item.get("label"))?;
    // The parameters or type that an editor shows in grey after the label.
    if let Some(more) = text(item.pointer("/labelDetails/detail")) {
        label.push_str(&more);
    }
    let described = text(item.pointer("/labelDetails/description"));
    let deprecated = item.get("deprecated").and_then(Value::as_bool).unwrap_or(false)
        || item
            .get("tags")
            .and_then(Value::as_array)
            .is_some_and(|tags| tags.iter().any(|tag| tag.as_u64() == Some(1)));
    Some(Proposal {
        label,
        kind: kind.and_then(|kind| KINDS.get(kind.checked_sub(1)?).copied()).unwrap_or(""),
        detail: text(item.get("detail")).or(described).filter(|detail| !detail.is_empty()),
        documentation: documentation(item.get("documentation")),
        deprecated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_prefix_is_the_identifier_before_the_position() {
        for (text, expected) in [("foo.ba", "ba"), ("foo.", ""), ("é_1", "é_1"), ("", ""), ("a→b", "b")] {
            assert_eq!(typed_before(text, text.len()), expected, "{text}");
        }
    }
}
