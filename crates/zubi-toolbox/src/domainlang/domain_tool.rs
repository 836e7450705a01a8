//! The frame of a DomainLang tool: arguments in, a question to the model, JSON out.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dlang_workspace::WorkspaceSnapshot;
use dlang_workspace::ask::{self, QueryError};
use dlang_workspace::workspace::{LoadError, Root};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use zubi_base::workspace::Workspace;
use zubi_tools::spec::Example;
use zubi_tools::{Approval, Code, Effect, Exposure, Tool, ToolCx, ToolError, ToolOutput, ToolSpec, schema};

use super::arguments::Scope;
use super::model::{DomainModel, ModelError, AdHocSource};

/// What a DomainLang tool says of itself. All of them only read.
pub(super) struct DomainToolMeta {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// Its first 300 characters say what comes back and when to use it.
    pub(super) description: &'static str,
    pub(super) tags: &'static [&'static str],
    /// One worked call.
    pub(super) example: fn() -> (&'static str, Value),
}

/// One DomainLang tool.
pub(super) trait DomainTool: Send + Sync + 'static {
    const ABOUT: DomainToolMeta;
    type Input: DeserializeOwned + JsonSchema + Send + Sync;

    /// The whole answer. Asked again on a newer snapshot when the model changed meanwhile.
    fn answer(asked: &DomainCall<'_>, input: &Self::Input) -> Result<Value, QueryError>;
}

/// What a tool asks.
pub(super) struct DomainCall<'a> {
    pub(super) snapshot: &'a WorkspaceSnapshot,
    /// What paths of the caller mean.
    pub(super) workspace: &'a Workspace,
}

/// All arguments of a call.
#[derive(Deserialize, JsonSchema)]
struct Arguments<T> {
    #[serde(flatten)]
    own: T,
    #[serde(flatten)]
    scope: Scope,
}

struct DomainToolAdapter<T> {
    spec: ToolSpec,
    model: Arc<DomainModel>,
    kind: std::marker::PhantomData<fn() -> T>,
}

/// Longer than any question takes; loading has a bound of its own.
const TIMEOUT: Duration = Duration::from_mins(3);

/// What to do about an argument that is wrong; the message says what fits.
const CORRECT: &str = "Correct the argument and call again.";

/// Makes a tool of a DomainLang tool.
pub(super) fn tool<T: DomainTool>(model: &Arc<DomainModel>, exposure: Exposure) -> Arc<dyn Tool> {
    let about = T::ABOUT;
    let (title, args) = (about.example)();
    Arc::new(DomainToolAdapter::<T> {
        spec: ToolSpec {
            id: about.id.to_owned(),
            title: about.title.to_owned(),
            description: about.description.to_owned(),
            input: schema::schema_of::<Arguments<T::Input>>(),
            examples: vec![Example { title: title.to_owned(), args }],
            notes: String::new(),
            effect: Effect::Read,
            toolset: "domainlang".to_owned(),
            exposure,
            approval: Approval::ByEffect,
            timeout: TIMEOUT,
            category: "DomainLang".to_owned(),
            tags: about.tags.iter().map(|tag| (*tag).to_owned()).collect(),
            icon: None,
        },
        model: Arc::clone(model),
        kind: std::marker::PhantomData,
    })
}

#[async_trait]
impl<T: DomainTool> Tool for DomainToolAdapter<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        args.as_object().map_or(Ok(()), ask::check_text).map_err(|error| model_error(ModelError::Invalid(error)))?;
        let Arguments { own, scope } = schema::parse::<Arguments<T::Input>>(args)?;
        let workspace = Arc::clone(&cx.workspace);
        let question = move |snapshot: &WorkspaceSnapshot| T::answer(&DomainCall { snapshot, workspace: &workspace }, &own);
        let answer = match ad_hoc_source(scope, &cx.workspace)? {
            None => self.model.ask_for_tool(cx, question).await,
            Some(once) => self.model.ask_once(cx, once, question).await,
        };
        let data = answer.map_err(model_error)?;
        Ok(ToolOutput { text: data.to_string(), data: Some(data), ..ToolOutput::default() })
    }
}

/// What is asked instead of the workspace.
fn ad_hoc_source(scope: Scope, workspace: &Workspace) -> Result<Option<AdHocSource>, ToolError> {
    if let Some(text) = scope.text {
        return Ok(Some(AdHocSource::Text(text)));
    }
    let Some(given) = scope.path else { return Ok(None) };
    let hint = "Give a path relative to the workspace folder, or leave `path` out to ask the whole workspace.";
    let path = workspace.resolve(&given).map_err(|error| ToolError::invalid("path", error, hint))?;
    Ok(Some(AdHocSource::Root(if path.is_dir() { Root::Folder(path) } else { Root::File(path) })))
}

fn model_error(error: ModelError) -> ToolError {
    match error {
        ModelError::Invalid(error) => ToolError::invalid(error.field, error.message, CORRECT),
        ModelError::Changing => {
            ToolError::operation_failed("ask the model", "its files keep changing", "Call again when they have settled.")
        }
        ModelError::Loading(progress) => ToolError::user(Code::Loading, ask::loading(progress).to_string(), ""),
        ModelError::Load(error @ LoadError::NotAModel(_)) => {
            ToolError::invalid("path", error, "Name a folder, or a file that ends in .dlang.")
        }
        ModelError::Load(error) => ToolError::operation_failed("load the model", error, "See that it is there, then call again."),
        ModelError::Withdrawn => {
            ToolError::user(Code::Cancelled, "Failed to ask the model: the call was cancelled", "Call again.")
        }
        ModelError::Defect(error) => ToolError::Fatal(error),
    }
}
