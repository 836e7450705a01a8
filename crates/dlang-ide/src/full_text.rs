//! Search in all texts of a model: names, descriptions, visions, terms, decisions, policies, rules and metadata.
//!
//! It serves readers who do not know the model. A word matches itself in upper or lower case, its other forms
//! (`payment`, `payments`), words that contain it, words that it abbreviates, and, for longer words, words with a
//! typing error. [`crate::symbol_search`] is different: it matches the letters of a name while a user types it.

mod fields;
mod similarity;

use std::cmp::Reverse;

use dlang_model::{Db, Definition, ElementKind, File, definitions, project_files};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use self::fields::{Field, fields};
use self::similarity::{Hit, QueryTerm};
use crate::lines::Lines;
use crate::query::InvalidInput;

/// The maximum length of a query, in bytes.
const MAX_QUERY: usize = 512;

/// The maximum number of query words that are searched for.
const MAX_WORDS: usize = 16;

/// The default number of elements in a result.
pub const DEFAULT_RESULTS: usize = 20;

/// The maximum number of elements in a result.
pub const MAX_RESULTS: usize = 100;

/// The maximum number of matches listed for one element.
const MAX_MATCHES: usize = 5;

/// The maximum length of a snippet, in characters.
const MAX_TEXT: usize = 200;

/// The number of characters before the first match, if the text does not begin near it.
const CONTEXT_BEFORE_MATCH: usize = 60;

/// The rank of an element among the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// The number of query words that the element contains.
    words: usize,
    /// The sum, over these words, of the score of the best field.
    score: u32,
}

/// Returns the elements that match some words: `{query, count, total, results[]}`, the best first, each `{type, name,
/// fqn, file, line, matches[]}`. A match has the `field` that contains the words, and its content: `name` (of a term, a
/// decision, a metadata key) and `text`. `show` formats the path of a file; lines are 1-based.
///
/// An element must have all words, in any of its texts. If none has all of them, those with most come first, and `note`
/// reports that.
///
/// # Errors
///
/// Fails if the query has no word, or is too long.
pub fn full_text_search(
    db: &dyn Db,
    query: &str,
    limit: usize,
    show: &dyn Fn(File) -> String,
) -> Result<Value, InvalidInput> {
    let words = words_of(query)?;
    let mut ranked: Vec<(Rank, Definition)> = Vec::new();
    for file in project_files(db) {
        for definition in definitions(db, *file) {
            let rank = rank(&fields(db, definition), &words);
            if rank.words > 0 {
                ranked.push((rank, definition));
            }
        }
    }
    let most = ranked.iter().map(|(rank, _)| rank.words).max().unwrap_or_default();
    let has_all = most == words.len();
    if has_all {
        ranked.retain(|(rank, _)| rank.words == most);
    }
    // The sort is stable, so files and positions stay in order.
    ranked.sort_by_key(|(rank, _)| Reverse(*rank));
    let mut lines: FxHashMap<File, Lines> = FxHashMap::default();
    let found = ranked.iter().take(limit.min(MAX_RESULTS));
    let results: Vec<Value> = found
        .map(|(_, definition)| {
            let lines = lines.entry(definition.file).or_insert_with(|| Lines::new(definition.file.text(db)));
            let line = definition.focus(db).map(|focus| lines.number(focus.start()) + 1);
            json!({
                "type": definition.kind(db).map(ElementKind::type_name),
                "name": definition.name(db).as_deref(),
                "fqn": definition.fqn(db).as_deref(),
                "file": show(definition.file),
                "line": line,
                "matches": matches(&fields(db, *definition), &words),
            })
        })
        .collect();
    let mut answer = json!({ "query": query, "count": results.len(), "total": ranked.len(), "results": results });
    if !has_all
        && !ranked.is_empty()
        && let Some(answer) = answer.as_object_mut()
    {
        answer.insert("note".to_owned(), "nothing has all words; these have some of them".into());
    }
    Ok(answer)
}

fn words_of(query: &str) -> Result<Vec<QueryTerm>, InvalidInput> {
    let invalid = |message: String| InvalidInput { field: "query", message };
    if query.len() > MAX_QUERY {
        return Err(invalid(format!("longer than {MAX_QUERY} bytes. Use a few words.")));
    }
    let mut words: Vec<QueryTerm> = Vec::new();
    for word in similarity::words(query).map(|(_, word)| QueryTerm::new(word)) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(MAX_WORDS);
    if words.is_empty() {
        return Err(invalid("has no word. Use a few words of what is looked for.".to_owned()));
    }
    Ok(words)
}

fn rank(fields: &[Field<'_>], words: &[QueryTerm]) -> Rank {
    let best = |word: &QueryTerm| fields.iter().map(|field| hit(field, word).0).max().unwrap_or_default();
    let scores: Vec<u32> = words.iter().map(best).filter(|score| *score > 0).collect();
    Rank { words: scores.len(), score: scores.iter().sum() }
}

/// Returns the score of a word in a field, 0 if it does not occur, and its position in the field's text.
fn hit(field: &Field<'_>, word: &QueryTerm) -> (u32, Option<usize>) {
    let score = |hit: Option<Hit>, weight: u32| hit.map_or(0, |hit| hit.similarity * weight);
    let by_name = field.name.and_then(|name| word.in_name(name));
    let by_text = field.text.and_then(|text| word.in_prose(text));
    let at = by_text.map(|hit| hit.at);
    (score(by_name, field.kind.name_weight()).max(score(by_text, field.kind.text_weight())), at)
}

/// Returns the matches of an element: the best fields first, those of equal score in text order.
fn matches(fields: &[Field<'_>], words: &[QueryTerm]) -> Vec<Value> {
    let mut found: Vec<(u32, Option<usize>, &Field<'_>)> = Vec::new();
    for field in fields {
        let hits: Vec<(u32, Option<usize>)> = words.iter().map(|word| hit(field, word)).collect();
        let score: u32 = hits.iter().map(|(score, _)| score).sum();
        if score > 0 {
            found.push((score, hits.iter().filter_map(|(_, at)| *at).min(), field));
        }
    }
    found.sort_by_key(|(score, ..)| Reverse(*score));
    let entries = found.into_iter().take(MAX_MATCHES).map(|(_, at, field)| {
        let mut entry = json!({ "field": field.kind.as_str() });
        if let Some(fields) = entry.as_object_mut() {
            let name = field.name.map(|name| ("name", snippet(name, 0)));
            let text = field.text.map(|text| ("text", snippet(text, at.unwrap_or_default())));
            fields.extend([name, text].into_iter().flatten().map(|(key, text)| (key.to_owned(), text.into())));
        }
        entry
    });
    entries.collect()
}

/// Returns an excerpt of a text around a byte offset.
fn snippet(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or_default().chars().count();
    let skipped = if before + CONTEXT_BEFORE_MATCH < MAX_TEXT { 0 } else { before - CONTEXT_BEFORE_MATCH };
    let mut characters = text.chars().skip(skipped);
    let mut excerpt = if skipped > 0 { "…".to_owned() } else { String::new() };
    excerpt.extend(characters.by_ref().take(MAX_TEXT));
    if characters.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests;
