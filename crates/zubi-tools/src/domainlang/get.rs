//! `domainlang_get`: one element as JSON, or element counts.

use dlang_workspace::queries::{self, QueryError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::domain_tool::{DOMAIN_TOOL, DomainCall, DomainTool};
use crate::adapter::ToolMeta;

pub(super) struct GetElement;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Default: element counts
    fqn: Option<String>,
}

impl DomainTool for GetElement {
    const META: ToolMeta = ToolMeta {
        id: "domainlang_get",
        title: "Get a DomainLang element",
        description: "One DomainLang element as JSON.",
        tags: &["domain", "ddd", "summary", "element", "bounded context"],
        example: || ("Get the context Shop.Orders", json!({ "fqn": "Shop.Orders" })),
        ..DOMAIN_TOOL
    };
    type Input = Input;

    fn answer(call: &DomainCall<'_>, input: &Input) -> Result<Value, QueryError> {
        queries::get(call.snapshot, input.fqn.as_deref())
    }
}
