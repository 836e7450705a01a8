//! `lsp_type_definition`: the declaration of an expression's type.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::features::locations::Relation;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Exposure;

use crate::adapter::ToolMeta;
use crate::lsp::arguments::TargetArgs;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::locations::{self, LocationQuery};
use crate::lsp::view::OutputBudget;

pub(crate) struct TypeDefinition;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
    /// Source lines around it
    context: Option<u32>,
}

#[async_trait]
impl CodeTool for TypeDefinition {
    const META: ToolMeta = ToolMeta {
        id: "lsp_type_definition",
        title: "Go to the type",
        description: "Declaration of the type of a variable, parameter, field or expression, inferred types included: path:line:col and the source line.",
        exposure: Exposure::Deferred,
        tags: &["type", "type definition", "class of", "go to type"],
        example: || ("Which type has the variable on line 7?", json!({ "at": "src/report.rs:7 circle" })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "find the type";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let location_query = LocationQuery {
            relation: Relation::TypeDefinition,
            noun: "type definition",
            empty_reason: "the server found none (a built-in type, a function, or code it cannot resolve)",
            context: input.context,
            paging: None,
        };
        locations::answer_locations(query, view, &input.target, &location_query).await
    }
}
