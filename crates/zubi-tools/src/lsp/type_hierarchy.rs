//! `lsp_type_hierarchy`: supertypes or subtypes of a type, up to several steps.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::features::hierarchy;
use zubi_code::locate::PositionIntent;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Exposure;

use crate::adapter::ToolMeta;
use crate::lsp::arguments::TargetArgs;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::tree;
use crate::lsp::view::OutputBudget;

pub(crate) struct TypeHierarchy;

/// Direction of the hierarchy.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum TypeDirection {
    Supertypes,
    Subtypes,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
    #[schemars(description = "Supertypes or subtypes")]
    direction: TypeDirection,
    /// Steps, default 1, at most 5
    #[schemars(range(min = 1, max = 5))]
    depth: Option<u32>,
}

#[async_trait]
impl CodeTool for TypeHierarchy {
    const META: ToolMeta = ToolMeta {
        id: "lsp_type_hierarchy",
        title: "Supertypes and subtypes",
        description: "Supertypes or subtypes of a class, interface or struct, as a tree: location and source line of each.",
        exposure: Exposure::Deferred,
        tags: &["type hierarchy", "inheritance", "base class", "parent class", "subclasses", "extends", "supertypes"],
        example: || {
            ("Which classes derive from Shape?", json!({ "symbol": "Shape", "direction": "subtypes", "depth": 3 }))
        },
        ..CODE_TOOL
    };
    const OPERATION: &str = "walk the type hierarchy";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let at = query.resolve(&input.target.input(), PositionIntent::Identifier).await?;
        let direction = match input.direction {
            TypeDirection::Supertypes => hierarchy::Direction::Supertypes,
            TypeDirection::Subtypes => hierarchy::Direction::Subtypes,
        };
        tree::answer_hierarchy(query, view, &at, direction, input.depth.unwrap_or(1)).await
    }
}
