//! The source files of a workspace, without generated files. All code that walks over sources uses this module, so that
//! search, watching, detection and checks see the same files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::sync::lock;
use crate::worktree::is_linked_worktree;

/// Directories of generated files, by the names that version control, package managers and build tools use. Not every
/// project lists them in `.gitignore`. Language servers skip them or watch them on their own.
const GENERATED: &[&str] = &[
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
];

/// Names of directories of generated files that may also be those of sources: with a file inside it, or one beside it,
/// that shows that a tool has made the directory.
const POSSIBLY_GENERATED: &[(&str, &[&str], &[&str])] = &[
    ("target", &["CACHEDIR.TAG"], &["Cargo.toml", "build.sbt", "pom.xml", "project.clj"]),
    ("venv", &["pyvenv.cfg"], &[]),
];

/// Whether a directory, which may be a link, has generated files only. Looks for a few files.
pub fn is_generated(directory: &Path) -> bool {
    let Some(name) = directory.file_name().and_then(OsStr::to_str) else { return false };
    GENERATED.contains(&name)
        || POSSIBLY_GENERATED.iter().any(|(known, inside, beside)| {
            *known == name
                && (inside.iter().any(|file| directory.join(file).exists())
                    || beside.iter().any(|file| directory.with_file_name(file).exists()))
        })
}

/// Whether a file of this name can show that a directory beside it has generated files; see [`is_generated`].
pub fn is_project_marker(name: &str) -> bool {
    POSSIBLY_GENERATED.iter().any(|(_, _, beside)| beside.contains(&name))
}

/// The size of a file and the time of its last change; `None` if it cannot be examined.
pub type RuleStamp = Option<(u64, SystemTime)>;

/// Returns the stamp of a file.
pub fn rule_stamp(path: &Path) -> RuleStamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// The file with the user's own rules for all repositories (`core.excludesFile` of git).
#[derive(Debug, Default)]
pub struct UserRules {
    /// The path, with the stamps of git's configuration from which it was read.
    known: Mutex<Option<(Vec<RuleStamp>, Option<PathBuf>)>>,
}

impl UserRules {
    /// Returns the path, whether the file exists or not. Reads git's configuration again only after it has changed.
    pub fn path(&self) -> Option<PathBuf> {
        self.path_by(&crate::env::git_configuration_files(), ignore::gitignore::gitconfig_excludes_path)
    }

    fn path_by(&self, configuration: &[PathBuf], read: impl FnOnce() -> Option<PathBuf>) -> Option<PathBuf> {
        // Before the reading, so that a later change is noticed.
        let stamps: Vec<RuleStamp> = configuration.iter().map(|file| rule_stamp(file)).collect();
        let mut known = lock(&self.known);
        match &*known {
            Some((known, path)) if *known == stamps => path.clone(),
            _ => known.insert((stamps, read())).1.clone(),
        }
    }
}

/// Options of a walk. The default is the whole tree in the disk's order.
#[derive(Debug, Clone, Copy, Default)]
pub struct WalkOptions {
    /// The maximum depth in directories; the start directory is 0.
    pub depth: Option<usize>,
    /// Whether to sort by file name within a directory, which requires reading whole directories first.
    pub sorted: bool,
    /// Whether to enter linked git worktrees, which are workspaces of their own; see [`crate::worktree`].
    pub worktrees: bool,
}

/// Returns all entries below a directory, including itself, except those that `.gitignore` and `.ignore` exclude (even
/// outside a repository), those that [`is_generated`] recognizes, and those in linked git worktrees. Includes hidden
/// files, because root markers and some source directories (`.github`) begin with a dot. Does not follow links. Skips
/// unreadable entries.
pub fn entries(directory: &Utf8Path, order: WalkOptions) -> impl Iterator<Item = DirEntry> {
    builder(directory, order).build().filter_map(Result::ok)
}

/// Returns the configured walk of [`entries`], for callers that walk on several threads.
pub fn builder(directory: &Utf8Path, order: WalkOptions) -> WalkBuilder {
    let mut walk = WalkBuilder::new(directory);
    walk.hidden(false).require_git(false).follow_links(false).max_depth(order.depth).filter_entry(move |entry| {
        // The start directory is included in any case.
        entry.depth() == 0 || !is_omitted(entry, order.worktrees)
    });
    if is_linked_worktree(directory.as_std_path()) {
        // Git applies no rules from outside a working tree.
        walk.parents(false);
    }
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

/// Returns those of some paths that [`entries`] below `directory` omit, apart from worktrees. Lists only the directories
/// on the way to them.
pub fn find_omitted(directory: &Utf8Path, paths: impl IntoIterator<Item = Utf8PathBuf>) -> BTreeSet<Utf8PathBuf> {
    let mut omitted: BTreeSet<_> = paths.into_iter().collect();
    let on_the_way: BTreeSet<Utf8PathBuf> =
        omitted.iter().flat_map(|path| path.ancestors()).map(Utf8Path::to_owned).collect();
    let options = WalkOptions { worktrees: true, ..WalkOptions::default() };
    let is_on_the_way = move |path: &Path| Utf8Path::from_path(path).is_some_and(|path| on_the_way.contains(path));
    let mut walk = builder(directory, options);
    walk.filter_entry(move |entry| entry.depth() == 0 || is_on_the_way(entry.path()) && !is_omitted(entry, true));
    for entry in walk.build().filter_map(Result::ok) {
        if let Some(path) = Utf8Path::from_path(entry.path()) {
            omitted.remove(path);
        }
    }
    omitted
}

fn is_omitted(entry: &DirEntry, with_worktrees: bool) -> bool {
    is_directory(entry) && (is_generated(entry.path()) || !with_worktrees && is_linked_worktree(entry.path()))
}

/// Whether an entry is a directory and not a link to one.
pub fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// Whether files in a directory, which need not exist, would be untracked files of a git repository: the directory is in
/// the working tree and no rule of git ignores it (gitignore(5)).
pub fn is_unignored_by_git(directory: &Utf8Path) -> bool {
    let Some(tree) = directory.ancestors().find(|ancestor| ancestor.join(".git").exists()) else { return false };
    let is_ignored = |rules: &Gitignore| {
        let verdict = rules.matched_path_or_any_parents(directory, true);
        (!verdict.is_none()).then(|| verdict.is_ignore())
    };
    // The rules nearest to the file count most.
    let own = directory.ancestors().skip(1).take_while(|ancestor| ancestor.starts_with(tree)).find_map(|ancestor| {
        let (rules, _unreadable) = Gitignore::new(ancestor.join(".gitignore"));
        is_ignored(&rules)
    });
    let of_repository = || {
        let mut rules = GitignoreBuilder::new(tree);
        let _unreadable = rules.add(tree.join(".git/info/exclude"));
        rules.build().ok().and_then(|rules| is_ignored(&rules))
    };
    let of_user = || {
        let (rules, _unreadable) = Gitignore::global();
        let relative = directory.strip_prefix(tree).ok()?;
        let verdict = rules.matched(relative, true);
        (!verdict.is_none()).then(|| verdict.is_ignore())
    };
    !own.or_else(of_repository).or_else(of_user).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_that_git_ignores() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap();
        assert!(!is_unignored_by_git(&root.join("target")), "no repository");
        for (path, text) in
            [(".git/info/exclude", "/kept/made\n"), (".gitignore", "/target\nout\n"), ("inner/.gitignore", "!out\n")]
        {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            crate::fs::write_atomic(&root.join(path), text.as_bytes()).unwrap();
        }
        let unignored = ["target", "inner/target", "a/out", "a/out/b", "inner/out", "kept/made", "kept"]
            .into_iter()
            .filter(|path| is_unignored_by_git(&root.join(path)));
        assert_eq!(unignored.collect::<Vec<_>>(), ["inner/target", "inner/out", "kept"]);
    }

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
            ("app/target/base.py", "a source directory"),
            ("app/venv/a.py", ""),
            ("rust/Cargo.toml", ""),
            ("rust/target/debug/a.rs", ""),
            ("java/target/CACHEDIR.TAG", ""),
            ("py/venv/pyvenv.cfg", ""),
            ("src/a.rs", ""),
            (".claude/worktrees/x/.git", "gitdir: /r/.git/worktrees/x\n"),
            (".claude/worktrees/x/src/a.rs", ""),
            ("sub/.git", "gitdir: ../.git/modules/sub\n"),
            ("sub/b.rs", ""),
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            crate::fs::write_atomic(&root.join(path), text.as_bytes()).unwrap();
        }
        std::os::unix::fs::symlink("/", root.join("everything")).unwrap();
        let list_files = |depth| {
            let files = files(root, WalkOptions { depth, sorted: true, worktrees: false });
            files.map(|path| path.strip_prefix(root).unwrap().to_string()).collect::<Vec<_>>().join(" ")
        };
        insta::assert_snapshot!(list_files(None), @".github/run.py .gitignore app/target/base.py app/venv/a.py rust/Cargo.toml src/a.rs src/target sub/.git sub/b.rs");
        insta::assert_snapshot!(list_files(Some(1)), @".gitignore");
        assert_eq!(files(&root.join("node_modules"), WalkOptions::default()).count(), 1, "requested by name");
        let paths = ["src/a.rs", ".github/run.py", "made/x.py", "node_modules/p/index.js", "src/absent.rs"];
        let omitted = find_omitted(root, paths.map(|path| root.join(path)));
        let expected = ["made/x.py", "node_modules/p/index.js", "src/absent.rs"].map(|path| root.join(path));
        assert_eq!(omitted, BTreeSet::from(expected));
    }

    #[test]
    fn the_configuration_of_git_is_read_again_after_a_change() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("config");
        let path = Utf8Path::from_path(&file).unwrap();
        let rules = UserRules::default();
        let reads = std::cell::Cell::new(0);
        let find = || {
            rules.path_by(std::slice::from_ref(&file), || {
                reads.set(reads.get() + 1);
                Some(PathBuf::from(crate::fs::read_text(path).ok()?))
            })
        };
        assert_eq!((find(), find(), reads.get()), (None, None, 1));
        for text in ["/first", "/second"] {
            crate::fs::write_atomic(path, text.as_bytes()).unwrap();
            assert_eq!((find(), find()), (Some(PathBuf::from(text)), Some(PathBuf::from(text))));
        }
        assert_eq!(reads.get(), 3);
    }
}
