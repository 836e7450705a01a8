//! Adapter for code tools: parses the arguments, runs the query, returns the answer with its status. Tool files hold
//! only the differences; everything common to all code tools is here.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use zubi_base::endpoint::EndpointError;
use zubi_code::{AnswerStatus, CallCx, CodeError, CodeIntel, CodeQuery};
use zubi_tool_api::spec::Example;
use zubi_tool_api::{
    Approval, Effect, ErrorCode, Exposure, Footprint, OutputStatus, Tool, ToolCx, ToolError, ToolOutput, ToolSpec,
    Truncation, schema,
};

use crate::lsp::arguments::{CommonArgs, OutputFormat};
use crate::lsp::view::OutputBudget;

/// Static description of a code tool.
pub(crate) struct CodeToolMeta {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// Description for the model; the first 300 characters state the result and when to use the tool.
    pub(crate) description: &'static str,
    /// Completes "Failed to …" in the error of a failed query.
    pub(crate) operation: &'static str,
    pub(crate) effect: Effect,
    pub(crate) toolset: &'static str,
    pub(crate) tags: &'static [&'static str],
    /// One worked call: its title and its arguments.
    pub(crate) example: fn() -> (&'static str, Value),
}

/// A code tool.
#[async_trait]
pub(crate) trait CodeTool: Send + Sync + 'static {
    const META: CodeToolMeta;
    /// Deferred tools are found through `find_tools`; most conversations do not need them, and the list stays short.
    const EXPOSURE: Exposure = Exposure::Direct;
    type Input: DeserializeOwned + JsonSchema + Send;

    /// Returns the files that the call is known to write, as absolute paths, before any approval.
    fn writes(_intel: &CodeIntel, _input: &Self::Input) -> Vec<Utf8PathBuf> {
        Vec::new()
    }

    async fn answer(question: &CodeQuery<'_>, input: Self::Input, view: &OutputBudget)
    -> Result<CodeAnswer, CodeError>;
}

/// An answer before it is formatted for the surface.
pub(crate) struct CodeAnswer {
    pub(crate) text: String,
    /// `{resolved, items, total, …}`; the adapter adds `status` and `cursor`.
    pub(crate) data: Value,
    pub(crate) status: AnswerStatus,
    pub(crate) truncated: Option<Truncation>,
}

/// All arguments of a call: the tool's own and the common ones.
#[derive(Deserialize, JsonSchema)]
struct CodeToolArgs<T> {
    #[serde(flatten)]
    tool: T,
    #[serde(flatten)]
    common: CommonArgs,
}

struct CodeToolAdapter<T> {
    spec: ToolSpec,
    intel: Arc<CodeIntel>,
    kind: std::marker::PhantomData<fn() -> T>,
}

/// Longer than any server should need for one query; `waitMs` and the client's own time-out are shorter.
const TIMEOUT: Duration = Duration::from_mins(3);

/// Wraps a [`CodeTool`] as a [`Tool`] of the registry.
pub(crate) fn tool<T: CodeTool>(intel: &Arc<CodeIntel>) -> Arc<dyn Tool> {
    let meta = T::META;
    let (title, args) = (meta.example)();
    Arc::new(CodeToolAdapter::<T> {
        spec: ToolSpec {
            id: meta.id.to_owned(),
            title: meta.title.to_owned(),
            description: meta.description.to_owned(),
            input: schema::schema_of::<CodeToolArgs<T::Input>>(),
            examples: vec![Example { title: title.to_owned(), args }],
            notes: String::new(),
            effect: meta.effect,
            toolset: meta.toolset.to_owned(),
            exposure: T::EXPOSURE,
            approval: Approval::ByEffect,
            timeout: TIMEOUT,
            category: "Code".to_owned(),
            tags: meta.tags.iter().map(|tag| (*tag).to_owned()).collect(),
            icon: None,
        },
        intel: Arc::clone(intel),
        kind: std::marker::PhantomData,
    })
}

#[async_trait]
impl<T: CodeTool> Tool for CodeToolAdapter<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn footprint(&self, args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        let mut footprint =
            Footprint { reads: files_in_arguments(&self.intel, args), ..Footprint::of_effect(self.spec.effect) };
        if self.spec.effect >= Effect::Write {
            let arguments: CodeToolArgs<T::Input> = schema::parse(args.clone())?;
            footprint.writes = T::writes(&self.intel, &arguments.tool);
        }
        Ok(footprint)
    }

    async fn call(&self, args: Value, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let arguments: CodeToolArgs<T::Input> = schema::parse(args)?;
        let view = OutputBudget::new(arguments.common.byte_budget(cx.token_budget), arguments.common.format());
        let progress = Arc::clone(&cx.progress);
        let query = self
            .intel
            .question(CallCx {
                cancel: cx.cancel.clone(),
                deadline: cx.deadline,
                wait: arguments.common.wait(),
                check_wait: arguments.common.check_wait(),
                progress: Arc::new(move |fraction, message| progress.report(fraction, message)),
            })
            .await;
        let answer =
            T::answer(&query, arguments.tool, &view).await.map_err(|error| code_error(T::META.operation, &error))?;
        Ok(format_answer(answer, arguments.common.format()))
    }
}

/// Returns the files in a call's arguments, under the parameter names that all code tools share.
fn files_in_arguments(intel: &CodeIntel, args: &Value) -> Vec<Utf8PathBuf> {
    let workspace = intel.workspace();
    let argument = |name: &str| args.get(name).and_then(Value::as_str);
    let files = [argument("path"), argument("uri")].into_iter().flatten().map(|file| workspace.resolve(file));
    // `src/lib.rs:12:5`: the file is the part before one of the colons; its name may contain colons too.
    let at = argument("at").and_then(|at| {
        let ends = at.match_indices(':').map(|(end, _)| end).chain([at.len()]);
        ends.rev().find_map(|end| workspace.resolve(at.get(..end)?).ok())
    });
    files.flatten().chain(at).collect()
}

fn format_answer(reply: CodeAnswer, format: OutputFormat) -> ToolOutput {
    let status = OutputStatus {
        endpoint: reply.status.endpoint_line(),
        readiness: reply.status.readiness_line(),
        complete: reply.status.complete(),
        note: reply.status.note(),
    };
    if format == OutputFormat::Text {
        return ToolOutput { text: reply.text, data: None, status: Some(status), truncated: reply.truncated };
    }
    let mut data = reply.data;
    if let Some(truncated) = &reply.truncated {
        data["cursor"] = json!(truncated.cursor);
    }
    data["status"] = json!(status);
    // The status is inside, so that the text is exactly one JSON value.
    ToolOutput { text: data.to_string(), data: Some(data), status: None, truncated: reply.truncated }
}

fn code_error(operation: &str, error: &CodeError) -> ToolError {
    match error {
        CodeError::Input { field, what, hint } => ToolError::invalid(field, what, hint.clone()),
        CodeError::Path(path) => ToolError::invalid("path", path, error.hint()),
        error => ToolError::user(error_code(error), format!("Failed to {operation}: {error}"), error.hint()),
    }
}

/// Returns the stable code of a failure, by which programs distinguish an invalid query from an environment that cannot
/// answer.
fn error_code(error: &CodeError) -> ErrorCode {
    match error {
        CodeError::NoEndpoint(_) => ErrorCode::NoServer,
        CodeError::Endpoint(EndpointError::Exited { .. }) => ErrorCode::ServerDown,
        CodeError::Endpoint(EndpointError::TimedOut { .. }) => ErrorCode::TimedOut,
        CodeError::Endpoint(EndpointError::Cancelled) => ErrorCode::Cancelled,
        _ => ErrorCode::Failed,
    }
}
