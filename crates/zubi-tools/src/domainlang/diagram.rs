//! `domainlang_diagram`: a map as diagram source.

use dlang_ide::DiagramFormat;
use dlang_workspace::queries::{self, QueryError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::domain_tool::{DOMAIN_TOOL, DomainCall, DomainTool};
use crate::adapter::ToolMeta;

pub(super) struct DrawDiagram;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// A context map or domain map
    fqn: String,
    /// mermaid (default) or plantuml
    format: Option<String>,
}

impl DomainTool for DrawDiagram {
    const META: ToolMeta = ToolMeta {
        id: "domainlang_diagram",
        title: "Draw a DomainLang map",
        description: "A DomainLang context map or domain map as a Mermaid or PlantUML diagram: contexts by domain, upstream \
                      and downstream, integration patterns.",
        tags: &["domain", "ddd", "diagram", "draw", "mermaid", "plantuml", "context map"],
        example: || ("Draw how the shop's contexts integrate", json!({ "fqn": "Shop.Overview" })),
        ..DOMAIN_TOOL
    };
    type Input = Input;

    fn answer(call: &DomainCall<'_>, input: &Input) -> Result<Value, QueryError> {
        let format = input.format.as_deref().map_or(Ok(DiagramFormat::default()), str::parse)?;
        queries::diagram(call.snapshot, &input.fqn, format)
    }
}
