//! The workspace between two changes, for queries on any thread.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use dlang_model::{Db, File, ModelSnapshot, QueryCancelled, project_files};

use super::Root;
use crate::files::{Files as _, Overlay, ReadError, SharedFiles, WalkGap};
use crate::modules::{ManifestText, Module};

/// The parts of a snapshot that are not in the model.
#[derive(Debug, Default)]
pub(super) struct View {
    /// The folders to which displayed paths are relative, each with the name that precedes them; the name is empty for
    /// a single folder.
    pub(super) folders: Vec<(Utf8PathBuf, String)>,
    /// Files whose text in the model differs from the file, with the reason.
    pub(super) faults: BTreeMap<Utf8PathBuf, ReadError>,
    /// Modules with a manifest, except those of packages, whose users cannot fix them.
    pub(super) modules: Vec<Arc<Module>>,
    /// Paths of [`WalkGap`]s, by the folder of the walk.
    pub(super) cuts: Vec<(Utf8PathBuf, WalkGap)>,
    /// The folders opened through a link: the path without links, and the opened one.
    links: Vec<(Utf8PathBuf, Utf8PathBuf)>,
}

impl View {
    pub(super) fn new(
        roots: &[Root],
        faults: BTreeMap<Utf8PathBuf, ReadError>,
        modules: Vec<Arc<Module>>,
        cuts: &[(Utf8PathBuf, WalkGap)],
        canonical: &dyn Fn(&Utf8Path) -> Option<Utf8PathBuf>,
    ) -> Self {
        let mut folders: Vec<Utf8PathBuf> = Vec::new();
        for root in roots {
            let folder = match root {
                Root::Folder(folder) => folder.clone(),
                Root::File(path) => {
                    let above = modules.iter().filter(|module| module.manifest.is_some());
                    let roots = above.map(|module| &module.root).filter(|root| path.starts_with(root));
                    let nearest = roots.max_by_key(|root| root.as_str().len());
                    nearest.map_or_else(|| path.parent().unwrap_or(path).to_owned(), Utf8PathBuf::clone)
                }
            };
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let real = |folder: &Utf8PathBuf| Some((canonical(folder)?, folder.clone()));
        let links = folders.iter().filter_map(real).filter(|(real, folder)| real != folder).collect();
        let names = if folders.len() == 1 { vec![String::new()] } else { distinct_names(&folders) };
        let is_own = |module: &Arc<Module>| module.manifest.is_some() && module.package.is_none();
        Self {
            folders: folders.into_iter().zip(names).collect(),
            faults,
            modules: modules.into_iter().filter(is_own).collect(),
            cuts: cuts.to_vec(),
            links,
        }
    }
}

/// Returns every folder's last path component. Folders that would share a name get one more component, until all
/// differ, which ends because the paths differ. zubi names the folders of its workspace in the same way, so that every
/// surface shows the same path.
fn distinct_names(folders: &[Utf8PathBuf]) -> Vec<String> {
    let mut lengths = vec![1; folders.len()];
    loop {
        let name = |(folder, length): (&Utf8PathBuf, &usize)| {
            let before = folder.components().count().saturating_sub(*length);
            folder.components().skip(before).collect::<Utf8PathBuf>().into_string()
        };
        let names: Vec<String> = folders.iter().zip(&lengths).map(name).collect();
        let is_shared = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
        if !names.iter().any(is_shared) {
            return names;
        }
        for (length, name) in lengths.iter_mut().zip(&names) {
            *length += usize::from(is_shared(name));
        }
    }
}

/// The workspace at one moment. Cheap to clone; drop it after the queries.
#[derive(Clone)]
pub struct WorkspaceSnapshot {
    model: ModelSnapshot,
    pub(super) view: Arc<View>,
    /// Files with the unsaved texts of that moment.
    files: Arc<Overlay>,
}

impl WorkspaceSnapshot {
    pub(super) fn new(model: ModelSnapshot, view: Arc<View>, files: Arc<Overlay>) -> Self {
        Self { model, view, files }
    }

    /// Queries the model. A waiting change cancels the query.
    pub fn query<T>(&self, question: impl FnOnce(&dyn Db) -> T) -> Result<T, QueryCancelled> {
        self.model.query(question)
    }

    /// Returns a token that cancels the queries of this snapshot from another thread.
    pub fn cancellation_token(&self) -> dlang_model::CancellationToken {
        self.model.cancellation_token()
    }

    /// Returns the file at an absolute path, with or without the links through which folders were opened.
    pub fn file(&self, path: &Utf8Path) -> Result<Option<File>, QueryCancelled> {
        let path = self.workspace_path(path);
        self.query(|db| {
            let files = project_files(db);
            let found = files.binary_search_by_key(&path.as_str(), |file| file.path(db));
            found.ok().and_then(|number| files.get(number).copied())
        })
    }

    /// Returns a path as spelled in this workspace: below a folder opened through a link, with that link. Other paths
    /// stay.
    pub fn workspace_path<'p>(&self, path: &'p Utf8Path) -> Cow<'p, Utf8Path> {
        let spelled = self.view.links.iter().find_map(|(real, spelled)| move_path(path, real, spelled));
        spelled.map_or(Cow::Borrowed(path), Cow::Owned)
    }

    /// Returns a path without the links through which folders were opened: the inverse of [`Self::workspace_path`].
    pub fn real_path<'p>(&self, path: &'p Utf8Path) -> Cow<'p, Utf8Path> {
        let real = self.view.links.iter().find_map(|(real, spelled)| move_path(path, spelled, real));
        real.map_or(Cow::Borrowed(path), Cow::Owned)
    }

    /// Returns the files of the model, ordered by path.
    pub fn files(&self) -> Result<Vec<Utf8PathBuf>, QueryCancelled> {
        self.query(|db| project_files(db).iter().map(|file| Utf8PathBuf::from(file.path(db))).collect())
    }

    /// Formats a path for answers: relative to its folder, after the folder's name if there are several; absolute
    /// outside the folders. The separator is `/` on every system.
    pub fn show(&self, path: &Utf8Path) -> String {
        let below = self.view.folders.iter().filter_map(|(folder, name)| {
            let below = path.strip_prefix(folder).ok()?;
            Some((folder.as_str().len(), name.as_str(), below.as_str()))
        });
        match below.max_by_key(|(length, ..)| *length) {
            Some((_, "", "")) => ".".to_owned(),
            Some((_, name, below)) => {
                let display_path: Utf8PathBuf = [name, below].into_iter().filter(|part| !part.is_empty()).collect();
                display_path.into_string().replace(std::path::MAIN_SEPARATOR, "/")
            }
            None => path.to_string(),
        }
    }

    /// Formats the path of a file for answers.
    pub fn show_file(&self, db: &dyn Db, file: File) -> String {
        self.show(Utf8Path::new(file.path(db)))
    }

    /// Finds the path that [`Self::show`] shows in this form, else one relative to a folder, or an absolute one. If
    /// several match, files of the model come first, then existing paths.
    pub fn find(&self, display_path: &str) -> Option<Utf8PathBuf> {
        let path = Utf8Path::new(display_path);
        if path.is_absolute() {
            return Some(self.workspace_path(&crate::paths::normalize(path)).into_owned());
        }
        let folders = &self.view.folders;
        let named = folders.iter().filter_map(|(folder, name)| Some((folder, path.strip_prefix(name).ok()?)));
        let relative = folders.iter().map(|(folder, _)| (folder, path));
        let candidates = named.chain(relative).map(|(folder, below)| crate::paths::normalize(&folder.join(below)));
        let candidates: Vec<Utf8PathBuf> = candidates.collect();
        let is_known = |path: &&Utf8PathBuf| matches!(self.file(path), Ok(Some(_)));
        let is_there = |path: &&Utf8PathBuf| self.files.kind(path).is_some();
        let found = candidates.iter().find(is_known).or_else(|| candidates.iter().find(is_there));
        found.or(candidates.first()).cloned()
    }

    /// Returns the folders to which displayed paths are relative.
    pub fn folders(&self) -> impl Iterator<Item = &Utf8Path> {
        self.view.folders.iter().map(|(folder, _)| &**folder)
    }

    /// Returns the files of the workspace, with the unsaved texts at the time of this snapshot. Saved files are read on
    /// demand. Callers may store them: no change waits for them.
    pub fn shared_files(&self) -> SharedFiles {
        Arc::clone(&self.files) as SharedFiles
    }

    /// Returns the files whose text in the model differs from the file, with the reason.
    pub fn faults(&self) -> &BTreeMap<Utf8PathBuf, ReadError> {
        &self.view.faults
    }

    /// Returns the skipped paths with the folder of the walk. Each except [`WalkGap::PassedOver`] may mean a missing
    /// part of the model.
    pub fn cuts(&self) -> &[(Utf8PathBuf, WalkGap)] {
        &self.view.cuts
    }

    /// Returns the text of a manifest or lock of the workspace, by its absolute path.
    pub fn own_text(&self, path: &Utf8Path) -> Option<ManifestText<'_>> {
        self.view.modules.iter().flat_map(|module| module.own_texts()).find(|own| own.path == path)
    }

    /// Returns the modules of the workspace that have a manifest, except those of packages.
    pub fn modules(&self) -> &[Arc<Module>] {
        &self.view.modules
    }
}

/// Moves a path from below `from` to below `to`; `None` if it is not below `from`.
fn move_path(path: &Utf8Path, from: &Utf8Path, to: &Utf8Path) -> Option<Utf8PathBuf> {
    let below = path.strip_prefix(from).ok()?;
    Some(if below.as_str().is_empty() { to.to_owned() } else { to.join(below) })
}
