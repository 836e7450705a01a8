//! The types of LSP 3.18, re-exported so that replacing the crate changes only this file.

pub use gen_lsp_types::*;

/// Fails to compile if any dependency enables `gen-lsp-types/url` (cargo features are global): [`Uri`] would then no
/// longer be a plain string, and one malformed URI from a server would invalidate a whole response.
const _: fn(String) -> Uri = Uri;
