//! Settings through the open editor, which reads and writes them itself: not all are in workspace files.

use std::fmt::Write as _;

use serde_json::{Value, json};
use zubi_base::endpoint::{EndpointError, RequestCx};
use zubi_base::text::ellipsize;
use zubi_code::settings::{EditorSettings, Scope, SettingValues};
use zubi_tool_api::{OutputStatus, ToolCx, ToolError, ToolOutput};

/// Maximum length of a value in an answer, in characters.
const MAX_VALUE_CHARS: usize = 4_000;

/// Accessor of the value at a scope.
type ScopeAccessor = fn(&SettingValues) -> &Value;

/// Scopes and their names.
const SCOPES: [(&str, ScopeAccessor); 3] =
    [("user", |values| &values.user), ("workspace", |values| &values.workspace), ("folder", |values| &values.folder)];

/// Returns a setting's value at a scope; without a scope, the value in force and its scope.
pub(super) async fn get_value(
    editor: &dyn EditorSettings,
    cx: &ToolCx,
    key: &str,
    scope: Option<&str>,
) -> Result<ToolOutput, ToolError> {
    let accessor = match scope {
        None => None,
        Some(scope) => match SCOPES.iter().find(|(name, _)| *name == scope) {
            Some(found) => Some(found),
            None => return Err(invalid_scope("`user`, `workspace` or `folder`")),
        },
    };
    let values = editor.get(key, &request(cx)).await.map_err(|error| setting_error("read the setting", &error))?;
    let key: String = key.chars().filter(|c| !c.is_control()).take(200).collect();
    let (text, value) = match accessor {
        Some((name, read)) if read(&values).is_null() => {
            (format!("{key} is not set at the scope `{name}`; {} applies", truncate_value(&values.value)), &Value::Null)
        }
        Some((name, read)) => {
            (format!("{key} = {} at the scope `{name}`", truncate_value(read(&values))), read(&values))
        }
        None if values.value.is_null() => (format!("{key} is not set, and has no default here"), &Value::Null),
        None => (format!("{key} = {}, {}", truncate_value(&values.value), value_origin(&values)), &values.value),
    };
    let data = json!({ "key": key, "value": value, "scope": scope, "effective": values.value });
    Ok(ToolOutput { text, data: Some(data), status: Some(status()), truncated: None })
}

/// Sets settings at a scope and returns the old values, the new values, and the undo call.
pub(super) async fn set_values(
    editor: &dyn EditorSettings,
    cx: &ToolCx,
    keys: &[&str],
    value: &Value,
    scope: Scope,
) -> Result<ToolOutput, ToolError> {
    const OPERATION: &str = "change the setting";
    let cx = request(cx);
    let name = scope_name(scope);
    let mut text = String::new();
    for key in keys {
        let before = editor.get(key, &cx).await.map_err(|error| setting_error(OPERATION, &error))?;
        let after = editor.set(key, value, scope, &cx).await.map_err(|error| setting_error(OPERATION, &error))?;
        let (before, current) = (before.value_at(scope), after.value_at(scope));
        if current != value {
            let problem =
                format!("the editor accepted `{key}`, but reports {} at the scope `{name}`", truncate_value(current));
            return Err(ToolError::operation_failed(OPERATION, problem, "Check the setting in the editor."));
        }
        let old_text = if before.is_null() { "not set".to_owned() } else { truncate_value(before) };
        let new_text = if current.is_null() { "not set".to_owned() } else { truncate_value(current) };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{key}: {old_text} → {new_text} at the scope `{name}`");
        if after.value != *current && !current.is_null() {
            let _ = writeln!(text, "note: another scope overrides it: {} applies", truncate_value(&after.value));
        }
        let mut undo_args = json!({ "key": key, "scope": name });
        if !before.is_null() {
            undo_args["value"] = before.clone();
        }
        let _ = writeln!(text, "set_setting {undo_args} undoes it");
    }
    text.pop();
    Ok(ToolOutput { text, status: Some(status()), ..ToolOutput::default() })
}

/// Parses the scope of a write.
pub(super) fn writable_scope(scope: Option<&str>) -> Result<Scope, ToolError> {
    match scope {
        None | Some("workspace") => Ok(Scope::Workspace),
        Some("folder") => Ok(Scope::Folder),
        Some("user") => {
            let problem = "tools cannot change the user's own settings";
            Err(ToolError::invalid("scope", problem, "Pass `workspace` or `folder`, or ask the user to change it."))
        }
        Some(_) => Err(invalid_scope("`workspace` or `folder`")),
    }
}

fn invalid_scope(scopes: &str) -> ToolError {
    ToolError::invalid("scope", format!("must be {scopes}"), "Omit `scope`, or pass one of these.")
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Workspace => "workspace",
        Scope::Folder => "folder",
    }
}

/// Describes the scope of the value in force: the narrowest scope takes precedence.
fn value_origin(values: &SettingValues) -> String {
    let set = SCOPES.iter().rev().find(|(_, read)| !read(values).is_null());
    set.map_or_else(|| "the default".to_owned(), |(name, _)| format!("set at the scope `{name}`"))
}

fn truncate_value(value: &Value) -> String {
    ellipsize(&value.to_string(), MAX_VALUE_CHARS).into_owned()
}

fn status() -> OutputStatus {
    OutputStatus { endpoint: "editor".to_owned(), ..OutputStatus::default() }
}

fn request(cx: &ToolCx) -> RequestCx {
    RequestCx::new(cx.cancel.clone(), cx.deadline)
}

pub(crate) fn setting_error(operation: &str, error: &EndpointError) -> ToolError {
    ToolError::operation_failed(operation, error, "The user can check the setting in the editor.")
}
