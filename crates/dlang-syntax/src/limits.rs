//! Limits that bound the cost of bad input.

/// Maximum nesting depth of namespaces. Real models have two or three levels; the limit ensures that no recursion
/// over the tree, including the one that frees it, overflows a small stack.
pub const MAX_NESTING: usize = 128;

/// Maximum length of a text in bytes: offsets are 32 bits wide.
pub const MAX_LENGTH: usize = u32::MAX as usize;

/// Maximum number of diagnostics per text; one more reports that there are others. Users do not read more, and for a
/// large file that is not a model the messages would otherwise take more memory than the text.
pub const MAX_DIAGNOSTICS: usize = 1000;
