//! Parts of messages: shortened texts, counted nouns, quoted words.

use std::borrow::Cow;
use std::fmt::Display;

use data_encoding::HEXLOWER;

/// Shortens a text to its first `most` characters and an ellipsis, if it is longer.
pub fn ellipsize(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

/// Renders `1 file`, `2 files`, `3 matches`, `4 entries`.
pub fn pluralize<N: Display + PartialEq + From<u8> + Copy>(number: N, singular: &str) -> String {
    if number == N::from(1) {
        return format!("1 {singular}");
    }
    match singular.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{number} {stem}ies"),
        _ if singular.ends_with("ch") => format!("{number} {singular}es"),
        _ => format!("{number} {singular}s"),
    }
}

/// Renders a number of bytes as `12 MB`, in millions.
pub fn display_size(bytes: u64) -> String {
    format!("{} MB", bytes.saturating_add(500_000) / 1_000_000)
}

/// Renders a number of seconds in its largest unit: `12 s`, `3 min`, `5 h`, `2 days`.
pub fn display_age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => pluralize(seconds / 86_400, "day"),
    }
}

/// Renders names as `` `one`, `two` ``.
pub fn quote_all(names: impl IntoIterator<Item: Display>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Renders the first `most` of some names and the number of the others: `a, b, 3 more`.
pub fn list_first(names: impl IntoIterator<Item = String>, most: usize) -> String {
    let mut names: Vec<_> = names.into_iter().collect();
    let more = names.len().saturating_sub(most);
    names.truncate(most);
    names.extend((more > 0).then(|| format!("{more} more")));
    names.join(", ")
}

/// Quotes one word for a POSIX shell. The result does not depend on its context (XCU 2.2.2).
pub fn quote_for_shell(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Renders bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_messages() {
        for (text, expected) in [("", ""), ("äöü", "äöü"), ("äöüx", "äöü…"), ("ab\u{1f642}", "ab\u{1f642}")]
        {
            assert_eq!(ellipsize(text, 3), expected);
        }
        assert_eq!([0_u64, 1, 2].map(|number| pluralize(number, "file")), ["0 files", "1 file", "2 files"]);
        assert_eq!([pluralize(3, "word match"), pluralize(4, "entry")], ["3 word matches", "4 entries"]);
        assert_eq!(quote_all(["a", "b"]), "`a`, `b`");
        let list = |names: &[&str]| list_first(names.iter().map(|name| (*name).to_owned()), 2);
        assert_eq!([list(&[]), list(&["a", "b"]), list(&["a", "b", "c", "d"])], ["", "a, b", "a, b, 2 more"]);
        assert_eq!(quote_for_shell("it's"), r"'it'\''s'");
        assert_eq!(display_size(58_600_000), "59 MB");
        assert_eq!([59, 119, 7_300, 86_400, 172_800].map(display_age), ["59 s", "1 min", "2 h", "1 day", "2 days"]);
        assert_eq!(hex(&[0, 10, 255]), "000aff");
    }
}
