//! The names of all declarations in memory, for searches by parts of names: about 35 bytes per distinct name.

use memchr::memmem;
use rusqlite::Connection;
use rustc_hash::FxHashMap;
use zubi_code::symbol_index::NameMatch;

use super::IndexStoreError;

/// The maximum number of names with one kind of match.
const MAX_MATCHES: usize = 5_000;

/// The minimum length of a query with a typo, in characters. Shorter names are all alike.
const MIN_TYPO: usize = 4;

/// Names in lower case, each after a line break, with a position for each.
#[derive(Debug)]
pub(crate) struct NameTable {
    text: String,
    names: Vec<NameEntry>,
    /// The indexes of the names whose first word begins with a byte, ascending.
    by_initial: FxHashMap<u8, Vec<u32>>,
    last: i64,
}

#[derive(Debug, Clone, Copy)]
struct NameEntry {
    id: i64,
    /// The position of the name in the text, in bytes.
    start: usize,
    /// Bit `n` is set if a word of the name begins at its byte `n`.
    humps: u64,
}

/// A name that matches a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MatchingName {
    pub(crate) id: i64,
    /// `OtherCase` for a name that is equal apart from letter case.
    pub(crate) name_match: NameMatch,
    /// In bytes.
    pub(crate) length: usize,
}

impl Default for NameTable {
    fn default() -> Self {
        Self { text: "\n".to_owned(), names: Vec::new(), by_initial: FxHashMap::default(), last: 0 }
    }
}

impl NameTable {
    /// Adds the names that the store has in addition.
    pub(crate) fn load(&mut self, connection: &Connection) -> Result<(), IndexStoreError> {
        let mut statement = connection.prepare_cached("SELECT id, text FROM name WHERE id > ?1 ORDER BY id")?;
        let mut rows = statement.query([self.last])?;
        while let Some(row) = rows.next()? {
            let text = row.get_ref(1)?.as_str().map_err(|_| IndexStoreError::Damaged("an invalid name"))?;
            self.add(row.get(0)?, text);
        }
        Ok(())
    }

    pub(crate) fn add(&mut self, id: i64, name: &str) {
        let start = self.text.len();
        let mut humps = 0;
        let mut previous = ' ';
        let mut characters = name.chars().peekable();
        while let Some(character) = characters.next() {
            let next = characters.peek().copied().unwrap_or(' ');
            let at = self.text.len() - start;
            if at < 64 && begins_hump(previous, character, next) {
                humps |= 1 << at;
            }
            // A line break separates names.
            self.text.extend(character.to_lowercase().map(|character| if character == '\n' { ' ' } else { character }));
            previous = character;
        }
        self.text.push('\n');
        let initial = self.text.as_bytes().get(start + first_hump(humps)).copied();
        if let (Some(initial), Ok(index)) = (initial, u32::try_from(self.names.len())) {
            self.by_initial.entry(initial).or_default().push(index);
        }
        self.names.push(NameEntry { id, start, humps });
        self.last = id;
    }

    /// Returns the names that match a query without a typo, best first: by the match, then by length.
    pub(crate) fn find(&self, query: &str) -> Vec<MatchingName> {
        let folded = fold(query);
        if folded.is_empty() {
            return Vec::new();
        }
        let mut found = self.find_parts(&folded);
        let mut indexes: Vec<usize> = found.iter().map(|(index, _)| *index).collect();
        indexes.sort_unstable();
        found.extend(self.find_humps(query, &indexes).into_iter().map(|index| (index, NameMatch::Humps)));
        let mut matches: Vec<MatchingName> =
            found.into_iter().filter_map(|(index, name_match)| self.match_at(index, name_match)).collect();
        matches.sort_by_key(|name| (name.name_match, name.length, name.id));
        matches
    }

    /// Returns the names that differ from a query by one typo, shortest first.
    pub(crate) fn find_typos(&self, query: &str) -> Vec<MatchingName> {
        let folded = fold(query);
        if folded.chars().count() < MIN_TYPO {
            return Vec::new();
        }
        // A character has up to four bytes.
        let slack = if folded.is_ascii() { 4 } else { 8 };
        let ends = |text: &str| (text.bytes().next(), text.bytes().next_back());
        let (first, last) = ends(&folded);
        let is_typo = |index: &usize| {
            let name = self.name(*index);
            // One typo changes one end at most.
            name.len().abs_diff(folded.len()) <= slack
                && (ends(name).0 == first || ends(name).1 == last)
                && differ_by_typo(name, &folded)
        };
        let found = (0..self.names.len()).filter(is_typo).take(MAX_MATCHES);
        let mut matches: Vec<MatchingName> = found.filter_map(|index| self.match_at(index, NameMatch::Typo)).collect();
        matches.sort_by_key(|name| (name.length, name.id));
        matches
    }

    fn find_parts(&self, folded: &str) -> Vec<(usize, NameMatch)> {
        let (mut prefixes, mut parts) = (0, 0);
        let mut found: Vec<(usize, NameMatch)> = Vec::new();
        let (mut at, mut index) = (0, 0);
        let finder = memmem::Finder::new(folded);
        while let Some(offset) = finder.find(self.text.as_bytes().get(at..).unwrap_or_default()) {
            let start = at + offset;
            index = self.index_at(start, index);
            let Some(name) = self.names.get(index) else { break };
            let end = self.end(index);
            let name_match = match (start == name.start, end == start + folded.len()) {
                (true, true) => NameMatch::OtherCase,
                (true, false) => NameMatch::Prefix,
                (false, _) => NameMatch::Substring,
            };
            let count = if name_match == NameMatch::Substring { &mut parts } else { &mut prefixes };
            *count += 1;
            if *count <= MAX_MATCHES || name_match == NameMatch::OtherCase {
                found.push((index, name_match));
            }
            // The next name: one match in each is enough.
            at = end;
        }
        found
    }

    /// Returns the indexes of the names whose humps match and that `others`, which is sorted, does not have as better ones.
    fn find_humps(&self, query: &str, others: &[usize]) -> Vec<usize> {
        let Some(pattern) = HumpPattern::parse(query) else { return Vec::new() };
        let is_match = |index: &usize| {
            let humps = self.names.get(*index).map_or(0, |entry| entry.humps);
            pattern.matches(self.name(*index).as_bytes(), humps) && others.binary_search(index).is_err()
        };
        let indexes = self.by_initial.get(&pattern.first()).into_iter().flatten().map(|index| *index as usize);
        indexes.filter(is_match).take(MAX_MATCHES).collect()
    }

    fn match_at(&self, index: usize, name_match: NameMatch) -> Option<MatchingName> {
        let id = self.names.get(index)?.id;
        Some(MatchingName { id, name_match, length: self.name(index).len() })
    }

    /// Returns the index of the name at a position in the text. The name at `from` begins before it and is probably near.
    fn index_at(&self, position: usize, from: usize) -> usize {
        let is_before = |name: &NameEntry| name.start <= position;
        let mut step = 1;
        while self.names.get(from + step).is_some_and(is_before) {
            step *= 2;
        }
        let names = self.names.get(from..(from + step).min(self.names.len())).unwrap_or_default();
        (from + names.partition_point(is_before)).saturating_sub(1)
    }

    /// Returns the end of a name in the text.
    fn end(&self, index: usize) -> usize {
        self.names.get(index + 1).map_or(self.text.len(), |next| next.start) - 1
    }

    fn name(&self, index: usize) -> &str {
        let start = self.names.get(index).map_or(0, |name| name.start);
        self.text.get(start..self.end(index)).unwrap_or_default()
    }
}

/// Returns a query in the letter case of the table.
fn fold(query: &str) -> String {
    query.trim().chars().flat_map(char::to_lowercase).filter(|character| *character != '\n').collect()
}

/// Returns the position of the first word of a name; 64 if it has none.
fn first_hump(humps: u64) -> usize {
    humps.trailing_zeros() as usize
}

fn begins_hump(previous: char, character: char, next: char) -> bool {
    let is_lower = |character: char| character.is_alphanumeric() && !character.is_uppercase();
    character.is_alphanumeric()
        && (!previous.is_alphanumeric()
            || character.is_uppercase() && (is_lower(previous) || next.is_lowercase())
            || character.is_numeric() != previous.is_numeric())
}

/// A query by the beginnings of words: `ReqPar`, `RP` or `reqpar` for `RequestParams` and `request_params`.
struct HumpPattern {
    /// The bytes in lower case, and whether each begins a word.
    bytes: Vec<(u8, bool)>,
}

impl HumpPattern {
    /// Returns `None` for a query of one character, and for one with characters outside ASCII.
    fn parse(query: &str) -> Option<Self> {
        let query = query.trim();
        let is_mixed = query.chars().any(char::is_uppercase);
        let mut bytes = Vec::new();
        for byte in query.bytes().filter(|byte| *byte != b'_') {
            if !byte.is_ascii_alphanumeric() {
                return None;
            }
            bytes.push((byte.to_ascii_lowercase(), bytes.is_empty() || is_mixed && byte.is_ascii_uppercase()));
        }
        (bytes.len() > 1).then_some(Self { bytes })
    }

    fn first(&self) -> u8 {
        self.bytes.first().map_or(0, |(byte, _)| *byte)
    }

    /// Whether the parts of the query are beginnings of words of the name, in order, from the first word. Only the first
    /// 64 bytes of the name count.
    fn matches(&self, name: &[u8], humps: u64) -> bool {
        let mut rest = self.bytes.iter();
        let first = first_hump(humps);
        let Some((byte, _)) = rest.next() else { return false };
        if name.get(first) != Some(byte) {
            return false;
        }
        // The positions of the last character so far.
        let mut ends = 1_u64 << first;
        for (byte, begins) in rest {
            let later = !(u64::MAX >> (63 - ends.trailing_zeros()));
            let next = if *begins { humps & later } else { humps & later | ends << 1 };
            let equal = name.iter().take(64).zip(0..).filter(|(other, _)| *other == byte);
            ends = equal.fold(0_u64, |mask, (_, at)| mask | 1 << at) & next;
            if ends == 0 {
                return false;
            }
        }
        true
    }
}

/// Whether one character is missing, additional or different, or two neighbours are swapped.
fn differ_by_typo(a: &str, b: &str) -> bool {
    let start: usize = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (a, b) = (a.get(start..).unwrap_or_default(), b.get(start..).unwrap_or_default());
    let end: usize = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let middle =
        |text: &str| -> Vec<char> { text.get(..text.len() - end).unwrap_or_default().chars().take(3).collect() };
    match (middle(a).as_slice(), middle(b).as_slice()) {
        ([], []) => false,
        ([] | [_], [] | [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &str =
        "RequestParams request_params Params HTTPServer httpServer2 reqpar setUp größe_der_Datei getHTTPResponseCode";

    fn check(query: &str) -> String {
        let mut table = NameTable::default();
        let names: Vec<&str> = NAMES.split(' ').collect();
        for (name, id) in names.iter().zip(1..) {
            table.add(id, name);
        }
        let text_of = |id: i64| names[usize::try_from(id).unwrap() - 1];
        let found = table.find(query).into_iter().chain(table.find_typos(query));
        found.map(|name| format!("{:?} {}", name.name_match, text_of(name.id))).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn names_by_their_parts() {
        insta::assert_snapshot!(check("ReqPar"), @"OtherCase reqpar, Humps RequestParams, Humps request_params");
        insta::assert_snapshot!(check("RP"), @"Humps RequestParams, Humps request_params");
        insta::assert_snapshot!(check("RPC"), @"");
        insta::assert_snapshot!(check("params"), @"OtherCase Params, Substring RequestParams, Substring request_params");
        insta::assert_snapshot!(check("reqs"), @"");
        insta::assert_snapshot!(check("HS"), @"Humps HTTPServer, Humps httpServer2");
        insta::assert_snapshot!(check("hs2"), @"Humps httpServer2");
        insta::assert_snapshot!(check("GHRC"), @"Humps getHTTPResponseCode");
        insta::assert_snapshot!(check("ÖSS"), @"");
        insta::assert_snapshot!(check("stup"), @"Typo setUp");
        insta::assert_snapshot!(check("stepu"), @"");
        insta::assert_snapshot!(check("seutp"), @"Typo setUp");
        insta::assert_snapshot!(check("setup "), @"OtherCase setUp");
        insta::assert_snapshot!(check(" "), @"");
    }

    #[test]
    fn typos() {
        for (a, b, expected) in [
            ("price", "price", false),
            ("price", "prce", true),
            ("price", "pricee", true),
            ("price", "prixe", true),
            ("price", "prcie", true),
            ("price", "rpice", true),
            ("price", "prcxe", false),
            ("größe", "große", true),
            ("größe", "grösse", false),
            ("aa", "aaa", true),
        ] {
            assert_eq!(differ_by_typo(a, b), expected, "{a} {b}");
        }
    }
}
