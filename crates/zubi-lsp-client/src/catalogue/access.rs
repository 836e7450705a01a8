//! The permissions of a server besides reading files, as a row of the catalogue describes them. [`crate::sandbox`] enforces them.

use std::collections::BTreeMap;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::Deserialize;

/// The permissions of a server in the sandbox. By default it reads everything but credentials, writes a temporary
/// directory and a cache directory of its own, and uses no network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerAccess {
    /// The directories of builds and indexes that it may write. A directory in which other programs also build is not
    /// among them if the server can build in one of its own: the user would later run what is there.
    pub builds: Vec<ProjectPath>,
    /// The files of the project that it may write.
    pub files: Vec<ProjectPath>,
    /// A directory outside the project that it may write: the first whose variable is set. zubi creates it. It contains
    /// only data: no program runs what is there. `~/` is the home directory, `${NAME}` the value of a variable.
    pub writes: Vec<String>,
    /// The purpose of network access, if the server needs any: `to download …`. The server gets it only if the user allows
    /// it for this server.
    pub network: Option<String>,
    /// Directories and files for downloads, as in `writes`; all that exist. The server may write them only with network
    /// access.
    pub downloads: Vec<String>,
    /// Variables that make its programs report missing downloads at once, set only without network access.
    pub offline: BTreeMap<String, String>,
    /// Variables that are always set. `{cache}` is the cache directory of the server.
    pub variables: BTreeMap<String, String>,
    /// Whether `XDG_CACHE_HOME` is the user's, which the server may read, instead of a directory of its own.
    pub reads_cache_home: bool,
}

/// A path in a project.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectPath {
    /// The path, relative to the project's directory. [`ServerAccess::add_projects`] adds absolute ones.
    pub path: Utf8PathBuf,
    /// Files of the project, relative to its directory: zubi creates the path if one of them exists, because the kernel
    /// can only allow paths that exist. Otherwise the server may write it only if it already exists.
    #[serde(default)]
    pub with: Vec<String>,
}

impl ServerAccess {
    /// The access of a program that only prints its version. Wrappers of other programs find them in the user's cache.
    pub(crate) fn for_probes() -> Self {
        Self { reads_cache_home: true, ..Self::default() }
    }

    /// Checks the rules that the types cannot express.
    pub(super) fn check(&self) -> Result<(), String> {
        for path in self.builds.iter().chain(&self.files) {
            let is_plain = |component: Utf8Component<'_>| matches!(component, Utf8Component::Normal(_));
            if path.path.as_str().is_empty() || !path.path.components().all(is_plain) {
                return Err(format!("`access` names `{}`, which is not a path in the project", path.path));
            }
        }
        let is_absolute = |path: &&String| path.starts_with("~/") || path.starts_with('/') || path.starts_with("${");
        if let Some(path) = self.writes.iter().chain(&self.downloads).find(|path| !is_absolute(path)) {
            return Err(format!("`access` names `{path}`; begin it with `~/`, `/` or a variable as in `${{NAME}}`"));
        }
        if self.network.is_none() && !(self.downloads.is_empty() && self.offline.is_empty()) {
            return Err("`access.downloads` and `access.offline` need `access.network`".to_owned());
        }
        Ok(())
    }

    /// Adds the same files in these directories of other projects, which the server reads together with its own, if they
    /// exist.
    pub(crate) fn add_projects<'a>(&mut self, directories: impl IntoIterator<Item = &'a Utf8Path>) {
        let own = self.files.clone();
        for directory in directories {
            // Not created: zubi does not know whether the server needs it.
            let absolute = |file: &ProjectPath| ProjectPath { path: directory.join(&file.path), with: Vec::new() };
            self.files.extend(own.iter().map(absolute));
        }
    }
}

/// Returns the absolute path of a template of [`ServerAccess::writes`].
pub fn resolve_template(
    template: &str,
    home: Option<&Utf8Path>,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<Utf8PathBuf> {
    let path = if let Some(relative) = template.strip_prefix("~/") {
        home?.join(relative)
    } else if let Some((name, rest)) = template.strip_prefix("${").and_then(|rest| rest.split_once('}')) {
        let value = variable(name).filter(|value| !value.is_empty())?;
        Utf8PathBuf::from(value).join(rest.trim_start_matches('/'))
    } else {
        Utf8PathBuf::from(template)
    };
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_name_absolute_paths() {
        let check = |template: &str| {
            let variable = |name: &str| match name {
                "GO" => Some("/go".to_owned()),
                "RELATIVE" => Some("go".to_owned()),
                "EMPTY" => Some(String::new()),
                _ => None,
            };
            resolve_template(template, Some("/users/u".into()), variable).map(Utf8PathBuf::into_string)
        };
        assert_eq!(check("~/.cargo/registry").as_deref(), Some("/users/u/.cargo/registry"));
        assert_eq!(check("${GO}/pkg/mod").as_deref(), Some("/go/pkg/mod"));
        assert_eq!(check("/var/cache/x").as_deref(), Some("/var/cache/x"));
        for template in ["${UNSET}/x", "${EMPTY}/x", "${RELATIVE}/x", "x", "${GO"] {
            assert_eq!(check(template), None, "{template}");
        }
    }

    #[test]
    fn invalid_rows_are_rejected() {
        let check = |text: &str| toml::from_str::<ServerAccess>(text).unwrap().check().unwrap_err();
        assert_eq!(
            check("builds = [{ path = \"../out\" }]"),
            "`access` names `../out`, which is not a path in the project"
        );
        assert_eq!(
            check("files = [{ path = \"/etc/x\" }]"),
            "`access` names `/etc/x`, which is not a path in the project"
        );
        assert_eq!(
            check("writes = [\"cache\"]"),
            "`access` names `cache`; begin it with `~/`, `/` or a variable as in `${NAME}`"
        );
        assert_eq!(check("offline = { A = \"1\" }"), "`access.downloads` and `access.offline` need `access.network`");
    }
}
