//! Adapter for all tools of this crate: describes the tool, parses the arguments, declares the footprint, runs the call.
//! Tool files hold only the differences; everything common to all tools is here.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use zubi_tool_api::spec::{Example, Schema};
use zubi_tool_api::{Approval, Effect, Exposure, Footprint, Tool, ToolCx, ToolError, ToolOutput, ToolSpec, schema};

/// Static description of a tool. Each toolset has a constant with its defaults.
pub(crate) struct ToolMeta {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// Description for the model. The first 300 characters state the result and when to use the tool; clients may cut
    /// the rest.
    pub(crate) description: &'static str,
    /// Longer notes for people.
    pub(crate) notes: &'static str,
    /// Strongest effect of any call; [`TypedTool::footprint`] states the effect of one call.
    pub(crate) effect: Effect,
    /// Most conversations do not need deferred tools; `zubi_find_tools` finds them, and lists stay short.
    pub(crate) exposure: Exposure,
    pub(crate) toolset: &'static str,
    /// Group shown to users: `Files`, `Shell`.
    pub(crate) category: &'static str,
    pub(crate) tags: &'static [&'static str],
    pub(crate) timeout: Duration,
    /// The arguments marked `x-common` that size-limited lists show nevertheless, because the tool's answers name them
    /// or most calls need them.
    pub(crate) listed: &'static [&'static str],
    /// An example call: title and arguments.
    pub(crate) example: fn() -> (&'static str, Value),
}

impl ToolMeta {
    /// A deferred, read-only tool.
    pub(crate) const DEFAULT: Self = Self {
        id: "",
        title: "",
        description: "",
        notes: "",
        effect: Effect::Read,
        exposure: Exposure::Deferred,
        toolset: "",
        category: "",
        tags: &[],
        // Longer than any query should take; callers have shorter time-outs of their own.
        timeout: Duration::from_mins(3),
        listed: &[],
        example: || ("", Value::Null),
    };
}

#[async_trait]
pub(crate) trait TypedTool: Send + Sync + 'static {
    const META: ToolMeta;
    /// State shared by the tools of one provider.
    type Context: Send + Sync + 'static;
    type Input: DeserializeOwned + JsonSchema + Send;

    fn parse(args: Value) -> Result<Self::Input, ToolError> {
        schema::parse(args)
    }

    /// Finds out what the footprint depends on; see [`Tool::prepare`].
    async fn prepare(_context: &Self::Context) -> Result<(), ToolError> {
        Ok(())
    }

    /// Returns the effects of this call. A [`Footprint::effect`] of `None` means the tool's strongest effect.
    fn footprint(_context: &Self::Context, _args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(Footprint::default())
    }

    /// Returns the time limit of a call with these arguments.
    fn timeout(_args: &Value) -> Duration {
        Self::META.timeout
    }

    async fn run(context: &Self::Context, input: Self::Input, cx: &ToolCx) -> Result<ToolOutput, ToolError>;
}

struct ToolAdapter<T: TypedTool> {
    spec: ToolSpec,
    context: Arc<T::Context>,
    kind: PhantomData<fn() -> T>,
}

/// Wraps a [`TypedTool`] as a [`Tool`] of the registry.
pub(crate) fn tool<T: TypedTool>(context: &Arc<T::Context>) -> Arc<dyn Tool> {
    tool_with_exposure::<T>(context, T::META.exposure)
}

/// Wraps a [`TypedTool`] whose exposure depends on the session.
pub(crate) fn tool_with_exposure<T: TypedTool>(context: &Arc<T::Context>, exposure: Exposure) -> Arc<dyn Tool> {
    let meta = T::META;
    let (title, args) = (meta.example)();
    let spec = ToolSpec {
        id: meta.id.to_owned(),
        title: meta.title.to_owned(),
        description: meta.description.to_owned(),
        input: listed_schema(schema::schema_of::<T::Input>(), meta.listed),
        examples: vec![Example { title: title.to_owned(), args }],
        notes: meta.notes.to_owned(),
        effect: meta.effect,
        toolset: meta.toolset.to_owned(),
        exposure,
        approval: Approval::ByEffect,
        timeout: meta.timeout,
        category: meta.category.to_owned(),
        tags: meta.tags.iter().map(|tag| (*tag).to_owned()).collect(),
        icon: None,
    };
    Arc::new(ToolAdapter::<T> { spec, context: Arc::clone(context), kind: PhantomData })
}

/// Removes the mark `x-common` from the arguments that lists show.
fn listed_schema(mut schema: Schema, listed: &[&str]) -> Schema {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for name in listed {
            if let Some(Value::Object(property)) = properties.get_mut(*name) {
                property.remove("x-common");
            }
        }
    }
    schema
}

#[async_trait]
impl<T: TypedTool> Tool for ToolAdapter<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn prepare(&self) -> Result<(), ToolError> {
        T::prepare(&self.context).await
    }

    fn footprint(&self, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        let mut footprint = T::footprint(&self.context, args, cx)?;
        footprint.effect.get_or_insert(self.spec.effect);
        Ok(footprint)
    }

    fn timeout(&self, args: &Value) -> Duration {
        T::timeout(args)
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        T::run(&self.context, T::parse(args)?, cx).await
    }
}
