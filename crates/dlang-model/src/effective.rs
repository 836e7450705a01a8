//! Effective values of an element: the first of several values, the last of a repeated property.

use smol_str::SmolStr;

use crate::data::{Body, ContextData, ReferenceId};
use crate::db::Db;
use crate::inputs::Definition;
use crate::resolve::resolutions;

/// Resolves a reference in the file of `definition`.
pub fn target(db: &dyn Db, definition: Definition, reference: Option<ReferenceId>) -> Option<Definition> {
    resolutions(db, definition.file).target(reference?)
}

fn context(db: &dyn Db, definition: Definition) -> Option<&ContextData> {
    match definition.body(db)? {
        Body::Context(context) => Some(context),
        _ => None,
    }
}

/// Returns the classification of a bounded context: the one in its header, else the first in its body. If that one is
/// unresolved, further ones do not replace it.
pub fn effective_classification(db: &dyn Db, definition: Definition) -> Option<Definition> {
    target(db, definition, context(db, definition)?.classifications.first().copied())
}

/// Returns the team of a bounded context, by the same rules as its classification.
pub fn effective_team(db: &dyn Db, definition: Definition) -> Option<Definition> {
    target(db, definition, context(db, definition)?.teams.first().copied())
}

/// Returns the domain of a bounded context.
pub fn context_domain(db: &dyn Db, definition: Definition) -> Option<Definition> {
    target(db, definition, context(db, definition)?.domain)
}

/// Returns the values of a bounded context's metadata by the simple names of their keys, ordered by the first
/// occurrence of each key. The last value of a repeated key wins; undeclared keys are omitted.
pub fn metadata_map(db: &dyn Db, definition: Definition) -> Vec<(SmolStr, SmolStr)> {
    let mut map: Vec<(SmolStr, SmolStr)> = Vec::new();
    for entry in context(db, definition).map(|context| context.metadata.as_slice()).unwrap_or_default() {
        let Some(key) = target(db, definition, Some(entry.key)).and_then(|key| key.name(db)) else { continue };
        let Some(value) = entry.value.clone() else { continue };
        match map.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => map.push((key, value)),
        }
    }
    map
}
