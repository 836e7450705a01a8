//! Names by which sources refer to directories: the module of a `go.mod`, the package of a `package.json`, the patterns
//! of `paths` in a `tsconfig.json`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde_json::Value;
use zubi_base::file_lists::read_jsonc;
use zubi_base::fs::{self, without_dots};

/// The parts of a `tsconfig.json` that map names to directories (TypeScript Handbook, "Path mapping").
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MappingConfig {
    #[serde(rename = "compilerOptions")]
    options: MappingOptions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MappingOptions {
    #[serde(rename = "baseUrl")]
    base_url: Option<String>,
    paths: BTreeMap<String, Vec<String>>,
}

/// Returns the names of the directories above a path, up to a workspace folder, and of those to which configurations
/// there map names; the longest name first.
pub(crate) fn directory_names(path: &Utf8Path, folder: &Utf8Path) -> Vec<(String, Utf8PathBuf)> {
    let mut names = Vec::new();
    for directory in path.ancestors().skip(1).take_while(|directory| directory.starts_with(folder)) {
        if let Ok(text) = fs::read_text(&directory.join("go.mod")) {
            let module = text.lines().find_map(|line| line.trim().strip_prefix("module "));
            names.extend(module.map(|module| (module.trim().trim_matches('"').to_owned(), directory.to_owned())));
        }
        if let Ok(text) = fs::read_text(&directory.join("package.json"))
            && let Ok(package) = serde_json::from_str::<Value>(&text)
        {
            let name = package.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
            names.extend(name.map(|name| (name.to_owned(), directory.to_owned())));
        }
        names.extend(typescript_names(directory));
    }
    names.sort_by_key(|(name, _)| Reverse(name.len()));
    names
}

/// Returns the names that the configurations of TypeScript in a directory map to other directories: `@app/*` to
/// `./src/*`. Bases of `extends` are usually in a directory above, and read there.
fn typescript_names(directory: &Utf8Path) -> Vec<(String, Utf8PathBuf)> {
    let Ok(entries) = directory.read_dir_utf8() else { return Vec::new() };
    let is_config = |name: &str| {
        name == "jsconfig.json" || name.starts_with("tsconfig") && Utf8Path::new(name).extension() == Some("json")
    };
    let configs = entries.flatten().filter(|entry| is_config(entry.file_name()));
    let mut names = Vec::new();
    for config in configs.filter_map(|entry| read_jsonc::<MappingConfig>(entry.path())) {
        let base = directory.join(config.options.base_url.unwrap_or_default());
        for (pattern, targets) in config.options.paths {
            let Some(name) = pattern.strip_suffix("/*").filter(|name| !name.is_empty()) else { continue };
            let targets = targets.iter().filter_map(|target| target.strip_suffix('*'));
            names.extend(targets.map(|target| (name.to_owned(), without_dots(&base.join(target)))));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_directories() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap();
        for (path, text) in [
            ("package.json", r#"{ "name": "shop" }"#),
            (
                "web/tsconfig.base.json",
                r#"{ /* a */ "compilerOptions": { "baseUrl": "src", "paths": { "@app/shared/*": ["./shared/*", "old/*"], "one": ["a.ts"], "*": ["x/*"] } }, }"#,
            ),
            ("web/jsconfig.json", r#"{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }"#),
            ("web/src/package.json", "{}"),
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write_atomic(&root.join(path), text.as_bytes()).unwrap();
        }
        let names = directory_names(&root.join("web/src/shared/a.ts"), root);
        let names = names.iter().map(|(name, path)| format!("{name} {}", path.strip_prefix(root).unwrap()));
        insta::assert_snapshot!(names.collect::<Vec<_>>().join(", "), @"@app/shared web/src/shared, @app/shared web/src/old, shop , @ web");
    }
}
