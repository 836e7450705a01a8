//! `run_script`: JavaScript that combines calls of tools and returns only what is wanted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use zubi_base::text::pluralize;
use zubi_exec::job::Jobs;
use zubi_exec::script::{Runner, ScriptEnd, ScriptError, ScriptException, ScriptJob, ScriptLimits};
use zubi_tool_api::cx::BYTES_PER_TOKEN;
use zubi_tool_api::{Effect, ErrorCode, Footprint, OutputStatus, ToolCx, ToolError, ToolOutput, Truncation};

use super::TOOLSET;
use super::nested::{MadeCalls, ScriptCalls};
use crate::adapter::{ToolMeta, TypedTool};
use crate::tools::{RegistryHandle, delegation};

pub(crate) struct RunScript;

/// State of the tool.
pub(crate) struct ScriptContext {
    /// `None` if zubi's own executable is unknown.
    pub(super) runner: Option<Runner>,
    pub(super) jobs: Arc<Jobs>,
    pub(super) calls: RegistryHandle,
}

const OPERATION: &str = "run the script";
const DEFAULT_TOKENS: u32 = 2_000;
const MAX_TOKENS: u32 = 20_000;
/// Part of the caller's deadline that remains for the answer.
const RESERVE: Duration = Duration::from_millis(500);
/// Maximum size of the log in an error, in bytes; a longer error is cut.
const MAX_FAILURE_LOG: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Body of an async function: await and return are allowed
    #[schemars(length(max = 100_000), extend("x-aliases" = ["script", "javascript"]))]
    code: String,
    /// Answer size in tokens, default 2000
    #[serde(rename = "maxTokens")]
    #[schemars(range(min = 1))]
    max_tokens: Option<u32>,
}

#[async_trait]
impl TypedTool for RunScript {
    const META: ToolMeta = ToolMeta {
        id: "run_script",
        title: "Run a script over tools",
        description: "Runs JavaScript that combines tool calls and answers with what it returns, so that long answers stay out of the conversation. tools.NAME({…}) gives the data of a tool (its format json); console.log adds lines. Calls that write or execute need the same permission as direct ones; at most 100 calls. Example: const found = tools.lsp_references({symbol: 'load'}); return found.items.filter(use => !use.path.includes('test')).map(use => use.path + ':' + (use.range.start.line + 1))",
        notes: "The code has the language (JSON, Math, RegExp, Map, Promise …), and no files, network, processes or timers. It may compute for 10 seconds, without the time of calls, with 64 MiB.",
        // The strongest effect of any call; each is judged by its own.
        effect: Effect::Execute,
        toolset: TOOLSET,
        category: "Scripts",
        tags: &["script", "javascript", "combine calls", "batch calls", "filter answers", "count"],
        example: || {
            let code = "const found = tools.lsp_references({symbol: 'load'});\nreturn found.total";
            ("How often is a function used?", json!({ "code": code }))
        },
        ..ToolMeta::DEFAULT
    };
    type Context = ScriptContext;
    type Input = Input;

    /// The script itself has no effects: the policy judges each of its calls.
    fn footprint(_context: &ScriptContext, _args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        Ok(Footprint::from_effect(Effect::Plan))
    }

    async fn run(context: &ScriptContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let registry = context.calls.upgrade().ok_or_else(delegation::no_registry)?;
        let Some(runner) = &context.runner else {
            let hint = "Call the tools one by one.";
            return Err(ToolError::operation_failed(OPERATION, "JavaScript needs zubi's own executable", hint));
        };
        let confined = context.jobs.runner().sandbox().for_scripts(runner.executable()).await;
        let (confinement, _) = confined.map_err(|error| {
            ToolError::operation_failed(OPERATION, error, "Call again; `zubi doctor` reports the available sandbox.")
        })?;
        let runner = runner.clone().with_confinement(confinement);
        let limits = ScriptLimits::default();
        let job = ScriptJob { code: input.code, args: Map::new(), limits };
        let calls = ScriptCalls::new(registry, cx);
        let left = cx.deadline.saturating_duration_since(Instant::now()).saturating_sub(RESERVE);
        let finished = tokio::time::timeout(left, runner.run(&job, cx.nesting, &calls, &cx.cancel)).await;
        let made = calls.into_made();
        let tokens = input.max_tokens.unwrap_or(DEFAULT_TOKENS).clamp(100, MAX_TOKENS) as usize;
        let budget = cx.byte_budget(tokens * BYTES_PER_TOKEN);
        match finished {
            Ok(Ok(end)) => answer(end, &made, budget),
            Ok(Err(error)) => Err(script_error(&error, &made)),
            Err(_) => {
                let reason = format!("the script and its {} took longer than allowed", pluralize(made.count, "call"));
                Err(failure(ErrorCode::TimedOut, &reason, &made, "Make fewer calls, or narrower ones."))
            }
        }
    }
}

fn answer(end: ScriptEnd, made: &MadeCalls, budget: usize) -> Result<ToolOutput, ToolError> {
    let ScriptEnd { outcome, mut log, log_truncated } = end;
    if log_truncated {
        log.push("… the rest of the log is not stored".to_owned());
    }
    let value = outcome.map_err(|exception| exception_error(&exception, &log, made))?;
    let result = match &value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let log_text = log.join("\n");
    let total = log_text.len() + result.len();
    // The result is what the script is for; a long log may have a quarter.
    let log_share = budget.saturating_sub(result.len()).max(budget / 4);
    let log_shown = log_text.floor_char_boundary(log_share.min(log_text.len()));
    let result_shown = result.floor_char_boundary(budget.saturating_sub(log_shown).min(result.len()));
    let mut parts = Vec::new();
    for (text, shown) in [(&log_text, log_shown), (&result, result_shown)] {
        if !text.is_empty() {
            parts.push(text.get(..shown).unwrap_or_default().to_owned());
        }
        if shown < text.len() {
            parts.push(format!("… cut: {shown} of {} bytes; return less, or raise maxTokens", text.len()));
        }
    }
    if parts.is_empty() {
        parts.push("(no result: the script returned nothing)".to_owned());
    }
    if let Some(changes) = made.changes() {
        // First, so that no cut removes the calls that undo the changes.
        parts.insert(0, changes);
    }
    let shown = log_shown + result_shown;
    let truncated = (shown < total).then_some(Truncation { shown, total, cursor: None });
    let gap = made.gap();
    let status = OutputStatus {
        endpoint: "script".to_owned(),
        readiness: pluralize(made.count, "call"),
        complete: Some(gap.is_none()),
        note: gap,
    };
    let data = json!({ "result": value, "log": log, "calls": made.count });
    Ok(ToolOutput { text: parts.join("\n"), data: Some(data), status: Some(status), truncated })
}

fn exception_error(exception: &ScriptException, log: &[String], made: &MadeCalls) -> ToolError {
    let ScriptException { message, line, column } = exception;
    let mut reason = match (line, column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: {message}"),
        (Some(line), None) => format!("line {line}: {message}"),
        _ => message.clone(),
    };
    let log = log.join("\n");
    if !log.is_empty() {
        let end = log.floor_char_boundary(MAX_FAILURE_LOG.min(log.len()));
        reason.push_str("\nlog:\n");
        reason.push_str(log.get(..end).unwrap_or_default());
        if end < log.len() {
            reason.push('…');
        }
    }
    failure(ErrorCode::Failed, &reason, made, "Correct the code and call again.")
}

fn script_error(error: &ScriptError, made: &MadeCalls) -> ToolError {
    let (code, hint) = match error {
        ScriptError::TimedOut { .. } => (ErrorCode::TimedOut, "Compute less: return a part of the data."),
        ScriptError::Cancelled => (ErrorCode::Cancelled, "Call again if you still need the answer."),
        ScriptError::TooDeep => (ErrorCode::Failed, "Call the inner tool directly."),
        _ => (ErrorCode::Failed, "Call again; if it fails again, report it to the user."),
    };
    failure(code, &error.to_string(), made, hint)
}

/// Returns the error of a script, with the changes that its calls have made.
fn failure(code: ErrorCode, reason: &str, made: &MadeCalls, hint: &str) -> ToolError {
    let undo_first = format!("{hint} What is already done would be done again: undo it first, or leave it out.");
    let hint = if made.changes().is_some() { &undo_first } else { hint };
    let changes = made.changes().map(|changes| format!("; {changes}")).unwrap_or_default();
    ToolError::user(code, format!("Failed to {OPERATION}: {reason}{changes}"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders the answer of a script with this result and this log.
    fn check(outcome: Result<Value, &str>, log: &[&str], budget: usize) -> String {
        let outcome =
            outcome.map_err(|message| ScriptException { message: message.to_owned(), line: Some(2), column: Some(7) });
        let log = log.iter().map(|line| (*line).to_owned()).collect();
        match answer(ScriptEnd { outcome, log, log_truncated: false }, &MadeCalls::default(), budget) {
            Ok(output) => output.render(),
            Err(error) => error.render("run_script"),
        }
    }

    #[test]
    fn results_and_logs_are_shown_within_the_budget() {
        insta::assert_snapshot!(check(Ok(json!("a\nb")), &[], 200), @"
        a
        b
        [script · 0 calls]
        ");
        insta::assert_snapshot!(check(Ok(json!([1, { "a": null }])), &["one", "two"], 200), @r#"
        one
        two
        [1,{"a":null}]
        [script · 0 calls]
        "#);
        insta::assert_snapshot!(check(Ok(Value::Null), &[], 200), @"
        (no result: the script returned nothing)
        [script · 0 calls]
        ");
        insta::assert_snapshot!(check(Ok(json!("é".repeat(40))), &["0123456789abcdef"], 41), @"
        0123456789
        … cut: 10 of 16 bytes; return less, or raise maxTokens
        ééééééééééééééé
        … cut: 30 of 80 bytes; return less, or raise maxTokens
        [script · 0 calls]
        ");
        insta::assert_snapshot!(check(Err("no"), &["one"], 200), @"
        Failed to run the script: line 2, column 7: no
        log:
        one
        Correct the code and call again.
        ");
    }
}
