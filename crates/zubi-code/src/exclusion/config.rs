//! TypeScript and Python: files that a configuration file excludes from the project.

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use zubi_base::fs;

/// The lists of a configuration file; patterns are relative to its directory.
#[derive(Debug, Default, Deserialize)]
struct FileLists {
    files: Option<Vec<String>>,
    include: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
}

/// Returns a clause if the nearest `tsconfig.json` or `jsconfig.json` does not include a file.
pub(super) fn typescript(path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    let (config, text) = nearest(path, folder, &["tsconfig.json", "jsconfig.json"])?;
    let lists: FileLists = jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default()).ok()?;
    let directory = config.parent()?;
    let relative = path.strip_prefix(directory).ok()?;
    let is_listed = lists
        .files
        .as_ref()
        .is_some_and(|files| files.iter().any(|file| Utf8Path::new(file.trim_start_matches("./")) == relative));
    let included = match (&lists.include, &lists.files) {
        (Some(include), _) => patterns(include)?.is_match(relative),
        (None, None) => true,
        (None, Some(_)) => false,
    };
    let excluded = lists.exclude.as_deref().and_then(patterns).is_some_and(|exclude| exclude.is_match(relative));
    (!is_listed && (!included || excluded)).then(|| format!("not included by {}", display_config(&config, folder)))
}

/// Returns a clause if the settings of pyright or ty exclude a file.
pub(super) fn python(path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    let (config, text) = nearest(path, folder, &["pyrightconfig.json", "pyproject.toml"])?;
    let lists: FileLists = if config.extension() == Some("json") {
        jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default()).ok()?
    } else {
        let manifest: toml::Table = toml::from_str(&text).ok()?;
        let tool = manifest.get("tool")?;
        let lists = ["pyright", "basedpyright"].iter().find_map(|name| tool.get(name))?;
        lists.clone().try_into().ok()?
    };
    let relative = path.strip_prefix(config.parent()?).ok()?;
    let included = lists.include.as_deref().and_then(patterns).is_none_or(|include| include.is_match(relative));
    let excluded = lists.exclude.as_deref().and_then(patterns).is_some_and(|exclude| exclude.is_match(relative));
    (!included || excluded).then(|| format!("excluded by {}", display_config(&config, folder)))
}

fn display_config(config: &Utf8Path, folder: &Utf8Path) -> String {
    format!("`{}`", config.strip_prefix(folder).unwrap_or(config))
}

/// Returns the first of these files in the directories from the document's up to the workspace folder, with its text.
pub(super) fn nearest(path: &Utf8Path, folder: &Utf8Path, names: &[&str]) -> Option<(Utf8PathBuf, String)> {
    let directories = path.ancestors().skip(1).take_while(|directory| directory.starts_with(folder));
    directories
        .flat_map(|directory| names.iter().map(move |name| directory.join(name)))
        .find_map(|config| fs::read_text(&config).ok().map(|text| (config, text)))
}

/// A pattern without wildcards names a directory or a file, as in both tools.
fn patterns(list: &[String]) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in list {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        let pattern = if pattern == "." { "**" } else { pattern };
        for pattern in [pattern.to_owned(), format!("{pattern}/**")] {
            set.add(GlobBuilder::new(&pattern).literal_separator(true).build().ok()?);
        }
    }
    set.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excluded_files_are_recognized() {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let check = |config: &str, text: &str, path: &str| {
            fs::write_atomic(&root.join(config), text.as_bytes()).unwrap();
            let path = root.join(path);
            let found = if config == "tsconfig.json" { typescript(&path, &root) } else { python(&path, &root) };
            std::fs::remove_file(root.join(config)).unwrap();
            found.unwrap_or_default()
        };
        assert_eq!(check("tsconfig.json", "{}", "test/a.ts"), "");
        assert_eq!(check("tsconfig.json", r#"{ "include": ["src"] /* only */ }"#, "src/deep/a.ts"), "");
        assert_eq!(check("tsconfig.json", r#"{ "include": ["src"] }"#, "test/a.ts"), "not included by `tsconfig.json`");
        assert_eq!(
            check("tsconfig.json", r#"{ "exclude": ["**/*.spec.ts"] }"#, "src/a.spec.ts"),
            "not included by `tsconfig.json`"
        );
        assert_eq!(check("tsconfig.json", r#"{ "files": ["./src/a.ts"] }"#, "src/a.ts"), "");
        assert_eq!(check("tsconfig.json", r#"{ "files": [] }"#, "src/a.ts"), "not included by `tsconfig.json`");
        assert_eq!(
            check("pyproject.toml", "[tool.pyright]\nexclude = [\"legacy\"]", "legacy/a.py"),
            "excluded by `pyproject.toml`"
        );
        assert_eq!(check("pyproject.toml", "[tool.pyright]\nexclude = [\"legacy\"]", "app/a.py"), "");
        assert_eq!(check("pyproject.toml", "[project]\nname = \"a\"", "app/a.py"), "");
        assert_eq!(
            check("pyrightconfig.json", r#"{ "include": ["app"] }"#, "tools/a.py"),
            "excluded by `pyrightconfig.json`"
        );
    }
}
