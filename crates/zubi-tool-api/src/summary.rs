//! A call as one line of text: the tool's title and its most informative argument, the same on every surface.

use serde_json::{Map, Value};
use zubi_base::escape::printable;
use zubi_base::lsp::Uri;
use zubi_base::text::ellipsize;
use zubi_base::uri;
use zubi_base::workspace::Folder;

use crate::ToolSpec;

/// The maximum length of an argument, in characters.
const MAX_ARGUMENT_CHARS: usize = 80;

/// The most informative arguments of a call: the first entry that the call has; both names if two belong together.
const INFORMATIVE_NAMES: [&[&str]; 17] = [
    &["oldUri", "newUri"],
    &["originalName", "newName"],
    &["symbol", "newName"],
    &["at", "newName"],
    &["key", "value"],
    &["path"],
    &["uri"],
    &["file"],
    &["fqn"],
    &["query"],
    &["pattern"],
    &["command"],
    &["plan"],
    &["action"],
    &["tool"],
    &["type"],
    &["value"],
];

/// Returns the call as plain text: `Read file: src/main.rs`.
pub fn line(spec: &ToolSpec, args: &Value, folders: &[Folder]) -> String {
    let title = printable(&spec.title);
    match key_argument(spec, args, folders) {
        Some(text) => format!("{title}: {text}"),
        None => title.into_owned(),
    }
}

/// Returns the most informative argument, on one line; paths inside an open folder are relative to that folder.
pub fn key_argument(spec: &ToolSpec, args: &Value, folders: &[Folder]) -> Option<String> {
    let args = args.as_object()?;
    let join_values = |names: &[&str]| {
        let values: Vec<String> = names
            .iter()
            .filter_map(|name| args.get(*name))
            .filter_map(|value| summarize_value(value, folders))
            .collect();
        (!values.is_empty()).then(|| values.join(" → "))
    };
    let first = || {
        let properties = spec.input.get("properties").and_then(Value::as_object).map(Map::keys);
        properties.into_iter().flatten().find_map(|name| args.get(name).filter(|value| value.is_string()))
    };
    INFORMATIVE_NAMES.iter().find_map(|names| join_values(names)).or_else(|| summarize_value(first()?, folders))
}

/// Returns a value on one line; for a file in an open folder, the path relative to the folder.
fn summarize_value(value: &Value, folders: &[Folder]) -> Option<String> {
    let text = match value {
        Value::Null | Value::Object(_) | Value::Array(_) => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let path = text.starts_with("file:").then(|| uri::to_path(&Uri(text.clone()))).flatten();
    let text = path.map_or(text, |path| {
        let relative = folders.iter().find_map(|folder| path.strip_prefix(&folder.path).ok());
        relative.unwrap_or(&path).to_string()
    });
    let text = printable(text.trim()).into_owned();
    if text.is_empty() {
        return None;
    }
    Some(ellipsize(&text, MAX_ARGUMENT_CHARS).into_owned())
}
