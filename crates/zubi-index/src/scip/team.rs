//! Exact data that a team shares: a second store, on PostgreSQL. CI pushes a snapshot per commit; every clone reads them.
//!
//! [`push`] imports a file into a snapshot, in one transaction. [`TeamIndex`] answers for a workspace folder from the
//! snapshot of the nearest ancestor of `HEAD`: each document is exact only if the present file has its blob id, as with
//! imported data. [`uses`] answers for all repositories from their newest snapshots. A process stores nothing between two
//! queries except connections.
//!
//! The ids of symbols are hashes of their texts, so that they are the same in every repository. `schema.sql` has the tables
//! and their row security. Rows are as hostile as a file: they have limits, and their paths are checked. The server itself
//! is one that the user's own configuration names.

mod connection;
mod error;
mod index;
mod options;
mod push;
mod repository;
mod session;
mod stage;
mod tls;
mod uses;
mod writer;

#[cfg(test)]
mod tests;

pub use connection::TeamDatabase;
pub use error::TeamIndexError;
pub use index::{TeamIndex, TeamSnapshot, repository_name};
pub use push::{PushReport, PushRequest};

use sha2::{Digest as _, Sha256};

/// The version of the tables in `schema.sql`.
const SCHEMA_VERSION: i32 = 1;

/// The maximum size of the encoded occurrences of a document, in bytes. [`super::ScipLimits`] allows no larger ones.
const MAX_OCCURRENCES: i64 = 16 << 20;

/// Returns the id of a content: 63 bits of its SHA-256. A push fails if two contents of a repository have the same.
fn content_id(parts: &[&[u8]]) -> i64 {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let digest: [u8; 32] = digest.finalize().into();
    let bytes = digest.first_chunk::<8>().copied().unwrap_or_default();
    i64::from_le_bytes(bytes) & i64::MAX
}

/// Returns the id of a symbol.
fn moniker_id(text: &str) -> i64 {
    content_id(&[text.as_bytes()])
}
