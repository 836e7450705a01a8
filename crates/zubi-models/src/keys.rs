//! Keys: where each was found, and its value only for the request that it is sent with.

use std::fmt;

use zubi_base::config::{Secrets, Settings};
use zubi_tool_api::redact::Redactor;

/// A key. It shows itself nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    value: String,
    place: String,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.place)
    }
}

impl Key {
    /// `place` is for a person: the variable or the file that it stands in.
    pub fn new(value: impl Into<String>, place: impl Into<String>) -> Self {
        Self { value: value.into(), place: place.into() }
    }

    /// The key itself.
    pub fn expose(&self) -> &str {
        &self.value
    }

    /// The variable or the file that it stands in.
    pub fn place(&self) -> &str {
        &self.place
    }
}

/// Looks a variable up in the environment.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Whether it can be a variable's name, and does not look like a key.
fn may_be_name(name: &str) -> bool {
    let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word && Redactor::default().text(name) == name
}

/// The key of this name: an environment variable, else an entry of the user's secrets. What is missing is an error that says
/// where it may be put.
pub(super) fn find(
    name: &str,
    settings: &Settings,
    secrets: &Secrets,
    variables: Variables<'_>,
) -> Result<Key, String> {
    // A key is not shown, wherever it stands.
    if !may_be_name(name) {
        return Err(
            "has no name of a key in `key`: name an environment variable or an entry of [env] there, and keep the key \
                    itself out of this file"
                .to_owned(),
        );
    }
    let file = || settings.env_source.as_ref().map_or_else(|| "your zubi.toml".to_owned(), |file| format!("`{file}`"));
    let (value, place) = match (variables(name), secrets.values().get(name)) {
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
    // Whoever copies a key copies a space or a line end with it; no key begins or ends with one.
    let value = value.trim();
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("its key, {place}, is empty or has characters that no key has"));
    }
    Ok(Key::new(value, place))
}
