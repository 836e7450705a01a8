//! `shell.run`: a command in the sandbox, to its end or in the background.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_exec::job::{BackgroundError, ProcessCommand, ProcessJob};
use zubi_exec::sandbox::Net;
use zubi_policy::shell::{self, MAX_SCRIPT};
use zubi_tool_api::{Effect, Footprint, OutputStatus, ToolCx, ToolError, ToolOutput};

use super::shell_tool::{
    SHELL_TOOL, ShellToolContext, directory, environment, prepare_sandbox, run_error, sandbox_problem,
};
use super::{answer, git_attributes, git_objects, git_start, link_paths};
use crate::adapter::{ToolMeta, TypedTool};

pub(crate) struct RunCommand;

/// Default time-out of a command.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);
/// Default time-out of a background command.
const DEFAULT_BACKGROUND: Duration = Duration::from_hours(1);
/// Maximum time-out of a background command, in milliseconds; for others the call's deadline is shorter.
const MAX_TIMEOUT_MS: u64 = 24 * 60 * 60 * 1000;
/// Time before the call's deadline at which zubi ends a command, so that it can still return the output.
const RESERVE: Duration = Duration::from_secs(2);
/// Time during which a background start waits for an immediate failure.
const START_WAIT: Duration = Duration::from_millis(700);
/// Maximum size of standard input, in bytes.
const MAX_STDIN: usize = 4 << 20;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Script for bash, or for sh if bash is missing
    #[schemars(length(max = 65_536))]
    command: String,
    /// Folder of the workspace to run in; default its root
    cwd: Option<String>,
    /// Time-out in ms; default 120000, in the background 3600000
    #[schemars(range(min = 1, max = 86_400_000))]
    #[serde(rename = "timeoutMs")]
    timeout_ms: Option<u64>,
    /// Return at once with a handle for shell.job
    background: Option<bool>,
    /// Text on standard input; default none
    #[schemars(length(max = 4_194_304))]
    stdin: Option<String>,
    /// Allow network access; default false
    net: Option<bool>,
}

impl Input {
    fn check(&self) -> Result<(), ToolError> {
        let hint = "Pass one command line or a short script; write long scripts to a file and run that.";
        let problem = match &self.command {
            command if command.trim().is_empty() => "it is empty".to_owned(),
            command if command.len() > MAX_SCRIPT => format!("it has more than {} KiB", MAX_SCRIPT / 1024),
            command if command.contains('\0') => "it contains a NUL character".to_owned(),
            _ => {
                let too_long = self.stdin.as_ref().is_some_and(|text| text.len() > MAX_STDIN);
                let hint = "Write it to a file with file.write and let the command read that.";
                let problem = format!("it has more than {} MiB", MAX_STDIN >> 20);
                return if too_long { Err(ToolError::invalid("stdin", problem, hint)) } else { Ok(()) };
            }
        };
        Err(ToolError::invalid("command", problem, hint))
    }

    fn network(&self) -> Net {
        if self.net == Some(true) { Net::Internet } else { Net::None }
    }
}

#[async_trait]
impl TypedTool for RunCommand {
    const META: ToolMeta = ToolMeta {
        id: "shell.run",
        title: "Run a command",
        description: "Runs a shell command in a folder of the workspace, in a sandbox, and returns both outputs (beginning and end of long ones), then exit code, time and sandbox level. For builds, tests and programs; use file.* to read, search and edit files, lsp_* for code. Use `background` for servers and long runs.",
        notes: "The sandbox lets a command read everything except credential stores, write the workspace and its own temporary directory, and use the network only with `net`. All its processes end with it. The complete output is stored for seven days; read it with output.read and output.grep.",
        effect: Effect::Execute,
        tags: &["shell", "bash", "run a command", "run tests", "execute", "build", "terminal"],
        timeout: Duration::from_mins(30),
        example: || ("Run the tests", json!({ "command": "cargo test --quiet", "timeoutMs": 300_000 })),
        ..SHELL_TOOL
    };
    type Context = ShellToolContext;
    type Input = Input;

    async fn prepare(shell: &ShellToolContext) -> Result<(), ToolError> {
        prepare_sandbox(shell.jobs.runner().sandbox(), "run the command").await
    }

    fn footprint(shell: &ShellToolContext, args: &Value, cx: &ToolCx) -> Result<Footprint, ToolError> {
        let input = Self::parse(args.clone())?;
        input.check()?;
        let directory = directory(cx, input.cwd.as_deref())?;
        let mut analysis = shell::read_with_input(&input.command, &directory, input.stdin.is_some());
        let roots = cx.workspace.roots();
        let bare = git_start::bare_repository_problem(&analysis.commands, &directory, &analysis.reads, &roots);
        analysis.unresolved.extend(bare);
        let configured = git_start::configuration_problem(&analysis.commands, &directory, &roots);
        analysis.unresolved.extend(configured);
        analysis.unresolved.extend(git_attributes::problem(&analysis.commands, &directory, &roots));
        analysis.unresolved.extend(git_objects::problem(&analysis.commands, &directory, &roots));
        // A `cd` is in the reads.
        let directories = [std::slice::from_ref(&directory), &analysis.reads].concat();
        analysis.unresolved.extend(link_paths::problem(&analysis.commands, &directories));
        analysis.unresolved.extend(git_start::toolchain_problem(&analysis.commands, &directory, &roots));
        let is_git_hardened = git_start::is_hardened(&analysis, &directory, &roots);
        let sandbox = shell.jobs.runner().sandbox();
        let (network, hosts) = match input.network() {
            Net::None => ("no network", Vec::new()),
            // The hosts cannot be determined from the command's text.
            Net::Internet | Net::All => ("the network", vec!["*".to_owned()]),
        };
        let files = ["writes only below the workspace", "no credential stores"].map(str::to_owned);
        let mut unresolved = analysis.unresolved;
        unresolved.extend(sandbox_problem(sandbox));
        Ok(Footprint {
            effect: Some(Effect::Execute),
            reads: analysis.reads,
            writes: analysis.writes,
            commands: analysis.commands,
            wrappers: analysis.wrappers,
            hosts,
            unresolved,
            directory: Some(directory),
            sandbox: Some(sandbox.describe(&files, network)),
            preview: input.stdin,
            is_git_hardened,
            ..Footprint::default()
        })
    }

    async fn run(shell: &ShellToolContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        input.check()?;
        let is_background = input.background == Some(true);
        let command = ProcessCommand::Script { text: input.command.clone(), arguments: Vec::new() };
        let mut job = ProcessJob::new(command, directory(cx, input.cwd.as_deref())?, cx.workspace.roots());
        job.manifest.net = input.network();
        job.environment = environment();
        let analysis = shell::read_with_input(&input.command, &job.directory, input.stdin.is_some());
        job.environment.extend(git_start::environment(&analysis.commands));
        job.files = git_start::files(&analysis.commands);
        let requested = input.timeout_ms.map(|ms| Duration::from_millis(ms.min(MAX_TIMEOUT_MS)));
        job.stdin = input.stdin;
        if is_background {
            job.timeout = requested.unwrap_or(DEFAULT_BACKGROUND);
            return start_background(shell, job, &input.command, cx).await;
        }
        let remaining = cx.deadline.saturating_duration_since(Instant::now());
        job.timeout = requested.unwrap_or(DEFAULT_TIMEOUT).min(remaining.saturating_sub(RESERVE).max(remaining / 2));
        let finished = shell.jobs.runner().run(&job, &cx.cancel).await.map_err(|error| run_error(&error))?;
        Ok(answer::ended_answer(&finished, job.timeout, answer::output_budget(cx)))
    }
}

async fn start_background(
    shell: &ShellToolContext,
    job: ProcessJob,
    title: &str,
    cx: &ToolCx,
) -> Result<ToolOutput, ToolError> {
    let timeout = job.timeout;
    let background = shell.jobs.start(job, title).map_err(|error| match error {
        BackgroundError::Run(error) => run_error(&error),
        error => {
            ToolError::operation_failed("run the command", error, "End one with shell.job {\"action\":\"stop\"} first.")
        }
    })?;
    tokio::select! {
        _ = background.wait(START_WAIT) => {}
        () = cx.cancel.cancelled() => {}
    }
    let handle = &background.handle;
    match background.outcome().as_deref() {
        Some(Ok(finished)) => Ok(answer::ended_answer(finished, timeout, answer::output_budget(cx))),
        Some(Err(error)) => Err(run_error(error)),
        None => {
            let (stdout, stderr) = background.output();
            let partial_output = answer::outputs(&stdout, &stderr, answer::output_budget(cx));
            let text = format!(
                "job {handle} is running; shell.job {{\"job\":\"{handle}\",\"action\":\"output\"}} shows its output\n{partial_output}"
            );
            // The command has started, so the level is known.
            let level = shell.jobs.runner().sandbox().probed_status().map_or("starting", |status| status.level.name());
            let note = format!("time-out after {}", answer::format_seconds(timeout));
            let status = OutputStatus {
                endpoint: level.to_owned(),
                readiness: "running".to_owned(),
                complete: Some(false),
                note: Some(note),
            };
            let data = json!({ "job": handle, "ended": null, "sandbox": level });
            Ok(ToolOutput { text, data: Some(data), status: Some(status), truncated: None })
        }
    }
}
