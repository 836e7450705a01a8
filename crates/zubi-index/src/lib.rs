//! Knowledge of a workspace's files without a language server.
//!
//! [`parser`] parses files in a process of its own, because a grammar can end or block its process. [`index`] has the
//! declarations and words of all files of a folder in a store on disk, which [`build`] makes and updates. [`workspace`] has
//! the indexes of a workspace's folders and follows their files. [`scip`] imports exact data that an indexer has made.

pub mod build;
pub mod git;
pub mod index;
pub mod limits;
pub mod parser;
pub mod scip;
mod store;
pub mod workspace;

pub use git::GitRepositories;
pub use index::LocalIndex;
pub use limits::IndexLimits;
pub use scip::{ScipIndex, ScipLimits, TeamDatabase, TeamIndex};
pub use store::vanished::remove_vanished;
pub use workspace::WorkspaceIndex;
