//! Messages about servers: why one is absent, and the caveats of another's answers.

use std::sync::{Arc, Mutex};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use zubi_base::endpoint::{Caveats, MissingServer};
use zubi_base::file_lists::{ConfigCheck, ConfigError};
use zubi_base::fs;
use zubi_base::sync::lock;
use zubi_base::text::quote_for_shell;
use zubi_base::walk::{self, WalkOptions};
use zubi_base::workspace::Folder;

use crate::catalogue::{CaveatScope, Limit, PythonParams, ServerEntry, UntrustedRule};
use crate::detect::{ProgramFinder, PythonEnvironment};
use crate::stamp::Stamp;

pub(super) fn subject(path: &Utf8Path) -> String {
    match (path.extension(), path.file_name()) {
        (Some(extension), _) => format!(".{extension}"),
        (None, Some(name)) => name.to_owned(),
        (None, None) => path.to_string(),
    }
}

pub(super) fn no_row(path: &Utf8Path) -> MissingServer {
    let subject = subject(path);
    MissingServer {
        reason: format!("no server for {subject}"),
        hint: "add a [[server]] with this language to ~/.config/zubi/servers.toml".to_owned(),
        subject,
    }
}

/// Returns the error for a workspace folder that was deleted after zubi was started.
pub(super) fn missing_folder(folder: &Folder) -> MissingServer {
    MissingServer {
        subject: folder.name.clone(),
        reason: format!("the workspace folder `{}` no longer exists", folder.path),
        hint: "restore it, or start zubi in another folder".to_owned(),
    }
}

pub(super) fn install_hint(row: &ServerEntry) -> String {
    match row.install.first() {
        Some(install) => format!("install it with {}: {}", install.how, install.command),
        None => format!("install `{}` and put it on the PATH", row.command),
    }
}

/// The key of [`Limit::cures`] for any project.
const ANY: &str = "*";

/// The commands that create a project's Python environment, by the file of the tool.
const PYTHON_CURES: &[(&str, &str)] = &[
    ("uv.lock", "uv sync"),
    ("poetry.lock", "poetry install"),
    ("pdm.lock", "pdm install"),
    ("pixi.toml", "pixi install"),
    ("Pipfile", "pipenv install"),
    (ANY, "python -m venv .venv"),
];

/// The commands that install a project's packages, by the file of the package manager.
const NODE_CURES: &[(&str, &str)] = &[
    ("pnpm-lock.yaml", "pnpm install"),
    ("yarn.lock", "yarn install"),
    ("bun.lock", "bun install"),
    ("bun.lockb", "bun install"),
    (ANY, "npm install"),
];

/// The maximum number of a project's files that are compared with its compilation database.
const MAX_SOURCES: usize = 100_000;

/// An entry of a compilation database (Clang, "JSON Compilation Database Format Specification").
#[derive(Deserialize)]
struct CompileCommand {
    directory: Utf8PathBuf,
    file: Utf8PathBuf,
}

/// Counts the sources of a project that a compilation database does not name; returns a clause.
fn unnamed_sources(database: &Utf8Path, root: &Utf8Path, extensions: &[String]) -> Option<String> {
    let bytes = std::fs::read(database).ok()?;
    let name = database.file_name().unwrap_or_default();
    let commands: Vec<CompileCommand> = match serde_json::from_slice(&bytes) {
        Ok(commands) => commands,
        Err(error) => return Some(format!("{name} cannot be read ({error}): other files are not read")),
    };
    let named: FxHashSet<Utf8PathBuf> = commands
        .into_iter()
        .map(|command| fs::without_dots(&root.join(command.directory).join(command.file)))
        .collect();
    let is_source = |path: &Utf8PathBuf| {
        path.extension().is_some_and(|own| extensions.iter().any(|extension| extension.eq_ignore_ascii_case(own)))
    };
    let sources: Vec<_> = walk::files(root, WalkOptions::default()).take(MAX_SOURCES).filter(is_source).collect();
    let unnamed = sources.iter().filter(|path| !named.contains(*path)).count();
    (unnamed > 0).then(|| format!("{unnamed} of {} source files are not in {name} and not read", sources.len()))
}

/// The server and the document that caveats are about.
#[derive(Debug, Clone)]
pub(super) struct CaveatSubject {
    pub(super) row: Arc<ServerEntry>,
    pub(super) root: Utf8PathBuf,
    /// The path of the workspace folder.
    pub(super) folder: Utf8PathBuf,
    /// The directory of the document, in `root`.
    pub(super) directory: Utf8PathBuf,
    pub(super) trusted: bool,
    pub(super) python: Option<PythonEnvironment>,
}

/// A clause with the stamp of the file that it depends on.
type StampedClause = (Option<Stamp>, Option<String>);

/// The clauses that depend on the content of a file, by file and the number of the limit in its row. A clause is valid
/// while the file is unchanged.
#[derive(Debug, Default)]
pub(super) struct FileClauses {
    clauses: Mutex<FxHashMap<ClauseKey, StampedClause>>,
    configs: Mutex<FxHashMap<Utf8PathBuf, StampedConfig>>,
}

/// The error of a TypeScript configuration, with the stamps of all files on which it depends.
#[derive(Debug)]
struct StampedConfig {
    files: Vec<(Utf8PathBuf, Option<Stamp>)>,
    error: Option<ConfigError>,
}

/// The id of a row, a file, and the number of the limit in the row.
type ClauseKey = (String, Utf8PathBuf, usize);

/// The number in [`FileClauses`] of the clause about the Python environment.
const PYTHON_CLAUSE: usize = usize::MAX;

/// The error for a clause that needs the content of a file.
struct NeedsContent;

impl FileClauses {
    /// Returns a clause about a file; computes it if it is not known and `compute` is given.
    fn get(
        &self,
        (row, file, number): (&str, &Utf8Path, usize),
        compute: Option<impl FnOnce() -> Option<String>>,
    ) -> Result<Option<String>, NeedsContent> {
        let key = (row.to_owned(), file.to_owned(), number);
        let stamp = Stamp::from_file(file);
        if let Some((known, clause)) = lock(&self.clauses).get(&key)
            && *known == stamp
        {
            return Ok(clause.clone());
        }
        let clause = compute.ok_or(NeedsContent)?();
        lock(&self.clauses).insert(key, (stamp, clause.clone()));
        Ok(clause)
    }

    /// Returns the error of a TypeScript configuration; checks it if the result is not known and `reads` is set.
    fn config_error(&self, file: &Utf8Path, reads: bool) -> Result<Option<ConfigError>, NeedsContent> {
        let is_valid = |known: &StampedConfig| known.files.iter().all(|(file, stamp)| Stamp::from_file(file) == *stamp);
        if let Some(known) = lock(&self.configs).get(file).filter(|known| is_valid(known)) {
            return Ok(known.error.clone());
        }
        if !reads {
            return Err(NeedsContent);
        }
        let ConfigCheck { error, files } = ConfigCheck::of_file(file);
        let files = files.into_iter().map(|file| (Stamp::from_file(&file), file)).map(|(stamp, file)| (file, stamp));
        lock(&self.configs).insert(file.to_owned(), StampedConfig { files: files.collect(), error: error.clone() });
        Ok(error)
    }
}

impl CaveatSubject {
    /// Returns the caveats of the server's answers about the document, without blocking for long.
    pub(super) async fn caveats(self, finder: Arc<ProgramFinder>, clauses: Arc<FileClauses>) -> Caveats {
        match self.compute(&finder, &clauses, false) {
            Ok(caveats) => caveats,
            // A limit may require a walk through the project.
            Err(NeedsContent) => {
                let compute = move || self.compute(&finder, &clauses, true).unwrap_or_default();
                tokio::task::spawn_blocking(compute).await.unwrap_or_default()
            }
        }
    }

    /// Returns the directories from the document's up to the workspace folder: servers search their files there, even
    /// above their own root.
    fn directories(&self) -> impl Iterator<Item = &Utf8Path> {
        self.directory.ancestors().take_while(|directory| directory.starts_with(&self.folder))
    }

    fn compute(&self, finder: &ProgramFinder, clauses: &FileClauses, reads: bool) -> Result<Caveats, NeedsContent> {
        let row = &self.row;
        let mut caveats = Caveats::default();
        for (number, limit) in row.limits.iter().enumerate() {
            if limit.programs.iter().any(|program| finder.has(program)) {
                continue;
            }
            let files = self.directories().flat_map(|directory| {
                limit.files.iter().map(move |file| (directory, directory.join(file))).filter(|(_, file)| file.exists())
            });
            let clause = match files.collect::<Vec<_>>().as_slice() {
                [] => limit.missing.clone(),
                [(directory, nearest), ..] if !limit.names_sources.is_empty() => {
                    let compute = || unnamed_sources(nearest, directory, &limit.names_sources);
                    clauses.get((&row.id, nearest, number), reads.then_some(compute))?
                }
                [(_, nearest), ..] if limit.typescript_config => clauses.config_error(nearest, reads)?.map(|error| {
                    let clause = self.describe(&error);
                    if let (ConfigError::MissingBase { is_package: true, .. }, Some(cure)) =
                        (&error, self.find_cure(NODE_CURES.iter().copied()))
                    {
                        caveats.cures.insert(clause.clone(), cure);
                    }
                    clause
                }),
                _ if limit.present.is_empty() => None,
                found => {
                    let mut clause = None;
                    for (_, file) in found {
                        let compute = || clause_by_content(file, limit);
                        clause = clause.or(clauses.get((&row.id, file, number), reads.then_some(compute))?);
                    }
                    clause
                }
            };
            // The commands create the file.
            let is_file_cure = !limit.typescript_config || clause == limit.missing;
            let limit_cure =
                self.find_cure(limit.cures.iter().map(|(file, command)| (file.as_str(), command.as_str())));
            if let (Some(clause), Some(cure)) = (&clause, limit_cure.filter(|_| is_file_cure)) {
                caveats.cures.insert(clause.clone(), cure);
            }
            match limit.scope {
                CaveatScope::Project => caveats.project.extend(clause),
                CaveatScope::Note => caveats.notes.extend(clause),
                CaveatScope::Beyond => caveats.beyond.extend(clause),
            }
        }
        if let Some(params) = &row.python {
            self.add_python(params, clauses, reads, &mut caveats)?;
        }
        if !self.trusted && matches!(row.untrusted, UntrustedRule::Restricted(_)) {
            let clause = format!("restricted, because the folder is not trusted: it does not run {}", row.runs);
            caveats.cures.insert(clause.clone(), format!("zubi trust {}", quote_for_shell(self.folder.as_str())));
            caveats.beyond.push(clause);
        }
        Ok(caveats)
    }

    /// Returns an error of a TypeScript configuration as a clause.
    fn describe(&self, error: &ConfigError) -> String {
        let name = |file: &Utf8Path| file.strip_prefix(&self.folder).unwrap_or(file).to_string();
        match error {
            ConfigError::Syntax { file, message } => {
                format!("`{}` has a syntax error, so settings are missing: {message}", name(file))
            }
            ConfigError::MissingBase { file, base, .. } => {
                format!("`{}` extends `{base}`, which does not exist, so settings are missing", name(file))
            }
        }
    }

    /// Returns the command for the first of these files that is in a directory of the project; without one, that for the
    /// file `*`.
    fn find_cure<'a>(&self, mut cures: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Option<String> {
        let is_here = |file: &str| self.directories().any(|directory| directory.join(file).exists());
        let own = cures.clone().find(|(file, _)| *file != ANY && is_here(file));
        let (_, command) = own.or_else(|| cures.find(|(file, _)| *file == ANY))?;
        Some(command.to_owned())
    }

    /// Adds the Python environment that the server uses, or the caveat that the project has no environment.
    fn add_python(
        &self,
        params: &PythonParams,
        clauses: &FileClauses,
        reads: bool,
        caveats: &mut Caveats,
    ) -> Result<(), NeedsContent> {
        for (name, key) in &params.named_in {
            let file = self.root.join(name);
            if !file.is_file() {
                continue;
            }
            let compute = || names_key(&file, key).then(|| format!("packages of the environment that {name} names"));
            if let Some(clause) = clauses.get((&self.row.id, &file, PYTHON_CLAUSE), reads.then_some(compute))? {
                caveats.packages.push(clause);
                return Ok(());
            }
        }
        match &self.python {
            Some(python) => caveats.packages.push(format!("packages of `{}`", python.label(&self.folder))),
            None => {
                if let Some(cure) = self.find_cure(PYTHON_CURES.iter().copied()) {
                    caveats.cures.insert(params.missing.clone(), cure);
                }
                caveats.beyond.push(params.missing.clone());
            }
        }
        Ok(())
    }
}

/// Returns the caveat for the text that a file contains.
fn clause_by_content(file: &Utf8Path, limit: &Limit) -> Option<String> {
    // The server itself reports an unreadable manifest.
    let content = fs::read_text(file).ok()?;
    limit.present.iter().find_map(|(text, clause)| content.contains(text).then(|| clause.clone()))
}

/// Whether a configuration file has a key, with dots between tables.
fn names_key(file: &Utf8Path, key: &str) -> bool {
    let Ok(content) = fs::read_text(file) else { return false };
    if file.extension() == Some("toml") {
        let Ok(table) = content.parse::<toml::Table>() else { return false };
        let (tables, last) = key.rsplit_once('.').unwrap_or(("", key));
        let inner = tables
            .split('.')
            .filter(|name| !name.is_empty())
            .try_fold(&table, |table, name| table.get(name).and_then(toml::Value::as_table));
        return inner.is_some_and(|table| table.contains_key(last));
    }
    // JSON with comments, or `key = value`.
    content.contains(&format!("\"{key}\"")) || content.lines().any(|line| line.trim_start().starts_with(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_missing_from_the_compilation_database_are_counted() {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for name in ["src/a.cc", "src/b.cc", "src/c.CC", "src/a.h", "build/made.cc"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write_atomic(&root.join(name), b"").unwrap();
        }
        fs::write_atomic(&root.join(".gitignore"), b"build/\n").unwrap();
        let database = root.join("compile_commands.json");
        let check = |text: &str| {
            fs::write_atomic(&database, text.as_bytes()).unwrap();
            unnamed_sources(&database, &root, &["cc".to_owned()])
        };
        let one = r#"[{ "directory": "build", "file": "../src/a.cc", "command": "c++" }]"#;
        insta::assert_snapshot!(check(one).unwrap(), @"2 of 3 source files are not in compile_commands.json and not read");
        let all: Vec<_> =
            ["a.cc", "b.cc", "c.CC"].map(|name| format!(r#"{{ "directory": "{root}/src", "file": "{name}" }}"#)).into();
        assert_eq!(check(&format!("[{}]", all.join(","))), None);
        insta::assert_snapshot!(check("not JSON").unwrap(), @"compile_commands.json cannot be read (expected ident at line 1 column 2): other files are not read");
    }
}
