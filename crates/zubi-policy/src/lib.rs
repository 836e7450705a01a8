//! The decision whether a call may run. It depends on the effects of the call, never on a tool's name alone.
//!
//! A call's [`Footprint`] is split into parts ([`part`]). A rule ([`rule`]) denies or allows each part or requires
//! approval for it; without a rule, a default applies. Reading is allowed except for locations of credentials; changing
//! the workspace is allowed except for files that decide about permissions; running programs, network access, secrets
//! and paths outside the workspace require approval. The strictest part decides: **`deny` takes precedence over `ask`,
//! and `ask` over `allow`; the order of rules has no effect.** A part that cannot be determined requires approval at
//! least.
//!
//! A broken policy is closed: nothing above Read and Plan runs until the user repairs it.

mod approval;
pub mod caller;
mod command_words;
pub mod filter;
pub mod footprint;
pub mod part;
pub mod pattern;
pub mod rule;
pub mod shell;
pub mod spec;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

pub use self::approval::{ApprovalOption, RuleStore};
pub use self::approval::{RECENT, RecentCall, options, suggest_auto_approve};
use self::command_words::CommandPaths;
use self::part::{Access, DefaultAction};
use self::rule::{Action, CompiledRule};
use crate::caller::Caller;
use crate::filter::ToolFilter;
use crate::footprint::Footprint;
use crate::spec::{Effect, ToolSpec};

/// The places that rules and defaults speak of; absolute, without links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyPaths {
    /// The workspace's folders; patterns are relative to each.
    pub roots: Vec<Utf8PathBuf>,
    pub home: Option<Utf8PathBuf>,
    /// Zubi's own directories, which no call changes.
    pub zubi_directories: Vec<Utf8PathBuf>,
}

/// The rules in force.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Tools that run without approval: `allow = […]`.
    allow: ToolFilter,
    rules: Vec<Arc<CompiledRule>>,
    paths: PolicyPaths,
    /// Why the policy is closed.
    broken: Option<String>,
    /// Every question is answered yes; nothing that is denied is allowed.
    auto_approve: bool,
    /// The store for approvals that are valid beyond the session.
    store: Option<Arc<dyn RuleStore>>,
}

/// One part of a call and what was decided about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartDecision {
    pub part: Access,
    /// A description of the part for a person: "it runs `git push`".
    #[serde(rename = "what")]
    pub description: String,
    pub action: Action,
    /// The source of the rule that decided; `None` if no rule matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The rule's reason, or the default's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// No rule for whole calls can allow it, only one that is about this part.
    #[serde(skip)]
    pub only_by_name: bool,
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
                Err(why) if policy.broken.is_none() => policy.broken = Some(why),
                Err(_) => {}
            }
        }
        policy
    }

    /// Closes the policy because a rule could not be read. An earlier reason takes precedence over `why`.
    #[must_use]
    pub fn deny_with_reason(self, why: String) -> Self {
        Self { broken: self.broken.or(Some(why)), ..self }
    }

    /// Sets whether the policy approves every call that needs approval, for a host whose user has chosen that
    /// (`zubi.autoApprove`).
    #[must_use]
    pub fn with_auto_approve(self, auto_approve: bool) -> Self {
        Self { auto_approve, ..self }
    }

    /// Sets the store for approvals that are valid beyond the session.
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

    /// Why the policy is closed, with file and line.
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

    /// Decides on one call of a tool, and says what was decided about each part. A footprint without an effect counts as
    /// the tool's worst.
    pub fn judge(&self, spec: &ToolSpec, caller: &Caller, footprint: &Footprint) -> Decision {
        let effect = footprint.effect.unwrap_or(spec.effect);
        let parts: Vec<PartDecision> = part::accesses_of(spec, footprint, self.paths.home.as_deref())
            .iter()
            .map(|part| self.judge_part(spec, effect, part, footprint))
            .collect();
        // Whole calls are denied by rules that name them, whatever they consist of.
        let whole = self.whole(spec, effect);
        let deny = |why: String| Decision { action: Action::Deny, reason: why, rule: None, parts: parts.clone() };
        if caller.restrictions.read_only && effect > Effect::Plan {
            return deny("this session is read-only".to_owned());
        }
        if let Some(why) = self.broken.as_ref().filter(|_| effect > Effect::Plan) {
            return deny(format!("the policy is broken and nothing that changes or runs anything is allowed: {why}"));
        }
        let (mut action, why, rule) = worst(&parts, whole);
        if action == Action::Ask && self.auto_approve {
            action = Action::Allow;
        }
        Decision { action, reason: why, rule, parts }
    }

    /// Returns the approvals that a call still needs after the `allow` rules of another policy have approved as much as
    /// they can. A part that needs approval because no rule matches it is approved if the other policy allows it; a
    /// part that an `ask` rule matches is approved only by a rule about the same thing.
    pub fn remaining_after(
        &self,
        approving: &Self,
        spec: &ToolSpec,
        caller: &Caller,
        footprint: &Footprint,
    ) -> Decision {
        let effect = footprint.effect.unwrap_or(spec.effect);
        let mut decision = self.judge(spec, caller, footprint);
        if decision.action != Action::Ask {
            return decision;
        }
        let concerns =
            |rule: &CompiledRule, action| rule.text.action == action && rule.applies_to_effect(&spec.id, effect);
        let means = |part: &Access| {
            let part = match resolve_links(part) {
                Some(Ok(part)) => part,
                Some(Err(())) => return false,
                None => part.clone(),
            };
            let mut allowing = approving.rules.iter().filter(|rule| concerns(rule, Action::Allow));
            allowing.any(|rule| rule.matches(&part, footprint.directory.as_deref()))
        };
        for part_decision in decision.parts.iter_mut().filter(|part_decision| part_decision.action == Action::Ask) {
            let answer = approving.judge_part(spec, effect, &part_decision.part, footprint);
            if answer.action == Action::Allow && (part_decision.rule.is_none() || means(&part_decision.part)) {
                *part_decision = answer;
            }
        }
        let whole =
            |policy: &Self, action| policy.rules.iter().any(|rule| rule.means_calls() && concerns(rule, action));
        let is_answered = whole(approving, Action::Allow);
        let (action, why, rule) = worst(&decision.parts, self.whole(spec, effect).filter(|_| !is_answered));
        Decision { action, reason: why, rule, parts: decision.parts }
    }

    /// The strongest rule that means whole calls of this tool.
    fn whole(&self, spec: &ToolSpec, effect: Effect) -> Option<&CompiledRule> {
        let rules = self.rules.iter().map(Arc::as_ref);
        rules
            .filter(|rule| rule.means_calls() && rule.applies_to_effect(&spec.id, effect))
            .max_by_key(|rule| rule.text.action)
    }

    fn judge_part(&self, spec: &ToolSpec, effect: Effect, part: &Access, footprint: &Footprint) -> PartDecision {
        let what = part.to_string();
        // A path is judged as written and with its links resolved, so a link cannot evade a rule.
        let (meant, lost) = match resolve_links(part) {
            Some(Ok(part)) => (Some(part), false),
            Some(Err(())) => (None, true),
            None => (None, false),
        };
        let directory = footprint.directory.as_deref();
        // Its author wants each call to be confirmed, and a pattern for many tools does not override that.
        let by_name = *part == Access::Call;
        let means = |rule: &CompiledRule, action: Action| {
            rule.text.action == action
                && (!by_name || rule.names(&spec.id))
                && rule.applies_to_effect(&spec.id, effect)
                && match action {
                    Action::Allow => rule.matches(meant.as_ref().unwrap_or(part), directory),
                    Action::Ask | Action::Deny => {
                        rule.matches(part, directory)
                            || meant.as_ref().is_some_and(|part| rule.matches(part, directory))
                    }
                }
        };
        let by = |action: Action| self.rules.iter().find(|rule| means(rule, action));
        let part_decision = |action, rule: Option<&Arc<CompiledRule>>, reason: Option<String>| PartDecision {
            part: part.clone(),
            description: what.clone(),
            action,
            rule: rule.map(|rule| rule.source.clone()),
            reason: reason.or_else(|| rule.and_then(|rule| rule.text.reason.clone())),
            only_by_name: false,
        };
        let among = self.among_words(spec, effect, part, footprint);
        for action in [Action::Deny, Action::Ask] {
            if let Some(rule) = by(action) {
                return part_decision(action, Some(rule), None);
            }
            if let Some((_, source, why)) = among.iter().find(|(found, ..)| *found == action) {
                return PartDecision { rule: Some(source.clone()), ..part_decision(action, None, Some(why.clone())) };
            }
        }
        let otherwise = |part: &Access| part::otherwise(part, &self.paths, footprint);
        let written = otherwise(part);
        let led = meant.as_ref().map_or(written, otherwise);
        let led = if lost {
            DefaultAction::AskUnlessSpecificRule("the target of the path cannot be determined")
        } else {
            led
        };
        let otherwise = if strength(led) > strength(written) { led } else { written };
        let by_call = || self.whole(spec, effect).filter(|rule| rule.text.action == Action::Allow && !by_name);
        let in_list = if by_name { self.allow.names(&spec.id) } else { self.allow.includes(&spec.id) };
        match otherwise {
            DefaultAction::Deny(why) => part_decision(Action::Deny, None, Some(why.to_owned())),
            DefaultAction::Allow => part_decision(Action::Allow, None, None),
            DefaultAction::Ask | DefaultAction::AskUnlessSpecificRule(_) if by(Action::Allow).is_some() => {
                part_decision(Action::Allow, by(Action::Allow), None)
            }
            DefaultAction::Ask if in_list => {
                PartDecision { rule: Some("`allow`".to_owned()), ..part_decision(Action::Allow, None, None) }
            }
            DefaultAction::Ask => match by_call() {
                Some(rule) => {
                    PartDecision { rule: Some(rule.source.clone()), ..part_decision(Action::Allow, None, None) }
                }
                None => part_decision(Action::Ask, None, None),
            },
            DefaultAction::AskUnlessSpecificRule(why) => {
                PartDecision { only_by_name: true, ..part_decision(Action::Ask, None, Some(why.to_owned())) }
            }
        }
    }

    /// Applies the `ask` and `deny` rules to the words of a command: paths that it names, commands that it may start.
    /// Returns each action with the rule's source and the reason.
    fn among_words(
        &self,
        spec: &ToolSpec,
        effect: Effect,
        part: &Access,
        footprint: &Footprint,
    ) -> Vec<(Action, String, String)> {
        let Access::Command(argv) = part else { return Vec::new() };
        let stronger = || {
            let rules = self.rules.iter().map(Arc::as_ref);
            rules.filter(|rule| rule.text.action > Action::Allow && rule.applies_to_effect(&spec.id, effect))
        };
        let mut found = Vec::new();
        if stronger().any(CompiledRule::means_paths) {
            let named = CommandPaths::new(argv, footprint);
            if named.too_many
                && let Some(rule) = stronger().find(|rule| rule.means_paths())
            {
                let why = "it has more words than are looked at, and a rule is about paths".to_owned();
                found.push((Action::Ask, rule.source.clone(), why));
            }
            for rule in stronger().filter(|rule| rule.may_match(&named)) {
                let reason = rule.text.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
                let why = format!("a rule is about a path among its words{reason}");
                found.push((rule.text.action, rule.source.clone(), why));
            }
        }
        let commands = stronger().filter(|rule| rule.means_commands());
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

    /// Returns the rule that, in the user's configuration, would have allowed a tool without approval.
    pub fn rule_that_allows(spec: &ToolSpec) -> String {
        format!("allow = [\"{}\"]", spec.id)
    }
}

/// Returns the decision for the whole call, from its parts and the rule for the whole call, with the reason and that
/// rule's source.
fn worst(parts: &[PartDecision], whole: Option<&CompiledRule>) -> (Action, String, Option<String>) {
    let mut worst: Option<(Action, String, Option<String>)> = None;
    let describe = |part_decision: &PartDecision| match &part_decision.reason {
        Some(reason) => format!("{} ({reason})", part_decision.description),
        None => part_decision.description.clone(),
    };
    for part_decision in parts {
        if worst.as_ref().is_none_or(|(action, ..)| part_decision.action > *action) {
            worst = Some((part_decision.action, describe(part_decision), part_decision.rule.clone()));
        }
    }
    if let Some(rule) = whole {
        match &mut worst {
            // A rule that allows the part does not allow the call.
            Some((Action::Ask, _, source @ None)) if rule.text.action == Action::Ask => {
                *source = Some(rule.source.clone());
            }
            Some((action, ..)) if *action >= rule.text.action => {}
            _ => {
                let reason = rule.text.reason.clone().unwrap_or_else(|| "a rule is about every such call".to_owned());
                worst = Some((rule.text.action, reason, Some(rule.source.clone())));
            }
        }
    }
    worst.unwrap_or((Action::Allow, String::new(), None))
}

fn strength(otherwise: DefaultAction) -> u8 {
    match otherwise {
        DefaultAction::Allow => 0,
        DefaultAction::Ask => 1,
        DefaultAction::AskUnlessSpecificRule(_) => 2,
        DefaultAction::Deny(_) => 3,
    }
}

/// Resolves the links of a part that is a path. The error means that the target of a write cannot be determined.
fn resolve_links(part: &Access) -> Option<Result<Access, ()>> {
    let follow = |path: &Utf8Path| zubi_base::fs::canonical_for_creation(path);
    match part {
        Access::Read(path) => follow(path).ok().map(|path| Ok(Access::Read(path))),
        Access::MayRead(path) => follow(path).ok().map(|path| Ok(Access::MayRead(path))),
        Access::Write(path) => Some(follow(path).map(Access::Write).map_err(|_| ())),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
