//! The directory in which a command of a script runs, as far as `cd` allows it to be determined.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// The directory at one place of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WorkingDir {
    /// The directory in which the script began; without links.
    Initial(Utf8PathBuf),
    /// The directory that a `cd` changed to.
    Moved(Utf8PathBuf),
    /// A `cd` may have failed or led elsewhere.
    Unknown,
}

/// Why a path cannot be determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathProblem {
    DirectoryLost,
    /// `a/../b`, where `a` may be a link.
    ParentOfLink,
}

impl WorkingDir {
    /// An absolute path without `.` and `..`. Steps up are taken only from the start of a relative path and only where a
    /// script has not moved: elsewhere a link decides what they mean.
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
