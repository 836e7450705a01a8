//! `zubi tools run`: runs one workspace-declared tool, for its author.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use zubi_base::config::SecretEntry;
use zubi_base::escape::{on_lines, printable};
use zubi_base::workspace::WorkspaceFolders;
use zubi_cli::failure::{Failure, NEGATIVE};
use zubi_cli::runtime::block_on;
use zubi_cli::terminal;
use zubi_declared::{DeclaredTools, LoadedFile, LoadedTool, TrustState};
use zubi_host::{CallContext, CallRequest, Explanation, LocalHost, ToolService as _, doctor};
use zubi_policy::rule::Action;
use zubi_tool_api::cx::{Caller, NoApprover, NoProgress, Restrictions, Surface};

use super::test::no_tool;
use crate::arguments;
use crate::cli::{CallToolCommand, RunTool};
use crate::commands::end::end;
use crate::commands::{call, policy};
use crate::session::CliSession;

/// The name of this command in help texts.
const NAME: &str = "zubi tools run";

/// The time-out of a dry run, which is short because nothing runs.
const TIMEOUT: Duration = Duration::from_mins(1);

pub(super) fn run(session: &CliSession, run: &RunTool) -> Result<ExitCode, Failure> {
    let CallToolCommand::Tool(words) = &run.tool;
    let Some((id, words)) = words.split_first() else {
        return Err(Failure::usage("missing tool id: `zubi tools list` lists the tools"));
    };
    let workspace = WorkspaceFolders::open(&session.folders).map_err(Failure::usage)?;
    let loaded = zubi_declared::load(&workspace, &session.trust(), &[]);
    let Some((file, tool)) = loaded.find(id) else { return Err(absent(&loaded, &session.host()?, id)) };
    if file.trust != TrustState::Trusted {
        return Err(not_trusted(file, &tool.definition.id));
    }
    terminal::print_err(&format!("{} ({}), {}", tool.definition.id, tool.definition.kind(), file.location_of(tool)));
    if run.dry_run {
        return dry_run(session, file, tool, words);
    }
    let host = session.host()?;
    block_on(call::call(&host, &tool.definition.id, words, NAME))?
}

/// Explains why no tool of this id can run.
fn absent(loaded: &DeclaredTools, host: &LocalHost, id: &str) -> Failure {
    if let Some(file) = loaded.find_broken(id) {
        return Failure::usage(format!("`{id}` has errors, so zubi ignores it"))
            .hint(format!("`zubi tools check {}` reports them.", file.display_path));
    }
    if host.has_tool(id) {
        return Failure::usage(format!("`{id}` is built in, not declared by this workspace"))
            .hint(format!("`zubi call {id}` calls it."));
    }
    no_tool(loaded, id)
}

fn not_trusted(file: &LoadedFile, id: &str) -> Failure {
    let reason = file.trust.reason().unwrap_or_default();
    let failure = Failure::environment(format!("`{}` {reason}, so its tool `{id}` does not run", file.display_path));
    let failure = match file.trust {
        TrustState::Changed { .. } => failure.hint("`zubi trust --diff` shows the changes, `zubi trust` trusts them."),
        _ => failure.hint("`zubi trust --diff` shows what it would run, `zubi trust` trusts it."),
    };
    failure.hint(format!("`zubi --trust tools run {id} …` trusts it, and this folder, for this run only."))
}

/// Prints the fully expanded command and the policy decision. Secrets are not shown, so an unusable secret does not
/// prevent the rest from being shown; it is reported.
fn dry_run(session: &CliSession, file: &LoadedFile, tool: &LoadedTool, words: &[String]) -> Result<ExitCode, Failure> {
    let unusable = doctor::unusable_secrets(&session.config()?, tool.plan.secrets.iter());
    let placeholder = |(name, _): &(&str, String)| ((*name).to_owned(), SecretEntry::Value((*name).to_owned()));
    let host = &session.host_with(|settings| settings.env.extend(unusable.iter().map(placeholder)))?;
    let parsed = arguments::read(&tool.definition.spec(None), words, NAME)?;
    let caller =
        Caller { surface: Surface::CommandLine, client: None, session: 0, restrictions: Restrictions::default() };
    let tool_id = tool.definition.id.clone();
    let request =
        CallRequest { tool: tool_id, arguments: parsed.arguments, caller: Arc::new(caller), token_budget: None };
    let context = CallContext {
        cancel: CancellationToken::new(),
        progress: Arc::new(NoProgress),
        approver: Arc::new(NoApprover),
        timeout: TIMEOUT,
    };
    let explained = block_on(async {
        let explained = host.explain(&request, &context).await;
        end(host).await;
        explained
    })?;
    let explanation = explained.map_err(|error| call::host_failure(&error))?;
    if parsed.json {
        terminal::print_json(&dry_run_json(&explanation, file, tool, &unusable))?;
    } else {
        terminal::print(&render_dry_run(&explanation, &unusable))?;
    }
    let runs = explanation.decision.action != Action::Deny && unusable.is_empty();
    Ok(if runs { ExitCode::SUCCESS } else { ExitCode::from(NEGATIVE) })
}

fn render_dry_run(explanation: &Explanation, unusable: &[(&str, String)]) -> String {
    let footprint = &explanation.footprint;
    let mut lines = vec!["would run:".to_owned()];
    let preview = footprint.preview.as_deref().unwrap_or("(nothing to show)");
    lines.extend(preview.lines().map(|line| format!("  {}", on_lines(line.trim_end()))));
    for (name, list) in [("host", &footprint.hosts), ("secret", &footprint.secrets)] {
        lines.extend(list.iter().map(|item| format!("{name}: {}", printable(item))));
    }
    lines.extend(unusable.iter().map(|(_, reason)| format!("missing: a call would fail: {}", printable(reason))));
    lines.push(String::new());
    lines.push(policy::render_explanation(explanation));
    lines.join("\n")
}

fn dry_run_json(explanation: &Explanation, file: &LoadedFile, tool: &LoadedTool, unusable: &[(&str, String)]) -> Value {
    let mut value = json!(explanation);
    if let Some(object) = value.as_object_mut() {
        object.insert("declaredAt".to_owned(), json!(file.location_of(tool)));
        object.insert("kind".to_owned(), json!(tool.definition.kind()));
        if !unusable.is_empty() {
            let missing: Map<String, Value> =
                unusable.iter().map(|(name, reason)| ((*name).to_owned(), json!(reason))).collect();
            object.insert("missingSecrets".to_owned(), missing.into());
        }
    }
    value
}
