//! Common part of all DomainLang tools: the arguments, the query on the model, the answer as JSON.

use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use dlang_workspace::WorkspaceSnapshot;
use dlang_workspace::queries::{self, QueryError};
use dlang_workspace::workspace::{LoadError, Root};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use zubi_base::workspace::WorkspaceFolders;
use zubi_tool_api::{ErrorCode, Exposure, Tool, ToolCx, ToolError, ToolOutput, schema};

use super::arguments::QueryScope;
use super::model::{AdHocSource, DomainModel, DomainModelError};
use crate::adapter::{self, ToolMeta, TypedTool};

/// Defaults of the DomainLang tools.
pub(super) const DOMAIN_TOOL: ToolMeta =
    ToolMeta { toolset: "domainlang", category: "DomainLang", ..ToolMeta::DEFAULT };

pub(super) trait DomainTool: Send + Sync + 'static {
    const META: ToolMeta;
    type Input: DeserializeOwned + JsonSchema + Send + Sync;

    /// Returns the whole answer. Runs again on a newer snapshot if the model changes meanwhile.
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
pub(super) struct Arguments<T> {
    #[serde(flatten)]
    tool: T,
    #[serde(flatten)]
    scope: QueryScope,
}

/// Hint for invalid arguments. The message names the valid values.
const CORRECT_HINT: &str = "Correct the argument and call again.";

struct DomainToolAdapter<T>(PhantomData<fn() -> T>);

/// Wraps a [`DomainTool`] as a [`Tool`] of the registry.
pub(super) fn tool<T: DomainTool>(model: &Arc<DomainModel>, exposure: Exposure) -> Arc<dyn Tool> {
    adapter::tool_with_exposure::<DomainToolAdapter<T>>(model, exposure)
}

#[async_trait]
impl<T: DomainTool> TypedTool for DomainToolAdapter<T> {
    const META: ToolMeta = T::META;
    type Context = DomainModel;
    type Input = Arguments<T::Input>;

    fn parse(args: Value) -> Result<Self::Input, ToolError> {
        args.as_object()
            .map_or(Ok(()), queries::check_text)
            .map_err(|error| model_error(DomainModelError::Invalid(error)))?;
        schema::parse(args)
    }

    async fn run(model: &DomainModel, input: Self::Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let Arguments { tool: input, scope } = input;
        let workspace = Arc::clone(&cx.workspace);
        let query =
            move |snapshot: &WorkspaceSnapshot| T::answer(&DomainCall { snapshot, workspace: &workspace }, &input);
        let answer = match ad_hoc_source(scope, &cx.workspace)? {
            None => model.query_for_tool(cx, query).await,
            Some(source) => model.query_ad_hoc(cx, source, query).await,
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
