//! The options of an approval prompt, and exactly which later calls each option allows.
//!
//! An approval is valid for the present call, or becomes rules about the parts that needed approval: exactly the same
//! command, or the same program and subcommand with any arguments that the table of programs lists as harmless; the same
//! hosts, files and secrets. The rules always apply to the same tool only. A part that cannot be determined can be allowed
//! only once. Each option lists the recent calls that its rules would also have allowed.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::part::Access;
use super::rule::{Action, CompiledRule, RuleText};
use super::{Decision, Policy};
use crate::caller::{ApprovalScope, Caller};
use crate::footprint::Footprint;
use crate::programs;
use crate::spec::ToolSpec;

/// The maximum number of recent calls that an option is checked against.
pub const MAX_RECENT_CALLS: usize = 200;
/// The maximum number of those calls that an option lists.
const MAX_LISTED: usize = 10;

/// One option of an approval prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalOption {
    pub scope: ApprovalScope,
    /// Text for the user: "`git push` with any arguments, for this session".
    pub label: String,
    /// The rules to store; empty for [`ApprovalScope::Once`].
    pub rules: Vec<RuleText>,
    /// Recent calls that required approval and that these rules would have allowed.
    pub would_also_allow: Vec<String>,
}

/// A store for rules that outlive the session. The host implements it, because this crate writes no files.
pub trait RuleStore: fmt::Debug + Send + Sync {
    /// Stores a rule for this workspace or for all workspaces. The error is the reason of the failure.
    fn store(&self, scope: ApprovalScope, rule: &RuleText) -> Result<(), String>;
}

/// A call that was made.
#[derive(Debug, Clone)]
pub struct RecentCall {
    pub spec: Arc<ToolSpec>,
    pub caller: Arc<Caller>,
    pub footprint: Footprint,
}

impl RecentCall {
    pub fn new(spec: &ToolSpec, caller: &Arc<Caller>, footprint: Footprint) -> Self {
        // A preview may be large, and the policy does not use it.
        let footprint = Footprint { preview: None, ..footprint };
        Self { spec: Arc::new(spec.clone()), caller: Arc::clone(caller), footprint }
    }
}

/// Returns the options of an approval prompt, from the narrowest to the widest. `can_store_rules` is whether rules can
/// outlive the session.
pub fn options(
    policy: &Policy,
    call: &RecentCall,
    decision: &Decision,
    recent: &[RecentCall],
    can_store_rules: bool,
) -> Vec<ApprovalOption> {
    let spec = &call.spec;
    let once_option = ApprovalOption {
        scope: ApprovalScope::Once,
        label: "this call".to_owned(),
        rules: Vec::new(),
        would_also_allow: Vec::new(),
    };
    let mut options = vec![once_option];
    let unapproved: Vec<&Access> = decision
        .parts
        .iter()
        .filter(|part_decision| part_decision.action == Action::Ask)
        .map(|part_decision| &part_decision.part)
        .collect();
    if !unapproved.iter().all(|part| part.is_storable()) {
        return options;
    }
    let exact: Vec<RuleText> = rules(spec, &unapproved, false);
    let wide: Vec<RuleText> = rules(spec, &unapproved, true);
    let mut add = |scope, rules: &[RuleText]| {
        let new = |rule: &RuleText| CompiledRule::new(rule.clone(), "this answer", policy.paths()).map(Arc::new);
        let Ok(new) = rules.iter().map(new).collect::<Result<Vec<_>, _>>() else { return };
        let extended = policy.with_rules(new);
        let action =
            |policy: &Policy, call: &RecentCall| policy.decide(&call.spec, &call.caller, &call.footprint).action;
        // An `ask` rule takes precedence over the rules of an approval, so a longer scope would have no effect.
        if action(&extended, call) != Action::Allow {
            return;
        }
        let affected_calls = recent
            .iter()
            .filter(|call| action(policy, call) == Action::Ask && action(&extended, call) == Action::Allow);
        let mut would_also_allow: Vec<String> = affected_calls.map(describe_call).collect();
        would_also_allow.sort();
        would_also_allow.dedup();
        would_also_allow.truncate(MAX_LISTED);
        let duration = match scope {
            ApprovalScope::Once => "once",
            ApprovalScope::Session => "for this session",
            ApprovalScope::Workspace => "always in this workspace",
            ApprovalScope::Always => "always and everywhere",
        };
        let labels: Vec<String> = rules.iter().map(label).collect();
        options.push(ApprovalOption {
            scope,
            label: format!("{}, {duration}", labels.join("; ")),
            rules: rules.to_vec(),
            would_also_allow,
        });
    };
    add(ApprovalScope::Session, &exact);
    if wide != exact {
        add(ApprovalScope::Session, &wide);
    }
    if can_store_rules {
        add(ApprovalScope::Workspace, &wide);
        add(ApprovalScope::Always, &wide);
    }
    options
}

/// Returns lists of rules for `--auto-approve`, from the narrowest to the widest. Each list approves everything in
/// `remaining` that still requires approval. `run_policy` has the rules of the present run.
pub fn suggest_auto_approve(
    policy: &Policy,
    run_policy: &Policy,
    call: &RecentCall,
    remaining: &Decision,
) -> Vec<Vec<RuleText>> {
    let unapproved: Vec<&Access> = remaining
        .parts
        .iter()
        .filter(|part_decision| part_decision.action == Action::Ask)
        .map(|part_decision| &part_decision.part)
        .collect();
    let is_sufficient = |rules: &Vec<RuleText>| {
        let new = |rule: &RuleText| CompiledRule::new(rule.clone(), "this run", policy.paths()).map(Arc::new);
        let Ok(new) = rules.iter().map(new).collect::<Result<Vec<_>, _>>() else { return false };
        let extended = run_policy.with_rules(new);
        policy.remaining_after(&extended, &call.spec, &call.caller, &call.footprint).action == Action::Allow
    };
    let (exact, wide) = (rules(&call.spec, &unapproved, false), rules(&call.spec, &unapproved, true));
    let mut found: Vec<Vec<RuleText>> = [exact, wide].into_iter().filter(is_sufficient).collect();
    found.dedup();
    if found.is_empty() {
        found.extend(Some(vec![RuleText::allow_tool(&call.spec.id)]).filter(is_sufficient));
    }
    found
}

/// Returns rules that allow these parts of calls of this tool. If `wide`, commands may have any arguments.
fn rules(spec: &ToolSpec, unapproved: &[&Access], wide: bool) -> Vec<RuleText> {
    let empty = RuleText::allow_tool(&spec.id);
    let mut rules: Vec<RuleText> = Vec::new();
    let mut rest = empty.clone();
    for part in unapproved {
        match part {
            Access::Command(argv) => {
                let rule = RuleText { command: command(argv, wide), ..empty.clone() };
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
            Access::Host(host) => rest.hosts.push(escape_pattern(host)),
            Access::Secret(name) => rest.secrets.push(escape_pattern(name)),
            Access::Read(path) | Access::MayRead(path) => rest.read.push(globset::escape(path.as_str())),
            Access::Write(path) => rest.write.push(globset::escape(path.as_str())),
            Access::Call | Access::Effect(_) | Access::Unresolved(_) | Access::Mentions(_) => {}
        }
    }
    // Without a more specific rule, allow the tool as a whole.
    if rest != empty || rules.is_empty() {
        rules.push(rest);
    }
    rules
}

/// Returns the pattern for a command: its words, or if `wide`, the words after which any arguments are harmless, as the
/// table of programs says. For a program that is not in the table, any arguments could run, load or write something.
pub(super) fn command(argv: &[String], wide: bool) -> Vec<String> {
    let words = |count: usize| argv.iter().take(count).map(|word| escape_pattern(word));
    match programs::find_harmless_prefix(argv).filter(|_| wide && argv.len() > 1) {
        Some(count) => words(count).chain(["*".to_owned()]).collect(),
        None => words(argv.len()).collect(),
    }
}

fn escape_pattern(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '|' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn label(rule: &RuleText) -> String {
    let mut parts = Vec::new();
    match rule.command.split_last() {
        Some((last, words)) if last == "*" => {
            let is_limited = words.first().is_some_and(|program| programs::has_refused_options(program));
            let arguments =
                if is_limited { "any arguments that run, load or write nothing else" } else { "any arguments" };
            parts.push(format!("`{}` with {arguments}", words.join(" ")));
        }
        Some(_) => parts.push(format!("exactly `{}`", rule.command.join(" "))),
        None => {}
    }
    for (verb, names) in
        [("reaching", &rule.hosts), ("reading", &rule.read), ("writing", &rule.write), ("the secret", &rule.secrets)]
    {
        if !names.is_empty() {
            // The host `*` means any host; the pattern escapes it.
            let labels = names.iter().map(|name| if verb == "reaching" && name == "\\*" { "any host" } else { name });
            parts.push(format!("{verb} {}", labels.collect::<Vec<_>>().join(", ")));
        }
    }
    let tool = rule.tools.join(", ");
    if parts.is_empty() { format!("every call of {tool}") } else { format!("{} ({tool})", parts.join(", ")) }
}

fn describe_call(call: &RecentCall) -> String {
    let commands: Vec<String> = call.footprint.commands.iter().map(|argv| argv.join(" ")).collect();
    let effects: Vec<String> = commands
        .into_iter()
        .chain(call.footprint.hosts.iter().cloned())
        .chain(call.footprint.writes.iter().map(ToString::to_string))
        .collect();
    if effects.is_empty() { call.spec.id.clone() } else { format!("{}: {}", call.spec.id, effects.join("; ")) }
}
