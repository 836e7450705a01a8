//! `.vscode/settings.json`: JSON with comments. A change preserves everything else in the file.

use camino::Utf8PathBuf;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde_json::Value;
use zubi_base::fs::ReadError;
use zubi_base::text::SourceText;
use zubi_tool_api::{ToolCx, ToolError, ToolOutput};

use super::settings_tool::SettingsContext;
use crate::file::paths;
use crate::file::write_path::{self, FileWrite};
use crate::jsonc::VS_CODE_DIALECT;

/// Path of the workspace's settings, relative to its first folder.
pub(crate) const SETTINGS_FILE: &str = ".vscode/settings.json";

/// Maximum nesting depth, because the parser recurses. Real settings are far below it.
const MAX_DEPTH: usize = 64;

/// Returns the path, with symlinks resolved.
pub(crate) fn settings_path(cx: &ToolCx) -> Result<Utf8PathBuf, ToolError> {
    paths::resolve_creatable(cx, "settings", cx.workspace.root().join(SETTINGS_FILE).as_str())
}

/// Rejects every scope except the workspace's.
pub(crate) fn check_scope(scope: Option<&str>) -> Result<(), ToolError> {
    match scope {
        None | Some("workspace") => Ok(()),
        Some(_) => {
            let problem = "only `workspace` settings are available here; the user's belong to the editor";
            Err(ToolError::invalid("scope", problem, "Omit `scope`, or ask the user to change it in the editor."))
        }
    }
}

/// Returns the file's text; `None` if it does not exist.
pub(crate) async fn read_text(cx: &ToolCx, operation: &str) -> Result<Option<SourceText>, ToolError> {
    let path = settings_path(cx)?;
    match cx.text_source.read(&path).await {
        Ok(text) => Ok(Some(text)),
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(paths::read_error(cx, operation, &path, &error)),
    }
}

/// Returns the value of a key; `None` if it is not set.
pub(crate) async fn get_value(cx: &ToolCx, operation: &str, key: &str) -> Result<Option<Value>, ToolError> {
    let Some(text) = read_text(cx, operation).await? else { return Ok(None) };
    find_value(&text.text, key).map_err(|problem| malformed_file_error(operation, &problem))
}

/// Sets keys, all or none, and returns the diff and the undo handle.
pub(crate) async fn set_values(
    settings: &SettingsContext,
    cx: &ToolCx,
    by: &'static str,
    values: &[(&str, Value)],
) -> Result<ToolOutput, ToolError> {
    const OPERATION: &str = "change the setting";
    let (path, before) = (settings_path(cx)?, read_text(cx, OPERATION).await?);
    let mut text = before.as_ref().map(|before| before.text.to_string()).unwrap_or_default();
    for (key, value) in values {
        text = set_value(&text, key, value).map_err(|problem| malformed_file_error(OPERATION, &problem))?;
    }
    let format_setting = |(key, value): &(&str, Value)| format!("{key} = {value}");
    let title = format!("set {}", values.iter().map(format_setting).collect::<Vec<_>>().join(", "));
    let write_request = FileWrite {
        title,
        by,
        operation: OPERATION,
        path: &path,
        before: before.as_ref(),
        text: &text,
        notes: Vec::new(),
    };
    Ok(write_path::write(&settings.intel, write_request).await?.output)
}

pub(crate) fn malformed_file_error(operation: &str, problem: &str) -> ToolError {
    ToolError::operation_failed(
        operation,
        format!("{SETTINGS_FILE}:{problem}"),
        "Correct the file, then call again; nothing was written.",
    )
}

/// Parses JSON with comments as VS Code does. The error begins with `line:column`, 1-based.
fn parse(text: &str) -> Result<CstRootNode, String> {
    if depth(text) > MAX_DEPTH {
        return Err(format!("1:1: nested deeper than {MAX_DEPTH} levels"));
    }
    let root = CstRootNode::parse(text, &VS_CODE_DIALECT)
        .map_err(|error| format!("{}:{}: {}", error.line_display(), error.column_display(), error.kind()))?;
    match root.value() {
        Some(value) if value.as_object().is_none() => Err("1:1: its root is not an object".to_owned()),
        _ => Ok(root),
    }
}

/// Returns an upper bound of the nesting depth; brackets in strings count too.
fn depth(text: &str) -> usize {
    let mut max_depth = 0_usize;
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        max_depth = max_depth.max(depth);
    }
    max_depth
}

/// Returns the value of a key of the root. If a key occurs twice, the last one counts, as in VS Code.
pub(crate) fn find_value(text: &str, key: &str) -> Result<Option<Value>, String> {
    let Some(object) = parse(text)?.object_value() else { return Ok(None) };
    let properties = object.properties();
    let last = properties.iter().rev().find(|property| property.decoded_name().as_deref() == Some(key));
    Ok(last.and_then(jsonc_parser::cst::CstObjectProp::value).and_then(|value| value.to_serde_value()))
}

/// Returns the text with a new value of a key.
pub(crate) fn set_value(text: &str, key: &str, value: &Value) -> Result<String, String> {
    let root = parse(text)?;
    let object = root.object_value_or_set();
    let input_value = match value {
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        _ => return Err("1:1: only plain values can be set".to_owned()),
    };
    let properties = object.properties();
    match properties.iter().rev().find(|property| property.decoded_name().as_deref() == Some(key)) {
        Some(property) => property.set_value(input_value),
        None => drop(object.append(key, input_value)),
    }
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
