//! One element with all that is known of it, or the model in numbers.

use dlang_model::{Db, Definition, ElementKind, effective_classification, effective_team, metadata_map};
use serde_json::{Map, Value, json};
use smol_str::SmolStr;

use super::{Lookup, Summary, find, serialize};

/// The element that a name means ([`find`]): `{found: true, element}`, or `{found: false, fqn, suggestions[]}` with the name
/// as it was given. Without a name `{summary}`.
///
/// Of a bounded context it also has `effectiveTeam` and `effectiveClassification`, where there are such, and
/// `metadataMap`.
pub fn get(db: &dyn Db, fqn: Option<&str>) -> Value {
    let Some(name) = fqn else { return json!({ "summary": Summary::of(db).to_json() }) };
    match find(db, name) {
        Lookup::Found(definition) => json!({ "found": true, "element": element(db, definition) }),
        Lookup::NotFound { suggestions } => {
            let suggestions: Value = suggestions.iter().map(SmolStr::as_str).collect();
            json!({ "found": false, "fqn": name, "suggestions": suggestions })
        }
    }
}

fn element(db: &dyn Db, definition: Definition) -> Map<String, Value> {
    let mut object = serialize(db, definition).unwrap_or_default();
    if definition.kind(db) != Some(ElementKind::BoundedContext) {
        return object;
    }
    let effective = [
        ("effectiveTeam", effective_team(db, definition)),
        ("effectiveClassification", effective_classification(db, definition)),
    ];
    for (property, value) in effective {
        if let Some(name) = value.and_then(|value| value.name(db)) {
            object.insert(property.to_owned(), name.as_str().into());
        }
    }
    let metadata = metadata_map(db, definition).into_iter().map(|(key, value)| (key.into(), value.as_str().into()));
    object.insert("metadataMap".to_owned(), Value::Object(metadata.collect()));
    object
}
