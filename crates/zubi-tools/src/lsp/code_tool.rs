//! Common part of all code tools: the arguments, the query, the answer with its status.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use zubi_base::endpoint::EndpointError;
use zubi_base::workspace::PathError;
use zubi_code::{AnswerStatus, CallCx, CodeError, CodeIntel, CodeQuery};
use zubi_tool_api::{
    Effect, ErrorCode, Exposure, Footprint, OutputStatus, Tool, ToolCx, ToolError, ToolOutput, Truncation,
};

use crate::adapter::{self, ToolMeta, TypedTool};
use crate::lsp::arguments::{CommonArgs, OutputFormat};
use crate::lsp::view::OutputBudget;

/// Defaults of the code tools.
pub(crate) const CODE_TOOL: ToolMeta =
    ToolMeta { exposure: Exposure::Direct, toolset: "lsp", category: "Code", ..ToolMeta::DEFAULT };

#[async_trait]
pub(crate) trait CodeTool: Send + Sync + 'static {
    const META: ToolMeta;
    /// Completes "Failed to …" in the error of a failed query.
    const OPERATION: &str;
    type Input: DeserializeOwned + JsonSchema + Send;

    /// Returns the argument `allProjects`; `None` if the tool has none.
    fn all_projects(_input: &Self::Input) -> Option<bool> {
        None
    }

    /// Whether the index may answer while all servers are loading; `false` unless the tool has the argument `wait`.
    fn may_use_index(_input: &Self::Input) -> bool {
        false
    }

    /// Returns the tool's own limit of the answer's tokens, which replaces the default of `maxTokens`.
    fn max_tokens(_input: &Self::Input) -> Option<u32> {
        None
    }

    /// Returns the files that the call is known to write, as absolute paths, before any approval.
    fn writes(_intel: &CodeIntel, _input: &Self::Input) -> Vec<Utf8PathBuf> {
        Vec::new()
    }

    async fn answer(query: &CodeQuery<'_>, input: Self::Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError>;
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
pub(crate) struct CodeToolArgs<T> {
    #[serde(flatten)]
    tool: T,
    #[serde(flatten)]
    common: CommonArgs,
}

struct CodeToolAdapter<T>(PhantomData<fn() -> T>);

/// The time for an answer after servers were awaited as long as `waitMs` allows.
const ANSWER_TIME: Duration = Duration::from_mins(1);

/// The hint for a path outside the workspace in a call that only reads.
pub(crate) const EXTERNAL_HINT: &str = "Outside the workspace, only a file that an answer has shown can be read: `lsp_definition` from a use in the workspace shows the source of a library. The user can start zubi with that folder.";

/// Wraps a [`CodeTool`] as a [`Tool`] of the registry.
pub(crate) fn tool<T: CodeTool>(intel: &Arc<CodeIntel>) -> Arc<dyn Tool> {
    adapter::tool::<CodeToolAdapter<T>>(intel)
}

#[async_trait]
impl<T: CodeTool> TypedTool for CodeToolAdapter<T> {
    const META: ToolMeta = T::META;
    type Context = CodeIntel;
    type Input = CodeToolArgs<T::Input>;

    fn footprint(intel: &CodeIntel, args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        let reads = files_in_arguments(intel, args, T::META.effect);
        let mut footprint = Footprint { reads, ..Footprint::default() };
        if T::META.effect >= Effect::Write {
            footprint.writes = T::writes(intel, &Self::parse(args.clone())?.tool);
        }
        Ok(footprint)
    }

    fn timeout(args: &Value) -> Duration {
        timeout(&T::META, args)
    }

    async fn run(intel: &CodeIntel, input: Self::Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let CodeToolArgs { tool, common } = input;
        let is_requested = common.has_size();
        let common = common.with_max_tokens(T::max_tokens(&tool));
        let view = OutputBudget::new(common.byte_budget(cx.token_budget), common.format(), is_requested);
        let query = intel
            .query(CallCx {
                may_use_index: T::may_use_index(&tool),
                all_projects: T::all_projects(&tool),
                reads_external: T::META.effect == Effect::Read,
                ..call_cx(&common, cx)
            })
            .await;
        let answer = T::answer(&query, tool, &view).await;
        let answer = answer.map_err(|error| code_error(T::OPERATION, &error, T::META.effect))?;
        Ok(finish_answer(intel, &query, answer, common.format(), cx).await)
    }
}

/// Returns the time limit of a call. The wait for loading servers does not shorten the time in which they answer.
pub(crate) fn timeout(meta: &ToolMeta, args: &Value) -> Duration {
    let wait = args.get("waitMs").and_then(Value::as_u64).map(Duration::from_millis);
    meta.timeout.max(wait.map_or(Duration::ZERO, |wait| wait.saturating_add(ANSWER_TIME)))
}

/// Formats an answer. Marks it as incomplete if positions are uncertain, and omits remarks that the session has seen.
pub(crate) async fn finish_answer(
    intel: &CodeIntel,
    query: &CodeQuery<'_>,
    mut answer: CodeAnswer,
    format: OutputFormat,
    cx: &ToolCx,
) -> ToolOutput {
    if let Some(reason) = query.uncertain_positions() {
        answer.status.mark_incomplete(reason);
    }
    if format == OutputFormat::Text {
        intel.remarks().retain_new(cx.caller.session, &mut answer.status.remarks);
        intel.remarks().remove_seen_hints(cx.caller.session, &mut answer.status);
    }
    let output = format_answer(answer, format);
    query.record_shown_files(&output.text).await;
    output
}

/// Returns the context of a query for a call: without the index, about the projects of the query, in the workspace only.
pub(crate) fn call_cx(common: &CommonArgs, cx: &ToolCx) -> CallCx {
    let progress = Arc::clone(&cx.progress);
    CallCx {
        cancel: cx.cancel.clone(),
        deadline: cx.deadline,
        wait: common.wait(),
        check_wait: common.check_wait(),
        may_use_index: false,
        all_projects: None,
        reads_external: false,
        progress: Arc::new(move |fraction, message| progress.report(fraction, message)),
    }
}

/// Returns the files in a call's arguments, under the parameter names that all code tools share.
pub(crate) fn files_in_arguments(intel: &CodeIntel, args: &Value, effect: Effect) -> Vec<Utf8PathBuf> {
    let resolve = |file: &str| match effect {
        Effect::Read => intel.external_files().resolve(file),
        _ => intel.workspace().resolve(file),
    };
    let argument = |name: &str| args.get(name).and_then(Value::as_str);
    let files = [argument("path"), argument("uri")].into_iter().flatten().map(resolve);
    // `src/lib.rs:12:5`: the file is the part before one of the colons; its name may contain colons too.
    let at = argument("at").and_then(|at| {
        let split_offsets = at.match_indices(':').map(|(end, _)| end).chain([at.len()]);
        split_offsets.rev().find_map(|end| resolve(at.get(..end)?).ok())
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
    data["status"]["source"] = json!(reply.status.source.name());
    // The status is inside, so that the text is exactly one JSON value.
    ToolOutput { text: data.to_string(), data: Some(data), status: None, truncated: reply.truncated }
}

pub(crate) fn code_error(operation: &str, error: &CodeError, effect: Effect) -> ToolError {
    match error {
        CodeError::Input { field, message, hint } => ToolError::invalid(field, message, hint.clone()),
        CodeError::Path(path @ PathError::Outside { .. }) if effect == Effect::Read => {
            ToolError::invalid("path", path, EXTERNAL_HINT)
        }
        CodeError::Path(path) => ToolError::invalid("path", path, error.hint()),
        error => ToolError::user(error_code(error), format!("Failed to {operation}: {error}"), error.hint()),
    }
}

/// Returns the stable code of a failure, by which programs distinguish an invalid query from an environment that cannot
/// answer.
fn error_code(error: &CodeError) -> ErrorCode {
    match error {
        CodeError::NoEndpoint(_) | CodeError::Unparsed { .. } => ErrorCode::NoServer,
        CodeError::Endpoint(EndpointError::Exited { .. }) => ErrorCode::ServerDown,
        CodeError::NoAnswer(_) | CodeError::Endpoint(EndpointError::TimedOut { .. }) => ErrorCode::TimedOut,
        CodeError::Endpoint(EndpointError::Cancelled) => ErrorCode::Cancelled,
        _ => ErrorCode::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::references::References;
    use crate::refactor::edit_symbol::EditSymbol;

    #[test]
    fn a_longer_wait_leaves_the_time_for_an_answer() {
        let timeout = |args: Value| <CodeToolAdapter<References> as TypedTool>::timeout(&args);
        let default = <References as CodeTool>::META.timeout;
        assert_eq!(timeout(json!({})), default);
        assert_eq!(timeout(json!({ "waitMs": 1 })), default.max(ANSWER_TIME + Duration::from_millis(1)));
        let long = json!({ "waitMs": 250_000 });
        assert_eq!(timeout(long.clone()), ANSWER_TIME + Duration::from_secs(250));
        assert_eq!(EditSymbol::timeout(&long), ANSWER_TIME + Duration::from_secs(250));
    }
}
