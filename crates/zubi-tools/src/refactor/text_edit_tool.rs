//! Common part of the tools that replace texts and symbols: their state, their answer, and the application of their plan.
//!
//! With `apply: true`, the tool calls `apply_edit` for its plan through the registry. So the policy judges the files of
//! the plan as for a direct call: which files a pattern matches is known only then.

use std::fmt::Write as _;
use std::sync::Arc;

use camino::Utf8PathBuf;
use serde_json::{Map, Value, json};
use zubi_base::text::pluralize;
use zubi_code::edit::Plan;
use zubi_code::{CodeError, CodeIntel, CodeQuery};
use zubi_tool_api::{Effect, Footprint, OutputStatus, ToolCx, ToolError, ToolOutput, Truncation};

use super::refactor_tool::REFACTOR_TOOL;
use crate::adapter::ToolMeta;
use crate::lsp::arguments::{CommonArgs, OutputFormat};
use crate::lsp::code_tool::{call_cx, code_error};
use crate::lsp::view::OutputBudget;
use crate::tools::{RegistryHandle, delegation};

/// The tool that applies plans.
const APPLY_TOOL: &str = "apply_edit";

/// Defaults of the tools that replace texts.
pub(super) const TEXT_EDIT_TOOL: ToolMeta = ToolMeta { listed: &["maxTokens"], ..REFACTOR_TOOL };

/// State shared by the tools that replace texts.
pub(crate) struct TextEditContext {
    pub(super) intel: Arc<CodeIntel>,
    pub(super) calls: RegistryHandle,
}

/// The answer of a planning call, before it is formatted.
pub(super) struct PlannedEdit {
    pub(super) plan: Plan,
    pub(super) text: String,
    pub(super) data: Value,
    /// The number of files that were read, with what was done: `4 files searched`.
    pub(super) extent: String,
    /// Clauses about what was left out.
    pub(super) notes: Vec<String>,
    /// The reason why occurrences may be missing.
    pub(super) gap: Option<String>,
    pub(super) truncated: Option<Truncation>,
}

impl PlannedEdit {
    fn status_note(&self) -> Option<String> {
        let gap = self.gap.as_ref().map(|gap| format!("may be incomplete: {gap}"));
        let notes: Vec<String> = gap.into_iter().chain(self.notes.iter().cloned()).collect();
        (!notes.is_empty()).then(|| notes.join(" · "))
    }
}

/// Returns the footprint of a call that reads some files. If it applies its plan, the policy judges the files again when
/// `apply_edit` is called.
pub(super) fn footprint(reads: Vec<Utf8PathBuf>, apply: bool) -> Footprint {
    let effect = if apply { Effect::Write } else { Effect::Plan };
    Footprint { effect: Some(effect), reads, ..Footprint::default() }
}

/// Returns the size limit and the format of an answer.
pub(super) fn output_budget(common: &CommonArgs, cx: &ToolCx) -> OutputBudget {
    OutputBudget::new(common.byte_budget(cx.token_budget), common.format(), common.has_size())
}

/// Begins a query.
pub(super) async fn begin_query<'a>(intel: &'a CodeIntel, common: &CommonArgs, cx: &ToolCx) -> CodeQuery<'a> {
    intel.query(call_cx(common, cx)).await
}

/// Formats the answer of a plan, or applies the plan and adds what the plan has left out to that answer.
pub(super) async fn finish(
    context: &TextEditContext,
    operation: &str,
    planned: Result<PlannedEdit, CodeError>,
    apply: bool,
    common: &CommonArgs,
    cx: &ToolCx,
) -> Result<ToolOutput, ToolError> {
    let planned = planned.map_err(|error| code_error(operation, &error, Effect::Plan))?;
    if apply {
        let count = pluralize(planned.plan.edit_count, "edit");
        let notes = [count].into_iter().chain(planned.plan.notes.iter().cloned()).chain(planned.status_note());
        return apply_plan(context, &planned.plan.id, notes.collect(), common, cx).await;
    }
    let (note, is_complete) = (planned.status_note(), planned.gap.is_none());
    let status =
        OutputStatus { endpoint: "disk".to_owned(), readiness: planned.extent, complete: Some(is_complete), note };
    let truncated = planned.truncated;
    if common.format() == OutputFormat::Text {
        return Ok(ToolOutput { text: planned.text, data: None, status: Some(status), truncated });
    }
    let mut data = planned.data;
    if let Some(truncated) = &truncated {
        data["cursor"] = json!(truncated.cursor);
    }
    data["notes"] = json!(planned.plan.notes);
    data["status"] = json!(status);
    // The status is inside, so that the text is exactly one JSON value.
    Ok(ToolOutput { text: data.to_string(), data: Some(data), status: None, truncated })
}

/// Applies a plan through `apply_edit`, with notes in its answer.
pub(super) async fn apply_plan(
    context: &TextEditContext,
    id: &str,
    notes: Vec<String>,
    common: &CommonArgs,
    cx: &ToolCx,
) -> Result<ToolOutput, ToolError> {
    let registry = context.calls.upgrade().ok_or_else(delegation::no_registry)?;
    let mut arguments = match json!(common) {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    arguments.insert("plan".to_owned(), json!(id));
    let applied = async {
        let tool = delegation::find_tool(&registry, APPLY_TOOL, cx).await?;
        delegation::call_inner(&registry, tool.as_ref(), arguments, cx.clone()).await
    };
    let mut output = applied.await.map_err(|error| match error {
        ToolError::Actionable { code, message, hint } => {
            ToolError::Actionable { code, message, hint: format!("{hint}\nThe plan is {id}.") }
        }
        error @ ToolError::Fatal(_) => error,
    })?;
    if let Some(data) = &mut output.data {
        data["notes"] = json!(notes);
        output.text = data.to_string();
        return Ok(output);
    }
    // After the change and the call that undoes it.
    let mut lines: Vec<String> = output.text.lines().map(str::to_owned).collect();
    let at = lines.len().min(2);
    lines.splice(at..at, notes.iter().map(|note| format!("note: {note}")));
    output.text = lines.iter().fold(String::new(), |mut text, line| {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{line}");
        text
    });
    Ok(output)
}
