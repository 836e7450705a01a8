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

/// An error in a TypeScript configuration, without which settings are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigError {
    /// The file is not JSON with comments.
    Syntax { file: Utf8PathBuf, message: String },
    /// A file extends another that does not exist.
    MissingBase {
        file: Utf8PathBuf,
        /// The base as the file names it.
        base: String,
        /// Whether the base is in an npm package.
        is_package: bool,
    },
}

/// The check of a TypeScript configuration.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ConfigCheck {
    pub error: Option<ConfigError>,
    /// The files on which the result depends, existing or not.
    pub files: Vec<Utf8PathBuf>,
}

/// The maximum number of configurations that extend each other.
const MAX_BASES: usize = 20;

impl ConfigCheck {
    /// Checks a configuration and those that it extends (TypeScript documentation, "extends").
    pub fn of_file(path: &Utf8Path) -> Self {
        let mut check = Self::default();
        let mut queue = vec![path.to_owned()];
        while let Some(file) = queue.pop() {
            if check.files.contains(&file) || check.files.len() >= MAX_BASES {
                continue;
            }
            check.files.push(file.clone());
            let (Ok(text), Some(directory)) = (fs::read_text(&file), file.parent()) else { continue };
            let options = jsonc_parser::ParseOptions::default();
            let config: Option<TypeScriptConfig> = match jsonc_parser::parse_to_serde_value(&text, &options) {
                Ok(config) => config,
                // An empty file is a configuration without settings.
                Err(_) if text.trim().is_empty() => None,
                Err(error) => {
                    check.error.get_or_insert(ConfigError::Syntax { file, message: error.to_string() });
                    continue;
                }
            };
            let bases = match config.and_then(|config| config.extends) {
                Some(Extends::One(base)) => vec![base],
                Some(Extends::Several(bases)) => bases,
                None => Vec::new(),
            };
            for base in bases {
                match check.find_base(directory, &base) {
                    FoundBase::File(path) => queue.push(path),
                    FoundBase::Package => {}
                    FoundBase::Missing => {
                        let is_package = !is_path(&base);
                        check.error.get_or_insert(ConfigError::MissingBase { file: file.clone(), base, is_package });
                    }
                }
            }
        }
        check
    }

    fn find_base(&mut self, directory: &Utf8Path, base: &str) -> FoundBase {
        let with_extension = |path: Utf8PathBuf| match path.extension() {
            Some("json") => vec![path],
            _ => vec![Utf8PathBuf::from(format!("{path}.json")), path],
        };
        if is_path(base) {
            let candidates = with_extension(fs::without_dots(&directory.join(base)));
            self.files.extend(candidates.iter().filter(|path| !path.is_file()).cloned());
            let found = candidates.into_iter().find(|path| path.is_file());
            return found.map_or(FoundBase::Missing, FoundBase::File);
        }
        // A package decides itself which of its files have this name.
        let length = if base.starts_with('@') { 2 } else { 1 };
        let package: Utf8PathBuf = base.split('/').take(length).collect();
        for above in directory.ancestors() {
            // Yarn stores packages in archives.
            if above.join("node_modules").join(&package).exists() || above.join(".pnp.cjs").exists() {
                return FoundBase::Package;
            }
        }
        self.files.push(directory.join("node_modules").join(package).join("package.json"));
        FoundBase::Missing
    }
}

/// The place of a base configuration.
enum FoundBase {
    File(Utf8PathBuf),
    Package,
    Missing,
}

/// Whether a configuration names its base by a path.
fn is_path(base: &str) -> bool {
    base == ".." || base.starts_with("./") || base.starts_with("../") || base.starts_with('/')
}

/// Reads a JSON file that may have comments; `None` if it is not readable or has another shape.
pub fn read_jsonc<T: DeserializeOwned>(path: &Utf8Path) -> Option<T> {
    let text = fs::read_text(path).ok()?;
    jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates the files (`path: content`) and checks `web/tsconfig.json`.
    fn check(files: &[&str]) -> String {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for file in files {
            let (path, content) = file.split_once(": ").unwrap();
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write_atomic(&root.join(path), content.as_bytes()).unwrap();
        }
        format!("{:?}", ConfigCheck::of_file(&root.join("web/tsconfig.json")).error).replace(root.as_str(), "")
    }

    #[test]
    fn a_configuration_and_its_bases_are_checked() {
        assert_eq!(check(&["web/tsconfig.json: { \"compilerOptions\": {}, /* a */ \"include\": [\"src\"], }"]), "None");
        assert_eq!(check(&["web/tsconfig.json: "]), "None");
        insta::assert_snapshot!(check(&["web/tsconfig.json: { \"compilerOptions\": { "]), @r#"Some(Syntax { file: "/web/tsconfig.json", message: "Unterminated object on line 1 column 24" })"#);
        let child = "web/tsconfig.json: { \"extends\": \"../tsconfig.base\" }";
        insta::assert_snapshot!(check(&[child]), @r#"Some(MissingBase { file: "/web/tsconfig.json", base: "../tsconfig.base", is_package: false })"#);
        insta::assert_snapshot!(check(&[child, "tsconfig.base.json: { \"extends\": [\"./gone.json\"] }"]), @r#"Some(MissingBase { file: "/tsconfig.base.json", base: "./gone.json", is_package: false })"#);
        assert_eq!(check(&[child, "tsconfig.base.json: {}"]), "None");
        let child = "web/tsconfig.json: { \"extends\": \"@tsconfig/node22/tsconfig.json\" }";
        insta::assert_snapshot!(check(&[child]), @r#"Some(MissingBase { file: "/web/tsconfig.json", base: "@tsconfig/node22/tsconfig.json", is_package: true })"#);
        assert_eq!(check(&[child, "node_modules/@tsconfig/node22/package.json: {}"]), "None");
        assert_eq!(check(&[child, ".pnp.cjs: "]), "None");
    }
}
