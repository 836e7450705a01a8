//! Checks that a response has a valid LSP form, as far as zubi reads it.
//!
//! Features skip what they cannot read, so an invalid response would become an empty answer that looks correct. So zubi
//! first checks every response here, except to unlisted methods, whose features report invalid parts themselves.

use serde_json::Value;

use crate::location;

/// How well a response matches the expected form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResponseCheck {
    Right,
    /// The response matches, except for this number of unreadable items.
    Partly(usize),
    Wrong,
}

/// Checks the response to a request.
pub(crate) fn check_response(method: &str, answer: &Value) -> ResponseCheck {
    // `null` means "no result" in every response that zubi reads here.
    if answer.is_null() {
        return ResponseCheck::Right;
    }
    match method {
        "textDocument/definition"
        | "textDocument/declaration"
        | "textDocument/implementation"
        | "textDocument/typeDefinition"
        | "textDocument/references" => match answer {
            Value::Array(items) => list(items, location::readable),
            _ => either(location::readable(answer)),
        },
        "textDocument/hover" => either(answer.get("contents").is_some_and(|contents| !contents.is_number())),
        "textDocument/documentSymbol" => items_of(answer, |item| {
            has_text(item, "name") && (item.get("selectionRange").is_some() || item.get("location").is_some())
        }),
        "workspace/symbol" => items_of(answer, |item| has_text(item, "name") && item.get("location").is_some()),
        "textDocument/completion" => items_of(answer.get("items").unwrap_or(answer), |item| has_text(item, "label")),
        "textDocument/signatureHelp" => either(answer.get("signatures").is_some_and(Value::is_array)),
        "textDocument/inlayHint" => {
            items_of(answer, |item| item.get("position").is_some() && item.get("label").is_some())
        }
        "textDocument/codeLens" => items_of(answer, |item| item.get("range").is_some()),
        "textDocument/codeAction" => items_of(answer, |item| has_text(item, "title")),
        _ => ResponseCheck::Right,
    }
}

fn either(right: bool) -> ResponseCheck {
    if right { ResponseCheck::Right } else { ResponseCheck::Wrong }
}

fn has_text(item: &Value, field: &str) -> bool {
    item.get(field).is_some_and(Value::is_string)
}

fn items_of(answer: &Value, readable: impl Fn(&Value) -> bool) -> ResponseCheck {
    answer.as_array().map_or(ResponseCheck::Wrong, |items| list(items, readable))
}

fn list(items: &[Value], readable: impl Fn(&Value) -> bool) -> ResponseCheck {
    match items.iter().filter(|item| !readable(item)).count() {
        0 => ResponseCheck::Right,
        all if all == items.len() => ResponseCheck::Wrong,
        some => ResponseCheck::Partly(some),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_forms_of_the_protocol_are_accepted() {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } });
        let location = json!({ "uri": "file:///a", "range": range });
        let link = json!({ "targetUri": "file:///a", "targetRange": range, "targetSelectionRange": range });
        for (method, answer, shape) in [
            ("definition", json!(null), ResponseCheck::Right),
            ("definition", location.clone(), ResponseCheck::Right),
            ("definition", json!([]), ResponseCheck::Right),
            ("references", json!([location]), ResponseCheck::Right),
            ("definition", json!([link]), ResponseCheck::Right),
            ("references", json!([location, 7, [location]]), ResponseCheck::Partly(2)),
            ("references", json!([{ "uri": "file:///a" }]), ResponseCheck::Wrong),
            ("definition", json!("a"), ResponseCheck::Wrong),
            ("definition", json!({}), ResponseCheck::Wrong),
            ("hover", json!({ "contents": "a" }), ResponseCheck::Right),
            ("hover", json!({ "contents": [] }), ResponseCheck::Right),
            ("hover", json!([]), ResponseCheck::Wrong),
            ("documentSymbol", json!([{ "name": "a", "selectionRange": range }]), ResponseCheck::Right),
            ("documentSymbol", json!([{ "name": "a", "location": location }]), ResponseCheck::Right),
            ("documentSymbol", json!({ "name": "a" }), ResponseCheck::Wrong),
            ("completion", json!({ "isIncomplete": false, "items": [{ "label": "a" }] }), ResponseCheck::Right),
            ("completion", json!([{ "label": "a" }, {}]), ResponseCheck::Partly(1)),
            ("completion", json!({}), ResponseCheck::Wrong),
            ("signatureHelp", json!({ "signatures": [] }), ResponseCheck::Right),
            ("signatureHelp", json!([]), ResponseCheck::Wrong),
            ("codeAction", json!([{ "title": "a", "command": "b" }]), ResponseCheck::Right),
            ("codeAction", json!(true), ResponseCheck::Wrong),
            (
                "inlayHint",
                json!([{ "position": range["start"], "label": "a" }, { "label": "a" }]),
                ResponseCheck::Partly(1),
            ),
            ("inlayHint", json!("a"), ResponseCheck::Wrong),
            ("codeLens", json!([{ "range": range }]), ResponseCheck::Right),
            ("codeLens", json!({}), ResponseCheck::Wrong),
            ("formatting", json!(true), ResponseCheck::Right),
        ] {
            assert_eq!(check_response(&format!("textDocument/{method}"), &answer), shape, "{method} {answer}");
        }
        assert_eq!(
            check_response("workspace/symbol", &json!([{ "name": "a", "location": { "uri": "file:///a" } }])),
            ResponseCheck::Right
        );
        assert_eq!(check_response("workspace/symbol", &json!("a")), ResponseCheck::Wrong);
    }
}
