//! `lsp_call_hierarchy`: callers or callees of a function, up to several steps.

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

pub(crate) struct CallHierarchy;

/// Direction of the calls.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CallDirection {
    Incoming,
    Outgoing,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
    /// incoming: callers; outgoing: callees
    direction: CallDirection,
    /// Steps, default 1, at most 5
    #[schemars(range(min = 1, max = 5))]
    depth: Option<u32>,
}

#[async_trait]
impl CodeTool for CallHierarchy {
    const META: ToolMeta = ToolMeta {
        id: "lsp_call_hierarchy",
        title: "Callers and callees",
        description: "Callers (incoming) or callees (outgoing) of a function, as a tree: location and source line of each, lines of the calls.",
        exposure: Exposure::Deferred,
        tags: &["call hierarchy", "callers", "callees", "who calls", "call graph", "impact"],
        example: || {
            ("Who calls parse, and who calls those?", json!({ "symbol": "parse", "direction": "incoming", "depth": 2 }))
        },
        listed: &["maxTokens"],
        ..CODE_TOOL
    };
    const OPERATION: &str = "walk the call hierarchy";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let at = query.resolve(&input.target.input(), PositionIntent::Identifier).await?;
        let direction = match input.direction {
            CallDirection::Incoming => hierarchy::Direction::Incoming,
            CallDirection::Outgoing => hierarchy::Direction::Outgoing,
        };
        tree::answer_hierarchy(query, view, &at, direction, input.depth.unwrap_or(1)).await
    }
}
