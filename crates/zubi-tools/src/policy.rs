//! Whether a call may run. Decided on what the call would touch, never on a tool's name alone.
//!
//! The rule: Read and Plan are allowed; Write is allowed unless the caller is read-only; Execute and Network, and tools
//! whose author wants it, ask a person unless a rule of the user's configuration (`allow = ["tool"]`) names the tool.

use crate::cx::{ApprovalScope, Caller};
use crate::filter::ToolFilter;
use crate::footprint::Footprint;
use crate::spec::{Approval, Effect, ToolSpec};

/// What is to become of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Allow,
    /// A person must say yes; `scopes` are how far the yes may reach.
    Ask {
        why: String,
        scopes: Vec<ApprovalScope>,
    },
    Deny {
        why: String,
    },
}

/// The rules in force.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Tools that run without asking; an empty filter names none.
    allow: ToolFilter,
}

impl Policy {
    /// `allow` names the tools that run without asking a person.
    pub fn new(allow: ToolFilter) -> Self {
        Self { allow }
    }

    /// Decides on one call of a tool. A footprint without an effect counts as the tool's worst.
    pub fn decide(&self, spec: &ToolSpec, caller: &Caller, footprint: &Footprint) -> Decision {
        let effect = footprint.effect.unwrap_or(spec.effect);
        if caller.restrictions.read_only && effect > Effect::Plan {
            return Decision::Deny { why: "this session is read-only".to_owned() };
        }
        if self.allow.includes(&spec.id) {
            return Decision::Allow;
        }
        let why = match effect {
            _ if spec.approval == Approval::Always => "its author wants each call to be confirmed".to_owned(),
            Effect::Read | Effect::Plan | Effect::Write => return Decision::Allow,
            Effect::Execute => match footprint.commands.first() {
                Some(command) => format!("it runs `{}`", command.join(" ")),
                None => "it runs something whose effect cannot be known".to_owned(),
            },
            Effect::Network => match footprint.hosts.first() {
                Some(host) => format!("it reaches {host}"),
                None => "it reaches beyond this machine".to_owned(),
            },
        };
        Decision::Ask { why, scopes: vec![ApprovalScope::Once, ApprovalScope::Session] }
    }

    /// The rule of the user's configuration that would have allowed a tool without asking.
    pub fn rule_that_allows(spec: &ToolSpec) -> String {
        format!("allow = [\"{}\"]", spec.id)
    }
}

#[cfg(test)]
mod tests;
