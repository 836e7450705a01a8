//! The workspace folders: resolves paths from callers, and renders paths.
//!
//! A caller cannot name a path outside the folders. This is checked after symbolic links are resolved, component by
//! component, and never by comparing strings.

use camino::{Utf8Path, Utf8PathBuf};

use crate::fs;
use crate::lsp::Uri;
use crate::{escape, uri};

/// One root folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// The prefix of printed paths if there are several folders.
    pub name: String,
    /// The absolute path with symbolic links resolved.
    pub path: Utf8PathBuf,
}

/// The folders of a host, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceFolders {
    folders: Vec<Folder>,
}

/// The reason why a path from a caller was refused. The text is for the caller and names the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("`{input}` does not exist in the workspace; paths are relative to `{folder}`")]
    NotFound { input: String, folder: Utf8PathBuf },
    #[error("`{input}` is outside the workspace `{folder}`")]
    Outside { input: String, folder: Utf8PathBuf },
    #[error("`{input}` is not a file path or `file://` URI")]
    NotAPath { input: String },
    #[error("`{input}` leads nowhere: `{link}` is a symbolic link to `{target}`, which {reason}")]
    DeadLink { input: String, link: String, target: String, reason: &'static str },
    #[error("`{input}` cannot be there: `{file}` is a file, no folder")]
    BelowFile { input: String, file: String },
    /// The system denies access; `reason` is its error text.
    #[error("`{input}` cannot be reached: {reason}")]
    Unreachable { input: String, reason: String },
}

impl WorkspaceFolders {
    /// Opens a workspace with these directories, which must exist. Ignores duplicates.
    pub fn open(paths: &[Utf8PathBuf]) -> std::io::Result<Self> {
        let mut folders: Vec<Folder> = Vec::new();
        for path in paths {
            let path = fs::canonical(path)
                .map_err(|error| std::io::Error::new(error.kind(), format!("workspace folder `{path}`: {error}")))?;
            if !path.is_dir() {
                return Err(std::io::Error::other(format!("workspace folder `{path}` is not a directory")));
            }
            if folders.iter().all(|folder| folder.path != path) {
                folders.push(Folder { name: String::new(), path });
            }
        }
        assign_distinct_names(&mut folders);
        if folders.is_empty() {
            return Err(std::io::Error::other("a workspace needs at least one folder"));
        }
        Ok(Self { folders })
    }

    pub fn folders(&self) -> &[Folder] {
        &self.folders
    }

    /// The paths of the folders.
    pub fn roots(&self) -> Vec<Utf8PathBuf> {
        self.folders.iter().map(|folder| folder.path.clone()).collect()
    }

    /// The first folder, the base of relative paths.
    pub fn root(&self) -> &Utf8Path {
        &self.folders[0].path
    }

    /// Returns the folder that contains a resolved path; the innermost one of nested folders.
    pub fn folder_of(&self, path: &Utf8Path) -> Option<&Folder> {
        self.folders
            .iter()
            .filter(|folder| path.starts_with(&folder.path))
            .max_by_key(|folder| folder.path.as_str().len())
    }

    /// Whether a path with links resolved is in one of the folders.
    pub fn contains(&self, path: &Utf8Path) -> bool {
        self.folder_of(path).is_some()
    }

    /// Resolves a path (absolute, or relative to a folder) or `file://` URI of an existing file or directory. The
    /// result is absolute with links resolved.
    pub fn resolve(&self, input: &str) -> Result<Utf8PathBuf, PathError> {
        self.find(input, fs::canonical)
    }

    /// Like [`Self::resolve`], for a path that may not exist yet.
    pub fn resolve_for_creation(&self, input: &str) -> Result<Utf8PathBuf, PathError> {
        self.find(input, fs::canonical_for_creation)
    }

    /// Resolves the absolute path or `file://` URI of an existing file or directory outside the workspace. Callers decide
    /// whether it may be read.
    pub fn resolve_outside(&self, input: &str) -> Option<Utf8PathBuf> {
        let candidates = self.candidates(input).ok()?;
        let [candidate] = candidates.as_slice() else { return None };
        let is_absolute = input.contains("://") || Utf8Path::new(input).is_absolute();
        fs::canonical(candidate).ok().filter(|path| is_absolute && !self.contains(path))
    }

    /// Returns the first interpretation of `input` that is in the workspace.
    fn find(
        &self,
        input: &str,
        canonical: fn(&Utf8Path) -> std::io::Result<Utf8PathBuf>,
    ) -> Result<Utf8PathBuf, PathError> {
        let (mut outside, mut broken) = (false, None);
        for candidate in self.candidates(input)? {
            match canonical(&candidate) {
                Ok(path) if self.contains(&path) => return Ok(path),
                Ok(_) => outside = true,
                Err(error) => broken = broken.or_else(|| self.broken(input, &candidate, &error)),
            }
        }
        let (input, folder) = (input.to_owned(), self.root().to_owned());
        Err(match broken {
            _ if outside => PathError::Outside { input, folder },
            Some(broken) => broken,
            None => PathError::NotFound { input, folder },
        })
    }

    /// Returns the reason why a path cannot exist, other than a missing entry: its last existing component is a link
    /// without a target, or a file that is used as a directory. Returns nothing about paths outside the workspace.
    fn broken(&self, input: &str, candidate: &Utf8Path, error: &std::io::Error) -> Option<PathError> {
        use std::io::ErrorKind;
        // Removes a trailing slash, with which the system would treat a file as a directory.
        let path: Utf8PathBuf = candidate.components().collect();
        let input = input.to_owned();
        let last = path.ancestors().find(|path| is_there(path))?;
        let parent = fs::canonical(last.parent()?).ok()?;
        let resolved = fs::canonical(last);
        if !self.contains(&parent) && !resolved.as_ref().is_ok_and(|resolved| self.contains(resolved)) {
            return None;
        }
        let display_entry = |path: &Utf8Path| self.display(&parent.join(path.file_name().unwrap_or_default()));
        match (last.metadata(), resolved) {
            (Err(link_error), _) if last.is_symlink() => {
                let reason = match link_error.kind() {
                    ErrorKind::NotFound | ErrorKind::NotADirectory => "does not exist",
                    _ if fs::is_link(&link_error) => "leads in a circle",
                    _ => return Some(PathError::Unreachable { input, reason: link_error.to_string() }),
                };
                let target = last.read_link_utf8().ok()?;
                let target = escape::printable(target.as_str()).into_owned();
                Some(PathError::DeadLink { input, link: display_entry(last), target, reason })
            }
            (Ok(metadata), Ok(resolved)) if !metadata.is_dir() => {
                self.contains(&resolved).then(|| PathError::BelowFile { input, file: display_entry(last) })
            }
            _ if error.kind() == ErrorKind::NotFound => None,
            _ => Some(PathError::Unreachable { input, reason: error.to_string() }),
        }
    }

    /// Like [`Self::resolve`], but does not follow a link in the last component, for operations on the entry itself
    /// such as moving it. The link's target may be outside the workspace.
    pub fn resolve_entry(&self, input: &str) -> Result<Utf8PathBuf, PathError> {
        for candidate in self.candidates(input)? {
            if candidate.is_symlink()
                && let (Some(parent), Some(name)) = (candidate.parent(), candidate.file_name())
                && let Ok(parent) = fs::canonical(parent)
                && self.contains(&parent)
            {
                return Ok(parent.join(name));
            }
        }
        self.resolve(input)
    }

    fn candidates(&self, input: &str) -> Result<Vec<Utf8PathBuf>, PathError> {
        let not_a_path = || PathError::NotAPath { input: input.to_owned() };
        if input.is_empty() || input.contains('\0') {
            return Err(not_a_path());
        }
        if input.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("file:")) {
            return Ok(vec![uri::to_path(&Uri(input.to_owned())).ok_or_else(not_a_path)?]);
        }
        if input.contains("://") {
            return Err(not_a_path());
        }
        // Answers print invisible characters as escapes, so a printed name must resolve to the same file. A file that
        // really has the escaped name takes precedence.
        let unescape_existing = |path: Utf8PathBuf| match escape::unescape(path.as_str()).map(Utf8PathBuf::from) {
            Some(unescaped) if !unescaped.as_str().contains('\0') && !is_there(&path) && is_there(&unescaped) => {
                unescaped
            }
            _ => path,
        };
        let path = Utf8Path::new(input);
        if path.is_absolute() {
            return Ok(vec![unescape_existing(path.to_owned())]);
        }
        let mut candidates = Vec::new();
        // With several folders, answers print `folder/path`. A printed path must resolve to the same file, so this
        // interpretation comes before "relative to a folder".
        if self.folders.len() > 1 {
            let named = |folder: &Folder| Some(folder.path.join(path.strip_prefix(&folder.name).ok()?));
            candidates.extend(self.folders.iter().filter_map(named));
        }
        candidates.extend(self.folders.iter().map(|folder| folder.path.join(path)));
        Ok(candidates.into_iter().map(unescape_existing).collect())
    }

    /// Renders a path relative to its folder, after the folder's name if there are several. A path outside the folders
    /// is absolute, so that the caller notices it. The result is one line with invisible characters escaped, because a
    /// name may contain any character and users make decisions based on it.
    pub fn display(&self, path: &Utf8Path) -> String {
        escape::printable(&self.relative(path)).into_owned()
    }

    fn relative(&self, path: &Utf8Path) -> String {
        match self.folder_of(path) {
            Some(folder) => {
                let relative = path.strip_prefix(&folder.path).unwrap_or(path);
                match (self.folders.len() > 1, relative.as_str().is_empty()) {
                    (true, true) => folder.name.clone(),
                    (true, false) => format!("{}/{relative}", folder.name),
                    (false, true) => ".".to_owned(),
                    (false, false) => relative.to_string(),
                }
            }
            None => path.to_string(),
        }
    }
}

/// Whether an entry of this name exists, including a dangling link.
fn is_there(path: &Utf8Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Names every folder by its last path component, and adds components until all names differ. This ends, because the
/// paths differ.
fn assign_distinct_names(folders: &mut [Folder]) {
    let mut length = vec![1; folders.len()];
    loop {
        for (folder, length) in folders.iter_mut().zip(&length) {
            let names: Vec<_> = folder.path.components().rev().take(*length).map(|name| name.as_str()).collect();
            folder.name = names.into_iter().rev().collect::<Utf8PathBuf>().into_string();
        }
        let shared: Vec<bool> =
            folders.iter().map(|folder| folders.iter().filter(|other| other.name == folder.name).count() > 1).collect();
        if shared.iter().all(|shared| !shared) {
            return;
        }
        for (length, shared) in length.iter_mut().zip(shared) {
            *length += usize::from(shared);
        }
    }
}

#[cfg(test)]
mod tests;
