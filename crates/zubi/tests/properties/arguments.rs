//! Arguments for any schema: valid, invalid, unknown, huge and hostile ones.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A file that is created if an argument runs as a command.
pub(crate) const INJECTED_FILE: &str = "made-by-injection";

/// The kind of arguments in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Null, or an empty object.
    None,
    /// Arguments that the schema allows.
    Valid,
    /// One argument of a type that the schema does not allow.
    Invalid,
    /// A valid call with one argument that the tool does not know.
    Extra,
    /// A valid call with one very large value.
    Huge,
    /// Strings with a special meaning for shells, file systems, terminals and models.
    Hostile,
}

#[derive(Debug, Clone)]
pub(crate) struct Arguments {
    pub(crate) kind: Kind,
    pub(crate) value: Value,
    /// The argument that the schema does not allow, if any.
    pub(crate) invalid: Option<String>,
}

const HOSTILE: &[&str] = &[
    "",
    " ",
    "'; touch made-by-injection; '",
    "\"; touch made-by-injection; \"",
    "$(touch made-by-injection)",
    "`touch made-by-injection`",
    "a\ntouch made-by-injection\n",
    "a\0b",
    "-rf",
    "--help",
    "../work-beside/kept.txt",
    "../../../../../../../etc/passwd",
    "../work-beside",
    "/etc/passwd",
    "/proc/self/environ",
    "/dev/zero",
    "file:///etc/passwd",
    "file:///%00",
    "http://169.254.169.254/latest/meta-data/",
    "\u{202e}gnp.exe",
    "\u{1b}]0;title\u{7}",
    "\u{feff}\u{200b}",
    "e\u{301}\u{1f469}\u{200d}\u{1f680}",
    "${workspaceFolder}/$HOME/${env:PATH}",
    "(a+)+$",
    "{{{{{{{{",
    "src/lib.rs:99999999999999999999:1",
    "p-aaaaaaaaaa",
    "\\\\?\\C:\\",
    "%s%n%x",
];

/// Values with a meaning in the fixture's workspace.
const PLAUSIBLE: &[&str] = &[
    "src/lib.rs",
    "parse",
    "src/lib.rs:1:8",
    "notes.md",
    "model/shop.dlang",
    "Sales",
    "Orders",
    "**/*.rs",
    "src",
    "bc",
];

pub(crate) fn for_schema(schema: &Map<String, Value>) -> BoxedStrategy<Arguments> {
    let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let required: Vec<String> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| Some(name.as_str()?.to_owned()))
        .collect();
    let plain = |kind| move |value| Arguments { kind, value, invalid: None };
    let valid = object(&properties, &required, &|schema| valid_values(schema));
    let hostile = object(&properties, &required, &|schema| hostile(schema));
    let mut cases = vec![
        (2, prop_oneof![Just(Value::Null), Just(json!({}))].prop_map(plain(Kind::None)).boxed()),
        (4, valid.clone().prop_map(plain(Kind::Valid)).boxed()),
        (6, hostile.prop_map(plain(Kind::Hostile)).boxed()),
        (2, extra(&properties, valid.clone())),
        (1, Just(json!([1, 2])).prop_map(plain(Kind::Invalid)).boxed()),
    ];
    if !properties.is_empty() {
        let names = || proptest::sample::select(properties.keys().cloned().collect::<Vec<_>>());
        let schemas = properties.clone();
        let invalid = (valid.clone(), names(), any::<usize>()).prop_filter_map(
            "any type fits",
            move |(mut value, name, pick)| {
                let candidates = invalid_values(&schemas[&name]);
                let invalid_value = candidates.get(pick % candidates.len().max(1))?.clone();
                value.as_object_mut()?.insert(name.clone(), invalid_value);
                Some(Arguments { kind: Kind::Invalid, value, invalid: Some(name) })
            },
        );
        let huge = (valid, names(), huge()).prop_map(|(mut value, name, huge)| {
            if let Some(object) = value.as_object_mut() {
                object.insert(name, huge);
            }
            Arguments { kind: Kind::Huge, value, invalid: None }
        });
        cases.push((4, invalid.boxed()));
        cases.push((1, huge.boxed()));
    }
    proptest::strategy::Union::new_weighted(cases).boxed()
}

type SchemaStrategy<'a> = &'a dyn Fn(&Value) -> BoxedStrategy<Value>;

/// An object with the required properties and some of the others.
fn object(properties: &Map<String, Value>, required: &[String], strategy: SchemaStrategy<'_>) -> BoxedStrategy<Value> {
    let parts: Vec<_> = properties
        .iter()
        .map(|(name, schema)| {
            let always = required.contains(name);
            (Just(name.clone()), prop_oneof![2 => Just(always), 1 => Just(true)], strategy(schema))
        })
        .collect();
    parts
        .prop_map(|parts| {
            parts
                .into_iter()
                .filter(|(_, present, _)| *present)
                .map(|(name, _, value)| (name, value))
                .collect::<Map<_, _>>()
                .into()
        })
        .boxed()
}

fn valid_values(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(Value::Array(values)) = schema.get("enum") {
        return proptest::sample::select(values.clone()).boxed();
    }
    let bound = |name: &str, default: i64| schema.get(name).and_then(Value::as_i64).unwrap_or(default);
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => proptest::sample::select(PLAUSIBLE).prop_map(Value::from).boxed(),
        Some("integer") => {
            (bound("minimum", 0)..=bound("maximum", 40).min(bound("minimum", 0) + 40)).prop_map(Value::from).boxed()
        }
        Some("number") => (0.0..40.0_f64).prop_map(Value::from).boxed(),
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        Some("array") => {
            let item = schema.get("items").map_or_else(|| Just(json!("x")).boxed(), valid_values);
            proptest::collection::vec(item, 0..3).prop_map(Value::from).boxed()
        }
        Some("object") => match schema.get("properties").and_then(Value::as_object) {
            Some(properties) => object(properties, &[], &|schema| valid_values(schema)),
            None => Just(json!({})).boxed(),
        },
        _ => proptest::sample::select(PLAUSIBLE).prop_map(Value::from).boxed(),
    }
}

fn hostile(schema: &Value) -> BoxedStrategy<Value> {
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => prop_oneof![
            4 => proptest::sample::select(HOSTILE).prop_map(Value::from),
            1 => any::<String>().prop_map(Value::from),
            1 => proptest::sample::select(PLAUSIBLE).prop_map(Value::from),
        ]
        .boxed(),
        Some("integer") => {
            prop_oneof![Just(json!(-1)), Just(json!(i64::MIN)), Just(json!(u64::MAX)), Just(json!(0))].boxed()
        }
        Some("array") => proptest::collection::vec(proptest::sample::select(HOSTILE).prop_map(Value::from), 0..4)
            .prop_map(Value::from)
            .boxed(),
        Some("object") => proptest::sample::select(HOSTILE).prop_map(|text| json!({ text: text })).boxed(),
        _ => valid_values(schema),
    }
}

fn extra(properties: &Map<String, Value>, valid: BoxedStrategy<Value>) -> BoxedStrategy<Arguments> {
    let properties = properties.clone();
    (valid, proptest::sample::select(HOSTILE), any::<bool>())
        .prop_filter_map("a known name", move |(mut value, hostile, near)| {
            // A misspelling of a known name, or a name that is itself an attack.
            let name = match properties.keys().next() {
                Some(name) if near => format!("{name}x"),
                _ => format!("zz{hostile}"),
            };
            if properties.contains_key(&name) {
                return None;
            }
            value.as_object_mut()?.insert(name.clone(), json!("value"));
            Some(Arguments { kind: Kind::Extra, value, invalid: Some(name) })
        })
        .boxed()
}

fn huge() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!("x".repeat(1 << 20))),
        Just(json!("\u{202e}'$(".repeat(1 << 16))),
        Just(Value::from(vec!["y"; 20_000])),
        Just(json!(f64::MAX)),
        Just((0..100).fold(json!("deep"), |inner, _| json!({ "a": inner }))),
    ]
    .boxed()
}

/// Values that a schema does not allow, even after lossless conversion: an object does not convert to a string, nor a
/// word to a number.
fn invalid_values(schema: &Value) -> Vec<Value> {
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => vec![json!({ "a": 1 }), json!([["nested"]])],
        Some("integer" | "number") => vec![json!("many"), json!({ "a": 1 }), json!([[1]])],
        Some("boolean") => vec![json!("perhaps"), json!({ "a": 1 }), json!([[true]])],
        Some("array") => vec![json!({ "a": { "b": 1 } })],
        Some("object") => vec![json!("words"), json!(7)],
        _ => Vec::new(),
    }
}
