//! `call_read_tool`: calls any tool that reads or plans.

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use serde_json::{Value, json};
use zubi_tool_api::cx::{Caller, Restrictions};
use zubi_tool_api::registry::Registry;
use zubi_tool_api::{Effect, Footprint, Tool, ToolCx, ToolError, ToolOutput, ToolSpec, schema};

use super::CALL_TOOL;
use super::meta_adapter::{self, Input, MetaToolMeta};

pub(crate) const ID: &str = "call_read_tool";

pub(super) struct ReadToolCaller {
    spec: ToolSpec,
    registry: Weak<Registry>,
}

impl ReadToolCaller {
    pub(super) fn new(registry: Weak<Registry>) -> Self {
        let example_args =
            json!({ "tool": "lsp_type_hierarchy", "arguments": { "symbol": "Shape", "direction": "subtypes" } });
        let spec = meta_adapter::spec::<Input>(&MetaToolMeta {
            id: ID,
            title: "Call a tool that changes nothing",
            description: "Calls a tool that find_tools named and that changes no file.",
            effect: Effect::Plan,
            tags: &["call", "run"],
            example: ("Which classes derive from Shape?", example_args),
        });
        Self { spec, registry }
    }
}

#[async_trait]
impl Tool for ReadToolCaller {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn footprint(&self, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        // The call itself rejects stronger effects and names the right tool.
        let footprint = meta_adapter::delegated_footprint(&self.registry, args, cx);
        Ok(Footprint { effect: footprint.effect.map(|effect| effect.min(Effect::Plan)), ..footprint })
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let input: Input = schema::parse(args)?;
        let registry = meta_adapter::upgrade_registry(&self.registry)?;
        let tool = meta_adapter::find_tool(&registry, &input.tool, cx).await?;
        let effect = tool.spec().effect;
        if effect > Effect::Plan {
            let what =
                format!("`{}` is not read-only (its effect is {})", tool.spec().id, meta_adapter::as_str(effect));
            return Err(ToolError::invalid("tool", what, format!("Call it with {CALL_TOOL}, or by its own name.")));
        }
        // Whatever a tool declares: through this one it runs with the rights of a read-only session.
        let caller = Caller {
            restrictions: Restrictions { read_only: true, ..cx.caller.restrictions.clone() },
            ..Caller::clone(&cx.caller)
        };
        meta_adapter::call_as(
            &registry,
            tool.as_ref(),
            input.arguments,
            ToolCx { caller: Arc::new(caller), ..cx.clone() },
        )
        .await
    }
}
