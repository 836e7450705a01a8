//! What is in a workspace, and which language servers this machine has: everything that makes zubi work without
//! configuration.
//!
//! - [`Languages`] tells a file's language by its name, extension or first line.
//! - [`scan()`] walks the folders once and counts languages, directories and root markers.
//! - [`project_root`] finds where a document's project begins, [`inner_project`] which part of it a server reads at once.
//! - [`ProgramFinder`] finds a server's program and proves that it runs.
//!
//! Owns no decision about what is started; it reads the disk and runs `--version`.

mod languages;
mod program;
mod root;
mod scan;
mod version;

pub use languages::Languages;
pub use program::{MissingProgram, Program, ProgramFinder, RejectedCandidate};
pub use root::{inner_project, project_root};
pub use scan::{Detection, LanguageFiles, Limits, Marker, scan};
pub use version::version_numbers;
