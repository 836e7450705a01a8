//! Commands that run without approval because they only look: each is in the table of [`crate::programs`], reads only
//! files of the workspace that are not credentials, and its program is not a file that the workspace or a call supplies.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::credentials;

use crate::PolicyPaths;
use crate::footprint::Footprint;
use crate::pattern::absolute;
use crate::programs;

/// Returns whether a command of a call only looks.
pub(super) fn is_looking(argv: &[String], footprint: &Footprint, paths: &PolicyPaths) -> bool {
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
            // `cd` alone and `cd -` lead anywhere.
            || footprint.commands.iter().any(|argv| is_cd(argv) && target(argv).is_none()))
}

fn is_cd(argv: &[String]) -> bool {
    argv.first().is_some_and(|program| program == "cd")
}

fn target(argv: &[String]) -> Option<&str> {
    let target = argv.iter().skip(1).map(String::as_str).find(|word| !word.starts_with('-'))?;
    (!target.starts_with(['~', '$']) && !target.is_empty()).then_some(target)
}

/// Returns the directories in which the commands of a call may run.
fn find_directories(footprint: &Footprint) -> Vec<Utf8PathBuf> {
    let mut directories: Vec<Utf8PathBuf> = footprint.directory.iter().cloned().collect();
    for target in footprint.commands.iter().filter(|argv| is_cd(argv)).filter_map(|argv| target(argv)) {
        let entered: Vec<Utf8PathBuf> = directories.iter().map(|directory| absolute(target, Some(directory))).collect();
        directories.extend(entered.into_iter().filter(|path| !directories.contains(path)).collect::<Vec<_>>());
        directories.truncate(64);
    }
    directories
}

impl PolicyPaths {
    fn contains(&self, path: &Utf8Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Returns whether a path is in the workspace, also with its links resolved, and no location of credentials.
    fn may_be_read(&self, path: &Utf8Path) -> bool {
        let may_be_read = |path: &Utf8Path| self.contains(path) && !credentials::is_credential_path(path);
        may_be_read(path) && zubi_base::fs::canonical_for_creation(path).is_ok_and(|path| may_be_read(&path))
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
