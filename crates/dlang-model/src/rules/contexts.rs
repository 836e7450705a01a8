//! Bounded contexts: what they lack, and what they say twice.

use super::{Checker, Subject};
use crate::data::{ContextData, ReferenceId};
use crate::diagnostics::{Code, Diagnostic, RelatedLocation};

/// A context without a description.
pub(super) fn no_description(checker: &mut Checker<'_>, context: &Subject<'_, ContextData>) {
    let Some(name) = context.name else { return };
    if context.content.description.as_deref().unwrap_or_default().is_empty() {
        let message = format!("Bounded Context '{name}' is missing a description.");
        checker.report(Diagnostic::new(context.places.keyword, Code::BoundedContextNoDescription, message));
    }
}

/// A context that belongs to no domain.
pub(super) fn no_domain(checker: &mut Checker<'_>, context: &Subject<'_, ContextData>) {
    let Some(name) = context.name else { return };
    if context.content.domain.is_none() && context.content.for_clause.is_none() {
        let message = format!("Bounded Context '{name}' must belong to a domain. Use 'for DomainName'.");
        checker.report(Diagnostic::new(context.places.range, Code::BoundedContextNoDomain, message));
    }
}

/// A context with more than one classification.
pub(super) fn classification_conflict(checker: &mut Checker<'_>, context: &Subject<'_, ContextData>) {
    conflict(
        checker,
        &context.content.classifications,
        Code::BoundedContextClassificationConflict,
        ["Classification", "as", "classification"],
    );
}

/// A context with more than one team.
pub(super) fn team_conflict(checker: &mut Checker<'_>, context: &Subject<'_, ContextData>) {
    conflict(checker, &context.content.teams, Code::BoundedContextTeamConflict, ["Team", "by", "team"]);
}

/// The words speak of header and body also where both values stand in the body: they are what people search for.
fn conflict(checker: &mut Checker<'_>, values: &[ReferenceId], code: Code, [what, clause, property]: [&str; 3]) {
    let [first, second, ..] = values else { return };
    let inline = checker.target_name(*first).map(|name| format!(" ('{clause} {name}')")).unwrap_or_default();
    let block = checker.target_name(*second).map(|name| format!(" ('{property}: {name}')")).unwrap_or_default();
    let message = format!("{what} specified both inline{inline} and in block{block}. Inline value takes precedence.");
    let (Some(first), Some(second)) = (checker.reference(*first), checker.reference(*second)) else { return };
    checker.report(
        Diagnostic::new(second.range, code, message)
            .with_related(RelatedLocation::Here(first.range), "this value is the one that holds"),
    );
}
