//! The root directory of a Rust project, and the other Cargo workspaces that its server reads too.
//!
//! A workspace inside another one (`fuzz/`, an example) is a project of its own for Cargo. If its packages depend on
//! those of the outer workspace, one server reads both: as two processes they would read the outer packages twice, and
//! neither would know all uses. An inner workspace without such a dependency cannot mention the outer symbols, and gets
//! a server only when a request is about its files.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use globset::Glob;
use rustc_hash::FxHashMap;
use toml::{Table, Value};
use zubi_base::fs;

const MANIFEST: &str = "Cargo.toml";

/// The sections of dependencies in a manifest (Cargo Book, "Specifying Dependencies").
const DEPENDENCIES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// The maximum number of packages that zubi reads to find the dependencies of one workspace.
const MAX_PACKAGES: usize = 1_000;

/// The manifests of the packages below a folder, each read once.
pub(crate) struct Manifests<'a> {
    folder: &'a Utf8Path,
    read: FxHashMap<Utf8PathBuf, Option<Table>>,
}

impl<'a> Manifests<'a> {
    pub(crate) fn new(folder: &'a Utf8Path) -> Self {
        Self { folder, read: FxHashMap::default() }
    }

    /// Returns the root in which a server works for a package: its workspace, or an outer one that is linked with it.
    pub(super) fn project(&mut self, package: &Utf8Path) -> Utf8PathBuf {
        let mut root = self.workspace(package);
        let mut directory = root.clone();
        while let Some(parent) = directory.parent().filter(|parent| parent.starts_with(self.folder)) {
            directory = parent.to_owned();
            if self.manifest(&directory).is_none() {
                continue;
            }
            let outer = self.workspace(&directory);
            if outer != root && root.starts_with(&outer) && self.are_linked(&root, &outer) {
                root.clone_from(&outer);
                directory = outer;
            }
        }
        root
    }

    /// Returns the manifests that the server of a root must read if other workspaces inside it are linked with it: first
    /// its own, then theirs. Otherwise returns none, because the server finds its own. `packages` are directories with a
    /// manifest.
    pub(crate) fn linked_manifests<'p>(
        &mut self,
        root: &Utf8Path,
        packages: impl Iterator<Item = &'p Utf8Path>,
    ) -> Vec<Utf8PathBuf> {
        let mut inner = BTreeSet::new();
        for package in packages.filter(|package| package.starts_with(root)) {
            let workspace = self.workspace(package);
            if workspace != root && !inner.contains(&workspace) && self.project(&workspace) == root {
                inner.insert(workspace);
            }
        }
        if inner.is_empty() {
            return Vec::new();
        }
        std::iter::once(root.to_owned()).chain(inner).map(|directory| directory.join(MANIFEST)).collect()
    }

    /// Returns a workspace and those on whose packages it depends, directly or not.
    pub(crate) fn reachable(&mut self, workspace: &Utf8Path) -> BTreeSet<Utf8PathBuf> {
        let mut found = BTreeSet::new();
        let mut pending = vec![workspace.to_owned()];
        while let Some(next) = pending.pop() {
            if found.len() < MAX_PACKAGES && found.insert(next.clone()) {
                let packages = self.outer_dependencies(&next);
                pending.extend(packages.iter().map(|package| self.workspace(package)));
            }
        }
        found
    }

    fn are_linked(&mut self, inner: &Utf8Path, outer: &Utf8Path) -> bool {
        let is_outer = |package: &Utf8PathBuf| package.starts_with(outer) && !package.starts_with(inner);
        if self.outer_dependencies(inner).iter().any(is_outer) {
            return true;
        }
        // Cargo rejects a dependency on a package of an inner workspace, unless the outer one excludes it.
        self.manifest(outer).is_some_and(|manifest| excludes(manifest, outer, inner))
            && self.outer_dependencies(outer).iter().any(|package| package.starts_with(inner))
    }

    /// Returns the directories of the packages outside a workspace on which its packages depend by path.
    fn outer_dependencies(&mut self, workspace: &Utf8Path) -> Vec<Utf8PathBuf> {
        let mut outside = Vec::new();
        let mut seen = BTreeSet::new();
        let mut pending = self.members(workspace);
        pending.push(workspace.to_owned());
        while let Some(package) = pending.pop() {
            if seen.len() >= MAX_PACKAGES || !seen.insert(package.clone()) {
                continue;
            }
            let Some(manifest) = self.manifest(&package) else { continue };
            let paths = dependency_paths(manifest);
            for dependency in paths.into_iter().map(|path| fs::without_dots(&package.join(path))).collect::<Vec<_>>() {
                // A path dependency inside a workspace is a member of it, listed or not.
                let is_member = dependency.starts_with(workspace) && self.workspace(&dependency) == workspace;
                if is_member { pending.push(dependency) } else { outside.push(dependency) }
            }
        }
        outside
    }

    /// Returns the directories that `members` of a workspace names. A `*` matches any directory of one level.
    fn members(&mut self, workspace: &Utf8Path) -> Vec<Utf8PathBuf> {
        let Some(manifest) = self.manifest(workspace) else { return Vec::new() };
        let patterns = strings(manifest.get("workspace").and_then(|workspace| workspace.get("members")));
        let mut members = Vec::new();
        for pattern in patterns {
            let mut directories = vec![workspace.to_owned()];
            for part in Utf8Path::new(pattern) {
                directories = match Glob::new(part) {
                    Ok(glob) if part.contains(['*', '?', '[']) => {
                        let matcher = glob.compile_matcher();
                        let children = directories.iter().filter_map(|directory| directory.read_dir_utf8().ok());
                        let children = children.flatten().flatten().map(camino::Utf8DirEntry::into_path);
                        children
                            .filter(|child| child.file_name().is_some_and(|name| matcher.is_match(name)))
                            .take(MAX_PACKAGES)
                            .collect()
                    }
                    _ => directories.iter().map(|directory| directory.join(part)).collect(),
                };
            }
            members.extend(directories.iter().map(|directory| fs::without_dots(directory)));
        }
        members.truncate(MAX_PACKAGES);
        members
    }

    /// Returns the directory of the workspace that a package belongs to, as Cargo finds it (Cargo Book, "The workspace
    /// field" and "The members and exclude fields"): the manifest itself if it has `[workspace]`, else the path in
    /// `package.workspace`, else the first manifest above with `[workspace]` that does not exclude the package.
    fn workspace(&mut self, package: &Utf8Path) -> Utf8PathBuf {
        let folder = self.folder;
        let Some(manifest) = self.manifest(package) else { return package.to_owned() };
        if manifest.contains_key("workspace") {
            return package.to_owned();
        }
        if let Some(named) = manifest.get("package").and_then(|table| table.get("workspace")).and_then(Value::as_str) {
            return fs::canonical(&package.join(named))
                .ok()
                .filter(|directory| directory.starts_with(folder))
                .unwrap_or_else(|| package.to_owned());
        }
        for directory in package.ancestors().skip(1).take_while(|directory| directory.starts_with(folder)) {
            let Some(manifest) = self.manifest(directory) else { continue };
            if manifest.contains_key("workspace") {
                let is_excluded = excludes(manifest, directory, package);
                return if is_excluded { package.to_owned() } else { directory.to_owned() };
            }
        }
        package.to_owned()
    }

    fn manifest(&mut self, directory: &Utf8Path) -> Option<&Table> {
        if !self.read.contains_key(directory) {
            let manifest = fs::read_text(&directory.join(MANIFEST)).ok().and_then(|text| text.parse().ok());
            self.read.insert(directory.to_owned(), manifest);
        }
        self.read.get(directory)?.as_ref()
    }
}

/// Whether the workspace in `directory` excludes a package.
fn excludes(manifest: &Table, directory: &Utf8Path, package: &Utf8Path) -> bool {
    let excluded = strings(manifest.get("workspace").and_then(|workspace| workspace.get("exclude")));
    excluded.into_iter().any(|path| package.starts_with(fs::without_dots(&directory.join(path))))
}

/// Returns the paths of a manifest's dependencies, relative to its directory.
fn dependency_paths(manifest: &Table) -> Vec<&str> {
    let targets = tables(manifest.get("target"));
    let owners = targets.into_iter().chain([manifest]);
    let mut sections: Vec<&Table> =
        owners.flat_map(|owner| DEPENDENCIES.iter().filter_map(|name| owner.get(*name)?.as_table())).collect();
    let of_workspace = manifest.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    sections.extend(of_workspace.into_iter().chain(manifest.get("replace")).filter_map(Value::as_table));
    sections.extend(tables(manifest.get("patch")));
    let dependencies = sections.into_iter().flat_map(Table::values);
    dependencies.filter_map(|dependency| dependency.get("path")?.as_str()).collect()
}

/// Returns the tables in a table.
fn tables(table: Option<&Value>) -> Vec<&Table> {
    table.and_then(Value::as_table).into_iter().flat_map(Table::values).filter_map(Value::as_table).collect()
}

fn strings(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}
