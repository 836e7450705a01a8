//! JSON as models and their servers write it.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// Parses a value. Lone surrogates, which JSON's grammar allows but Unicode text does not, become U+FFFD: servers that
/// split text by UTF-16 units send them.
pub fn parse(text: &str) -> Result<Value, serde_json::Error> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(error) => match replace_lone_surrogates(text) {
            Cow::Owned(repaired) => serde_json::from_str(&repaired),
            Cow::Borrowed(_) => Err(error),
        },
    }
}

/// Parses the arguments of a call. An empty text is an empty object. Accepts an object that is encoded as a string,
/// even several times, or that follows an empty object, because servers send both. Returns `None` for other values.
pub fn arguments(text: &str) -> Option<Map<String, Value>> {
    let text = replace_lone_surrogates(text);
    let mut found: Option<Map<String, Value>> = None;
    for value in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
        let object = match value.ok()? {
            Value::Object(object) => object,
            Value::Null => Map::new(),
            Value::String(inner) => serde_json::from_str(&replace_lone_surrogates(&inner)).ok()?,
            _ => return None,
        };
        match &found {
            Some(before) if before.is_empty() || *before == object => found = Some(object),
            Some(_) => return None,
            None => found = Some(object),
        }
    }
    Some(found.unwrap_or_default())
}

/// Returns the text with `\ufffd` instead of each escaped half of a surrogate pair without its other half.
fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let mut repaired = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + found;
        at = escape + 2;
        let Some(first) = unit(text, escape) else { continue };
        at = escape + 6;
        let is_pair =
            (0xd800..0xdc00).contains(&first) && unit(text, at).is_some_and(|it| (0xdc00..0xe000).contains(&it));
        if is_pair {
            at += 6;
        } else if (0xd800..0xe000).contains(&first) {
            repaired.push_str(text.get(copied..escape).unwrap_or_default());
            repaired.push_str("\\ufffd");
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    repaired.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(repaired)
}

/// Returns the UTF-16 unit of the `\uXXXX` escape at this byte offset.
fn unit(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    // The parser would accept signs, too.
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn lone_surrogates_are_replaced() {
        for (text, expected) in [
            (r#""a\ud83d\ude00b""#, "a\u{1f600}b"),
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\\ud83d\u0000é""#, "\\ud83d\0é"),
        ] {
            assert_eq!(parse(text).unwrap(), json!(expected), "{text}");
        }
        for text in [r#""\ud83""#, r#""\ud83d"#, "\"\\", r#""\u+123""#, "{", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn call_arguments_are_parsed() {
        for (text, expected) in [
            ("", Some(json!({}))),
            (" \n", Some(json!({}))),
            ("null", Some(json!({}))),
            (r#"{"a": 1}"#, Some(json!({"a": 1}))),
            (r#"{"a": 1}{"a": 1}"#, Some(json!({"a": 1}))),
            (r#"{}{"a": 1}"#, Some(json!({"a": 1}))),
            (r#""{\"a\": 1}""#, Some(json!({"a": 1}))),
            (r#"{"a": "\ud83d"}"#, Some(json!({"a": "\u{fffd}"}))),
            (r#"{"a": 1}{"a": 2}"#, None),
            (r#"{"a": 1"#, None),
            ("[1]", None),
            ("3", None),
            (r#""text""#, None),
            (r#"{"a": 1} and more"#, None),
        ] {
            assert_eq!(arguments(text).map(Value::Object), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn valid_json_is_unchanged(text in any::<String>()) {
            let written = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(parse(&written).unwrap(), Value::String(text.clone()));
            drop(parse(&text));
            drop(arguments(&text));
        }
    }
}
