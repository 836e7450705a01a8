//! Unresolved references.

use super::checker::{Checker, Subject};
use crate::code::ModelCode;
use crate::data::{MapData, Reference};
use crate::diagnostics::{DiagnosticData, ModelDiagnostic, RelatedLocation};
use crate::inputs::Definition;
use crate::kind::ElementKind;
use crate::scope::Names;

/// Reports unresolved references. Entries of maps are reported with their maps, because they may resolve to several
/// elements.
pub(super) fn check_references(checker: &mut Checker<'_>) {
    for (id, reference) in checker.model.numbered_references() {
        if !reference.role.is_many() && checker.resolutions.targets(id).is_empty() {
            report(checker, reference, ModelCode::LinkingError);
        }
    }
}

/// Reports unresolved entries of a map.
pub(super) fn map_entries(checker: &mut Checker<'_>, map: &Subject<'_, MapData>) {
    for entry in &map.content.entries {
        if let Some(reference) = checker.reference(*entry)
            && checker.resolutions.targets(*entry).is_empty()
        {
            report(checker, reference, ModelCode::UnresolvedReference);
        }
    }
}

fn report(checker: &mut Checker<'_>, reference: &Reference, code: ModelCode) {
    // The parser has already reported a missing last segment.
    if reference.text.is_empty() || reference.text.ends_with('.') {
        return;
    }
    let expected_kind = reference.role.expected_kind();
    let container = checker.model.index.element(reference.owner).map_or("", |owner| owner.kind.type_name());
    let message = format!("Could not resolve reference to {} named '{}'.", expected_kind.type_name(), reference.text);
    let data = DiagnosticData::Reference {
        expected_kind,
        container,
        property: reference.role.property(),
        text: reference.text.clone(),
    };
    let mut diagnostic = ModelDiagnostic::new(reference.range, code, message).data(data);
    if let Some(other) = find_other_kind(checker, reference) {
        diagnostic =
            diagnostic.with_related(RelatedLocation::Definition(other), "another kind of element has this name");
    }
    checker.report(diagnostic);
}

/// Returns an element of another kind that the name resolves to.
fn find_other_kind(checker: &Checker<'_>, reference: &Reference) -> Option<Definition> {
    let container = checker.model.index.element(reference.owner).and_then(|owner| owner.container);
    let names = Names::new(checker.db, checker.file);
    let others = ElementKind::REFERENCEABLE.into_iter().filter(|kind| *kind != reference.role.expected_kind());
    others.into_iter().find_map(|kind| names.first(container, kind, &reference.text))
}
