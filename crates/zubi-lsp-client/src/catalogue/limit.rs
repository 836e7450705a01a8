//! The caveats of a server's answers, as a row of the catalogue describes them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A property of a project that makes a server's answers incomplete.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Files or directories that decide whether the caveat holds, relative to the project's directory; the first that
    /// exists counts.
    #[serde(default)]
    pub files: Vec<String>,
    /// Programs on PATH that decide whether the caveat holds: if one is found, it does not.
    #[serde(default)]
    pub programs: Vec<String>,
    /// The caveat if none of `files` exists. Without `files` and `programs`, it always holds.
    #[serde(default)]
    pub missing: Option<String>,
    /// The caveats by text: the first one holds whose text the existing file contains.
    #[serde(default)]
    pub present: BTreeMap<String, String>,
    /// Extensions of source files, if `files` are compilation databases. zubi reports the number of source files that
    /// the existing one does not name, because the server reads these only when a request is about them.
    #[serde(default)]
    pub names_sources: Vec<String>,
    /// Whether `files` are TypeScript's configuration files: zubi reports a syntax error in the existing one, and a
    /// configuration that it extends and that does not exist. The servers do not report these.
    #[serde(default)]
    pub typescript_config: bool,
    /// Commands that remove the caveat, by a file that makes the command usable: the first one counts whose file is in
    /// the project's directory or above it. `*` is for any project.
    #[serde(default)]
    pub cures: BTreeMap<String, String>,
    #[serde(default)]
    #[serde(rename = "about")]
    pub scope: CaveatScope,
}

/// The part of a server's knowledge that a [`Limit`] makes incomplete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaveatScope {
    /// Parts of the project that the server does not read.
    #[default]
    Project,
    /// An ability that the server lacks: no answer becomes incomplete.
    Note,
    /// Installed packages and other code outside the project.
    Beyond,
}
