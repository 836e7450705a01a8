//! `call_tool`: calls any tool, including those that write or execute.

use std::sync::Weak;

use async_trait::async_trait;
use serde_json::{Value, json};
use zubi_tool_api::registry::Registry;
use zubi_tool_api::{Effect, Footprint, Tool, ToolCx, ToolError, ToolOutput, ToolSpec, schema};

use super::meta_adapter::{self, Input, MetaToolMeta};

pub(crate) const ID: &str = "call_tool";

pub(super) struct AnyToolCaller {
    spec: ToolSpec,
    registry: Weak<Registry>,
}

impl AnyToolCaller {
    pub(super) fn new(registry: Weak<Registry>) -> Self {
        let spec = meta_adapter::spec::<Input>(&MetaToolMeta {
            id: ID,
            title: "Call any tool",
            description: "Calls a tool named by find_tools, including those that write or execute.",
            // The strongest case; the effect of a call is that of the called tool, see `footprint`.
            effect: Effect::Execute,
            tags: &["call", "run"],
            example: ("Apply a plan", json!({ "tool": "apply_edit", "arguments": { "plan": "p-k3m7q2x9ab" } })),
        });
        Self { spec, registry }
    }
}

#[async_trait]
impl Tool for AnyToolCaller {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn footprint(&self, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(meta_adapter::delegated_footprint(&self.registry, args, cx))
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let input: Input = schema::parse(args)?;
        let registry = meta_adapter::upgrade_registry(&self.registry)?;
        let tool = meta_adapter::find_tool(&registry, &input.tool, cx).await?;
        meta_adapter::call_as(&registry, tool.as_ref(), input.arguments, cx.clone()).await
    }
}
