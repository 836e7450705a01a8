//! Maps: missing contents.

use super::checker::{Checker, Subject};
use crate::code::ModelCode;
use crate::data::MapData;
use crate::diagnostics::ModelDiagnostic;

/// Reports a context map without contexts.
pub(super) fn no_contexts(checker: &mut Checker<'_>, map: &Subject<'_, MapData>) {
    let Some(name) = map.name.filter(|_| map.content.entries.is_empty()) else { return };
    let message = format!("Context Map '{name}' contains no bounded contexts.");
    checker.report(
        ModelDiagnostic::new(map.data.range, ModelCode::ContextMapNoContexts, message)
            .hint("Use 'contains ContextA, ContextB' to specify which contexts are in the map."),
    );
}

/// Reports a context map of several contexts without relationships.
pub(super) fn no_relationships(checker: &mut Checker<'_>, map: &Subject<'_, MapData>) {
    let Some(name) = map.name.filter(|_| map.content.relationships.is_empty()) else { return };
    let count = map.content.entries.len();
    if count > 1 {
        let message = format!("Context Map '{name}' contains {count} contexts but no documented relationships.");
        checker.report(
            ModelDiagnostic::new(map.data.keyword, ModelCode::ContextMapNoRelationships, message)
                .hint("Add relationships to show how contexts integrate (e.g., 'A [OHS] -> [CF] B')."),
        );
    }
}

/// Reports a domain map without domains.
pub(super) fn no_domains(checker: &mut Checker<'_>, map: &Subject<'_, MapData>) {
    let Some(name) = map.name.filter(|_| map.content.entries.is_empty()) else { return };
    let message = format!("Domain Map '{name}' contains no domains.");
    checker.report(
        ModelDiagnostic::new(map.data.range, ModelCode::DomainMapNoDomains, message)
            .hint("Use 'contains DomainA, DomainB' to specify which domains are in the map."),
    );
}
