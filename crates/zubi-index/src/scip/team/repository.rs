//! The state of a git repository that decides about its commit and its name, read without git. Two git commands per
//! question would take longer than the question.

use camino::Utf8Path;
use zubi_base::fs::{ReadError, read_bytes};

use crate::scip::document::has_normal_form;

/// The files that change the name of the repository, or the ancestors of a commit (`gitrepository-layout(5)`).
const FILES: [&str; 4] = ["config", "config.worktree", "shallow", "info/grafts"];

/// The maximum size of all files, in bytes.
const MAX_BYTES: usize = 256 << 10;

/// The state of a repository. If it has not changed, git's answers about `HEAD` and its history have not either, apart from
/// replaced commits (`git replace`) and configuration outside of the repository. A wrong answer selects an older snapshot,
/// or none, and the blob ids of the documents make that harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RepositoryState {
    /// The id of the commit of `HEAD`.
    head: String,
    /// The contents of [`FILES`].
    files: [Option<Vec<u8>>; FILES.len()],
}

impl RepositoryState {
    /// Reads the state of the repository with this top folder. Returns `None` if only git knows it: in a linked worktree,
    /// for a branch in a packed file, for another format of references, or if a file cannot be read.
    pub(super) fn read(top: &Utf8Path) -> Option<Self> {
        let git = top.join(".git");
        // The `.git` of a linked worktree is a file.
        if !git.symlink_metadata().ok()?.is_dir() {
            return None;
        }
        let mut rest = MAX_BYTES;
        let mut read = |name: &str| match read_bytes(&git.join(name)) {
            Ok(bytes) => {
                rest = rest.checked_sub(bytes.len())?;
                Some(Some(bytes))
            }
            Err(ReadError::NotFound { .. }) => Some(None),
            Err(_) => None,
        };
        let head = String::from_utf8(read("HEAD")??).ok()?;
        let head = match head.trim_end().strip_prefix("ref: ") {
            Some(branch) if branch.starts_with("refs/heads/") && has_normal_form(branch) => {
                String::from_utf8(read(branch)??).ok()?
            }
            Some(_) => return None,
            None => head,
        };
        let head = head.trim_end();
        // SHA-1 and SHA-256 in hexadecimal digits.
        let is_id = [40, 64].contains(&head.len()) && head.bytes().all(|byte| byte.is_ascii_hexdigit());
        let head = is_id.then(|| head.to_owned())?;
        let [config, worktree, shallow, grafts] = FILES.map(read);
        Some(Self { head, files: [config?, worktree?, shallow?, grafts?] })
    }
}
