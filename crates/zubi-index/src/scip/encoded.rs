//! The data of a document as a store has them: the ids of its symbols instead of their texts.

use sha2::{Digest as _, Sha256};

use super::codec::{self, StoredOccurrence};
use super::document::{ScipDocument, ScipTool};
use super::kind;
use super::position::ColumnUnit;
use super::store::DocumentCounts;
use crate::store::kind::code_of;

/// The first 16 bytes of a SHA-256.
pub(crate) type ShortHash = [u8; 16];

/// The data of a document.
pub(crate) struct EncodedDocument {
    occurrences: Vec<StoredOccurrence>,
    /// The symbol, the target and the flags of each relation; sorted.
    pub(crate) relations: Vec<(i64, i64, u8)>,
    /// The occurrences in the format of [`codec`].
    pub(crate) bytes: Vec<u8>,
    /// The hash of all the data. It depends on the ids of the symbols.
    pub(crate) digest: ShortHash,
    pub(crate) counts: DocumentCounts,
}

/// The number of occurrences of a symbol in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SymbolCount {
    pub(crate) moniker: i64,
    /// Whether these are the references, or else the definitions.
    pub(crate) is_reference: bool,
    pub(crate) number: usize,
}

impl EncodedDocument {
    /// Encodes a document. `moniker` returns the id of a symbol, or `None` if the store rejects its text; it receives the
    /// code of the kind if the document has one.
    pub(crate) fn new<E>(
        unit: ColumnUnit,
        document: &ScipDocument<'_>,
        tool: &ScipTool,
        mut moniker: impl FnMut(&str, Option<u32>) -> Result<Option<i64>, E>,
    ) -> Result<Self, E> {
        let mut counts = DocumentCounts::default();
        let mut occurrences = Vec::with_capacity(document.occurrences.len());
        for occurrence in &document.occurrences {
            match moniker(occurrence.symbol, None)? {
                Some(moniker) => {
                    let (range, roles) = (occurrence.range, occurrence.roles);
                    occurrences.push(StoredOccurrence { range, moniker, roles });
                }
                None => counts.invalid += 1,
            }
        }
        occurrences.sort_unstable();
        occurrences.dedup();
        counts.occurrences = occurrences.len();
        let mut relations = Vec::new();
        for information in &document.symbols {
            let kind = kind::from_scip(information.kind).map(code_of);
            let Some(symbol) = moniker(information.symbol, kind)? else { continue };
            for relation in &information.relations {
                if let Some(target) = moniker(relation.target, None)? {
                    relations.push((symbol, target, relation.bits.0));
                }
            }
        }
        relations.sort_unstable();
        // Several relations to one target are one.
        relations.dedup_by(|next, first| {
            let is_same = (next.0, next.1) == (first.0, first.1);
            if is_same {
                first.2 |= next.2;
            }
            is_same
        });
        let bytes = codec::encode(&occurrences);
        let digest = digest(tool, unit, &bytes, &relations);
        Ok(Self { occurrences, relations, bytes, digest, counts })
    }

    /// Returns the numbers of occurrences, sorted by symbol.
    pub(crate) fn symbols(&self) -> Vec<SymbolCount> {
        let mut roles: Vec<(i64, bool)> =
            self.occurrences.iter().map(|one| (one.moniker, !one.roles.is_definition())).collect();
        roles.sort_unstable();
        let count = |group: &[(i64, bool)]| {
            let (moniker, is_reference) = *group.first()?;
            Some(SymbolCount { moniker, is_reference, number: group.len() })
        };
        roles.chunk_by(|a, b| a == b).filter_map(count).collect()
    }
}

fn digest(tool: &ScipTool, unit: ColumnUnit, occurrences: &[u8], relations: &[(i64, i64, u8)]) -> ShortHash {
    let mut digest = Sha256::new();
    digest.update(tool.name.as_bytes());
    digest.update([0, unit.code()]);
    digest.update((occurrences.len() as u64).to_le_bytes());
    digest.update(occurrences);
    for (moniker, target, bits) in relations {
        digest.update(moniker.to_le_bytes());
        digest.update(target.to_le_bytes());
        digest.update([*bits]);
    }
    short_hash(digest.finalize().into())
}

pub(crate) fn short_hash(digest: [u8; 32]) -> ShortHash {
    let mut hash = [0; 16];
    hash.iter_mut().zip(digest).for_each(|(byte, other)| *byte = other);
    hash
}
