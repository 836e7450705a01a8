//! The manifest of the VS Code extension: a tool that exists in zubi's registry says there what the registry says. The rest
//! of the manifest is written by hand and stays as it is.

use anyhow::{Context as _, Result};
use serde_json::{Map, Value};

use crate::fresh::Fresh;
use crate::place;

/// The manifest with the descriptions and schemas of these tools.
pub(super) fn manifest(tools: &[Value]) -> Result<Fresh> {
    let file = place::ROOT.join("editors/vscode/package.json");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    let text = filled(&text, tools).with_context(|| format!("{file} is no manifest with tools"))?;
    Ok(Fresh { file, text })
}

fn filled(manifest: &str, tools: &[Value]) -> Result<String> {
    let mut manifest: Value = serde_json::from_str(manifest)?;
    let contributed = manifest.pointer_mut("/contributes/languageModelTools").and_then(Value::as_array_mut);
    for entry in contributed.context("`contributes.languageModelTools` is missing")? {
        // What a tool of DomainLang says to a model in the editor is fixed by its specification.
        let name = entry["name"].as_str().unwrap_or_default();
        let Some(tool) = tools.iter().find(|tool| tool["name"] == name && tool["toolset"] == "lsp") else { continue };
        entry["modelDescription"] = tool["description"].clone();
        entry["inputSchema"] = plain(&tool["inputSchema"]);
    }
    Ok(format!("{manifest:#}\n"))
}

/// A schema without zubi's own notes and without a description of the whole, which VS Code has elsewhere.
fn plain(schema: &Value) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    let own = |name: &str| name.starts_with("x-");
    let mut plain: Map<_, _> = schema.iter().filter(|(name, _)| !own(name)).map(clone).collect();
    if plain.get("type") == Some(&Value::from("object")) {
        plain.remove("description");
    }
    if let Some(Value::Object(properties)) = plain.get_mut("properties") {
        for property in properties.values_mut() {
            *property = self::plain(property);
        }
    }
    plain.into()
}

fn clone((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

#[cfg(test)]
mod tests {
    use super::filled;
    use serde_json::json;

    #[test]
    fn a_tool_of_the_registry_is_filled_in_and_nothing_else_changes() {
        let manifest = r#"{ "b": 1, "contributes": { "languageModelTools": [
            { "name": "lsp_example", "tags": ["lsp"], "modelDescription": "old", "inputSchema": {} },
            { "name": "domainlang_get", "modelDescription": "kept" } ] }, "a": 2 }"#;
        let tools = [
            json!({ "name": "lsp_example", "toolset": "lsp", "description": "Says where.", "inputSchema": {
                "type": "object", "description": "All arguments.",
                "properties": { "at": { "type": "string", "description": "Where", "x-plain": true } } } }),
            json!({ "name": "domainlang_get", "toolset": "domainlang", "description": "other", "inputSchema": {} }),
        ];
        insta::assert_snapshot!(filled(manifest, &tools).unwrap(), @r#"
        {
          "b": 1,
          "contributes": {
            "languageModelTools": [
              {
                "name": "lsp_example",
                "tags": [
                  "lsp"
                ],
                "modelDescription": "Says where.",
                "inputSchema": {
                  "type": "object",
                  "properties": {
                    "at": {
                      "type": "string",
                      "description": "Where"
                    }
                  }
                }
              },
              {
                "name": "domainlang_get",
                "modelDescription": "kept"
              }
            ]
          },
          "a": 2
        }
        "#);
    }
}
