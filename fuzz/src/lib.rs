//! The bodies of the fuzz targets, by subject: each file is also compiled into the tests of a crate of the workspace.

mod bodies;
mod chat;
mod completion_checks;
mod declared;
mod dlang;
mod editor;
mod index_store;
mod model;
mod scip;
mod shell;
mod syntax;
mod template;
pub mod workspace;

pub use bodies::{framing, text_replace, uri_path, workspace_edit};
pub use chat::chat_stream;
pub use declared::parse_tool_file;
pub use dlang::{dlang_lexer, dlang_parser};
pub use editor::{dlang_editor, dlang_formatter};
pub use index_store::index_store;
pub use model::dlang_model;
pub use scip::scip_reader;
pub use shell::shell_reader;
pub use syntax::{syntax_outline, syntax_pattern};
pub use template::template;
