//! Runs every query on a whole model.

use std::ops::Range;

use super::apply_edits;
use crate::{
    ElementKind, ModelHost, RelatedLocation, definitions, effective_classification, effective_team, file_diagnostics,
    file_model, fixes, metadata_map, project_files, relationship_views, usages, visible_names,
};

/// Runs every query for every element, reference and diagnostic of a model, and checks invariants for any text:
/// ranges are inside their texts, fixes can be applied, numbers are consistent.
pub fn query_all(host: &ModelHost) {
    let db = host.db();
    for file in project_files(db) {
        let length = file.text(db).len();
        for diagnostic in file_diagnostics(db, *file) {
            assert!(usize::from(diagnostic.range.end()) <= length);
            assert!(file.text(db).get(Range::<usize>::from(diagnostic.range)).is_some());
            for related in &diagnostic.related {
                if let RelatedLocation::Definition(definition) = related.location {
                    assert!(definition.focus(db).is_some());
                }
            }
            for fix in fixes(db, *file, diagnostic) {
                drop(apply_edits(file.text(db), &fix.edits));
            }
        }
        for definition in definitions(db, *file) {
            assert!(definition.syntax(db).is_some());
            let _ = (effective_team(db, definition), effective_classification(db, definition));
            drop((metadata_map(db, definition), usages(db, definition), definition.children(db)));
            for kind in ElementKind::ALL {
                drop(visible_names(db, *file, Some(definition), kind));
            }
        }
        let model = file_model(db, *file);
        assert_eq!(model.elements.len(), model.index.elements.len());
        assert!(model.references.is_sorted_by_key(|reference| reference.range.start()));
        for (id, reference) in model.numbered_references() {
            assert_eq!(model.reference_at(reference.range), Some(id));
        }
        drop(relationship_views(db, *file));
    }
}
