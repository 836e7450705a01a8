//! The limits of imports.

/// The limits of an import and of its store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScipLimits {
    /// The maximum size of a file, in bytes.
    pub file_bytes: u64,
    /// The maximum size of a document in the file, in bytes. Larger ones are skipped.
    pub document_bytes: u64,
    /// The maximum number of documents. More are skipped.
    pub documents: usize,
    /// The maximum number of occurrences, symbols and relations of a document together. A document with more is skipped.
    pub occurrences: usize,
    /// The maximum length of a symbol, in bytes. Occurrences of longer ones are skipped.
    pub symbol_bytes: usize,
    /// The maximum size of the store in bytes, without its log. An import beyond it fails.
    pub store_bytes: u64,
    /// The maximum number of documents that a status compares with their texts.
    pub checked_documents: usize,
}

impl Default for ScipLimits {
    fn default() -> Self {
        Self {
            file_bytes: 4 << 30,
            document_bytes: 64 << 20,
            documents: 500_000,
            occurrences: 500_000,
            symbol_bytes: 4_096,
            store_bytes: 2 << 30,
            checked_documents: 50_000,
        }
    }
}
