//! Secrets of the user: the table `env` of the user's own `zubi.toml`. Tools use its values as `${env:NAME}`.
//!
//! An entry is a value, or the name of a file that contains it. Entries belong to the machine, so no other layer can
//! have any. An invalid entry is stored with the reason, so that the other entries work and a tool that needs this one
//! can report the reason. Values appear neither in `Debug` nor in serialized output.

use std::collections::BTreeMap;
use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::Value;

use crate::{env, owner_only};

/// The maximum size of a file with a secret, in bytes. A chain of certificates is smaller.
const MAX_BYTES: u64 = 64 * 1024;

/// The minimum length of redacted values, in bytes; shorter ones match everywhere. See `zubi_tool_api::redact`.
pub const SHORTEST: usize = 4;

/// One entry of the table, as written in the file.
#[derive(Clone, PartialEq, Eq)]
pub enum SecretEntry {
    Value(String),
    /// The path of a file: relative to the directory of the configuration file, absolute, or below `~/`.
    File(String),
    /// The reason why the entry is invalid.
    Broken(String),
}

impl fmt::Debug for SecretEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(_) => f.write_str("Value(…)"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Broken(reason) => f.debug_tuple("Broken").field(reason).finish(),
        }
    }
}

/// Serialized as a placeholder, without the value.
impl Serialize for SecretEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("(not shown)")
    }
}

impl<'de> Deserialize<'de> for SecretEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const FORMS: &str = "write `NAME = \"value\"` or `NAME = { file = \"path\" }`";
        Ok(match Value::deserialize(deserializer)? {
            Value::String(value) => Self::Value(value),
            Value::Table(table) => match (table.get("file"), table.len()) {
                (Some(Value::String(path)), 1) if !path.is_empty() => Self::File(path.clone()),
                _ => Self::Broken(format!("it is a table of another form; {FORMS}")),
            },
            other => Self::Broken(format!("it is of type {}; {FORMS}", other.type_str())),
        })
    }
}

/// The resolved secrets of the user.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets {
    values: BTreeMap<String, String>,
    broken: BTreeMap<String, String>,
    files: Vec<Utf8PathBuf>,
    notes: Vec<String>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.values.keys().collect();
        f.debug_struct("Secrets").field("values", &names).field("broken", &self.broken).finish_non_exhaustive()
    }
}

impl Secrets {
    /// Resolves the entries of a configuration file.
    pub fn read(entries: &BTreeMap<String, SecretEntry>, file: &Utf8Path, home: Option<&Utf8Path>) -> Self {
        let mut secrets = Self::default();
        let mut has_inline_value = false;
        for (name, entry) in entries {
            let value = match entry {
                _ if !env::is_name(name) => {
                    Err("a name has letters, digits and `_`, and begins with none of the digits".to_owned())
                }
                SecretEntry::Value(value) => {
                    has_inline_value = true;
                    check(value.clone())
                }
                SecretEntry::File(path) => secrets.read_file(path, file, home),
                SecretEntry::Broken(reason) => Err(reason.clone()),
            };
            match value {
                Ok(value) => {
                    if value.len() < SHORTEST {
                        secrets.notes.push(format!(
                            "the secret `{name}` is shorter than {SHORTEST} bytes, so it is not taken out of what tools answer"
                        ));
                    }
                    secrets.values.insert(name.clone(), value);
                }
                Err(reason) => drop(secrets.broken.insert(name.clone(), reason)),
            }
        }
        if !entries.is_empty() {
            secrets.files.push(file.to_owned());
        }
        if has_inline_value && others_can_read(file) {
            secrets.notes.push(format!("others can read `{file}`, which has secrets in it; `chmod 600` it"));
        }
        secrets
    }

    /// Creates secrets from values alone, for hosts that have them from another source.
    pub fn from_values(values: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { values: values.into_iter().collect(), ..Self::default() }
    }

    /// Adds values from another source, which take precedence over those of the file.
    #[must_use]
    pub fn with_values(mut self, values: impl IntoIterator<Item = (String, String)>) -> Self {
        for (name, value) in values {
            self.broken.remove(&name);
            self.values.insert(name, value);
        }
        self
    }

    /// The valid values by name.
    pub fn values(&self) -> &BTreeMap<String, String> {
        &self.values
    }

    /// All names, including those of invalid entries.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().chain(self.broken.keys()).map(String::as_str)
    }

    /// Returns the reason why the secret `name` is invalid; `None` if it is valid or not set.
    pub fn broken(&self, name: &str) -> Option<&str> {
        self.broken.get(name).map(String::as_str)
    }

    /// The errors in the entries, one sentence each, for the user.
    pub fn problems(&self) -> Vec<String> {
        let broken = self.broken.iter().map(|(name, reason)| format!("the secret `{name}` cannot be used: {reason}"));
        broken.chain(self.notes.iter().cloned()).collect()
    }

    /// The files that contain the values.
    pub fn files(&self) -> &[Utf8PathBuf] {
        &self.files
    }

    fn read_file(&mut self, raw_path: &str, file: &Utf8Path, home: Option<&Utf8Path>) -> Result<String, String> {
        let path = match (raw_path.strip_prefix("~/"), home) {
            (Some(below), Some(home)) => home.join(below),
            (Some(_), None) => return Err(format!("`{raw_path}`: the home directory is not known")),
            (None, _) => file.parent().unwrap_or(file).join(raw_path),
        };
        // The user named the path, so its links are their own. Only the target is checked.
        let path = crate::fs::canonical(&path).map_err(|error| format!("`{path}`: {error}"))?;
        self.files.push(path.clone());
        let bytes = owner_only::read_own(&path, MAX_BYTES).map_err(|error| error.to_string())?;
        let text = String::from_utf8(bytes).map_err(|_| format!("`{path}` is not UTF-8 text"))?;
        // Editors end a file with a line break, which does not belong to the secret.
        let text = text.strip_suffix('\n').map_or(text.as_str(), |text| text.strip_suffix('\r').unwrap_or(text));
        check(text.to_owned()).map_err(|reason| format!("`{path}`: {reason}"))
    }
}

fn check(value: String) -> Result<String, String> {
    if value.is_empty() {
        Err("it is empty".to_owned())
    } else if value.contains('\0') {
        Err("it holds a NUL character".to_owned())
    } else {
        Ok(value)
    }
}

#[cfg(unix)]
fn others_can_read(file: &Utf8Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_can_read(_file: &Utf8Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use insta::assert_snapshot;

    use super::*;

    /// Reads a table in a directory with some files and formats the result.
    fn check(table: &str) -> String {
        let directory = tempfile::tempdir().unwrap();
        let root = crate::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        owner_only::create_directory(&root.join("home/keys")).unwrap();
        let write = |name: &str, content: &[u8], mode: u32| {
            let path = root.join(name);
            owner_only::write_atomic(&path, content).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        write("own", b"from a file\r\n", 0o600);
        write("home/keys/one", b"two\nlines\n", 0o400);
        write("open", b"seen by all", 0o644);
        write("binary", b"\xff\xfe", 0o600);
        write("large", &vec![b'x'; 70_000], 0o600);
        std::os::unix::fs::symlink("own", root.join("link")).unwrap();
        write("zubi.toml", table.as_bytes(), 0o600);
        let layer = super::super::file::parse(table, &root.join("zubi.toml")).unwrap();
        let secrets = Secrets::read(&layer.env, &root.join("zubi.toml"), Some(&root.join("home")));
        let debug = format!("{layer:?} {secrets:?}");
        for value in secrets.values.values().filter(|value| value.len() >= SHORTEST) {
            assert!(!debug.contains(value.as_str()), "{debug}");
        }
        let values = secrets.values.iter().map(|(name, value)| format!("{name} = {value:?}"));
        let report = values.chain(secrets.problems()).collect::<Vec<_>>().join("\n");
        report.replace(root.as_str(), "[DIR]")
    }

    #[test]
    fn values_and_files_are_read_and_invalid_entries_are_reported() {
        let table = r#"
            [env]
            PLAIN = "hunter2"
            FILE = { file = "own" }
            HOME = { file = "~/keys/one" }
            LINK = { file = "link" }
            SHORT = "ab"
            OPEN = { file = "open" }
            ABSENT = { file = "absent" }
            DIRECTORY = { file = "home" }
            BINARY = { file = "binary" }
            LARGE = { file = "large" }
            EMPTY = ""
            NUL = "a\u0000b"
            NUMBER = 3
            WRONG = { path = "own" }
            "a b" = "x"
        "#;
        assert_snapshot!(check(table), @r##"
        FILE = "from a file"
        HOME = "two\nlines"
        LINK = "from a file"
        PLAIN = "hunter2"
        SHORT = "ab"
        the secret `ABSENT` cannot be used: `[DIR]/absent`: No such file or directory (os error 2)
        the secret `BINARY` cannot be used: `[DIR]/binary` is not UTF-8 text
        the secret `DIRECTORY` cannot be used: `[DIR]/home` is not a plain file
        the secret `EMPTY` cannot be used: it is empty
        the secret `LARGE` cannot be used: `[DIR]/large` has more than 65536 bytes
        the secret `NUL` cannot be used: it holds a NUL character
        the secret `NUMBER` cannot be used: it is of type integer; write `NAME = "value"` or `NAME = { file = "path" }`
        the secret `OPEN` cannot be used: `[DIR]/open` is open to others (mode 644); make it yours alone: `chmod 600 [DIR]/open`
        the secret `WRONG` cannot be used: it is a table of another form; write `NAME = "value"` or `NAME = { file = "path" }`
        the secret `a b` cannot be used: a name has letters, digits and `_`, and begins with none of the digits
        the secret `SHORT` is shorter than 4 bytes, so it is not taken out of what tools answer
        "##);
    }
}
