//! File access through a trait, so that unsaved text can replace files and tests need no disk.

mod cached;
mod disk;
mod memory;
mod overlay;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

pub(crate) use cached::CachedFiles;
pub use disk::DiskFiles;
pub use memory::MemoryFiles;
pub use overlay::Overlay;

/// Files that several threads and owners share.
pub type SharedFiles = Arc<dyn Files + Send + Sync>;

/// The name of a manifest.
pub const MANIFEST: &str = "model.yaml";
/// The name of a lock.
pub const LOCK: &str = "model.lock";
/// The folder next to a manifest that holds its packages.
pub const CACHE: &str = ".dlang";
/// The extension of a model, without the dot.
pub const EXTENSION: &str = "dlang";

/// The kind of a path, links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    File,
    Directory,
    /// A pipe, device or socket; never read.
    Special,
}

/// Read-only access to files and folders by absolute path.
pub trait Files {
    /// Returns the kind of a path; `None` if there is nothing or access is denied. A dangling link is
    /// [`Kind::Special`].
    fn kind(&self, path: &Utf8Path) -> Option<Kind>;

    /// Returns the whole content; fails if it has more than `max` bytes.
    fn read(&self, path: &Utf8Path, max: usize) -> Result<Vec<u8>, ReadError>;

    /// Returns the path with every link resolved; `None` if it does not exist or its links form a cycle.
    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf>;

    /// Returns a value that changes whenever a file's content or a folder's list of files changes; `None` if the path
    /// does not exist.
    fn stamp(&self, path: &Utf8Path) -> Option<Stamp>;

    /// Returns the models and manifests below a folder, sorted, within bounds.
    fn walk(&self, folder: &Utf8Path, bounds: Bounds) -> Walk;

    fn is_file(&self, path: &Utf8Path) -> bool {
        self.kind(path) == Some(Kind::File)
    }

    fn is_directory(&self, path: &Utf8Path) -> bool {
        self.kind(path) == Some(Kind::Directory)
    }

    /// Returns the whole content as text, including a byte-order mark and line ends.
    fn read_text(&self, path: &Utf8Path, max: usize) -> Result<String, ReadError> {
        let bytes = self.read(path, max)?;
        String::from_utf8(bytes).map_err(|error| ReadError::NotUtf8 { valid: error.utf8_error().valid_up_to() })
    }
}

/// Implements the trait for pointers to files: a borrow and a shared owner.
macro_rules! files_for {
    ($($pointer:ty),*) => {$(
        impl<F: Files + ?Sized> Files for $pointer {
            fn kind(&self, path: &Utf8Path) -> Option<Kind> {
                (**self).kind(path)
            }

            fn read(&self, path: &Utf8Path, max: usize) -> Result<Vec<u8>, ReadError> {
                (**self).read(path, max)
            }

            fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
                (**self).canonical(path)
            }

            fn stamp(&self, path: &Utf8Path) -> Option<Stamp> {
                (**self).stamp(path)
            }

            fn walk(&self, folder: &Utf8Path, bounds: Bounds) -> Walk {
                (**self).walk(folder, bounds)
            }
        }
    )*};
}

files_for!(&F, Arc<F>);

/// The reason why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("there is no such file")]
    NotFound,
    #[error("it is not a file")]
    NotAFile,
    #[error("it has more than {max} bytes")]
    TooLarge { max: usize },
    #[error("it is not UTF-8 text (byte {valid})")]
    NotUtf8 { valid: usize },
    #[error("it is a link that leads out of its folder")]
    Outside,
    #[error("{0}")]
    Io(String),
}

/// The state of a file or folder when it was last checked. Compare it only with other stamps.
///
/// On disk it consists of size, modification times and identity: a change that restores all of them is not detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp(pub(crate) [u64; 6]);

/// The limits of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum number of entries, files and folders.
    pub entries: usize,
    /// Maximum depth below the starting folder.
    pub depth: usize,
}

impl Default for Bounds {
    /// Returns bounds far above any repository of models, whose walk takes about a second.
    fn default() -> Self {
        Self { entries: 200_000, depth: 64 }
    }
}

/// The result of a walk: what it found and what it skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// Files named `*.dlang` and `model.yaml`, absolute, sorted.
    pub files: Vec<Utf8PathBuf>,
    /// The visited folders, including the first.
    pub folders: Vec<Utf8PathBuf>,
    pub skipped: Vec<WalkGap>,
}

/// A path that a walk skipped although it may contain models.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum WalkGap {
    /// The walk stopped after this number of entries.
    Entries(usize),
    /// The walk did not enter this folder, because it is at the maximum depth.
    Depth(Utf8PathBuf),
    /// The path cannot be read.
    Unreadable {
        /// The path; a name that is not UTF-8 is shown lossily.
        path: Utf8PathBuf,
        /// The reason.
        reason: String,
    },
    /// The path is named like a model, but zubi does not read it.
    PassedOver {
        path: Utf8PathBuf,
        /// The kind of the path.
        kind: &'static str,
    },
    /// This number of further gaps is not listed.
    Unlisted(usize),
}

/// The maximum number of [`WalkGap`]s that are listed individually.
const MAX_CUTS: usize = 20;

/// Folders with generated content, by the names that version control, package managers and build tools give them; and
/// the package cache, whose models only imports can reach.
const GENERATED: &[&str] =
    &[CACHE, ".cache", ".git", ".hg", ".jj", ".svn", ".venv", "__pycache__", "node_modules", "target", "venv"];

fn is_of_interest(path: &Utf8Path) -> bool {
    path.file_name() == Some(MANIFEST) || path.extension() == Some(EXTENSION)
}
