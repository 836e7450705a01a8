//! The occurrences of a document as one value of the store.
//!
//! The format is a list of numbers as in [`super::wire`]: the number of symbols and their ids, each as the difference to the
//! one before; the number of occurrences; and each occurrence: the difference of its line to the one before, its column (or,
//! on the same line, the difference), its flags, its length or its end, and the index of its symbol.

use super::wire::{WireError, put_number, take_number};

/// A range as the producer sends it: 0-based lines, and columns in the units of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StoredRange {
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) end_line: u32,
    pub(crate) end_column: u32,
}

impl StoredRange {
    /// Whether the range is on one line and not empty, as that of a name is.
    pub(crate) fn is_name(&self) -> bool {
        self.line == self.end_line && self.column < self.end_column
    }
}

/// An occurrence of a symbol, which has an id in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StoredOccurrence {
    pub(crate) range: StoredRange,
    pub(crate) moniker: i64,
    pub(crate) roles: OccurrenceRoles,
}

/// The bits of `SymbolRole` in `scip.proto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct OccurrenceRoles(pub(crate) u8);

impl OccurrenceRoles {
    const DEFINITION: u8 = 1;
    const IMPORT: u8 = 2;
    const WRITE: u8 = 4;
    const FORWARD_DEFINITION: u8 = 64;
    const ALL: u8 = 127;
    /// In the store: the range has several lines.
    const MULTILINE: u8 = 128;

    pub(crate) fn from_scip(bits: u64) -> Self {
        Self(u8::try_from(bits & u64::from(Self::ALL)).unwrap_or_default())
    }

    /// Whether this is the definition. A forward declaration is a reference.
    pub(crate) fn is_definition(self) -> bool {
        self.0 & Self::DEFINITION != 0 && self.0 & Self::FORWARD_DEFINITION == 0
    }

    pub(crate) fn is_import(self) -> bool {
        self.0 & Self::IMPORT != 0
    }

    pub(crate) fn is_write(self) -> bool {
        self.0 & Self::WRITE != 0
    }
}

/// Encodes occurrences, which are sorted and have no duplicates.
pub(crate) fn encode(occurrences: &[StoredOccurrence]) -> Vec<u8> {
    let mut monikers: Vec<i64> = occurrences.iter().map(|occurrence| occurrence.moniker).collect();
    monikers.sort_unstable();
    monikers.dedup();
    let mut bytes = Vec::with_capacity(occurrences.len() * 5 + monikers.len() * 2);
    put_number(&mut bytes, monikers.len() as u64);
    let mut last = 0;
    for moniker in &monikers {
        put_number(&mut bytes, moniker.wrapping_sub(last).cast_unsigned());
        last = *moniker;
    }
    put_number(&mut bytes, occurrences.len() as u64);
    let (mut line, mut column) = (0, 0);
    for StoredOccurrence { range, moniker, roles } in occurrences {
        put_number(&mut bytes, u64::from(range.line.wrapping_sub(line)));
        put_number(
            &mut bytes,
            u64::from(if range.line == line { range.column.wrapping_sub(column) } else { range.column }),
        );
        (line, column) = (range.line, range.column);
        let roles = roles.0 & OccurrenceRoles::ALL;
        if range.end_line == range.line {
            bytes.push(roles);
            put_number(&mut bytes, u64::from(range.end_column.wrapping_sub(range.column)));
        } else {
            bytes.push(roles | OccurrenceRoles::MULTILINE);
            put_number(&mut bytes, u64::from(range.end_line.wrapping_sub(range.line)));
            put_number(&mut bytes, u64::from(range.end_column));
        }
        put_number(&mut bytes, monikers.binary_search(moniker).unwrap_or_default() as u64);
    }
    bytes
}

/// Decodes a list of occurrences.
pub(crate) fn decode(mut bytes: &[u8]) -> Result<Vec<StoredOccurrence>, WireError> {
    let bytes = &mut bytes;
    let number = |bytes: &mut &[u8]| u32::try_from(take_number(bytes)?).map_err(|_| WireError::OutOfRange);
    let count = |bytes: &mut &[u8], size: usize| {
        let count = usize::try_from(take_number(bytes)?).unwrap_or(usize::MAX);
        // Each needs some bytes, so a damaged number does not reserve memory.
        if count > bytes.len() / size { Err(WireError::Truncated) } else { Ok(count) }
    };
    let symbols = count(bytes, 1)?;
    let mut monikers = Vec::with_capacity(symbols);
    let mut last = 0_i64;
    for _ in 0..symbols {
        last = last.wrapping_add(take_number(bytes)?.cast_signed());
        monikers.push(last);
    }
    let length = count(bytes, 5)?;
    let mut occurrences = Vec::with_capacity(length);
    let (mut line, mut column) = (0_u32, 0_u32);
    for _ in 0..length {
        let delta = number(bytes)?;
        line = line.checked_add(delta).ok_or(WireError::OutOfRange)?;
        let start = number(bytes)?;
        column = if delta == 0 { column.checked_add(start).ok_or(WireError::OutOfRange)? } else { start };
        let (flags, rest) = bytes.split_first().ok_or(WireError::Truncated)?;
        *bytes = rest;
        let first = number(bytes)?;
        let (end_line, end_column) = if flags & OccurrenceRoles::MULTILINE == 0 {
            (line, column.checked_add(first).ok_or(WireError::OutOfRange)?)
        } else {
            (line.checked_add(first).ok_or(WireError::OutOfRange)?, number(bytes)?)
        };
        let moniker = monikers.get(number(bytes)? as usize).copied().ok_or(WireError::OutOfRange)?;
        let range = StoredRange { line, column, end_line, end_column };
        occurrences.push(StoredOccurrence { range, moniker, roles: OccurrenceRoles(flags & OccurrenceRoles::ALL) });
    }
    if bytes.is_empty() { Ok(occurrences) } else { Err(WireError::OutOfRange) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn occurrence() -> impl Strategy<Value = StoredOccurrence> {
        let numbers = (any::<u16>(), any::<u16>(), prop_oneof![Just(0_u32), 0..300_u32], any::<u16>());
        (numbers, 1..1_000_000_i64, 0..128_u8).prop_map(|((line, column, lines, length), moniker, roles)| {
            let (line, column, length) = (u32::from(line), u32::from(column), u32::from(length));
            let end_column = if lines == 0 { column + length } else { length };
            let range = StoredRange { line, column, end_line: line + lines, end_column };
            StoredOccurrence { range, moniker, roles: OccurrenceRoles(roles) }
        })
    }

    proptest! {
        #[test]
        fn decoding_returns_what_was_encoded(mut occurrences in prop::collection::vec(occurrence(), 0..60)) {
            occurrences.sort_unstable();
            occurrences.dedup();
            prop_assert_eq!(decode(&encode(&occurrences)).unwrap(), occurrences);
        }

        #[test]
        fn damaged_lists_are_errors_or_lists(
            mut occurrences in prop::collection::vec(occurrence(), 1..20),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            occurrences.sort_unstable();
            let mut bytes = encode(&occurrences);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            decode(&bytes).ok();
            prop_assert!(decode(&bytes[..at]).is_err());
        }
    }

    #[test]
    fn a_list_is_small() {
        let at = |line, column, moniker| StoredOccurrence {
            range: StoredRange { line, column, end_line: line, end_column: column + 4 },
            moniker,
            roles: OccurrenceRoles(1),
        };
        let bytes = encode(&[at(0, 4, 900), at(0, 12, 901), at(3, 0, 900)]);
        assert_eq!(bytes, [2, 0x84, 7, 1, 3, 0, 4, 1, 4, 0, 0, 8, 1, 4, 1, 3, 0, 1, 4, 0]);
    }
}
