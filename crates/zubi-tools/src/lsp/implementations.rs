//! `lsp_implementations`: implementations of an interface, or overrides of a method.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::features::locations::Relation;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Exposure;

use crate::adapter::ToolMeta;
use crate::lsp::arguments::{PagingArgs, ProjectArgs, TargetArgs};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::locations::{self, LocationQuery};
use crate::lsp::view::OutputBudget;

pub(crate) struct Implementations;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
    #[serde(flatten)]
    paging: PagingArgs,
    #[serde(flatten)]
    projects: ProjectArgs,
}

#[async_trait]
impl CodeTool for Implementations {
    const META: ToolMeta = ToolMeta {
        id: "lsp_implementations",
        title: "Find implementations",
        description: "Implementations of an interface, trait or abstract class, or overrides of a method: path, line:col and source line of each.",
        exposure: Exposure::Deferred,
        tags: &["implementations", "implements", "overrides", "subclasses", "interface", "trait"],
        example: || ("What implements the trait Shape?", json!({ "symbol": "Shape" })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "find implementations";
    type Input = Input;

    fn all_projects(input: &Input) -> Option<bool> {
        Some(input.projects.all_projects())
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let location_query = LocationQuery {
            relation: Relation::Implementations,
            noun: "implementation",
            empty_reason: "nothing implements or overrides it, or it cannot be implemented",
            context: None,
            paging: Some(input.paging),
        };
        locations::answer_locations(query, view, &input.target, &location_query).await
    }
}
