//! Files whose contents a command prints although no word names them: below the folders that it searches, and in a repository
//! of git.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::credentials::{self, FileSearch, FoundFiles};
use zubi_base::git_index;

use super::{git_paths, matches};
use crate::pattern::absolute;
use crate::programs::{self, ContentSearch, ContentSource};

/// The maximum number of files with credentials that a prompt names for one command.
const MAX_NAMED: usize = 8;

/// Returns the files that a command searches and that are wanted, from a directory; `None` if it searches nothing.
pub(super) fn find_files(
    argv: &[String],
    directory: &Utf8Path,
    is_wanted: &dyn Fn(&Utf8Path) -> bool,
) -> Option<FoundFiles> {
    let search = programs::content_search(argv)?;
    Some(match search.source {
        ContentSource::Folders => search_folders(&search, directory, is_wanted),
        ContentSource::Tracked => search_index(argv, &search, directory, is_wanted, true),
        ContentSource::Changes { is_past } => search_index(argv, &search, directory, is_wanted, !is_past),
    })
}

/// Returns files with credentials that a command prints without naming them, and whether there may be others. Changes that
/// git prints have no contents of such files, see `git_start` in `zubi-tools`.
pub(super) fn find_credentials(argv: &[String], directory: &Utf8Path) -> Option<FoundFiles> {
    let search = programs::content_search(argv)?;
    let is_wanted = |path: &Utf8Path| {
        !is_of_package(path) && (credentials::is_credential_path(path) || credentials::is_unnamed_key(path))
    };
    let mut found = match search.source {
        ContentSource::Folders => search_folders(&search, directory, &is_wanted),
        ContentSource::Tracked => search_index(argv, &search, directory, &is_wanted, true),
        ContentSource::Changes { .. } => return None,
    };
    found.is_complete &= found.paths.len() <= MAX_NAMED;
    found.paths.truncate(MAX_NAMED);
    Some(found)
}

/// Returns whether a file belongs to an installed package, so that everyone has the same.
fn is_of_package(path: &Utf8Path) -> bool {
    path.components().any(|name| ["node_modules", "site-packages", "dist-packages"].contains(&name.as_str()))
}

fn search_folders(search: &ContentSearch, directory: &Utf8Path, is_wanted: &dyn Fn(&Utf8Path) -> bool) -> FoundFiles {
    let [globs, types] = [&search.options.globs, &search.options.types]
        .map(|values| values.iter().map(String::as_str).collect::<Vec<_>>());
    let file_search = FileSearch { globs: &globs, types: &types, scope: search.options.scope };
    let mut folders: Vec<Utf8PathBuf> = search.paths.iter().map(|path| absolute(path, Some(directory))).collect();
    if folders.is_empty() {
        folders.push(directory.to_owned());
    }
    let mut all = FoundFiles { paths: Vec::new(), is_complete: true };
    let mut expanded = Vec::new();
    for folder in folders {
        match matches::expand(&folder) {
            Some(mut paths) => expanded.append(&mut paths),
            None => all.is_complete = false,
        }
    }
    for folder in expanded.iter().filter(|folder| folder.is_dir()) {
        let mut found = file_search.find_files(folder, is_wanted);
        all.paths.append(&mut found.paths);
        all.is_complete &= found.is_complete;
    }
    all
}

/// Returns the tracked files that a command of git reads. `is_exact`: it reads no other files.
fn search_index(
    argv: &[String],
    search: &ContentSearch,
    directory: &Utf8Path,
    is_wanted: &dyn Fn(&Utf8Path) -> bool,
    is_exact: bool,
) -> FoundFiles {
    let directory = git_paths::find_directory(argv, Some(directory)).unwrap_or_else(|| directory.to_owned());
    let Some((work_tree, index)) = git_index::find_index(&directory) else {
        return FoundFiles { paths: Vec::new(), is_complete: true };
    };
    let Some(tracked) = git_index::tracked_paths(&index) else { return FoundFiles::default() };
    let specs = Pathspecs::new(&search.paths, &directory, &work_tree);
    let paths =
        tracked.iter().map(|path| work_tree.join(path)).filter(|path| specs.may_include(path) && is_wanted(path));
    FoundFiles { paths: paths.collect(), is_complete: is_exact }
}

/// The paths to which words limit a command of git.
struct Pathspecs {
    included: Vec<Utf8PathBuf>,
    excluded: Vec<Utf8PathBuf>,
    /// Whether a word is a pattern or has other magic.
    has_patterns: bool,
}

impl Pathspecs {
    fn new(words: &[String], directory: &Utf8Path, work_tree: &Utf8Path) -> Self {
        let mut specs = Self { included: Vec::new(), excluded: Vec::new(), has_patterns: false };
        for word in words {
            if let Some(path) = excluded_path(word) {
                specs.excluded.push(absolute(path, Some(directory)));
            } else if word.contains(['*', '?', '[', ':']) {
                specs.has_patterns = true;
            } else {
                let path = absolute(word, Some(directory));
                // Other words are revisions, or the values of options.
                if path.exists() && path.starts_with(work_tree) {
                    specs.included.push(path);
                }
            }
        }
        specs
    }

    fn may_include(&self, path: &Utf8Path) -> bool {
        let is_below = |folders: &[Utf8PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
        let is_limited = !self.included.is_empty() && !self.has_patterns;
        (!is_limited || is_below(&self.included)) && !is_below(&self.excluded)
    }
}

/// Returns the path that a pathspec excludes: `:!x`, `:^x`, `:(exclude)x`.
pub(super) fn excluded_path(word: &str) -> Option<&str> {
    let path = [":(exclude)", ":!", ":^"].iter().find_map(|magic| word.strip_prefix(magic))?;
    (!path.contains(['*', '?', '[', '(', ':']) && !path.starts_with(['/', '!', '^'])).then_some(path)
}
