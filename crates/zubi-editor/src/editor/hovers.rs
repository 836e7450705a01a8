//! Hovers: the editor returns one per provider, LSP allows only one.

use serde_json::{Value, json};

/// Merges several hovers into one without duplicate texts; `null` if all are empty.
pub(super) fn merge(hovers: Value) -> Value {
    let Value::Array(hovers) = hovers else { return hovers };
    let mut texts: Vec<Value> = Vec::new();
    for hover in &hovers {
        let more = match hover.get("contents") {
            Some(Value::Array(texts)) => texts.as_slice(),
            Some(text) => std::slice::from_ref(text),
            None => &[],
        };
        for text in more {
            if !is_blank(text) && !texts.contains(text) {
                texts.push(text.clone());
            }
        }
    }
    if texts.is_empty() {
        return Value::Null;
    }
    let mut hover = json!({ "contents": texts });
    if let Some(range) = hovers.iter().find_map(|hover| hover.get("range")) {
        hover["range"] = range.clone();
    }
    hover
}

/// Whether a text, or the text of a code block, is blank.
fn is_blank(text: &Value) -> bool {
    let text = text.get("value").unwrap_or(text);
    text.as_str().is_none_or(|text| text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hovers_are_merged_and_empty_ones_become_null() {
        let range = json!({ "start": { "line": 0, "character": 1 }, "end": { "line": 0, "character": 2 } });
        let block = json!({ "language": "ts", "value": "class A" });
        let hovers = json!([
            { "contents": [block, " "] },
            { "contents": [block, "from another extension"], "range": range },
            { "contents": { "kind": "markdown", "value": "marked up" } },
            {},
        ]);
        let texts = json!([block, "from another extension", { "kind": "markdown", "value": "marked up" }]);
        assert_eq!(merge(hovers), json!({ "contents": texts, "range": range }));
        assert_eq!(merge(json!([{ "contents": [""] }])), Value::Null);
        // An editor that answers with a single hover, as in LSP.
        assert_eq!(merge(json!({ "contents": "a" })), json!({ "contents": "a" }));
    }
}
