//! Searches by other programs: whether ripgrep would read a file with credentials.

use std::fs::FileType;

use camino::{Utf8Path, Utf8PathBuf};
use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;
use ignore::types::TypesBuilder;

/// The maximum number of entries of a search. A search over more files may reach anything.
const MAX_ENTRIES: usize = 50_000;

/// A search with the defaults of ripgrep: it skips hidden files and those that `.gitignore` excludes, unless a pattern
/// names them.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileSearch<'a> {
    /// The values of `-g`.
    pub globs: &'a [&'a str],
    /// The values of `-t`.
    pub types: &'a [&'a str],
    pub scope: SearchScope,
}

/// Files that a search reads in addition to those of [`FileSearch`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchScope {
    pub has_hidden: bool,
    /// Whether it reads files that `.gitignore` and similar files exclude.
    pub has_ignored: bool,
    pub follows_links: bool,
}

impl SearchScope {
    /// All files, but not those behind links.
    pub const ALL: Self = Self { has_hidden: true, has_ignored: true, follows_links: false };
}

/// The files of a search that were looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundFiles {
    pub paths: Vec<Utf8PathBuf>,
    /// Whether the search reads no other files: it is not too large, and its patterns are valid.
    pub is_complete: bool,
}

impl FileSearch<'_> {
    /// Finds files that the search reads below a folder.
    pub fn find_files(&self, folder: &Utf8Path, is_wanted: &dyn Fn(&Utf8Path) -> bool) -> FoundFiles {
        let mut found = FoundFiles::default();
        let Some(walk) = self.walk(folder) else { return found };
        for (number, entry) in walk.build().filter_map(Result::ok).enumerate() {
            if number >= MAX_ENTRIES {
                return found;
            }
            let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
            if entry.file_type().is_some_and(|kind| kind.is_file()) && is_wanted(path) {
                found.paths.push(path.to_owned());
            }
        }
        found.is_complete = true;
        found
    }

    /// Finds a file with credentials that the search reads below a folder, by its name. Returns the folder if the search
    /// is too large, or invalid.
    pub fn find_credentials(&self, folder: &Utf8Path) -> Option<Utf8PathBuf> {
        self.find(folder, |path, kind| {
            kind.is_file() && (super::is_credential_path(path) || super::is_unnamed_key(path))
        })
    }

    /// Finds a link that the search would reach. Returns the folder if the search is too large, or invalid.
    pub fn find_link(&self, folder: &Utf8Path) -> Option<Utf8PathBuf> {
        self.find(folder, |_, kind| kind.is_symlink())
    }

    fn find(&self, folder: &Utf8Path, is_match: impl Fn(&Utf8Path, FileType) -> bool) -> Option<Utf8PathBuf> {
        let Some(walk) = self.walk(folder) else { return Some(folder.to_owned()) };
        for (number, entry) in walk.build().filter_map(Result::ok).enumerate() {
            if number >= MAX_ENTRIES {
                return Some(folder.to_owned());
            }
            let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
            if entry.file_type().is_some_and(|kind| is_match(path, kind)) {
                return Some(path.to_owned());
            }
        }
        None
    }

    /// Prepares the walk of a search; `None` if a pattern is invalid.
    fn walk(&self, folder: &Utf8Path) -> Option<WalkBuilder> {
        let mut overrides = OverrideBuilder::new(folder);
        for glob in self.globs {
            overrides.add(glob).ok()?;
        }
        let mut types = TypesBuilder::new();
        types.add_defaults();
        for name in self.types {
            types.select(name);
        }
        let mut walk = WalkBuilder::new(folder);
        walk.overrides(overrides.build().ok()?).types(types.build().ok()?);
        walk.hidden(!self.scope.has_hidden).follow_links(self.scope.follows_links);
        if self.scope.has_ignored {
            walk.ignore(false).git_ignore(false).git_global(false).git_exclude(false).parents(false);
        } else {
            walk.add_custom_ignore_filename(".rgignore");
        }
        Some(walk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a path without `.`.
    fn normal(path: &Utf8Path) -> Utf8PathBuf {
        path.components().collect()
    }

    #[test]
    fn a_search_that_reads_credentials_is_known() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap();
        for path in [".git/x", ".env", "src/a.rs", "conf/secrets.yml", "hidden/server.key", ".ci/.env.local"] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            crate::fs::write_atomic(&root.join(path), b"").unwrap();
        }
        crate::fs::write_atomic(&root.join(".gitignore"), b"hidden\n").unwrap();
        for (folder, globs, types, expected) in [
            ("src", &[] as &[&str], &[] as &[&str], ""),
            (".", &[], &["rust"], ""),
            (".", &["*.rs"], &[], ""),
            (".", &["!conf"], &[], ""),
            (".", &["*.yml"], &[], "conf/secrets.yml"),
            (".", &[], &["yaml"], "conf/secrets.yml"),
            (".", &[], &[], "conf/secrets.yml"),
            // A pattern finds hidden and ignored files.
            (".", &[".*", "!conf"], &[], ".env"),
            (".", &[".[e]nv"], &[], ".env"),
            // A folder that the command names is searched in any case.
            ("hidden", &[], &[], "hidden/server.key"),
            ("hidden", &["*.key"], &[], "hidden/server.key"),
            (".", &["["], &[], "."),
            (".", &[], &["unknown-type"], "."),
        ] {
            let search = FileSearch { globs, types, ..FileSearch::default() };
            let found = search.find_credentials(&root.join(folder));
            let expected = (!expected.is_empty()).then(|| root.join(expected));
            assert_eq!(found.as_deref().map(normal), expected.as_deref().map(normal), "{folder} {globs:?} {types:?}");
        }
        let all = SearchScope { has_hidden: true, has_ignored: true, follows_links: false };
        for (globs, scope, expected) in [
            (&[] as &[&str], SearchScope::default(), "conf/secrets.yml"),
            (&[], SearchScope { has_hidden: true, ..SearchScope::default() }, ".ci/.env.local .env conf/secrets.yml"),
            (&[], all, ".ci/.env.local .env conf/secrets.yml hidden/server.key"),
            (&["*.key", "*.yml"], all, "conf/secrets.yml hidden/server.key"),
            (&["!conf", "!.*"], all, "hidden/server.key"),
        ] {
            let search = FileSearch { globs, types: &[], scope };
            let mut found = search.find_files(root, &crate::credentials::is_credential_path);
            found.paths.sort_unstable();
            let paths: Vec<&str> =
                found.paths.iter().filter_map(|path| path.strip_prefix(root).ok()).map(Utf8Path::as_str).collect();
            assert_eq!((paths.join(" ").as_str(), found.is_complete), (expected, true), "{globs:?} {scope:?}");
        }
        std::fs::remove_file(root.join("conf/secrets.yml")).unwrap();
        let scope = |has_hidden, has_ignored| SearchScope { has_hidden, has_ignored, follows_links: false };
        for (scope, globs, expected) in [
            (scope(false, false), &[] as &[&str], false),
            (scope(true, false), &[], true),
            (scope(false, true), &[], true),
            (scope(true, true), &["*.rs"], false),
            (scope(true, true), &["!hidden/", "!.ci/", "!.env/"], true),
        ] {
            let search = FileSearch { globs, types: &[], scope };
            assert_eq!(search.find_credentials(root).is_some(), expected, "{scope:?} {globs:?}");
        }
    }
}
