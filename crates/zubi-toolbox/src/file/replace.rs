//! Exact replacement in a text, and what is said where it cannot be exact. Knows no files.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;

/// One replacement.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct Replacement {
    /// Text to replace, exactly as it stands there
    pub(crate) old: String,
    /// Text to put there
    pub(crate) new: String,
    /// Replace every occurrence; default false
    #[serde(rename = "replaceAll")]
    pub(crate) replace_all: Option<bool>,
}

/// A text with all replacements made.
#[derive(Debug)]
pub(crate) struct ReplacedText {
    pub(crate) text: String,
    pub(crate) count: usize,
}

/// Why one replacement cannot be made. Lines are 1-based.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    Empty,
    Same,
    /// All occurrences, and the lines of the first few.
    Several {
        count: usize,
        lines: Vec<usize>,
    },
    /// It stands there but for white space: the text as it is, from this line on.
    WhiteSpace {
        line: usize,
        text: String,
    },
    /// The lines that are most like it.
    Missing {
        nearest: Vec<(usize, String)>,
    },
    /// The text would be larger than a file may be.
    TooLarge,
}

/// How many places, or lines, a problem names.
const MAX_PLACES: usize = 5;
/// How many lines are compared with one that is not found.
const MAX_COMPARED: usize = 50_000;
/// The most of a line that a problem shows, in characters.
const MAX_SHOWN: usize = 200;
/// The most lines of a text that differs in white space only.
const MAX_SHOWN_LINES: usize = 40;

impl Problem {
    pub(crate) fn describe(&self, shown: &str) -> String {
        let mut text = String::new();
        // Writing to a `String` cannot fail.
        let _ = match self {
            Self::Empty => write!(text, "it is empty"),
            Self::Same => write!(text, "it is the same as `new`"),
            Self::Several { count, lines } => {
                let places = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let more = if lines.len() < *count { ", …" } else { "" };
                write!(text, "it stands {count} times in `{shown}`, on lines {places}{more}")
            }
            Self::WhiteSpace { line, text: there } => {
                write!(text, "not in `{shown}`, but for white space; from line {line} on it reads\n{there}")
            }
            Self::Missing { nearest } if nearest.is_empty() => write!(text, "not in `{shown}`"),
            Self::Missing { nearest } => {
                let lines: Vec<String> = nearest.iter().map(|(line, text)| format!("  {line}: {text}")).collect();
                write!(text, "not in `{shown}`; the nearest lines are\n{}", lines.join("\n"))
            }
            Self::TooLarge => write!(text, "the file would become larger than 8 MiB"),
        };
        text
    }

    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Empty => "Give the text to replace; file.write writes a whole file.",
            Self::Same => "Nothing was written; give another `new`.",
            Self::Several { .. } => {
                "Nothing was written. Give more of the text around the one meant, or replaceAll: true."
            }
            Self::WhiteSpace { .. } => "Nothing was written. Repeat the call with `old` exactly as it reads there.",
            Self::Missing { .. } => {
                "Nothing was written. Look at the place with file.read, and give `old` exactly as it stands there."
            }
            Self::TooLarge => "Nothing was written. Make a smaller change.",
        }
    }
}

/// Makes all replacements, each in what those before it left. The error names the replacement that cannot be made.
pub(crate) fn all(text: &str, replacements: &[Replacement]) -> Result<ReplacedText, (usize, Problem)> {
    let mut replaced = ReplacedText { text: text.to_owned(), count: 0 };
    for (index, replacement) in replacements.iter().enumerate() {
        let (text, count) = replace_single(&replaced.text, replacement).map_err(|problem| (index, problem))?;
        replaced = ReplacedText { text, count: replaced.count + count };
    }
    Ok(replaced)
}

fn replace_single(text: &str, replacement: &Replacement) -> Result<(String, usize), Problem> {
    if replacement.old.is_empty() {
        return Err(Problem::Empty);
    }
    if replacement.old == replacement.new {
        return Err(Problem::Same);
    }
    let (mut old, mut new) = (replacement.old.clone(), replacement.new.clone());
    // Callers see line feeds alone, whatever the file has.
    if !text.contains(&old) || ends_in_crlf(text) {
        let crlf = with_crlf(&old);
        if text.contains(&crlf) {
            (old, new) = (crlf, with_crlf(&new));
        }
    }
    let places: Vec<usize> = text.match_indices(&old).map(|(at, _)| at).collect();
    if places.is_empty() {
        return Err(missing_text_problem(text, &replacement.old));
    }
    if places.len() > 1 && replacement.replace_all != Some(true) {
        let lines = places.iter().take(MAX_PLACES).map(|at| line_of(text, *at)).collect();
        return Err(Problem::Several { count: places.len(), lines });
    }
    let after = (text.len() - places.len() * old.len()).saturating_add(places.len().saturating_mul(new.len()));
    if after as u64 > zubi_base::fs::MAX_TEXT_BYTES {
        return Err(Problem::TooLarge);
    }
    Ok((text.replace(&old, &new), places.len()))
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// Whether every line of a text ends in CRLF, and there is one.
fn ends_in_crlf(text: &str) -> bool {
    let ends = text.matches('\n').count();
    ends > 0 && ends == text.matches("\r\n").count()
}

fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// A new text for a file with an old one: where all lines of the old end in CRLF and none of the new does, the new gets
/// them too, and a sentence says so.
pub(crate) fn with_line_ends_of(old: &str, new: &str) -> (String, Option<String>) {
    if ends_in_crlf(old) && new.contains('\n') && !new.contains('\r') {
        let note = "its lines end in CRLF, as they did".to_owned();
        return (with_crlf(new), Some(note));
    }
    (new.to_owned(), None)
}

fn missing_text_problem(text: &str, old: &str) -> Problem {
    let wanted: Vec<String> = old.lines().map(collapse_whitespace).filter(|line| !line.is_empty()).collect();
    let Some(first) = wanted.first() else { return Problem::Missing { nearest: Vec::new() } };
    let lines: Vec<(usize, &str, String)> = text
        .lines()
        .take(MAX_COMPARED)
        .enumerate()
        .map(|(index, line)| (index + 1, line, collapse_whitespace(line)))
        .filter(|(_, _, squeezed)| !squeezed.is_empty())
        .collect();
    for window in lines.windows(wanted.len()) {
        if window.iter().zip(&wanted).all(|((_, _, line), wanted)| line == wanted)
            && let (Some((line, _, _)), Some((last, _, _))) = (window.first(), window.last())
        {
            let there = text.lines().skip(line - 1).take((last + 1 - line).min(MAX_SHOWN_LINES));
            let text = there.map(truncate_line).collect::<Vec<_>>().join("\n");
            return Problem::WhiteSpace { line: *line, text };
        }
    }
    // The longest line says most.
    let longest = wanted.iter().max_by_key(|line| line.len()).unwrap_or(first);
    let words = words_of(longest);
    let mut scored: Vec<(usize, usize, &str)> = lines
        .iter()
        .map(|(number, line, _)| (words_of(line).iter().filter(|word| words.contains(word)).count(), *number, *line))
        .filter(|(score, _, _)| 2 * score >= words.len().max(1))
        .collect();
    scored.sort_by_key(|(score, number, _)| (std::cmp::Reverse(*score), *number));
    scored.truncate(3);
    Problem::Missing { nearest: scored.into_iter().map(|(_, number, line)| (number, truncate_line(line))).collect() }
}

/// A line without what only white space makes of it.
fn collapse_whitespace(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn truncate_line(line: &str) -> String {
    let mut characters = line.chars();
    let head: String = characters.by_ref().take(MAX_SHOWN).collect();
    if characters.next().is_some() { head + "…" } else { head }
}

/// The words of a line, each once; a bounded number of them.
fn words_of(line: &str) -> Vec<&str> {
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
