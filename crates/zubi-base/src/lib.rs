//! The foundation of every other crate: paths and URIs, positions and encodings, texts, processes, JSON-RPC framing,
//! configuration layers, the trust store, the clock, and the [`endpoint`] traits.
//!
//! This crate has no features of its own. It is the only crate that names `gen-lsp-types` (re-exported as [`lsp`]) and
//! the only one that starts a child process ([`process`]).

pub mod clock;
pub mod config;
pub mod credentials;
pub mod endpoint;
pub mod env;
pub mod escape;
pub mod file_lists;
pub mod file_observer;
pub mod framing;
pub mod fs;
pub mod git_index;
pub mod here_document;
pub mod lsp;
pub mod nearest;
pub mod owner_only;
pub mod position;
pub mod process;
pub mod random;
pub mod rpc;
pub mod secret;
pub mod secret_shape;
pub mod sync;
pub mod text;
pub mod trust;
pub mod uri;
pub mod walk;
pub mod workspace;
pub mod worktree;
