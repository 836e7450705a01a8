//! Messages about servers: why one is absent, and the caveats of another's answers.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use serde::Deserialize;
use zubi_base::endpoint::{Caveats, MissingServer};
use zubi_base::fs;
use zubi_base::walk::{self, WalkOptions};
use zubi_base::workspace::Folder;

use crate::catalogue::{CaveatScope, ServerEntry, UntrustedRule};
use crate::detect::ProgramFinder;

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
    // The server itself reports an unreadable database.
    let bytes = std::fs::read(database).ok()?;
    let commands: Vec<CompileCommand> = serde_json::from_slice(&bytes).ok()?;
    let named: FxHashSet<Utf8PathBuf> =
        commands.into_iter().map(|command| without_dots(&root.join(command.directory).join(command.file))).collect();
    let is_source = |path: &Utf8PathBuf| {
        path.extension().is_some_and(|own| extensions.iter().any(|extension| extension.eq_ignore_ascii_case(own)))
    };
    let sources: Vec<_> = walk::files(root, WalkOptions::default()).take(MAX_SOURCES).filter(is_source).collect();
    let unnamed = sources.iter().filter(|path| !named.contains(*path)).count();
    let name = database.file_name().unwrap_or_default();
    (unnamed > 0).then(|| format!("{unnamed} of {} source files are not in {name} and not read", sources.len()))
}

/// Removes `.` and `..` from a path without reading the disk.
fn without_dots(path: &Utf8Path) -> Utf8PathBuf {
    let mut clean = Utf8PathBuf::new();
    for component in path.components() {
        match component {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => drop(clean.pop()),
            other => clean.push(other),
        }
    }
    clean
}

/// Returns the caveats of a server's answers in a root. Reads files, and may walk the whole project.
pub(super) fn caveats(row: &ServerEntry, root: &Utf8Path, trusted: bool, finder: &ProgramFinder) -> Caveats {
    let mut caveats = Caveats::default();
    for fact in &row.limits {
        if fact.programs.iter().any(|program| finder.has(program)) {
            continue;
        }
        let present = fact.files.iter().find(|file| root.join(file).exists());
        let clause = match present {
            None => fact.missing.clone(),
            Some(file) if !fact.names_sources.is_empty() => {
                unnamed_sources(&root.join(file), root, &fact.names_sources)
            }
            Some(file) => fact.present.iter().find_map(|(text, clause)| {
                // The server itself reports an unreadable manifest.
                let content = fs::read_text(&root.join(file)).ok()?;
                content.contains(text).then(|| clause.clone())
            }),
        };
        match fact.scope {
            CaveatScope::Project => caveats.project.extend(clause),
            CaveatScope::Note => caveats.notes.extend(clause),
            CaveatScope::Beyond => caveats.beyond.extend(clause),
        }
    }
    if !trusted && matches!(row.untrusted, UntrustedRule::Restricted(_)) {
        caveats.beyond.push(format!("restricted, because the folder is not trusted: it does not run {}", row.runs));
    }
    caveats
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
        assert_eq!(check("not JSON"), None);
    }
}
