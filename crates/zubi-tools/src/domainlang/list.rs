//! `domainlang_list`: the elements of one type.

use dlang_ide::query::{Detail, EntityType, ListInput};
use dlang_workspace::queries::{self, QueryError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::domain_tool::{DOMAIN_TOOL, DomainCall, DomainTool};
use crate::adapter::ToolMeta;

pub(super) struct ListElements;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// domains, bcs, teams, classifications, relationships, context-maps or domain-maps
    #[serde(rename = "type")]
    entity: String,
    /// Simple name
    name: Option<String>,
    /// Fully qualified name
    fqn: Option<String>,
    /// For bcs: their domain
    domain: Option<String>,
    /// For bcs: their team
    team: Option<String>,
    /// For bcs: their classification
    classification: Option<String>,
    /// key or key=value
    metadata: Option<String>,
    /// For relationships: a bounded context at either end
    context: Option<String>,
    /// For relationships: OHS, ACL, …
    pattern: Option<String>,
    /// row or full
    detail: Option<String>,
}

impl DomainTool for ListElements {
    const META: ToolMeta = ToolMeta {
        id: "domainlang_list",
        title: "List DomainLang elements",
        description: "DomainLang elements of one type, filtered, as JSON.",
        tags: &["domain", "ddd", "bounded context", "team", "relationship", "context map"],
        example: || ("Which bounded contexts are there for Sales?", json!({ "type": "bcs", "domain": "Sales" })),
        ..DOMAIN_TOOL
    };
    type Input = Input;

    fn answer(call: &DomainCall<'_>, input: &Input) -> Result<Value, QueryError> {
        let entity: EntityType = input.entity.parse()?;
        let detail = input.detail.as_deref().map_or(Ok(Detail::default()), str::parse)?;
        let list = ListInput {
            entity,
            name: input.name.clone(),
            fqn: input.fqn.clone(),
            domain: input.domain.clone(),
            team: input.team.clone(),
            classification: input.classification.clone(),
            metadata: input.metadata.clone(),
            context: input.context.clone(),
            pattern: input.pattern.clone(),
            detail,
        };
        queries::list(call.snapshot, &list)
    }
}
