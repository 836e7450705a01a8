//! The bodies of the fuzz targets. One file for each family of crates, because normal tests of those crates include them.

mod bodies;
pub mod workspace;

pub use bodies::{framing, uri_path, workspace_edit};
