//! TypeScript and Python: files that a configuration file excludes from the project.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::file_lists::{FileLists, TypeScriptConfig, read_jsonc};
use zubi_base::fs;

/// Returns a clause if the nearest `tsconfig.json` or `jsconfig.json` does not include a file.
pub(super) fn typescript(path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    let file = nearest(path, folder, &["tsconfig.json", "jsconfig.json"])?;
    let config = TypeScriptConfig::read(&file)?;
    let directory = file.parent()?;
    if !config.lists.includes(directory, path) {
        return Some(format!("not included by {}", display_config(&file, folder)));
    }
    // Wildcards of `include`, and the default, leave such names out ("TSConfig Reference: include").
    let names_dots = |lists: &Vec<String>| lists.iter().any(|pattern| has_dot_folder(Utf8Path::new(pattern)));
    let is_default = config.lists.files.is_none() && !config.lists.include.as_ref().is_some_and(names_dots);
    dot_folder(path, directory).filter(|_| is_default)
}

/// A setting of a Python type checker that excludes files.
pub(super) struct PythonSetting {
    /// The checker's name as an endpoint.
    pub(super) checker: &'static str,
    file: &'static str,
    table: &'static [&'static str],
    key: &'static str,
}

const fn setting(
    checker: &'static str,
    file: &'static str,
    table: &'static [&'static str],
    key: &'static str,
) -> PythonSetting {
    PythonSetting { checker, file, table, key }
}

const PYTHON_SETTINGS: [PythonSetting; 16] = [
    setting("pyright", "pyrightconfig.json", &[], "exclude"),
    setting("pyright", "pyproject.toml", &["tool", "pyright"], "exclude"),
    setting("basedpyright", "pyproject.toml", &["tool", "basedpyright"], "exclude"),
    setting("ty", "pyproject.toml", &["tool", "ty", "src"], "exclude"),
    setting("pyrefly", "pyproject.toml", &["tool", "pyrefly"], "project-excludes"),
    setting("mypy", "pyproject.toml", &["tool", "mypy"], "exclude"),
    setting("ty", "ty.toml", &["src"], "exclude"),
    setting("pyrefly", "pyrefly.toml", &[], "project-excludes"),
    setting("pyright", "pyrightconfig.json", &[], "include"),
    setting("pyright", "pyproject.toml", &["tool", "pyright"], "include"),
    setting("basedpyright", "pyproject.toml", &["tool", "basedpyright"], "include"),
    setting("ty", "pyproject.toml", &["tool", "ty", "src"], "include"),
    setting("pyrefly", "pyproject.toml", &["tool", "pyrefly"], "project-includes"),
    setting("ty", "ty.toml", &["src"], "include"),
    setting("pyrefly", "pyrefly.toml", &[], "project-includes"),
    setting("mypy", "mypy.ini", &["mypy"], "exclude"),
];

/// The checkers that report nothing about an excluded file even if it is open (ty 0.0.104, pyrefly 1.2).
pub(super) const STRICT_CHECKERS: [&str; 2] = ["ty", "pyrefly"];

/// Returns a clause if the settings of a type checker exclude a file, or if pyright leaves it out by default. The reason
/// may be about another checker than the one that runs, so it explains a missing reference but does not prove it.
pub(super) fn python(path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    excluding_settings(path, folder, |_| true).or_else(|| dot_folder(path, folder))
}

/// Returns a clause with the nearest file whose settings exclude a file.
pub(super) fn excluding_settings(
    path: &Utf8Path,
    folder: &Utf8Path,
    is_relevant: impl Fn(&PythonSetting) -> bool,
) -> Option<String> {
    let directories = path.ancestors().skip(1).take_while(|directory| directory.starts_with(folder));
    for directory in directories {
        let mut has_lists = false;
        for name in ["pyrightconfig.json", "pyproject.toml", "ty.toml", "pyrefly.toml", "mypy.ini"] {
            let file = directory.join(name);
            let Some(settings) = read_settings(&file) else { continue };
            for row in PYTHON_SETTINGS.iter().filter(|row| row.file == name && is_relevant(row)) {
                let Some(patterns) = patterns_at(&settings, row.table, row.key) else { continue };
                has_lists = true;
                let mut lists = FileLists::default();
                if row.key.ends_with("exclude") || row.key.ends_with("excludes") {
                    lists.exclude = Some(patterns.iter().flat_map(|pattern| variants(pattern)).collect());
                } else {
                    lists.include = Some(patterns);
                }
                if !lists.includes(directory, path) {
                    return Some(format!("excluded by {}", display_config(&file, folder)));
                }
            }
        }
        if has_lists {
            break;
        }
    }
    None
}

/// Returns a clause if a directory or a file below a root has a name that begins with a dot.
fn dot_folder(path: &Utf8Path, root: &Utf8Path) -> Option<String> {
    let relative = path.strip_prefix(root).ok()?;
    has_dot_folder(relative).then(|| "by default not included: its path has a name that begins with a dot".to_owned())
}

fn has_dot_folder(path: &Utf8Path) -> bool {
    path.components().any(|part| part.as_str().starts_with('.') && !matches!(part.as_str(), "." | ".."))
}

/// Reads a JSON, TOML or INI file. Reads only the excluded files of an INI file.
fn read_settings(file: &Utf8Path) -> Option<serde_json::Value> {
    if !file.is_file() {
        return None;
    }
    match file.extension() {
        Some("json") => read_jsonc(file),
        Some("toml") => toml::from_str(&fs::read_text(file).ok()?).ok(),
        _ => {
            let text = fs::read_text(file).ok()?;
            let exclude = text.lines().find_map(|line| line.strip_prefix("exclude")?.trim_start().strip_prefix('='))?;
            Some(serde_json::json!({ "mypy": { "exclude": exclude.trim() } }))
        }
    }
}

/// Returns the patterns of a setting: a list, or one string.
fn patterns_at(settings: &serde_json::Value, table: &[&str], key: &str) -> Option<Vec<String>> {
    let table = table.iter().try_fold(settings, |settings, name| settings.get(*name))?;
    match table.get(key)? {
        serde_json::Value::String(pattern) => Some(vec![pattern.clone()]),
        list => serde_json::from_value(list.clone()).ok(),
    }
}

/// Returns a pattern as globs: as it is written, at any depth (as in `.gitignore`), and as a plain regular expression.
fn variants(pattern: &str) -> Vec<String> {
    let plain = pattern.trim_start_matches('^').trim_end_matches('$').replace("\\.", ".");
    let plain = plain.trim_matches('/');
    let is_glob = !pattern.contains(['(', '\\', '^', '$']);
    let mut all: Vec<String> = is_glob.then(|| pattern.to_owned()).into_iter().collect();
    if !plain.is_empty() && !plain.contains(['(', '[', '|', '?', '+', '\\', '{']) {
        all.extend([plain.to_owned(), format!("**/{plain}")]);
    }
    all
}

fn display_config(config: &Utf8Path, folder: &Utf8Path) -> String {
    format!("`{}`", config.strip_prefix(folder).unwrap_or(config))
}

/// Returns the first of these files in the directories from the document's up to the workspace folder.
pub(super) fn nearest(path: &Utf8Path, folder: &Utf8Path, names: &[&str]) -> Option<Utf8PathBuf> {
    let directories = path.ancestors().skip(1).take_while(|directory| directory.starts_with(folder));
    directories.flat_map(|directory| names.iter().map(move |name| directory.join(name))).find(|file| file.is_file())
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
        for text in [
            "[tool.ty.src]\nexclude = [\"legacy\"]",
            "[tool.pyrefly]\nproject-excludes = [\"legacy/**\"]",
            "[tool.mypy]\nexclude = \"^legacy/\"",
        ] {
            assert_eq!(check("pyproject.toml", text, "legacy/a.py"), "excluded by `pyproject.toml`", "{text}");
            assert_eq!(check("pyproject.toml", text, "app/a.py"), "", "{text}");
        }
        assert_eq!(check("ty.toml", "[src]\nexclude = [\"old\"]", "app/old/a.py"), "excluded by `ty.toml`");
        assert_eq!(check("mypy.ini", "[mypy]\nexclude = legacy/\n", "legacy/a.py"), "excluded by `mypy.ini`");
        assert_eq!(
            check("pyproject.toml", "", ".ci/a.py"),
            "by default not included: its path has a name that begins with a dot"
        );
        assert_eq!(
            check("tsconfig.json", "{}", ".storybook/a.ts"),
            "by default not included: its path has a name that begins with a dot"
        );
        assert_eq!(check("tsconfig.json", r#"{ "include": [".storybook"] }"#, ".storybook/a.ts"), "");
        assert_eq!(check("pyproject.toml", "[project]\nname = \"a\"", "app/a.py"), "");
        assert_eq!(
            check("pyrightconfig.json", r#"{ "include": ["app"] }"#, "tools/a.py"),
            "excluded by `pyrightconfig.json`"
        );
    }
}
