//! The symbolic links of a workspace: the other paths by which it reaches a file.
//!
//! The operating system reports a change under one path only, and a server knows a file under the path by which it
//! found it. A link's target outside the folders, or in an ignored directory, is walked and watched like a folder.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use zubi_base::walk::{self, WalkOptions};

use super::record::{Changes, Record, paths_under};
use crate::capabilities::ChangeKind;
use crate::stamp::Stamp;

/// The maximum number of links recorded. Each change is compared with each of them.
const MAX_LINKS: usize = 1000;

/// The maximum number of files and directories in a link's target outside the folders.
const MAX_TARGET_ENTRIES: usize = 20_000;

/// The maximum number of other paths of one file. Links that lead to each other make their number infinite.
const MAX_OTHER_PATHS: usize = 16;

/// The links that the walk has found.
#[derive(Default)]
pub(super) struct LinkedPaths {
    /// Link → target, resolved if it exists.
    targets: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    /// Links to examine.
    pub(super) pending: BTreeSet<Utf8PathBuf>,
    /// The changes that a link's own appearance or end causes: path through the link → path without it.
    pub(super) through: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    /// Targets that are walked in addition to the folders.
    pub(super) scanned: BTreeSet<Utf8PathBuf>,
}

impl LinkedPaths {
    pub(super) fn contains(&self, link: &Utf8Path) -> bool {
        self.targets.contains_key(link)
    }

    /// Whether a link leads to exactly this path.
    pub(super) fn has_target(&self, path: &Utf8Path) -> bool {
        self.targets.values().any(|target| target == path)
    }

    /// Returns the links whose targets are in a directory.
    pub(super) fn links_into(&self, directory: &Utf8Path) -> Vec<Utf8PathBuf> {
        let leads = self.targets.iter().filter(|(_, target)| target.starts_with(directory));
        leads.map(|(link, _)| link.clone()).collect()
    }

    /// Returns the other paths by which the workspace reaches a path.
    pub(super) fn other_paths(&self, path: &Utf8Path) -> Vec<Utf8PathBuf> {
        let mut found: Vec<Utf8PathBuf> = Vec::new();
        let mut next = 0;
        let mut current = path.to_owned();
        loop {
            for (link, target) in &self.targets {
                let Ok(rest) = current.strip_prefix(target) else { continue };
                let other = if rest.as_str().is_empty() { link.clone() } else { link.join(rest) };
                if other != path && !found.contains(&other) {
                    found.push(other);
                }
            }
            match found.get(next) {
                Some(other) if found.len() < MAX_OTHER_PATHS => current.clone_from(other),
                _ => break,
            }
            next += 1;
        }
        found.truncate(MAX_OTHER_PATHS);
        found
    }
}

impl Record {
    /// Examines the links that have appeared, vanished or changed. Their targets' walks may find more.
    pub(super) fn examine_links(&mut self, changes: &mut Changes) {
        while let Some(link) = self.links.pending.pop_first() {
            self.examine_link(&link, changes);
        }
    }

    fn examine_link(&mut self, link: &Utf8Path, changes: &mut Changes) {
        let target = link_target(link).filter(|target| !link.starts_with(target));
        let previous = self.links.targets.get(link).cloned();
        if let Some(target) = &target
            && !self.files.contains_key(target)
            && !self.directories.contains(target)
        {
            self.follow_target(target);
        }
        if previous == target {
            return;
        }
        let before = previous.as_deref().map(|target| self.paths_through(link, target)).unwrap_or_default();
        let after = target.as_deref().map(|target| self.paths_through(link, target)).unwrap_or_default();
        for (path, real) in &before {
            if !after.contains_key(path) {
                changes.insert(path.clone(), ChangeKind::Deleted);
                self.links.through.insert(path.clone(), real.clone());
            }
        }
        for (path, real) in after {
            let kind = if before.contains_key(&path) { ChangeKind::Changed } else { ChangeKind::Created };
            changes.insert(path.clone(), kind);
            self.links.through.insert(path, real);
        }
        match target {
            Some(target) if self.links.targets.len() < MAX_LINKS || previous.is_some() => {
                self.links.targets.insert(link.to_owned(), target);
            }
            _ => drop(self.links.targets.remove(link)),
        }
    }

    /// Returns the paths that a link to a directory adds, each with the path without the link. A link to a file is itself
    /// a file of the record.
    fn paths_through(&self, link: &Utf8Path, target: &Utf8Path) -> BTreeMap<Utf8PathBuf, Utf8PathBuf> {
        let known = self.directories_in(target).into_iter().chain(paths_under(&self.files, target));
        let through = known.filter_map(|path| {
            let rest = path.strip_prefix(target).ok()?;
            let through = if rest.as_str().is_empty() { link.to_owned() } else { link.join(rest) };
            Some((through, path))
        });
        through.collect()
    }

    /// Watches a link's target that the walk of the folders does not reach.
    fn follow_target(&mut self, target: &Utf8Path) {
        if self.folders.iter().any(|folder| folder.starts_with(target)) {
            return;
        }
        match std::fs::metadata(target) {
            // Its files become known under the link's path, which is what is reported.
            Ok(metadata) if metadata.is_dir() => {
                if self.links.scanned.contains(target) {
                    return;
                }
                if walk::entries(target, WalkOptions::default()).nth(MAX_TARGET_ENTRIES).is_some() {
                    self.unwatched.insert(target.to_owned());
                    return;
                }
                self.links.scanned.insert(target.to_owned());
                self.compare(target, &mut Changes::new());
            }
            Ok(metadata) if metadata.is_file() => {
                self.compare_file(target, Stamp::from_metadata(&metadata), &mut Changes::new());
                self.watch_parent(target);
            }
            Ok(_) => {}
            // It may appear, and with it the link's file.
            Err(_) => self.watch_parent(target),
        }
    }

    /// Watches the nearest existing directory above a path, unless it is watched or above a folder.
    fn watch_parent(&mut self, path: &Utf8Path) {
        let Some(parent) = path.ancestors().skip(1).find(|parent| parent.is_dir()) else { return };
        if !self.watched.contains(parent) && !self.folders.iter().any(|folder| folder.starts_with(parent)) {
            self.watch(parent);
        }
    }
}

/// Returns the target of a link, resolved if it exists; `None` if the path is not a link.
fn link_target(link: &Utf8Path) -> Option<Utf8PathBuf> {
    let written = link.read_link_utf8().ok()?;
    if let Ok(target) = link.canonicalize_utf8() {
        return Some(target);
    }
    let mut target = Utf8PathBuf::new();
    for component in link.parent()?.join(written).components() {
        match component {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => drop(target.pop()),
            other => target.push(other),
        }
    }
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_to_each_other_have_a_bounded_number_of_paths() {
        let links = [("/w/a/b", "/w/c"), ("/w/c/d", "/w/a"), ("/w/e", "/w/a/x")];
        let targets = links.map(|(link, target)| (Utf8PathBuf::from(link), Utf8PathBuf::from(target))).into();
        let links = LinkedPaths { targets, ..LinkedPaths::default() };
        assert_eq!(links.other_paths(Utf8Path::new("/w/z")), Vec::<Utf8PathBuf>::new());
        assert!(links.other_paths(Utf8Path::new("/w/a/x")).contains(&Utf8PathBuf::from("/w/e")));
        assert_eq!(links.other_paths(Utf8Path::new("/w/c/f")).len(), MAX_OTHER_PATHS);
    }
}
