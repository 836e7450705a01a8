//! `shell.job`: status, output and end of background jobs.

use std::fmt::Write as _;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_exec::job::{Background, CapturedOutput, ExitReason};
use zubi_tool_api::{Effect, Footprint, OutputStatus, ToolCx, ToolError, ToolOutput};

use super::answer;
use super::shell_tool::{SHELL_TOOL, ShellToolContext, run_error};
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct JobTool;

/// Maximum length of a command in a list, in characters.
const MAX_TITLE: usize = 100;

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum JobAction {
    #[default]
    Status,
    Output,
    Stop,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// `j-…` from shell.run; without it, all jobs are listed
    job: Option<String>,
    /// status (default), output, or stop
    action: Option<JobAction>,
    /// Cursor of an earlier answer: only later output
    since: Option<String>,
    /// Milliseconds to wait for its end; default 0
    #[schemars(range(min = 0, max = 60_000))]
    #[serde(rename = "waitMs")]
    wait_ms: Option<u64>,
}

#[async_trait]
impl TypedTool for JobTool {
    const META: ToolMeta = ToolMeta {
        id: "shell.job",
        title: "Background jobs",
        description: "Shows the status or the output (all, or since a cursor) of a background job started by shell.run, waits for its end, or stops it with all its processes. Without `job`, lists all jobs. Finished jobs are listed for ten minutes.",
        notes: "Jobs end when zubi exits.",
        effect: Effect::Plan,
        tags: &["background", "job", "process", "status", "stop", "kill", "output"],
        timeout: Duration::from_mins(2),
        example: || ("Output of a server", json!({ "job": "j-1", "action": "output" })),
        ..SHELL_TOOL
    };
    type Context = ShellToolContext;
    type Input = Input;

    fn footprint(_shell: &ShellToolContext, args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        let input = Self::parse(args.clone())?;
        // A stop ends only processes that shell.run was allowed to start.
        let effect = if input.action == Some(JobAction::Stop) { Effect::Plan } else { Effect::Read };
        Ok(Footprint::from_effect(effect))
    }

    async fn run(shell: &ShellToolContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let action = input.action.unwrap_or_default();
        let Some(handle) = &input.job else {
            if action == JobAction::Status {
                return Ok(render_list(&shell.jobs.list()));
            }
            let hint = "Pass the handle of a job; shell.job without arguments lists all jobs.";
            return Err(ToolError::invalid("job", "missing", hint));
        };
        let job = shell
            .jobs
            .get(handle)
            .map_err(|error| ToolError::invalid("job", error, "shell.job without arguments lists all jobs."))?;
        let since = input.since.as_deref().map(parse_cursor).transpose()?.unwrap_or_default();
        let action_done = async {
            match action {
                JobAction::Stop => job.stop().await,
                _ => drop(job.wait(Duration::from_millis(input.wait_ms.unwrap_or(0))).await),
            }
        };
        tokio::select! {
            () = action_done => {}
            () = cx.cancel.cancelled() => {}
        }
        if let Some(Err(error)) = job.outcome().as_deref() {
            return Err(run_error(error));
        }
        let (stdout, stderr) = job.output();
        let budget = answer::output_budget(cx);
        let (readiness, note) = job_status(&job);
        let text = match action {
            JobAction::Status => {
                format!("{}\n{} bytes of output, {} of stderr", title(&job), stdout.bytes, stderr.bytes)
            }
            JobAction::Output | JobAction::Stop if since == (0, 0) => answer::outputs(&stdout, &stderr, budget),
            JobAction::Output | JobAction::Stop => new_output(&stdout, &stderr, since, budget),
        };
        let next_cursor = format!("{}:{}", stdout.bytes, stderr.bytes);
        let status = OutputStatus {
            endpoint: job.handle.clone(),
            readiness,
            complete: Some(job.outcome().is_some()),
            note: Some(format!("{note} · since {next_cursor}")),
        };
        let output = |captured: &CapturedOutput| captured.id.as_ref().map(ToString::to_string);
        let data = json!({
            "job": job.handle,
            "running": job.outcome().is_none(),
            "since": next_cursor,
            "stdout": { "output": output(&stdout), "bytes": stdout.bytes },
            "stderr": { "output": output(&stderr), "bytes": stderr.bytes },
        });
        Ok(ToolOutput { text, data: Some(data), status: Some(status), truncated: None })
    }
}

/// Parses a cursor: the bytes of both outputs seen so far.
fn parse_cursor(text: &str) -> Result<(u64, u64), ToolError> {
    let parsed = text.split_once(':').and_then(|(stdout, stderr)| Some((stdout.parse().ok()?, stderr.parse().ok()?)));
    parsed.ok_or_else(|| {
        let hint = "Pass the value after `since` in an answer's last line, or omit it to see everything.";
        ToolError::invalid("since", "not a valid cursor", hint)
    })
}

fn new_output(stdout: &CapturedOutput, stderr: &CapturedOutput, since: (u64, u64), budget: usize) -> String {
    let mut text = String::new();
    for (name, captured, offset) in [("", stdout, since.0), ("stderr:\n", stderr, since.1)] {
        let new = captured.text_since(offset, budget / 2);
        if !new.is_empty() {
            text.push_str(name);
            text.push_str(answer::clean_output(&new).trim_end_matches('\n'));
            text.push('\n');
        }
    }
    if text.is_empty() { "nothing new".to_owned() } else { text }
}

fn job_status(job: &Background) -> (String, String) {
    match job.outcome().as_deref() {
        None => ("running".to_owned(), format!("for {}", answer::format_seconds(job.started.elapsed()))),
        Some(Ok(finished)) => {
            let end = match finished.end {
                ExitReason::Exited(code) => format!("exit {code}"),
                ExitReason::TimedOut => "ended at the time-out".to_owned(),
                ExitReason::Cancelled => "stopped".to_owned(),
            };
            (end, format!("{} · {}", finished.level.name(), answer::format_seconds(finished.duration)))
        }
        Some(Err(error)) => ("did not run".to_owned(), error.to_string()),
    }
}

fn title(job: &Background) -> String {
    let line = job.title.lines().next().unwrap_or_default();
    let mut truncated: String = line.chars().take(MAX_TITLE).collect();
    if truncated.len() < job.title.len() {
        truncated.push('…');
    }
    truncated
}

fn render_list(jobs: &[Background]) -> ToolOutput {
    let mut text = String::new();
    for job in jobs {
        let (readiness, note) = job_status(job);
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{}  {readiness} · {note}  {}", job.handle, title(job));
    }
    if text.is_empty() {
        text.push_str("no jobs; shell.run with background: true starts one");
    }
    let data = json!({ "jobs": jobs.iter().map(|job| json!({
        "job": job.handle,
        "command": job.title,
        "running": job.outcome().is_none(),
    })).collect::<Vec<_>>() });
    ToolOutput { text, data: Some(data), status: None, truncated: None }
}
