//! The manifest of the VS Code extension: its language model tools come from zubi's registry and from [`ROWS`], which
//! has the facts that the registry lacks. The rest of the manifest is written by hand and preserved.

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value, json};

use crate::fresh::Fresh;
use crate::paths;

/// Facts about a tool that only VS Code needs.
struct Row {
    id: &'static str,
    /// The name of the tool in a prompt, after `#`.
    reference: &'static str,
    /// The name of a codicon.
    icon: &'static str,
    /// The description for users.
    user: &'static str,
}

const fn row(id: &'static str, reference: &'static str, icon: &'static str, user: &'static str) -> Row {
    Row { id, reference, icon, user }
}

/// The tools of the manifest, in order. All others are called through `zubi_call_tool`.
const ROWS: &[Row] = &[
    row("domainlang_validate", "domainlang_validate", "check", "Errors and warnings of the DomainLang model."),
    row("domainlang_list", "domainlang_list", "list-tree", "Lists elements of the DomainLang model."),
    row(
        "domainlang_get",
        "domainlang_get",
        "symbol-class",
        "One element of the DomainLang model, or the model in numbers.",
    ),
    row("domainlang_explain", "domainlang_explain", "book", "Explains an element of the DomainLang model."),
    row("domainlang_search", "domainlang_search", "search", "Searches all that the DomainLang model says."),
    row(
        "domainlang_diagram",
        "domainlang_diagram",
        "graph",
        "Draws a context map or domain map of the DomainLang model.",
    ),
    row("lsp_definition", "definition", "go-to-file", "Finds the definition of a symbol."),
    row("lsp_references", "references", "references", "Finds the references to a symbol."),
    row("lsp_hover", "hover", "info", "Type and documentation of a symbol."),
    row("lsp_completion", "completion", "symbol-method", "Completions at a position."),
    row("lsp_workspace_symbols", "workspace_symbols", "search", "Finds symbols of the workspace by name."),
    row("lsp_document_symbols", "document_symbols", "symbol-structure", "The outline of a file or folder."),
    row("read_symbol", "read_symbol", "symbol-snippet", "The source of symbols by their names."),
    row("edit_symbol", "edit_symbol", "symbol-method", "Replaces, deletes or extends one symbol, as one plan."),
    row("lsp_rename_symbol", "rename", "edit", "Plans the rename of a symbol; writes nothing."),
    row("lsp_code_actions", "code_actions", "lightbulb", "Plans quick fixes and refactorings; writes nothing."),
    row("lsp_format_document", "format", "list-flat", "Plans the formatting of a file; writes nothing."),
    row("lsp_signature_help", "signature_help", "symbol-parameter", "Parameters and overloads of a call."),
    row("lsp_diagnostics", "diagnostics", "warning", "Errors and warnings of files, without a build."),
    row("lsp_call_hierarchy", "call_hierarchy", "type-hierarchy", "Callers and callees of a function."),
    row(
        "lsp_implementations",
        "implementations",
        "symbol-interface",
        "Implementations of an interface or overrides of a method.",
    ),
    row("apply_edit", "apply_edit", "check-all", "Writes a planned edit into the files."),
    row("undo_edit", "undo_edit", "discard", "Reverts an applied edit."),
    row("editor", "editor", "window", "Open files, the active file and diagnostics of the editor."),
    row("rename_file", "renameFile", "file-symlink-file", "Moves a file or folder, and updates imports."),
    row("rename_symbol", "renameSymbol", "replace-all", "Renames a symbol wherever it is used."),
    row("organize_imports", "organizeImports", "list-ordered", "Sorts the imports of a file and removes unused ones."),
    row("edit_files", "edit_files", "files", "Replaces exact texts in several files, as one plan."),
    row(
        "replace_in_files",
        "replace_in_files",
        "replace-all",
        "Replaces a text or pattern in many files, as one plan.",
    ),
    row("get_setting", "getSetting", "gear", "Reads a setting."),
    row("set_setting", "setSetting", "settings-gear", "Changes a setting of the workspace about the form of text."),
    row(
        "set_update_imports_setting",
        "setUpdateImports",
        "settings-gear",
        "Whether imports are updated when files are moved.",
    ),
    row(
        "zubi_find_tools",
        "findTools",
        "tools",
        "Finds further tools: of this workspace, of other extensions, of zubi.",
    ),
    row(
        "zubi_call_tool",
        "callTool",
        "run",
        "Calls a tool that `findTools` found, after approval where the rules require it.",
    ),
];

/// Directly exposed tools that the manifest omits on purpose.
const EXCLUDED: &[&str] = &[
    // `zubi_call_tool` replaces it: VS Code requests approval where the rules require it.
    "zubi_call_read_tool",
    // Only a host with a team's index has it, and the manifest is the same for all; `zubi_call_tool` calls it.
    "team_uses",
];

/// Established names that stay as they are. All other names get the prefix, because they could clash with another
/// extension's.
const UNPREFIXED: &[&str] = &[
    "domainlang_validate",
    "domainlang_list",
    "domainlang_get",
    "domainlang_explain",
    "lsp_definition",
    "lsp_references",
    "lsp_hover",
    "lsp_completion",
    "lsp_workspace_symbols",
    "lsp_document_symbols",
    "lsp_rename_symbol",
    "lsp_code_actions",
    "lsp_format_document",
    "lsp_signature_help",
    "rename_file",
    "set_update_imports_setting",
    "zubi_find_tools",
    "zubi_call_tool",
];

/// The prefix of tools with fixed descriptions, which the manifest has and generation preserves.
const FIXED: &str = "domainlang_";

/// The manifest with these tools.
pub(super) fn manifest(tools: &[Value]) -> Result<Fresh> {
    let file = paths::ROOT.join("editors/vscode/package.json");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    let text =
        fill(&text, tools, ROWS).with_context(|| format!("{file}: the language model tools cannot be written"))?;
    Ok(Fresh { file, text })
}

fn fill(manifest: &str, tools: &[Value], rows: &[Row]) -> Result<String> {
    let mut manifest: Value = serde_json::from_str(manifest)?;
    let contributed = manifest.pointer_mut("/contributes/languageModelTools").and_then(Value::as_array_mut);
    let contributed = contributed.context("`contributes.languageModelTools` is missing")?;
    complete(tools, rows)?;
    let entries = rows.iter().map(|row| {
        let tool = tools.iter().find(|tool| tool["id"] == row.id);
        let tool = tool.with_context(|| format!("there is no tool `{}`; remove its row", row.id))?;
        let name = name_of(row.id);
        entry(row, &name, tool, contributed.iter().find(|entry| entry["name"] == name.as_str()))
    });
    *contributed = entries.collect::<Result<_>>()?;
    Ok(format!("{manifest:#}\n"))
}

/// Fails if the table lacks a directly exposed tool, or has a name that VS Code rejects.
fn complete(tools: &[Value], rows: &[Row]) -> Result<()> {
    for tool in tools.iter().filter(|tool| tool["exposure"] == "direct") {
        let id = tool["id"].as_str().unwrap_or_default();
        if !EXCLUDED.contains(&id) && rows.iter().all(|row| row.id != id) {
            bail!("`{id}` is in every list; add a row for it, or add it to `EXCLUDED`");
        }
    }
    for (at, row) in rows.iter().enumerate() {
        let others = || rows.iter().take(at);
        if others().any(|other| other.id == row.id || other.reference == row.reference) {
            bail!("`{}` or its reference name `{}` is listed twice", row.id, row.reference);
        }
        let is_word =
            |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
        let name = name_of(row.id);
        if !is_word(&name) || !is_word(row.reference) || name.starts_with("copilot_") || name.starts_with("vscode_") {
            bail!("VS Code accepts neither `{name}` nor `{}` unless both are words of their own", row.reference);
        }
    }
    Ok(())
}

fn name_of(id: &str) -> String {
    if UNPREFIXED.contains(&id) { id.to_owned() } else { format!("zubi_{id}") }
}

/// Renders one tool of the manifest. A fixed description stays as the manifest has it.
fn entry(row: &Row, name: &str, tool: &Value, before: Option<&Value>) -> Result<Value> {
    let is_fixed = UNPREFIXED.contains(&row.id) && row.id.starts_with(FIXED);
    let fixed = if is_fixed {
        Some(before.with_context(|| format!("`{name}` is missing; write its fixed description into the manifest"))?)
    } else {
        None
    };
    let field_or = |field: &str, default: Value| fixed.map_or(default, |fixed| fixed[field].clone());
    let tags = [&tool["toolset"]].into_iter().chain(tool["tags"].as_array().into_iter().flatten());
    let mut tags: Vec<Value> = tags.cloned().collect();
    tags.dedup();
    let mut entry = json!({
        "name": name,
        "displayName": field_or("displayName", tool["title"].clone()),
        "modelDescription": field_or("modelDescription", with_vscode_names(&tool["description"])),
        "userDescription": row.user,
        "toolReferenceName": row.reference,
        "canBeReferencedInPrompt": true,
        "icon": format!("$({})", row.icon),
        "tags": field_or("tags", tags.into()),
        "inputSchema": field_or("inputSchema", plain(&tool["inputSchema"])),
    });
    if row.id.starts_with(FIXED) {
        // A workspace without DomainLang models hides these tools.
        entry["when"] = "zubi.hasModels".into();
    }
    Ok(entry)
}

/// Replaces tool names in a text with those that the tools have in VS Code.
fn with_vscode_names(text: &Value) -> Value {
    let Some(text) = text.as_str() else { return text.clone() };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        // A single word may not be a tool's name.
        let is_tool = word.contains('_') && ROWS.iter().any(|row| row.id == word);
        named.push_str(&if is_tool { name_of(word) } else { word.to_owned() });
        let next = after.find(is_word).unwrap_or(after.len());
        let (between, after) = after.split_at(next);
        named.push_str(between);
        rest = after;
    }
    named.into()
}

/// Removes zubi's own notes from a schema, and the top-level description, which VS Code has elsewhere.
fn plain(schema: &Value) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    let is_internal = |name: &str| name.starts_with("x-");
    let mut plain: Map<_, _> = schema.iter().filter(|(name, _)| !is_internal(name)).map(clone).collect();
    match plain.get("type") {
        Some(Value::String(kind)) if kind == "object" => drop(plain.remove("description")),
        _ => {
            if let Some(description) = plain.get_mut("description") {
                *description = with_vscode_names(description);
            }
        }
    }
    if let Some(Value::Object(properties)) = plain.get_mut("properties") {
        for property in properties.values_mut() {
            *property = self::plain(property);
        }
    }
    if let Some(items) = plain.get_mut("items") {
        *items = self::plain(items);
    }
    plain.into()
}

fn clone((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

#[cfg(test)]
mod tests {
    use super::{fill, row};
    use serde_json::{Value, json};

    fn tool(id: &str, toolset: &str, exposure: &str) -> Value {
        json!({ "id": id, "title": "Example", "toolset": toolset, "exposure": exposure, "tags": ["where"],
            "description": "Says where; apply_edit does not, and lsp_hover neither.", "inputSchema": {
            "type": "object", "description": "All arguments.",
            "properties": { "at": { "type": "string", "description": "As zubi_find_tools says", "x-plain": true } } } })
    }

    #[test]
    fn only_tool_entries_of_the_manifest_change() {
        let manifest = r#"{ "b": 1, "contributes": { "languageModelTools": [
            { "name": "domainlang_get", "displayName": "Get", "modelDescription": "fixed", "tags": [], "inputSchema": {} },
            { "name": "gone" } ] }, "a": 2 }"#;
        let tools = [tool("lsp_example", "lsp", "direct"), tool("domainlang_get", "domainlang", "deferred")];
        let rows = [
            row("domainlang_get", "domainlang_get", "symbol-class", "One element."),
            row("lsp_example", "example", "search", "An example."),
        ];
        insta::assert_snapshot!(fill(manifest, &tools, &rows).unwrap(), @r#"
        {
          "b": 1,
          "contributes": {
            "languageModelTools": [
              {
                "name": "domainlang_get",
                "displayName": "Get",
                "modelDescription": "fixed",
                "userDescription": "One element.",
                "toolReferenceName": "domainlang_get",
                "canBeReferencedInPrompt": true,
                "icon": "$(symbol-class)",
                "tags": [],
                "inputSchema": {},
                "when": "zubi.hasModels"
              },
              {
                "name": "zubi_lsp_example",
                "displayName": "Example",
                "modelDescription": "Says where; zubi_apply_edit does not, and lsp_hover neither.",
                "userDescription": "An example.",
                "toolReferenceName": "example",
                "canBeReferencedInPrompt": true,
                "icon": "$(search)",
                "tags": [
                  "lsp",
                  "where"
                ],
                "inputSchema": {
                  "type": "object",
                  "properties": {
                    "at": {
                      "type": "string",
                      "description": "As zubi_find_tools says"
                    }
                  }
                }
              }
            ]
          },
          "a": 2
        }
        "#);
        let without = fill(manifest, &tools, &rows[..1]).unwrap_err().to_string();
        assert_eq!(without, "`lsp_example` is in every list; add a row for it, or add it to `EXCLUDED`");
        let twice = [row("lsp_example", "example", "", ""), row("lsp_other", "example", "", "")];
        let twice = fill(manifest, &tools, &twice).unwrap_err().to_string();
        assert_eq!(twice, "`lsp_other` or its reference name `example` is listed twice");
        let spaced = fill(manifest, &tools, &[row("lsp_example", "an example", "", "")]).unwrap_err().to_string();
        assert_eq!(
            spaced,
            "VS Code accepts neither `zubi_lsp_example` nor `an example` unless both are words of their own"
        );
        let error = fill(manifest, &tools[1..], &[row("lsp_gone", "gone", "", "")]).unwrap_err().to_string();
        assert_eq!(error, "there is no tool `lsp_gone`; remove its row");
    }
}
