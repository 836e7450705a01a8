//! Exact replacement in a text, with the reason if it is impossible. Does not access files.
//!
//! A search is for lines that end in a line feed, whatever the line ends of the text ([`LineFeedText`]): callers see only
//! line feeds in answers. A new text gets the line end of the text that it replaces, or else that of most lines. All
//! other bytes are unchanged.

mod explain;
mod line_feeds;

use std::ops::Range;

pub use self::line_feeds::{LineFeedText, match_line_ends};

pub(crate) use super::splice::dominant_ending;

/// One replacement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextReplacement {
    /// The text to replace, exactly as in the file, besides line ends.
    pub old: String,
    pub new: String,
    /// Whether to replace every occurrence.
    pub every: bool,
    /// The position that chooses between several occurrences.
    pub near: Option<NearPosition>,
}

/// A position in the text before all replacements; 1-based, with columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearPosition {
    pub line: usize,
    /// Chooses between occurrences that are equally near by their lines.
    pub column: Option<usize>,
}

/// A text after all replacements.
#[derive(Debug, PartialEq, Eq)]
pub struct ReplacedText {
    pub text: String,
    pub count: usize,
}

/// The reason why a replacement is impossible. Lines are 1-based.
#[derive(Debug, PartialEq, Eq)]
pub enum ReplaceError {
    Empty,
    Unchanged,
    /// The text occurs more than once: the number of occurrences, and the lines of the first few.
    Ambiguous {
        count: usize,
        lines: Vec<usize>,
    },
    /// Two occurrences are equally near to the position: their positions as `line:column`.
    EquallyNear {
        first: String,
        second: String,
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
    /// There are more occurrences than one replacement may have.
    TooMany,
}

/// The maximum number of occurrences of one replacement.
const MAX_OCCURRENCES: usize = 100_000;
/// The maximum number of positions listed in an error.
const MAX_LISTED: usize = 5;
/// The maximum number of errors that are returned; the search for similar lines takes time.
const MAX_ERRORS: usize = 20;

/// A replacement that was made: the first line that it replaced and the number of lines that it added, in the text at
/// that time.
struct LineShift {
    line: usize,
    added: isize,
}

/// Applies all replacements, each to the result of the previous one, and all or none. The errors have the index of each
/// impossible replacement; a later one is tried without the impossible ones.
pub fn replace_all(text: &str, replacements: &[TextReplacement]) -> Result<ReplacedText, Vec<(usize, ReplaceError)>> {
    let mut replaced = ReplacedText { text: text.to_owned(), count: 0 };
    let (mut errors, mut shifts) = (Vec::new(), Vec::new());
    for (index, replacement) in replacements.iter().enumerate() {
        match replace_single(&replaced.text, replacement, &mut shifts) {
            Ok((text, count)) => replaced = ReplacedText { text, count: replaced.count + count },
            Err(error) => errors.push((index, error)),
        }
        if errors.len() >= MAX_ERRORS {
            break;
        }
    }
    if errors.is_empty() { Ok(replaced) } else { Err(errors) }
}

fn replace_single(
    text: &str,
    replacement: &TextReplacement,
    shifts: &mut Vec<LineShift>,
) -> Result<(String, usize), ReplaceError> {
    if replacement.old.is_empty() {
        return Err(ReplaceError::Empty);
    }
    let old = replacement.old.replace("\r\n", "\n");
    if old == replacement.new.replace("\r\n", "\n") {
        return Err(ReplaceError::Unchanged);
    }
    let searched = LineFeedText::new(text);
    let starts: Vec<usize> = searched.text().match_indices(&old).map(|(at, _)| at).take(MAX_OCCURRENCES + 1).collect();
    if starts.len() > MAX_OCCURRENCES {
        return Err(ReplaceError::TooMany);
    }
    let chosen = match (starts.as_slice(), replacement.near) {
        ([], _) => return Err(explain::missing_text(text, &replacement.old)),
        (all, _) if replacement.every || all.len() == 1 => all,
        (all, None) => {
            let first = all.get(..MAX_LISTED.min(all.len())).unwrap_or_default();
            let lines = positions_of(searched.text(), first).into_iter().map(|(line, _)| line).collect();
            return Err(ReplaceError::Ambiguous { count: all.len(), lines });
        }
        (all, Some(near)) => {
            let line = shifts.iter().fold(near.line, |line, shift| {
                if line > shift.line { line.saturating_add_signed(shift.added) } else { line }
            });
            nearest_of(searched.text(), all, &old, NearPosition { line, ..near })?
        }
    };
    let ending = dominant_ending(text);
    let edits: Vec<(Range<usize>, String)> = chosen
        .iter()
        .map(|start| {
            let range = searched.original_range(*start..start + old.len());
            let new = with_line_ends(&replacement.new, text.get(range.clone()).unwrap_or_default(), ending);
            (range, new)
        })
        .collect();
    let result = apply(text, &edits)?;
    let added = count_line_ends(&replacement.new).cast_signed() - count_line_ends(&old).cast_signed();
    if added != 0 {
        // The last ones first, so that the lines are those of the text before this replacement.
        let lines = positions_of(searched.text(), chosen).into_iter().rev();
        shifts.extend(lines.map(|(line, _)| LineShift { line, added }));
    }
    Ok((result, edits.len()))
}

/// Replaces ranges, which are sorted and do not overlap.
pub fn apply(text: &str, edits: &[(Range<usize>, String)]) -> Result<String, ReplaceError> {
    let removed: usize = edits.iter().map(|(range, _)| range.len()).sum();
    let added = edits.iter().fold(0_usize, |sum, (_, new)| sum.saturating_add(new.len()));
    if text.len().saturating_sub(removed).saturating_add(added) as u64 > zubi_base::fs::MAX_TEXT_BYTES {
        return Err(ReplaceError::TooLarge);
    }
    let (mut result, mut end) = (String::with_capacity(text.len()), 0);
    for (range, new) in edits {
        result.push_str(text.get(end..range.start).unwrap_or_default());
        result.push_str(new);
        end = range.end;
    }
    result.push_str(text.get(end..).unwrap_or_default());
    Ok(result)
}

/// Returns a new text with the line ends of the text that it replaces; if that is one line, with those of most lines.
pub fn with_line_ends(new: &str, replaced: &str, ending: Option<&str>) -> String {
    let own = replaced
        .find('\n')
        .map(|at| if replaced.get(..at).is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" });
    match own.or(ending) {
        None => new.to_owned(),
        Some("\n") => new.replace("\r\n", "\n"),
        Some(ending) => new.replace("\r\n", "\n").replace('\n', ending),
    }
}

/// Returns the occurrence of `old` that is nearest to a position, as a list of one.
fn nearest_of<'a>(text: &str, starts: &'a [usize], old: &str, near: NearPosition) -> Result<&'a [usize], ReplaceError> {
    let positions = positions_of(text, starts);
    let further_lines = count_line_ends(old.strip_suffix('\n').unwrap_or(old));
    let distance = |(line, column): (usize, usize)| {
        let lines = if near.line < line {
            line - near.line
        } else {
            near.line.saturating_sub(line.saturating_add(further_lines))
        };
        (lines, near.column.map_or(0, |near| near.abs_diff(column)))
    };
    let mut by_distance: Vec<((usize, usize), usize)> =
        positions.iter().enumerate().map(|(index, position)| (distance(*position), index)).collect();
    by_distance.sort_unstable();
    let display = |index: usize| {
        let (line, column) = positions.get(index).copied().unwrap_or_default();
        format!("{line}:{column}")
    };
    match by_distance.as_slice() {
        [(nearest, first), (next, second), ..] if nearest == next => {
            Err(ReplaceError::EquallyNear { first: display(*first), second: display(*second) })
        }
        [(_, first), ..] => Ok(starts.get(*first..=*first).unwrap_or_default()),
        [] => Ok(&[]),
    }
}

/// Returns the lines and columns of offsets, which are sorted; 1-based, with columns in characters. Reads the text once.
pub(crate) fn positions_of(text: &str, offsets: &[usize]) -> Vec<(usize, usize)> {
    let (mut line, mut column, mut before) = (1, 1, 0);
    let position = |at: &usize| {
        let part = text.get(before..*at).unwrap_or_default();
        match part.rsplit_once('\n') {
            Some((lines, last)) => {
                line += count_line_ends(lines) + 1;
                column = last.chars().count() + 1;
            }
            None => column += part.chars().count(),
        }
        before = *at;
        (line, column)
    };
    offsets.iter().map(position).collect()
}

fn count_line_ends(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests;
