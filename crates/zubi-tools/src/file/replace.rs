//! Exact replacement in a text, with the reason if it is impossible. Does not access files.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use zubi_base::text::ellipsize;

/// One replacement.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct TextReplacement {
    /// Text to replace, exactly as in the file
    pub(crate) old: String,
    /// Replacement text
    pub(crate) new: String,
    /// Replace every occurrence; default false
    #[serde(rename = "replaceAll")]
    pub(crate) replace_all: Option<bool>,
}

/// A text after all replacements.
#[derive(Debug)]
pub(crate) struct ReplacedText {
    pub(crate) text: String,
    pub(crate) count: usize,
}

/// Reason why a replacement is impossible. Lines are 1-based.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReplaceError {
    Empty,
    Unchanged,
    /// The text occurs more than once: number of occurrences, and lines of the first few.
    Ambiguous {
        count: usize,
        lines: Vec<usize>,
    },
    /// A text that differs only in white space: the actual text, with its first line.
    WhiteSpace {
        line: usize,
        text: String,
    },
    /// The text does not occur; the most similar lines.
    Missing {
        nearest: Vec<(usize, String)>,
    },
    /// The resulting text would exceed the size limit of files.
    TooLarge,
}

/// Maximum number of positions or lines listed in an error.
const MAX_LISTED: usize = 5;
/// Maximum number of lines compared with a missing text.
const MAX_COMPARED_LINES: usize = 50_000;
/// Maximum length of a line shown in an error, in characters.
const MAX_LINE_CHARS: usize = 200;
/// Maximum number of lines shown of a text that differs only in white space.
const MAX_SHOWN_LINES: usize = 40;

impl ReplaceError {
    pub(crate) fn describe(&self, display_path: &str) -> String {
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
        };
        text
    }

    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Empty => "Pass the text to replace; file.write writes a whole file.",
            Self::Unchanged => "Nothing was written; pass a different `new`.",
            Self::Ambiguous { .. } => "Nothing was written. Include more surrounding text, or pass replaceAll: true.",
            Self::WhiteSpace { .. } => "Nothing was written. Repeat the call with `old` exactly as shown.",
            Self::Missing { .. } => {
                "Nothing was written. Read the lines with file.read, and pass `old` exactly as written there."
            }
            Self::TooLarge => "Nothing was written. Make a smaller change.",
        }
    }
}

/// Applies all replacements, each to the result of the previous one. The error has the index of the impossible
/// replacement.
pub(crate) fn replace_all(text: &str, replacements: &[TextReplacement]) -> Result<ReplacedText, (usize, ReplaceError)> {
    let mut replaced = ReplacedText { text: text.to_owned(), count: 0 };
    for (index, replacement) in replacements.iter().enumerate() {
        let (text, count) = replace_single(&replaced.text, replacement).map_err(|problem| (index, problem))?;
        replaced = ReplacedText { text, count: replaced.count + count };
    }
    Ok(replaced)
}

fn replace_single(text: &str, replacement: &TextReplacement) -> Result<(String, usize), ReplaceError> {
    if replacement.old.is_empty() {
        return Err(ReplaceError::Empty);
    }
    if replacement.old == replacement.new {
        return Err(ReplaceError::Unchanged);
    }
    let (mut old, mut new) = (replacement.old.clone(), replacement.new.clone());
    // Answers show only line feeds, whatever the line ends of the file.
    if !text.contains(&old) || ends_in_crlf(text) {
        let crlf = with_crlf(&old);
        if text.contains(&crlf) {
            (old, new) = (crlf, with_crlf(&new));
        }
    }
    let offsets: Vec<usize> = text.match_indices(&old).map(|(at, _)| at).collect();
    if offsets.is_empty() {
        return Err(missing_text_problem(text, &replacement.old));
    }
    if offsets.len() > 1 && replacement.replace_all != Some(true) {
        let lines = offsets.iter().take(MAX_LISTED).map(|at| line_of(text, *at)).collect();
        return Err(ReplaceError::Ambiguous { count: offsets.len(), lines });
    }
    let after = (text.len() - offsets.len() * old.len()).saturating_add(offsets.len().saturating_mul(new.len()));
    if after as u64 > zubi_base::fs::MAX_TEXT_BYTES {
        return Err(ReplaceError::TooLarge);
    }
    Ok((text.replace(&old, &new), offsets.len()))
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// Returns whether a text has lines and all of them end in CRLF.
fn ends_in_crlf(text: &str) -> bool {
    let line_breaks = text.matches('\n').count();
    line_breaks > 0 && line_breaks == text.matches("\r\n").count()
}

fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// Adapts a new text to the line ends of the old one: if all old lines end in CRLF and no new line does, returns the
/// text with CRLF and a note.
pub(crate) fn match_line_ends(old: &str, new: &str) -> (String, Option<String>) {
    if ends_in_crlf(old) && new.contains('\n') && !new.contains('\r') {
        let note = "its lines still end in CRLF".to_owned();
        return (with_crlf(new), Some(note));
    }
    (new.to_owned(), None)
}

fn missing_text_problem(text: &str, old: &str) -> ReplaceError {
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
    let mut scored: Vec<(usize, usize, &str)> = lines
        .iter()
        .map(|(number, line, _)| {
            (distinct_words(line).iter().filter(|word| words.contains(word)).count(), *number, *line)
        })
        .filter(|(score, _, _)| 2 * score >= words.len().max(1))
        .collect();
    scored.sort_by_key(|(score, number, _)| (std::cmp::Reverse(*score), *number));
    scored.truncate(3);
    ReplaceError::Missing {
        nearest: scored
            .into_iter()
            .map(|(_, number, line)| (number, ellipsize(line, MAX_LINE_CHARS).into_owned()))
            .collect(),
    }
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

#[cfg(test)]
mod tests;
