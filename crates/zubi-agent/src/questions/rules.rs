//! `--auto-approve`: rules that answer the approval prompts of one run.

use std::sync::Arc;

use serde_json::{Map, Value};
use zubi_base::nearest::nearest;
use zubi_host::ToolService;
use zubi_policy::rule::{Action, CompiledRule, RuleText};
use zubi_policy::{Decision, Policy, PolicyPaths, ServerFiles};
use zubi_tool_api::cx::{ApprovalRequest, Caller, Restrictions, Surface};
use zubi_tool_api::filter::{self, ToolFilter};
use zubi_tool_api::spec::is_called;

/// The name of the source of these rules in messages.
const SOURCE: &str = "--auto-approve";

/// Parses a rule from the command line: `TOOL`, `TOOL:COMMAND WORDS` such as `shell.run:cargo test *`, or the keys of a
/// `[[policy]]` of `zubi.toml` in braces: `{tools = ["file.write"], write = ["docs/**"]}`. Spaces separate the words of
/// a command; a word that contains a space requires the form in braces.
pub fn auto_approve_rule(text: &str) -> Result<RuleText, String> {
    let text = text.trim();
    let invalid = |why: &str| {
        format!(
            "invalid rule `{text}`: {why}. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {{tools = [\"…\"], …}}."
        )
    };
    let rule = if text.starts_with('{') {
        let mut keys: Map<String, Value> = toml::from_str::<Map<String, Value>>(&format!("rule = {text}"))
            .map_err(|error| invalid(error.message()))?;
        let Some(Value::Object(mut rule)) = keys.remove("rule").filter(|_| keys.is_empty()) else {
            return Err(invalid("it is not a table"));
        };
        rule.entry("action").or_insert_with(|| "allow".into());
        Value::Object(rule)
    } else {
        let (tool, command) = text.split_once(':').map_or((text, None), |(tool, command)| (tool, Some(command)));
        let (tool, words) = (tool.trim(), command.map(|words| words.split_whitespace().collect::<Vec<_>>()));
        if tool.is_empty() || tool.contains(char::is_whitespace) {
            return Err(invalid("it begins with no tool"));
        }
        if words.as_ref().is_some_and(Vec::is_empty) {
            return Err(invalid("there is no command behind the colon"));
        }
        let mut rule = Map::from_iter([
            ("action".to_owned(), Value::from("allow")),
            ("tools".to_owned(), Value::from(vec![tool])),
        ]);
        if let Some(words) = words {
            rule.insert("command".to_owned(), Value::from(words));
        }
        Value::Object(rule)
    };
    let rule = CompiledRule::read(&rule, SOURCE, &PolicyPaths::default()).map_err(|why| {
        invalid(why.strip_prefix(SOURCE).map_or(why.as_str(), |why| why.trim_start_matches([':', ' '])))
    })?;
    if rule.text.action != Action::Allow {
        return Err(invalid("it can only allow; write rules that deny into zubi.toml"));
    }
    Ok(rule.text)
}

/// Replaces wire names of tools in rules by tool ids; `ids` are those of the existing tools. Returns a message for each
/// name that matches no tool, which is most likely a misspelling.
///
/// # Errors
///
/// Fails if an excluded tool does not exist, because without the exclusion the rule would allow everything.
pub fn resolve_names(rules: &mut [RuleText], ids: &[&str]) -> Result<Vec<String>, String> {
    let mut unknown = Vec::new();
    for name in rules.iter_mut().flat_map(|rule| rule.tools.iter_mut()) {
        let (is_exclusion, pattern) = filter::read(name);
        if let Some(id) = ids.iter().find(|id| is_called(id, pattern)) {
            *name = name.replace(pattern, id);
            continue;
        }
        if ToolFilter::new([pattern]).unmatched_patterns(ids.iter().copied()).is_empty() {
            continue;
        }
        let hint = match nearest(pattern, ids.iter().copied(), 1).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`zubi tools list` shows all".to_owned(),
        };
        if is_exclusion {
            return Err(format!("{SOURCE}: there is no tool `{pattern}` here that could be excluded; {hint}"));
        }
        unknown.push(format!("{SOURCE}: there is no tool `{pattern}` here; {hint}"));
    }
    Ok(unknown)
}

/// The rules of a run, with the service whose policy they supplement.
pub(super) struct AutoApprove {
    service: Arc<dyn ToolService>,
    allow_policy: Policy,
}

impl AutoApprove {
    pub(super) fn new(service: Arc<dyn ToolService>, rules: &[RuleText]) -> Result<Self, String> {
        let paths = PolicyPaths {
            roots: service.describe().folders.iter().map(|folder| folder.path.clone()).collect(),
            home: zubi_base::env::home().map(|home| zubi_base::fs::canonical_for_creation(&home).unwrap_or(home)),
            // The host's policy knows whether a call needs the approval, and only a rule about the file gives it.
            server_files: ServerFiles::requiring_approval(),
            ..PolicyPaths::default()
        };
        let rules: Result<Vec<_>, _> =
            rules.iter().map(|rule| CompiledRule::new(rule.clone(), SOURCE, &paths).map(Arc::new)).collect();
        let empty = Policy::from_rules(ToolFilter::default(), [], paths);
        Ok(Self { service, allow_policy: empty.with_rules(rules?) })
    }

    /// Returns the rules as the user wrote them.
    pub(super) fn texts(&self) -> Vec<RuleText> {
        self.allow_policy.rules().iter().map(|rule| rule.text.clone()).collect()
    }

    /// Returns the decision that remains for this call after the rules have been applied. `None` if the rules allow no
    /// part of the call, or if the remaining part cannot be determined here.
    pub(super) async fn decide_remaining(&self, request: &ApprovalRequest) -> Option<Decision> {
        if self.allow_policy.rules().is_empty() {
            return None;
        }
        let restrictions = Restrictions::default();
        let spec = self.service.find(&request.tool, &restrictions).await.ok()?;
        // Without readable policy rules, the reason for the prompt is unknown.
        let active_policy = self.service.policy().await.ok().filter(|policy| policy.broken.is_none())?;
        let rules: Result<Vec<_>, _> = active_policy
            .rules
            .into_iter()
            .map(|rule| CompiledRule::new(rule.rule, &rule.source, self.allow_policy.paths()).map(Arc::new))
            .collect();
        let allow = active_policy.allow.map(|allow| allow.tools).unwrap_or_default();
        let allow = ToolFilter::new(allow.iter().map(String::as_str));
        let policy = Policy::from_rules(allow, [], self.allow_policy.paths().clone()).with_rules(rules.ok()?);
        let caller = Caller { surface: Surface::Agent, client: None, session: 0, restrictions };
        // If these rules do not require approval, others do: the policy has changed, or is incomplete here.
        let requires_approval = policy.decide(&spec, &caller, &request.footprint).action == Action::Ask;
        requires_approval.then(|| policy.remaining_after(&self.allow_policy, &spec, &caller, &request.footprint))
    }
}
