//! For a name that means nothing: names that do and look like it.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::{Fix, TextEdit};
use crate::db::Db;
use crate::diagnostics::Diagnostic;
use crate::inputs::File;
use crate::lower::file_model;
use crate::scope::Names;

/// How many names are offered.
const MAX_NAMES: usize = 3;

/// How much of two names must be the same, from 0 to 1.
const SIMILAR: f64 = 0.7;

pub(super) fn names(db: &dyn Db, file: File, diagnostic: &Diagnostic) -> Vec<Fix> {
    let model = file_model(db, file);
    let Some(reference) = model.reference_at(diagnostic.range).and_then(|id| model.reference(id)) else {
        return Vec::new();
    };
    let container = model.index.element(reference.owner).and_then(|owner| owner.container);
    let visible = Names::of(db, file).visible(container, reference.role.wanted());
    let mut scored: Vec<(Score, SmolStr)> = visible
        .into_iter()
        // A domain in itself is no help.
        .filter(|(_, target)| !(target.file == file && target.number == reference.owner))
        .filter_map(|(name, _)| Some((score(&reference.text, &name)?, name)))
        .collect();
    scored.sort_by(|(one, one_name), (other, other_name)| {
        other.0.total_cmp(&one.0).then_with(|| (one_name.len(), one_name).cmp(&(other_name.len(), other_name)))
    });
    let is_clear = match scored.as_slice() {
        [_] => true,
        [(first, _), (second, _), ..] => first.0 > second.0,
        [] => false,
    };
    let mut offered = FxHashSet::default();
    scored
        .into_iter()
        .filter(|(_, name)| offered.insert(name.clone()))
        .take(MAX_NAMES)
        .enumerate()
        .map(|(place, (_, name))| Fix {
            title: format!("Change to '{name}'"),
            edits: vec![TextEdit { range: reference.range, text: name.into() }],
            is_preferred: place == 0 && is_clear,
        })
        .collect()
}

/// How near a name is; greater is nearer.
struct Score(f64);

/// A name that differs in its qualifier only is the nearest, then one that differs in the case of letters, then one
/// that looks alike.
fn score(written: &str, name: &str) -> Option<Score> {
    let simple = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let (written_simple, simple) = (simple(written), simple(name));
    if written_simple == simple {
        return Some(Score(3.0));
    }
    if written.eq_ignore_ascii_case(name) || written_simple.eq_ignore_ascii_case(&simple) {
        return Some(Score(2.0));
    }
    let likeness = strsim::normalized_damerau_levenshtein(written, name)
        .max(strsim::normalized_damerau_levenshtein(&written_simple, &simple));
    (likeness >= SIMILAR).then_some(Score(likeness))
}
