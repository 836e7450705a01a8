//! The tools themselves, one file each, grouped by what they are about. A tool reads its arguments, asks a lower crate,
//! and writes the answer down for a model; it never knows who asked or over which protocol.

pub mod declared;
pub mod domainlang;
pub mod editor;
pub mod file;
mod jsonc;
pub mod lsp;
mod os_tool;
pub mod output;
pub mod refactor;
pub mod resources;
pub mod settings;
pub mod shell;
pub mod sight;
pub mod tools;
