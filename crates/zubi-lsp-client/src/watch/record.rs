//! The record of the files and directories of a workspace, and its comparison with the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use camino::{Utf8Path, Utf8PathBuf};
use notify::{RecursiveMode, Watcher};
use rustc_hash::{FxHashMap, FxHashSet};
use zubi_base::walk::{self, WalkOptions, is_directory};

use super::links::LinkedPaths;
use super::packages::Packages;
use super::{Mark, WatchInterests, WatchedEntry, WatchedFileChange, watch_failure_reason};
use crate::capabilities::ChangeKind;
use crate::stamp::Stamp;

/// The maximum number of files recorded, about 150 bytes each.
const MAX_FILES: usize = 200_000;

/// The changes that an examination has found, by path.
pub(super) type Changes = BTreeMap<Utf8PathBuf, ChangeKind>;

/// The known files and directories, and their watcher.
pub(super) struct Record {
    pub(super) folders: Vec<Utf8PathBuf>,
    pub(super) files: BTreeMap<Utf8PathBuf, Stamp>,
    /// The directories that the walk of a folder, of a link's target or of a package has returned.
    pub(super) directories: BTreeSet<Utf8PathBuf>,
    pub(super) watched: FxHashSet<Utf8PathBuf>,
    /// `None` if watching is impossible.
    pub(super) watcher: Option<Box<dyn Watcher + Send>>,
    /// The reason why each request must compare files.
    pub(super) failure: Option<String>,
    pub(super) interests: WatchInterests,
    pub(super) links: LinkedPaths,
    pub(super) packages: Packages,
    /// The linked git worktrees in the folders in which a server works. The walk of a folder leaves them out.
    pub(super) worktrees: BTreeSet<Utf8PathBuf>,
    /// Directories that are not watched because a limit is reached.
    pub(super) unwatched: BTreeSet<Utf8PathBuf>,
    /// Directories that were recorded and have ended, for one examination.
    ended: FxHashSet<Utf8PathBuf>,
    /// The names of visible files by directory, for one examination.
    visible: FxHashMap<Utf8PathBuf, FxHashSet<Utf8PathBuf>>,
}

impl Record {
    pub(super) fn new(folders: &[Utf8PathBuf], interests: WatchInterests) -> Self {
        Self {
            folders: folders.to_vec(),
            files: BTreeMap::new(),
            directories: BTreeSet::new(),
            watched: FxHashSet::default(),
            watcher: None,
            failure: None,
            interests,
            links: LinkedPaths::default(),
            packages: Packages::default(),
            worktrees: BTreeSet::new(),
            unwatched: BTreeSet::new(),
            ended: FxHashSet::default(),
            visible: FxHashMap::default(),
        }
    }

    /// Records the present files without reporting them.
    pub(super) fn begin(&mut self) {
        for folder in self.folders.clone() {
            self.compare(&folder, &mut Changes::new());
            self.packages.projects.insert(folder);
        }
        self.examine_links(&mut Changes::new());
        self.examine_projects(false, &mut Changes::new());
        self.examine_links(&mut Changes::new());
        self.links.through.clear();
    }

    /// Records and watches the present files of a linked git worktree without reporting them.
    pub(super) fn add_worktree(&mut self, worktree: &Utf8Path) {
        if self.worktrees.insert(worktree.to_owned()) {
            self.compare(worktree, &mut Changes::new());
            self.packages.projects.insert(worktree.to_owned());
        }
    }

    /// Returns the changes of the marked paths, or of all paths if `compare_all` is set.
    pub(super) fn examine(
        &mut self,
        marked: &FxHashMap<Utf8PathBuf, Mark>,
        compare_all: bool,
    ) -> Vec<WatchedFileChange> {
        let mut changes = Changes::new();
        self.visible = FxHashMap::default();
        let mut rules_changed = false;
        let mut paths: Vec<_> = marked.iter().collect();
        paths.sort_by(|a, b| a.0.cmp(b.0));
        for (path, mark) in paths {
            rules_changed |= matches!(path.file_name(), Some(".gitignore" | ".ignore" | ".git"));
            self.examine_one(path, *mark, &mut changes);
        }
        if compare_all || rules_changed {
            // The comparison below determines it again: other programs share the limits, and start and end.
            if self.watcher.is_some() {
                self.failure = None;
            }
            let scanned = self.folders.iter().chain(&self.links.scanned).chain(&self.worktrees);
            for directory in scanned.cloned().collect::<Vec<_>>() {
                self.compare(&directory, &mut changes);
            }
            self.examine_all_packages();
        }
        self.examine_links(&mut changes);
        self.examine_projects(true, &mut changes);
        // Packages may be links to the workspace's own.
        self.examine_links(&mut changes);
        self.with_other_paths(changes)
    }

    /// Returns the changes with those of the other paths by which the workspace reaches the same files.
    fn with_other_paths(&mut self, changes: Changes) -> Vec<WatchedFileChange> {
        let mut all = BTreeMap::new();
        for (path, kind) in changes {
            for other in self.links.other_paths(&path) {
                // A link to a file is a file of the record.
                if let Some(stamp) = self.files.get_mut(&other) {
                    *stamp = Stamp::from_file(&other).unwrap_or(*stamp);
                }
                let entry = WatchedEntry::OtherPath(path.clone());
                all.entry(other.clone()).or_insert(WatchedFileChange { path: other, kind, entry });
            }
            let entry = if let Some(real) = self.links.through.remove(&path) {
                WatchedEntry::OtherPath(real)
            } else if self.packages.contains(&path) {
                WatchedEntry::Package
            } else if self.directories.contains(&path) || self.ended.contains(&path) {
                WatchedEntry::Directory
            } else {
                WatchedEntry::File
            };
            all.insert(path.clone(), WatchedFileChange { path, kind, entry });
        }
        self.links.through.clear();
        self.ended.clear();
        all.into_values().collect()
    }

    fn examine_one(&mut self, path: &Utf8Path, mark: Mark, changes: &mut Changes) {
        if self.examine_package_path(path, mark, changes) {
            return;
        }
        let is_link = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        if self.links.contains(path) || is_link && !walk::is_generated(path.as_std_path()) && self.is_visible(path) {
            self.links.pending.insert(path.to_owned());
        }
        match std::fs::metadata(path) {
            Err(_) => self.remove_path(path, changes),
            Ok(metadata) if metadata.is_dir() => {
                if is_link || !mark.appeared && self.watched.contains(path) {
                    return;
                }
                if self.is_visible(path) {
                    self.compare(path, changes);
                } else {
                    self.examine_hidden_directory(path, changes);
                }
            }
            Ok(metadata) if metadata.is_file() => {
                let stamp = Stamp::from_metadata(&metadata);
                match self.files.get_mut(path) {
                    Some(recorded) => {
                        if mark.written || *recorded != stamp {
                            *recorded = stamp;
                            changes.insert(path.to_owned(), ChangeKind::Changed);
                        }
                    }
                    None => {
                        if self.is_visible(path) || self.is_named(path) || self.links.has_target(path) {
                            self.remember(path, stamp);
                            changes.insert(path.to_owned(), ChangeKind::Created);
                        }
                    }
                }
            }
            // A socket or a pipe has replaced a file.
            Ok(_) => self.remove_path(path, changes),
        }
    }

    /// Examines a directory that the walk leaves out: one with packages, or one that leads to a link's target.
    fn examine_hidden_directory(&mut self, path: &Utf8Path, changes: &mut Changes) {
        if let Some(parent) = path.parent()
            && self.directories.contains(parent)
        {
            self.packages.projects.insert(parent.to_owned());
        }
        for link in self.links.links_into(path) {
            self.links.pending.insert(link);
        }
        if self.links.scanned.contains(path) {
            self.compare(path, changes);
        }
    }

    /// Whether a file must be recorded although it is ignored: it has the name of a project's file.
    fn is_named(&self, path: &Utf8Path) -> bool {
        path.file_name().is_some_and(|name| self.interests.project_files.contains(name))
            && path.parent().is_some_and(|parent| self.directories.contains(parent))
    }

    /// Records that a file or a whole directory was deleted.
    pub(super) fn remove_path(&mut self, path: &Utf8Path, changes: &mut Changes) {
        if self.files.remove(path).is_some() {
            changes.insert(path.to_owned(), ChangeKind::Deleted);
        }
        for file in paths_under(&self.files, path) {
            self.files.remove(&file);
            changes.insert(file, ChangeKind::Deleted);
        }
        for directory in self.directories_in(path) {
            self.remove_directory(&directory, changes);
        }
        self.remove_packages(path, changes);
        if self.watched.contains(path) {
            self.watched.retain(|directory| !directory.starts_with(path));
        }
    }

    /// Returns a recorded directory and those below it.
    pub(super) fn directories_in(&self, path: &Utf8Path) -> Vec<Utf8PathBuf> {
        // Paths are compared by their components, so those below a directory follow it directly.
        let from_own = self.directories.range::<Utf8Path, _>((Bound::Included(path), Bound::Unbounded));
        from_own.take_while(|other| other.starts_with(path)).cloned().collect()
    }

    fn remove_directory(&mut self, directory: &Utf8Path, changes: &mut Changes) {
        self.directories.remove(directory);
        self.ended.insert(directory.to_owned());
        changes.insert(directory.to_owned(), ChangeKind::Deleted);
    }

    /// Examines everything below a directory and watches it.
    pub(super) fn compare(&mut self, directory: &Utf8Path, changes: &mut Changes) {
        let mut missing: FxHashSet<Utf8PathBuf> = paths_under(&self.files, directory).into_iter().collect();
        let mut ended: BTreeSet<Utf8PathBuf> = self.directories_in(directory).into_iter().collect();
        for worktree in
            self.worktrees.iter().filter(|worktree| *worktree != directory && worktree.starts_with(directory))
        {
            missing.retain(|path| !path.starts_with(worktree));
            ended.retain(|path| !path.starts_with(worktree));
        }
        for entry in walk::entries(directory, WalkOptions::default()) {
            let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
            if is_directory(&entry) {
                ended.remove(path);
                self.enter_directory(path, changes);
                continue;
            }
            if entry.path_is_symlink() && !walk::is_generated(path.as_std_path()) {
                self.links.pending.insert(path.to_owned());
            }
            let Some(stamp) = Stamp::from_file(path) else { continue };
            missing.remove(path);
            self.compare_file(path, stamp, changes);
        }
        let mut missing: Vec<_> = missing.into_iter().collect();
        missing.sort();
        for path in missing {
            let stamp = Stamp::from_file(&path);
            if let Some(stamp) = stamp
                && (self.is_named(&path) || self.links.has_target(&path) || self.packages.has_file(&path))
            {
                // An ignored file that is recorded for another reason.
                self.compare_file(&path, stamp, changes);
                continue;
            }
            self.files.remove(&path);
            // If the file exists, it is ignored now, which is not a deletion for a server.
            if stamp.is_none() {
                changes.insert(path, ChangeKind::Deleted);
            }
        }
        for path in ended {
            if path.is_dir() {
                self.directories.remove(&path);
            } else {
                self.remove_directory(&path, changes);
            }
        }
    }

    fn enter_directory(&mut self, path: &Utf8Path, changes: &mut Changes) {
        self.watch(path);
        if self.directories.insert(path.to_owned()) {
            changes.insert(path.to_owned(), ChangeKind::Created);
        }
    }

    pub(super) fn compare_file(&mut self, path: &Utf8Path, stamp: Stamp, changes: &mut Changes) {
        match self.files.get_mut(path) {
            Some(recorded) if *recorded == stamp => {}
            Some(recorded) => {
                *recorded = stamp;
                changes.insert(path.to_owned(), ChangeKind::Changed);
            }
            None => {
                self.remember(path, stamp);
                changes.insert(path.to_owned(), ChangeKind::Created);
            }
        }
    }

    pub(super) fn remember(&mut self, path: &Utf8Path, stamp: Stamp) {
        if let (Some(name), Some(parent)) = (path.file_name(), path.parent())
            && self.interests.project_files.contains(name)
            && self.directories.contains(parent)
        {
            self.packages.projects.insert(parent.to_owned());
        }
        if self.files.len() < MAX_FILES {
            self.files.insert(path.to_owned(), stamp);
        } else if self.failure.is_none() {
            // The other files are still watched; only a lost event would be missed.
            tracing::warn!("more than {MAX_FILES} files in the workspace: not all are recorded");
        }
    }

    /// Watches a directory. Does nothing if it is watched.
    pub(super) fn watch(&mut self, directory: &Utf8Path) {
        let Some(watcher) = &mut self.watcher else { return };
        match watcher.watch(directory.as_std_path(), RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.watched.insert(directory.to_owned());
            }
            // The directory was deleted since it was listed, or is not readable, so nothing in it was seen either.
            Err(error) if is_missing_or_inaccessible(&error) => {
                tracing::debug!(%directory, %error, "a directory cannot be watched");
            }
            Err(error) => self.failure = Some(watch_failure_reason(&error)),
        }
    }

    /// Whether a path is in a walked directory and not ignored. Reads the rules once for each directory and
    /// examination.
    pub(super) fn is_visible(&mut self, path: &Utf8Path) -> bool {
        let Some(parent) = path.parent() else { return false };
        if !self.directories.contains(parent) {
            return false;
        }
        if !self.visible.contains_key(parent) {
            let children = walk::entries(parent, WalkOptions { depth: Some(1), ..WalkOptions::default() })
                .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
                .collect::<FxHashSet<_>>();
            self.visible.insert(parent.to_owned(), children);
        }
        self.visible.get(parent).is_some_and(|children| children.contains(path))
    }
}

/// Returns the recorded paths below a directory.
pub(super) fn paths_under<T>(paths: &BTreeMap<Utf8PathBuf, T>, directory: &Utf8Path) -> Vec<Utf8PathBuf> {
    // Paths are compared by their components, so those below a directory follow it directly. A search beyond the first other
    // path would cost the number of all files for each new directory.
    paths
        .range::<Utf8Path, _>((Bound::Included(directory), Bound::Unbounded))
        .map(|(path, _)| path)
        .take_while(|path| path.starts_with(directory))
        .cloned()
        .collect()
}

fn is_missing_or_inaccessible(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => {
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied)
        }
        _ => false,
    }
}
