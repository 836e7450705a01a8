//! The root directory of several TypeScript projects.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use zubi_base::file_lists::{TypeScriptConfig, read_jsonc};

/// The maximum number of configurations that zubi reads to follow references between projects.
const MAX_REFERENCED: usize = 50;

const CONFIGURATIONS: [&str; 2] = ["tsconfig.json", "jsconfig.json"];

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
    read_jsonc::<Manifest>(&directory.join("package.json")).is_some_and(|manifest| manifest.workspaces.is_some())
}

fn covers(directory: &Utf8Path, document: &Utf8Path) -> bool {
    let mut pending: Vec<Utf8PathBuf> = CONFIGURATIONS.map(|name| directory.join(name)).into();
    let mut seen = BTreeSet::new();
    let is_first = |path: &Utf8PathBuf| path.parent() == Some(directory);
    while let Some(path) = pending.pop() {
        if seen.len() >= MAX_REFERENCED || !seen.insert(path.clone()) {
            continue;
        }
        let (Some(config), Some(own)) = (TypeScriptConfig::read(&path), path.parent()) else { continue };
        if is_first(&path) && config.lists.includes(own, document) {
            return true;
        }
        for referenced in config.references(own) {
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
