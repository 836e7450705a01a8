//! The limits of an index.

/// The maximum size of a text that is parsed, in bytes; see [`zubi_syntax::MAX_TEXT_BYTES`].
pub(crate) const MAX_PARSED: usize = zubi_syntax::MAX_TEXT_BYTES;

/// The maximum size of a text whose words are read, in bytes.
pub(crate) const MAX_WORDS: u64 = 1_000_000;

/// The maximum length of a line of a text that is parsed, in bytes. Longer lines are generated.
pub(crate) const MAX_LINE: usize = 5_000;

/// The limits of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexLimits {
    /// The maximum number of files.
    pub files: usize,
    /// The maximum size of the store in bytes, without its log.
    pub bytes: u64,
}

impl Default for IndexLimits {
    fn default() -> Self {
        Self { files: 500_000, bytes: 2 << 30 }
    }
}
