//! Adapter for tools that work on files, programs or settings: parses the arguments, declares the footprint, runs the
//! call. Tool files hold only the differences; everything common to all such tools is here.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use zubi_tool_api::spec::Example;
use zubi_tool_api::{Approval, Effect, Exposure, Footprint, Tool, ToolCx, ToolError, ToolOutput, ToolSpec, schema};

/// Static description of a local tool.
pub(crate) struct LocalToolMeta {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// Description for the model. The first 300 characters state the result and when to use the tool; clients may cut
    /// the rest.
    pub(crate) description: &'static str,
    /// Longer notes for people.
    pub(crate) notes: &'static str,
    /// Strongest effect of any call; [`LocalTool::footprint`] states the effect of one call.
    pub(crate) effect: Effect,
    pub(crate) exposure: Exposure,
    pub(crate) toolset: &'static str,
    /// Group shown to users: `Files`, `Shell`.
    pub(crate) category: &'static str,
    pub(crate) tags: &'static [&'static str],
    pub(crate) timeout: Duration,
    /// One worked call: its title and its arguments.
    pub(crate) example: fn() -> (&'static str, Value),
}

/// A tool on files, programs or settings.
#[async_trait]
pub(crate) trait LocalTool: Send + Sync + 'static {
    const META: LocalToolMeta;
    /// State shared by the tools of one provider.
    type Context: Send + Sync + 'static;
    type Input: DeserializeOwned + JsonSchema + Send;

    /// Returns what this call would touch. A [`Footprint::effect`] of `None` means the tool's strongest effect.
    fn footprint(context: &Self::Context, input: &Self::Input, cx: &ToolCx) -> Result<Footprint, ToolError>;

    async fn run(context: &Self::Context, input: Self::Input, cx: &ToolCx) -> Result<ToolOutput, ToolError>;
}

struct LocalToolAdapter<T: LocalTool> {
    spec: ToolSpec,
    context: Arc<T::Context>,
    kind: PhantomData<fn() -> T>,
}

/// Wraps a [`LocalTool`] as a [`Tool`] of the registry.
pub(crate) fn tool<T: LocalTool>(context: &Arc<T::Context>) -> Arc<dyn Tool> {
    let meta = T::META;
    let (title, args) = (meta.example)();
    let spec = ToolSpec {
        id: meta.id.to_owned(),
        title: meta.title.to_owned(),
        description: meta.description.to_owned(),
        input: schema::schema_of::<T::Input>(),
        examples: vec![Example { title: title.to_owned(), args }],
        notes: meta.notes.to_owned(),
        effect: meta.effect,
        toolset: meta.toolset.to_owned(),
        exposure: meta.exposure,
        approval: Approval::ByEffect,
        timeout: meta.timeout,
        category: meta.category.to_owned(),
        tags: meta.tags.iter().map(|tag| (*tag).to_owned()).collect(),
        icon: None,
    };
    Arc::new(LocalToolAdapter::<T> { spec, context: Arc::clone(context), kind: PhantomData })
}

#[async_trait]
impl<T: LocalTool> Tool for LocalToolAdapter<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn footprint(&self, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        let mut footprint = T::footprint(&self.context, &schema::parse(args.clone())?, cx)?;
        footprint.effect.get_or_insert(self.spec.effect);
        Ok(footprint)
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        T::run(&self.context, schema::parse(args)?, cx).await
    }
}
