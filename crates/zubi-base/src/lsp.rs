//! The types of the Language Server Protocol 3.18, re-exported so that a change of crate is a change of one line.

pub use gen_lsp_types::*;

/// Cargo features are global: if any dependency switched `gen-lsp-types/url` on, [`Uri`] would stop being a plain
/// string and one malformed URI from a server would fail a whole answer. This does not compile then.
const _: fn(String) -> Uri = Uri;
