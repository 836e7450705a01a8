//! Adapter for DomainLang tools: parses the arguments, queries the model, returns JSON.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dlang_workspace::WorkspaceSnapshot;
use dlang_workspace::queries::{self, QueryError};
use dlang_workspace::workspace::{LoadError, Root};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use zubi_base::workspace::WorkspaceFolders;
use zubi_tool_api::spec::Example;
use zubi_tool_api::{Approval, Effect, ErrorCode, Exposure, Tool, ToolCx, ToolError, ToolOutput, ToolSpec, schema};

use super::arguments::QueryScope;
use super::model::{AdHocSource, DomainModel, DomainModelError};

/// Static description of a DomainLang tool. All of them are read-only.
pub(super) struct DomainToolMeta {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// Description for the model; the first 300 characters state the result and when to use the tool.
    pub(super) description: &'static str,
    pub(super) tags: &'static [&'static str],
    /// One worked call: its title and its arguments.
    pub(super) example: fn() -> (&'static str, Value),
}

/// A DomainLang tool.
pub(super) trait DomainTool: Send + Sync + 'static {
    const META: DomainToolMeta;
    type Input: DeserializeOwned + JsonSchema + Send + Sync;

    /// Returns the whole answer. Called again on a newer snapshot if the model changed meanwhile.
    fn answer(call: &DomainCall<'_>, input: &Self::Input) -> Result<Value, QueryError>;
}

/// A parsed call.
pub(super) struct DomainCall<'a> {
    pub(super) snapshot: &'a WorkspaceSnapshot,
    /// Workspace against which the client's paths are resolved.
    pub(super) workspace: &'a WorkspaceFolders,
}

/// All arguments of a call.
#[derive(Deserialize, JsonSchema)]
struct Arguments<T> {
    #[serde(flatten)]
    tool: T,
    #[serde(flatten)]
    scope: QueryScope,
}

struct DomainToolAdapter<T> {
    spec: ToolSpec,
    model: Arc<DomainModel>,
    kind: std::marker::PhantomData<fn() -> T>,
}

/// Longer than any query takes; loading has its own limit.
const TIMEOUT: Duration = Duration::from_mins(3);

/// Hint for invalid arguments; the message names the valid values.
const CORRECT_HINT: &str = "Correct the argument and call again.";

/// Wraps a [`DomainTool`] as a [`Tool`] of the registry.
pub(super) fn tool<T: DomainTool>(model: &Arc<DomainModel>, exposure: Exposure) -> Arc<dyn Tool> {
    let meta = T::META;
    let (title, args) = (meta.example)();
    Arc::new(DomainToolAdapter::<T> {
        spec: ToolSpec {
            id: meta.id.to_owned(),
            title: meta.title.to_owned(),
            description: meta.description.to_owned(),
            input: schema::schema_of::<Arguments<T::Input>>(),
            examples: vec![Example { title: title.to_owned(), args }],
            notes: String::new(),
            effect: Effect::Read,
            toolset: "domainlang".to_owned(),
            exposure,
            approval: Approval::ByEffect,
            timeout: TIMEOUT,
            category: "DomainLang".to_owned(),
            tags: meta.tags.iter().map(|tag| (*tag).to_owned()).collect(),
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
        args.as_object()
            .map_or(Ok(()), queries::check_text)
            .map_err(|error| model_error(DomainModelError::Invalid(error)))?;
        let Arguments { tool: input, scope } = schema::parse::<Arguments<T::Input>>(args)?;
        let workspace = Arc::clone(&cx.workspace);
        let query =
            move |snapshot: &WorkspaceSnapshot| T::answer(&DomainCall { snapshot, workspace: &workspace }, &input);
        let answer = match ad_hoc_source(scope, &cx.workspace)? {
            None => self.model.query_for_tool(cx, query).await,
            Some(source) => self.model.query_ad_hoc(cx, source, query).await,
        };
        let data = answer.map_err(model_error)?;
        Ok(ToolOutput { text: data.to_string(), data: Some(data), ..ToolOutput::default() })
    }
}

/// Returns the source to query instead of the workspace.
fn ad_hoc_source(scope: QueryScope, workspace: &WorkspaceFolders) -> Result<Option<AdHocSource>, ToolError> {
    if let Some(text) = scope.text {
        return Ok(Some(AdHocSource::Text(text)));
    }
    let Some(path) = scope.path else { return Ok(None) };
    let hint = "Give a path relative to the workspace folder, or omit `path` to query the whole workspace.";
    let path = workspace.resolve(&path).map_err(|error| ToolError::invalid("path", error, hint))?;
    Ok(Some(AdHocSource::Root(if path.is_dir() { Root::Folder(path) } else { Root::File(path) })))
}

fn model_error(error: DomainModelError) -> ToolError {
    match error {
        DomainModelError::Invalid(error) => ToolError::invalid(error.field, error.message, CORRECT_HINT),
        DomainModelError::Changing => ToolError::operation_failed(
            "query the model",
            "its files change too often",
            "Call again when they have settled.",
        ),
        DomainModelError::Loading(progress) => {
            ToolError::user(ErrorCode::Loading, queries::loading(progress).to_string(), "")
        }
        DomainModelError::Load(error @ LoadError::NotAModel(_)) => {
            ToolError::invalid("path", error, "Name a folder, or a file that ends in .dlang.")
        }
        DomainModelError::Load(error) => {
            ToolError::operation_failed("load the model", error, "Check that it exists, then call again.")
        }
        DomainModelError::Cancelled => {
            ToolError::user(ErrorCode::Cancelled, "Failed to query the model: the call was cancelled", "Call again.")
        }
        DomainModelError::Internal(error) => ToolError::Fatal(error),
    }
}
