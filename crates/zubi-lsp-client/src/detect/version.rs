//! Version numbers in the output of programs.

use std::cmp::Ordering;

/// Returns the first version in a text, unchanged: `22.1.1` in `clangd version 22.1.1 (…)`, `0.16.1` in
/// `golang.org/x/tools/gopls v0.16.1`. A version is at least two numbers with a dot between them.
pub(super) fn version_in(text: &str) -> Option<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).find_map(|word| {
        let word = word.strip_prefix('v').unwrap_or(word);
        let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(word.len());
        let number = word.get(..end)?.trim_end_matches('.');
        (number.contains('.') && version_numbers(number).is_some()).then_some(number)
    })
}

/// Parses `1.20.3` into numbers; `None` for any other form.
pub fn version_numbers(version: &str) -> Option<Vec<u64>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

/// Whether `version` is not older than `minimum`. Missing numbers count as zero.
pub(super) fn at_least(version: &str, minimum: &str) -> bool {
    let (Some(version), Some(minimum)) = (version_numbers(version), version_numbers(minimum)) else { return false };
    let length = version.len().max(minimum.len());
    let number = |numbers: &[u64], index: usize| numbers.get(index).copied().unwrap_or(0);
    (0..length)
        .map(|index| number(&version, index).cmp(&number(&minimum, index)))
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
        .is_ge()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_in_real_texts() {
        for (text, expected) in [
            ("rust-analyzer 1.96.0 (abc1234 2026-05-01)", Some("1.96.0")),
            ("Debian clangd version 22.1.8-1~deb12u1\nFeatures: linux", Some("22.1.8")),
            ("golang.org/x/tools/gopls v0.16.1\n    golang.org/x/tools/gopls@v0.16.1 h1:1hO", Some("0.16.1")),
            ("Version 7.0.2", Some("7.0.2")),
            ("0.17.5\n", Some("0.17.5")),
            ("ty 0.0.104 (x86_64)", Some("0.0.104")),
            ("7", None),
            ("no version. at all...", None),
            ("", None),
        ] {
            assert_eq!(version_in(text), expected, "{text}");
        }
    }

    #[test]
    fn order() {
        for (version, minimum, expected) in [
            ("7.0.2", "7", true),
            ("7", "7.0", true),
            ("6.9.9", "7", false),
            ("10.0", "9.5", true),
            ("1.2", "1.2.1", false),
            ("x", "1", false),
        ] {
            assert_eq!(at_least(version, minimum), expected, "{version} {minimum}");
        }
    }
}
