//! The body of the target for SCIP files. The tests of `zubi-index` replay its corpus.

use zubi_index::ScipLimits;
use zubi_index::scip::check_bytes;

/// Any bytes as a SCIP file: the reader returns, its encoding is lossless, and ranges begin and end between characters.
pub fn scip_reader(bytes: &[u8]) {
    let limits = ScipLimits { document_bytes: 1 << 16, occurrences: 5_000, ..ScipLimits::default() };
    check_bytes(bytes, &limits);
}
