//! Tools that a workspace declares in `.vscode/agent-tools.json` and `.vscode/agent-tools/*.json`.
//!
//! [`load()`] finds, reads and checks the files; [`mod@format`] defines their format and published schema; [`plan`]
//! compiles a tool's templates when its file is loaded; [`template`] is the file that `zubi tools init` writes;
//! [`testing`] runs the tests in the files. `provider` offers the tools and follows the files; `tool` and `execute`
//! dispatch a call to its runner. `zubi-exec` executes; the policy decides whether a call may run.
//!
//! **Trust.** A tool may reach a model only if the user has trusted its file with exactly this content: the
//! descriptions in an unknown file are unreviewed text.

mod built_in;
mod declared_tool;
mod definition;
mod execute;
pub mod format;
pub mod functions;
mod json_tree;
mod lint;
pub mod load;
mod loaded;
pub mod plan;
mod problem;
mod provider;
mod source;
pub mod template;
pub mod testing;
mod tool;
pub mod trust_report;
mod validate;

#[cfg(test)]
mod tests;

pub use self::built_in::BUILT_IN;
pub use self::definition::{ResolvedDefinition, TOOLSET};
pub use self::load::{DIRECTORY, FileContent, MAIN_FILE, load, load_files, read_file};
pub use self::loaded::{DeclaredTools, LoadedFile, LoadedTool, TrustState};
pub use self::problem::{LocatedProblem, ProblemSeverity, ToolFileProblem};
pub use self::provider::{DeclaredProvider, DeclaredToolsConfig};
