//! Completions at a position.

use serde_json::Value;

use crate::error::CodeError;
use crate::features::signature::{Trigger, documentation};
use crate::locate::ResolvedTarget;
use crate::markup::clean_line;
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::request::position_params;
use crate::status::QualifiedAnswer;

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
    /// Returns the completions at a position; after typed text, only those that continue it, if there are any.
    pub async fn completion(
        &self,
        at: &ResolvedTarget,
        trigger: &Trigger,
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
        let mut found: Vec<(usize, String, Proposal)> = Vec::new();
        let mut incomplete = false;
        for reply in &replies.replies {
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
                found.push((match_rank(text, &typed), sort_text, proposal));
            }
        }
        // LSP leaves filtering by the typed text to the client.
        if found.iter().any(|(rank, ..)| *rank < NO_MATCH) {
            found.retain(|(rank, ..)| *rank < NO_MATCH);
        }
        found.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let mut items: Vec<Proposal> = found.into_iter().map(|(_, _, proposal)| proposal).collect();
        items.dedup();
        let mut status = replies.status;
        status.add_library_caveats(items.is_empty());
        Ok(QualifiedAnswer { value: Proposals { items, incomplete }, status })
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
    let start = head.rfind(|character: char| !(character == '_' || unicode_ident::is_xid_continue(character)));
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
