//! What holds for an element after everything that its text says: the first of several values, the last of a repeated
//! one.

use smol_str::SmolStr;

use crate::data::{Body, ContextData, ReferenceId};
use crate::db::Db;
use crate::definition::Definition;
use crate::resolve::resolutions;

/// The element that a reference in the file of `definition` means.
pub fn target(db: &dyn Db, definition: Definition, reference: Option<ReferenceId>) -> Option<Definition> {
    resolutions(db, definition.file).target(reference?)
}

fn context(db: &dyn Db, definition: Definition) -> Option<&ContextData> {
    match definition.body(db)? {
        Body::Context(context) => Some(context),
        _ => None,
    }
}

/// The classification of a bounded context: what its header says, else the first that its body says. If that means
/// nothing, further ones do not stand in for it.
pub fn effective_classification(db: &dyn Db, definition: Definition) -> Option<Definition> {
    target(db, definition, context(db, definition)?.classifications.first().copied())
}

/// The team of a bounded context, found as its classification is.
pub fn effective_team(db: &dyn Db, definition: Definition) -> Option<Definition> {
    target(db, definition, context(db, definition)?.teams.first().copied())
}

/// The domain that a bounded context is for.
pub fn context_domain(db: &dyn Db, definition: Definition) -> Option<Definition> {
    target(db, definition, context(db, definition)?.domain)
}

/// The values of a bounded context's metadata by the simple names of their keys, in the order in which the keys come
/// first. Of a key that comes again the last value holds; a key that is declared nowhere is left out.
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
