//! TypeScript types of the messages between the extension and `zubi lsp`, from the program's own description.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

/// Generates the file from the output of `zubi lsp --schema`.
pub(super) fn module(channel: &str) -> Result<String> {
    let channel: Value = serde_json::from_str(channel).context("`zubi lsp --schema` prints no JSON")?;
    let object = |field: &str| channel[field].as_object().with_context(|| format!("no `{field}`"));
    let mut imports = BTreeSet::new();
    let mut body =
        format!("\n/** Version of the channel. */\nexport const EDITOR_PROTOCOL = {};\n", channel["version"]);
    for (method, message) in object("messages")? {
        let text = |field: &str| message[field].as_str().unwrap_or_default();
        let (to, kind) = (text("to"), if message["result"].is_null() { "a notification" } else { "a request" });
        writeln!(body, "\n/** To the {to}, {kind}. {} */", text("summary"))?;
        writeln!(body, "export const {} = \"{method}\";", text("name"))?;
    }
    for (name, schema) in object("$defs")? {
        body.push('\n');
        comment(&mut body, "", &schema["description"])?;
        match schema["properties"].as_object() {
            Some(properties) => interface(&mut body, name, properties, &schema["required"], &mut imports)?,
            None => writeln!(body, "export type {name} = {};", kind(schema, &mut imports)?)?,
        }
    }
    let mut file = "// Messages between the extension and `zubi lsp` in addition to LSP. Written by `cargo xtask generate` from\n// `crates/zubi-editor/src/wire.rs`; change it there.\n".to_owned();
    if !imports.is_empty() {
        let names = imports.into_iter().collect::<Vec<_>>().join(", ");
        writeln!(file, "import type {{ {names} }} from \"vscode-languageserver-protocol\";")?;
    }
    file.push_str(&body);
    Ok(file)
}

fn interface(
    body: &mut String,
    name: &str,
    properties: &Map<String, Value>,
    required: &Value,
    imports: &mut BTreeSet<String>,
) -> Result<()> {
    writeln!(body, "export interface {name} {{")?;
    for (field, property) in properties {
        comment(body, "  ", &property["description"])?;
        let is_required = required.as_array().is_some_and(|names| names.iter().any(|it| it == field));
        let kind = kind(property, imports)?;
        if is_required {
            writeln!(body, "  readonly {field}: {kind};")?;
        } else {
            writeln!(body, "  readonly {field}?: {kind};")?;
        }
    }
    body.push_str("}\n");
    Ok(())
}

fn comment(body: &mut String, indent: &str, text: &Value) -> Result<()> {
    if let Some(text) = text.as_str() {
        writeln!(body, "{indent}/** {} */", text.replace('\n', " "))?;
    }
    Ok(())
}

/// The TypeScript type of a schema.
fn kind(schema: &Value, imports: &mut BTreeSet<String>) -> Result<String> {
    if let Some(name) = schema["x-lsp"].as_str() {
        imports.insert(name.to_owned());
        return Ok(if schema["x-many"] == true { format!("readonly {name}[]") } else { name.to_owned() });
    }
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/")) {
        return Ok(name.to_owned());
    }
    for several in ["anyOf", "oneOf"] {
        if let Some(kinds) = schema[several].as_array() {
            let kinds = kinds.iter().map(|one| kind(one, imports)).collect::<Result<Vec<_>>>()?;
            return Ok(kinds.join(" | "));
        }
    }
    if let Some(value) = schema.get("const") {
        return Ok(value.to_string());
    }
    if let Some(values) = schema["enum"].as_array() {
        return Ok(values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | "));
    }
    match &schema["type"] {
        Value::Null => Ok("unknown".to_owned()),
        Value::String(name) => type_text(name, schema, imports),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            let kinds = names.map(|name| type_text(name, schema, imports)).collect::<Result<Vec<_>>>()?;
            Ok(kinds.join(" | "))
        }
        other => bail!("a type that is {other}"),
    }
}

fn type_text(name: &str, schema: &Value, imports: &mut BTreeSet<String>) -> Result<String> {
    Ok(match name {
        "string" | "boolean" | "null" => name.to_owned(),
        "integer" | "number" => "number".to_owned(),
        "array" => {
            let items = kind(&schema["items"], imports)?;
            if items.contains(' ') { format!("readonly ({items})[]") } else { format!("readonly {items}[]") }
        }
        "object" => match &schema["additionalProperties"] {
            values @ Value::Object(_) => format!("Readonly<Record<string, {}>>", kind(values, imports)?),
            _ => name.to_owned(),
        },
        other => bail!("a type `{other}`"),
    })
}
