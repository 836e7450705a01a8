//! Credentials that a command would print although none of its words names them: in folders that it searches, behind
//! patterns, and in files that begin as a private key does.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::credentials::{self, FileSearch, SearchScope};

use super::git;
use crate::command_words::matches;
use crate::pattern::absolute;
use crate::programs::{self, PassedFiles};

/// Returns whether the files that a command reads in a directory contain no credentials. `files` are its words that are
/// paths.
pub(super) fn have_no_credentials(argv: &[String], files: &[String], directory: &Utf8Path) -> bool {
    let paths: Vec<Utf8PathBuf> = files.iter().map(|file| absolute(file, Some(directory))).collect();
    if !git::has_no_credentials(argv, directory) {
        return false;
    }
    if let Some(options) = programs::search_options(argv) {
        let [globs, types] = [&options.globs, &options.types].map(|values| values.iter().map(String::as_str).collect());
        let (globs, types): (Vec<_>, Vec<_>) = (globs, types);
        let search = FileSearch { globs: &globs, types: &types, scope: options.scope };
        let Some(expanded) = paths.iter().map(|path| matches::expand(path)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let mut folders: Vec<Utf8PathBuf> = expanded.into_iter().flatten().filter(|path| path.is_dir()).collect();
        if files.is_empty() {
            folders.push(directory.to_owned());
        }
        // Hidden files of the whole folder are those of git, editors and tools, whose names say little about their contents.
        let is_whole = options.scope.has_hidden
            && globs.iter().all(|glob| glob.starts_with('!'))
            && folders.iter().any(|folder| directory.starts_with(folder));
        if is_whole || folders.iter().any(|folder| search.find_credentials(folder).is_some()) {
            return false;
        }
    }
    if let Some(PassedFiles { folders, names, may_be_links }) = programs::passed_files(argv) {
        let search = FileSearch { globs: &names, types: &[], scope: SearchScope::ALL };
        let folders = if folders.is_empty() { vec!["."] } else { folders };
        let is_unsafe = |folder: &Utf8Path| {
            search.find_credentials(folder).is_some() || (may_be_links && search.find_link(folder).is_some())
        };
        if folders.iter().any(|folder| is_unsafe(&absolute(folder, Some(directory)))) {
            return false;
        }
    }
    // `diff` compares the files of two directories.
    let compares_directories =
        argv.first().is_some_and(|name| name == "diff") && paths.iter().any(|path| path.is_dir());
    !compares_directories
        && paths.iter().all(|path| matches::expand(path).is_some_and(|files| !files.iter().any(|file| has_key(file))))
}

/// Returns whether a file, or the file to which a link leads, begins as a private key does.
pub(crate) fn has_key(path: &Utf8Path) -> bool {
    zubi_base::fs::canonical(path).is_ok_and(|path| credentials::has_private_key(&path))
}
