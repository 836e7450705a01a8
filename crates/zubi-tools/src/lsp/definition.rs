//! `lsp_definition`: the definition of a symbol, with its source.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::features::locations::Relation;
use zubi_code::{CodeError, CodeQuery};

use crate::adapter::ToolMeta;
use crate::lsp::arguments::TargetArgs;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::locations::{self, LocationQuery};
use crate::lsp::view::OutputBudget;

pub(crate) struct DefinitionTool;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
    /// Lines around it
    #[schemars(extend("x-common" = true))]
    context: Option<u32>,
}

#[async_trait]
impl CodeTool for DefinitionTool {
    const META: ToolMeta = ToolMeta {
        id: "lsp_definition",
        title: "Go to definition",
        description: "Place of a definition, also in libraries.",
        tags: &["definition", "declaration", "go to", "where is", "defined"],
        example: || ("Definition of Console.print", json!({ "symbol": "Console/print", "context": 3 })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "find the definition";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let location_query = LocationQuery {
            relation: Relation::Definition,
            noun: "definition",
            empty_reason: "the server found none (a keyword, a literal, or code it cannot resolve)",
            context: input.context,
            paging: None,
        };
        locations::answer_locations(query, view, &input.target, &location_query).await
    }
}
