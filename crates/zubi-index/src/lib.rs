//! Knowledge of a workspace's files without a language server.
//!
//! [`parser`] parses files in a process of its own, because a grammar can end or block its process.

pub mod parser;
