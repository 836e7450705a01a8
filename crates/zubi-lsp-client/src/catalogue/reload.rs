//! The request by which a server reads changed files again, as a row of the catalogue describes it.

use camino::Utf8Path;
use serde::Deserialize;
use serde_json::Value;

/// The text in params that is replaced by the URI of the changed file.
const URI: &str = "{uri}";

/// A request that makes a server read files again. zubi sends it after the notification about changed files, and sends
/// no other request before the response: otherwise the server would read the files some time later.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReloadRequest {
    pub method: String,
    /// The params of the request. A text `{uri}` is replaced by the URI of the changed file.
    #[serde(default)]
    pub params: Value,
    /// The names of the files, in any directory of the project.
    #[serde(default)]
    pub files: Vec<String>,
    /// The extensions of the files, without the dot.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Whether it is also sent when an installed package comes, changes or goes.
    #[serde(default)]
    pub packages: bool,
}

impl ReloadRequest {
    /// Whether the request concerns a file of the project.
    pub(crate) fn reads(&self, path: &Utf8Path) -> bool {
        path.file_name().is_some_and(|name| self.files.iter().any(|own| own == name))
            || path.extension().is_some_and(|extension| self.extensions.iter().any(|own| own == extension))
    }

    /// Returns the params for a changed file.
    pub(crate) fn params_for(&self, path: &Utf8Path) -> Value {
        fill(&self.params, path)
    }
}

fn fill(params: &Value, path: &Utf8Path) -> Value {
    match params {
        Value::String(text) if text == URI => Value::String(zubi_base::uri::from_path(path).0),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), fill(value, path))).collect(),
        Value::Array(items) => items.iter().map(|item| fill(item, path)).collect(),
        other => other.clone(),
    }
}
