//! The files that contain each word.
//!
//! A word is stored as 48 bits of its hash, so two words can have the same files. A *segment* has the words of many files: for
//! each word one row with a list of ids. The words of a few changed files are in the table `live`, one row per file, until
//! there are enough for a segment. Ids of deleted files stay in the lists of their segment until it is written again.

use rusqlite::{Connection, OptionalExtension as _};

use super::IndexStoreError;

/// The number of bytes of a word in `live`.
const WORD_BYTES: usize = 6;

/// Returns the 48 bits that represent a word: FNV-1a with 64 bits, folded. The function is a part of the store's format.
pub(crate) fn word_key(word: &str) -> u64 {
    let hash = word
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash ^ (hash >> 48)) & 0xffff_ffff_ffff
}

/// Returns the keys of the words of a text, sorted and without duplicates.
pub(crate) fn word_keys(text: &str) -> Vec<u64> {
    let mut keys: Vec<u64> = zubi_syntax::words(text).map(|word| word_key(word.text)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Appends a number in base 128, least significant digits first (LEB128).
fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    loop {
        let [digit, ..] = (number & 0x7f).to_le_bytes();
        number >>= 7;
        if number == 0 {
            bytes.push(digit);
            return;
        }
        bytes.push(digit | 0x80);
    }
}

/// Encodes ascending ids, none below `base`, as differences.
pub(crate) fn encode_ids(base: i64, ids: impl IntoIterator<Item = i64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut previous = base;
    for id in ids {
        push_number(&mut bytes, id.saturating_sub(previous).unsigned_abs());
        previous = id;
    }
    bytes
}

/// Decodes the ids of [`encode_ids`].
pub(crate) fn decode_ids(base: i64, bytes: &[u8]) -> Result<Vec<i64>, IndexStoreError> {
    const DAMAGED: IndexStoreError = IndexStoreError::Damaged("an invalid list of files");
    let mut ids = Vec::new();
    let (mut previous, mut number, mut shift) = (base, 0_u64, 0);
    for byte in bytes {
        if shift > 56 {
            return Err(DAMAGED);
        }
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 != 0 {
            shift += 7;
            continue;
        }
        previous = i64::try_from(number).ok().and_then(|number| previous.checked_add(number)).ok_or(DAMAGED)?;
        ids.push(previous);
        (number, shift) = (0, 0);
    }
    if shift == 0 { Ok(ids) } else { Err(DAMAGED) }
}

/// Encodes sorted keys for `live`.
pub(crate) fn encode_keys(keys: impl IntoIterator<Item = u64>) -> Vec<u8> {
    keys.into_iter().flat_map(encode_key).collect()
}

/// Encodes a key so that the order of the bytes is that of the keys.
fn encode_key(key: u64) -> [u8; WORD_BYTES] {
    let [_, _, bytes @ ..] = key.to_be_bytes();
    bytes
}

/// Decodes the keys of [`encode_keys`].
pub(crate) fn decode_keys(bytes: &[u8]) -> Result<impl Iterator<Item = u64>, IndexStoreError> {
    if !bytes.len().is_multiple_of(WORD_BYTES) {
        return Err(IndexStoreError::Damaged("an invalid list of words"));
    }
    Ok(bytes.chunks_exact(WORD_BYTES).map(|chunk| chunk.iter().fold(0, |key, byte| key << 8 | u64::from(*byte))))
}

fn has_key(bytes: &[u8], key: u64) -> bool {
    let (keys, _) = bytes.as_chunks::<WORD_BYTES>();
    keys.binary_search(&encode_key(key)).is_ok()
}

/// Returns the ids of the files whose lists have a key, ascending, among them ids of deleted files.
pub(crate) fn files_of(connection: &Connection, key: u64) -> Result<Vec<i64>, IndexStoreError> {
    let mut ids = Vec::new();
    let mut segments = connection.prepare_cached("SELECT id, base FROM segment")?;
    let mut posting = connection.prepare_cached("SELECT files FROM posting WHERE segment = ?1 AND word = ?2")?;
    let mut rows = segments.query([])?;
    while let Some(row) = rows.next()? {
        let (segment, base): (i64, i64) = (row.get(0)?, row.get(1)?);
        let list = posting.query_row([segment, key.cast_signed()], |row| row.get::<_, Vec<u8>>(0)).optional()?;
        if let Some(list) = list {
            ids.extend(decode_ids(base, &list)?);
        }
    }
    let mut live = connection.prepare_cached("SELECT file, words FROM live")?;
    let mut rows = live.query([])?;
    while let Some(row) = rows.next()? {
        if has_key(row.get_ref(1)?.as_blob().map_err(|_| IndexStoreError::Damaged("an invalid list of words"))?, key) {
            ids.push(row.get(0)?);
        }
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// The words of files before they are written.
#[derive(Debug, Default)]
pub(crate) struct WordPairs {
    /// Keys with ids.
    pairs: Vec<(u64, i64)>,
}

impl WordPairs {
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(crate) fn add(&mut self, keys: impl IntoIterator<Item = u64>, file: i64) {
        self.pairs.extend(keys.into_iter().map(|key| (key, file)));
    }

    /// Adds the words of the living files of a segment.
    pub(crate) fn add_segment(
        &mut self,
        connection: &Connection,
        segment: i64,
        is_alive: impl Fn(i64) -> bool,
    ) -> Result<(), IndexStoreError> {
        let base: i64 = connection.query_row("SELECT base FROM segment WHERE id = ?1", [segment], |row| row.get(0))?;
        let mut statement = connection.prepare_cached("SELECT word, files FROM posting WHERE segment = ?1")?;
        let mut rows = statement.query([segment])?;
        while let Some(row) = rows.next()? {
            let word = row.get::<_, i64>(0)?.cast_unsigned();
            let ids = decode_ids(base, &row.get::<_, Vec<u8>>(1)?)?;
            self.pairs.extend(ids.into_iter().filter(|id| is_alive(*id)).map(|id| (word, id)));
        }
        Ok(())
    }

    /// Writes a segment.
    pub(crate) fn write(mut self, connection: &Connection, segment: i64) -> Result<(), IndexStoreError> {
        self.pairs.sort_unstable();
        let base = self.pairs.iter().map(|(_, id)| *id).min().unwrap_or_default();
        connection.execute("UPDATE segment SET base = ?2 WHERE id = ?1", [segment, base])?;
        let mut insert = connection.prepare_cached("INSERT INTO posting (segment, word, files) VALUES (?1, ?2, ?3)")?;
        for group in self.pairs.chunk_by(|(a, _), (b, _)| a == b) {
            let Some((word, _)) = group.first() else { continue };
            let ids = encode_ids(base, group.iter().map(|(_, id)| *id));
            insert.execute((segment, word.cast_signed(), ids))?;
        }
        Ok(())
    }

    /// Returns the keys by file, for the words of a few files.
    pub(crate) fn into_files(mut self) -> Vec<(i64, Vec<u64>)> {
        self.pairs.sort_unstable_by_key(|(key, id)| (*id, *key));
        let file = |group: &[(u64, i64)]| Some((group.first()?.1, group.iter().map(|(key, _)| *key).collect()));
        self.pairs.chunk_by(|(_, a), (_, b)| a == b).filter_map(file).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_have_one_form(ids in prop::collection::btree_set(1..1_000_000_i64, 0..50), cut in prop::collection::vec(any::<u8>(), 0..9)) {
            let base = ids.first().copied().unwrap_or_default();
            let bytes = encode_ids(base, ids.iter().copied());
            prop_assert_eq!(decode_ids(base, &bytes).unwrap(), ids.iter().copied().collect::<Vec<_>>());
            // Other bytes are an error or other numbers.
            drop(decode_ids(base, &cut));
        }

        #[test]
        fn keys_are_found(words in prop::collection::btree_set("[a-f]{1,3}", 0..40), other in "[a-f]{1,3}") {
            let mut keys: Vec<u64> = words.iter().map(|word| word_key(word)).collect();
            keys.sort_unstable();
            let bytes = encode_keys(keys.iter().copied());
            prop_assert_eq!(decode_keys(&bytes).unwrap().collect::<Vec<_>>(), keys);
            prop_assert_eq!(has_key(&bytes, word_key(&other)), words.contains(&other));
            prop_assert!(bytes.is_empty() || decode_keys(&bytes[1..]).is_err());
        }
    }

    #[test]
    fn the_hash_of_words_is_a_part_of_the_format() {
        assert_eq!(word_key("RequestParams"), 262_625_861_537_563);
        assert_eq!(word_keys("b a b").len(), 2);
    }
}
