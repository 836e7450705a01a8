//! Bounded contexts: missing and conflicting properties.

use super::checker::{Checker, Subject};
use crate::code::ModelCode;
use crate::data::{ContextData, ReferenceId};
use crate::diagnostics::{ModelDiagnostic, RelatedLocation};

/// Reports a context without a description.
pub(super) fn no_description(checker: &mut Checker<'_>, context: &Subject<'_, ContextData>) {
    let Some(name) = context.name else { return };
    if context.content.description.as_deref().unwrap_or_default().is_empty() {
        let message = format!("Bounded Context '{name}' is missing a description.");
        checker.report(ModelDiagnostic::new(context.data.keyword, ModelCode::BoundedContextNoDescription, message));
    }
}

/// Reports a context without a domain.
pub(super) fn no_domain(checker: &mut Checker<'_>, context: &Subject<'_, ContextData>) {
    let Some(name) = context.name else { return };
    if context.content.domain.is_none() && context.content.for_clause.is_none() {
        let message = format!("Bounded Context '{name}' must belong to a domain. Use 'for DomainName'.");
        checker.report(ModelDiagnostic::new(context.data.range, ModelCode::BoundedContextNoDomain, message));
    }
}

/// Reports a context with more than one classification.
pub(super) fn classification_conflict(checker: &mut Checker<'_>, context: &Subject<'_, ContextData>) {
    conflict(
        checker,
        &context.content.classifications,
        ModelCode::BoundedContextClassificationConflict,
        ["Classification", "as", "classification"],
    );
}

/// Reports a context with more than one team.
pub(super) fn team_conflict(checker: &mut Checker<'_>, context: &Subject<'_, ContextData>) {
    conflict(checker, &context.content.teams, ModelCode::BoundedContextTeamConflict, ["Team", "by", "team"]);
}

/// The message mentions header and block also if both values are in the body: users search for the original tools'
/// wording.
fn conflict(checker: &mut Checker<'_>, values: &[ReferenceId], code: ModelCode, [noun, clause, property]: [&str; 3]) {
    let [first, second, ..] = values else { return };
    let inline = checker.target_name(*first).map(|name| format!(" ('{clause} {name}')")).unwrap_or_default();
    let block = checker.target_name(*second).map(|name| format!(" ('{property}: {name}')")).unwrap_or_default();
    let message = format!("{noun} specified both inline{inline} and in block{block}. Inline value takes precedence.");
    let (Some(first), Some(second)) = (checker.reference(*first), checker.reference(*second)) else { return };
    checker.report(
        ModelDiagnostic::new(second.range, code, message)
            .with_related(RelatedLocation::SameFile(first.range), "this value is effective"),
    );
}
