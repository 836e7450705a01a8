//! Deduplication of locations: the editor concatenates those of several providers, as `Location` or as `LocationLink`.

use std::collections::BTreeSet;

use serde_json::Value;

/// Start of a name: document, line and column, both 0-based.
pub(super) type Start = (String, u64, u64);

/// Start of the name that a `Location` or `LocationLink` points to.
pub(super) fn start(place: &Value) -> Option<Start> {
    let (uri, range) = match place.get("targetUri") {
        Some(uri) => (uri, place.get("targetSelectionRange").or_else(|| place.get("targetRange"))?),
        None => (place.get("uri")?, place.get("range")?),
    };
    let number = |field: &str| range.pointer(field).and_then(Value::as_u64);
    Some((uri.as_str()?.to_owned(), number("/start/line")?, number("/start/character")?))
}

/// Removes duplicates. Values that are not locations stay; the reader reports them.
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
