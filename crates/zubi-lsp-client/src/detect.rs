//! Detects the languages and projects of a workspace and the language servers of this machine, without configuration.
//!
//! - [`Languages`] recognizes a file's language by its name, extension or first line.
//! - [`scan()`] walks the folders once and counts languages, directories and root markers.
//! - [`project_root`] finds the root of a document's project, [`inner_project`] the part that a server reads at once.
//! - [`PythonEnvironment`] finds the Python environment of a project.
//! - [`ProgramFinder`] finds a server's program and proves that it runs.
//!
//! Does not decide which servers are started; it reads the disk and runs `--version`.

mod languages;
mod program;
mod python;
mod root;
mod scan;
pub(crate) mod version;

pub use languages::Languages;
pub use program::{MissingProgram, Program, ProgramFinder, RejectedCandidate};
pub use python::{PythonEnvironment, PythonEnvironments, PythonSearch};
pub(crate) use root::Manifests;
pub use root::{inner_project, project_root};
pub use scan::{Detection, LanguageFiles, Marker, ScanLimits, scan};
pub use version::version_numbers;
