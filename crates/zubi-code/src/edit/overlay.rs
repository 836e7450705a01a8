//! The workspace's tree after part of an edit, to which the server's later operations refer.
//!
//! Nothing is written here. The overlay reads the tree on disk, records file operations as steps, and translates paths:
//! [`EditOverlay::disk`] to the path on disk now, [`EditOverlay::forward`] to the path after the steps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::lsp::Uri;
use zubi_base::secret_shape;
use zubi_base::text::{ContentHash, FileOperation, TextOrigin};
use zubi_base::workspace::WorkspaceFolders;
use zubi_base::{fs, uri};

use super::error::EditError;
use super::splice::ByteEdit;

/// The maximum number of files and directories in one change; a rename in a large code base touches far fewer.
pub const MAX_FILES: usize = 5_000;
/// The maximum number of bytes that one change may read and write.
pub const MAX_CHANGE_BYTES: u64 = 64 << 20;
/// The maximum number of new directories above one file. Real changes nest less deeply, and making each directory
/// durable takes time.
const MAX_NEW_DIRECTORIES: usize = 32;

/// The kind of entry at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Missing,
    File,
    Link,
    Directory,
    /// A socket, a pipe, a device.
    Special,
}

/// The original text of a file and its origin.
#[derive(Debug, Clone)]
pub(super) struct OriginalText {
    pub(super) text: Arc<str>,
    pub(super) bom: bool,
    pub(super) origin: TextOrigin,
    pub(super) hash: ContentHash,
    /// The path on disk before any step.
    pub(super) disk: Utf8PathBuf,
}

/// A file whose text the edit touches.
#[derive(Debug, Default)]
pub(super) struct EditedFile {
    /// `None` if the edit creates the file.
    pub(super) source: Option<OriginalText>,
    pub(super) text: String,
    /// Edits of `text` that are located but not applied.
    pub(super) pending: Vec<ByteEdit>,
    pub(super) edits: usize,
    /// The server whose edits `text` contains; other servers' edits, made for the earlier text, no longer fit.
    pub(super) changed_by: Option<usize>,
}

/// The workspace's tree after part of an edit; see the module's documentation.
pub(super) struct EditOverlay<'a> {
    workspace: &'a WorkspaceFolders,
    /// Renames and removals of entries on disk, in order.
    pub(super) steps: Vec<FileOperation>,
    /// Files with touched texts, by their path after [`Self::steps`].
    pub(super) files: BTreeMap<Utf8PathBuf, EditedFile>,
    /// Directories that the steps create, by their path after the steps.
    created_directories: BTreeSet<Utf8PathBuf>,
    /// The total size of all contents that are read to be changed or removed.
    bytes: u64,
}

impl<'a> EditOverlay<'a> {
    pub(super) fn new(workspace: &'a WorkspaceFolders) -> Self {
        Self { workspace, steps: Vec::new(), files: BTreeMap::new(), created_directories: BTreeSet::new(), bytes: 0 }
    }

    pub(super) fn show(&self, path: &Utf8Path) -> String {
        self.workspace.display(path)
    }

    /// Checks that no new text has the placeholder of a secret that its file contains: an agent that has read the
    /// redacted text would overwrite the secret with it.
    pub(super) fn check_placeholders(&self) -> Result<(), EditError> {
        let overwrites = |node: &EditedFile| {
            let before = node.source.as_ref().map_or("", |source| &source.text);
            secret_shape::is_overwritten(before, &node.text)
        };
        match self.files.iter().find(|(_, node)| overwrites(node)) {
            Some((path, _)) => Err(EditError::Redacted { path: self.show(path) }),
            None => Ok(()),
        }
    }

    /// Adds to the size of the change and checks its limits.
    pub(super) fn check_limits(&mut self, bytes: usize) -> Result<(), EditError> {
        self.bytes += bytes as u64;
        if self.bytes > MAX_CHANGE_BYTES {
            let reason = format!("more than {} MiB of text in all", MAX_CHANGE_BYTES >> 20);
            return Err(EditError::TooLarge { reason });
        }
        if self.files.len() + self.steps.len() > MAX_FILES {
            return Err(EditError::TooLarge { reason: format!("more than {MAX_FILES} files") });
        }
        Ok(())
    }

    /// Returns the path of a URI: its directory with links resolved, its last component unchanged. Fails for paths
    /// outside the workspace, the workspace folders themselves, and protected paths.
    pub(super) fn entry(&self, uri: &Uri) -> Result<Utf8PathBuf, EditError> {
        // A server's URI may be long or contain control characters.
        let display_uri = || uri.0.chars().filter(|character| !character.is_control()).take(300).collect::<String>();
        let path = uri::to_path(uri).ok_or_else(|| EditError::NotAFile { uri: display_uri() })?;
        let outside = || EditError::Outside { path: display_uri() };
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(outside()) };
        let parent = fs::canonical_for_creation(parent).map_err(|_| outside())?;
        let entry = parent.join(name);
        let missing = parent.ancestors().take_while(|above| kind_on_disk(above) == EntryKind::Missing).count();
        if missing > MAX_NEW_DIRECTORIES {
            let reason = format!("that would make {missing} new folders, more than {MAX_NEW_DIRECTORIES} at once");
            return Err(EditError::Impossible { path: self.show(&entry), reason });
        }
        if !self.workspace.contains(&parent) || self.workspace.folders().iter().any(|folder| folder.path == entry) {
            return Err(outside());
        }
        self.allow(&entry)?;
        Ok(entry)
    }

    /// Refuses paths that no language server may edit: the repository's own data, and zubi's settings, which control
    /// what may run.
    pub(super) fn allow(&self, path: &Utf8Path) -> Result<(), EditError> {
        let below = self.workspace.folder_of(path).and_then(|folder| path.strip_prefix(&folder.path).ok());
        let Some(below) = below else { return Err(EditError::Outside { path: self.show(path) }) };
        if below.components().any(|part| matches!(part.as_str(), ".git" | ".zubi.toml")) {
            return Err(EditError::Protected { path: self.show(path) });
        }
        Ok(())
    }

    /// Returns the current path on disk of the content that is at `path` after the steps; `None` if it is not from
    /// disk.
    pub(super) fn disk(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        disk_before(&self.steps, path)
    }

    /// Returns the path after the steps of the content that is at `path` on disk; `None` if they removed it.
    pub(super) fn forward(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        forward_through(&self.steps, path)
    }

    pub(super) fn kind(&self, path: &Utf8Path) -> EntryKind {
        if self.files.contains_key(path) {
            return EntryKind::File;
        }
        if self.created_directories.contains(path) || self.workspace.folders().iter().any(|folder| folder.path == path)
        {
            return EntryKind::Directory;
        }
        self.disk(path).map_or(EntryKind::Missing, |disk| kind_on_disk(&disk))
    }

    /// Returns the names in a directory after the steps.
    pub(super) fn names(&self, directory: &Utf8Path) -> Result<BTreeSet<String>, EditError> {
        let mut names = BTreeSet::new();
        if let Some(disk) = self.disk(directory)
            && kind_on_disk(&disk) == EntryKind::Directory
        {
            let unreadable = |error: std::io::Error| EditError::Unreadable {
                path: self.show(directory),
                reason: format!("its entries cannot be listed: {error}"),
            };
            for entry in disk.read_dir_utf8().map_err(unreadable)? {
                names.insert(entry.map_err(unreadable)?.file_name().to_owned());
                if names.len() > MAX_FILES {
                    return Err(EditError::TooLarge { reason: format!("more than {MAX_FILES} files") });
                }
            }
        }
        let moved_in = self.steps.iter().filter_map(|step| match step {
            FileOperation::Rename { to, .. } => Some(to.as_path()),
            _ => None,
        });
        let new = self.files.keys().chain(&self.created_directories).map(Utf8PathBuf::as_path);
        for path in moved_in.chain(new) {
            if let Ok(below) = path.strip_prefix(directory)
                && let Some(first) = below.components().next()
            {
                names.insert(first.as_str().to_owned());
            }
        }
        names.retain(|name| self.kind(&directory.join(name)) != EntryKind::Missing);
        Ok(names)
    }

    /// Creates the parent directories of a new path. Fails if an ancestor is a file.
    pub(super) fn create_parent_dirs(&mut self, path: &Utf8Path) -> Result<(), EditError> {
        let mut missing = Vec::new();
        for above in path.ancestors().skip(1) {
            match self.kind(above) {
                EntryKind::Missing => missing.push(above.to_owned()),
                EntryKind::Directory => break,
                EntryKind::File | EntryKind::Link | EntryKind::Special => {
                    let reason = format!("`{}` is not a directory", self.show(above));
                    return Err(EditError::Impossible { path: self.show(path), reason });
                }
            }
        }
        for path in missing.into_iter().rev() {
            self.created_directories.insert(path.clone());
            self.steps.push(FileOperation::CreateDirectory { path });
        }
        self.check_limits(0)
    }

    /// Moves everything at or below `from` to `to`, which must be free.
    pub(super) fn rename(&mut self, from: &Utf8Path, to: &Utf8Path) {
        // A file that the edit creates is only written at the end, at its final path; everything else needs a step.
        let exists = self.created_directories.contains(from)
            || self.disk(from).is_some_and(|disk| kind_on_disk(&disk) != EntryKind::Missing);
        let moving: Vec<_> = self.files.keys().filter(|path| path.starts_with(from)).cloned().collect();
        for path in moving {
            if let (Some(node), Some(new)) = (self.files.remove(&path), fs::replace_prefix(&path, from, to)) {
                self.files.insert(new, node);
            }
        }
        self.created_directories = std::mem::take(&mut self.created_directories)
            .into_iter()
            .map(|path| fs::replace_prefix(&path, from, to).unwrap_or(path))
            .collect();
        if exists {
            self.steps.push(FileOperation::Rename { from: from.to_owned(), to: to.to_owned() });
        }
    }

    /// Removes a path; removes the files of a directory one by one, so that each can be checked and restored.
    pub(super) fn delete(&mut self, path: &Utf8Path) -> Result<(), EditError> {
        self.allow(path)?;
        if self.kind(path) == EntryKind::Directory {
            for name in self.names(path)? {
                self.delete(&path.join(name))?;
            }
            self.created_directories.remove(path);
            self.steps.push(FileOperation::RemoveDirectory { path: path.to_owned() });
            return self.check_limits(0);
        }
        self.files.remove(path);
        let Some(disk) = self.disk(path) else { return Ok(()) };
        let before = match kind_on_disk(&disk) {
            EntryKind::Missing => return Ok(()),
            EntryKind::Link => {
                let target = link_target(&disk).map_err(|error| self.unreadable(path, &error.to_string()))?;
                ContentHash::from_bytes(target.as_str().as_bytes())
            }
            EntryKind::File => {
                let bytes = fs::read_bytes(&disk).map_err(|error| self.unreadable(path, &read_error(&error)))?;
                self.check_limits(bytes.len())?;
                ContentHash::from_bytes(&bytes)
            }
            EntryKind::Directory | EntryKind::Special => return Err(self.unreadable(path, "it is not a regular file")),
        };
        self.steps.push(FileOperation::Delete { path: path.to_owned(), before });
        self.check_limits(0)
    }

    /// Fails if a directory to be moved contains a protected path or more than [`MAX_FILES`] entries.
    pub(super) fn check_subtree(&self, directory: &Utf8Path) -> Result<(), EditError> {
        let mut open = vec![directory.to_owned()];
        let mut seen = 0;
        while let Some(directory) = open.pop() {
            for name in self.names(&directory)? {
                let path = directory.join(name);
                self.allow(&path)?;
                seen += 1;
                if seen > MAX_FILES {
                    return Err(EditError::TooLarge { reason: format!("more than {MAX_FILES} files") });
                }
                if self.kind(&path) == EntryKind::Directory {
                    open.push(path);
                }
            }
        }
        Ok(())
    }

    pub(super) fn unreadable(&self, path: &Utf8Path, reason: &str) -> EditError {
        EditError::Unreadable { path: self.show(path), reason: reason.to_owned() }
    }
}

/// Returns the path on disk of the content that is at `path` after these steps.
pub(super) fn disk_before(steps: &[FileOperation], path: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut path = path.to_owned();
    for step in steps.iter().rev() {
        match step {
            FileOperation::Rename { from, to } => match fs::replace_prefix(&path, to, from) {
                Some(before) => path = before,
                None if path.starts_with(from) => return None,
                None => {}
            },
            FileOperation::Delete { path: removed, .. } | FileOperation::RemoveDirectory { path: removed }
                if path.starts_with(removed) =>
            {
                return None;
            }
            _ => {}
        }
    }
    Some(path)
}

/// Returns the path after these steps of the content that was at `path` before them.
pub(super) fn forward_through(steps: &[FileOperation], path: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut path = path.to_owned();
    for step in steps {
        match step {
            FileOperation::Rename { from, to } => {
                if let Some(after) = fs::replace_prefix(&path, from, to) {
                    path = after;
                }
            }
            FileOperation::Delete { path: removed, .. } | FileOperation::RemoveDirectory { path: removed }
                if path.starts_with(removed) =>
            {
                return None;
            }
            _ => {}
        }
    }
    Some(path)
}

/// Returns the kind of entry at a path on disk; does not follow a link.
pub(super) fn kind_on_disk(path: &Utf8Path) -> EntryKind {
    match std::fs::symlink_metadata(path) {
        Err(_) => EntryKind::Missing,
        Ok(metadata) if metadata.is_symlink() => EntryKind::Link,
        Ok(metadata) if metadata.is_dir() => EntryKind::Directory,
        Ok(metadata) if metadata.is_file() => EntryKind::File,
        Ok(_) => EntryKind::Special,
    }
}

/// Returns the unresolved target of a symbolic link.
pub(super) fn link_target(path: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    path.read_link_utf8()
}

/// Describes a read error as a clause about "it", the file.
pub(super) fn read_error(error: &fs::ReadError) -> String {
    match error {
        fs::ReadError::NotFound { .. } => "it does not exist".to_owned(),
        fs::ReadError::Directory { .. } => "it is a directory".to_owned(),
        fs::ReadError::Special { .. } => "it is neither a file nor a directory".to_owned(),
        fs::ReadError::TooLarge { bytes, .. } => {
            format!("it has {bytes} bytes, more than the {} that are read as source text", fs::MAX_TEXT_BYTES)
        }
        fs::ReadError::Linked { .. } => "a link took its place".to_owned(),
        fs::ReadError::NotText { .. } => "it is not UTF-8 text".to_owned(),
        fs::ReadError::Io { source, .. } => source.to_string(),
    }
}
