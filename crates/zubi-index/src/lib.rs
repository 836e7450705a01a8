//! Knowledge of a workspace's files without a language server.
//!
//! [`parser`] parses files in a process of its own, because a grammar can end or block its process. [`index`] has the
//! declarations and words of all files of a folder in a store on disk, which [`build`] makes and updates. [`workspace`] keeps
//! the indexes of a workspace's folders up to date.

pub mod build;
pub mod git;
pub mod index;
pub mod limits;
pub mod parser;
mod store;
pub mod workspace;

pub use git::GitRepositories;
pub use index::LocalIndex;
pub use limits::IndexLimits;
pub use workspace::WorkspaceIndex;
