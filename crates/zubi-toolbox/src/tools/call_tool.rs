//! `call_tool`: calls any tool, including those that write or execute.

use std::sync::Weak;

use async_trait::async_trait;
use serde_json::{Value, json};
use zubi_tools::registry::Registry;
use zubi_tools::{Effect, Footprint, Tool, ToolCx, ToolError, ToolOutput, ToolSpec, schema};

use super::inner::{self, MetaToolMeta, Input};

pub(crate) const ID: &str = "call_tool";

pub(super) struct CallTool {
    spec: ToolSpec,
    registry: Weak<Registry>,
}

impl CallTool {
    pub(super) fn new(registry: Weak<Registry>) -> Self {
        let spec = inner::spec::<Input>(&MetaToolMeta {
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
impl Tool for CallTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn footprint(&self, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(inner::footprint(&self.registry, args, cx))
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let input: Input = schema::parse(args)?;
        let registry = inner::upgrade(&self.registry)?;
        let tool = inner::find(&registry, &input.tool, cx).await?;
        inner::call(&registry, tool.as_ref(), input.arguments, cx.clone()).await
    }
}
