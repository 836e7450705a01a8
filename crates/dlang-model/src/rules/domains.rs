//! Domains: missing properties and hierarchy cycles.

use super::checker::{Checker, Subject};
use crate::code::ModelCode;
use crate::data::DomainData;
use crate::diagnostics::{ModelDiagnostic, RelatedLocation};
use crate::resolve::domain_parent;

/// Maximum number of domains of a cycle in a message. More would not fit on a screen.
const MAX_NAMED_DOMAINS: usize = 24;

/// Reports a domain without a vision.
pub(super) fn no_vision(checker: &mut Checker<'_>, domain: &Subject<'_, DomainData>) {
    let Some(name) = domain.name else { return };
    if domain.content.vision.as_deref().unwrap_or_default().is_empty() {
        let message = format!("Domain '{name}' is missing a vision statement.");
        checker.report(ModelDiagnostic::new(domain.data.keyword, ModelCode::DomainNoVision, message));
    }
}

/// Reports a domain whose ancestors form a cycle, also if it is only below the cycle.
pub(super) fn circular_hierarchy(checker: &mut Checker<'_>, domain: &Subject<'_, DomainData>) {
    let Some(parent) = domain.content.parent else { return };
    let Some(entry) = checker.hierarchy.find_cycle_above(checker.db, domain.definition) else { return };
    let mut names = Vec::new();
    let mut current = domain.definition;
    let mut entered = false;
    loop {
        if current == entry && std::mem::replace(&mut entered, true) {
            break;
        }
        if names.len() == MAX_NAMED_DOMAINS {
            names.push("…".into());
            break;
        }
        names.extend(current.name(checker.db));
        let Some(next) = domain_parent(checker.db, current) else { break };
        current = next;
    }
    names.extend(entry.name(checker.db));
    let message = format!("Circular domain hierarchy detected: {}.", names.join(" → "));
    let range = checker.reference_range(parent, domain.data.range);
    let mut diagnostic = ModelDiagnostic::new(range, ModelCode::DomainCircularHierarchy, message);
    if entry != domain.definition {
        diagnostic = diagnostic.with_related(RelatedLocation::Definition(entry), "the cycle is entered here");
    }
    checker.report(diagnostic);
}
