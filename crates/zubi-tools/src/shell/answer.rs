//! Rendering of a command's outputs and its end.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use zubi_base::clock::milliseconds;
use zubi_exec::job::{CapturedOutput, ExitReason, JobResult};
use zubi_tool_api::{OutputStatus, ToolCx, ToolOutput};

/// Maximum size of both outputs in one answer, in bytes.
const MAX_BYTES: usize = 30_000;

/// Returns the byte budget of an answer.
pub fn output_budget(cx: &ToolCx) -> usize {
    cx.byte_budget(MAX_BYTES)
}

/// Renders the answer for a finished command.
pub fn ended_answer(finished: &JobResult, timeout: Duration, budget: usize) -> ToolOutput {
    let JobResult { end, duration, level, stdout, stderr } = finished;
    let end_text = match end {
        ExitReason::Exited(code) => format!("exit {code}"),
        ExitReason::TimedOut => format!("time-out after {}, ended with all its processes", format_seconds(timeout)),
        ExitReason::Cancelled => "stopped, with all its processes".to_owned(),
    };
    let (code, end_kind) = match end {
        ExitReason::Exited(code) => (Some(*code), "exited"),
        ExitReason::TimedOut => (None, "timed-out"),
        ExitReason::Cancelled => (None, "stopped"),
    };
    ToolOutput {
        text: outputs(stdout, stderr, budget),
        data: Some(json!({
            "ended": end_kind,
            "exitCode": code,
            "durationMs": milliseconds(*duration),
            "sandbox": level.name(),
            "stdout": captured_json(stdout),
            "stderr": captured_json(stderr),
        })),
        status: Some(OutputStatus {
            endpoint: level.name().to_owned(),
            readiness: end_text,
            complete: Some(matches!(end, ExitReason::Exited(_))),
            note: Some(format_seconds(*duration)),
        }),
        truncated: None,
    }
}

fn captured_json(captured: &CapturedOutput) -> Value {
    let output = captured.id.as_ref().map(ToString::to_string);
    json!({ "output": output, "bytes": captured.bytes, "lines": captured.lines, "text": captured_text(captured, MAX_BYTES) })
}

/// Renders `1.2 s`.
pub fn format_seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// Renders both outputs: the beginning and the end of long ones, with the handles of the complete outputs.
pub fn outputs(stdout: &CapturedOutput, stderr: &CapturedOutput, budget: usize) -> String {
    if stdout.bytes == 0 && stderr.bytes == 0 {
        return "(no output)".to_owned();
    }
    // Error output is usually short; it gets up to half of the budget.
    let stderr_budget = usize::try_from(stderr.bytes).unwrap_or(usize::MAX).min(budget / 2);
    let stdout_budget = budget - stderr_budget;
    let mut text = captured_text(stdout, stdout_budget);
    if stderr.bytes > 0 {
        ensure_line_end(&mut text);
        text.push_str("stderr:\n");
        text.push_str(&captured_text(stderr, stderr_budget));
    }
    for (name, captured, shown) in [("output", stdout, stdout_budget), ("stderr", stderr, stderr_budget)] {
        let Some(id) = captured.id.as_ref().filter(|_| captured.is_cut(shown)) else { continue };
        ensure_line_end(&mut text);
        let note = if captured.is_cut_in_store() { ", the rest was not stored" } else { "" };
        // Writing to a `String` cannot fail.
        let _ = write!(text, "all of {name}, {} lines: output.read {{\"output\":\"{id}\"}}{note}", captured.lines);
    }
    text
}

fn ensure_line_end(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn captured_text(captured: &CapturedOutput, bytes: usize) -> String {
    clean_output(&captured.excerpt(bytes))
}

/// Cleans program output for display: replaces carriage returns, as in progress bars, by line breaks.
pub fn clean_output(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
