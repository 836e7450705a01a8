//! Deduplication of locations: the editor concatenates those of several providers, as `Location` or as `LocationLink`.

use std::collections::BTreeSet;

use serde_json::Value;

/// Start of a name: document, line and column, both 0-based.
pub(super) type NamePosition = (String, u64, u64);

/// Start of the name that a `Location` or `LocationLink` points to.
pub(super) fn start(location: &Value) -> Option<NamePosition> {
    let (uri, range) = match location.get("targetUri") {
        Some(uri) => (uri, location.get("targetSelectionRange").or_else(|| location.get("targetRange"))?),
        None => (location.get("uri")?, location.get("range")?),
    };
    let number = |field: &str| range.pointer(field).and_then(Value::as_u64);
    Some((uri.as_str()?.to_owned(), number("/start/line")?, number("/start/character")?))
}

/// Removes duplicates. Values that are not locations stay; the reader reports them.
pub(super) fn dedup_locations(mut locations: Value) -> Value {
    let mut seen = BTreeSet::new();
    if let Value::Array(items) = &mut locations {
        items.retain(|location| start(location).is_none_or(|start| seen.insert(start)));
    }
    locations
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_location_in_both_forms_is_returned_once() {
        let range = |line: u32, from: u32| json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": 9 } });
        let location = json!({ "uri": "file:///a", "range": range(1, 6) });
        let link = json!({ "targetUri": "file:///a", "targetRange": range(1, 0), "targetSelectionRange": range(1, 6) });
        let without_selection = json!({ "targetUri": "file:///a", "targetRange": range(1, 0) });
        let omitted = json!({ "leftOut": 3 });
        let locations = json!([location, link, without_selection, location, omitted, omitted]);
        assert_eq!(dedup_locations(locations), json!([location, without_selection, omitted, omitted]));
        assert_eq!(dedup_locations(Value::Null), Value::Null);
    }
}
