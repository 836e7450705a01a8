//! `domainlang_search`: elements that match search words.

use dlang_ide::DEFAULT_RESULTS;
use dlang_workspace::queries::{self, QueryError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::domain_tool::{DOMAIN_TOOL, DomainCall, DomainTool};
use crate::adapter::ToolMeta;

pub(super) struct SearchElements;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Search words
    query: String,
    /// Maximum elements, default 20, at most 100
    limit: Option<u32>,
}

impl DomainTool for SearchElements {
    const META: ToolMeta = ToolMeta {
        id: "domainlang_search",
        title: "Search the DomainLang model",
        description: "DomainLang elements that match search words, best first, with the matching fields: names, \
                      descriptions, visions, terms, decisions, metadata. Tolerates typos and word forms.",
        tags: &["domain", "ddd", "find", "search", "term", "decision"],
        example: || ("What is related to payments?", json!({ "query": "payment" })),
        ..DOMAIN_TOOL
    };
    type Input = Input;

    fn answer(call: &DomainCall<'_>, input: &Input) -> Result<Value, QueryError> {
        let limit = input.limit.map_or(DEFAULT_RESULTS, |limit| limit as usize);
        queries::search(call.snapshot, &input.query, limit)
    }
}
