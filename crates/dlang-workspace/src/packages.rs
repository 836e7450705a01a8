//! The state of a module's dependencies: compares its manifest, its lock and the package cache.
//!
//! A package is in `.dlang/packages/<owner>/<repo>/<commit>/`. The program that installed it left
//! `.dlang-metadata.json` in it: its commit, and the hash of its archive. This module compares both with the lock; it
//! cannot compute the hash again, because the archive is gone. As in DomainLang's original tools, dependencies list
//! their own dependencies.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use crate::files::{Files, ReadError};
use crate::lock::{Lock, LockEntry};
use crate::manifest::{Dependency, Manifest, Source};
use crate::modules::{Module, Modules, Package};
use crate::paths::append;
use crate::specifier::resolver::inside;

/// The metadata file that the installer leaves in a package.
pub const METADATA: &str = ".dlang-metadata.json";

/// The maximum size of such a file, in bytes.
const MAX_METADATA: usize = 64 * 1024;

/// A dependency of a manifest, and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledDependency {
    /// The name in imports.
    pub key: String,
    /// The source; `None` if the manifest does not have a usable one.
    pub origin: Option<Origin>,
    /// The entry of the lock.
    pub locked: Option<LockEntry>,
    /// The actual or expected folder, if it is known.
    pub folder: Option<Utf8PathBuf>,
    /// The problems of the dependency.
    pub findings: Vec<DependencyProblem>,
}

/// The source of a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A repository, `owner/repo`, at a ref, with overrides applied.
    Git { repository: String, reference: String },
    /// A folder or file of the module, as written.
    Path(String),
}

/// A problem of a dependency.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DependencyProblem {
    /// The manifest's row is invalid; a diagnostic reports it, too.
    #[error("{0}")]
    Broken(String),
    /// The path of a local dependency does not exist, or leads out of the module.
    #[error("there is nothing at '{0}' inside the folder of model.yaml")]
    NoFolder(String),
    /// The lock has no entry.
    #[error("model.lock has no entry for it")]
    NotLocked,
    /// The cache does not have the commit of the lock.
    #[error("the package cache does not have commit {0}")]
    NotCached(String),
    /// The folder in the cache is a link that leads out of the project.
    #[error("its folder in the package cache leads out of the project")]
    Outside,
    /// The lock was made for another ref. Imports resolve by the lock.
    #[error("model.yaml has '{declared}', and model.lock has '{locked}'")]
    OtherRef { declared: String, locked: String },
    /// The package's metadata names another commit.
    #[error("the package cache has commit {found} in the folder of {expected}")]
    OtherCommit { expected: String, found: String },
    /// The hashes of the archive differ, between manifest, lock and package.
    #[error("its integrity is {found}, and {expected} was promised")]
    OtherIntegrity { expected: String, found: String },
    /// The package has no metadata to compare.
    #[error("it cannot be checked: {0}")]
    Unchecked(String),
}

impl DependencyProblem {
    /// Whether imports of the dependency do not resolve to what the lock promises. Other problems are warnings.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, Self::OtherRef { .. } | Self::Unchecked(_))
    }
}

impl InstalledDependency {
    /// Whether it is installed without a fatal problem.
    pub fn is_there(&self) -> bool {
        !self.findings.iter().any(DependencyProblem::is_fatal)
    }
}

/// Returns the dependencies of a module in the order of its manifest; none if it has no manifest.
pub fn check<F: Files>(modules: &Modules<F>, module: &Module) -> Vec<InstalledDependency> {
    let Some(manifest) = module.manifest() else { return Vec::new() };
    let scan = DependencyScan { files: modules.files(), root: &module.root, manifest, lock: module.lock() };
    manifest.dependencies.iter().map(|dependency| scan.scan_dependency(dependency)).collect()
}

/// Returns the repositories of a lock that no dependency uses, sorted.
pub fn unused_entries(module: &Module) -> Vec<String> {
    let (Some(manifest), Some(lock)) = (module.manifest(), module.lock()) else { return Vec::new() };
    if !manifest.complete {
        // The dependency that uses the entry may be after the error.
        return Vec::new();
    }
    let required: BTreeSet<&str> =
        manifest.dependencies.iter().filter_map(|it| repository(it.source.as_ref().ok()?)).collect();
    lock.entries.keys().filter(|repository| !required.contains(repository.as_str())).cloned().collect()
}

fn repository(source: &Source) -> Option<&str> {
    match source {
        Source::Git { repository, .. } => Some(repository),
        Source::Path(_) => None,
    }
}

struct DependencyScan<'a, F> {
    files: &'a F,
    root: &'a Utf8Path,
    manifest: &'a Manifest,
    lock: Option<&'a Lock>,
}

impl<F: Files> DependencyScan<'_, F> {
    fn scan_dependency(&self, dependency: &Dependency) -> InstalledDependency {
        let mut row = InstalledDependency {
            key: dependency.key.clone(),
            origin: None,
            locked: None,
            folder: None,
            findings: Vec::new(),
        };
        match &dependency.source {
            Err(fault) => row.findings.push(DependencyProblem::Broken(fault.text())),
            Ok(Source::Path(path)) => {
                let folder = append(self.root, path);
                let there = inside(self.files, self.root, &folder).is_ok_and(|path| self.is_model(&path));
                if !there {
                    row.findings.push(DependencyProblem::NoFolder(path.clone()));
                }
                row.origin = Some(Origin::Path(path.clone()));
                row.folder = Some(folder);
            }
            Ok(Source::Git { repository, reference, .. }) => {
                let reference = self.manifest.reference(repository, reference).to_owned();
                row.locked = self.lock.and_then(|lock| lock.entries.get(repository)).cloned();
                match &row.locked {
                    None => row.findings.push(DependencyProblem::NotLocked),
                    Some(locked) => {
                        let folder = Package::folder(self.root, repository, &locked.commit);
                        row.findings = self.findings(dependency, &reference, locked, &folder);
                        row.folder = Some(folder);
                    }
                }
                row.origin = Some(Origin::Git { repository: repository.clone(), reference });
            }
        }
        row
    }

    /// Whether a path is a folder, or a file with or without its extension.
    fn is_model(&self, path: &Utf8Path) -> bool {
        self.files.kind(path).is_some() || self.files.is_file(&Utf8PathBuf::from(format!("{path}.dlang")))
    }

    fn findings(
        &self,
        dependency: &Dependency,
        reference: &str,
        locked: &LockEntry,
        folder: &Utf8Path,
    ) -> Vec<DependencyProblem> {
        let mut findings = Vec::new();
        if !locked.is_for(reference) {
            findings
                .push(DependencyProblem::OtherRef { declared: reference.to_owned(), locked: locked.reference.clone() });
        }
        let mut integrities = vec![locked.integrity.clone()];
        if let (Some(expected), Some(found)) = (&dependency.integrity, &locked.integrity)
            && expected != found
        {
            findings.push(DependencyProblem::OtherIntegrity { expected: expected.clone(), found: found.clone() });
        } else {
            integrities.push(dependency.integrity.clone());
        }
        if inside(self.files, self.root, folder).is_err() {
            findings.push(DependencyProblem::Outside);
            return findings;
        }
        if !self.files.is_directory(folder) {
            findings.push(DependencyProblem::NotCached(locked.commit.clone()));
            return findings;
        }
        match self.metadata(folder) {
            Err(reason) => findings.push(DependencyProblem::Unchecked(format!("{METADATA} {reason}"))),
            Ok(metadata) => {
                match metadata.commit {
                    Some(found) if !found.starts_with(&locked.commit) => {
                        findings.push(DependencyProblem::OtherCommit { expected: locked.commit.clone(), found });
                    }
                    _ => {}
                }
                match (integrities.into_iter().flatten().next(), metadata.integrity) {
                    (Some(expected), Some(found)) if expected != found => {
                        findings.push(DependencyProblem::OtherIntegrity { expected, found });
                    }
                    (Some(_), None) => {
                        findings.push(DependencyProblem::Unchecked(format!("{METADATA} has no integrity")));
                    }
                    _ => {}
                }
            }
        }
        findings
    }

    fn metadata(&self, folder: &Utf8Path) -> Result<Metadata, String> {
        let path = folder.join(METADATA);
        let text = match inside(self.files, self.root, &path) {
            Err(_) => return Err("leads out of the project".to_owned()),
            Ok(path) => self.files.read_text(&path, MAX_METADATA),
        };
        match text {
            Err(ReadError::NotFound) => Err("is missing".to_owned()),
            Err(error) => Err(format!("cannot be read: {error}")),
            Ok(text) => serde_json::from_str(&text).map_err(|error| format!("cannot be read: {error}")),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Metadata {
    integrity: Option<String>,
    #[serde(rename = "commitSha")]
    commit: Option<String>,
}

#[cfg(test)]
mod tests;
