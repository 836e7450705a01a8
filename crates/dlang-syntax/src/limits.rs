//! The bounds that keep bad input harmless.

/// How deep namespaces may be nested. Real models have two or three levels; the bound keeps every recursion over the tree,
/// including the one that frees it, far from the end of a small stack.
pub const MAX_NESTING: usize = 128;

/// How many bytes a text may have: offsets are 32 bits wide.
pub const MAX_LENGTH: usize = u32::MAX as usize;

/// How many diagnostics one text gets; one more says that there are others. Nobody reads more, and a large file that is
/// no model at all would otherwise cost more memory in messages than in text.
pub const MAX_DIAGNOSTICS: usize = 1000;
