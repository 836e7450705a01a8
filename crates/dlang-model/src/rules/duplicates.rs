//! Duplicate elements and relationships.

use dlang_syntax::TextRange;
use dlang_syntax::ast::PatternKind;
use rustc_hash::FxHashMap;

use super::checker::{Checker, Subject};
use crate::code::ModelCode;
use crate::data::{MapData, Relationship, RelationshipForm, WrittenPattern};
use crate::diagnostics::{ModelDiagnostic, RelatedLocation};

/// Reports an element with the fully qualified name of an earlier one of the file, of any kind. That includes a
/// namespace that is opened again.
pub(super) fn elements(checker: &mut Checker<'_>) {
    let model = checker.model;
    let mut first: FxHashMap<&str, TextRange> = FxHashMap::default();
    for (element, data) in model.index.elements.iter().zip(&model.elements) {
        let Some(fqn) = element.fqn() else { continue };
        let range = data.name.unwrap_or(data.range);
        if let Some(earlier) = first.get(fqn.as_str()) {
            let message = format!("Duplicate element: '{fqn}' is already defined.");
            checker.report(
                ModelDiagnostic::new(range, ModelCode::DuplicateElement, message)
                    .with_related(RelatedLocation::SameFile(*earlier), "defined here first"),
            );
        } else {
            first.insert(fqn, range);
        }
    }
}

/// Reports a relationship that a context map repeats. Ends are compared as they are written; those of symmetric
/// relationships in either order. `[SW]` and `><` are different spellings and not compared.
pub(super) fn relationships(checker: &mut Checker<'_>, map: &Subject<'_, MapData>) {
    let mut first: FxHashMap<Key<'_>, TextRange> = FxHashMap::default();
    for relationship in checker.model.relationships_in(&map.content.relationships) {
        let (Some(left), Some(right)) = (checker.end_text(relationship.left), checker.end_text(relationship.right))
        else {
            continue;
        };
        let Some(key) = key(relationship, left, right) else { continue };
        if let Some(earlier) = first.get(&key) {
            let message = format!("Duplicate relationship between '{left}' and '{right}' in context map.");
            let range = relationship.arrow.unwrap_or(relationship.range);
            checker.report(
                ModelDiagnostic::new(range, ModelCode::ContextMapDuplicateRelationship, message)
                    .with_related(RelatedLocation::SameFile(*earlier), "the relationship is first listed here"),
            );
        } else {
            first.insert(key, relationship.range);
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
struct Key<'a> {
    ends: (&'a str, &'a str),
    /// Arrow; empty for a symmetric pattern.
    arrow: &'static str,
    patterns: (Vec<PatternKind>, Vec<PatternKind>),
}

fn key<'a>(relationship: &Relationship, left: &'a str, right: &'a str) -> Option<Key<'a>> {
    Some(match &relationship.form {
        RelationshipForm::Directional { arrow, left: left_patterns, right: right_patterns } => Key {
            ends: (left, right),
            arrow: (*arrow)?.as_str(),
            patterns: (sorted_kinds(left_patterns), sorted_kinds(right_patterns)),
        },
        RelationshipForm::Symmetric { pattern, is_apart } => Key {
            ends: (left.min(right), left.max(right)),
            arrow: if *is_apart { "><" } else { "" },
            patterns: (pattern.iter().map(|pattern| pattern.kind).collect(), Vec::new()),
        },
    })
}

fn sorted_kinds(patterns: &[WrittenPattern]) -> Vec<PatternKind> {
    let mut kinds: Vec<_> = patterns.iter().map(|pattern| pattern.kind).collect();
    kinds.sort_unstable();
    kinds
}
