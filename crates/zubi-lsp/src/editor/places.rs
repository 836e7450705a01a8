//! Places that several providers name, which the editor gives one after the other: each once, in whatever form of the two
//! that LSP has.

use std::collections::BTreeSet;

use serde_json::Value;

/// Where a name begins: its document, line and column.
pub(super) type Start = (String, u64, u64);

/// Where the name begins that a location, or a link to one, leads to.
pub(super) fn start(place: &Value) -> Option<Start> {
    let (uri, range) = match place.get("targetUri") {
        Some(uri) => (uri, place.get("targetSelectionRange").or_else(|| place.get("targetRange"))?),
        None => (place.get("uri")?, place.get("range")?),
    };
    let number = |field: &str| range.pointer(field).and_then(Value::as_u64);
    Some((uri.as_str()?.to_owned(), number("/start/line")?, number("/start/character")?))
}

/// Takes out what was named before. What is no place stays: who reads it says so.
pub(super) fn dedup_locations(mut places: Value) -> Value {
    let mut seen = BTreeSet::new();
    if let Value::Array(places) = &mut places {
        places.retain(|place| start(place).is_none_or(|start| seen.insert(start)));
    }
    places
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_same_place_in_both_forms_stands_once() {
        let range = |line: u32, from: u32| json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": 9 } });
        let location = json!({ "uri": "file:///a", "range": range(1, 6) });
        let link = json!({ "targetUri": "file:///a", "targetRange": range(1, 0), "targetSelectionRange": range(1, 6) });
        let whole = json!({ "targetUri": "file:///a", "targetRange": range(1, 0) });
        let left_out = json!({ "leftOut": 3 });
        let found = json!([location, link, whole, location, left_out, left_out]);
        assert_eq!(dedup_locations(found), json!([location, whole, left_out, left_out]));
        assert_eq!(dedup_locations(Value::Null), Value::Null);
    }
}
