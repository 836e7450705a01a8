//! Loading: reads files, follows imports, and drops unreachable files.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use dlang_model::{ImportOutcome, ImportOutcomes, ImportProblem, ModelChange, file_index};

use super::snapshot::View;
use super::{MAX_MODEL_BYTES, Progress, Resolve, Source, Watch, Workspace, parallel};
use crate::files::{Files as _, LOCK, MANIFEST, Overlay, ReadError, Stamp};
use crate::modules::{Module, Package};

/// The number of files read between two progress reports. Small, because loading can be stopped only at a report.
const BATCH: usize = 64;

/// The imports of a file by their specifiers.
type Imports = BTreeMap<String, Result<Utf8PathBuf, ImportProblem>>;

/// The changes that reading files found.
#[derive(Debug, Clone, Copy, Default)]
struct ReadChanges {
    /// Whether a text changed.
    text: bool,
    /// Whether a file appeared, disappeared, or became readable or unreadable.
    files: bool,
}

/// A text that was read.
struct ReadText {
    text: Arc<str>,
    fault: Option<ReadError>,
    stamp: Option<Stamp>,
}

impl Workspace {
    /// Reads files, follows their imports, and updates the model. Returns whether it changed.
    ///
    /// If `watch` stops the work, the model has the files read so far, without their imports.
    pub(super) fn load_to_fixpoint(
        &mut self,
        read: Vec<Utf8PathBuf>,
        resolve: Resolve,
        watch: &mut Watch<'_>,
    ) -> ControlFlow<(), bool> {
        self.modules.files().invalidate();
        let mut changed = ReadChanges::default();
        let mut are_imports_changed = resolve == Resolve::All;
        let mut with_imports: BTreeSet<Utf8PathBuf> = self.files_to_resolve(resolve).cloned().collect();
        let mut read = read;
        let mut seen: BTreeSet<Utf8PathBuf> = read.iter().cloned().collect();
        loop {
            for batch in read.chunks(BATCH) {
                watch(Progress { loaded: self.sources.len(), total: self.sources.len().max(seen.len()) })?;
                let now = self.read(batch);
                changed = ReadChanges { text: changed.text | now.text, files: changed.files | now.files };
                with_imports.extend(self.with_new_specifiers(batch));
            }
            let found = self.resolve(&with_imports);
            are_imports_changed |= !found.is_empty();
            let targets = found.values().flat_map(|imports| imports.values().flatten());
            let unknown = targets.filter(|target| !self.sources.contains_key(*target) && !seen.contains(*target));
            let next: BTreeSet<Utf8PathBuf> = unknown.cloned().collect();
            for (path, imports) in found {
                if let Some(source) = self.sources.get_mut(&path) {
                    source.imports = imports;
                }
            }
            if next.is_empty() {
                break;
            }
            seen.extend(next.iter().cloned());
            with_imports.clear();
            read = next.into_iter().collect();
        }
        watch(Progress { loaded: self.sources.len(), total: self.sources.len() })?;
        // Usually only one text has changed.
        if are_imports_changed || changed.files {
            self.remove_unreachable();
            self.update_derived_data();
        }
        ControlFlow::Continue(changed.text || changed.files || are_imports_changed)
    }

    fn files_to_resolve(&self, resolve: Resolve) -> impl Iterator<Item = &Utf8PathBuf> {
        let needs_resolve = move |source: &Source| match resolve {
            Resolve::New => false,
            Resolve::Unresolved => source.imports.values().any(Result::is_err),
            Resolve::All => true,
        };
        self.sources.iter().filter(move |(_, source)| needs_resolve(source)).map(|(path, _)| path)
    }

    /// Reads files into the model, and removes those that no longer exist.
    fn read(&mut self, paths: &[Utf8PathBuf]) -> ReadChanges {
        let overlay = &self.overlay;
        let texts = parallel::map(paths, || (), |(), path| read_text(overlay, path));
        let mut changes = Vec::new();
        let mut missing = Vec::new();
        let mut changed = ReadChanges::default();
        for (path, read) in paths.iter().zip(texts) {
            let ReadText { text, fault, stamp } = match read {
                Ok(read) => read,
                Err(ReadError::NotFound) => {
                    missing.push(path.clone());
                    continue;
                }
                Err(fault) => ReadText { text: Arc::default(), fault: Some(fault), stamp: overlay.stamp(path) },
            };
            let previous_text = self.host.file(path.as_str()).map(|file| file.text(self.host.db()));
            changed.text |= previous_text != Some(&*text);
            changed.files |= previous_text.is_none();
            let source = self.sources.entry(path.clone()).or_default();
            changed.files |= source.fault != fault;
            source.stamp = stamp;
            source.fault = fault;
            let package = Package::from_path(path).map(|package| Arc::from(package.folder.as_str()));
            changes.push(ModelChange::Text { path: path.to_string(), text });
            changes.push(ModelChange::Package { path: path.to_string(), package });
        }
        self.host.apply(changes);
        changed.files |= missing.iter().any(|path| self.sources.contains_key(path));
        self.remove(&missing);
        changed
    }

    /// Returns the files whose imports differ from before.
    fn with_new_specifiers(&self, paths: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        let resolved_files = paths.iter().filter_map(|path| {
            let (file, source) = (self.host.file(path.as_str())?, self.sources.get(path)?);
            Some((path, file, &source.imports))
        });
        let resolved_files: Vec<_> = resolved_files.collect();
        let is_new = parallel::map(
            &resolved_files,
            || self.host.snapshot(),
            |snapshot, (_, file, known)| {
                let is_other = snapshot.query(|db| {
                    let imports = &file_index(db, *file).imports;
                    let specifiers: BTreeSet<&str> = imports.iter().filter_map(|it| it.specifier.as_deref()).collect();
                    !specifiers.into_iter().eq(known.keys().map(String::as_str))
                });
                // Nothing can cancel this query: changes come from the thread that waits here.
                is_other.unwrap_or(true)
            },
        );
        resolved_files.iter().zip(is_new).filter(|(_, is_new)| *is_new).map(|((path, ..), _)| (*path).clone()).collect()
    }

    /// Returns the resolved imports of files, if they differ from before.
    fn resolve(&self, paths: &BTreeSet<Utf8PathBuf>) -> BTreeMap<Utf8PathBuf, Imports> {
        let mut found = BTreeMap::new();
        for path in paths {
            let (Some(file), Some(source)) = (self.host.file(path.as_str()), self.sources.get(path)) else { continue };
            let imports = &file_index(self.host.db(), file).imports;
            let specifiers: BTreeSet<&str> = imports.iter().filter_map(|it| it.specifier.as_deref()).collect();
            let resolution = |specifier: &str| match self.modules.resolve(path, specifier) {
                Ok(resolved) => Ok(resolved.path),
                Err(unresolved) => Err(unresolved.into_outcome()),
            };
            let imports: Imports =
                specifiers.into_iter().map(|specifier| (specifier.to_owned(), resolution(specifier))).collect();
            if imports != source.imports {
                found.insert(path.clone(), imports);
            }
        }
        found
    }

    /// Drops unreachable files from the model. Returns whether there were any.
    pub(super) fn collect_garbage(&mut self) -> bool {
        let is_changed = self.remove_unreachable();
        if is_changed {
            self.update_derived_data();
        }
        is_changed
    }

    /// Updates the data that depends on files and imports.
    fn update_derived_data(&mut self) {
        self.update_model_imports();
        self.rebuild_view();
    }

    /// Drops the files that no root, open text or import reaches. Returns whether there were any.
    fn remove_unreachable(&mut self) -> bool {
        let overlaid = self.overlay.paths();
        let mut pending: Vec<&Utf8PathBuf> = self.listed.iter().chain(&overlaid).collect();
        let mut reachable: BTreeSet<&Utf8PathBuf> = BTreeSet::new();
        while let Some(path) = pending.pop() {
            let Some((path, source)) = self.sources.get_key_value(path) else { continue };
            if reachable.insert(path) {
                pending.extend(source.imports.values().flatten());
            }
        }
        let unreachable = self.sources.keys().filter(|path| !reachable.contains(path));
        let unreachable: Vec<Utf8PathBuf> = unreachable.cloned().collect();
        self.remove(&unreachable);
        !unreachable.is_empty()
    }

    /// Passes all resolved imports to the model, which detects the new ones.
    fn update_model_imports(&mut self) {
        let outcome = |result: &Result<Utf8PathBuf, ImportProblem>| match result {
            Ok(target) => self.host.file(target.as_str()).map(ImportOutcome::File),
            Err(problem) => Some(ImportOutcome::Problem(problem.clone())),
        };
        let outcomes = |source: &Source| -> ImportOutcomes {
            source.imports.iter().filter_map(|(specifier, it)| Some((specifier.clone(), outcome(it)?))).collect()
        };
        let changes: Vec<ModelChange> = self
            .sources
            .iter()
            .map(|(path, source)| ModelChange::Imports { path: path.to_string(), outcomes: outcomes(source) })
            .collect();
        self.host.apply(changes);
    }

    /// Returns the possible locations of manifests, existing or not, that can affect a file of the workspace: its
    /// folder and those above it, up to one with a manifest.
    fn manifest_candidates(&self) -> BTreeSet<Utf8PathBuf> {
        let mut manifests = BTreeSet::new();
        let roots = self.roots.iter().map(|root| match root {
            super::Root::Folder(folder) => folder.as_path(),
            super::Root::File(file) => file.parent().unwrap_or(file),
        });
        for folder in self.sources.keys().filter_map(|path| path.parent()).chain(roots) {
            for folder in folder.ancestors() {
                let manifest = folder.join(MANIFEST);
                let is_there = self.modules.files().kind(&manifest).is_some();
                // From a folder that was visited before, the way up is already done.
                if !manifests.insert(manifest) || is_there {
                    break;
                }
            }
        }
        manifests
    }

    /// Collects the data that the model does not have: manifests, read errors, skipped paths.
    fn rebuild_view(&mut self) {
        let mut modules: BTreeMap<Utf8PathBuf, Arc<Module>> = BTreeMap::new();
        let mut folder: Option<&Utf8Path> = None;
        for path in self.sources.keys() {
            // Files of one folder belong to one module, and they are adjacent here.
            if folder.is_none() || folder != path.parent() {
                folder = path.parent();
                let module = self.modules.module_of_file(path);
                modules.entry(module.root.clone()).or_insert(module);
            }
        }
        for root in &self.roots {
            let module = self.modules.module_of_file(&root.path().join(MANIFEST));
            modules.entry(module.root.clone()).or_insert(module);
        }
        let manifests = modules.values().flat_map(|module| {
            let has_manifest = module.manifest.is_some();
            let own = has_manifest.then(|| [module.root.join(MANIFEST), module.root.join(LOCK)]);
            own.into_iter().flatten()
        });
        let manifests: BTreeSet<Utf8PathBuf> = manifests.chain(self.manifest_candidates()).collect();
        for path in manifests {
            let stamp = self.overlay.stamp(&path);
            self.stamps.entry(path).or_insert(stamp);
        }
        let parents = self.sources.keys().filter_map(|path| path.parent());
        let listed = self.stamps.keys().filter(|path| !matches!(path.file_name(), Some(MANIFEST | LOCK)));
        self.folders = Arc::new(parents.map(Utf8Path::to_owned).chain(listed.cloned()).collect());
        let faults = self.sources.iter().filter_map(|(path, source)| Some((path.clone(), source.fault.clone()?)));
        let (faults, modules) = (faults.collect(), modules.into_values().collect());
        let canonical = |folder: &Utf8Path| self.overlay.canonical(folder);
        self.view = Arc::new(View::new(&self.roots, faults, modules, &self.cuts, &canonical));
    }
}

/// Reads the text of a model: from the overlay, else from disk. U+FFFD replaces invalid bytes.
fn read_text(overlay: &Overlay, path: &Utf8Path) -> Result<ReadText, ReadError> {
    // Stamped first: a write in between makes the stamp outdated, and the file is read again.
    let stamp = overlay.stamp(path);
    if let Some(text) = overlay.text(path) {
        return Ok(ReadText { text, fault: None, stamp });
    }
    let bytes = overlay.read(path, MAX_MODEL_BYTES)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => ReadText { text: text.into(), fault: None, stamp },
        Err(error) => {
            let fault = ReadError::NotUtf8 { valid: error.utf8_error().valid_up_to() };
            let text = String::from_utf8_lossy(error.as_bytes());
            ReadText { text: text.into(), fault: Some(fault), stamp }
        }
    })
}
