//! The history of files in git repositories.
//!
//! A repository is untrusted: its configuration and attributes can name programs for almost every command of git. So zubi
//! uses only commands that read objects ([`command`]), compares present files itself, and never lets git read the index or
//! the files with the repository's filters. The commands run confined: they can start no program, write nothing and have
//! no network.

mod command;
mod tree;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::process::Spawner;
use zubi_code::version_control::{
    FileDifference, FileVersion, Revision, RevisionRange, TreeComparison, VersionControl, VersionControlError,
    VersionId,
};
use zubi_exec::sandbox::Sandbox;

use self::command::GitCommands;
use self::tree::{StoredTree, TreeEntry};
use crate::scip::CommitFiles;

/// The maximum number of files in an answer.
const MAX_DIFFERENCES: usize = 2_000;

/// Compares revisions of git repositories with the `git` program.
pub struct GitRepositories {
    commands: GitCommands,
}

impl GitRepositories {
    /// `program` is the absolute path of git. Starts nothing.
    pub fn new(program: Utf8PathBuf, spawner: Spawner, sandbox: Arc<Sandbox>) -> Self {
        Self { commands: GitCommands::new(program, spawner, sandbox) }
    }

    /// Returns the commit of a revision.
    async fn commit(&self, repository: &Utf8Path, revision: &Revision) -> Result<VersionId, VersionControlError> {
        // `--end-of-options` makes an option of git impossible, whatever the revision is.
        let peeled = format!("{}^{{commit}}", revision.as_str());
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &peeled];
        let output = self.commands.run(repository, &arguments, Vec::new()).await?;
        let text = String::from_utf8_lossy(&output.stdout);
        // Old versions also print `--end-of-options`.
        let id = text.lines().last().and_then(VersionId::parse).filter(|_| output.is_success);
        id.ok_or_else(|| match output.error {
            Some(error) => VersionControlError::Failure(error),
            None => VersionControlError::UnknownRevision(revision.as_str().to_owned()),
        })
    }

    /// Returns the files of a commit below a folder, given by its path without links.
    pub async fn commit_files(
        &self,
        folder: &Utf8Path,
        revision: &Revision,
    ) -> Result<CommitFiles, VersionControlError> {
        let repository = repository_of(folder).ok_or_else(|| VersionControlError::NoRepository(folder.to_owned()))?;
        let commit = self.commit(&repository, revision).await?;
        let below = folder.strip_prefix(&repository).unwrap_or(Utf8Path::new(""));
        let output = StoredTree::list(&self.commands, &repository, &commit, below, &[]).await?;
        CommitFiles::parse(commit.as_str(), below.as_str(), &output)
            .map_err(|error| VersionControlError::Failure(error.to_string()))
    }

    /// Returns a revision and its ancestors, the latest first, at most `limit`.
    pub async fn history(
        &self,
        folder: &Utf8Path,
        revision: &Revision,
        limit: usize,
    ) -> Result<Vec<DatedCommit>, VersionControlError> {
        let repository = repository_of(folder).ok_or_else(|| VersionControlError::NoRepository(folder.to_owned()))?;
        let commit = self.commit(&repository, revision).await?;
        let limit = format!("--max-count={limit}");
        let arguments = ["rev-list", "--timestamp", &limit, commit.as_str()];
        let output = self.commands.run(&repository, &arguments, Vec::new()).await?.into_success()?;
        let parse = |line: &str| {
            let (time, id) = line.split_once(' ')?;
            Some(DatedCommit { id: VersionId::parse(id)?, committed_at: time.parse().ok()? })
        };
        Ok(String::from_utf8_lossy(&output).lines().filter_map(parse).collect())
    }

    /// Returns the address of the remote `origin`, if there is one. It can have a password.
    pub async fn remote(&self, folder: &Utf8Path) -> Result<Option<String>, VersionControlError> {
        let repository = repository_of(folder).ok_or_else(|| VersionControlError::NoRepository(folder.to_owned()))?;
        let arguments = ["config", "--no-includes", "--get", "remote.origin.url"];
        let output = self.commands.run(&repository, &arguments, Vec::new()).await?;
        Ok(String::from_utf8(output.stdout).ok().filter(|_| output.is_success).map(|text| text.trim().to_owned()))
    }

    /// Returns the best common ancestor of two commits.
    async fn merge_base(
        &self,
        repository: &Utf8Path,
        commits: [&VersionId; 2],
        names: [&str; 2],
    ) -> Result<VersionId, VersionControlError> {
        let arguments = ["merge-base", commits[0].as_str(), commits[1].as_str()];
        let output = self.commands.run(repository, &arguments, Vec::new()).await?;
        let text = String::from_utf8_lossy(&output.stdout);
        let base = text.lines().next().and_then(VersionId::parse);
        base.ok_or_else(|| VersionControlError::Unrelated(names[0].to_owned(), names[1].to_owned()))
    }
}

#[async_trait]
impl VersionControl for GitRepositories {
    async fn compare(
        &self,
        folder: &Utf8Path,
        range: &RevisionRange,
        edited: &[Utf8PathBuf],
    ) -> Result<TreeComparison, VersionControlError> {
        let repository = repository_of(folder).ok_or_else(|| VersionControlError::NoRepository(folder.to_owned()))?;
        let mut from = self.commit(&repository, &range.from).await?;
        let to = match &range.to {
            Some(to) => Some(self.commit(&repository, to).await?),
            None => None,
        };
        if range.since_branch {
            let (head, name) = match (&to, &range.to) {
                (Some(to), Some(name)) => (to.clone(), name.as_str()),
                _ => {
                    let head = Revision::parse("HEAD").map_err(VersionControlError::Failure)?;
                    (self.commit(&repository, &head).await?, "HEAD")
                }
            };
            from = self.merge_base(&repository, [&from, &head], [range.from.as_str(), name]).await?;
        }
        let below = folder.strip_prefix(&repository).unwrap_or(Utf8Path::new(""));
        let old = StoredTree::read(&self.commands, &repository, &from, below).await?;
        let mut files = match &to {
            Some(to) => {
                differences(&repository, &old, &StoredTree::read(&self.commands, &repository, to, below).await?)
            }
            None => tree::compare_present(&self.commands, &repository, folder, &old, edited).await?,
        };
        files.sort_by(|a, b| a.path().as_str().cmp(b.path().as_str()));
        let omitted = files.len().saturating_sub(MAX_DIFFERENCES);
        files.truncate(MAX_DIFFERENCES);
        Ok(TreeComparison { repository, from, to, files, omitted })
    }

    async fn read_versions(
        &self,
        repository: &Utf8Path,
        ids: &[VersionId],
    ) -> Result<Vec<Option<Vec<u8>>>, VersionControlError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut input = String::new();
        for id in ids {
            input.push_str(id.as_str());
            input.push('\n');
        }
        let arguments = ["cat-file", "--batch", "--buffer"];
        let output = self.commands.run(repository, &arguments, input.into_bytes()).await?.into_success()?;
        parse_objects(&output, ids.len())
    }
}

/// Parses the output of `git cat-file --batch`: for each object a line `HASH TYPE SIZE`, the content, and a line end, or
/// `HASH missing`.
fn parse_objects(output: &[u8], count: usize) -> Result<Vec<Option<Vec<u8>>>, VersionControlError> {
    let mut objects = Vec::with_capacity(count);
    let mut rest = output;
    while objects.len() < count {
        let Some((object, next)) = parse_object(rest) else {
            return Err(VersionControlError::Failure("`git cat-file` printed something else".to_owned()));
        };
        objects.push(object);
        rest = next;
    }
    Ok(objects)
}

/// Parses one object; returns its content and the rest of the output.
fn parse_object(output: &[u8]) -> Option<(Option<Vec<u8>>, &[u8])> {
    let end = memchr::memchr(b'\n', output)?;
    let line = std::str::from_utf8(output.get(..end)?).ok()?;
    let rest = output.get(end + 1..)?;
    let mut words = line.split(' ').skip(1);
    match (words.next()?, words.next()) {
        ("missing", None) => Some((None, rest)),
        ("blob", Some(size)) => {
            let size: usize = size.parse().ok()?;
            let next = rest.get(size.checked_add(1)?..)?;
            Some((Some(rest.get(..size)?.to_vec()), next))
        }
        _ => None,
    }
}

/// Returns the files that differ between two stored trees.
fn differences(repository: &Utf8Path, old: &StoredTree, new: &StoredTree) -> Vec<FileDifference> {
    let mut both: BTreeMap<&str, [Option<&TreeEntry>; 2]> = BTreeMap::new();
    for (path, entry) in &old.entries {
        both.entry(path.as_str()).or_default()[0] = Some(entry);
    }
    for (path, entry) in &new.entries {
        both.entry(path.as_str()).or_default()[1] = Some(entry);
    }
    let is_other = |[old, new]: &[Option<&TreeEntry>; 2]| match (old, new) {
        (Some(old), Some(new)) => old.id != new.id || old.kind != new.kind,
        _ => true,
    };
    let version = |path: &str, entry: Option<&TreeEntry>| entry.map(|entry| entry.version(repository.join(path)));
    let different = both.into_iter().filter(|(_, entries)| is_other(entries));
    different.map(|(path, [old, new])| FileDifference { old: version(path, old), new: version(path, new) }).collect()
}

impl TreeEntry {
    fn version(&self, path: Utf8PathBuf) -> FileVersion {
        FileVersion { path, kind: self.kind, bytes: self.bytes.unwrap_or(0), id: Some(self.id.clone()) }
    }
}

/// A commit and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatedCommit {
    /// The id.
    pub id: VersionId,
    /// The time of the commit, in seconds since the Unix epoch.
    pub committed_at: i64,
}

/// Returns the top folder of the repository that contains a folder.
pub fn repository_of(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    folder.ancestors().find(|folder| folder.join(".git").exists()).map(Utf8Path::to_owned)
}

#[cfg(test)]
mod tests;
