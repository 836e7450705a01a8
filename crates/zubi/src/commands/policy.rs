//! `zubi policy`: explains the policy decision for a call without making it, and lists the rules.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use zubi_cli::failure::Failure;
use zubi_cli::runtime::block_on;
use zubi_cli::terminal;
use zubi_host::{AllowedTools, CallContext, CallRequest, Explanation, PolicyInForce, ToolService as _};
use zubi_policy::PolicyPaths;
use zubi_policy::rule::Action;
use zubi_policy::suggestion::{SuggestedRule, suggest_rules};
use zubi_tool_api::approval_prompt::escape;
use zubi_tool_api::audit::AuditFile;
use zubi_tool_api::cx::{Caller, NoApprover, NoProgress, Restrictions, Surface};
use zubi_tool_api::output::clean;

use super::call::host_failure;
use super::end::end;
use crate::cli::{ExplainPolicy, PolicyCommand};
use crate::session::CliSession;

/// The time-out, which is short because nothing runs.
const TIMEOUT: Duration = Duration::from_mins(1);

pub(super) fn run(session: &CliSession, policy: &PolicyCommand) -> Result<ExitCode, Failure> {
    match policy {
        PolicyCommand::Explain(explain) => self::explain(session, explain),
        PolicyCommand::Suggest { min, json } => suggest(session, *min, *json),
        PolicyCommand::List { json } => {
            let policy = block_on(async {
                let host = session.attach(false, |_| {}).await?.service;
                let policy = host.policy().await;
                end(host.as_ref()).await;
                policy.map_err(|error| host_failure(&error))
            })??;
            if *json {
                terminal::print_json(&json!(policy))?;
            } else {
                terminal::print(&render_policy(&policy))?;
            }
            Ok(if policy.broken.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
        }
    }
}

/// Prints rules for the commands of `shell.run` that the user has approved at least `min` times.
fn suggest(session: &CliSession, min: usize, json: bool) -> Result<ExitCode, Failure> {
    let approved = AuditFile::new(session.state_directory()).approved_arguments("shell.run");
    // The log shortens long scripts; a part of a script says nothing about the rest.
    let scripts =
        approved.iter().filter_map(|arguments| arguments["command"].as_str()).filter(|text| !text.contains('…'));
    let paths = PolicyPaths { roots: session.folders.clone(), ..PolicyPaths::default() };
    let mut suggestions = suggest_rules(scripts, &paths);
    suggestions.retain(|suggestion| suggestion.count >= min);
    if json {
        let rules = suggestions.iter().map(|suggestion| {
            json!({ "rule": suggestion.rule, "approved": suggestion.count, "commands": suggestion.commands })
        });
        terminal::print_json(&json!({ "rules": rules.collect::<Vec<_>>() }))?;
    } else {
        terminal::print(&render_suggestions(&suggestions, min))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn render_suggestions(suggestions: &[SuggestedRule], min: usize) -> String {
    let texts = suggestions.iter().map(|SuggestedRule { rule, count, commands }| {
        format!("# approved {count} times: {}\n{}", escape(&commands.join(", ")), rule.to_toml())
    });
    let text = texts.collect::<Vec<_>>().join("\n\n");
    if text.is_empty() {
        return format!("The audit log has no command that was approved {min} times and that a rule could allow.");
    }
    clean(text)
}

fn explain(session: &CliSession, explain: &ExplainPolicy) -> Result<ExitCode, Failure> {
    let (tool, arguments) = call(explain)?;
    block_on(async {
        let host = session.attach(false, |_| {}).await?.service;
        let caller =
            Caller { surface: Surface::CommandLine, client: None, session: 0, restrictions: Restrictions::default() };
        let request = CallRequest { tool, arguments, caller: Arc::new(caller), token_budget: None };
        let context = CallContext {
            cancel: CancellationToken::new(),
            progress: Arc::new(NoProgress),
            approver: Arc::new(NoApprover),
            timeout: TIMEOUT,
        };
        let answer = host.explain(&request, &context).await;
        end(host.as_ref()).await;
        let explanation = answer.map_err(|error| host_failure(&error))?;
        if explain.json {
            terminal::print_json(&json!(explanation))?;
        } else {
            terminal::print(&render_explanation(&explanation))?;
        }
        Ok(if explanation.decision.action == Action::Allow { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })?
}

/// Parses the call: `TOOL`, `TOOL --input JSON`, `'TOOL JSON'` or `--shell TEXT`.
fn call(explain: &ExplainPolicy) -> Result<(String, Value), Failure> {
    if let Some(text) = &explain.shell {
        return Ok(("shell.run".to_owned(), json!({ "command": text })));
    }
    let Some(call) = &explain.call else {
        return Err(Failure::usage("missing call: pass a tool, or --shell with a command"));
    };
    let (tool, rest) = call.trim().split_once(char::is_whitespace).unwrap_or((call.trim(), ""));
    let input = explain.input.as_deref().unwrap_or(rest).trim();
    let arguments = if input.is_empty() { json!({}) } else { input_of(input)? };
    Ok((tool.to_owned(), arguments))
}

fn input_of(input: &str) -> Result<Value, Failure> {
    serde_json::from_str(input).map_err(|error| {
        Failure::usage(format!("the arguments are not valid JSON: {error}"))
            .hint("Pass them as an object, after the tool or as --input '{…}'.")
    })
}

fn word(action: Action) -> &'static str {
    match action {
        Action::Allow => "allow",
        Action::Ask => "ask",
        Action::Deny => "deny",
    }
}

pub(super) fn render_explanation(explanation: &Explanation) -> String {
    let decision = &explanation.decision;
    let mut text = format!("{}: {}", explanation.tool, word(decision.action));
    if decision.action != Action::Allow {
        let _ = write!(text, ", because {}", escape(&decision.reason));
    }
    for part in &decision.parts {
        let by = part.rule.as_deref().unwrap_or("no rule");
        let _ = write!(text, "\n  {:<5} {} [{by}]", word(part.action), escape(&part.description));
        if let Some(reason) = &part.reason {
            let _ = write!(text, " {}", escape(reason));
        }
    }
    for (name, value) in [
        ("in", explanation.footprint.directory.as_ref().map(ToString::to_string)),
        ("sandbox", explanation.footprint.sandbox.clone()),
    ] {
        if let Some(value) = value {
            let _ = write!(text, "\n  {name}: {}", escape(&value));
        }
    }
    if !explanation.would_allow.is_empty() {
        let _ = write!(text, "\nThis would allow it, in zubi.toml:\n{}", explanation.would_allow.join("\n"));
    }
    clean(text)
}

fn render_policy(policy: &PolicyInForce) -> String {
    let mut lines: Vec<String> = policy
        .broken
        .iter()
        .map(|reason| format!("invalid policy, so nothing that writes or executes is allowed: {reason}"))
        .collect();
    lines.extend(policy.rules.iter().map(|rule| {
        let text = rule.rule.to_toml();
        let keys: Vec<&str> = text.lines().skip(1).collect();
        format!("{}\n  {}", rule.source, keys.join("\n  "))
    }));
    if let Some(AllowedTools { source, tools }) = &policy.allow {
        lines.push(format!("{source}\n  allow = {}", json!(tools)));
    }
    if lines.is_empty() {
        lines.push(
            "There are no rules: reading and changing the workspace is allowed, and so are commands without effects, such as `pwd`; everything else requires approval.".to_owned(),
        );
    }
    clean(lines.join("\n"))
}
