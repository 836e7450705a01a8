//! The rules that users have added with their approvals, and the session for which each one is valid.
//!
//! One host serves many sessions, each with its own user. A rule that one user allows for the session must not let
//! calls of another session run without approval. A rule that outlives the session is valid for all sessions, as it
//! will be when it is loaded from its file.

use std::sync::{Arc, PoisonError};

use super::Registry;
use super::index::RegisteredTool;
use crate::Tool;
use crate::cx::{ApprovalScope, Caller};
use zubi_policy::rule::CompiledRule;
use zubi_policy::{ApprovalOption, Policy, RecentCall};

/// A rule from an approval.
pub(super) struct StoredGrant {
    /// The session for which the rule is valid; `None` for all.
    session: Option<u64>,
    rule: Arc<CompiledRule>,
    /// The id of the tool for which the user was prompted.
    tool: String,
    /// The version of that tool at the time ([`Tool::version`]).
    version: Option<String>,
}

impl Registry {
    /// Returns the rules in force for every session, without those that are valid for one session only.
    pub fn policy(&self) -> Arc<Policy> {
        self.policy_with(|grant| grant.session.is_none())
    }

    /// Removes the rules for this session ([`Caller::session`]) and its recent calls. The number must not be reused
    /// while calls of this session may still run.
    pub fn end_session(&self, session: u64) {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner).retain(|grant| grant.session != Some(session));
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.retain(|call| call.caller.session != session);
    }

    /// Returns the rules in force for a call of this tool by this caller. Rules that were added for another version of
    /// the tool are dropped, for all sessions: the approval was for what that version did.
    pub(super) fn policy_for(&self, tool: &dyn Tool, caller: &Caller) -> Arc<Policy> {
        let (id, version) = (&tool.spec().id, tool.version());
        let is_old = |grant: &StoredGrant| grant.tool == *id && grant.version.is_some() && grant.version != version;
        self.grants.lock().unwrap_or_else(PoisonError::into_inner).retain(|grant| !is_old(grant));
        self.policy_with(|grant| grant.session.is_none_or(|session| session == caller.session))
    }

    fn policy_with(&self, is_valid: impl Fn(&StoredGrant) -> bool) -> Arc<Policy> {
        let grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
        let rules: Vec<Arc<CompiledRule>> =
            grants.iter().filter(|grant| is_valid(grant)).map(|grant| Arc::clone(&grant.rule)).collect();
        if rules.is_empty() { Arc::clone(&self.policy) } else { Arc::new(self.policy.with_rules(rules)) }
    }

    /// Returns the last calls of the caller's session.
    pub(super) fn recent_calls(&self, caller: &Caller) -> Vec<RecentCall> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.iter().filter(|call| call.caller.session == caller.session).cloned().collect()
    }

    /// Adds the rules of an approval to the policy, for the approved scope.
    pub(super) fn store_grant(&self, option: &ApprovalOption, entry: &RegisteredTool, caller: &Caller) {
        let is_permanent = matches!(option.scope, ApprovalScope::Workspace | ApprovalScope::Always);
        for text in &option.rules {
            let rule = match CompiledRule::new(text.clone(), "an answer in this session", self.policy.paths()) {
                Ok(rule) => Arc::new(rule),
                Err(why) => {
                    tracing::warn!(why, "an approval cannot be stored");
                    continue;
                }
            };
            let stored = match self.policy.store().filter(|_| is_permanent).map(|store| store.store(option.scope, text))
            {
                Some(Err(why)) => {
                    tracing::warn!(why, "an approval could not be stored and holds for this session only");
                    false
                }
                Some(Ok(())) => true,
                None => false,
            };
            let session = (!stored).then_some(caller.session);
            let (tool, version) = (entry.tool.spec().id.clone(), entry.tool.version());
            let mut grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
            grants.push(StoredGrant { session, rule, tool, version });
        }
    }
}
