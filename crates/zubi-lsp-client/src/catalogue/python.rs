//! How a server is given the Python environment of a project, as a row of the catalogue describes it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// The places where a server reads the Python environment. `{interpreter}` (a path), `{interpreter_uri}`, `{prefix}`
/// (the environment's directory) and `{packages}` (a list of directories) are replaced by the values of the
/// [`PythonEnvironment`](crate::detect::PythonEnvironment) that zubi finds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PythonParams {
    /// Values that replace the row's own `settings` with the same keys.
    #[serde(default)]
    pub settings: Value,
    /// Values that replace the row's own `initialization_options` with the same keys.
    #[serde(default)]
    pub initialization_options: Value,
    /// Environment variables of the process. A list becomes a search path.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// Files, relative to the project's directory, with the key by which they name the environment. The server uses
    /// that one instead.
    #[serde(default)]
    pub named_in: BTreeMap<String, String>,
    /// The caveat if the project has no environment.
    pub missing: String,
}
