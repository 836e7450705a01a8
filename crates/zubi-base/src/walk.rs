//! The source files of a workspace, without generated files. All code that walks over sources uses this module, so that
//! search, watching, detection and checks see the same files.

use camino::{Utf8Path, Utf8PathBuf};
use ignore::{DirEntry, WalkBuilder};

/// Directories of generated files, by the names that version control, package managers and build tools use. Not every
/// project lists them in `.gitignore`. Language servers skip them or watch them on their own.
pub const GENERATED: &[&str] = &[
    ".cache",
    ".git",
    ".hg",
    ".jj",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "node_modules",
    "target",
    "venv",
];

/// Options of a walk. The default is the whole tree in the disk's order.
#[derive(Debug, Clone, Copy, Default)]
pub struct WalkOptions {
    /// The maximum depth in directories; the start directory is 0.
    pub depth: Option<usize>,
    /// Whether to sort by file name within a directory, which requires reading whole directories first.
    pub sorted: bool,
}

/// Returns all entries below a directory, including itself, except those that `.gitignore` and `.ignore` exclude (even
/// outside a repository) and the directories of [`GENERATED`]. Includes hidden files, because root markers and some
/// source directories (`.github`) begin with a dot. Does not follow links. Skips unreadable entries.
pub fn entries(directory: &Utf8Path, order: WalkOptions) -> impl Iterator<Item = DirEntry> {
    builder(directory, order).build().filter_map(Result::ok)
}

/// Returns the configured walk of [`entries`], for callers that walk on several threads.
pub fn builder(directory: &Utf8Path, order: WalkOptions) -> WalkBuilder {
    let mut walk = WalkBuilder::new(directory);
    walk.hidden(false).require_git(false).follow_links(false).max_depth(order.depth).filter_entry(|entry| {
        // The start directory is included even if its name is in the list.
        entry.depth() == 0 || !is_generated(entry)
    });
    if order.sorted {
        walk.sort_by_file_name(Ord::cmp);
    }
    walk
}

/// Returns the regular files with UTF-8 names among [`entries`].
pub fn files(directory: &Utf8Path, order: WalkOptions) -> impl Iterator<Item = Utf8PathBuf> {
    entries(directory, order)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
}

/// Whether [`entries`] below `directory` include a path. Lists only the directories on the way to it.
pub fn includes(directory: &Utf8Path, path: &Utf8Path) -> bool {
    let wanted = path.to_owned();
    let mut walk = builder(directory, WalkOptions::default());
    walk.filter_entry(move |entry| {
        entry.depth() == 0 || wanted.as_std_path().starts_with(entry.path()) && !is_generated(entry)
    });
    walk.build().filter_map(Result::ok).any(|entry| entry.path() == path)
}

/// Whether an entry is a directory of generated files.
fn is_generated(entry: &DirEntry) -> bool {
    entry.file_name().to_str().is_some_and(|name| GENERATED.contains(&name)) && is_directory(entry)
}

/// Whether an entry is a directory and not a link to one.
pub fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_and_generated_files_are_skipped() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap();
        for (path, text) in [
            (".gitignore", "made/\n"),
            (".github/run.py", ""),
            ("made/x.py", ""),
            ("node_modules/p/index.js", ""),
            ("src/target", "a file of that name is a file"),
            ("src/a.rs", ""),
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            crate::fs::write_atomic(&root.join(path), text.as_bytes()).unwrap();
        }
        std::os::unix::fs::symlink("/", root.join("everything")).unwrap();
        let list_files = |depth| {
            let files = files(root, WalkOptions { depth, sorted: true });
            files.map(|path| path.strip_prefix(root).unwrap().to_string()).collect::<Vec<_>>().join(" ")
        };
        insta::assert_snapshot!(list_files(None), @".github/run.py .gitignore src/a.rs src/target");
        insta::assert_snapshot!(list_files(Some(1)), @".gitignore");
        assert_eq!(files(&root.join("node_modules"), WalkOptions::default()).count(), 1, "requested by name");
        let included = ["src/a.rs", ".github/run.py", "made/x.py", "node_modules/p/index.js", "src/absent.rs"]
            .map(|path| includes(root, &root.join(path)));
        assert_eq!(included, [true, true, false, false, false]);
    }
}
