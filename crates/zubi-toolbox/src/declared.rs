//! Tools that a workspace declares in `.vscode/agent-tools.json` and `.vscode/agent-tools/*.json`.
//!
//! [`load()`] finds, reads and checks the files; [`mod@format`] defines their format and published schema; [`plan`]
//! compiles a tool's templates when its file is loaded; [`template`] is the file that `zubi tools init` writes;
//! [`testing`] runs the tests in the files. `provider` offers the tools and follows the files; `tool` and `execute`
//! dispatch a call to its runner. `zubi-run` executes; the policy decides whether a call may run.
//!
//! **Trust.** A tool may reach a model only if the user has trusted its file with exactly this content: the
//! descriptions in an unknown file are unreviewed text.

mod built_in;
mod definition;
pub mod disclosure;
mod execute;
pub mod format;
pub mod functions;
mod lint;
pub mod load;
mod origin;
pub mod plan;
mod problem;
mod provider;
pub mod sample;
mod shape;
pub mod testing;
mod tool;
mod tree;

#[cfg(test)]
mod tests;

pub use self::definition::{Definition, TOOLSET};
pub use self::load::{
    Content, DIRECTORY, DeclaredTools, LoadedFile, LoadedTool, MAIN_FILE, TrustState, files_of, load, load_files, read,
};
pub use self::problem::{Problem, Severity, LocatedProblem};
pub use self::provider::{DeclaredProvider, Setup};
