//! Runs a shell tool: its script, in the declared sandbox, to its end.
//!
//! The shell reads the script through a pipe: values may make it longer than an argument can be, and secrets in it must
//! not be visible in the process list. The policy decides on the script with its secrets hidden.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};
use zubi_base::process::ChildEnvironment;
use zubi_base::secret;
use zubi_base::text::quote_all;
use zubi_exec::job::{ExitReason, JobResult, ProcessCommand, ProcessJob, Shell};
use zubi_exec::sandbox::{self, FileAccess, Net, SandboxContext, SandboxRequest};
use zubi_exec::template::{RenderedText, Template};
use zubi_tool_api::{ErrorCode, Footprint, ToolCx, ToolError, ToolOutput, approval_prompt, redact};

use crate::declared_tool::DeclaredTool;
use crate::format::{SandboxDeclaration, ShellKind};
use zubi_policy::shell;
use zubi_tools::shell::{answer, directory, environment, run_error_in, sandbox_problem};

/// Largest variable, name and value, in bytes (`MAX_ARG_STRLEN` of execve(2), without the final NUL).
const MAX_VARIABLE: usize = 128 * 1024 - 1;

/// Maximum size of all variables of a tool, in bytes. Together with everything else that a program receives, they stay
/// below system limits (`ARG_MAX`, 2 MiB with the usual stack of 8 MiB).
const MAX_VARIABLES: usize = 1024 * 1024;

/// Maximum size of a script in an approval prompt, in bytes. The policy requires approval for a longer script, whatever
/// the rules allow.
const MAX_PREVIEW: usize = shell::MAX_SCRIPT;

/// Time before the caller's deadline at which zubi ends a script, so that it can still return the output.
const RESERVE: Duration = Duration::from_secs(2);

/// Maximum bytes of output in a failure. Failures are truncated (`ToolError::sanitize`), and the handles come last.
const MAX_FAILURE_BYTES: usize = 3_000;

/// Maximum number of paths of a declaration listed on one line.
const MAX_LISTED: usize = 5;

/// Compiled templates of a shell tool.
pub(crate) struct ShellPlan<'a> {
    pub(crate) script: &'a Template,
    pub(crate) shell: ShellKind,
    pub(crate) directory: Option<&'a Template>,
    pub(crate) environment: &'a [(String, Template)],
}

/// A shell tool with the values of a call.
struct ResolvedShell {
    script: RenderedText,
    directory: Utf8PathBuf,
    environment: Vec<(String, RenderedText)>,
}

impl ResolvedShell {
    fn new(
        tool: &DeclaredTool,
        parts: &ShellPlan<'_>,
        args: &Map<String, Value>,
        cx: &ToolCx,
    ) -> Result<Self, ToolError> {
        let script = tool.render(parts.script, args)?;
        let rendered = parts.directory.map(|template| tool.render(template, args)).transpose()?;
        let directory = match rendered.filter(|rendered_path| !rendered_path.absent) {
            None => tool.folder.clone(),
            // Relative to the folder that declares the tool, not to any folder with such a directory.
            Some(rendered_path)
                if cx.workspace.folders().len() > 1 && Utf8Path::new(&rendered_path.text).is_relative() =>
            {
                directory(cx, Some(tool.folder.join(rendered_path.text).as_str()))?
            }
            Some(rendered_path) => directory(cx, Some(&rendered_path.text))?,
        };
        let (mut environment, mut total) = (Vec::new(), 0);
        for (name, template) in parts.environment {
            let value = tool.render(template, args)?;
            if value.absent {
                continue;
            }
            let bytes = name.len() + 1 + value.text.len();
            total += bytes;
            if bytes > MAX_VARIABLE || total > MAX_VARIABLES {
                let hint = "Pass less text; the script itself can contain a value of any length.";
                let message = format!("`{name}` would have {} bytes, more than a variable can hold", value.text.len());
                return Err(ToolError::invalid("env", message, hint));
            }
            environment.push((name.clone(), value));
        }
        Ok(Self { script, directory, environment })
    }
}

/// Returns the variables and the script for the approval prompt.
fn preview(tool: &DeclaredTool, parts: &ShellPlan<'_>, args: &Map<String, Value>) -> Result<String, ToolError> {
    let mut text = String::new();
    for (name, template) in parts.environment {
        let value = tool.render_preview(template, args)?;
        if !value.absent {
            // Writing to a `String` cannot fail. Fixed text of the file may contain line breaks too.
            let _ = writeln!(text, "{name}={}", value.redacted.replace('\n', "\\n"));
        }
    }
    text.push_str(&tool.render_preview(parts.script, args)?.redacted);
    Ok(approval_prompt::ellipsize_middle(text, MAX_PREVIEW))
}

/// Returns the footprint of a call: `common` and the effects of its script.
pub(crate) fn footprint(
    tool: &DeclaredTool,
    parts: &ShellPlan<'_>,
    args: &Map<String, Value>,
    cx: &ToolCx,
    common: Footprint,
) -> Result<Footprint, ToolError> {
    let resolved = ResolvedShell::new(tool, parts, args, cx)?;
    let analysis = shell::read(&resolved.script.redacted, &resolved.directory);
    let declared = tool.definition.tool.sandbox.clone().unwrap_or_default();
    let (mut reads, mut writes, mut unresolved) = (analysis.reads, analysis.writes, analysis.unresolved);
    // The policy judges variables set from arguments as if the script began with them.
    for (name, value) in &resolved.environment {
        let from_arguments =
            parts.environment.iter().any(|(other, template)| other == name && !template.arguments().is_empty());
        unresolved.extend(shell::variable_problem(name, &value.redacted).filter(|_| from_arguments));
    }
    unresolved.extend(sandbox_problem(tool.context.jobs.runner().sandbox()));
    let files = declared.fs.clone().unwrap_or_default();
    // The policy judges paths that the declaration opens outside the workspace as if the script named them, because the
    // script may use them.
    reads.extend(paths_outside(tool, cx, files.read.as_deref())?);
    writes.extend(paths_outside(tool, cx, files.write.as_deref())?);
    let mut common = common;
    common.secrets.extend(secret_names(declared.env.as_deref().unwrap_or_default()).cloned());
    Ok(Footprint {
        reads,
        writes,
        commands: analysis.commands,
        unresolved,
        hosts: declared.net.clone().unwrap_or_default(),
        sandbox: Some(describe_sandbox(tool.context.jobs.runner().sandbox(), &declared)),
        preview: Some(preview(tool, parts, args)?),
        directory: Some(resolved.directory),
        ..common
    })
}

/// Returns the paths of a declaration that are outside the workspace.
fn paths_outside(tool: &DeclaredTool, cx: &ToolCx, paths: Option<&[String]>) -> Result<Vec<Utf8PathBuf>, ToolError> {
    let mut found = declared_paths(tool, paths.unwrap_or_default())?;
    found.retain(|path| !cx.workspace.contains(path));
    Ok(found)
}

/// Resolves the paths of a declaration.
fn declared_paths(tool: &DeclaredTool, paths: &[String]) -> Result<Vec<Utf8PathBuf>, ToolError> {
    let home = tool.context.jobs.runner().sandbox().home();
    let folders = [tool.folder.clone()];
    let context = SandboxContext { folders: &folders, temporary: &tool.folder, home };
    let invalid = |error| tool.run_error(error, "Fix `sandbox.fs` of the tool in its file.");
    let resolve = |path: Utf8PathBuf| zubi_base::fs::canonical_for_creation(&path).unwrap_or(path);
    paths.iter().map(|path| Ok(resolve(context.path(path).map_err(invalid)?))).collect()
}

/// Returns the requested variables of zubi's own environment whose names suggest secrets.
fn secret_names(names: &[String]) -> impl Iterator<Item = &String> {
    names.iter().filter(|name| secret::is_secret_name(name))
}

/// Describes the sandbox for users.
fn describe_sandbox(sandbox: &sandbox::Sandbox, declared: &SandboxDeclaration) -> String {
    let files = declared.fs.clone().unwrap_or_default();
    let mut clauses = vec![match files.write.as_deref() {
        None => "writes only below the workspace".to_owned(),
        Some([]) => "writes nothing but a temporary directory".to_owned(),
        Some(paths) => format!("writes only {}", list_paths(paths)),
    }];
    clauses.push(match files.read.as_deref() {
        None => "no credential stores".to_owned(),
        Some(paths) => format!("reads only {} and the system's programs", list_paths(paths)),
    });
    match declared.exec.as_deref() {
        None => {}
        Some([]) => clauses.push("runs no program".to_owned()),
        Some(programs) => clauses.push(format!("runs only {}", list_paths(programs))),
    }
    let network = match network(declared) {
        Net::None => "no network",
        // A process sandbox restricts addresses, not host names.
        Net::Internet | Net::All => "the whole network",
    };
    sandbox.describe(&clauses, network)
}

fn list_paths(paths: &[String]) -> String {
    let listed = quote_all(paths.iter().take(MAX_LISTED));
    let more = paths.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{listed}{more}")
}

fn network(declared: &SandboxDeclaration) -> Net {
    if declared.net.as_ref().is_some_and(|hosts| !hosts.is_empty()) { Net::Internet } else { Net::None }
}

/// Converts a tool's declaration to a sandbox request.
fn sandbox_request(declared: &SandboxDeclaration) -> SandboxRequest {
    let files = declared.fs.clone().unwrap_or_default();
    SandboxRequest {
        fs: FileAccess { read: files.read, write: files.write },
        net: network(declared),
        exec: declared.exec.clone(),
        env: declared.env.clone().unwrap_or_default(),
    }
}

/// Runs the script to its end, whatever its result.
async fn run_script(
    tool: &DeclaredTool,
    parts: &ShellPlan<'_>,
    args: &Map<String, Value>,
    cx: &ToolCx,
) -> Result<(JobResult, Duration), ToolError> {
    let ResolvedShell { script, directory, environment: own_variables } = ResolvedShell::new(tool, parts, args, cx)?;
    let shell = match parts.shell {
        ShellKind::Sh => Shell::Sh,
        ShellKind::Bash => Shell::Bash,
    };
    let mut folders = cx.workspace.roots();
    // Relative paths of the declaration are relative to the first folder.
    folders.retain(|folder| *folder != tool.folder);
    folders.insert(0, tool.folder.clone());
    let mut job = ProcessJob::new(ProcessCommand::Piped { text: script.text, shell }, directory, folders);
    job.manifest = sandbox_request(&tool.definition.tool.sandbox.clone().unwrap_or_default());
    if let Some(paths) = &mut job.manifest.fs.write {
        // Resolve the path again, as for the footprint, immediately before the sandbox opens it.
        *paths = declared_paths(tool, paths)?.into_iter().map(Utf8PathBuf::into_string).collect();
    }
    job.environment = environment();
    job.environment.extend(own_variables.into_iter().map(|(name, value)| (name, value.text)));
    job.secrets.clone_from(&tool.context.secret_forms);
    let inherited = ChildEnvironment::inherited_with(&job.manifest.env);
    let secret_values =
        secret_names(&job.manifest.env).filter_map(|name| inherited.get(name)?.to_str().map(str::to_owned));
    job.secrets.extend(redact::forms(secret_values));
    let remaining = cx.deadline.saturating_duration_since(Instant::now());
    job.timeout = tool.definition.timeout.min(remaining.saturating_sub(RESERVE).max(remaining / 2));
    let finished = tool.context.jobs.runner().run(&job, &cx.cancel).await;
    let finished = finished.map_err(|error| run_error_in(&format!("run {}", tool.id()), &error))?;
    Ok((finished, job.timeout))
}

pub(crate) async fn run(
    tool: &DeclaredTool,
    parts: &ShellPlan<'_>,
    args: &Map<String, Value>,
    cx: &ToolCx,
) -> Result<ToolOutput, ToolError> {
    let (finished, timeout) = run_script(tool, parts, args, cx).await?;
    let declared = tool.definition.tool.output.as_ref().and_then(|output| output.exit_codes.clone());
    let is_success = |code: i32| {
        declared.as_ref().map_or(code == 0, |codes| codes.iter().any(|success| i32::from(*success) == code))
    };
    if let (Some(doubles), ExitReason::Exited(code)) = (&tool.context.fakes, finished.end) {
        doubles.record_exit(code);
    }
    let budget = answer::output_budget(cx).min(MAX_FAILURE_BYTES);
    let outputs = || answer::outputs(&finished.stdout, &finished.stderr, budget).trim_end().to_owned();
    match finished.end {
        ExitReason::Exited(code) if is_success(code) => {
            Ok(answer::ended_answer(&finished, timeout, answer::output_budget(cx)))
        }
        ExitReason::Exited(code) => {
            Err(tool.run_error(format!("it exited with {code}\n{}", outputs()), exit_code_hint(code)))
        }
        ExitReason::TimedOut => Err(ToolError::user(
            ErrorCode::TimedOut,
            format!(
                "Error in {}: time-out after {}; the script and all its processes were ended\n{}",
                tool.id(),
                answer::format_seconds(timeout),
                outputs()
            ),
            "Request less work; the tool's `timeout` is the limit.",
        )),
        ExitReason::Cancelled => Err(ToolError::user(
            ErrorCode::Cancelled,
            format!("Error in {}: the call was cancelled\n{}", tool.id(), outputs()),
            "Call again if you still need the answer.",
        )),
    }
}

/// Returns the hint for an exit code (POSIX, XCU 2.8.2; 128 + signal).
fn exit_code_hint(code: i32) -> &'static str {
    match code {
        126 | 127 => "A program that the script needs is missing or may not run here; report it to the user.",
        // git and others exit with 128 itself when they cannot continue.
        129.. => "A signal or a limit ended it; request less work, or report it to the user.",
        _ => "See its output: change the arguments, or report an error in the tool to the user.",
    }
}
