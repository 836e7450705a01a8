//! The root directory of several TypeScript projects.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use zubi_base::fs;

/// The maximum number of configurations that zubi reads to follow references between projects.
const MAX_REFERENCED: usize = 50;

const CONFIGURATIONS: [&str; 2] = ["tsconfig.json", "jsconfig.json"];

/// The part of a `tsconfig.json` that determines its files.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Configuration {
    files: Option<Vec<String>>,
    include: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
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

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Manifest {
    workspaces: Option<serde_json::Value>,
}

/// Returns the outermost directory between `nearest` and `folder` whose configuration references or includes a document;
/// `nearest` without one.
pub(super) fn solution(nearest: &Utf8Path, document: &Utf8Path, folder: &Utf8Path) -> Utf8PathBuf {
    let above = nearest.ancestors().skip(1).take_while(|directory| directory.starts_with(folder));
    let outermost = above.filter(|directory| is_workspace(directory) || covers(directory, document)).last();
    outermost.unwrap_or(nearest).to_owned()
}

fn is_workspace(directory: &Utf8Path) -> bool {
    read::<Manifest>(&directory.join("package.json")).is_some_and(|manifest| manifest.workspaces.is_some())
}

fn covers(directory: &Utf8Path, document: &Utf8Path) -> bool {
    let mut pending: Vec<Utf8PathBuf> = CONFIGURATIONS.map(|name| directory.join(name)).into();
    let mut seen = BTreeSet::new();
    let is_first = |path: &Utf8PathBuf| path.parent() == Some(directory);
    while let Some(path) = pending.pop() {
        if seen.len() >= MAX_REFERENCED || !seen.insert(path.clone()) {
            continue;
        }
        let (Some(mut configuration), Some(own)) = (read::<Configuration>(&path), path.parent()) else { continue };
        if is_first(&path) && includes(&mut configuration, own, document) {
            return true;
        }
        for reference in configuration.references {
            let referenced = normalize(&own.join(&reference.path));
            let is_file = referenced.extension() == Some("json");
            let project = if is_file { referenced.parent().unwrap_or(own).to_owned() } else { referenced.clone() };
            // A project in the same directory is another configuration of the same files.
            if project != directory && document.starts_with(&project) {
                return true;
            }
            pending.push(if is_file { referenced } else { referenced.join("tsconfig.json") });
        }
    }
    false
}

/// Whether a configuration includes a document by its lists.
fn includes(configuration: &mut Configuration, directory: &Utf8Path, document: &Utf8Path) -> bool {
    inherit(configuration, directory);
    let Ok(relative) = document.strip_prefix(directory) else { return false };
    let is_listed = |files: &Vec<String>| files.iter().any(|file| normalize(&directory.join(file)) == document);
    let is_included = match (&configuration.include, &configuration.files) {
        (Some(include), _) => patterns(include).is_some_and(|include| is_match(&include, relative)),
        (None, Some(_)) => false,
        (None, None) => true,
    };
    let exclude = configuration.exclude.as_deref().and_then(patterns);
    configuration.files.as_ref().is_some_and(is_listed)
        || is_included && !exclude.is_some_and(|exclude| is_match(&exclude, relative))
}

/// Adds the lists of the configuration that another one extends, if it has none of its own.
fn inherit(configuration: &mut Configuration, directory: &Utf8Path) {
    let base = match &configuration.extends {
        Some(Extends::One(base)) => Some(base),
        Some(Extends::Several(bases)) => bases.last(),
        None => None,
    };
    // The lists of a package are about the package's own files.
    let Some(base) = base.filter(|base| base.starts_with('.')) else { return };
    let path = directory.join(base);
    let path = if path.extension() == Some("json") { path } else { Utf8PathBuf::from(format!("{path}.json")) };
    // Lists of a base in another directory are relative to that directory.
    if normalize(&path).parent() != Some(directory) {
        return;
    }
    let Some(base) = read::<Configuration>(&path) else { return };
    configuration.files = configuration.files.take().or(base.files);
    configuration.include = configuration.include.take().or(base.include);
    configuration.exclude = configuration.exclude.take().or(base.exclude);
}

/// A document need not exist (it may be a marker), so a pattern for its directory matches too.
fn is_match(patterns: &GlobSet, relative: &Utf8Path) -> bool {
    relative.ancestors().any(|path| patterns.is_match(path))
}

fn patterns(list: &[String]) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in list {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        let pattern = if pattern == "." { "**" } else { pattern };
        set.add(GlobBuilder::new(pattern).literal_separator(true).build().ok()?);
    }
    set.build().ok()
}

fn read<T: serde::de::DeserializeOwned>(path: &Utf8Path) -> Option<T> {
    let text = fs::read_text(path).ok()?;
    jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default()).ok()
}

/// Removes `.` and `..` from a path without reading the disk.
fn normalize(path: &Utf8Path) -> Utf8PathBuf {
    let mut clean = Utf8PathBuf::new();
    for component in path.components() {
        match component {
            camino::Utf8Component::CurDir => {}
            camino::Utf8Component::ParentDir => drop(clean.pop()),
            other => clean.push(other),
        }
    }
    clean
}
