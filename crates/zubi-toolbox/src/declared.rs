//! Declared tools: those that a workspace describes in `.vscode/agent-tools.json` and `.vscode/agent-tools/*.json`.
//!
//! [`load()`] finds, reads and checks the files; [`mod@format`] is their format and published schema; [`plan`] reads the templates
//! of a tool when its file is loaded; [`sample`] is the file that `zubi tools init` writes; [`testing`] runs the tests in the files. `provider` offers the tools and
//! follows the files; `tool` and `execute` hand a call to what runs it. How things run is `zubi-run`'s, whether they may is the
//! policy's.
//!
//! **Trust.** Only tools of a file that the user has trusted with this very content may reach a model: an unknown file's
//! descriptions are text that nobody has looked at.

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
