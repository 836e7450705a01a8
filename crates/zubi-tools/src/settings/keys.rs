//! Table of writable settings: those about text format and refactoring. None of them names a program, a path, an
//! address or an extension, or decides what may run, because a model could use it to widen its own permissions. Also
//! the rule for readable settings of an open editor: users store passwords and tokens in settings
//! (`http.proxyAuthorization`), and reading requires no approval.

use serde_json::Value;
use zubi_base::nearest::nearest;
use zubi_tool_api::ToolError;

use super::update_imports;

/// Permitted values of a setting.
#[derive(Debug, Clone, Copy)]
enum ValueKind {
    Boolean,
    /// Inclusive bounds.
    Integer(i64, i64),
    Choice(&'static [&'static str]),
}

/// Writable settings, each with its values and its meaning.
const WRITABLE_SETTINGS: &[(&str, ValueKind, &str)] = &[
    ("editor.detectIndentation", ValueKind::Boolean, "whether a file's own indentation is detected"),
    ("editor.formatOnSave", ValueKind::Boolean, "whether files are formatted on save"),
    ("editor.insertSpaces", ValueKind::Boolean, "spaces or tabs"),
    ("editor.tabSize", ValueKind::Integer(1, 16), "width of an indentation"),
    ("files.eol", ValueKind::Choice(&["\n", "\r\n", "auto"]), "line ends of new files"),
    ("files.insertFinalNewline", ValueKind::Boolean, "whether files end with a line break"),
    ("files.trimFinalNewlines", ValueKind::Boolean, "whether empty lines at the end are removed"),
    ("files.trimTrailingWhitespace", ValueKind::Boolean, "whether white space at line ends is removed"),
    (
        update_imports::JAVASCRIPT,
        ValueKind::Choice(update_imports::SETTING_VALUES),
        "whether imports of moved JavaScript files are updated",
    ),
    (
        update_imports::UNIFIED_KEY,
        ValueKind::Choice(update_imports::SETTING_VALUES),
        "whether imports of moved TypeScript and JavaScript files are updated, in newer editors",
    ),
    (
        update_imports::TYPESCRIPT,
        ValueKind::Choice(update_imports::SETTING_VALUES),
        "whether imports of moved TypeScript files are updated",
    ),
];

/// Prefixes of keys about text, files and search.
const READABLE_PREFIXES: [&str; 3] = ["editor.", "files.", "search."];

/// Rejects a key that must not be read in an open editor, where answers contain the user's own settings.
pub(super) fn check_readable(key: &str) -> Result<(), ToolError> {
    let is_writable = WRITABLE_SETTINGS.iter().any(|(name, ..)| *name == key);
    let is_language = key.starts_with('[') && key.ends_with(']');
    let is_text_setting =
        READABLE_PREFIXES.iter().any(|start| key.starts_with(start)) || key.contains(".updateImportsOnFileMove.");
    if is_writable || is_language || is_text_setting {
        return Ok(());
    }
    let printable: String = key.chars().filter(|c| !c.is_control()).take(80).collect();
    let problem = format!("tools cannot read `{printable}`: editor settings may contain passwords and tokens");
    let hint = "Readable: editor.*, files.*, search.*, [language], *.updateImportsOnFileMove.*. \
                Ask the user for any other.";
    Err(ToolError::invalid("key", problem, hint))
}

/// Like [`check_writable`], and also accepts null, which removes the setting.
pub(super) fn check_writable_or_null(key: &str, value: &Value) -> Result<(), ToolError> {
    if value.is_null() && WRITABLE_SETTINGS.iter().any(|(name, ..)| *name == key) {
        Ok(())
    } else {
        check_writable(key, value)
    }
}

/// Rejects a key that is not writable, and a value that the setting does not accept.
pub(super) fn check_writable(key: &str, value: &Value) -> Result<(), ToolError> {
    let names = || WRITABLE_SETTINGS.iter().map(|(name, ..)| *name);
    let Some((_, kind, meaning)) = WRITABLE_SETTINGS.iter().find(|(name, ..)| *name == key) else {
        let printable: String = key.chars().filter(|c| !c.is_control()).take(80).collect();
        let suggestion =
            nearest(key, names(), 1).first().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        let hint = format!(
            "Writable settings: {}. The user can change others in the editor.",
            names().collect::<Vec<_>>().join(", ")
        );
        return Err(ToolError::invalid("key", format!("tools cannot set `{printable}`{suggestion}"), hint));
    };
    let (is_valid, expected) = match kind {
        ValueKind::Boolean => (value.is_boolean(), "true or false".to_owned()),
        ValueKind::Integer(from, to) => (
            value.as_i64().is_some_and(|value| (*from..=*to).contains(&value)),
            format!("a number from {from} to {to}"),
        ),
        ValueKind::Choice(values) => {
            (value.as_str().is_some_and(|value| values.contains(&value)), format!("one of {values:?}"))
        }
    };
    if is_valid {
        return Ok(());
    }
    Err(ToolError::invalid("value", format!("`{key}` must be {expected}"), format!("Meaning: {meaning}.")))
}
