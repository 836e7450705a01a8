//! What may be set: settings about the form of text and about refactoring. None of them names a program, a path, an address or
//! an extension, or decides what may run: with those a model could widen what it is allowed to do. And what may be read in an
//! open editor, whose user keeps passwords and tokens among his settings (`http.proxyAuthorization`): nobody is asked about that.

use serde_json::Value;
use zubi_base::nearest::nearest;
use zubi_tools::ToolError;

use super::update_imports;

/// The values that a setting takes.
#[derive(Debug, Clone, Copy)]
enum Takes {
    Flag,
    /// From, to.
    Number(i64, i64),
    One(&'static [&'static str]),
}

/// All that may be set, each with its values and with what it is good for.
const KEYS: &[(&str, Takes, &str)] = &[
    ("editor.detectIndentation", Takes::Flag, "whether a file's own indentation is followed"),
    ("editor.formatOnSave", Takes::Flag, "whether files are formatted when they are saved"),
    ("editor.insertSpaces", Takes::Flag, "spaces or tabs"),
    ("editor.tabSize", Takes::Number(1, 16), "how wide an indentation is"),
    ("files.eol", Takes::One(&["\n", "\r\n", "auto"]), "line ends of new files"),
    ("files.insertFinalNewline", Takes::Flag, "whether files end in a line end"),
    ("files.trimFinalNewlines", Takes::Flag, "whether empty lines at the end are taken out"),
    ("files.trimTrailingWhitespace", Takes::Flag, "whether white space at line ends is taken out"),
    (
        update_imports::JAVASCRIPT,
        Takes::One(update_imports::VALUES),
        "whether imports follow JavaScript files that move",
    ),
    (
        update_imports::UNIFIED,
        Takes::One(update_imports::VALUES),
        "whether imports follow TypeScript and JavaScript files that move, in newer editors",
    ),
    (
        update_imports::TYPESCRIPT,
        Takes::One(update_imports::VALUES),
        "whether imports follow TypeScript files that move",
    ),
];

/// The beginnings of keys that are about text, files and finding.
const READ: [&str; 3] = ["editor.", "files.", "search."];

/// Refuses a key that is not read in an open editor, where an answer has the user's own settings in it.
pub(super) fn check_read(key: &str) -> Result<(), ToolError> {
    let is_set_here = KEYS.iter().any(|(name, ..)| *name == key);
    let is_language = key.starts_with('[') && key.ends_with(']');
    let is_of_text = READ.iter().any(|start| key.starts_with(start)) || key.contains(".updateImportsOnFileMove.");
    if is_set_here || is_language || is_of_text {
        return Ok(());
    }
    let shown: String = key.chars().filter(|c| !c.is_control()).take(80).collect();
    let what = format!("`{shown}` is not read from here: settings of an editor have passwords and tokens among them");
    let hint = "These can be read: editor.*, files.*, search.*, [language], *.updateImportsOnFileMove.*. \
                Ask the user for any other.";
    Err(ToolError::invalid("key", what, hint))
}

/// As [`check`], and the value may be null, which takes the setting out.
pub(super) fn check_change(key: &str, value: &Value) -> Result<(), ToolError> {
    if value.is_null() && KEYS.iter().any(|(name, ..)| *name == key) { Ok(()) } else { check(key, value) }
}

/// Refuses a key that is not among those that may be set, and a value that it does not take.
pub(super) fn check(key: &str, value: &Value) -> Result<(), ToolError> {
    let names = || KEYS.iter().map(|(name, ..)| *name);
    let Some((_, takes, meaning)) = KEYS.iter().find(|(name, ..)| *name == key) else {
        let shown: String = key.chars().filter(|c| !c.is_control()).take(80).collect();
        let near = nearest(key, names(), 1).first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let hint = format!(
            "These can be set: {}. The user can change any other in the editor.",
            names().collect::<Vec<_>>().join(", ")
        );
        return Err(ToolError::invalid("key", format!("`{shown}` may not be set from here{near}"), hint));
    };
    let (is_right, expected) = match takes {
        Takes::Flag => (value.is_boolean(), "true or false".to_owned()),
        Takes::Number(from, to) => (
            value.as_i64().is_some_and(|value| (*from..=*to).contains(&value)),
            format!("a number from {from} to {to}"),
        ),
        Takes::One(values) => {
            (value.as_str().is_some_and(|value| values.contains(&value)), format!("one of {values:?}"))
        }
    };
    if is_right {
        return Ok(());
    }
    Err(ToolError::invalid("value", format!("`{key}` takes {expected}"), format!("It says {meaning}.")))
}
