//! TypeScript and Python: files that a configuration file excludes from the project.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::file_lists::{FileLists, TypeScriptConfig, read_jsonc};
use zubi_base::fs;

/// Returns a clause if the nearest `tsconfig.json` or `jsconfig.json` does not include a file.
pub(super) fn typescript(path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    let file = nearest(path, folder, &["tsconfig.json", "jsconfig.json"])?;
    let config = TypeScriptConfig::read(&file)?;
    (!config.lists.includes(file.parent()?, path)).then(|| format!("not included by {}", display_config(&file, folder)))
}

/// Returns a clause if the settings of pyright exclude a file.
pub(super) fn python(path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    let file = nearest(path, folder, &["pyrightconfig.json", "pyproject.toml"])?;
    let lists: FileLists = if file.extension() == Some("json") {
        read_jsonc(&file)?
    } else {
        let manifest: toml::Table = toml::from_str(&fs::read_text(&file).ok()?).ok()?;
        let tool = manifest.get("tool")?;
        ["pyright", "basedpyright"].iter().find_map(|name| tool.get(name))?.clone().try_into().ok()?
    };
    (!lists.includes(file.parent()?, path)).then(|| format!("excluded by {}", display_config(&file, folder)))
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
        assert_eq!(check("pyproject.toml", "[project]\nname = \"a\"", "app/a.py"), "");
        assert_eq!(
            check("pyrightconfig.json", r#"{ "include": ["app"] }"#, "tools/a.py"),
            "excluded by `pyrightconfig.json`"
        );
    }
}
