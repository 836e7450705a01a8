//! The similarity of a query word and a word of a text.

/// The maximum length, in characters, of words that are compared for typing errors, which costs the product of their
/// lengths.
const MAX_SLIP: usize = 40;

/// A query word, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueryTerm {
    text: String,
    length: usize,
}

/// A matched word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    /// The similarity; greater than 0.
    pub(super) similarity: u32,
    /// The start of the matched word in the text, in bytes.
    pub(super) at: usize,
}

const EXACT: u32 = 8;
const BEGINNING: u32 = 6;
const FORM: u32 = 5;
const PART: u32 = 4;
const SLIP: u32 = 3;
const ABBREVIATION: u32 = 2;

impl QueryTerm {
    pub(super) fn new(text: &str) -> Self {
        let text = text.to_lowercase();
        Self { length: text.chars().count(), text }
    }

    /// Returns the best match of the word in prose.
    pub(super) fn in_prose(&self, text: &str) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for (at, word) in words(text) {
            let similarity = self.similarity(&word.to_lowercase());
            if similarity > best.map_or(0, |hit| hit.similarity) {
                best = Some(Hit { similarity, at });
            }
            if similarity == EXACT {
                break;
            }
        }
        best
    }

    /// Compares the word with a name, which consists of words and can be abbreviated.
    pub(super) fn in_name(&self, name: &str) -> Option<Hit> {
        let parts: Vec<String> = parts(name).into_iter().map(str::to_lowercase).collect();
        let best_part = parts.iter().map(|part| self.similarity(part)).max().unwrap_or_default();
        let prose_hit = self.in_prose(name);
        let best = best_part.max(prose_hit.map_or(0, |hit| hit.similarity));
        match best {
            0 => self.abbreviates(&parts).then_some(Hit { similarity: ABBREVIATION, at: 0 }),
            similarity => Some(Hit { similarity, at: prose_hit.map_or(0, |hit| hit.at) }),
        }
    }

    /// Returns the similarity to a word, which must be in lower case.
    fn similarity(&self, other: &str) -> u32 {
        if other == self.text {
            return EXACT;
        }
        // In scripts without blanks between words, a character has three bytes, and one character is distinctive
        // enough.
        if self.text.len() >= 2 && other.starts_with(&self.text) {
            return BEGINNING;
        }
        let length = other.chars().count();
        let same = self.text.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
        if same >= 4 && self.length - same <= 3 && length - same <= 3 {
            return FORM;
        }
        if self.text.len() >= 3 && other.contains(&self.text) {
            return PART;
        }
        let allowed = match self.length {
            // Too many words differ by one letter from a short one.
            0..=4 => return 0,
            5..=8 => 1,
            _ => 2,
        };
        let is_near = self.length.abs_diff(length) <= allowed && self.length.max(length) <= MAX_SLIP;
        if is_near && strsim::osa_distance(&self.text, other) <= allowed { SLIP } else { 0 }
    }

    /// Whether the word consists of the beginnings of successive parts of a name: `ordcon`, `oc` of `OrderContext`.
    fn abbreviates(&self, parts: &[String]) -> bool {
        if self.length > MAX_SLIP || self.length < 2 {
            return false;
        }
        let word_chars: Vec<char> = self.text.chars().collect();
        // For each number of characters, whether the parts so far can match them; a match can begin at every part.
        let mut reached = vec![false; word_chars.len() + 1];
        for part in parts {
            let mut next = vec![false; word_chars.len() + 1];
            for (from, is_reached) in reached.iter().enumerate() {
                if !is_reached && from > 0 {
                    continue;
                }
                let rest = word_chars.get(from..).unwrap_or_default();
                let same = rest.iter().zip(part.chars()).take_while(|(one, other)| **one == *other).count();
                for to in next.iter_mut().skip(from + 1).take(same) {
                    *to = true;
                }
            }
            if next.last() == Some(&true) {
                return true;
            }
            reached = next;
        }
        false
    }
}

/// Returns the words of a text, with their byte offsets.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(|c: char| !c.is_alphanumeric()).filter_map(move |word| {
        let start = at;
        // The separator of two words is one character; the text has its length.
        at += word.len();
        at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        (!word.is_empty()).then_some((start, word))
    })
}

/// Splits a name into its words: `Order`, `Context` of `OrderContext`, `HTTP`, `Server` of `HTTPServer`.
fn parts(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for (_, word) in words(name) {
        let mut rest = word;
        let mut before = None;
        let mut characters = word.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let is_next_small = characters.peek().is_some_and(|(_, next)| next.is_lowercase());
            let begins_part = |before: char| c.is_uppercase() && (!before.is_uppercase() || is_next_small);
            let offset = at - (word.len() - rest.len());
            if before.is_some_and(begins_part)
                && let Some((part, other)) = rest.split_at_checked(offset)
            {
                parts.push(part);
                rest = other;
            }
            before = Some(c);
        }
        parts.push(rest);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{QueryTerm, parts, words};

    #[track_caller]
    fn check(query: &str, name: &str) -> u32 {
        QueryTerm::new(query).in_name(name).map_or(0, |hit| hit.similarity)
    }

    #[test]
    fn similarity() {
        let table = [
            ("order", "Order", 8),
            ("ORDER", "OrderContext", 8),
            ("ord", "OrderContext", 6),
            ("orders", "OrderContext", 5),
            ("payment", "Payments", 6),
            ("payments", "Payment", 5),
            ("pay", "Repay", 4),
            ("pyament", "Payment", 3),
            ("care", "are", 0),
            ("pa", "Payment", 6),
            ("p", "Payment", 0),
            ("p", "P", 8),
            ("ordcon", "OrderContext", 2),
            ("oc", "OrderContext", 2),
            ("co", "OrderContext", 6),
            ("xml", "Parse-XMLFile", 8),
            ("xf", "Parse-XMLFile", 2),
            ("pf", "Parse-XMLFile", 0),
            ("zebra", "Order", 0),
            ("文", "文脈", 6),
            ("脈", "文脈", 4),
        ];
        for (query, name, expected) in table {
            assert_eq!(check(query, name), expected, "{query} in {name}");
        }
    }

    #[test]
    fn words_and_parts() {
        assert_eq!(words("a, «bc»-d").collect::<Vec<_>>(), [(0, "a"), (5, "bc"), (10, "d")]);
        assert_eq!(parts("HTTPServer.v2Größe-x"), ["HTTP", "Server", "v2", "Größe", "x"]);
        assert_eq!(parts(""), [""; 0]);
    }
}
