//! The workspace: the object that the command, the server, the tools and the endpoint query.
//!
//! It connects files and model: it finds the files of its roots, follows their imports, replaces them with unsaved
//! text, and compares the disk on [`Workspace::refresh`]. Queries run on a [`WorkspaceSnapshot`], on any thread.
//!
//! # Content
//!
//! A folder contributes every model below it, whatever its module, except the names in `.gitignore` and generated
//! folders; a file contributes itself; both contribute everything that they import, transitively. Packages of the cache
//! are loaded when they are imported. Files that are no longer reachable are dropped.
//!
//! # Freshness
//!
//! Nothing is watched here. A late watcher makes answers stale without a sign, so a query that must be fresh calls
//! [`Workspace::refresh`] first: it compares the stamps of the files and folders in use, in microseconds each. Callers
//! with a watcher use it to decide when that is worthwhile ([`crate::watch`]).

mod loading;
mod parallel;
mod positions;
mod problems;
mod snapshot;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use dlang_model::{ImportProblem, ModelChange, ModelHost};

use crate::files::{Bounds, CachedFiles, EXTENSION, Files as _, Kind, LOCK, MANIFEST, Overlay, ReadError, WalkGap};
use crate::files::{MemoryFiles, SharedFiles, Stamp};
use crate::modules::Modules;
use crate::paths::normalize;

pub use positions::{LinePosition, PositionFinder};
pub use problems::{LocatedDiagnostic, RelatedRange};
pub use snapshot::WorkspaceSnapshot;

/// The maximum size of a model, in bytes.
pub const MAX_MODEL_BYTES: usize = 64 * 1024 * 1024;

/// A root of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// Every model below the folder, and what they import. The path is absolute.
    Folder(Utf8PathBuf),
    /// The file and what it imports. The path is absolute.
    File(Utf8PathBuf),
}

impl Root {
    /// Returns the path as given.
    pub fn path(&self) -> &Utf8Path {
        match self {
            Self::Folder(path) | Self::File(path) => path,
        }
    }
}

/// The progress of loading, in files. The total grows while imports lead to new files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Files that were read.
    pub loaded: usize,
    /// Files known to belong to the workspace.
    pub total: usize,
}

/// A callback for progress, which can stop the work.
pub type Watch<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;

/// The reason why a workspace cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// A root does not exist.
    #[error("{0} does not exist")]
    NotFound(Utf8PathBuf),
    /// A root that should be a folder is something else.
    #[error("{0} is not a folder")]
    NotAFolder(Utf8PathBuf),
    /// A root that should be a model is something else.
    #[error("{0} is not a DomainLang file: its name does not end in .dlang")]
    NotAModel(Utf8PathBuf),
    /// A root that should be a file is something else.
    #[error("{0} is not a file")]
    NotAFile(Utf8PathBuf),
    /// The callback stopped the work.
    #[error("interrupted")]
    Interrupted,
}

/// The files of some roots and everything they import, as they are on disk and in editors.
pub struct Workspace {
    roots: Vec<Root>,
    overlay: Arc<Overlay>,
    modules: Modules<CachedFiles<Arc<Overlay>>>,
    host: ModelHost,
    /// Every file of the model.
    sources: BTreeMap<Utf8PathBuf, Source>,
    /// Files that belong to the workspace even if nothing imports them.
    listed: BTreeSet<Utf8PathBuf>,
    /// The last stamps of folders, manifests and locks.
    stamps: BTreeMap<Utf8PathBuf, Option<Stamp>>,
    /// Paths that the walks skipped, each with its folder.
    cuts: Vec<(Utf8PathBuf, WalkGap)>,
    /// All folders of the files, for watching.
    folders: Arc<BTreeSet<Utf8PathBuf>>,
    view: Arc<snapshot::View>,
}

/// A file of the model.
#[derive(Debug, Default)]
struct Source {
    /// The stamp when the file was read.
    stamp: Option<Stamp>,
    /// The reason why the text in the model differs from the file.
    fault: Option<ReadError>,
    /// Targets of its imports.
    imports: BTreeMap<String, Result<Utf8PathBuf, ImportProblem>>,
}

/// The files whose imports are resolved again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Resolve {
    /// The new imports of files that were read.
    New,
    /// Also unresolved imports, because there is a new file.
    Unresolved,
    /// All imports, because a file is gone or a manifest changed.
    All,
}

impl Workspace {
    /// Finds and reads all files.
    pub fn load(files: SharedFiles, roots: Vec<Root>, watch: &mut Watch<'_>) -> Result<Self, LoadError> {
        let roots = roots.into_iter().map(|root| check_root(&files, root)).collect::<Result<Vec<Root>, LoadError>>()?;
        let overlay = Arc::new(Overlay::new(files));
        let mut workspace = Self {
            roots,
            modules: Modules::new(CachedFiles::new(Arc::clone(&overlay))),
            overlay,
            host: ModelHost::new(),
            sources: BTreeMap::new(),
            listed: BTreeSet::new(),
            stamps: BTreeMap::new(),
            cuts: Vec::new(),
            folders: Arc::default(),
            view: Arc::default(),
        };
        workspace.list();
        let files = workspace.listed.iter().cloned().collect();
        match workspace.load_to_fixpoint(files, Resolve::All, watch) {
            ControlFlow::Continue(_) => Ok(workspace),
            ControlFlow::Break(()) => Err(LoadError::Interrupted),
        }
    }

    /// Creates a workspace of one text that is not a file. Its imports do not resolve.
    pub fn from_text(name: &str, text: impl Into<Arc<str>>) -> Self {
        let path = Utf8Path::new("/").join(name);
        let mut files = MemoryFiles::default();
        files.insert(&path, text.into().as_bytes());
        let load = Self::load(Arc::new(files), vec![Root::File(path.clone())], &mut |_| ControlFlow::Continue(()));
        // Loading fails only for a name that is not a model's; the workspace is then empty.
        load.unwrap_or_else(|_| Self::from_text(crate::queries::TEXT, ""))
    }

    /// Sets the unsaved text of a file, which need not exist; `None` removes it. Returns whether anything changed.
    ///
    /// A file outside the roots belongs to the workspace as long as it has unsaved text.
    pub fn overlay(&mut self, path: &Utf8Path, text: Option<Arc<str>>) -> bool {
        let path = self.canonical_path(path);
        let is_new = !self.sources.contains_key(&path);
        let is_closed = text.is_none();
        self.overlay.set(&path, text);
        match path.file_name() {
            Some(MANIFEST | LOCK) => {
                self.invalidate();
                self.load_all(Vec::new(), Resolve::All)
            }
            _ if path.extension() != Some(EXTENSION) => false,
            _ if self.overlay.kind(&path).is_none() => {
                // A file that was never saved is gone with its text.
                self.invalidate();
                self.list();
                self.load_all(Vec::new(), Resolve::All)
            }
            _ if is_new => {
                self.invalidate();
                self.load_all(vec![path], Resolve::Unresolved)
            }
            _ => {
                let is_changed = self.load_all(vec![path], Resolve::New);
                // The file may have been part of the workspace only because of its unsaved text.
                is_changed | (is_closed && self.collect_garbage())
            }
        }
    }

    /// Compares the workspace with the disk. Returns whether anything changed.
    pub fn refresh(&mut self) -> bool {
        let is_other = |(path, stamp): (&Utf8PathBuf, &Option<Stamp>)| self.overlay.stamp(path) != *stamp;
        let is_structure_changed = self.stamps.iter().any(is_other);
        let changed = self.sources.iter().filter(|(path, source)| is_other((path, &source.stamp)));
        let mut read: Vec<Utf8PathBuf> = changed.map(|(path, _)| path.clone()).collect();
        let is_file_missing = read.iter().any(|path| self.overlay.kind(path) != Some(Kind::File));
        if is_structure_changed || is_file_missing {
            self.invalidate();
            self.list();
            read.extend(self.listed.iter().filter(|path| !self.sources.contains_key(*path)).cloned());
            self.load_all(read, Resolve::All)
        } else {
            // New imports may be in folders that no walk enters, such as the package cache.
            self.load_all(read, Resolve::Unresolved)
        }
    }

    /// Returns a snapshot. A change cancels the queries of earlier snapshots, and waits until these are dropped.
    pub fn snapshot(&self) -> WorkspaceSnapshot {
        WorkspaceSnapshot::new(self.host.snapshot(), Arc::clone(&self.view), Arc::new(self.overlay.snapshot()))
    }

    /// Returns the roots.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Returns the files with unsaved text.
    pub fn overlaid(&self) -> Vec<Utf8PathBuf> {
        self.overlay.paths()
    }

    /// Whether the workspace has any model.
    pub fn has_models(&self) -> bool {
        !self.sources.is_empty()
    }

    /// Returns the modules, manifests and locks of the workspace, including unsaved text.
    pub fn modules(&self) -> &Modules<impl crate::files::Files + use<>> {
        &self.modules
    }

    /// Returns the folders to watch: those of the workspace, and those that imports refer to. The allocation stays the
    /// same until they may have changed.
    pub fn folders(&self) -> &Arc<BTreeSet<Utf8PathBuf>> {
        &self.folders
    }

    /// Returns the one path of a file in this workspace. An editor may use a path through a link.
    pub fn canonical_path(&self, path: &Utf8Path) -> Utf8PathBuf {
        let path = normalize(path);
        if self.sources.contains_key(&path) {
            return path;
        }
        let real = without_link(&self.overlay, &path);
        match self.overlay.canonical(&path) {
            _ if self.sources.contains_key(&real) => real,
            Some(real) if self.sources.contains_key(&real) => real,
            _ => path,
        }
    }

    /// Clears every cache except texts.
    fn invalidate(&self) {
        self.modules.files().invalidate();
        self.modules.invalidate();
    }

    /// Walks the folders and stores their stamps.
    fn list(&mut self) {
        self.listed.clear();
        self.stamps.clear();
        self.cuts.clear();
        for root in &self.roots {
            match root {
                Root::File(path) => _ = self.listed.insert(path.clone()),
                Root::Folder(folder) => {
                    let listing = self.modules.list(folder, Bounds::default());
                    self.listed.extend(listing.modules.into_iter().flat_map(|module| module.files));
                    self.listed.extend(listing.loose);
                    self.cuts.extend(listing.skipped.into_iter().map(|cut| (folder.clone(), cut)));
                    let stamps = listing.folders.into_iter().map(|path| {
                        let stamp = self.overlay.stamp(&path);
                        (path, stamp)
                    });
                    self.stamps.extend(stamps);
                }
            }
        }
    }

    /// Processes a change until nothing else changes.
    fn load_all(&mut self, read: Vec<Utf8PathBuf>, resolve: Resolve) -> bool {
        match self.load_to_fixpoint(read, resolve, &mut |_| ControlFlow::Continue(())) {
            ControlFlow::Continue(is_changed) => is_changed,
            ControlFlow::Break(()) => false,
        }
    }

    /// Removes files from the model.
    fn remove(&mut self, paths: &[Utf8PathBuf]) {
        for path in paths {
            self.sources.remove(path);
        }
        self.host.apply(paths.iter().map(|path| ModelChange::Remove { path: path.to_string() }));
    }
}

/// Checks a root and returns the path by which its files are known: imports use the files' own names, so a link to a
/// file counts as the file.
fn check_root(files: &SharedFiles, root: Root) -> Result<Root, LoadError> {
    let path = normalize(root.path());
    match (root, files.kind(&path)) {
        (_, None) => Err(LoadError::NotFound(path)),
        (Root::Folder(_), Some(Kind::Directory)) => Ok(Root::Folder(path)),
        (Root::Folder(_), Some(_)) => Err(LoadError::NotAFolder(path)),
        (Root::File(_), Some(Kind::File)) => {
            let real = without_link(files, &path);
            if real.extension() == Some(EXTENSION) { Ok(Root::File(real)) } else { Err(LoadError::NotAModel(path)) }
        }
        (Root::File(_), Some(_)) => Err(LoadError::NotAFile(path)),
    }
}

/// Returns the file that a path leads to. The folder retains its spelling if it contains that file.
fn without_link(files: &impl crate::files::Files, path: &Utf8Path) -> Utf8PathBuf {
    let real = files.canonical(path);
    let folder = path.parent().and_then(|folder| Some((folder, files.canonical(folder)?)));
    match (real, folder) {
        (Some(real), Some((folder, real_folder))) => match real.strip_prefix(&real_folder) {
            Ok(below) => folder.join(below),
            Err(_) => real,
        },
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests;
