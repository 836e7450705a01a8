//! What limits the answers of a server, as a row says it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Something about a project that limits what a server can know.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Files or directories that decide it, relative to the project's directory; the first that exists counts.
    #[serde(default)]
    pub files: Vec<String>,
    /// Programs that decide it, on PATH: where one is found, the limit does not hold.
    #[serde(default)]
    pub programs: Vec<String>,
    /// What to say when none exists. With neither files nor programs: what is always so.
    #[serde(default)]
    pub missing: Option<String>,
    /// What to say when the one that exists holds this text.
    #[serde(default)]
    pub present: BTreeMap<String, String>,
    /// Extensions of source files: those that the one that exists, a compilation database, does not name are counted
    /// and told, because the server reads them only when they are asked about.
    #[serde(default)]
    pub names_sources: Vec<String>,
    #[serde(default)]
    pub about: CaveatScope,
}

/// What a [`Limit`] limits knowledge of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaveatScope {
    #[default]
    Project,
    /// Installed packages and the like.
    Beyond,
}
