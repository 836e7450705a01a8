//! The directories of installed packages. The walk leaves them out, because most projects ignore them and they have more
//! files than all else.
//!
//! zubi watches only their top levels, where package managers put and replace whole packages, and the inside of those
//! packages that came while it runs. It does not notice a change deep in a package that was there before.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::record::{Changes, Record, paths_under};
use super::{Mark, WatchCounts};
use crate::capabilities::ChangeKind;
use crate::stamp::Stamp;

/// The directories in which package managers install packages, each package in a directory or file of its own.
pub(crate) const PACKAGE_DIRECTORIES: &[&str] = &["node_modules", "site-packages", "dist-packages"];

/// The directories of environments, relative to a project, of which not all have such a directory.
const ENVIRONMENTS: &[&str] = &[".venv", "venv", "env", ".env", ".conda", ".pixi/envs/default"];

/// The maximum number of directories watched for packages.
const MAX_PACKAGE_WATCHES: usize = 2000;

/// The maximum number of changes in packages that one request reports. Beyond it, zubi reports whole packages.
const MAX_REPORTED: usize = 5000;

/// The known packages.
#[derive(Default)]
pub(super) struct Packages {
    /// Directory of packages → its entries, with their stamps.
    entries: BTreeMap<Utf8PathBuf, BTreeMap<Utf8PathBuf, Stamp>>,
    /// The directories of Python environments, and those in them that lead to packages. A change there may create a
    /// directory of packages.
    skeletons: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    /// Directories inside packages that came while zubi runs.
    inner: BTreeSet<Utf8PathBuf>,
    /// Directories whose packages must be searched.
    pub(super) projects: BTreeSet<Utf8PathBuf>,
    /// Directories of packages whose entries must be compared, and packages that must be read.
    pending: BTreeSet<Utf8PathBuf>,
    /// The directories watched for packages.
    watches: FxHashSet<Utf8PathBuf>,
}

impl Packages {
    /// Whether a path is a directory of packages or in one.
    pub(super) fn contains(&self, path: &Utf8Path) -> bool {
        path.ancestors().any(|directory| {
            self.entries.contains_key(directory) || directory.file_name().is_some_and(is_package_directory)
        })
    }

    /// Whether a file is recorded as that of a package or an environment.
    pub(super) fn has_file(&self, path: &Utf8Path) -> bool {
        let Some(parent) = path.parent() else { return false };
        self.inner.contains(parent) || self.entries.contains_key(parent) || self.skeletons.contains_key(parent)
    }
}

impl Record {
    /// Handles an event about packages; returns `false` for any other.
    pub(super) fn examine_package_path(&mut self, path: &Utf8Path, mark: Mark, changes: &mut Changes) -> bool {
        if mark.appeared && (self.packages.entries.contains_key(path) || self.packages.skeletons.contains_key(path)) {
            // Another directory has replaced it, which is not watched.
            self.remove_packages(path, changes);
        }
        let packages = &mut self.packages;
        let Some(parent) = path.parent() else { return false };
        if let Some(entries) = packages.entries.get_mut(parent) {
            if mark.appeared
                && let Some(stamp) = entries.get_mut(path)
            {
                // Even if the new package has the stamp of the old one.
                *stamp = Stamp::default();
            }
            packages.pending.insert(parent.to_owned());
            return true;
        }
        if packages.inner.contains(parent) {
            packages.pending.insert(parent.to_owned());
            return true;
        }
        if let Some(environment) = packages.skeletons.get(parent).or_else(|| packages.skeletons.get(path)) {
            packages.pending.insert(environment.clone());
            // The end of an environment is that of its files, too.
            return path.exists();
        }
        false
    }

    /// Begins to watch directories of packages that a server reads, anywhere on the machine.
    pub(super) fn add_packages(&mut self, directories: &[Utf8PathBuf]) {
        for directory in directories {
            if directory.is_dir() && !self.packages.entries.contains_key(directory) {
                self.enter_packages(directory, false, &mut Changes::new());
            }
        }
    }

    pub(super) fn counts(&self) -> WatchCounts {
        WatchCounts {
            directories: self.watched.len(),
            packages: self.packages.watches.len(),
            package_limit: MAX_PACKAGE_WATCHES,
            unwatched: self.unwatched.len(),
        }
    }

    /// Compares all directories of packages.
    pub(super) fn examine_all_packages(&mut self) {
        let packages = &mut self.packages;
        let all = packages.entries.keys().chain(&packages.inner).chain(packages.skeletons.values()).cloned();
        packages.pending = all.collect();
        packages.projects.extend(self.folders.iter().cloned());
    }

    /// Searches new projects for packages, and compares the packages with the disk. Does not report packages that it
    /// finds first if `report` is not set.
    pub(super) fn examine_projects(&mut self, report: bool, changes: &mut Changes) {
        while let Some(project) = self.packages.projects.pop_first() {
            self.examine_project(&project, report, changes);
        }
        while let Some(directory) = self.packages.pending.pop_last() {
            if let Some(environment) = self.packages.skeletons.get(&directory).cloned()
                && environment == directory
            {
                self.examine_environment(&environment, report, changes);
            } else if self.packages.entries.contains_key(&directory) {
                self.compare_packages(&directory, report, changes);
            } else if self.packages.inner.contains(&directory) {
                self.read_package(&directory, changes);
            }
        }
    }

    fn examine_project(&mut self, project: &Utf8Path, report: bool, changes: &mut Changes) {
        let names: FxHashSet<String> =
            entries(project).iter().filter_map(|path| path.file_name().map(str::to_owned)).collect();
        for name in PACKAGE_DIRECTORIES.iter().filter(|name| names.contains(**name)) {
            let directory = project.join(name);
            if directory.is_dir() && !self.packages.entries.contains_key(&directory) {
                self.enter_packages(&directory, report, changes);
            }
        }
        let has_first = |name: &&&str| name.split('/').next().is_some_and(|first| names.contains(first));
        for name in ENVIRONMENTS.iter().filter(has_first) {
            let environment = project.join(name);
            if environment.is_dir() && !self.packages.skeletons.contains_key(&environment) {
                self.examine_environment(&environment, report, changes);
            }
        }
        let vendor = project.join("vendor");
        if names.contains("vendor") && !self.directories.contains(&vendor) && vendor.join("modules.txt").is_file() {
            // `go mod vendor` fills it; its packages are nested.
            self.read_inner(&vendor, report, changes);
        }
        for name in
            names.iter().filter(|name| self.interests.project_files.contains(*name)).cloned().collect::<Vec<_>>()
        {
            let file = project.join(&name);
            if !self.files.contains_key(&file)
                && let Some(stamp) = Stamp::from_file(&file)
            {
                let mut found = Changes::new();
                self.compare_file(&file, stamp, &mut found);
                if report {
                    changes.append(&mut found);
                }
            }
        }
    }

    /// Finds the directories of packages of a Python environment.
    fn examine_environment(&mut self, environment: &Utf8Path, report: bool, changes: &mut Changes) {
        if !environment.is_dir() {
            return;
        }
        let libraries = environment.join("lib");
        let pythons = subdirectories(&libraries).into_iter();
        let pythons: Vec<_> =
            pythons.filter(|path| path.file_name().is_some_and(|name| name.starts_with("py"))).collect();
        let skeleton = [environment.to_owned(), libraries].into_iter().chain(pythons.iter().cloned());
        for directory in skeleton.filter(|directory| directory.is_dir()) {
            if self.directories.contains(&directory) {
                continue;
            }
            self.packages.skeletons.insert(directory.clone(), environment.to_owned());
            self.watch_packages(&directory);
        }
        let marker = environment.join("pyvenv.cfg");
        if let Some(stamp) = Stamp::from_file(&marker) {
            let mut found = Changes::new();
            self.compare_file(&marker, stamp, &mut found);
            if report {
                changes.append(&mut found);
            }
        } else if self.files.remove(&marker).is_some() {
            changes.insert(marker, ChangeKind::Deleted);
        }
        for python in pythons {
            let packages = python.join("site-packages");
            if packages.is_dir() && !self.packages.entries.contains_key(&packages) {
                self.enter_packages(&packages, report, changes);
            }
        }
    }

    /// Begins to watch a directory of packages.
    pub(super) fn enter_packages(&mut self, directory: &Utf8Path, report: bool, changes: &mut Changes) {
        if self.directories.contains(directory) {
            // It is not ignored, so it is watched as a whole.
            return;
        }
        self.packages.entries.insert(directory.to_owned(), BTreeMap::new());
        self.watch_packages(directory);
        if report {
            changes.insert(directory.to_owned(), ChangeKind::Created);
        }
        self.compare_packages(directory, report, changes);
    }

    /// Compares the top level of a directory of packages.
    fn compare_packages(&mut self, directory: &Utf8Path, report: bool, changes: &mut Changes) {
        if !directory.is_dir() {
            self.remove_packages(directory, changes);
            return;
        }
        let present = package_entries(directory);
        let known = self.packages.entries.insert(directory.to_owned(), present.clone()).unwrap_or_default();
        for path in known.keys().filter(|path| !present.contains_key(*path)) {
            self.remove_package(path, changes);
        }
        for (path, stamp) in present {
            let is_scope = path.file_name().is_some_and(|name| name.starts_with('@'));
            match known.get(&path) {
                Some(previous) if *previous == stamp => {}
                _ if is_scope => {
                    if !self.packages.entries.contains_key(&path) {
                        self.enter_packages(&path, report, changes);
                    }
                }
                previous => {
                    // A package of the workspace itself, or one of a package manager's store.
                    let is_own = path.is_symlink()
                        && path.canonicalize_utf8().is_ok_and(|target| self.directories.contains(&target));
                    if is_own {
                        self.links.pending.insert(path.clone());
                    } else if report {
                        let kind = if previous.is_some() { ChangeKind::Changed } else { ChangeKind::Created };
                        self.report_package(&path, kind, changes);
                    }
                }
            }
        }
    }

    /// Reports a package that came or was replaced, and watches it.
    fn report_package(&mut self, path: &Utf8Path, kind: ChangeKind, changes: &mut Changes) {
        changes.insert(path.to_owned(), kind);
        if !path.is_dir() {
            return;
        }
        if kind == ChangeKind::Changed {
            // Another directory of this name, which is not watched.
            self.packages.watches.retain(|directory| !directory.starts_with(path));
            self.watched.retain(|directory| !directory.starts_with(path));
        }
        let was_read = !self.packages.inner.insert(path.to_owned());
        self.read_package(path, changes);
        if kind == ChangeKind::Changed && !was_read {
            // zubi did not know the files of the old package, but a server may: TypeScript (7.0) does not read a known
            // file again that is reported as created.
            let inside = changes.range_mut(path.to_owned()..).take_while(|(file, _)| file.starts_with(path));
            for (_, kind) in inside.filter(|(file, kind)| **kind == ChangeKind::Created && !file.is_dir()) {
                *kind = ChangeKind::Changed;
            }
        }
    }

    /// Compares one directory inside a package, and those below it that are new.
    fn read_package(&mut self, directory: &Utf8Path, changes: &mut Changes) {
        if directory.is_dir() {
            self.read_inner(directory, true, changes);
        } else {
            self.remove_package(directory, changes);
        }
    }

    fn read_inner(&mut self, directory: &Utf8Path, report: bool, changes: &mut Changes) {
        let mut directories = vec![directory.to_owned()];
        while let Some(directory) = directories.pop() {
            self.packages.inner.insert(directory.clone());
            self.watch_packages(&directory);
            let mut present = BTreeSet::new();
            for path in entries(&directory) {
                if path.file_name().is_some_and(|name| name == "__pycache__") {
                    continue;
                }
                present.insert(path.clone());
                if path.is_dir() {
                    if !path.is_symlink() && !self.packages.inner.contains(&path) {
                        if report && changes.len() < MAX_REPORTED {
                            changes.insert(path.clone(), ChangeKind::Created);
                        }
                        directories.push(path);
                    }
                } else if let Some(stamp) = Stamp::from_file(&path) {
                    let mut found = Changes::new();
                    self.compare_file(&path, stamp, &mut found);
                    if report && changes.len() < MAX_REPORTED {
                        changes.append(&mut found);
                    }
                }
            }
            let known = paths_under(&self.files, &directory).into_iter();
            let known: Vec<_> = known.filter(|path| path.parent() == Some(&directory)).collect();
            for path in known.into_iter().filter(|path| !present.contains(path)) {
                self.files.remove(&path);
                changes.insert(path, ChangeKind::Deleted);
            }
            let inner = self.packages.inner.iter().filter(|path| path.parent() == Some(&directory)).cloned();
            for path in inner.collect::<Vec<_>>() {
                if !present.contains(&path) {
                    self.remove_package(&path, changes);
                }
            }
        }
    }

    /// Records that a package, or a directory in it, has ended.
    fn remove_package(&mut self, path: &Utf8Path, changes: &mut Changes) {
        changes.insert(path.to_owned(), ChangeKind::Deleted);
        for file in paths_under(&self.files, path) {
            self.files.remove(&file);
            changes.insert(file, ChangeKind::Deleted);
        }
        if self.links.contains(path) {
            self.links.pending.insert(path.to_owned());
        }
        self.remove_packages(path, changes);
    }

    /// Forgets the packages in a directory that has ended, and reports their end.
    pub(super) fn remove_packages(&mut self, path: &Utf8Path, changes: &mut Changes) {
        let packages = &mut self.packages;
        if packages.watches.is_empty() {
            return;
        }
        let ended: Vec<_> = packages.entries.keys().filter(|directory| directory.starts_with(path)).cloned().collect();
        for directory in ended {
            for package in packages.entries.remove(&directory).unwrap_or_default().into_keys() {
                changes.insert(package, ChangeKind::Deleted);
            }
            changes.insert(directory, ChangeKind::Deleted);
        }
        packages.skeletons.retain(|directory, _| !directory.starts_with(path));
        packages.inner.retain(|directory| !directory.starts_with(path));
        packages.watches.retain(|directory| !directory.starts_with(path));
        self.watched.retain(|directory| !directory.starts_with(path));
    }

    fn watch_packages(&mut self, directory: &Utf8Path) {
        if self.packages.watches.contains(directory) {
            return;
        }
        if self.packages.watches.len() >= MAX_PACKAGE_WATCHES {
            self.unwatched.insert(directory.to_owned());
            return;
        }
        self.watch(directory);
        self.packages.watches.insert(directory.to_owned());
    }
}

/// Whether package managers install packages in directories of this name.
pub(crate) fn is_package_directory(name: &str) -> bool {
    PACKAGE_DIRECTORIES.contains(&name)
}

/// Returns the packages in a directory, without the package managers' own and temporary files.
fn package_entries(directory: &Utf8Path) -> BTreeMap<Utf8PathBuf, Stamp> {
    let is_package = |path: &Utf8PathBuf| {
        path.file_name().is_some_and(|name| !name.starts_with(['.', '~']) && name != "__pycache__")
    };
    let stamped = |path: Utf8PathBuf| Some((std::fs::symlink_metadata(&path).ok()?, path));
    entries(directory)
        .into_iter()
        .filter(is_package)
        .filter_map(stamped)
        .map(|(metadata, path)| (path, stamp_of(&metadata)))
        .collect()
}

/// Returns the stamp of a package. A directory's own changes when a program puts a cache into it.
fn stamp_of(metadata: &std::fs::Metadata) -> Stamp {
    if metadata.is_dir() { Stamp::of_directory(metadata) } else { Stamp::from_metadata(metadata) }
}

fn subdirectories(directory: &Utf8Path) -> Vec<Utf8PathBuf> {
    entries(directory).into_iter().filter(|path| path.is_dir()).collect()
}

fn entries(directory: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Ok(found) = directory.read_dir_utf8() else { return Vec::new() };
    found.filter_map(Result::ok).map(camino::Utf8DirEntry::into_path).collect()
}
