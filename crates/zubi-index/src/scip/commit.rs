//! The ids by which git names the contents of files.

use std::fmt;

use rustc_hash::FxHashMap;
use sha1::Sha1;
use sha2::Sha256;

/// The maximum number of files of a commit.
const MAX_FILES: usize = 2_000_000;

/// The id of a content in git: the hash of `blob LENGTH`, a zero byte and the bytes. Repositories use SHA-1 or SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlobId {
    /// The id in a repository with SHA-1, which is the default.
    Sha1([u8; 20]),
    /// The id in a repository with SHA-256.
    Sha256([u8; 32]),
}

impl BlobId {
    /// Computes the SHA-1 id of a content.
    pub fn from_bytes(content: &[u8]) -> Self {
        Self::Sha1(digest::<Sha1>(content).into())
    }

    /// Parses 40 or 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let (pairs, odd) = text.as_bytes().as_chunks::<2>();
        let bytes: Option<Vec<u8>> = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
        odd.is_empty().then_some(bytes?).and_then(|bytes| Self::from_stored(&bytes))
    }

    /// Whether a content has this id.
    pub fn matches(&self, content: &[u8]) -> bool {
        match self {
            Self::Sha1(id) => <[u8; 20]>::from(digest::<Sha1>(content)) == *id,
            Self::Sha256(id) => <[u8; 32]>::from(digest::<Sha256>(content)) == *id,
        }
    }

    /// The bytes of the id.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Sha1(id) => id,
            Self::Sha256(id) => id,
        }
    }

    /// Returns the id with these bytes; `None` if their number is that of no id.
    pub(crate) fn from_stored(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().map(Self::Sha1).or_else(|_| bytes.try_into().map(Self::Sha256)).ok()
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

fn digest<D: sha2::Digest>(content: &[u8]) -> sha2::digest::Output<D> {
    D::new().chain_update(format!("blob {}\0", content.len())).chain_update(content).finalize()
}

/// The files of a commit.
#[derive(Debug, Clone)]
pub struct CommitFiles {
    id: String,
    files: FxHashMap<String, BlobId>,
}

/// A defect in a list of files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitFilesError {
    #[error("`{0}` is not the id of a commit; pass all 40 or 64 hexadecimal digits, as `git rev-parse` prints them")]
    Id(String),
    #[error("entry {0} is not one that `git ls-tree -r -z --full-tree COMMIT` prints")]
    Entry(usize),
    #[error("the commit has more than {MAX_FILES} files in the folder")]
    TooMany,
}

impl CommitFiles {
    /// Parses the output of `git ls-tree -r -z --full-tree COMMIT`. `id` is the full id of the commit, and `prefix` is the
    /// folder that an import describes, relative to the repository (as `git rev-parse --show-prefix` prints it, `""` for
    /// the repository itself). Paths outside this folder, links and submodules have no documents.
    pub fn parse(id: &str, prefix: &str, output: &[u8]) -> Result<Self, CommitFilesError> {
        if BlobId::parse(id).is_none() {
            return Err(CommitFilesError::Id(zubi_base::text::ellipsize(id, 80).into_owned()));
        }
        let prefix = prefix.trim_matches('/');
        let mut files = FxHashMap::default();
        for (number, entry) in output.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).enumerate() {
            let invalid = CommitFilesError::Entry(number + 1);
            let at = entry.iter().position(|byte| *byte == b'\t').ok_or_else(|| invalid.clone())?;
            let (head, path) = entry.split_at_checked(at).ok_or_else(|| invalid.clone())?;
            let head = std::str::from_utf8(head).map_err(|_| invalid.clone())?;
            let mut words = head.split(' ');
            let (Some(mode), Some(_kind), Some(blob), None) = (words.next(), words.next(), words.next(), words.next())
            else {
                return Err(invalid);
            };
            let blob = BlobId::parse(blob).ok_or(invalid)?;
            // A document of SCIP has a path in UTF-8.
            let Some(path) = path.get(1..).and_then(|path| std::str::from_utf8(path).ok()) else { continue };
            let path = if prefix.is_empty() {
                Some(path)
            } else {
                path.strip_prefix(prefix).and_then(|path| path.strip_prefix('/'))
            };
            if let (true, Some(path)) = (mode.starts_with("100"), path) {
                if files.len() >= MAX_FILES {
                    return Err(CommitFilesError::TooMany);
                }
                files.insert(path.to_owned(), blob);
            }
        }
        Ok(Self { id: id.to_ascii_lowercase(), files })
    }

    /// The id of the commit.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the content of a file, by its path relative to the folder.
    pub fn blob(&self, path: &str) -> Option<BlobId> {
        self.files.get(path).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
    const EMPTY: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    #[test]
    fn ids_are_those_of_git() {
        assert_eq!(format!("{:?}", BlobId::from_bytes(b"")), EMPTY);
        assert_eq!(format!("{:?}", BlobId::from_bytes(b"hello\n")), "ce013625030ba8dba906f756967f9e9ca394464a");
        let sha256 = "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4";
        let id = BlobId::parse(sha256).unwrap();
        assert!(id.matches(b"hello\n") && !id.matches(b"hello"));
        assert_eq!(BlobId::from_stored(id.as_bytes()), Some(id));
        for text in ["", "e69d", &EMPTY.replace('e', "g"), &EMPTY.replace("e69", "é9")] {
            assert_eq!(BlobId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_files_of_a_folder_in_a_commit() {
        let output = format!(
            "100644 blob {EMPTY}\ta.rs\0100755 blob {EMPTY}\tapp/b c.py\0120000 blob {EMPTY}\tapp/link\0160000 commit \
             {COMMIT}\tapp/sub\0100644 blob {EMPTY}\tapplication/x\0"
        );
        for (prefix, expected) in
            [("", "a.rs,app/b c.py,application/x"), ("app", "b c.py"), ("app/", "b c.py"), ("x", "")]
        {
            let files = CommitFiles::parse(COMMIT, prefix, output.as_bytes()).unwrap();
            let mut paths: Vec<&str> = files.files.keys().map(String::as_str).collect();
            paths.sort_unstable();
            assert_eq!(paths.join(","), expected, "{prefix}");
        }
        let files = CommitFiles::parse(COMMIT, "app", output.as_bytes()).unwrap();
        assert_eq!((files.id(), files.blob("b c.py"), files.blob("a.rs")), (COMMIT, BlobId::parse(EMPTY), None));
    }

    #[test]
    fn other_texts_are_refused() {
        let error = |id: &str, output: &str| CommitFiles::parse(id, "", output.as_bytes()).unwrap_err();
        assert_eq!(error("HEAD", ""), CommitFilesError::Id("HEAD".to_owned()));
        for output in ["x", "100644 blob\ta", "100644 blob 12\ta", "100644 blob e69 1 2\ta"] {
            assert_eq!(error(COMMIT, output), CommitFilesError::Entry(1), "{output}");
        }
    }
}
