//! One element with all its data, or the counts of the model.

use dlang_model::{
    Db, Definition, ElementKind, File, definitions_by_fqn, effective_classification, effective_team, metadata_map,
};
use serde_json::{Map, Value, json};
use smol_str::SmolStr;

use super::lookup::{Lookup, find};
use super::serialize::serialize;
use super::summary::Summary;

/// Returns the element with a name ([`find`]): `{found: true, element}`, or `{found: false, fqn, suggestions[]}` with
/// the name as given. Without a name the result is `{summary}`.
///
/// A bounded context also has `effectiveTeam` and `effectiveClassification`, if there are any, and `metadataMap`. An
/// element whose fully qualified name is declared more than once has `file`, formatted by `show`: the file of the
/// chosen declaration.
pub fn get(db: &dyn Db, fqn: Option<&str>, show: &dyn Fn(File) -> String) -> Value {
    let Some(name) = fqn else { return json!({ "summary": Summary::count_project(db).to_json() }) };
    match find(db, name) {
        Lookup::Found(definition) => json!({ "found": true, "element": element(db, definition, show) }),
        Lookup::NotFound { suggestions } => {
            let suggestions: Value = suggestions.iter().map(SmolStr::as_str).collect();
            json!({ "found": false, "fqn": name, "suggestions": suggestions })
        }
    }
}

/// Returns the other declarations of an element's fully qualified name, of any type, in the order of files and of their
/// texts.
pub fn namesakes(db: &dyn Db, definition: Definition) -> Vec<Definition> {
    let all = definition.fqn(db).map(|fqn| definitions_by_fqn(db, &fqn)).unwrap_or_default();
    all.iter().copied().filter(|other| *other != definition).collect()
}

fn element(db: &dyn Db, definition: Definition, show: &dyn Fn(File) -> String) -> Map<String, Value> {
    let mut object = serialize(db, definition).unwrap_or_default();
    if !namesakes(db, definition).is_empty() {
        object.insert("file".to_owned(), show(definition.file).into());
    }
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
