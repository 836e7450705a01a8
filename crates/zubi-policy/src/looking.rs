//! Commands that run without approval because they only look: each is in the table of [`crate::programs`], reads only
//! files of the workspace that are not credentials, and its program is not a file that the workspace or a call supplies.

mod contents;
mod git;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::credentials;

use crate::PolicyPaths;
use crate::footprint::Footprint;
use crate::pattern::{absolute, is_glob, may_become};
use crate::programs;

pub(super) use contents::has_key;

/// Returns whether a command of a call has no effect or only looks, so that it needs no approval.
pub(super) fn is_harmless(argv: &[String], footprint: &Footprint, paths: &PolicyPaths) -> bool {
    // A redirection may read any file, and the command prints it.
    let reads_inside = || footprint.reads.iter().all(|path| paths.may_be_read(path));
    let are_wrappers_trusted = || footprint.wrappers.iter().all(|wrapper| paths.is_trusted_program(wrapper));
    if is_builtin(argv) && footprint.wrappers.is_empty() {
        return argv.first().is_some_and(|builtin| is_silent(builtin)) || reads_inside();
    }
    // A wrapper starts the program with the name of a builtin.
    let is_program = || argv.first().is_some_and(|program| paths.is_trusted_program(program));
    are_wrappers_trusted()
        && reads_inside()
        && (is_looking(argv, footprint, paths) || (is_builtin(argv) && is_program()))
}

/// Returns whether a command changes no files.
pub(super) fn changes_nothing(argv: &[String]) -> bool {
    is_builtin(argv) || programs::only_prints(argv)
}

/// Returns whether a builtin never prints what it reads.
fn is_silent(builtin: &str) -> bool {
    matches!(builtin, "cd" | ":" | "true" | "false" | "test" | "[" | "exit" | "return" | "break" | "continue" | "shift")
}

/// Returns whether a command is a shell builtin that affects only the shell. Redirections are separate parts.
fn is_builtin(argv: &[String]) -> bool {
    const NAMES: &[&str] = &[
        "cd", ":", "true", "false", "echo", "printf", "test", "[", "[[", "pwd", "exit", "return", "break", "continue",
        "shift", "set", "export", "local", "readonly", "declare", "wait", "umask", "times", "type", "jobs", "exec",
    ];
    argv.first().is_some_and(|name| {
        NAMES.contains(&name.as_str())
            || (name == "command" && matches!(argv.get(1).map(String::as_str), Some("-v" | "-V")))
    })
}

/// Returns whether a command of a call only looks.
fn is_looking(argv: &[String], footprint: &Footprint, paths: &PolicyPaths) -> bool {
    let Some(program) = argv.first().filter(|program| !program.contains('/')) else { return false };
    let Some(files) = programs::looks_at(argv, footprint.is_git_hardened) else { return false };
    // An output that a redirection writes could become a program or its configuration.
    if !footprint.writes.is_empty() || leaves_workspace(footprint, paths) {
        return false;
    }
    let directories = find_directories(footprint);
    !directories.is_empty()
        && paths.is_trusted_program(program)
        && files.iter().all(|file| {
            !file.starts_with('~')
                && directories.iter().all(|directory| paths.may_be_read(&absolute(file, Some(directory))))
        })
        && directories.iter().all(|directory| contents::have_no_credentials(argv, &files, directory))
}

/// Returns whether a script changes to a directory outside the workspace, so that what follows may run there.
pub(super) fn leaves_workspace(footprint: &Footprint, paths: &PolicyPaths) -> bool {
    let is_inside = |path: &Utf8Path| {
        paths.contains(path) && zubi_base::fs::canonical_for_creation(path).is_ok_and(|path| paths.contains(&path))
    };
    let changes = footprint.commands.iter().any(|argv| is_cd(argv));
    changes
        && !paths.roots.is_empty()
        && (!find_directories(footprint).iter().all(|path| is_inside(path))
            // `cd` alone, `cd -` and `cd ./*` lead anywhere.
            || footprint.commands.iter().any(|argv| is_cd(argv) && target(argv).is_none()))
}

fn is_cd(argv: &[String]) -> bool {
    argv.first().is_some_and(|program| program == "cd")
}

fn target(argv: &[String]) -> Option<&str> {
    let target = argv.iter().skip(1).map(String::as_str).find(|word| !word.starts_with('-'))?;
    (!target.starts_with(['~', '$']) && !target.is_empty() && !is_glob(target)).then_some(target)
}

/// Returns the directories in which the commands of a call may run.
pub(super) fn find_directories(footprint: &Footprint) -> Vec<Utf8PathBuf> {
    let mut directories: Vec<Utf8PathBuf> = footprint.directory.iter().cloned().collect();
    for target in footprint.commands.iter().filter(|argv| is_cd(argv)).filter_map(|argv| target(argv)) {
        let entered: Vec<Utf8PathBuf> = directories.iter().map(|directory| absolute(target, Some(directory))).collect();
        directories.extend(entered.into_iter().filter(|path| !directories.contains(path)).collect::<Vec<_>>());
        directories.truncate(64);
    }
    directories
}

impl PolicyPaths {
    /// Returns whether a path is in the workspace by its text.
    pub(super) fn contains(&self, path: &Utf8Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Returns whether a path is in the workspace, also with its links resolved, and no location of credentials. For a glob
    /// pattern, this holds for every path that may match.
    fn may_be_read(&self, path: &Utf8Path) -> bool {
        let may_be_read = |path: &Utf8Path| self.contains(path) && !credentials::is_credential_path(path);
        let is_inside =
            |path: &Utf8Path| zubi_base::fs::canonical_for_creation(path).is_ok_and(|path| may_be_read(&path));
        if !may_be_read(path) || !is_inside(path) {
            return false;
        }
        if !is_glob(path.as_str()) {
            return true;
        }
        // The shell follows links among the matches. A pattern in the name of a folder is not worked out.
        let Some(folder) = path.parent().filter(|folder| !is_glob(folder.as_str()) && is_inside(folder)) else {
            return false;
        };
        let (Some(pattern), Ok(entries)) = (path.file_name(), folder.read_dir_utf8()) else { return false };
        // `*` and `?` match no dot at the beginning.
        let is_match =
            |name: &str| may_become(pattern, name) && !(name.starts_with('.') && pattern.starts_with(['*', '?']));
        // A match that begins with a dash is an option.
        entries
            .flatten()
            .filter(|entry| is_match(entry.file_name()))
            .all(|entry| is_inside(entry.path()) && !entry.file_name().starts_with('-'))
    }

    /// Returns whether the shell finds a program in a directory that neither the workspace nor a call supplies. A program
    /// that does not exist cannot run.
    fn is_trusted_program(&self, name: &str) -> bool {
        let directory =
            self.search_path.iter().find(|directory| !directory.is_absolute() || directory.join(name).exists());
        directory.is_none_or(|directory| {
            let resolved = zubi_base::fs::canonical_for_creation(directory).unwrap_or_else(|_| directory.clone());
            [directory, &resolved].into_iter().all(|path| {
                path.is_absolute()
                    && !self.contains(path)
                    && !["/tmp", "/var/tmp"].iter().any(|root| path.starts_with(root))
            })
        })
    }
}
