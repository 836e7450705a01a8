//! The Python environment of a project: the directory of its interpreter and installed packages.
//!
//! zubi only reads names and small files. It runs neither an interpreter nor a package manager.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use zubi_base::fs;

mod recent;
mod store;

pub use recent::PythonEnvironments;

/// The names of environments in a project, the most common first: venv, uv, Poetry and PDM (`.venv`), Hatch (`.hatch`
/// holds several), Conda (`.conda`), Pixi.
const NAMES: &[&str] = &[".venv", "venv", "env", ".env", ".virtualenv", ".conda", ".pixi/envs/default"];

/// A file in which PDM stores the path of the project's interpreter (PDM, "Working with Virtual Environments").
const PDM_INTERPRETER: &str = ".pdm-python";

/// The directory of packages that PDM installs without an environment (PEP 582).
const LOCAL_PACKAGES: &str = "__pypackages__";

/// The interpreters of an environment, relative to it: on Unix, and on Windows of venv and Conda.
const INTERPRETERS: &[&str] = &["bin/python", "bin/python3", "Scripts/python.exe", "python.exe"];

/// The maximum number of entries of a directory that are searched for an environment with an unusual name.
const MAX_ENTRIES: usize = 100;

/// The places outside a project that zubi searches for its environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PythonSearch {
    /// The environment that is active in zubi's own process: `VIRTUAL_ENV` or `CONDA_PREFIX`.
    pub active: Option<Utf8PathBuf>,
    /// The directory in which Poetry creates environments.
    pub poetry: Option<Utf8PathBuf>,
    /// The directory in which Hatch creates environments.
    pub hatch: Option<Utf8PathBuf>,
}

impl PythonSearch {
    /// Creates a search with the default locations of Poetry and Hatch below the user's directories of caches and of
    /// data.
    pub fn new(active: Option<Utf8PathBuf>, cache: Option<&Utf8Path>, data: Option<&Utf8Path>) -> Self {
        Self {
            active,
            poetry: cache.map(|cache| cache.join("pypoetry/virtualenvs")),
            hatch: data.map(|data| data.join("hatch/env/virtual")),
        }
    }
}

/// A Python environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonEnvironment {
    /// The path by which users know it.
    path: Utf8PathBuf,
    /// The directory (`sys.prefix`) and the interpreter. `None` if the interpreter is missing, or may not be run.
    installation: Option<(Utf8PathBuf, Utf8PathBuf)>,
    /// Directories of packages that the interpreter, if there is one, does not know.
    packages: Vec<Utf8PathBuf>,
}

impl PythonEnvironment {
    /// Finds the environment of a project; see [`PythonEnvironments::find`]. `with_any_name` finds the only environment in a
    /// directory, whatever its name.
    fn find(
        root: &Utf8Path,
        folder: &Utf8Path,
        search: &PythonSearch,
        with_any_name: impl FnOnce(&Utf8Path) -> Option<Self>,
    ) -> Option<Self> {
        let ancestors = || root.ancestors().take_while(|directory| directory.starts_with(folder));
        ancestors()
            .find_map(Self::in_directory)
            .or_else(|| ancestors().find_map(|project| Self::find_stored(project, search)))
            .or_else(|| with_any_name(root))
            .or_else(|| Self::read(search.active.as_deref()?))
    }

    /// Finds an environment that a project has in its directory.
    fn in_directory(directory: &Utf8Path) -> Option<Self> {
        Self::of_pdm(directory)
            .or_else(|| NAMES.iter().find_map(|name| Self::read(&directory.join(name))))
            .or_else(|| Self::local_packages(directory))
    }

    /// Finds an environment of a project outside its directory.
    fn find_stored(project: &Utf8Path, search: &PythonSearch) -> Option<Self> {
        store::candidates(project, search).iter().find_map(|path| Self::read(path))
    }

    /// Finds an environment of any name; `None` if there are several.
    fn with_any_name(directory: &Utf8Path) -> Option<Self> {
        let entries = directory.read_dir_utf8().ok()?.take(MAX_ENTRIES).flatten();
        let mut found = entries.filter_map(|entry| Self::read(entry.path()));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Returns the environment in a directory. A file contains the path of one (virtualenv, Pipenv: `.venv`).
    fn read(path: &Utf8Path) -> Option<Self> {
        let is_environment =
            |directory: &Utf8Path| directory.join("pyvenv.cfg").is_file() || directory.join("conda-meta").is_dir();
        let directory = if is_environment(path) {
            path.to_owned()
        } else if path.is_file() && path.file_name() == Some(".venv") {
            let named = Utf8PathBuf::from(fs::read_text(path).ok()?.trim());
            Some(named).filter(|named| named.is_absolute() && is_environment(named))?
        } else {
            return None;
        };
        let interpreter =
            INTERPRETERS.iter().map(|name| directory.join(name)).find(|interpreter| interpreter.is_file());
        let packages = if interpreter.is_some() { Vec::new() } else { site_packages(&directory) };
        let installation = interpreter.map(|interpreter| (directory.clone(), interpreter));
        Some(Self { path: directory, installation, packages })
    }

    fn of_pdm(directory: &Utf8Path) -> Option<Self> {
        let text = fs::read_text(&directory.join(PDM_INTERPRETER)).ok()?;
        let interpreter = Utf8PathBuf::from(text.trim());
        let prefix = interpreter.parent()?.parent().filter(|_| interpreter.is_absolute())?;
        Self::read(prefix).filter(|environment| environment.installation.is_some())
    }

    fn local_packages(directory: &Utf8Path) -> Option<Self> {
        let path = directory.join(LOCAL_PACKAGES);
        let versions = path.read_dir_utf8().ok()?.flatten().map(|entry| entry.path().join("lib"));
        let newest = versions.filter(|packages| packages.is_dir()).max_by_key(|packages| version_of(packages))?;
        Some(Self { path, installation: None, packages: vec![newest] })
    }

    /// Returns this environment for a server in a folder that is not trusted; `None` if it is outside that folder and
    /// not the active one, since an untrusted project chooses only among its own files. Unless the server runs nothing of a project
    /// (`is_safe`), it gets the directories of the packages instead of the interpreter.
    pub fn for_untrusted(self, folder: &Utf8Path, search: &PythonSearch, is_safe: bool) -> Option<Self> {
        let is_inside = |path: &Utf8Path| fs::canonical(path).is_ok_and(|real| real.starts_with(folder));
        let is_active = search.active.as_ref() == Some(&self.path);
        let is_own = is_inside(&self.path) && self.packages.iter().all(|packages| is_inside(packages));
        if !(is_active || is_own) {
            return None;
        }
        Some(match self.installation {
            Some((prefix, _)) if !is_safe => {
                Self { path: self.path, installation: None, packages: site_packages(&prefix) }
            }
            installation => Self { installation, ..self },
        })
    }

    /// Returns the path as an answer shows it: relative to the workspace folder if it is in it.
    pub fn label(&self, folder: &Utf8Path) -> String {
        self.path.strip_prefix(folder).unwrap_or(&self.path).to_string()
    }

    /// Returns a part of a row with the values of this environment in place of `{prefix}`, `{interpreter}`,
    /// `{interpreter_uri}` and `{packages}`, a list. Leaves out what has no value; `Null` if nothing is left.
    pub fn fill(&self, template: &Value) -> Value {
        match template {
            Value::String(text) => {
                let (prefix, interpreter) = self.installation.as_ref().map(|(prefix, path)| (prefix, path)).unzip();
                match text.as_str() {
                    "{prefix}" => prefix.map(|path| path.as_str().into()).unwrap_or_default(),
                    "{interpreter}" => interpreter.map(|path| path.as_str().into()).unwrap_or_default(),
                    "{interpreter_uri}" => {
                        interpreter.map(|path| zubi_base::uri::from_path(path).0.into()).unwrap_or_default()
                    }
                    "{packages}" if self.packages.is_empty() => Value::Null,
                    "{packages}" => self.packages.iter().map(|path| Value::from(path.as_str())).collect(),
                    _ => template.clone(),
                }
            }
            Value::Object(fields) => {
                let filled = fields.iter().map(|(key, value)| (key.clone(), self.fill(value)));
                let filled: serde_json::Map<_, _> = filled.filter(|(_, value)| !value.is_null()).collect();
                if filled.is_empty() { Value::Null } else { Value::Object(filled) }
            }
            other => other.clone(),
        }
    }
}

/// Returns the directories of an environment's packages: `lib/python3.13/site-packages`, on Windows
/// `Lib/site-packages`.
fn site_packages(prefix: &Utf8Path) -> Vec<Utf8PathBuf> {
    let libraries = prefix.join("lib").read_dir_utf8().into_iter().flatten().flatten();
    let unix = libraries.filter(|entry| entry.file_name().starts_with("python")).map(camino::Utf8DirEntry::into_path);
    unix.chain([prefix.join("Lib")])
        .map(|library| library.join("site-packages"))
        .filter(|packages| packages.is_dir())
        .collect()
}

/// Returns the version in a path `…/3.11/lib`, for comparison.
fn version_of(packages: &Utf8Path) -> Vec<u32> {
    let name = packages.parent().and_then(Utf8Path::file_name).unwrap_or_default();
    name.split('.').map(|part| part.parse().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Creates the files (`path`, `path: content`) and returns the environment of a project in the folder.
    fn check(root: &str, files: &[&str]) -> String {
        let directory = tempfile::tempdir().unwrap();
        let folder = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for file in files {
            let (path, content) = file.split_once(": ").unwrap_or((file, ""));
            std::fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
            let content = content.replace("/W", folder.as_str());
            fs::write_atomic(&folder.join(path), content.as_bytes()).unwrap();
        }
        std::fs::create_dir_all(folder.join(root)).unwrap();
        let search = PythonSearch { active: Some(folder.join("outside/active")), ..PythonSearch::default() };
        let (root, folder) = (folder.join(root), folder.join("w"));
        let Some(environment) = PythonEnvironments::new(search.clone()).find(&root, &folder) else {
            return "none".to_owned();
        };
        let template = json!({ "path": "{interpreter}", "extra": { "paths": "{packages}" }, "fixed": 1 });
        let filled = environment.fill(&template).to_string().replace(folder.parent().unwrap().as_str(), "");
        let untrusted =
            if environment.clone().for_untrusted(&folder, &search, false).is_some() { "" } else { ", not untrusted" };
        let label = environment.label(&folder).replace(folder.parent().unwrap().as_str(), "");
        format!("{label}: {filled}{untrusted}")
    }

    #[test]
    fn the_nearest_environment_counts() {
        const VENV: [&str; 2] = ["w/.venv/pyvenv.cfg", "w/.venv/bin/python"];
        let with_venv = |others: &[&'static str]| [&VENV, others].concat();
        insta::assert_snapshot!(check("w/a", &VENV), @r#".venv: {"path":"/w/.venv/bin/python","fixed":1}"#);
        insta::assert_snapshot!(check("w/a", &with_venv(&["w/a/env/conda-meta/history", "w/a/env/bin/python"])), @r#"a/env: {"path":"/w/a/env/bin/python","fixed":1}"#);
        insta::assert_snapshot!(check("w", &["w/.pixi/envs/default/conda-meta/history", "w/.pixi/envs/default/bin/python3"]), @r#".pixi/envs/default: {"path":"/w/.pixi/envs/default/bin/python3","fixed":1}"#);
        // A directory of the name alone, an unusual name, and two of them.
        insta::assert_snapshot!(check("w", &["w/env/__init__.py"]), @"none");
        insta::assert_snapshot!(check("w", &["w/tools311/pyvenv.cfg", "w/tools311/bin/python"]), @r#"tools311: {"path":"/w/tools311/bin/python","fixed":1}"#);
        insta::assert_snapshot!(check("w", &["w/x/pyvenv.cfg", "w/y/pyvenv.cfg"]), @"none");
        insta::assert_snapshot!(check("w", &["outside/active/pyvenv.cfg", "outside/active/bin/python"]), @r#"/outside/active: {"path":"/outside/active/bin/python","fixed":1}"#);
        insta::assert_snapshot!(check("w/a", &["outside/active/pyvenv.cfg", "w/venv/pyvenv.cfg", "w/venv/bin/python"]), @r#"venv: {"path":"/w/venv/bin/python","fixed":1}"#);
    }

    #[test]
    fn packages_without_an_interpreter() {
        let local = ["w/__pypackages__/3.9/lib/a.py", "w/__pypackages__/3.11/lib/a.py", "w/__pypackages__/3.8/x"];
        insta::assert_snapshot!(check("w", &local), @r#"__pypackages__: {"extra":{"paths":["/w/__pypackages__/3.11/lib"]},"fixed":1}"#);
        insta::assert_snapshot!(check("w", &["w/.venv/pyvenv.cfg", "w/.venv/lib/python3.11/site-packages/a.py"]), @r#".venv: {"extra":{"paths":["/w/.venv/lib/python3.11/site-packages"]},"fixed":1}"#);
    }

    #[test]
    fn files_that_name_an_environment() {
        let outside = ["outside/e/pyvenv.cfg", "outside/e/bin/python"];
        for file in ["w/.pdm-python: /W/outside/e/bin/python\n", "w/.venv: /W/outside/e\n"] {
            insta::allow_duplicates! {
                insta::assert_snapshot!(check("w", &[&outside[..], &[file]].concat()), @r#"/outside/e: {"path":"/outside/e/bin/python","fixed":1}, not untrusted"#);
            }
        }
        insta::assert_snapshot!(check("w", &["w/.pdm-python: /W/outside/gone/bin/python\n"]), @"none");
        insta::assert_snapshot!(check("w", &["w/.pdm-python: bin/python\n", "w/.venv: x"]), @"none");
    }
}
