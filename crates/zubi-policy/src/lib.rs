//! Whether a call may run. Decided on what the call would touch, never on a tool's name alone.
//!
//! A call's [`Footprint`] is taken apart ([`part`]); each part is denied, asked about or allowed by rules ([`rule`]), or
//! treated as no rule says: looking is allowed but for places of credentials, and so is changing the workspace but for
//! what decides about rights; running, reaching out, secrets and what lies elsewhere ask. The worst part decides: **deny
//! beats ask beats allow, and the order of rules means nothing.** What cannot be told is asked about at best.
//!
//! A broken policy is closed: nothing above Read and Plan runs until it is mended.

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

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

pub use self::approval::{ApprovalOption, RuleStore};
pub use self::approval::{RECENT, RecentCall, suggest_auto_approve, options};
use self::part::{DefaultAction, Access};
use self::rule::{Action, Rule};
use self::command_words::CommandPaths;
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
    pub own: Vec<Utf8PathBuf>,
}

/// The rules in force.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Tools that run without asking: `allow = […]`.
    allow: ToolFilter,
    rules: Vec<Arc<Rule>>,
    places: PolicyPaths,
    /// Why the policy is closed.
    broken: Option<String>,
    /// Every question is answered yes; nothing that is denied is allowed.
    auto_approve: bool,
    denies_all: bool,
    /// Where answers are kept that hold longer than the session.
    store: Option<Arc<dyn RuleStore>>,
}

/// One part of a call and what was decided about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartDecision {
    pub part: Access,
    /// The same for a person: "it runs `git push`".
    pub what: String,
    pub action: Action,
    /// Where the rule stands that decided; `None`: no rule means it.
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
    /// For the person who is asked, or whoever is refused.
    pub why: String,
    /// Where the rule stands that decided; `None`: no rule means it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    pub parts: Vec<PartDecision>,
}

impl Policy {
    /// `allow` names the tools that run without asking a person.
    pub fn new(allow: ToolFilter) -> Self {
        Self { allow, ..Self::default() }
    }

    /// Refuses every call: for tests that no way leads around the policy.
    pub fn deny_all() -> Self {
        Self { denies_all: true, ..Self::default() }
    }

    /// Reads rules, each with where it stands. One that is broken closes the policy.
    pub fn from_rules<'a>(
        allow: ToolFilter,
        rules: impl IntoIterator<Item = (&'a serde_json::Value, String)>,
        places: PolicyPaths,
    ) -> Self {
        let mut policy = Self { allow, places, ..Self::default() };
        for (value, source) in rules {
            match Rule::read(value, &source, &policy.places) {
                Ok(rule) => policy.rules.push(Arc::new(rule)),
                Err(why) if policy.broken.is_none() => policy.broken = Some(why),
                Err(_) => {}
            }
        }
        policy
    }

    /// The same, closed for this reason, unless it is for another already: a rule could not be read.
    #[must_use]
    pub fn deny_with_reason(self, why: String) -> Self {
        Self { broken: self.broken.or(Some(why)), ..self }
    }

    /// The same with every question answered yes, for a host whose user has chosen that (`zubi.autoApprove`).
    #[must_use]
    pub fn with_auto_approve(self, auto_approve: bool) -> Self {
        Self { auto_approve, ..self }
    }

    /// The same with a place where answers are kept that hold longer than the session.
    #[must_use]
    pub fn with_store(self, store: Arc<dyn RuleStore>) -> Self {
        Self { store: Some(store), ..self }
    }

    pub fn store(&self) -> Option<&Arc<dyn RuleStore>> {
        self.store.as_ref()
    }

    /// The same with more rules.
    #[must_use]
    pub fn with_rules(&self, rules: impl IntoIterator<Item = Arc<Rule>>) -> Self {
        let mut policy = self.clone();
        policy.rules.extend(rules);
        policy
    }

    /// Why the policy is closed, with file and line.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    pub fn rules(&self) -> &[Arc<Rule>] {
        &self.rules
    }

    pub fn allow(&self) -> &ToolFilter {
        &self.allow
    }

    pub fn places(&self) -> &PolicyPaths {
        &self.places
    }

    /// Decides on one call of a tool, and says what was decided about each part. A footprint without an effect counts as
    /// the tool's worst.
    pub fn judge(&self, spec: &ToolSpec, caller: &Caller, footprint: &Footprint) -> Decision {
        let effect = footprint.effect.unwrap_or(spec.effect);
        let parts: Vec<PartDecision> = part::accesses_of(spec, footprint, self.places.home.as_deref())
            .iter()
            .map(|part| self.judge_part(spec, effect, part, footprint))
            .collect();
        // Whole calls are denied by rules that name them, whatever they consist of.
        let whole = self.whole(spec, effect);
        let deny = |why: String| Decision { action: Action::Deny, why, rule: None, parts: parts.clone() };
        if self.denies_all {
            return deny("nothing is allowed here".to_owned());
        }
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
        Decision { action, why, rule, parts }
    }

    /// What this policy still asks about a call once the rules of another one, which allow, have answered what they can. Of
    /// parts that are asked about because no rule means them they answer those that they allow there; of those which a rule
    /// asks about, only what a rule means that is about the same.
    pub fn remaining_after(&self, yes: &Self, spec: &ToolSpec, caller: &Caller, footprint: &Footprint) -> Decision {
        let effect = footprint.effect.unwrap_or(spec.effect);
        let mut asked = self.judge(spec, caller, footprint);
        if asked.action != Action::Ask {
            return asked;
        }
        let concerns = |rule: &Rule, action| rule.text.action == action && rule.applies_to_effect(&spec.id, effect);
        let means = |part: &Access| {
            let part = match resolve_links(part) {
                Some(Ok(part)) => part,
                Some(Err(())) => return false,
                None => part.clone(),
            };
            let mut allowing = yes.rules.iter().filter(|rule| concerns(rule, Action::Allow));
            allowing.any(|rule| rule.matches(&part, footprint.directory.as_deref()))
        };
        for judged in asked.parts.iter_mut().filter(|judged| judged.action == Action::Ask) {
            let answer = yes.judge_part(spec, effect, &judged.part, footprint);
            if answer.action == Action::Allow && (judged.rule.is_none() || means(&judged.part)) {
                *judged = answer;
            }
        }
        let whole =
            |policy: &Self, action| policy.rules.iter().any(|rule| rule.means_calls() && concerns(rule, action));
        let is_answered = whole(yes, Action::Allow);
        let (action, why, rule) = worst(&asked.parts, self.whole(spec, effect).filter(|_| !is_answered));
        Decision { action, why, rule, parts: asked.parts }
    }

    /// The strongest rule that means whole calls of this tool.
    fn whole(&self, spec: &ToolSpec, effect: Effect) -> Option<&Rule> {
        let rules = self.rules.iter().map(Arc::as_ref);
        rules.filter(|rule| rule.means_calls() && rule.applies_to_effect(&spec.id, effect)).max_by_key(|rule| rule.text.action)
    }

    fn judge_part(&self, spec: &ToolSpec, effect: Effect, part: &Access, footprint: &Footprint) -> PartDecision {
        let what = part.to_string();
        // A path counts as what it says and as where it leads: links decide nothing.
        let (meant, lost) = match resolve_links(part) {
            Some(Ok(part)) => (Some(part), false),
            Some(Err(())) => (None, true),
            None => (None, false),
        };
        let directory = footprint.directory.as_deref();
        // Its author wants each call to be confirmed: who only names many tools has not said otherwise about this one.
        let by_name = *part == Access::Call;
        let means = |rule: &Rule, action: Action| {
            rule.text.action == action
                && (!by_name || rule.names(&spec.id))
                && rule.applies_to_effect(&spec.id, effect)
                && match action {
                    Action::Allow => rule.matches(meant.as_ref().unwrap_or(part), directory),
                    Action::Ask | Action::Deny => {
                        rule.matches(part, directory) || meant.as_ref().is_some_and(|part| rule.matches(part, directory))
                    }
                }
        };
        let by = |action: Action| self.rules.iter().find(|rule| means(rule, action));
        let judged = |action, rule: Option<&Arc<Rule>>, reason: Option<String>| PartDecision {
            part: part.clone(),
            what: what.clone(),
            action,
            rule: rule.map(|rule| rule.source.clone()),
            reason: reason.or_else(|| rule.and_then(|rule| rule.text.reason.clone())),
            only_by_name: false,
        };
        let among = self.among_words(spec, effect, part, footprint);
        for action in [Action::Deny, Action::Ask] {
            if let Some(rule) = by(action) {
                return judged(action, Some(rule), None);
            }
            if let Some((_, source, why)) = among.iter().find(|(found, ..)| *found == action) {
                return PartDecision { rule: Some(source.clone()), ..judged(action, None, Some(why.clone())) };
            }
        }
        let otherwise = |part: &Access| part::otherwise(part, &self.places, footprint);
        let written = otherwise(part);
        let led = meant.as_ref().map_or(written, otherwise);
        let led = if lost { DefaultAction::AskAlways("where the path leads cannot be told") } else { led };
        let otherwise = if strength(led) > strength(written) { led } else { written };
        let by_call = || self.whole(spec, effect).filter(|rule| rule.text.action == Action::Allow && !by_name);
        let in_list = if by_name { self.allow.names(&spec.id) } else { self.allow.includes(&spec.id) };
        match otherwise {
            DefaultAction::Deny(why) => judged(Action::Deny, None, Some(why.to_owned())),
            DefaultAction::Allow => judged(Action::Allow, None, None),
            DefaultAction::Ask | DefaultAction::AskAlways(_) if by(Action::Allow).is_some() => {
                judged(Action::Allow, by(Action::Allow), None)
            }
            DefaultAction::Ask if in_list => {
                PartDecision { rule: Some("`allow`".to_owned()), ..judged(Action::Allow, None, None) }
            }
            DefaultAction::Ask => match by_call() {
                Some(rule) => PartDecision { rule: Some(rule.source.clone()), ..judged(Action::Allow, None, None) },
                None => judged(Action::Ask, None, None),
            },
            DefaultAction::AskAlways(why) => {
                PartDecision { only_by_name: true, ..judged(Action::Ask, None, Some(why.to_owned())) }
            }
        }
    }

    /// What rules say that ask or deny about the words of a command: paths that it names, commands that it may start. Each
    /// with where the rule stands, and why.
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
        if stronger().any(Rule::means_paths) {
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
        if let Some((action, rule, command)) = words::find_embedded_command(argv, footprint.directory.as_deref(), &commands) {
            found.push((
                action,
                rule.source.clone(),
                format!("`{command}` stands among its words, and a rule is about that"),
            ));
        }
        found
    }

    /// The rule of the user's configuration that would have allowed a tool without asking.
    pub fn rule_that_allows(spec: &ToolSpec) -> String {
        format!("allow = [\"{}\"]", spec.id)
    }
}

/// What decides among the parts of a call and the rule that means all of it, with the reason and where that rule stands.
fn worst(parts: &[PartDecision], whole: Option<&Rule>) -> (Action, String, Option<String>) {
    let mut worst: Option<(Action, String, Option<String>)> = None;
    let told = |judged: &PartDecision| match &judged.reason {
        Some(reason) => format!("{} ({reason})", judged.what),
        None => judged.what.clone(),
    };
    for judged in parts {
        if worst.as_ref().is_none_or(|(action, ..)| judged.action > *action) {
            worst = Some((judged.action, told(judged), judged.rule.clone()));
        }
    }
    if let Some(rule) = whole {
        match &mut worst {
            // What allows the part does not allow the call.
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
        DefaultAction::AskAlways(_) => 2,
        DefaultAction::Deny(_) => 3,
    }
}

/// The same part with links followed, where it is a path; an error where a write leads nobody knows where.
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
