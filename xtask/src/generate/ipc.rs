//! The page of the IPC protocol, from the program's own description.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value};

use super::NOTICE;

const INTRODUCTION: &str = "\
# The IPC protocol

JSON-RPC 2.0, one message a line, at most 8 MiB each, over a Unix socket or, for what only looks, over a port on 127.0.0.1.
[Hosts](../guide/hosts.md) says how a host is found, how both sides prove who they are on the port, and who may connect.
`docs/ipc.schema.json` is the same as JSON Schema; `zubi ipc --schema` prints it.

A host answers requests in whatever order they are ready. `$/cancelRequest {id}` takes one back, in both directions. Ranges are
LSP's: lines and columns from 0, columns in UTF-16 units. Clients must ignore unknown fields.
";

/// Renders the page.
pub(super) fn page(protocol: &str) -> Result<String> {
    let protocol: Value = serde_json::from_str(protocol).context("`zubi ipc --schema` prints no JSON")?;
    let object = |field: &str| protocol[field].as_object().with_context(|| format!("no `{field}`"));
    let (methods, types) = (object("methods")?, object("$defs")?);
    let mut page = format!("{NOTICE}{INTRODUCTION}\nThis is version {}.\n\n## Methods\n", protocol["version"]);
    for (name, method) in methods {
        let from = match (method["from"].as_str(), method["result"].is_null()) {
            (Some("host"), true) => "notification of the host",
            (Some("host"), false) => "request of the host",
            _ if method["port"] == true => "socket and port",
            _ => "socket",
        };
        write!(page, "\n### `{name}`\n\n{} ({from})\n", text(&method["summary"]))?;
        if !method["params"].is_null() {
            write!(page, "\nParameters: {}\n", kind(&method["params"]))?;
        }
        if !method["result"].is_null() {
            write!(page, "\nResult: {}\n", kind(&method["result"]))?;
        }
    }
    page.push_str("\n## Types\n");
    for (name, schema) in types {
        write!(page, "\n### {name}\n\n{}\n", text(&schema["description"]))?;
        if let Some(values) = values(schema) {
            write!(page, "\n{values}\n")?;
        }
        let no_properties = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&no_properties);
        for (index, (field, property)) in properties.iter().enumerate() {
            if index == 0 {
                page.push_str("\n| field | type | meaning |\n|---|---|---|\n");
            }
            let required = schema["required"].as_array().is_some_and(|names| names.iter().any(|it| it == field));
            let mark = if required { "" } else { "?" };
            writeln!(page, "| `{field}`{mark} | {} | {} |", kind(property), text(&property["description"]))?;
        }
    }
    page.push_str("\n## Errors\n\n| code | meaning |\n|---|---|\n");
    for error in protocol["errors"].as_array().context("no `errors`")? {
        writeln!(page, "| {} | {} |", error["code"], text(&error["meaning"]))?;
    }
    Ok(page)
}

/// A description as the text of a table cell.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

/// The values of an enumeration and their meanings.
fn values(schema: &Value) -> Option<String> {
    if let Some(names) = schema["enum"].as_array() {
        return Some(
            names.iter().map(|name| format!("`{}`", name.as_str().unwrap_or_default())).collect::<Vec<_>>().join(", "),
        );
    }
    let all = schema["oneOf"].as_array()?;
    let one = |value: &Value| {
        let names = match value["const"].as_str() {
            Some(name) => format!("`{name}`"),
            None => values(value).unwrap_or_default(),
        };
        format!("- {names} {}", text(&value["description"])).trim_end().to_owned()
    };
    Some(all.iter().map(one).collect::<Vec<_>>().join("\n"))
}

/// A short description of a type.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or(reference);
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(any) = schema["anyOf"].as_array() {
        return any.iter().map(kind).filter(|kind| kind != "null").collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" => format!("array of {}", self::kind(&schema["items"])),
        Value::String(kind) if kind == "object" && schema["additionalProperties"].is_object() => {
            format!("object of {}", self::kind(&schema["additionalProperties"]))
        }
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect::<Vec<_>>().join(" or ")
        }
        _ => "any value".to_owned(),
    }
}
