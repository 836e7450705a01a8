//! `shell.run`: a command in the sandbox, to its end or in the background.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_run::job::{BackgroundError, Command, Job};
use zubi_run::sandbox::Net;
use zubi_tools::shell::{self, MAX_SCRIPT};
use zubi_tools::{Effect, Exposure, Footprint, Status, ToolCx, ToolError, ToolOutput};

use super::{Shell, answer, did_not_run, directory, environment};
use crate::os_tool::{LocalToolMeta, LocalTool};

pub(crate) struct Run;

/// How long a command may take where nothing else is said.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);
/// The same in the background.
const DEFAULT_BACKGROUND: Duration = Duration::from_hours(1);
/// How long a command may take at most, in the background; in front the call's own time ends it earlier.
const MAX_TIMEOUT_MS: u64 = 24 * 60 * 60 * 1000;
/// A command is ended so long before the call is, so that what it wrote can be told.
const RESERVE: Duration = Duration::from_secs(2);
/// How long is waited for a command in the background, which may fail at once.
const FIRST_LOOK: Duration = Duration::from_millis(700);
/// The most input, in bytes.
const MAX_STDIN: usize = 4 << 20;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Script for bash, or sh where there is none
    #[schemars(length(max = 65_536))]
    command: String,
    /// Folder of the workspace to run in; default its root
    cwd: Option<String>,
    /// Ended after this; default 120000, in the background 3600000
    #[schemars(range(min = 1, max = 86_400_000))]
    timeout_ms: Option<u64>,
    /// Answer at once with a handle for shell.job
    background: Option<bool>,
    /// Text on standard input; default none
    #[schemars(length(max = 4_194_304))]
    stdin: Option<String>,
    /// Let it reach the network; default no
    net: Option<bool>,
}

impl Input {
    fn check(&self) -> Result<(), ToolError> {
        let hint = "Give one command line or a short script; long ones belong into a file that the command runs.";
        let wrong = match &self.command {
            command if command.trim().is_empty() => "it is empty".to_owned(),
            command if command.len() > MAX_SCRIPT => format!("it has more than {} KiB", MAX_SCRIPT / 1024),
            command if command.contains('\0') => "it holds a NUL character".to_owned(),
            _ => {
                let too_long = self.stdin.as_ref().is_some_and(|text| text.len() > MAX_STDIN);
                let hint = "Write it to a file with file.write and let the command read that.";
                let what = format!("it has more than {} MiB", MAX_STDIN >> 20);
                return if too_long { Err(ToolError::invalid("stdin", what, hint)) } else { Ok(()) };
            }
        };
        Err(ToolError::invalid("command", wrong, hint))
    }

    fn net(&self) -> Net {
        if self.net == Some(true) { Net::Internet } else { Net::None }
    }
}

#[async_trait]
impl LocalTool for Run {
    const ABOUT: LocalToolMeta = LocalToolMeta {
        id: "shell.run",
        title: "Run a command",
        description: "Runs a shell command in a folder of the workspace, within a sandbox, and answers both outputs (beginning and end of long ones), then exit code, time and what held it. For builds, tests and programs; files are read, searched and edited with file.*, code with lsp_*. `background` is for servers and long runs.",
        notes: "The sandbox lets a command read everything but credential stores, write the workspace and a temporary directory of its own, and reach no network unless `net` is set. Nothing of it is left when it has ended: what it started ends with it. All of an output is kept for seven days; output.read and output.grep read it.",
        effect: Effect::Execute,
        exposure: Exposure::Deferred,
        toolset: super::TOOLSET,
        category: "Shell",
        tags: &["shell", "bash", "command", "run", "execute", "build", "test", "terminal"],
        timeout: Duration::from_mins(30),
        example: || ("Run the tests", json!({ "command": "cargo test --quiet", "timeout_ms": 300_000 })),
    };
    type Context = Shell;
    type Input = Input;

    fn footprint(shell: &Shell, input: &Input, cx: &ToolCx) -> Result<Footprint, ToolError> {
        input.check()?;
        let directory = directory(cx, input.cwd.as_deref())?;
        let reading = shell::read_fed(&input.command, &directory, input.stdin.is_some());
        let level =
            shell.jobs.runner().sandbox().probed_status().map_or("the best that this machine offers", |it| it.level.name());
        let (network, hosts) = match input.net() {
            Net::None => ("no network", Vec::new()),
            // Which hosts the command asks cannot be told from its text.
            Net::Internet | Net::All => ("the network", vec!["*".to_owned()]),
        };
        Ok(Footprint {
            effect: Some(Effect::Execute),
            reads: reading.reads,
            writes: reading.writes,
            commands: reading.commands,
            hosts,
            unresolved: reading.unresolved,
            directory: Some(directory),
            sandbox: Some(format!("{level}: writes only below the workspace, no credential stores, {network}")),
            preview: input.stdin.clone(),
            ..Footprint::default()
        })
    }

    async fn run(shell: &Shell, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        input.check()?;
        let is_background = input.background == Some(true);
        let command = Command::Script { text: input.command.clone(), arguments: Vec::new() };
        let mut job = Job::new(command, directory(cx, input.cwd.as_deref())?, cx.workspace.roots());
        job.manifest.net = input.net();
        job.environment = environment();
        let asked = input.timeout_ms.map(|ms| Duration::from_millis(ms.min(MAX_TIMEOUT_MS)));
        job.stdin = input.stdin;
        if is_background {
            job.timeout = asked.unwrap_or(DEFAULT_BACKGROUND);
            return start(shell, job, &input.command, cx).await;
        }
        let left = cx.deadline.saturating_duration_since(Instant::now());
        job.timeout = asked.unwrap_or(DEFAULT_TIMEOUT).min(left.saturating_sub(RESERVE).max(left / 2));
        let finished = shell.jobs.runner().run(&job, &cx.cancel).await.map_err(|error| did_not_run(&error))?;
        Ok(answer::ended_answer(&finished, job.timeout, answer::room(cx)))
    }
}

async fn start(shell: &Shell, job: Job, title: &str, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
    let timeout = job.timeout;
    let background = shell.jobs.start(job, title).map_err(|error| match error {
        BackgroundError::Run(error) => did_not_run(&error),
        error => ToolError::operation_failed("run the command", error, "End one with shell.job {\"action\":\"stop\"} first."),
    })?;
    tokio::select! {
        _ = background.wait(FIRST_LOOK) => {}
        () = cx.cancel.cancelled() => {}
    }
    let handle = &background.handle;
    match background.outcome().as_deref() {
        Some(Ok(finished)) => Ok(answer::ended_answer(finished, timeout, answer::room(cx))),
        Some(Err(error)) => Err(did_not_run(error)),
        None => {
            let (stdout, stderr) = background.so_far();
            let so_far = answer::outputs(&stdout, &stderr, answer::room(cx));
            let text = format!(
                "job {handle} runs; shell.job {{\"job\":\"{handle}\",\"action\":\"output\"}} shows what it writes\n{so_far}"
            );
            let level = shell.jobs.runner().sandbox().probe().await.level.name();
            let note = format!("ended after {} at the latest", answer::seconds(timeout));
            let status = Status {
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
