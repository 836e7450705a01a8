//! The frame of a tool that works on files, programs or settings: arguments in, what the call would touch, the work. What
//! differs between tools is in their files; what must be the same for all is here.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use zubi_tools::spec::Example;
use zubi_tools::{Approval, Effect, Exposure, Footprint, Tool, ToolCx, ToolError, ToolOutput, ToolSpec, schema};

/// What such a tool says of itself.
pub(crate) struct LocalToolMeta {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// Its first 300 characters say what comes back and when to use it.
    pub(crate) description: &'static str,
    /// Longer notes for people.
    pub(crate) notes: &'static str,
    /// The strongest effect that any call has; [`OsTool::footprint`] says what one call does.
    pub(crate) effect: Effect,
    pub(crate) exposure: Exposure,
    pub(crate) toolset: &'static str,
    /// As people group tools: `Files`, `Shell`.
    pub(crate) category: &'static str,
    pub(crate) tags: &'static [&'static str],
    pub(crate) timeout: Duration,
    /// One worked call.
    pub(crate) example: fn() -> (&'static str, Value),
}

/// One tool on files, programs or settings.
#[async_trait]
pub(crate) trait LocalTool: Send + Sync + 'static {
    const ABOUT: LocalToolMeta;
    /// What the tools of one provider share.
    type Context: Send + Sync + 'static;
    type Input: DeserializeOwned + JsonSchema + Send;

    /// What this very call would touch. Where [`Footprint::effect`] is `None`, it is the tool's worst.
    fn footprint(context: &Self::Context, input: &Self::Input, cx: &ToolCx) -> Result<Footprint, ToolError>;

    async fn run(context: &Self::Context, input: Self::Input, cx: &ToolCx) -> Result<ToolOutput, ToolError>;
}

struct LocalToolAdapter<T: LocalTool> {
    spec: ToolSpec,
    context: Arc<T::Context>,
    kind: PhantomData<fn() -> T>,
}

/// Makes a tool of it.
pub(crate) fn tool<T: LocalTool>(context: &Arc<T::Context>) -> Arc<dyn Tool> {
    let about = T::ABOUT;
    let (title, args) = (about.example)();
    let spec = ToolSpec {
        id: about.id.to_owned(),
        title: about.title.to_owned(),
        description: about.description.to_owned(),
        input: schema::schema_of::<T::Input>(),
        examples: vec![Example { title: title.to_owned(), args }],
        notes: about.notes.to_owned(),
        effect: about.effect,
        toolset: about.toolset.to_owned(),
        exposure: about.exposure,
        approval: Approval::ByEffect,
        timeout: about.timeout,
        category: about.category.to_owned(),
        tags: about.tags.iter().map(|tag| (*tag).to_owned()).collect(),
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
