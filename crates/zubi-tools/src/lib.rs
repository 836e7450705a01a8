//! The tools themselves, one file each, grouped by subject. A tool reads its arguments, calls a lower crate and renders
//! the answer for a model; it never knows its caller or the protocol.

pub mod adapter;
pub mod domainlang;
pub mod editor;
pub mod editor_state;
pub mod file;
pub mod jsonc;
pub mod lsp;
pub mod output;
pub mod refactor;
pub mod resources;
pub mod script;
pub mod settings;
pub mod shell;
pub mod tools;
