//! The tools themselves, one file each, grouped by what they are about. A tool reads its arguments, asks a lower crate,
//! and writes the answer down for a model; it never knows who asked or over which protocol.

pub mod domainlang;
pub mod lsp;
#[expect(dead_code, reason = "the first tools in this frame take the line away")]
mod os_tool;
pub mod tools;
