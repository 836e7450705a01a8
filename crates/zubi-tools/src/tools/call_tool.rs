//! `zubi_call_tool`: calls any tool, including those that write or execute.

use std::sync::Weak;

use async_trait::async_trait;
use serde_json::{Value, json};
use zubi_tool_api::registry::Registry;
use zubi_tool_api::{Effect, Footprint, ToolCx, ToolError, ToolOutput};

use super::delegation::{self, Input};
use super::meta_tool::META_TOOL;
use crate::adapter::{ToolMeta, TypedTool};

pub(super) struct AnyToolCaller;

#[async_trait]
impl TypedTool for AnyToolCaller {
    const META: ToolMeta = ToolMeta {
        id: "zubi_call_tool",
        title: "Call any tool",
        description: "Calls any unlisted tool: rename_file …",
        // The strongest effect. `footprint` returns the effect of the called tool.
        effect: Effect::Execute,
        tags: &["call", "move file, imports"],
        example: || ("Apply a plan", json!({ "tool": "apply_edit", "arguments": { "plan": "p-k3m7q2x9ab" } })),
        ..META_TOOL
    };
    type Context = Weak<Registry>;
    type Input = Input;

    fn footprint(registry: &Weak<Registry>, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(delegation::footprint(registry, args, cx))
    }

    async fn run(registry: &Weak<Registry>, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let registry = delegation::upgrade_registry(registry)?;
        let tool = delegation::find_tool(&registry, &input.tool, cx).await?;
        delegation::call_inner(&registry, tool.as_ref(), input.into_arguments(), cx.clone()).await
    }
}
