//! The reason why a replacement is impossible, in words.

use std::fmt::Write as _;

use zubi_base::nearest::nearest;
use zubi_base::text::ellipsize;

use super::{MAX_OCCURRENCES, ReplaceError};

/// The maximum number of lines compared with a missing text.
const MAX_COMPARED_LINES: usize = 50_000;
/// The maximum number of words for which similar ones are looked for, and the maximum number of similar ones for each.
const MAX_SIMILAR_WORDS: usize = 8;
/// The maximum length of a line shown in an error, in characters.
const MAX_LINE_CHARS: usize = 200;
/// The maximum number of lines shown of a text that differs only in white space.
const MAX_SHOWN_LINES: usize = 40;

impl ReplaceError {
    /// Describes the error as a clause about the old text.
    pub fn describe(&self, display_path: &str) -> String {
        let mut text = String::new();
        // Writing to a `String` cannot fail.
        let _ = match self {
            Self::Empty => write!(text, "it is empty"),
            Self::Unchanged => write!(text, "it is the same as `new`"),
            Self::Ambiguous { count, lines } => {
                let line_list = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let more = if lines.len() < *count { ", …" } else { "" };
                write!(text, "it occurs {count} times in `{display_path}`, on lines {line_list}{more}")
            }
            Self::EquallyNear { first, second } => {
                write!(
                    text,
                    "in `{display_path}`, the occurrences at {first} and {second} are equally near to the position"
                )
            }
            Self::WhiteSpace { line, text: actual } => {
                write!(
                    text,
                    "not in `{display_path}`, except with other white space; the text from line {line} is\n{actual}"
                )
            }
            Self::Missing { nearest } if nearest.is_empty() => write!(text, "not in `{display_path}`"),
            Self::Missing { nearest } => {
                let lines: Vec<String> = nearest.iter().map(|(line, text)| format!("  {line}: {text}")).collect();
                write!(text, "not in `{display_path}`; the nearest lines are\n{}", lines.join("\n"))
            }
            Self::TooLarge => write!(text, "the file would become larger than 8 MiB"),
            Self::TooMany => write!(text, "it occurs more than {MAX_OCCURRENCES} times in `{display_path}`"),
        };
        text
    }
}

/// Returns the reason why a text does not occur: the same text with other white space, or the most similar lines.
pub(super) fn missing_text(text: &str, old: &str) -> ReplaceError {
    let searched: Vec<String> = old.lines().map(collapse_whitespace).filter(|line| !line.is_empty()).collect();
    let Some(first) = searched.first() else { return ReplaceError::Missing { nearest: Vec::new() } };
    let lines: Vec<(usize, &str, String)> = text
        .lines()
        .take(MAX_COMPARED_LINES)
        .enumerate()
        .map(|(index, line)| (index + 1, line, collapse_whitespace(line)))
        .filter(|(_, _, collapsed)| !collapsed.is_empty())
        .collect();
    for window in lines.windows(searched.len()) {
        if window.iter().zip(&searched).all(|((_, _, line), searched_line)| line == searched_line)
            && let (Some((line, _, _)), Some((last, _, _))) = (window.first(), window.last())
        {
            let actual = text.lines().skip(line - 1).take((last + 1 - line).min(MAX_SHOWN_LINES));
            let text = actual.map(|line| ellipsize(line, MAX_LINE_CHARS)).collect::<Vec<_>>().join("\n");
            return ReplaceError::WhiteSpace { line: *line, text };
        }
    }
    // The longest line is the most distinctive.
    let longest = searched.iter().max_by_key(|line| line.len()).unwrap_or(first);
    let words = distinct_words(longest);
    let similar = similar_words(&words, lines.iter().map(|(_, line, _)| *line));
    let score = |line: &str| {
        let own = distinct_words(line);
        let count = |words: &[&str]| own.iter().filter(|word| words.contains(word)).count();
        (count(&words), count(&similar))
    };
    let scored: Vec<((usize, usize), usize, &str)> =
        lines.iter().map(|(number, line, _)| (score(line), *number, *line)).collect();
    let is_near = |count: usize| 2 * count >= words.len().max(1);
    let has_same = scored.iter().any(|((same, _), ..)| is_near(*same));
    let mut scored: Vec<_> = scored
        .into_iter()
        .filter(|((same, similar), ..)| is_near(if has_same { *same } else { same + similar }))
        .collect();
    scored.sort_by_key(|((same, similar), number, _)| (std::cmp::Reverse(same + similar), *number));
    scored.truncate(3);
    ReplaceError::Missing {
        nearest: scored
            .into_iter()
            .map(|(_, number, line)| (number, ellipsize(line, MAX_LINE_CHARS).into_owned()))
            .collect(),
    }
}

/// Returns the words of the lines that are spelled like a word that no line has: `return` for `retrun`.
fn similar_words<'t>(words: &[&str], lines: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut known: Vec<&str> = lines.flat_map(distinct_words).collect();
    known.sort_unstable();
    known.dedup();
    let missing = words.iter().filter(|word| known.binary_search(word).is_err()).take(MAX_SIMILAR_WORDS);
    missing.flat_map(|word| nearest(word, known.iter().copied(), MAX_SIMILAR_WORDS)).collect()
}

/// Collapses white space in a line.
fn collapse_whitespace(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the distinct words of a line, up to a limit.
fn distinct_words(line: &str) -> Vec<&str> {
    const MAX_WORDS: usize = 40;
    let mut words: Vec<&str> = line
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .take(MAX_WORDS)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}
