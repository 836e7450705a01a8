//! The module of a file: the nearest `model.yaml` above it.
//!
//! A folder without one is its own module. A file of the package cache belongs to its package, with or without a
//! manifest, and never to the project that contains the cache.
//!
//! [`Modules::list`] finds modules below one another, as documented; DomainLang's original tools do not.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use dlang_model::{ModelCode, ModelDiagnostic};
use rustc_hash::FxHashMap;

use crate::files::{Bounds, CACHE, Files, Kind, LOCK, MANIFEST, ReadError, WalkGap};
use crate::lock::{self, Lock, LockMismatch};
use crate::manifest::{self, Manifest, Purpose};
use crate::paths::{append, normalize};
use crate::yaml::quote_excerpt;

/// A folder whose files belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// The folder for imports that begin at the root, and the boundary of relative ones.
    pub root: Utf8PathBuf,
    /// `None` if there is no `model.yaml`.
    pub manifest: Option<ManifestFile>,
    /// `None` if there is no `model.lock` next to the manifest.
    pub lock: Option<LockFile>,
    /// The package that contains the files.
    pub package: Option<Package>,
}

/// A `model.yaml` with its text, to which the ranges of its diagnostics refer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestFile {
    pub path: Utf8PathBuf,
    /// Empty if it could not be read.
    pub text: String,
    pub manifest: Manifest,
    /// Diagnostics of the text, then those of the comparison with the lock.
    pub diagnostics: Vec<ModelDiagnostic>,
}

/// A `model.lock` with its text, to which the ranges of its diagnostics refer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockFile {
    pub path: Utf8PathBuf,
    /// Empty if it could not be read.
    pub text: String,
    pub lock: Lock,
    pub skipped: Vec<lock::SkippedEntry>,
    pub diagnostics: Vec<ModelDiagnostic>,
}

/// A manifest or a lock as text, with its diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManifestText<'m> {
    /// The absolute path.
    pub path: &'m Utf8Path,
    /// The content; empty if it could not be read.
    pub text: &'m str,
    pub diagnostics: &'m [ModelDiagnostic],
}

/// A package in the cache of a project: `<project>/.dlang/packages/<owner>/<repo>/<commit>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Package {
    /// The folder, named after the commit.
    pub folder: Utf8PathBuf,
    /// `owner/repo`.
    pub repository: String,
    pub commit: String,
    /// The folder that contains the outermost cache.
    pub project: Utf8PathBuf,
}

impl Package {
    /// Returns the package that contains a path, by the form of the path alone.
    pub fn from_path(path: &Utf8Path) -> Option<Self> {
        let parts: Vec<&str> = path.components().map(|part| part.as_str()).collect();
        let caches: Vec<usize> =
            parts.windows(2).enumerate().filter(|(_, pair)| *pair == [CACHE, PACKAGES]).map(|(at, _)| at).collect();
        let (outermost, innermost) = (*caches.first()?, *caches.last()?);
        let join = |count: usize| parts.iter().take(count).collect::<Utf8PathBuf>();
        match parts.get(innermost + 2..innermost + 5)? {
            [owner, repo, commit] => Some(Self {
                folder: join(innermost + 5),
                repository: format!("{owner}/{repo}"),
                commit: (*commit).to_owned(),
                project: join(outermost),
            }),
            _ => None,
        }
    }

    /// Returns the folder of a package in a project's cache.
    pub(crate) fn folder(project: &Utf8Path, repository: &str, commit: &str) -> Utf8PathBuf {
        append(project, &format!("{CACHE}/{PACKAGES}/{repository}/{commit}"))
    }
}

/// The folder of the cache that holds packages.
const PACKAGES: &str = "packages";

impl Module {
    /// Returns the content of the manifest, if there is one.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref().map(|file| &file.manifest)
    }

    /// Returns the content of the lock, if there is one.
    pub fn lock(&self) -> Option<&Lock> {
        self.lock.as_ref().map(|file| &file.lock)
    }

    /// Returns the manifest, then the lock, if they exist.
    pub fn own_texts(&self) -> impl Iterator<Item = ManifestText<'_>> {
        let manifest = self.manifest.iter().map(|file| ManifestText {
            path: &file.path,
            text: &file.text,
            diagnostics: &file.diagnostics,
        });
        let lock = self.lock.iter().map(|file| ManifestText {
            path: &file.path,
            text: &file.text,
            diagnostics: &file.diagnostics,
        });
        manifest.chain(lock)
    }

    /// Returns the path of its entry, whether it exists or not; `None` if the manifest names one outside the folder.
    pub fn entry(&self) -> Option<Utf8PathBuf> {
        let relative = self.manifest().map_or(Ok(manifest::DEFAULT_ENTRY), Manifest::entry).ok()?;
        Some(append(&self.root, relative))
    }
}

/// The modules of a file system, each read once, and the imports between them ([`crate::specifier`]).
///
/// The cache is valid until [`Modules::invalidate`]: a caller that watches files calls it when a `model.yaml` or
/// `model.lock` appears, changes or disappears. Several threads may share it.
#[derive(Debug, Default)]
pub struct Modules<F> {
    pub(crate) files: F,
    /// The module of the files of each folder, if there is a manifest at or above the folder.
    nearest: Mutex<FxHashMap<Utf8PathBuf, Option<Arc<Module>>>>,
}

/// The modules below a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Sorted by root. The first may be above the folder, if the folder belongs to it.
    pub modules: Vec<ListedModule>,
    /// Models without a manifest at or above them, sorted.
    pub loose: Vec<Utf8PathBuf>,
    /// The visited folders. Creating or removing a file changes the stamp of one of them.
    pub folders: Vec<Utf8PathBuf>,
    /// The paths that the walk skipped.
    pub skipped: Vec<WalkGap>,
}

/// A module, and its models below the listed folder, sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModule {
    pub module: Arc<Module>,
    pub files: Vec<Utf8PathBuf>,
}

impl<F: Files> Modules<F> {
    pub fn new(files: F) -> Self {
        Self { files, nearest: Mutex::default() }
    }

    /// Returns the file access.
    pub fn files(&self) -> &F {
        &self.files
    }

    /// Clears the cache of manifests and locks.
    pub fn invalidate(&self) {
        self.lock_cache().clear();
    }

    /// Returns the module of a file by its absolute path. The file need not exist.
    pub fn module_of_file(&self, file: &Utf8Path) -> Arc<Module> {
        let file = normalize(file);
        let folder = file.parent().unwrap_or(&file);
        let package = Package::from_path(&file);
        let top = package.as_ref().map(|package| package.folder.as_path());
        let module = self.with_manifest(folder, top);
        module.unwrap_or_else(|| {
            let root = package.as_ref().map_or(folder, |package| &package.folder).to_owned();
            Arc::new(Module { root, manifest: None, lock: None, package })
        })
    }

    /// Returns the module whose root is exactly this folder, with or without a manifest.
    pub fn module_at(&self, folder: &Utf8Path) -> Arc<Module> {
        let folder = normalize(folder);
        self.with_manifest(&folder, Some(&folder)).filter(|module| module.root == folder).unwrap_or_else(|| {
            let package = Package::from_path(&folder);
            Arc::new(Module { root: folder, manifest: None, lock: None, package })
        })
    }

    /// Lists the modules and models at or below a folder, and the module that the folder itself belongs to.
    pub fn list(&self, folder: &Utf8Path, bounds: Bounds) -> Listing {
        let folder = normalize(folder);
        let walk = self.files.walk(&folder, bounds);
        let mut modules = BTreeMap::<Utf8PathBuf, ListedModule>::new();
        let mut loose = Vec::new();
        let above = self.module_of_file(&folder.join(MANIFEST));
        if above.manifest.is_some() {
            modules.insert(above.root.clone(), ListedModule { module: above, files: Vec::new() });
        }
        for file in walk.files {
            let module = self.module_of_file(&file);
            if module.manifest.is_none() {
                loose.push(file);
                continue;
            }
            let listed =
                modules.entry(module.root.clone()).or_insert_with(|| ListedModule { module, files: Vec::new() });
            if file.file_name() != Some(MANIFEST) {
                listed.files.push(file);
            }
        }
        Listing { modules: modules.into_values().collect(), loose, folders: walk.folders, skipped: walk.skipped }
    }

    /// Returns the module of the nearest manifest at or above a folder, but not above `top`.
    fn with_manifest(&self, folder: &Utf8Path, top: Option<&Utf8Path>) -> Option<Arc<Module>> {
        let mut visited = Vec::new();
        let mut found = None;
        for above in folder.ancestors() {
            if let Some(cached) = self.lock_cache().get(above) {
                found.clone_from(cached);
                break;
            }
            visited.push(above);
            // A manifest that cannot be read is not a missing one: it is reported, and it determines the module.
            if self.files.kind(&above.join(MANIFEST)).is_some() {
                found = Some(Arc::new(self.load(above)));
                break;
            }
            // Inside a package every search ends at the package's folder, so all files below have the same module.
            if Package::from_path(above).is_some_and(|package| package.folder == above) {
                break;
            }
        }
        let mut cache = self.lock_cache();
        for folder in visited {
            cache.insert(folder.to_owned(), found.clone());
        }
        found.filter(|module| top.is_none_or(|top| module.root.starts_with(top)))
    }

    fn load(&self, root: &Utf8Path) -> Module {
        let path = root.join(MANIFEST);
        let (text, mut parsed) = match self.read_own(root, &path, manifest::MAX_BYTES) {
            Ok(text) => {
                let parsed = manifest::read(&text, Purpose::Use);
                (text, parsed)
            }
            Err(error) => (String::new(), manifest::unreadable(&error)),
        };
        if let (Some(range), Ok(entry)) = (parsed.manifest.entry_range, parsed.manifest.entry())
            && self.files.kind(&append(root, entry)) != Some(Kind::File)
        {
            let text = format!("Entry file '{}' does not exist.", quote_excerpt(entry));
            let hint = "Create it, or let model.entry name the file that shows the model to others.";
            parsed.diagnostics.push(ModelDiagnostic::new(range, ModelCode::ManifestEntryMissing, text).hint(hint));
            parsed.diagnostics.sort_by_key(|diagnostic| diagnostic.range.start());
        }
        let lock = self.load_lock(root).map(|mut file| {
            let LockMismatch { in_manifest, in_lock } = lock::disagreements(&parsed.manifest, &file.lock);
            parsed.diagnostics.extend(in_manifest);
            file.diagnostics.extend(in_lock);
            file
        });
        let manifest = ManifestFile { path, text, manifest: parsed.manifest, diagnostics: parsed.diagnostics };
        Module { root: root.to_owned(), manifest: Some(manifest), lock, package: Package::from_path(root) }
    }

    fn load_lock(&self, root: &Utf8Path) -> Option<LockFile> {
        let path = root.join(LOCK);
        self.files.kind(&path)?;
        let (text, parsed) = match self.read_own(root, &path, lock::MAX_BYTES) {
            Ok(text) => {
                let parsed = lock::read(&text);
                (text, parsed)
            }
            Err(error) => (String::new(), lock::unreadable(&error)),
        };
        let lock::ParsedLock { lock, skipped, diagnostics } = parsed;
        Some(LockFile { path, text, lock, skipped, diagnostics })
    }

    /// Reads a file that must be inside the folder. A link out of it would add a foreign text to the folder's
    /// diagnostics.
    fn read_own(&self, root: &Utf8Path, path: &Utf8Path, max: usize) -> Result<String, ReadError> {
        match (self.files.canonical(root), self.files.canonical(path)) {
            (Some(root), Some(path)) if !path.starts_with(&root) => Err(ReadError::Outside),
            _ => self.files.read_text(path, max),
        }
    }

    fn lock_cache(&self) -> MutexGuard<'_, FxHashMap<Utf8PathBuf, Option<Arc<Module>>>> {
        // Every single step leaves the map consistent, so a thread that panicked did, too.
        self.nearest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
