//! Structural search: the code of many files that has the structure of a pattern, by its syntax.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::text::{list_first, pluralize};
use zubi_syntax::{LANGUAGES, PatternVariable, SyntaxLanguage};

pub use zubi_syntax::PatternMatch;

use crate::error::CodeError;
use crate::features::folder_outline::FileSelection;
use crate::query::{CodeQuery, SourceDocument};
use crate::status::{AnswerSource, AnswerStatus, Completeness, QualifiedAnswer};
use crate::syntax::{NodeSearch, PatternAnswer, PatternSearchError, SyntaxParser};

/// The time limit of a search.
const SEARCH_TIME: Duration = Duration::from_secs(20);

/// The maximum number of matches in one answer.
const MAX_MATCHES: usize = 10_000;

/// The maximum number of files and languages that a note names.
const MAX_NAMED: usize = 3;

/// Usual names of languages that are neither an identifier nor an extension.
const OTHER_NAMES: &[(&str, &str)] = &[("c#", "csharp"), ("golang", "go"), ("shell", "shellscript")];

/// A pattern and the files in which it is searched.
#[derive(Debug, Clone)]
pub struct PatternQuery {
    pub search: NodeSearch,
    /// The name of a language; without it, the names of the files decide.
    pub language: Option<String>,
    pub selection: FileSelection,
}

/// The matches in one file.
#[derive(Debug)]
pub struct FileMatches {
    pub path: Utf8PathBuf,
    /// The path as answers show it.
    pub display_path: String,
    pub language: &'static SyntaxLanguage,
    /// The text to which the ranges refer.
    pub document: Arc<SourceDocument>,
    pub matches: Vec<PatternMatch>,
    /// The named metavariables of the pattern in this language.
    pub variables: Vec<PatternVariable>,
}

/// The result of a structural search.
#[derive(Debug, Default)]
pub struct PatternSearchResult {
    /// The files with matches, sorted by path.
    pub files: Vec<FileMatches>,
    /// The number of files that were searched.
    pub searched: usize,
    /// The identifiers of the languages in which the pattern is valid.
    pub languages: Vec<&'static str>,
}

/// The pattern in one language, or the reason why it is invalid there.
type CheckedPattern = Result<PatternAnswer, String>;

/// The files of a search that need a note.
#[derive(Default)]
struct Remarks {
    with_errors: Vec<String>,
    unparsed: Vec<String>,
    cut: Vec<String>,
    /// The number of files in languages in which the pattern is invalid, by language.
    other_languages: BTreeMap<&'static str, usize>,
    unknown: usize,
}

impl CodeQuery<'_> {
    /// Finds the matches of a pattern. Without a language, it is searched in every language of the files in which it is
    /// valid. Fails if it is valid in none.
    pub async fn ast_search(&self, query: &PatternQuery) -> Result<QualifiedAnswer<PatternSearchResult>, CodeError> {
        let parser = &self.intel.parser;
        let given = query.language.as_deref().map(languages_named).transpose()?;
        let selected = self.list_files(query.selection.clone()).await;
        let mut remarks = Remarks::default();
        let mut classified = Vec::new();
        for path in &selected.files {
            match language_of(path, given.as_deref()) {
                Some(language) => classified.push((path, language)),
                None => remarks.unknown += 1,
            }
        }
        let wanted = given.clone().unwrap_or_else(|| classified.iter().map(|(_, language)| *language).collect());
        let checked = check_pattern(parser.as_ref(), &query.search, &wanted).await?;
        let mut status = AnswerStatus::from_source(AnswerSource::Syntax, Vec::new());
        status.notes.extend(selected.note());
        let mut result = PatternSearchResult::default();
        result.languages.extend(checked.iter().filter(|(_, pattern)| pattern.is_ok()).map(|(id, _)| *id));
        let until = self.cx.deadline.min(Instant::now() + SEARCH_TIME);
        let total = classified.len();
        let mut count = 0;
        for (path, language) in classified {
            let display_path = self.workspace().display(path);
            if Instant::now() >= until || count >= MAX_MATCHES {
                let reason = if count >= MAX_MATCHES { "too many matches: " } else { "" };
                status.completeness = Completeness::Partial {
                    reason: format!(
                        "{reason}{} of {} were searched; name a smaller folder",
                        result.searched,
                        pluralize(total, "file")
                    ),
                };
                break;
            }
            let Some(Ok(pattern)) = checked.get(language.id) else {
                *remarks.other_languages.entry(language.id).or_default() += 1;
                continue;
            };
            // The file was removed after it was listed, or is binary.
            let Ok(source) = self.intel.texts.read(path).await else { continue };
            result.searched += 1;
            if pattern.literals.iter().any(|literal| !source.text.contains(literal.as_str())) {
                continue;
            }
            let (language, answer) = match self.search_text(parser.as_ref(), path, language, query, &source.text).await
            {
                Ok(found) => found,
                Err(error) => {
                    remarks.unparsed.push(format!("{display_path} ({error})"));
                    continue;
                }
            };
            if answer.found.has_errors {
                remarks.with_errors.push(display_path.clone());
            }
            if answer.found.is_cut {
                remarks.cut.push(display_path.clone());
            }
            if answer.found.matches.is_empty() {
                continue;
            }
            count += answer.found.matches.len();
            let document = self.intel.recent.document(path, source.text, source.bom);
            let (matches, variables) = (answer.found.matches, answer.variables);
            result.files.push(FileMatches { path: path.clone(), display_path, language, document, matches, variables });
        }
        remarks.add_to(&mut status);
        Ok(QualifiedAnswer { value: result, status })
    }

    /// Searches one text. A header may be in C or C++; it is searched as C++ if it is not valid C.
    async fn search_text(
        &self,
        parser: &dyn SyntaxParser,
        path: &Utf8Path,
        language: &'static SyntaxLanguage,
        query: &PatternQuery,
        text: &Arc<str>,
    ) -> Result<(&'static SyntaxLanguage, PatternAnswer), PatternSearchError> {
        let answer = parser.find_matches(language, &query.search, text).await?;
        if answer.found.has_errors
            && query.language.is_none()
            && let Some(other) = path.file_name().and_then(SyntaxLanguage::other_of_header)
            && let Ok(better) = parser.find_matches(other, &query.search, text).await
            && (!better.found.has_errors || better.found.matches.len() > answer.found.matches.len())
        {
            return Ok((other, better));
        }
        Ok((language, answer))
    }
}

impl Remarks {
    fn add_to(self, status: &mut AnswerStatus) {
        if !self.cut.is_empty() {
            let limit = zubi_syntax::MAX_MATCHES;
            status.mark_incomplete(format!("only the first {limit} matches of {}", list_first(self.cut, MAX_NAMED)));
        }
        if !self.unparsed.is_empty() {
            status.mark_incomplete(format!("not searched: {}", list_first(self.unparsed, MAX_NAMED)));
        }
        if !self.with_errors.is_empty() {
            let names = list_first(self.with_errors, MAX_NAMED);
            status.notes.push(format!("syntax errors, so matches may be missing: {names}"));
        }
        if !self.other_languages.is_empty() {
            let languages = self.other_languages.iter().map(|(id, count)| format!("{id} ({count})"));
            let named = list_first(languages, MAX_NAMED);
            status
                .notes
                .push(format!("not searched, because the pattern or the kind is not valid in the language: {named}"));
        }
        if self.unknown > 0 {
            status.notes.push(format!("{} in other languages", pluralize(self.unknown, "file")));
        }
    }
}

/// Checks a pattern in each of some languages. Fails if it is valid in none.
async fn check_pattern(
    parser: &dyn SyntaxParser,
    search: &NodeSearch,
    languages: &[&'static SyntaxLanguage],
) -> Result<BTreeMap<&'static str, CheckedPattern>, CodeError> {
    let mut checked = BTreeMap::new();
    let empty: Arc<str> = Arc::from("");
    for language in languages {
        if checked.contains_key(language.id) {
            continue;
        }
        let answer = match parser.find_matches(language, search, &empty).await {
            Ok(answer) => Ok(answer),
            Err(PatternSearchError::Pattern(reason)) => Err(reason),
            Err(PatternSearchError::Text(error)) => return Err(CodeError::input("pattern", error.0, RETRY_HINT)),
        };
        checked.insert(language.id, answer);
    }
    if checked.values().any(Result::is_ok) {
        return Ok(checked);
    }
    let mut reasons: Vec<String> = Vec::new();
    // In the order of the languages, of which the first is the one that was given.
    for reason in languages.iter().filter_map(|language| checked.get(language.id)?.as_ref().err()) {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    if reasons.is_empty() {
        let hint = "Name a file, a folder or a pattern with sources, such as path: \"src\".";
        return Err(CodeError::input("path", "no file is in a language that zubi can parse", hint));
    }
    reasons.truncate(MAX_NAMED);
    let (argument, hint) = if search.kind.is_some() { ("kind", KIND_HINT) } else { ("pattern", PATTERN_HINT) };
    Err(CodeError::input(argument, reasons.join("; "), hint))
}

const RETRY_HINT: &str = "Retry, or use a simpler pattern.";

const KIND_HINT: &str =
    "Use a kind of the language's tree-sitter grammar, and a pattern that can be such a node, or none.";

const PATTERN_HINT: &str = "Write a whole expression, statement or declaration as in the file; `$NAME` matches one part, `$$$ARGS` any number.";

/// Returns the languages with a name: an identifier, a usual name or an extension of files.
pub(super) fn languages_named(name: &str) -> Result<Vec<&'static SyntaxLanguage>, CodeError> {
    let lower = name.trim().to_ascii_lowercase();
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == lower).map(|(_, id)| *id);
    let id = other.unwrap_or(&lower);
    let by_extension = || LANGUAGES.iter().find(|language| language.extensions.contains(&id));
    let Some(language) = SyntaxLanguage::from_id(id).or_else(by_extension) else {
        let known: Vec<&str> = LANGUAGES.iter().map(|language| language.id).collect();
        let shown: String = name.chars().filter(|character| !character.is_control()).take(40).collect();
        let hint = format!("Use one of: {}.", known.join(", "));
        return Err(CodeError::input("language", format!("unknown language `{shown}`"), hint));
    };
    // Both have the same syntax besides elements, and users call both by this name.
    let second = (language.id == "typescript").then(|| SyntaxLanguage::from_id("typescriptreact")).flatten();
    Ok([language].into_iter().chain(second).collect())
}

/// Returns the language in which a file is searched, if it is one of the given ones.
pub(super) fn language_of(
    path: &Utf8Path,
    given: Option<&[&'static SyntaxLanguage]>,
) -> Option<&'static SyntaxLanguage> {
    let name = path.file_name()?;
    let language = SyntaxLanguage::from_file_name(name)?;
    let Some(given) = given else { return Some(language) };
    let own = [Some(language), SyntaxLanguage::other_of_header(name)];
    given.iter().copied().find(|other| own.iter().flatten().any(|own| own.id == other.id))
}
