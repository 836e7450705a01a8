//! The tools themselves, one file each, grouped by subject. A tool reads its arguments, calls a lower crate and renders
//! the answer for a model; it never knows its caller or the protocol.

pub mod declared;
pub mod domainlang;
pub mod editor;
pub mod file;
mod jsonc;
pub mod lsp;
mod adapter;
pub mod output;
pub mod refactor;
pub mod resources;
pub mod settings;
pub mod shell;
pub mod editor_state;
pub mod tools;
