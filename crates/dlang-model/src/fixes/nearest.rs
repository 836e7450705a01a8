//! Fixes that replace an unresolved name by a similar one.

use super::fix::Fix;
use crate::db::Db;
use crate::diagnostics::ModelDiagnostic;
use crate::edit::TextEdit;
use crate::inputs::{Definition, File};
use crate::lower::file_model;
use crate::nearest::nearest_names;
use crate::scope::Names;

/// Maximum number of suggested names.
const MAX_NAMES: usize = 3;

pub(super) fn names(db: &dyn Db, file: File, diagnostic: &ModelDiagnostic) -> Vec<Fix> {
    let model = file_model(db, file);
    let Some(reference) = model.reference_at(diagnostic.range).and_then(|id| model.reference(id)) else {
        return Vec::new();
    };
    let container = model.index.element(reference.owner).and_then(|owner| owner.container);
    // A domain cannot be its own parent.
    let is_other = |target: &Definition| !(target.file == file && target.number == reference.owner);
    let visible = Names::new(db, file).visible(container, reference.role.expected_kind());
    let names = visible.into_iter().filter(|(_, target)| is_other(target)).map(|(name, _)| name);
    let scored = nearest_names(&reference.text, names);
    let is_clear = match scored.as_slice() {
        [_] => true,
        [(first, _), (second, _), ..] => first > second,
        [] => false,
    };
    scored
        .into_iter()
        .take(MAX_NAMES)
        .enumerate()
        .map(|(rank, (_, name))| Fix {
            title: format!("Change to '{name}'"),
            edits: vec![TextEdit { range: reference.range, insert: name.into() }],
            is_preferred: rank == 0 && is_clear,
        })
        .collect()
}
