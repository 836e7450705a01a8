//! Resolution of a specifier to a file, with [`Modules`].

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Reason, ResolvedImport, UnresolvedImport};
use crate::files::{EXTENSION, Files};
use crate::manifest::{Alias, DEFAULT_ENTRY, Source};
use crate::modules::{Module, Modules, Package};
use crate::paths::{append, extension, is_climbing, normalize};

impl<F: Files> Modules<F> {
    /// Resolves an import of the file at an absolute path. The file need not exist.
    pub fn resolve(&self, importer: &Utf8Path, specifier: &str) -> Result<ResolvedImport, UnresolvedImport> {
        if specifier.is_empty() {
            return Err(UnresolvedImport::empty());
        }
        let importer = normalize(importer);
        let import = Import { modules: self, module: self.module_of_file(&importer), importer, specifier };
        let path = match specifier.split(['/', '\\']).next() {
            Some("." | "..") => import.relative()?,
            _ if specifier.starts_with('@') => import.alias()?,
            _ => import.external()?,
        };
        let package = Package::from_path(&path);
        Ok(ResolvedImport { path, package })
    }
}

struct Import<'a, F> {
    modules: &'a Modules<F>,
    module: Arc<Module>,
    importer: Utf8PathBuf,
    specifier: &'a str,
}

impl<F: Files> Import<'_, F> {
    fn relative(&self) -> Result<Utf8PathBuf, UnresolvedImport> {
        let folder = self.importer.parent().unwrap_or(&self.importer);
        self.local(self.top(), &append(folder, self.specifier), UnresolvedImport::outside_workspace)
    }

    /// Returns the folder that imports never leave. Without a manifest the extent of the model is unknown, so imports
    /// may reach anywhere.
    fn top(&self) -> &Utf8Path {
        if self.is_unbounded() { self.importer.ancestors().last().unwrap_or(&self.importer) } else { &self.module.root }
    }

    fn is_unbounded(&self) -> bool {
        self.module.manifest.is_none() && self.module.package.is_none()
    }

    fn alias(&self) -> Result<Utf8PathBuf, UnresolvedImport> {
        let manifest = self.module.manifest();
        let aliases = manifest.map(|manifest| manifest.aliases.as_slice()).unwrap_or_default();
        let (target, rest) = match longest(aliases.iter().map(|alias| (alias.key.as_str(), alias)), self.specifier) {
            Some((Alias { target, .. }, rest)) => {
                (target.as_ref().map_err(|fault| UnresolvedImport::broken(self.specifier, fault))?.as_str(), rest)
            }
            None => match (self.specifier.strip_prefix("@/"), manifest) {
                (Some(rest), _) => (".", rest),
                (None, Some(manifest)) if !manifest.complete => {
                    return Err(UnresolvedImport::after_yaml_error(self.specifier, Reason::UnknownAlias));
                }
                (None, _) => return Err(UnresolvedImport::unknown_alias(self.specifier)),
            },
        };
        let target = append(&self.module.root, target);
        if is_climbing(rest) {
            return Err(UnresolvedImport::outside_target(self.specifier));
        }
        // If an alias is a file, there is nothing below it.
        let boundary = if self.modules.files.is_file(&target) { &self.module.root } else { &target };
        inside(&self.modules.files, &self.module.root, &target)
            .map_err(|_| UnresolvedImport::outside_workspace(self.specifier))?;
        self.local(boundary, &append(&target, rest), UnresolvedImport::outside_target)
    }

    fn external(&self) -> Result<Utf8PathBuf, UnresolvedImport> {
        let specifier = self.specifier;
        // A package without a manifest uses its project's.
        let project = self.module.package.as_ref().map(|package| self.modules.module_at(&package.project));
        let module = match &project {
            Some(project) if self.module.manifest.is_none() => project,
            _ => &self.module,
        };
        let Some(manifest) = module.manifest() else { return Err(UnresolvedImport::missing_manifest(specifier)) };
        let keys = manifest.dependencies.iter().map(|dependency| (dependency.key.as_str(), dependency));
        let Some((dependency, rest)) = longest(keys, specifier) else {
            return Err(if manifest.complete {
                UnresolvedImport::unknown_dependency(specifier)
            } else {
                UnresolvedImport::after_yaml_error(specifier, Reason::DependencyNotFound)
            });
        };
        if is_climbing(rest) {
            return Err(UnresolvedImport::outside_dependency(specifier));
        }
        match &dependency.source {
            Err(fault) => Err(UnresolvedImport::broken(specifier, fault)),
            Ok(Source::Path(path)) => {
                let folder = append(&module.root, path);
                inside(&self.modules.files, &module.root, &folder)
                    .map_err(|_| UnresolvedImport::outside_workspace(specifier))?;
                // The path may name the file itself.
                let boundary = if self.modules.files.is_file(&folder) { &module.root } else { &folder };
                self.local(boundary, &append(&folder, rest), UnresolvedImport::outside_dependency)
            }
            Ok(Source::Git { repository, .. }) => {
                // The project that contains a cache has filled it.
                let locks = [project.as_deref(), Some(&**module)];
                let locked = locks.into_iter().flatten().find_map(|module| module.lock()?.entries.get(repository));
                let locked = locked.ok_or_else(|| UnresolvedImport::not_installed(specifier))?;
                let project = project.as_ref().map_or(&module.root, |project| &project.root);
                let folder = Package::folder(project, repository, &locked.commit);
                inside(&self.modules.files, project, &folder)
                    .map_err(|_| UnresolvedImport::outside_workspace(specifier))?;
                self.resolve_in_package(&folder, rest)
            }
        }
    }

    /// Resolves a path below a package, which is used unchanged, or the package's entry.
    fn resolve_in_package(&self, folder: &Utf8Path, rest: &str) -> Result<Utf8PathBuf, UnresolvedImport> {
        let (files, specifier) = (&self.modules.files, self.specifier);
        if !files.is_directory(folder) {
            return Err(UnresolvedImport::not_installed(specifier));
        }
        let package = self.modules.module_at(folder);
        // An entry that leads out of the package counts as none.
        let entry = package.manifest().and_then(|manifest| manifest.entry().ok()).unwrap_or(DEFAULT_ENTRY);
        let target = append(folder, if rest.is_empty() { entry } else { rest });
        let path = inside(files, folder, &target).map_err(|_| UnresolvedImport::outside_dependency(specifier))?;
        if !files.is_file(&path) {
            return Err(if rest.is_empty() {
                UnresolvedImport::missing_entry(specifier, entry)
            } else {
                UnresolvedImport::not_in_package(specifier)
            });
        }
        self.model(path)
    }

    /// Resolves a file, a folder's entry, or a file without its extension; fails outside `boundary`.
    fn local(
        &self,
        boundary: &Utf8Path,
        target: &Utf8Path,
        escape: impl Fn(&str) -> UnresolvedImport,
    ) -> Result<Utf8PathBuf, UnresolvedImport> {
        let (files, specifier) = (&self.modules.files, self.specifier);
        // A link inside the folder may lead elsewhere inside it; the result is spelled below the top.
        let spell = |boundary: &Utf8Path, path: &Utf8Path| -> Result<Utf8PathBuf, UnresolvedImport> {
            inside(files, boundary, path).map_err(|_| escape(specifier))?;
            let path = inside(files, self.top(), path).map_err(|_| escape(specifier))?;
            Ok(if self.is_unbounded() { spell_near(files, &self.importer, path) } else { path })
        };
        let path = spell(boundary, target)?;
        if files.is_directory(&path) {
            let folder = self.modules.module_at(&path);
            let Some(entry) = folder.entry() else {
                let fault = folder.manifest().and_then(|manifest| manifest.entry().err());
                return Err(fault.map_or_else(|| escape(specifier), |fault| UnresolvedImport::broken(specifier, fault)));
            };
            let entry = spell(&path, &entry)?;
            let name =
                || folder.manifest().and_then(|manifest| manifest.entry().ok()).unwrap_or(DEFAULT_ENTRY).to_owned();
            return if files.is_file(&entry) {
                self.model(entry)
            } else {
                Err(UnresolvedImport::missing_entry(specifier, &name()))
            };
        }
        match extension(target.as_str()) {
            Some(EXTENSION) if files.is_file(&path) => self.model(path),
            Some(EXTENSION) => Err(UnresolvedImport::not_found(specifier)),
            Some(_) => Err(UnresolvedImport::extension(specifier)),
            None => {
                // The target of an alias or a dependency may itself be a file whose extension is left out.
                let boundary = if target == boundary { self.top() } else { boundary };
                let file = spell(boundary, Utf8Path::new(&format!("{target}.{EXTENSION}")))?;
                if files.is_file(&file) {
                    self.model(file)
                } else {
                    Err(UnresolvedImport::not_found_with_extension(specifier))
                }
            }
        }
    }

    /// Accepts an existing file if it is a model: a link or an entry may name something else.
    fn model(&self, path: Utf8PathBuf) -> Result<Utf8PathBuf, UnresolvedImport> {
        if path.extension() == Some(EXTENSION) { Ok(path) } else { Err(UnresolvedImport::extension(self.specifier)) }
    }
}

/// Returns the row with the longest key that is the specifier or ends at one of its `/`, and the rest of the specifier.
fn longest<'k, 's, T>(rows: impl Iterator<Item = (&'k str, T)>, specifier: &'s str) -> Option<(T, &'s str)> {
    rows.filter(|(key, _)| !key.is_empty())
        .filter_map(|(key, row)| {
            let rest = specifier.strip_prefix(key)?;
            let is_prefix = rest.is_empty() || rest.starts_with('/');
            is_prefix.then_some((key.len(), row, rest))
        })
        // Keys of the same length cannot both match.
        .max_by_key(|(length, ..)| *length)
        .map(|(_, row, rest)| (row, rest))
}

/// Error for a path that leads out of its folder.
pub(crate) struct Escape;

/// Returns the path with its links resolved, spelled below `folder` as `folder` is. For a path that does not exist,
/// only the existing part is resolved, so that an answer reveals nothing about paths outside.
pub(crate) fn inside(files: &impl Files, folder: &Utf8Path, path: &Utf8Path) -> Result<Utf8PathBuf, Escape> {
    let inside = path.strip_prefix(folder).map_err(|_| Escape)?;
    let Some(real) = files.canonical(folder) else {
        // The folder itself does not exist, so nothing below it does.
        return Ok(path.to_owned());
    };
    for existing in inside.ancestors() {
        let Some(found) = files.canonical(&folder.join(existing)) else { continue };
        let found = found.strip_prefix(&real).map_err(|_| Escape)?;
        let missing = inside.strip_prefix(existing).map_err(|_| Escape)?;
        // Joining an empty path would add a slash, which only a folder's path may have.
        return Ok(normalize(&folder.join(found).join(missing)));
    }
    Err(Escape)
}

/// Spells a path without links like the importing file's folders, if it is below one of them.
fn spell_near(files: &impl Files, importer: &Utf8Path, path: Utf8PathBuf) -> Utf8PathBuf {
    for folder in importer.ancestors().skip(1) {
        if path.starts_with(folder) {
            return path;
        }
        if let Some(real) = files.canonical(folder)
            && let Ok(below) = path.strip_prefix(&real)
        {
            return normalize(&folder.join(below));
        }
    }
    path
}
