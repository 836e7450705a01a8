//! Decides whether a call may run. The decision depends on the effects of the call, never on a tool's name alone.
//!
//! A call's [`Footprint`] is split into parts ([`part`]). A rule ([`rule`]) denies or allows each part or requires
//! approval for it; without a rule, a default applies. The defaults allow reading except for locations of credentials,
//! and changes of the workspace except for files that control permissions. They require approval for programs, network
//! access, secrets and paths outside the workspace. The strictest part decides: **`deny` takes precedence over `ask`,
//! and `ask` over `allow`; the order of rules has no effect.** A part that cannot be determined requires at least
//! approval.
//!
//! An invalid rule closes the policy: it denies every effect above Read and Plan until the user repairs the rule.

mod approval;
pub mod caller;
mod command_words;
mod file_effect;
pub mod filter;
pub mod footprint;
mod looking;
pub mod part;
pub mod pattern;
mod programs;
mod protected_words;
pub mod rule;
mod search;
mod server_files;
pub mod shell;
pub mod spec;
pub mod suggestion;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use zubi_base::escape::printable;

pub use self::approval::{ApprovalOption, RuleStore};
pub use self::approval::{MAX_RECENT_CALLS, RecentCall, options, suggest_auto_approve};
use self::command_words::{CommandPaths, SearchedFile};
use self::part::{Access, DefaultAction};
pub use self::programs::{find_git_subcommand, git_directory, only_prints, prints_version};
use self::protected_words::{ProtectedWord, find_protected_words};
use self::rule::{Action, CommandCoverage, CompiledRule};
pub use self::server_files::ServerFiles;
use crate::caller::Caller;
use crate::filter::ToolFilter;
use crate::footprint::Footprint;
use crate::spec::{Effect, ToolSpec};

/// The directories to which rules and defaults refer, as absolute paths without symlinks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyPaths {
    /// The workspace folders. A relative pattern applies to each of them.
    pub roots: Vec<Utf8PathBuf>,
    pub home: Option<Utf8PathBuf>,
    /// zubi's own directories, which no call may change.
    pub zubi_directories: Vec<Utf8PathBuf>,
    /// The directories in which the shell of a call looks for programs, in order.
    pub search_path: Vec<Utf8PathBuf>,
    /// Whether files that language servers run need approval.
    pub server_files: ServerFiles,
}

/// The rules in force.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Tools that run without approval: `allow = […]`.
    allow: ToolFilter,
    rules: Vec<Arc<CompiledRule>>,
    paths: PolicyPaths,
    /// The reason why the policy is closed.
    broken: Option<String>,
    /// Whether the policy approves every call that needs approval. Denied calls stay denied.
    auto_approve: bool,
    /// The store for approvals that outlive the session.
    store: Option<Arc<dyn RuleStore>>,
}

/// The decision about one part of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartDecision {
    pub part: Access,
    /// A description of the part for the user: "it runs `git push`".
    #[serde(rename = "what")]
    pub description: String,
    pub action: Action,
    /// The source of the rule that decided; `None` if no rule matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The reason of the rule or of the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether only a rule about this part can allow it, not a rule for whole calls.
    #[serde(skip)]
    pub needs_specific_rule: bool,
}

/// A decision with its reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    pub action: Action,
    /// The reason, for the approval prompt or the denied caller.
    #[serde(rename = "why")]
    pub reason: String,
    /// The source of the rule that decided; `None` if no rule matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    pub parts: Vec<PartDecision>,
}

impl Policy {
    /// Creates a policy. `allow` names the tools that run without approval.
    pub fn new(allow: ToolFilter) -> Self {
        Self { allow, ..Self::default() }
    }

    /// Reads rules, each with its source. A broken rule closes the policy.
    pub fn from_rules<'a>(
        allow: ToolFilter,
        rules: impl IntoIterator<Item = (&'a serde_json::Value, String)>,
        paths: PolicyPaths,
    ) -> Self {
        let mut policy = Self { allow, paths, ..Self::default() };
        for (value, source) in rules {
            match CompiledRule::read(value, &source, &policy.paths) {
                Ok(rule) => policy.rules.push(Arc::new(rule)),
                Err(reason) if policy.broken.is_none() => policy.broken = Some(reason),
                Err(_) => {}
            }
        }
        policy
    }

    /// Closes the policy because a rule could not be read. An earlier reason takes precedence over `reason`.
    #[must_use]
    pub fn deny_with_reason(self, reason: String) -> Self {
        Self { broken: self.broken.or(Some(reason)), ..self }
    }

    /// Sets whether the policy approves every call that needs approval, for a host whose user has chosen that
    /// (`zubi.autoApprove`).
    #[must_use]
    pub fn with_auto_approve(self, auto_approve: bool) -> Self {
        Self { auto_approve, ..self }
    }

    /// Sets the store for approvals that outlive the session.
    #[must_use]
    pub fn with_store(self, store: Arc<dyn RuleStore>) -> Self {
        Self { store: Some(store), ..self }
    }

    pub fn store(&self) -> Option<&Arc<dyn RuleStore>> {
        self.store.as_ref()
    }

    /// Returns a copy of the policy with more rules.
    #[must_use]
    pub fn with_rules(&self, rules: impl IntoIterator<Item = Arc<CompiledRule>>) -> Self {
        let mut policy = self.clone();
        policy.rules.extend(rules);
        policy
    }

    /// Returns the reason why the policy is closed, with file and line.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    pub fn rules(&self) -> &[Arc<CompiledRule>] {
        &self.rules
    }

    pub fn allow(&self) -> &ToolFilter {
        &self.allow
    }

    pub fn paths(&self) -> &PolicyPaths {
        &self.paths
    }

    /// Decides on one call of a tool and on each of its parts. A footprint without an effect has the tool's strongest
    /// effect.
    pub fn decide(&self, spec: &ToolSpec, caller: &Caller, footprint: &Footprint) -> Decision {
        let effect = footprint.effect.unwrap_or(spec.effect);
        let parts: Vec<PartDecision> = part::find_accesses(spec, footprint, self.paths.home.as_deref())
            .iter()
            .map(|part| self.decide_part(spec, effect, part, footprint))
            .collect();
        // A rule that names whole calls denies them regardless of their parts.
        let call_rule = self.whole_call_rule(spec, effect);
        let deny = |reason: String| Decision { action: Action::Deny, reason, rule: None, parts: parts.clone() };
        if caller.restrictions.read_only && effect > Effect::Plan {
            return deny("this session is read-only".to_owned());
        }
        if let Some(reason) = self.broken.as_ref().filter(|_| effect > Effect::Plan) {
            return deny(format!(
                "the policy is broken and nothing that changes or runs anything is allowed: {reason}"
            ));
        }
        let (mut action, reason, rule) = combine_decisions(&parts, call_rule);
        if action == Action::Ask && self.auto_approve {
            action = Action::Allow;
        }
        Decision { action, reason, rule, parts }
    }

    /// Returns the approvals that a call still needs after the `allow` rules of `approving` have approved as much as
    /// they can. They approve a part that no rule of this policy matches, and a part that an `ask` rule matches only
    /// with a rule about the same thing.
    pub fn remaining_after(
        &self,
        approving: &Self,
        spec: &ToolSpec,
        caller: &Caller,
        footprint: &Footprint,
    ) -> Decision {
        let effect = footprint.effect.unwrap_or(spec.effect);
        let mut decision = self.decide(spec, caller, footprint);
        if decision.action != Action::Ask {
            return decision;
        }
        let applies =
            |rule: &CompiledRule, action| rule.text.action == action && rule.applies_to_effect(&spec.id, effect);
        let is_approved = |part: &Access| {
            let part = match resolve_links(part) {
                Some(Ok(part)) => part,
                Some(Err(())) => return false,
                None => part.clone(),
            };
            let mut allowing = approving.rules.iter().filter(|rule| applies(rule, Action::Allow));
            allowing.any(|rule| rule.matches(&part, footprint.directory.as_deref()))
        };
        for part_decision in decision.parts.iter_mut().filter(|part_decision| part_decision.action == Action::Ask) {
            let answer = approving.decide_part(spec, effect, &part_decision.part, footprint);
            if answer.action == Action::Allow && (part_decision.rule.is_none() || is_approved(&part_decision.part)) {
                *part_decision = answer;
            }
        }
        let has_call_rule =
            |policy: &Self, action| policy.rules.iter().any(|rule| rule.is_for_calls() && applies(rule, action));
        let is_answered = has_call_rule(approving, Action::Allow);
        let (action, reason, rule) =
            combine_decisions(&decision.parts, self.whole_call_rule(spec, effect).filter(|_| !is_answered));
        Decision { action, reason, rule, parts: decision.parts }
    }

    /// Returns the strictest rule for whole calls of this tool.
    fn whole_call_rule(&self, spec: &ToolSpec, effect: Effect) -> Option<&CompiledRule> {
        let rules = self.rules.iter().map(Arc::as_ref);
        rules
            .filter(|rule| rule.is_for_calls() && rule.applies_to_effect(&spec.id, effect))
            .max_by_key(|rule| rule.text.action)
    }

    fn decide_part(&self, spec: &ToolSpec, effect: Effect, part: &Access, footprint: &Footprint) -> PartDecision {
        let description = part.to_string();
        // A path is judged as written and with its links resolved, so a link cannot evade a rule.
        let (resolved, is_unresolvable) = match resolve_links(part) {
            Some(Ok(part)) => (Some(part), false),
            Some(Err(())) => (None, true),
            None => (None, false),
        };
        let directory = footprint.directory.as_deref();
        // The tool's author requires approval of each call, and a pattern for many tools does not override that.
        let is_call = *part == Access::Call;
        // A rule about a command says nothing about what it does elsewhere.
        let is_elsewhere = matches!(part, Access::Command(_)) && looking::leaves_workspace(footprint, &self.paths);
        let protected_words =
            part.command().map_or_else(Vec::new, |argv| find_protected_words(argv, footprint, &self.paths));
        let applies = |rule: &CompiledRule, action: Action| {
            rule.text.action == action
                && (!is_call || rule.names(&spec.id))
                && rule.applies_to_effect(&spec.id, effect)
                && match action {
                    Action::Allow => {
                        !is_elsewhere
                            && rule.matches(resolved.as_ref().unwrap_or(part), directory)
                            && rule.spells_out(part, &protected_words)
                    }
                    Action::Ask | Action::Deny => {
                        rule.matches(part, directory)
                            || resolved.as_ref().is_some_and(|part| rule.matches(part, directory))
                    }
                }
        };
        let find_rule = |action: Action| self.rules.iter().find(|rule| applies(rule, action));
        let part_decision = |action, rule: Option<&Arc<CompiledRule>>, reason: Option<String>| PartDecision {
            part: part.clone(),
            description: description.clone(),
            action,
            rule: rule.map(|rule| rule.source.clone()),
            reason: reason.or_else(|| rule.and_then(|rule| rule.text.reason.clone())),
            needs_specific_rule: false,
        };
        let embedded = self.decide_words(spec, effect, part, footprint);
        for action in [Action::Deny, Action::Ask] {
            if let Some(rule) = find_rule(action) {
                return part_decision(action, Some(rule), None);
            }
            if let Some((_, source, reason)) = embedded.iter().find(|(found, ..)| *found == action) {
                return PartDecision {
                    rule: Some(source.clone()),
                    ..part_decision(action, None, Some(reason.clone()))
                };
            }
        }
        let default_of = |part: &Access| part::default_action(part, &self.paths, footprint);
        let written = default_of(part);
        let linked = resolved.as_ref().map_or(written, default_of);
        let linked = if is_unresolvable {
            DefaultAction::AskUnlessSpecificRule("the target of the path cannot be determined")
        } else {
            linked
        };
        let default = if strength(linked) > strength(written) { linked } else { written };
        let protection = protected_words.first().zip(part.command()).map(|(file, argv)| file.describe(argv));
        let default = match default {
            DefaultAction::Ask if protected_words.iter().any(ProtectedWord::is_automatic) => {
                DefaultAction::AskUnlessSpecificRule("programs run or obey a file that it names")
            }
            default => default,
        };
        let call_rule =
            || self.whole_call_rule(spec, effect).filter(|rule| rule.text.action == Action::Allow && !is_call);
        let is_allowed = if is_call { self.allow.names(&spec.id) } else { self.allow.includes(&spec.id) };
        match default {
            DefaultAction::Deny(reason) => part_decision(Action::Deny, None, Some(reason.to_owned())),
            DefaultAction::Allow => part_decision(Action::Allow, None, None),
            DefaultAction::Ask | DefaultAction::AskUnlessSpecificRule(_) if find_rule(Action::Allow).is_some() => {
                part_decision(Action::Allow, find_rule(Action::Allow), None)
            }
            DefaultAction::Ask if is_allowed => {
                PartDecision { rule: Some("`allow`".to_owned()), ..part_decision(Action::Allow, None, None) }
            }
            DefaultAction::Ask => match call_rule() {
                Some(rule) => {
                    PartDecision { rule: Some(rule.source.clone()), ..part_decision(Action::Allow, None, None) }
                }
                None => {
                    let reason = self.uncovered_reason(spec, effect, part, footprint, is_elsewhere);
                    part_decision(Action::Ask, None, reason.or(protection))
                }
            },
            DefaultAction::AskUnlessSpecificRule(reason) => {
                let reason = protection.unwrap_or_else(|| reason.to_owned());
                PartDecision { needs_specific_rule: true, ..part_decision(Action::Ask, None, Some(reason)) }
            }
        }
    }

    /// Returns the reason why no `allow` rule matches a command although one has its words.
    fn uncovered_reason(
        &self,
        spec: &ToolSpec,
        effect: Effect,
        part: &Access,
        footprint: &Footprint,
        is_elsewhere: bool,
    ) -> Option<String> {
        let Access::Command(argv) = part else { return None };
        let rules = self.rules.iter().map(Arc::as_ref);
        let mut rules =
            rules.filter(|rule| rule.text.action == Action::Allow && rule.applies_to_effect(&spec.id, effect));
        let coverage = rules.find_map(|rule| rule.coverage(argv, footprint.directory.as_deref()))?;
        match coverage {
            _ if is_elsewhere => {
                Some("a `cd` leads out of the workspace, where no rule about commands applies".to_owned())
            }
            CommandCoverage::AllBut(word) => Some(format!(
                "`*` in a rule does not cover `{}`, which may run, load or write something; the rule must spell it out",
                shell::shorten(&word)
            )),
            CommandCoverage::All => None,
        }
    }

    /// Applies the `ask` and `deny` rules to the files of a search and to the words of a command: to the paths that it
    /// names and the commands that it may start. Returns each action with the rule's source and the reason.
    fn decide_words(
        &self,
        spec: &ToolSpec,
        effect: Effect,
        part: &Access,
        footprint: &Footprint,
    ) -> Vec<(Action, String, String)> {
        let strict_rules = || {
            let rules = self.rules.iter().map(Arc::as_ref);
            rules.filter(|rule| rule.text.action > Action::Allow && rule.applies_to_effect(&spec.id, effect))
        };
        if let Access::Read(folder) = part
            && footprint.is_search
        {
            return search::apply_rules(folder, footprint, &strict_rules().collect::<Vec<_>>());
        }
        let Access::Command(argv) = part else { return Vec::new() };
        let mut found = Vec::new();
        if strict_rules().any(CompiledRule::has_paths) {
            let named = CommandPaths::new(argv, footprint, self.paths.home.as_deref());
            if named.too_many
                && let Some(rule) = strict_rules().find(|rule| rule.has_paths())
            {
                let reason = "it has more words than are looked at, and a rule is about paths".to_owned();
                found.push((Action::Ask, rule.source.clone(), reason));
            }
            for rule in strict_rules().filter(|rule| rule.may_match(&named)) {
                let clause = rule.text.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
                let reason = format!("a rule is about a path among its words{clause}");
                found.push((rule.text.action, rule.source.clone(), reason));
            }
            let rules: Vec<&CompiledRule> = strict_rules().collect();
            found.extend(command_words::find_searched_file(argv, footprint, &rules).map(|file| match file {
                SearchedFile::Found(path, rule) => {
                    let reason = format!("it prints {}, and a rule is about that", printable(path.as_str()));
                    (rule.text.action, rule.source.clone(), reason)
                }
                SearchedFile::Possible(rule) => {
                    let reason = "it may print files that a rule is about; name the paths that it needs".to_owned();
                    (Action::Ask, rule.source.clone(), reason)
                }
            }));
        }
        let commands = strict_rules().filter(|rule| rule.has_command());
        if let Some((action, rule, command)) =
            command_words::find_embedded_command(argv, footprint.directory.as_deref(), &commands)
        {
            found.push((
                action,
                rule.source.clone(),
                format!("`{command}` is among its words, and a rule is about that"),
            ));
        }
        found
    }

    /// Returns the setting in the user's configuration that would have allowed a tool without approval.
    pub fn allow_setting(spec: &ToolSpec) -> String {
        format!("allow = [\"{}\"]", spec.id)
    }
}

/// Combines the decisions about the parts and the rule for the whole call. Returns the action, its reason, and the
/// source of the rule that decided.
fn combine_decisions(parts: &[PartDecision], call_rule: Option<&CompiledRule>) -> (Action, String, Option<String>) {
    let mut strongest: Option<(Action, String, Option<String>)> = None;
    let describe = |part_decision: &PartDecision| match &part_decision.reason {
        Some(reason) => format!("{} ({reason})", part_decision.description),
        None => part_decision.description.clone(),
    };
    for part_decision in parts {
        if strongest.as_ref().is_none_or(|(action, ..)| part_decision.action > *action) {
            strongest = Some((part_decision.action, describe(part_decision), part_decision.rule.clone()));
        }
    }
    if let Some(rule) = call_rule {
        match &mut strongest {
            // A rule that allows the part does not allow the call.
            Some((Action::Ask, _, source @ None)) if rule.text.action == Action::Ask => {
                *source = Some(rule.source.clone());
            }
            Some((action, ..)) if *action >= rule.text.action => {}
            _ => {
                let reason = rule.text.reason.clone().unwrap_or_else(|| "a rule is about every such call".to_owned());
                strongest = Some((rule.text.action, reason, Some(rule.source.clone())));
            }
        }
    }
    strongest.unwrap_or((Action::Allow, String::new(), None))
}

fn strength(default: DefaultAction) -> u8 {
    match default {
        DefaultAction::Allow => 0,
        DefaultAction::Ask => 1,
        DefaultAction::AskUnlessSpecificRule(_) => 2,
        DefaultAction::Deny(_) => 3,
    }
}

/// Resolves the symlinks of a part that is a path. The error means that the path's target cannot be determined.
fn resolve_links(part: &Access) -> Option<Result<Access, ()>> {
    let resolve = |path: &Utf8Path| zubi_base::fs::canonical_for_creation(path);
    match part {
        Access::Read(path) => resolve(path).ok().map(|path| Ok(Access::Read(path))),
        Access::MayRead(path) => resolve(path).ok().map(|path| Ok(Access::MayRead(path))),
        Access::Write(path) => Some(resolve(path).map(Access::Write).map_err(|_| ())),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
