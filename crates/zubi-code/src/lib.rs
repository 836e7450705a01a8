//! Code intelligence over endpoints: the knowledge of the language servers (or the open editor) as plain data that an
//! agent can read.
//!
//! [`CodeIntel`] is the entry point. Each request has the same steps: it notifies the servers of changed files
//! ([`router`]), resolves the target ([`locate`]), waits for the servers' own signals ([`readiness`]), sends one
//! request to each, and rates the completeness of the answer ([`status`]).
//!
//! This crate starts no process, uses LSP's types over [`zubi_base::endpoint::Endpoint`], and does not know
//! `zubi-lsp-client`.

pub mod actions;
pub mod apply;
mod cache;
pub mod diagnostics;
mod document;
pub mod edit;
mod embedding;
pub mod error;
pub mod exact_answer;
pub mod exact_index;
mod exclusion;
mod external_files;
pub mod features;
mod file_graph;
mod file_role;
mod intel;
mod lexical;
pub mod locate;
pub mod location;
pub mod markup;
pub mod outline;
mod path_mentions;
pub mod query;
pub mod readiness;
mod related;
mod request;
mod response_check;
pub mod router;
pub mod searched_files;
pub mod settings;
pub mod status;
mod symbol_edit;
pub mod symbol_index;
pub mod symbol_uses;
pub mod syntax;
#[cfg(feature = "testing")]
pub mod testing;
mod text_fallback;
pub mod text_search;
pub mod unread_files;
pub mod version_control;
mod virtual_documents;
mod worktrees;

pub use crate::error::CodeError;
pub use crate::external_files::ExternalFiles;
pub use crate::intel::{CodeConfig, CodeIntel};
pub use crate::query::{CallCx, CodeQuery};
pub use crate::status::{AnswerSource, AnswerStatus, Completeness, QualifiedAnswer};
