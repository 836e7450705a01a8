//! `domainlang_explain`: one element as Markdown.

use dlang_workspace::queries::{self, QueryError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::domain_tool::{DOMAIN_TOOL, DomainCall, DomainTool};
use crate::adapter::ToolMeta;

pub(super) struct ExplainElement;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Such as Shop.Orders
    fqn: String,
}

impl DomainTool for ExplainElement {
    const META: ToolMeta = ToolMeta {
        id: "domainlang_explain",
        title: "Explain a DomainLang element",
        description: "One DomainLang element explained in Markdown.",
        tags: &["domain", "ddd", "meaning", "terminology", "decisions"],
        example: || ("Explain the context Shop.Orders", json!({ "fqn": "Shop.Orders" })),
        ..DOMAIN_TOOL
    };
    type Input = Input;

    fn answer(call: &DomainCall<'_>, input: &Input) -> Result<Value, QueryError> {
        queries::explain(call.snapshot, &input.fqn)
    }
}
