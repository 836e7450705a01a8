//! Replacement of texts in many files, as one plan: exact texts that the caller names, or all occurrences of a pattern.

mod numbers;
mod pattern;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;
use zubi_base::fs::{self, ReadError};
use zubi_base::text::{display_size, ellipsize, list_first, pluralize};

pub use self::numbers::OccurrenceNumbers;
pub use self::pattern::ReplacePattern;

use crate::edit::replace::{self, LineFeedText, ReplaceError, TextReplacement, positions_of, with_line_ends};
use crate::edit::{NewText, Plan};
use crate::error::CodeError;
use crate::features::folder_outline::FileSelection;
use crate::markup::{clean_line, join_words};
use crate::query::CodeQuery;

/// The time limit of a search.
const SEARCH_TIME: Duration = Duration::from_secs(20);

/// The maximum number of occurrences of a pattern.
const MAX_OCCURRENCES: usize = 10_000;

/// The maximum number of replacements in one call.
const MAX_EDITS: usize = 1_000;

/// The maximum number of bytes that the replacements of one file read: each reads the text again.
const MAX_READ: usize = 1 << 30;

/// The maximum number of errors in one answer.
const MAX_ERRORS: usize = 20;

/// The maximum number of files that a note names.
const MAX_NAMED: usize = 3;

/// The maximum number of characters of a text in the title of a plan.
const MAX_TITLE: usize = 40;

/// The maximum number of characters that an occurrence shows of the text itself, and of the line on each side.
const MAX_SHOWN: usize = 120;
const MAX_BESIDE: usize = 60;

/// The number of bytes at the beginning of a file that show whether it is text.
const SNIFFED: usize = 8 * 1024;

/// The name of the source of such plans.
const PRODUCER: &str = "zubi";

/// One replacement, and the file as the caller names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReplacement {
    pub path: String,
    pub replacement: TextReplacement,
}

/// A pattern, the files in which it is replaced, and the occurrences that the caller chooses.
#[derive(Debug)]
pub struct ReplaceQuery {
    pub pattern: ReplacePattern,
    pub selection: FileSelection,
    /// The numbers of the occurrences to replace; all without them.
    pub chosen: Option<OccurrenceNumbers>,
}

/// A planned replacement of a pattern.
#[derive(Debug)]
pub struct PatternReplacement {
    pub plan: Plan,
    /// The planned occurrences.
    pub occurrences: Vec<ReplacedOccurrence>,
    /// The number of all occurrences, planned or not.
    pub total: usize,
    /// The number of files that were searched.
    pub searched: usize,
    pub omissions: ReplaceOmissions,
}

/// One occurrence. Lines and columns are 1-based; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedOccurrence {
    /// The number of the occurrence among all, from 1.
    pub number: usize,
    /// The path as answers show it.
    pub display_path: String,
    pub line: usize,
    pub column: usize,
    /// The line before and after the replacement of this occurrence alone, cut around it.
    pub before: String,
    pub after: String,
}

/// The parts that a search has left out.
#[derive(Debug, Default)]
pub struct ReplaceOmissions {
    /// Clauses about files without occurrences that matter.
    pub notes: Vec<String>,
    /// The reason why occurrences may be missing.
    pub gap: Option<String>,
}

/// The files that zubi could not search.
#[derive(Default)]
struct UnsearchedFiles {
    binary: Vec<String>,
    /// Files that may have occurrences, with reasons.
    unread: Vec<String>,
    /// Matches that the replacement would not change.
    unchanged: usize,
}

impl CodeQuery<'_> {
    /// Parses the argument that selects files. A pattern without a slash is for names at any depth, as in `.gitignore`.
    pub fn select_files_to_replace(&self, argument: &str) -> Result<FileSelection, CodeError> {
        let selected = self.select_files(argument);
        let selected = match selected {
            Ok(FileSelection::Pattern(_)) if !argument.contains('/') => self.select_files(&format!("**/{argument}")),
            selected => selected,
        };
        selected.map_err(|error| match error {
            CodeError::Input { message, hint, .. } => CodeError::Input { field: "glob", message, hint },
            CodeError::Path(error) => {
                let hint = "Name a file or folder of the workspace, or a pattern such as `src/**/*.rs` or `*.md`.";
                CodeError::input("glob", error.to_string(), hint)
            }
            error => error,
        })
    }

    /// Plans exact replacements in one or several files, all or none. Those of one file are made in their order.
    pub async fn edit_files(&self, edits: &[FileReplacement]) -> Result<Plan, CodeError> {
        if edits.is_empty() || edits.len() > MAX_EDITS {
            let problem = format!("there must be 1 to {MAX_EDITS} edits");
            return Err(CodeError::input("edits", problem, "Split them over several calls."));
        }
        // The index of an edit and its problem.
        let mut problems: Vec<(usize, String)> = Vec::new();
        let mut by_file: BTreeMap<Utf8PathBuf, Vec<usize>> = BTreeMap::new();
        for (index, edit) in edits.iter().enumerate() {
            match self.workspace().resolve(&edit.path) {
                Ok(path) => by_file.entry(path).or_default().push(index),
                Err(error) => problems.push((index, format!("path: {error}"))),
            }
        }
        let mut files = Vec::new();
        for (path, indices) in by_file {
            let display_path = self.workspace().display(&path);
            let source = match self.intel.texts.read(&path).await {
                Ok(source) if source.text.len().saturating_mul(indices.len()) <= MAX_READ => source,
                Ok(_) => {
                    let problem = format!("path: `{display_path}` is too large for {} edits", indices.len());
                    problems.extend(indices.iter().take(1).map(|index| (*index, problem.clone())));
                    continue;
                }
                Err(error) => {
                    let problem = format!("path: {}", unreadable(&display_path, &error));
                    problems.extend(indices.iter().map(|index| (*index, problem.clone())));
                    continue;
                }
            };
            let replacements: Vec<_> =
                indices.iter().filter_map(|index| edits.get(*index)).map(|edit| edit.replacement.clone()).collect();
            match replace::replace_all(&source.text, &replacements) {
                Ok(replaced) => {
                    let (before, edits) = (source.hash(), replaced.count);
                    files.push(NewText { path, before, text: replaced.text, edits });
                }
                Err(errors) => problems.extend(errors.iter().filter_map(|(at, error)| {
                    let field = if *error == ReplaceError::TooLarge { "new" } else { "old" };
                    Some((*indices.get(*at)?, format!("{field}: {}", error.describe(&display_path))))
                })),
            }
        }
        if !problems.is_empty() {
            return Err(impossible_edits(edits.len(), problems));
        }
        let names = files.iter().map(|file| self.workspace().display(&file.path));
        let title = format!("edit {}", list_first(names, MAX_NAMED));
        Ok(self.intel.edits.plan_texts(&title, &files, PRODUCER).await?)
    }

    /// Plans the replacement of a pattern's occurrences in the files of a selection: all, or those that the caller
    /// chooses by their numbers.
    pub async fn replace_in_files(&self, query: ReplaceQuery) -> Result<PatternReplacement, CodeError> {
        let pattern = &query.pattern;
        let selected = self.list_files(query.selection).await;
        let until = self.cx.deadline.min(Instant::now() + SEARCH_TIME);
        let mut unsearched = UnsearchedFiles::default();
        let (mut files, mut occurrences) = (Vec::new(), Vec::new());
        let (mut total, mut searched) = (0, 0);
        for path in &selected.files {
            if Instant::now() >= until {
                let all = pluralize(selected.files.len(), "file");
                let problem = format!("only {searched} of {all} could be searched in time");
                return Err(CodeError::input("glob", problem, "Name a smaller folder or pattern."));
            }
            let display_path = self.workspace().display(path);
            let source = match self.intel.texts.read(path).await {
                Ok(source) => source,
                Err(error) => {
                    unsearched.add(path, &display_path, &error, pattern);
                    continue;
                }
            };
            searched += 1;
            let searched_text = LineFeedText::new(&source.text);
            let too_large = || {
                let problem = format!("`{display_path}` would become too large");
                CodeError::input("replacement", problem, "Make a smaller change.")
            };
            let found = pattern.find(searched_text.text(), MAX_OCCURRENCES + 1 - total).ok_or_else(too_large)?;
            if found.is_empty() {
                continue;
            }
            let text = searched_text.text();
            let is_changed = |(range, new): &(Range<usize>, String)| text.get(range.clone()) != Some(new);
            let (found, unchanged): (Vec<_>, Vec<_>) = found.into_iter().partition(is_changed);
            unsearched.unchanged += unchanged.len();
            let first = total + 1;
            total += found.len();
            if total > MAX_OCCURRENCES {
                let problem = format!("it occurs more than {MAX_OCCURRENCES} times");
                return Err(CodeError::input("pattern", problem, "Name fewer files, or give a longer pattern."));
            }
            let chosen = |(number, _): &(usize, (Range<usize>, String))| {
                query.chosen.as_ref().is_none_or(|chosen| chosen.contains(*number))
            };
            let planned: Vec<_> = (first..).zip(found).filter(chosen).collect();
            if planned.is_empty() {
                continue;
            }
            let starts: Vec<usize> = planned.iter().map(|(_, (range, _))| range.start).collect();
            let positions = positions_of(text, &starts);
            let shown = planned.iter().zip(positions).map(|((number, (range, new)), (line, column))| {
                let [before, after] = excerpts(text, range, new);
                let display_path = clean_line(&display_path);
                ReplacedOccurrence { number: *number, display_path, line, column, before, after }
            });
            occurrences.extend(shown);
            let ending = replace::dominant_ending(&source.text);
            let edits: Vec<_> = planned
                .into_iter()
                .map(|(_, (range, new))| {
                    let range = searched_text.original_range(range);
                    let new = with_line_ends(&new, source.text.get(range.clone()).unwrap_or_default(), ending);
                    (range, new)
                })
                .collect();
            let text = replace::apply(&source.text, &edits).map_err(|_| too_large())?;
            files.push(NewText { path: path.clone(), before: source.hash(), text, edits: edits.len() });
        }
        let mut omissions = unsearched.into_omissions();
        omissions.notes.extend(selected.note());
        if total == 0 {
            return Err(no_occurrence(pattern, searched, &omissions));
        }
        if let Some(missing) = query.chosen.as_ref().and_then(|chosen| chosen.beyond(total)) {
            let problem = format!("there is no number {missing}: the numbers are 1 to {total}");
            return Err(CodeError::input("occurrences", problem, "Call it without `occurrences` to list all."));
        }
        let title = format!(
            "replace `{}` by `{}`",
            join_words(pattern.pattern(), MAX_TITLE),
            join_words(pattern.replacement(), MAX_TITLE)
        );
        let plan = self.intel.edits.plan_texts(&title, &files, PRODUCER).await?;
        Ok(PatternReplacement { plan, occurrences, total, searched, omissions })
    }
}

/// Returns the error about edits of which at least one is impossible.
fn impossible_edits(all: usize, mut problems: Vec<(usize, String)>) -> CodeError {
    problems.sort_by_key(|(index, _)| *index);
    let lines = problems.iter().take(MAX_ERRORS).map(|(index, problem)| format!("edits[{index}].{problem}"));
    let mut message = lines.collect::<Vec<_>>().join("\n");
    if problems.len() > 1 {
        message.insert_str(0, &format!("{} of {} cannot be made:\n", problems.len(), pluralize(all, "edit")));
    }
    let hint = "Nothing is planned. Give old exactly as in the file, with all: true for every occurrence, or at: a line for the nearest one.";
    CodeError::input("edits", message, hint)
}

fn unreadable(display_path: &str, error: &ReadError) -> String {
    match error {
        ReadError::NotFound { .. } => format!("`{display_path}` does not exist"),
        ReadError::Directory { .. } => format!("`{display_path}` is a folder"),
        ReadError::Special { .. } => format!("`{display_path}` is not a regular file"),
        ReadError::TooLarge { bytes, .. } => {
            format!("`{display_path}` has {}, too large to edit", display_size(*bytes))
        }
        ReadError::Linked { .. } => format!("`{display_path}` was replaced by a link"),
        ReadError::NotText { .. } => format!("`{display_path}` is binary, or in another encoding than UTF-8"),
        ReadError::Io { source, .. } => format!("`{display_path}`: {source}"),
    }
}

fn no_occurrence(pattern: &ReplacePattern, searched: usize, omissions: &ReplaceOmissions) -> CodeError {
    let searched = format!("no occurrence in {}", pluralize(searched, "file"));
    let notes = omissions.gap.iter().chain(&omissions.notes).cloned();
    let problem = [searched].into_iter().chain(notes).collect::<Vec<_>>().join("; ");
    let hint = if pattern.looks_like_regex() {
        "The pattern is searched as plain text; pass regex: true if it is a regular expression."
    } else {
        "Check the pattern, upper and lower case, and the files; `file.search` finds text."
    };
    CodeError::input("pattern", problem, hint)
}

impl UnsearchedFiles {
    fn add(&mut self, path: &Utf8Path, display_path: &str, error: &ReadError, pattern: &ReplacePattern) {
        match error {
            ReadError::NotText { .. } => match fs::read_bytes(path) {
                Ok(bytes) if is_binary(&bytes) => self.binary.push(display_path.to_owned()),
                Ok(bytes) if pattern.literal().is_some_and(|text| memmem::find(&bytes, text.as_bytes()).is_none()) => {}
                _ => self.unread.push(format!("`{display_path}` (not UTF-8)")),
            },
            // The file was removed after it was listed.
            ReadError::NotFound { .. } => {}
            error => self.unread.push(unreadable(display_path, error)),
        }
    }

    fn into_omissions(self) -> ReplaceOmissions {
        let mut notes = Vec::new();
        if !self.binary.is_empty() {
            notes.push(format!("binary, not searched: {}", list_first(self.binary, MAX_NAMED)));
        }
        if self.unchanged > 0 {
            notes.push(format!("{} already equal to the replacement", pluralize(self.unchanged, "match")));
        }
        let gap = (!self.unread.is_empty()).then(|| format!("not searched: {}", list_first(self.unread, MAX_NAMED)));
        ReplaceOmissions { notes, gap }
    }
}

/// Whether bytes that are not UTF-8 are not a text in another encoding either.
fn is_binary(bytes: &[u8]) -> bool {
    let has_utf16_mark = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    !has_utf16_mark && bytes.iter().take(SNIFFED).any(|byte| *byte == 0)
}

/// Returns the line of an occurrence before and after its replacement. Reads a limited part of the text.
fn excerpts(text: &str, range: &Range<usize>, new: &str) -> [String; 2] {
    let window = 4 * MAX_BESIDE;
    let from = text.ceil_char_boundary(range.start.saturating_sub(window));
    let prefix = text.get(from..range.start).unwrap_or_default();
    let is_whole = from == 0 || prefix.contains('\n');
    let prefix = prefix.rsplit('\n').next().unwrap_or_default().trim_start();
    let skipped = prefix.chars().count().saturating_sub(MAX_BESIDE);
    let dots = if skipped > 0 || !is_whole { "…" } else { "" };
    let prefix: String = prefix.chars().skip(skipped).collect();
    let to = text.floor_char_boundary(range.end.saturating_add(window).min(text.len()));
    let suffix = text.get(range.end..to).unwrap_or_default().split('\n').next().unwrap_or_default();
    let suffix = ellipsize(suffix, MAX_BESIDE);
    let old = text.get(range.clone()).unwrap_or_default();
    [old, new].map(|middle| {
        let middle = ellipsize(middle, MAX_SHOWN).replace("\r\n", "\n").replace('\n', "⏎");
        clean_line(&format!("{dots}{prefix}{middle}{suffix}")).trim_end().to_owned()
    })
}

#[cfg(test)]
mod tests;
