//! The directory in which a command of a script runs, as far as the script's `cd` commands determine it.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// The directory at one position of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WorkingDir {
    /// The directory in which the script starts, without symlinks.
    Initial(Utf8PathBuf),
    /// The directory after a `cd`.
    Moved(Utf8PathBuf),
    /// A `cd` may have failed or changed to another directory.
    Unknown,
}

/// The reason why a path cannot be determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathProblem {
    DirectoryLost,
    /// `a/../b`, where `a` may be a symlink.
    ParentOfLink,
}

impl WorkingDir {
    /// Returns an absolute path without `.` and `..`. Accepts `..` only at the start of a relative path, and only
    /// before any `cd`: elsewhere, a symlink can change its meaning.
    pub(super) fn path(&self, text: &str) -> Result<Utf8PathBuf, PathProblem> {
        let input_path = Utf8Path::new(text);
        let mut path = match self {
            _ if input_path.is_absolute() => Utf8PathBuf::from("/"),
            Self::Initial(directory) | Self::Moved(directory) => directory.clone(),
            Self::Unknown => return Err(PathProblem::DirectoryLost),
        };
        let mut has_descended = input_path.is_absolute() || matches!(self, Self::Moved(_));
        for component in input_path.components() {
            match component {
                Utf8Component::Normal(name) => {
                    has_descended = true;
                    path.push(name);
                }
                Utf8Component::ParentDir if has_descended => return Err(PathProblem::ParentOfLink),
                Utf8Component::ParentDir => {
                    path.pop();
                }
                Utf8Component::CurDir | Utf8Component::RootDir | Utf8Component::Prefix(_) => {}
            }
        }
        Ok(path)
    }
}
