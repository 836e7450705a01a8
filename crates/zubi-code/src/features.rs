//! The requests, one file each. All are methods of [`crate::CodeQuery`] and return plain data with a status.

pub mod annotations;
pub mod ast_rewrite;
pub mod ast_search;
pub mod changed_symbols;
pub mod completion;
pub mod folder_outline;
pub mod format;
pub mod hierarchy;
pub mod hover;
mod implementations;
pub(crate) mod index_search;
mod left_out;
pub mod locations;
pub mod mentions;
mod outline;
mod projects;
pub mod references;
pub mod rename;
pub mod rename_file;
pub mod repo_map;
pub mod signature;
pub mod symbol_edit;
pub mod symbol_filter;
pub mod symbol_source;
pub mod symbols;
