//! The files of a commit, and their comparison with the present files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::walk::{self, WalkOptions};
use zubi_code::version_control::{FileDifference, FileVersion, VersionControlError, VersionId, VersionedKind};

use super::command::GitCommands;

/// The files below a folder in a commit.
pub(super) struct StoredTree {
    /// By their path relative to the repository.
    pub(super) entries: BTreeMap<Utf8PathBuf, TreeEntry>,
}

/// A file in a commit.
pub(super) struct TreeEntry {
    pub(super) kind: VersionedKind,
    pub(super) id: VersionId,
    /// The size; `None` for a submodule, and for a version that a partial clone does not have.
    pub(super) bytes: Option<u64>,
}

impl StoredTree {
    /// Reads the files of a commit below a folder, which is relative to the repository.
    pub(super) async fn read(
        commands: &GitCommands,
        repository: &Utf8Path,
        commit: &VersionId,
        below: &Utf8Path,
    ) -> Result<Self, VersionControlError> {
        let output = Self::list(commands, repository, commit, below, &["-l"]).await?;
        // Names that are not UTF-8 are left out, as everywhere in zubi.
        let lines = output.split(|byte| *byte == 0).filter_map(|line| std::str::from_utf8(line).ok());
        Ok(Self { entries: lines.filter_map(parse_entry).collect() })
    }

    /// Returns the files of a commit below a folder, as git prints them with some further options.
    pub(super) async fn list(
        commands: &GitCommands,
        repository: &Utf8Path,
        commit: &VersionId,
        below: &Utf8Path,
        options: &[&str],
    ) -> Result<Vec<u8>, VersionControlError> {
        let folder = format!("{below}/");
        let mut arguments = vec!["ls-tree", "-r", "-z"];
        arguments.extend(options);
        arguments.extend(["--full-tree", commit.as_str()]);
        if !below.as_str().is_empty() {
            arguments.extend(["--", folder.as_str()]);
        }
        commands.run(repository, &arguments, Vec::new()).await?.into_success()
    }
}

/// Parses `MODE TYPE HASH SIZE<tab>PATH`, in which the size has spaces before it.
fn parse_entry(line: &str) -> Option<(Utf8PathBuf, TreeEntry)> {
    let (head, path) = line.split_once('\t')?;
    let mut words = head.split_ascii_whitespace();
    let kind = match words.next()? {
        "160000" => VersionedKind::Submodule,
        "120000" => VersionedKind::Link,
        _ => VersionedKind::File,
    };
    let id = VersionId::parse(words.nth(1)?)?;
    let bytes = words.next()?.parse().ok();
    // A hostile tree may have any names; git itself does not check out such a file.
    let is_inside = Utf8Path::new(path).components().all(|it| matches!(it, camino::Utf8Component::Normal(_)));
    is_inside.then(|| (path.into(), TreeEntry { kind, id, bytes }))
}

/// Returns the present files below a folder that differ from a commit. Files in `edited` differ in any case.
pub(super) async fn compare_present(
    commands: &GitCommands,
    repository: &Utf8Path,
    folder: &Utf8Path,
    old: &StoredTree,
    edited: &[Utf8PathBuf],
) -> Result<Vec<FileDifference>, VersionControlError> {
    let paths: Vec<Utf8PathBuf> = old.entries.keys().map(|path| repository.join(path)).collect();
    let start = folder.to_owned();
    let list = move || {
        let tracked: Vec<Option<FileVersion>> = paths.iter().map(|path| present_version(path)).collect();
        let known: BTreeSet<Utf8PathBuf> = paths.into_iter().collect();
        let mut nested = NestedRepositories { folder: &start, known: BTreeMap::new() };
        let files = walk::files(&start, WalkOptions::default());
        let files =
            files.filter(|path| path.file_name() != Some(".git") && !known.contains(path) && !nested.contain(path));
        let added: Vec<FileVersion> = files.filter_map(|path| present_version(&path)).collect();
        (tracked, added)
    };
    // A large folder takes longer than other tasks of this thread may wait.
    let listed = tokio::task::spawn_blocking(list).await;
    let (tracked, added) = listed.map_err(|error| VersionControlError::Failure(error.to_string()))?;
    let is_sparse = repository.join(".git/info/sparse-checkout").is_file();
    let mut found: Vec<FileDifference> = Vec::new();
    let mut same_size: Vec<(FileVersion, FileVersion)> = Vec::new();
    for ((path, entry), new) in old.entries.iter().zip(tracked) {
        let old = entry.version(repository.join(path));
        let Some(new) = new else {
            // An absent submodule is not initialized, and an absent folder may be outside of a sparse checkout.
            let is_left_out =
                entry.kind == VersionedKind::Submodule || is_sparse && !old.path.parent().is_some_and(Utf8Path::exists);
            if !is_left_out {
                found.push(FileDifference { old: Some(old), new: None });
            }
            continue;
        };
        let is_edited = edited.contains(&new.path);
        match (old.kind, new.kind) {
            // The commit of a submodule is in another repository, whose state git alone knows.
            (VersionedKind::Submodule, VersionedKind::Submodule) => {}
            (VersionedKind::File, VersionedKind::File)
                if !is_edited && entry.bytes.is_none_or(|bytes| bytes == new.bytes) =>
            {
                same_size.push((old, new));
            }
            (VersionedKind::Link, VersionedKind::Link) if has_target(&new.path, old.bytes) => {}
            _ => found.push(FileDifference { old: Some(old), new: Some(new) }),
        }
    }
    let present = hash_files(commands, repository, same_size.iter().map(|(_, new)| new.path.as_str())).await?;
    for ((old, new), id) in same_size.into_iter().zip(present) {
        if id.is_none() || id != old.id {
            found.push(FileDifference { old: Some(old), new: Some(new) });
        }
    }
    found.extend(added.into_iter().map(|new| FileDifference { old: None, new: Some(new) }));
    Ok(found)
}

/// The folders below another one that are in a repository of their own, such as submodules.
struct NestedRepositories<'a> {
    folder: &'a Utf8Path,
    known: BTreeMap<Utf8PathBuf, bool>,
}

impl NestedRepositories<'_> {
    /// Whether a file is in a nested repository.
    fn contain(&mut self, path: &Utf8Path) -> bool {
        let below = |directory: &&Utf8Path| *directory != self.folder && directory.starts_with(self.folder);
        let directories: Vec<&Utf8Path> = path.ancestors().skip(1).take_while(below).collect();
        directories.into_iter().any(|directory| match self.known.get(directory) {
            Some(is_repository) => *is_repository,
            None => {
                let is_repository = directory.join(".git").exists();
                self.known.insert(directory.to_owned(), is_repository);
                is_repository
            }
        })
    }
}

/// Returns the present version of a file; `None` if there is no file, link or folder of a submodule.
fn present_version(path: &Utf8Path) -> Option<FileVersion> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    let kind = kind_of(&metadata, path)?;
    let bytes = if kind == VersionedKind::Submodule { 0 } else { metadata.len() };
    Some(FileVersion { path: path.to_owned(), kind, bytes, id: None })
}

fn kind_of(metadata: &Metadata, path: &Utf8Path) -> Option<VersionedKind> {
    if metadata.is_symlink() {
        Some(VersionedKind::Link)
    } else if metadata.is_file() {
        Some(VersionedKind::File)
    } else {
        (metadata.is_dir() && path.join(".git").exists()).then_some(VersionedKind::Submodule)
    }
}

/// Whether the target of a link has this length. zubi shows no declarations of links.
fn has_target(path: &Utf8Path, bytes: u64) -> bool {
    path.read_link_utf8().is_ok_and(|target| target.as_str().len() as u64 == bytes)
}

/// Returns the hashes that the contents of files would have in the repository without its filters, in the given order;
/// `None` for a file that git cannot name or read.
async fn hash_files<'a>(
    commands: &GitCommands,
    repository: &Utf8Path,
    paths: impl Iterator<Item = &'a str>,
) -> Result<Vec<Option<VersionId>>, VersionControlError> {
    // The paths are absolute, so none is an option or in quotation marks.
    let paths: Vec<Option<&str>> = paths.map(|path| Some(path).filter(|path| !path.contains('\n'))).collect();
    let mut input = String::new();
    for path in paths.iter().flatten() {
        input.push_str(path);
        input.push('\n');
    }
    if input.is_empty() {
        return Ok(vec![None; paths.len()]);
    }
    let arguments = ["hash-object", "--no-filters", "--stdin-paths"];
    let output = commands.run(repository, &arguments, input.into_bytes()).await?;
    // It stops at a file that it cannot read; the comparison of texts finds out whether the rest differs.
    let text = String::from_utf8_lossy(&output.stdout);
    let mut ids = text.lines().map(VersionId::parse);
    Ok(paths.into_iter().map(|path| path.and_then(|_| ids.next().flatten())).collect())
}
