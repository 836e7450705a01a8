//! `zubi_call_read_tool`: calls any tool that reads or plans.

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use serde_json::{Value, json};
use zubi_tool_api::cx::{Caller, Restrictions};
use zubi_tool_api::registry::Registry;
use zubi_tool_api::spec::CALL_TOOL;
use zubi_tool_api::{Effect, Footprint, ToolCx, ToolError, ToolOutput};

use super::delegation::{self, Input};
use super::meta_tool::META_TOOL;
use crate::adapter::{ToolMeta, TypedTool};

pub(super) struct ReadToolCaller;

#[async_trait]
impl TypedTool for ReadToolCaller {
    const META: ToolMeta = ToolMeta {
        id: "zubi_call_read_tool",
        title: "Call a read tool",
        description: "Calls an unlisted tool that changes no file: lsp_hover, lsp_call_hierarchy …",
        effect: Effect::Plan,
        tags: &["call", "hover, callers, fixes"],
        example: || {
            let subtypes = json!({ "symbol": "Shape", "direction": "subtypes" });
            ("Which classes derive from Shape?", json!({ "tool": "lsp_type_hierarchy", "arguments": subtypes }))
        },
        ..META_TOOL
    };
    type Context = Weak<Registry>;
    type Input = Input;

    fn footprint(registry: &Weak<Registry>, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        // The call itself rejects stronger effects and names the right tool.
        let footprint = delegation::footprint(registry, args, cx);
        Ok(Footprint { effect: footprint.effect.map(|effect| effect.min(Effect::Plan)), ..footprint })
    }

    async fn run(registry: &Weak<Registry>, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let registry = delegation::upgrade_registry(registry)?;
        let tool = delegation::find_tool(&registry, &input.tool, cx).await?;
        let effect = tool.spec().effect;
        if effect > Effect::Plan {
            let problem =
                format!("`{}` is not read-only (its effect is {})", tool.spec().id, delegation::as_str(effect));
            return Err(ToolError::invalid("tool", problem, format!("Call it with {CALL_TOOL}, or by its own name.")));
        }
        // Whatever effect the tool declares, a call through `zubi_call_read_tool` has the rights of a read-only session.
        let caller = Caller {
            restrictions: Restrictions { read_only: true, ..cx.caller.restrictions.clone() },
            ..Caller::clone(&cx.caller)
        };
        delegation::call_inner(
            &registry,
            tool.as_ref(),
            input.into_arguments(),
            ToolCx { caller: Arc::new(caller), ..cx.clone() },
        )
        .await
    }
}
