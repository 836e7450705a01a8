//! API keys and their sources. Only code that sends or redacts a key reads its value.

use std::fmt;

use zubi_base::config::{Secrets, Settings};
use zubi_tool_api::redact::Redactor;

/// A key. Its `Debug` output does not contain it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    value: String,
    source: String,
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.source)
    }
}

impl ApiKey {
    /// Creates a key. `source` is for a person: the variable or the file that contains it.
    pub fn new(value: impl Into<String>, source: impl Into<String>) -> Self {
        Self { value: value.into(), source: source.into() }
    }

    /// Returns the key itself.
    pub fn expose(&self) -> &str {
        &self.value
    }

    /// Returns the variable or the file that contains the key.
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// A function that looks up an environment variable.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Returns whether a text can be a variable's name, and does not look like a key.
fn may_be_name(name: &str) -> bool {
    let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word && Redactor::default().text(name) == name
}

/// Returns the key of this name: an environment variable, else an entry of the user's secrets. If the key is missing,
/// the error says where the user can set it.
pub(super) fn find(
    name: &str,
    settings: &Settings,
    secrets: &Secrets,
    variables: Variables<'_>,
) -> Result<ApiKey, String> {
    // The name may be a key in the wrong field, which the error must not show.
    if !may_be_name(name) {
        return Err(
            "has an invalid `key`: name an environment variable or an entry of [env] there, and leave the key \
                    itself out of this file"
                .to_owned(),
        );
    }
    let file = || settings.env_source.as_ref().map_or_else(|| "your zubi.toml".to_owned(), |file| format!("`{file}`"));
    let (value, source) = match (variables(name), secrets.values().get(name)) {
        (Some(value), _) => (value, format!("the environment variable {name}")),
        (None, Some(value)) => (value.clone(), format!("`{name}` in [env] of {}", file())),
        (None, None) => {
            return Err(match secrets.broken(name) {
                Some(why) => format!("its key, `{name}` in [env] of {}, cannot be used: {why}", file()),
                None => {
                    format!("needs a key: set {name}, or write `{name} = {{ file = \"…\" }}` into [env] of {}", file())
                }
            });
        }
    };
    // A copied key often has a space or a line end around it; no key begins or ends with one.
    let value = value.trim();
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("its key, {source}, is empty or has characters that are invalid in a key"));
    }
    Ok(ApiKey::new(value, source))
}
