//! Runs a shell tool: its script in the sandbox that the tool declares, to its end.
//!
//! The script reaches its shell through a pipe, for a value may make it longer than an argument can be, and a secret in it
//! must not stand where every process can read it. What the policy decides on is the script as it is shown, in which secrets
//! are hidden.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};
use zubi_base::process::Environment;
use zubi_base::secret;
use zubi_run::job::{Command, ExitReason, JobResult, Job, Shell};
use zubi_run::sandbox::{self, FileAccess, SandboxRequest, Net, SandboxContext};
use zubi_run::template::{RenderedText, Template};
use zubi_tools::{Code, Footprint, ToolCx, ToolError, ToolOutput, question, redact, shell};

use crate::declared::format::{SandboxDeclaration, ShellKind};
use crate::declared::tool::DeclaredTool;
use crate::shell::{answer, did_not_run_as, directory, environment};

/// The largest variable, name and value, in bytes (`MAX_ARG_STRLEN` of execve(2), without the NUL at its end).
const MAX_VARIABLE: usize = 128 * 1024 - 1;

/// The most bytes of all variables of a tool: with what else a program is started with they stay below what systems take
/// (`ARG_MAX`, 2 MiB where the stack has the usual 8).
const MAX_VARIABLES: usize = 1024 * 1024;

/// How much of the script is shown to whoever is asked, in bytes. The policy asks about a longer one whatever the rules say.
const MAX_PREVIEW: usize = shell::MAX_SCRIPT;

/// A script is ended so long before its caller stops to wait, so that what it wrote can be told.
const RESERVE: Duration = Duration::from_secs(2);

/// How much of the outputs a failure shows, in bytes; failures are cut (`ToolError::cleaned`), and the handles come last.
const FAILURE_ROOM: usize = 3_000;

/// How many paths of a declaration are named in one line.
const MAX_NAMED: usize = 5;

/// The parts of a shell tool.
pub(in crate::declared) struct ShellPlan<'a> {
    pub(in crate::declared) script: &'a Template,
    pub(in crate::declared) shell: ShellKind,
    pub(in crate::declared) directory: Option<&'a Template>,
    pub(in crate::declared) environment: &'a [(String, Template)],
}

/// The same with the values of a call.
struct ResolvedShell {
    script: RenderedText,
    directory: Utf8PathBuf,
    environment: Vec<(String, RenderedText)>,
}

impl ResolvedShell {
    fn new(tool: &DeclaredTool, parts: &ShellPlan<'_>, args: &Map<String, Value>, cx: &ToolCx) -> Result<Self, ToolError> {
        let script = tool.render(parts.script, args)?;
        let given = parts.directory.map(|template| tool.render(template, args)).transpose()?;
        let directory = match given.filter(|given| !given.absent) {
            None => tool.folder.clone(),
            // Relative to the folder that declares the tool, not to whichever has such a directory.
            Some(given) if cx.workspace.folders().len() > 1 && Utf8Path::new(&given.text).is_relative() => {
                directory(cx, Some(tool.folder.join(given.text).as_str()))?
            }
            Some(given) => directory(cx, Some(&given.text))?,
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
                let hint = "Give less; a value of any length can stand in the script itself.";
                let what = format!("`{name}` would have {} bytes, more than a variable can hold", value.text.len());
                return Err(ToolError::invalid("env", what, hint));
            }
            environment.push((name.clone(), value));
        }
        Ok(Self { script, directory, environment })
    }
}

/// What runs, for whoever is asked: variables, then the script.
fn preview(tool: &DeclaredTool, parts: &ShellPlan<'_>, args: &Map<String, Value>) -> Result<String, ToolError> {
    let mut shown = String::new();
    for (name, template) in parts.environment {
        let value = tool.render_shown(template, args)?;
        if !value.absent {
            // Writing to a `String` cannot fail. What the file itself says may have lines too.
            let _ = writeln!(shown, "{name}={}", value.shown.replace('\n', "\\n"));
        }
    }
    shown.push_str(&tool.render_shown(parts.script, args)?.shown);
    Ok(question::ellipsize_middle(shown, MAX_PREVIEW))
}

/// What a call would touch: `common` and what its script says.
pub(in crate::declared) fn footprint(
    tool: &DeclaredTool,
    parts: &ShellPlan<'_>,
    args: &Map<String, Value>,
    cx: &ToolCx,
    common: Footprint,
) -> Result<Footprint, ToolError> {
    let resolved = ResolvedShell::new(tool, parts, args, cx)?;
    let reading = shell::read(&resolved.script.shown, &resolved.directory);
    let declared = tool.definition.tool.sandbox.clone().unwrap_or_default();
    let (mut reads, mut writes, mut unresolved) = (reading.reads, reading.writes, reading.unresolved);
    // What a call puts into a variable is judged as if the script began with it.
    for (name, value) in &resolved.environment {
        let of_call = parts.environment.iter().any(|(it, template)| it == name && !template.arguments().is_empty());
        unresolved.extend(shell::variable(name, &value.shown).filter(|_| of_call));
    }
    let files = declared.fs.clone().unwrap_or_default();
    // What a declaration opens beyond the workspace is judged as if the script named it: nobody knows that it does not.
    reads.extend(outside(tool, cx, files.read.as_deref())?);
    writes.extend(outside(tool, cx, files.write.as_deref())?);
    let mut common = common;
    common.secrets.extend(secrets_among(declared.env.as_deref().unwrap_or_default()).cloned());
    Ok(Footprint {
        reads,
        writes,
        commands: reading.commands,
        unresolved,
        hosts: declared.net.clone().unwrap_or_default(),
        sandbox: Some(describe_sandbox(tool.machinery.jobs.runner().sandbox(), &declared)),
        preview: Some(preview(tool, parts, args)?),
        directory: Some(resolved.directory),
        ..common
    })
}

/// The paths of a declaration that lead out of the workspace.
fn outside(tool: &DeclaredTool, cx: &ToolCx, paths: Option<&[String]>) -> Result<Vec<Utf8PathBuf>, ToolError> {
    let mut found = named_places(tool, paths.unwrap_or_default())?;
    found.retain(|path| !cx.workspace.contains(path));
    Ok(found)
}

/// Where the paths of a declaration lead.
fn named_places(tool: &DeclaredTool, paths: &[String]) -> Result<Vec<Utf8PathBuf>, ToolError> {
    let home = tool.machinery.jobs.runner().sandbox().home();
    let folders = [tool.folder.clone()];
    let place = SandboxContext { folders: &folders, temporary: &tool.folder, home };
    let wrong = |error| tool.run_error(error, "Mend `sandbox.fs` of the tool in its file.");
    let resolved = |path: Utf8PathBuf| zubi_base::fs::canonical_for_creation(&path).unwrap_or(path);
    paths.iter().map(|path| Ok(resolved(place.path(path).map_err(wrong)?))).collect()
}

/// Variables of zubi's own environment that a declaration asks for and that hold secrets, as far as their names say.
fn secrets_among(names: &[String]) -> impl Iterator<Item = &String> {
    names.iter().filter(|name| secret::is_secret_name(name))
}

/// The sandbox in the words of a person.
fn describe_sandbox(sandbox: &sandbox::Sandbox, declared: &SandboxDeclaration) -> String {
    let level = sandbox.probed_status().map_or("the best that this machine offers", |standing| standing.level.name());
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
    clauses.push(match net(declared) {
        Net::None => "no network".to_owned(),
        // A sandbox of processes knows addresses, not names.
        Net::Internet | Net::All => "the whole network".to_owned(),
    });
    format!("{level}: {}", clauses.join(", "))
}

fn list_paths(paths: &[String]) -> String {
    let shown: Vec<String> = paths.iter().take(MAX_NAMED).map(|path| format!("`{path}`")).collect();
    let more = paths.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn net(declared: &SandboxDeclaration) -> Net {
    if declared.net.as_ref().is_some_and(|hosts| !hosts.is_empty()) { Net::Internet } else { Net::None }
}

/// What a tool declares, as the sandbox takes it.
fn manifest(declared: &SandboxDeclaration) -> SandboxRequest {
    let files = declared.fs.clone().unwrap_or_default();
    SandboxRequest {
        fs: FileAccess { read: files.read, write: files.write },
        net: net(declared),
        exec: declared.exec.clone(),
        env: declared.env.clone().unwrap_or_default(),
    }
}

/// Runs the script to its end, however that comes.
async fn finish(
    tool: &DeclaredTool,
    parts: &ShellPlan<'_>,
    args: &Map<String, Value>,
    cx: &ToolCx,
) -> Result<(JobResult, Duration), ToolError> {
    let ResolvedShell { script, directory, environment: own } = ResolvedShell::new(tool, parts, args, cx)?;
    let shell = match parts.shell {
        ShellKind::Sh => Shell::Sh,
        ShellKind::Bash => Shell::Bash,
    };
    let mut folders = cx.workspace.roots();
    // Relative paths of the declaration start at the first.
    folders.retain(|folder| *folder != tool.folder);
    folders.insert(0, tool.folder.clone());
    let mut job = Job::new(Command::Piped { text: script.text, shell }, directory, folders);
    job.manifest = manifest(&tool.definition.tool.sandbox.clone().unwrap_or_default());
    if let Some(paths) = &mut job.manifest.fs.write {
        // Where it leads now, which is what the footprint said. The sandbox opens it a moment later.
        *paths = named_places(tool, paths)?.into_iter().map(Utf8PathBuf::into_string).collect();
    }
    job.environment = environment();
    job.environment.extend(own.into_iter().map(|(name, value)| (name, value.text)));
    job.secrets.clone_from(&tool.machinery.secret_forms);
    let inherited = Environment::inherited_with(&job.manifest.env);
    let named = secrets_among(&job.manifest.env).filter_map(|name| inherited.get(name)?.to_str().map(str::to_owned));
    job.secrets.extend(redact::forms(named));
    let left = cx.deadline.saturating_duration_since(Instant::now());
    job.timeout = tool.definition.timeout.min(left.saturating_sub(RESERVE).max(left / 2));
    let finished = tool.machinery.jobs.runner().run(&job, &cx.cancel).await;
    let finished = finished.map_err(|error| did_not_run_as(&format!("run {}", tool.id()), &error))?;
    Ok((finished, job.timeout))
}

pub(in crate::declared) async fn run(
    tool: &DeclaredTool,
    parts: &ShellPlan<'_>,
    args: &Map<String, Value>,
    cx: &ToolCx,
) -> Result<ToolOutput, ToolError> {
    let (finished, timeout) = finish(tool, parts, args, cx).await?;
    let declared = tool.definition.tool.output.as_ref().and_then(|output| output.exit_codes.clone());
    let succeeds =
        |code: i32| declared.as_ref().map_or(code == 0, |codes| codes.iter().any(|it| i32::from(*it) == code));
    if let (Some(doubles), ExitReason::Exited(code)) = (&tool.machinery.doubles, finished.end) {
        doubles.record_exit(code);
    }
    let room = answer::room(cx).min(FAILURE_ROOM);
    let outputs = || answer::outputs(&finished.stdout, &finished.stderr, room).trim_end().to_owned();
    match finished.end {
        ExitReason::Exited(code) if succeeds(code) => Ok(answer::ended_answer(&finished, timeout, answer::room(cx))),
        ExitReason::Exited(code) => Err(tool.run_error(format!("it exited with {code}\n{}", outputs()), next(code))),
        ExitReason::TimedOut => Err(ToolError::user(
            Code::TimedOut,
            format!(
                "Error in {}: no end within {}, so it was ended with all it had started\n{}",
                tool.id(),
                answer::seconds(timeout),
                outputs()
            ),
            "Give it less to do; the tool's `timeout` says how long it may take.",
        )),
        ExitReason::Cancelled => Err(ToolError::user(
            Code::Cancelled,
            format!("Error in {}: the call was cancelled\n{}", tool.id(), outputs()),
            "Call again if the answer is still wanted.",
        )),
    }
}

/// What to do about an exit code (POSIX, XCU 2.8.2; 128 + signal).
fn next(code: i32) -> &'static str {
    match code {
        126 | 127 => "A program that the script needs is missing or may not run here; tell the user.",
        // 128 itself is how git and others say that they cannot go on.
        129.. => "A signal or a limit ended it; give it less to do, or tell the user.",
        _ => "What it wrote says why: change the arguments, or tell the user if the tool itself is wrong.",
    }
}
