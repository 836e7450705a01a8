//! What people have allowed with their answers, and for which session it holds.
//!
//! One host serves many sessions, each with a person of its own: what one of them allows for the session must not run unasked
//! for another. What is allowed for longer than the session holds for all, as it will when it is read from its file.

use std::sync::{Arc, PoisonError};

use super::Registry;
use super::index::Entry;
use crate::Tool;
use crate::cx::{ApprovalScope, Caller};
use zubi_policy::rule::Rule;
use zubi_policy::{ApprovalOption, Policy, RecentCall};

/// A rule that an answer has made.
pub(super) struct StoredGrant {
    /// The only session that it holds for; `None`: it holds for all.
    session: Option<u64>,
    rule: Arc<Rule>,
    /// The tool that the person was asked about, by id.
    tool: String,
    /// What that tool was at the time ([`Tool::version`]).
    version: Option<String>,
}

impl Registry {
    /// The rules in force for every session. What was allowed for one session only is not among them.
    pub fn policy(&self) -> Arc<Policy> {
        self.policy_with(|kept| kept.session.is_none())
    }

    /// Forgets what was allowed for this session ([`Caller::session`]) and which calls it has made. Its number must not be
    /// given to another one as long as calls of this one may run.
    pub fn end_session(&self, session: u64) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).retain(|kept| kept.session != Some(session));
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.retain(|call| call.caller.session != session);
    }

    /// The rules in force for a call of this tool by this caller. What was allowed of another version of the tool is
    /// forgotten, whoever allowed it: the yes was to what it did then.
    pub(super) fn policy_for(&self, tool: &dyn Tool, caller: &Caller) -> Arc<Policy> {
        let (id, version) = (&tool.spec().id, tool.version());
        let is_old = |kept: &StoredGrant| kept.tool == *id && kept.version.is_some() && kept.version != version;
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).retain(|kept| !is_old(kept));
        self.policy_with(|kept| kept.session.is_none_or(|session| session == caller.session))
    }

    fn policy_with(&self, holds: impl Fn(&StoredGrant) -> bool) -> Arc<Policy> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let rules: Vec<Arc<Rule>> = kept.iter().filter(|kept| holds(kept)).map(|kept| Arc::clone(&kept.rule)).collect();
        if rules.is_empty() { Arc::clone(&self.policy) } else { Arc::new(self.policy.with_rules(rules)) }
    }

    /// The last calls of the caller's session.
    pub(super) fn recent_of(&self, caller: &Caller) -> Vec<RecentCall> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.iter().filter(|call| call.caller.session == caller.session).cloned().collect()
    }

    /// Makes what a person allowed part of the policy, for as long as they said.
    pub(super) fn store_grant(&self, option: &ApprovalOption, entry: &Entry, caller: &Caller) {
        let lasting = matches!(option.scope, ApprovalScope::Workspace | ApprovalScope::Always);
        for text in &option.rules {
            let rule = match Rule::new(text.clone(), "an answer in this session", self.policy.places()) {
                Ok(rule) => Arc::new(rule),
                Err(why) => {
                    tracing::warn!(why, "an answer cannot be kept");
                    continue;
                }
            };
            let stored = match self.policy.store().filter(|_| lasting).map(|store| store.store(option.scope, text)) {
                Some(Err(why)) => {
                    tracing::warn!(why, "an answer holds for this session only");
                    false
                }
                Some(Ok(())) => true,
                None => false,
            };
            let session = (!stored).then_some(caller.session);
            let (tool, version) = (entry.tool.spec().id.clone(), entry.tool.version());
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push(StoredGrant { session, rule, tool, version });
        }
    }
}
