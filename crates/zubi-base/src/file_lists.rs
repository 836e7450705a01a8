//! The lists of files in a project's configuration (`files`, `include`, `exclude`), as `tsconfig.json` and pyright's
//! settings have them.

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::fs;

/// The lists; paths and patterns are relative to the configuration's directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct FileLists {
    pub files: Option<Vec<String>>,
    pub include: Option<Vec<String>>,
    pub exclude: Option<Vec<String>>,
}

impl FileLists {
    /// Whether the lists include a document of the configuration's directory. Without lists they include every one.
    pub fn includes(&self, directory: &Utf8Path, document: &Utf8Path) -> bool {
        let Ok(relative) = document.strip_prefix(directory) else { return false };
        let is_listed =
            |files: &Vec<String>| files.iter().any(|file| fs::without_dots(&directory.join(file)) == document);
        let is_included = match (&self.include, &self.files) {
            (Some(include), _) => is_match(include, relative),
            (None, Some(_)) => false,
            (None, None) => true,
        };
        let is_excluded = self.exclude.as_ref().is_some_and(|exclude| is_match(exclude, relative));
        self.files.as_ref().is_some_and(is_listed) || is_included && !is_excluded
    }
}

/// A pattern for a directory matches its files, too.
fn is_match(patterns: &[String], relative: &Utf8Path) -> bool {
    glob_set(patterns).is_some_and(|patterns| relative.ancestors().any(|path| patterns.is_match(path)))
}

fn glob_set(patterns: &[String]) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        let pattern = if pattern == "." { "**" } else { pattern };
        set.add(GlobBuilder::new(pattern).literal_separator(true).build().ok()?);
    }
    set.build().ok()
}

/// The parts of a `tsconfig.json` or `jsconfig.json` that determine its files.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct TypeScriptConfig {
    #[serde(flatten)]
    pub lists: FileLists,
    references: Vec<Reference>,
    extends: Option<Extends>,
}

#[derive(Debug, Deserialize)]
struct Reference {
    path: String,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Extends {
    One(String),
    Several(Vec<String>),
}

impl TypeScriptConfig {
    /// Reads a configuration, with the lists of the one that it extends. `None` if it is not readable.
    pub fn read(path: &Utf8Path) -> Option<Self> {
        let mut config: Self = read_jsonc(path)?;
        config.inherit(path.parent()?);
        Some(config)
    }

    /// Returns the referenced projects: configuration files, or directories with a `tsconfig.json`.
    pub fn references(&self, directory: &Utf8Path) -> Vec<Utf8PathBuf> {
        self.references.iter().map(|reference| fs::without_dots(&directory.join(&reference.path))).collect()
    }

    /// Adds the lists of the configuration that this one extends, if it has none of its own.
    fn inherit(&mut self, directory: &Utf8Path) {
        let base = match &self.extends {
            Some(Extends::One(base)) => Some(base),
            Some(Extends::Several(bases)) => bases.last(),
            None => None,
        };
        // The lists of a package are about the package's own files.
        let Some(base) = base.filter(|base| base.starts_with('.')) else { return };
        let path = directory.join(base);
        let path = if path.extension() == Some("json") { path } else { Utf8PathBuf::from(format!("{path}.json")) };
        // Lists of a base in another directory are relative to that directory.
        if fs::without_dots(&path).parent() != Some(directory) {
            return;
        }
        let Some(base) = read_jsonc::<Self>(&path).map(|base| base.lists) else { return };
        let lists = &mut self.lists;
        lists.files = lists.files.take().or(base.files);
        lists.include = lists.include.take().or(base.include);
        lists.exclude = lists.exclude.take().or(base.exclude);
    }
}

/// Reads a JSON file that may have comments; `None` if it is not readable or has another shape.
pub fn read_jsonc<T: DeserializeOwned>(path: &Utf8Path) -> Option<T> {
    let text = fs::read_text(path).ok()?;
    jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default()).ok()
}
