//! The history of files: the differences between two revisions, as plain data.

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};

/// The maximum length of a revision, in bytes.
const MAX_REVISION: usize = 200;

/// Compares revisions of a folder's files. Implementations run no program that the repository names.
#[async_trait]
pub trait VersionControl: Send + Sync {
    /// Returns the files below a folder that differ. Files in `edited` are compared although they are the same on disk,
    /// because an editor has another text.
    async fn compare(
        &self,
        folder: &Utf8Path,
        range: &RevisionRange,
        edited: &[Utf8PathBuf],
    ) -> Result<TreeComparison, VersionControlError>;

    /// Reads stored versions of files of the repository that [`TreeComparison::repository`] names, in the given order;
    /// `None` for one that the repository does not have. The caller limits their number and sizes.
    async fn read_versions(
        &self,
        repository: &Utf8Path,
        ids: &[VersionId],
    ) -> Result<Vec<Option<Vec<u8>>>, VersionControlError>;
}

/// The reason why revisions cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VersionControlError {
    /// The program is not installed.
    #[error("git is not installed")]
    NotInstalled,
    /// The folder is not in a repository.
    #[error("`{0}` is not in a git repository")]
    NoRepository(Utf8PathBuf),
    /// The revision does not exist in the repository.
    #[error("the repository has no revision `{0}`")]
    UnknownRevision(String),
    /// Two revisions have no common ancestor.
    #[error("`{0}` and `{1}` have no common commit")]
    Unrelated(String, String),
    /// The program took too long, or failed.
    #[error("git cannot compare the files: {0}")]
    Failure(String),
}

/// A revision as the user writes it: a branch, a tag, a hash, `HEAD~3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision(String);

impl Revision {
    /// Parses a revision. The error says what is invalid.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let reason = if text.is_empty() {
            "a revision is empty"
        } else if text.len() > MAX_REVISION {
            "a revision has more than 200 bytes"
        } else if text.starts_with(['-', '.']) {
            "a revision begins with `-` or `.`"
        } else if text.contains("..") {
            "a revision contains `..`"
        } else if text.contains(|character: char| character.is_control() || ":?*[\\".contains(character)) {
            "a revision contains a control character or one of `:?*[\\`"
        } else {
            return Ok(Self(text.to_owned()));
        };
        Err(reason.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Two states of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRange {
    /// The old state.
    pub from: Revision,
    /// The new state; `None` for the present files.
    pub to: Option<Revision>,
    /// Whether the old state is the last common commit of `from` and `to` (or the current commit), as with `main...`.
    pub since_branch: bool,
}

impl RevisionRange {
    /// Parses `REVISION`, `REVISION...`, `A..B` or `A...B`; `to` is the new state unless `from` has it. The error says what
    /// is invalid.
    pub fn parse(from: &str, to: Option<&str>) -> Result<Self, String> {
        let (old, new, since_branch) = if let Some((old, new)) = from.split_once("...") {
            (old, new, true)
        } else if let Some((old, new)) = from.split_once("..") {
            (old, new, false)
        } else {
            (from, "", false)
        };
        let to = match (new.trim(), to) {
            ("", to) => to.map(str::trim).filter(|to| !to.is_empty()),
            (_, Some(_)) => return Err("`from` is a range and there is also `to`".to_owned()),
            (new, None) => Some(new),
        };
        Ok(Self { from: Revision::parse(old)?, to: to.map(Revision::parse).transpose()?, since_branch })
    }
}

/// The identifier of a stored version of a file, in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionId(String);

impl VersionId {
    /// Parses an identifier. Returns `None` if it is not one of SHA-1 or SHA-256.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hash = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| Self(text.to_ascii_lowercase()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The differences between two states of a folder's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeComparison {
    /// The top folder of the repository.
    pub repository: Utf8PathBuf,
    /// The commit of the old state.
    pub from: VersionId,
    /// The commit of the new state; `None` for the present files.
    pub to: Option<VersionId>,
    /// The files that differ, sorted by their new path, or the old one of a removed file.
    pub files: Vec<FileDifference>,
    /// The number of files that a limit omitted.
    pub omitted: usize,
}

/// A file that differs. At least one version exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDifference {
    pub old: Option<FileVersion>,
    pub new: Option<FileVersion>,
}

impl FileDifference {
    /// Returns the new path, or the old one of a removed file.
    pub fn path(&self) -> &Utf8Path {
        self.new.as_ref().or(self.old.as_ref()).map_or(Utf8Path::new(""), |version| &version.path)
    }
}

/// One version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersion {
    /// The absolute path.
    pub path: Utf8PathBuf,
    pub kind: VersionedKind,
    /// The size in bytes; 0 for a submodule.
    pub bytes: u64,
    /// The stored version; `None` for a present file.
    pub id: Option<VersionId>,
}

/// The kind of a file in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionedKind {
    File,
    /// A symbolic link; its text is its target.
    Link,
    /// The commit of another repository.
    Submodule,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: &str, to: Option<&str>) -> String {
        match RevisionRange::parse(from, to) {
            Ok(range) => {
                let to = range.to.as_ref().map_or("the files", Revision::as_str);
                format!("{} {} {to}", range.from.as_str(), if range.since_branch { "..." } else { ".." })
            }
            Err(reason) => reason,
        }
    }

    #[test]
    fn ranges_have_several_forms() {
        assert_eq!(check("main", None), "main .. the files");
        assert_eq!(check("main...", None), "main ... the files");
        assert_eq!(check("main...", Some("topic")), "main ... topic");
        assert_eq!(check("main...topic", None), "main ... topic");
        assert_eq!(check("v1..v2", None), "v1 .. v2");
        assert_eq!(check(" HEAD~3 ", Some("HEAD@{1 day ago}")), "HEAD~3 .. HEAD@{1 day ago}");
        assert_eq!(check("main", Some(" ")), "main .. the files");
        assert_eq!(check("a..b", Some("c")), "`from` is a range and there is also `to`");
    }

    #[test]
    fn options_and_paths_are_refused() {
        for from in
            ["--output=x", "-p", "main...--exec=x", "...", "", "a\n--x", "HEAD:secret", ":/text", "a....b", "a*"]
        {
            assert!(RevisionRange::parse(from, None).is_err(), "{from}");
        }
        assert!(RevisionRange::parse("main", Some("--output=x")).is_err());
        assert!(RevisionRange::parse(&"a".repeat(300), None).is_err());
        for id in ["HEAD", "", "-", "abc", &"g".repeat(40)] {
            assert_eq!(VersionId::parse(id), None, "{id}");
        }
        assert!(VersionId::parse(&"A1".repeat(20)).is_some());
    }
}
