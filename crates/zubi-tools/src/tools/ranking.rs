//! Ranks tools by their use for a task that is described in words.

use std::sync::Arc;

use zubi_tool_api::{Tool, ToolSpec};

/// The points of a word that only one tool has, per point of [`score`].
const WORD_WEIGHT: usize = 1_000;

/// The points of each word of a tag, if the query has all words of the tag: the tag describes a use of the tool.
const USE_WEIGHT: usize = 4 * WORD_WEIGHT;

/// The toolset of tools that change how others work, which are rarely the task itself.
const SETTINGS_TOOLSET: &str = "settings";

/// Splits a text into the stems of its lower-case words, without stop words.
pub(super) fn content_words(text: &str) -> Vec<String> {
    const STOP_WORDS: [&str; 37] = [
        "a", "an", "and", "all", "are", "at", "be", "by", "can", "do", "for", "from", "how", "i", "in", "is", "it",
        "its", "lsp", "me", "my", "of", "on", "one", "or", "please", "so", "that", "the", "them", "there", "this",
        "to", "tool", "tools", "want", "with",
    ];
    text.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty() && !STOP_WORDS.contains(&word.as_str()))
        .map(|word| stem(&word).to_owned())
        .collect()
}

/// Returns a word without its ending, so that `calls`, `callers` and `calling` are equal.
fn stem(word: &str) -> &str {
    const ENDINGS: [&str; 8] = ["ings", "ing", "ers", "er", "ed", "es", "s", "e"];
    const MIN_STEM: usize = 3;
    let endings = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending));
    let stem = endings.into_iter().find(|stem| stem.chars().count() >= MIN_STEM).unwrap_or(word);
    // `mov` for `move` and `moving`, `fil` for `files` and `file`.
    stem.strip_suffix('e').filter(|stem| stem.chars().count() >= MIN_STEM).unwrap_or(stem)
}

/// Returns the tools that match any word, best first, in list order among equals.
///
/// A tool named in the query comes first. Otherwise the weight of a word is divided by the number of tools that match
/// it: `symbol` occurs in nearly all of them and hardly distinguishes them. A tool that matches more of the words, and
/// one with a tag that the query contains, come before others.
pub(super) fn rank_tools(tools: Vec<Arc<dyn Tool>>, query: &str, query_words: &[String]) -> Vec<Arc<dyn Tool>> {
    let mut totals = vec![0; tools.len()];
    let mut matched_words = vec![0; tools.len()];
    for word in query_words {
        let scores: Vec<usize> = tools.iter().map(|tool| score(tool.spec(), word)).collect();
        let matching = scores.iter().filter(|score| **score > 0).count().max(1);
        for ((total, matched), score) in totals.iter_mut().zip(&mut matched_words).zip(scores) {
            *total += score * WORD_WEIGHT / matching;
            *matched += usize::from(score > 0);
        }
    }
    let is_named = |tool: &Arc<dyn Tool>| {
        let mut names = query.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
        names.any(|name| name.eq_ignore_ascii_case(&tool.spec().id))
    };
    for ((total, matched), tool) in totals.iter_mut().zip(matched_words).zip(&tools) {
        *total = *total * matched / query_words.len().max(1) + uses(tool.spec(), query_words) * USE_WEIGHT;
        if tool.spec().toolset == SETTINGS_TOOLSET {
            *total /= 4;
        }
        if is_named(tool) {
            *total = usize::MAX;
        }
    }
    let mut found: Vec<(usize, Arc<dyn Tool>)> =
        totals.into_iter().zip(tools).filter(|(total, _)| *total > 0).collect();
    found.sort_by_key(|(total, _)| std::cmp::Reverse(*total));
    found.into_iter().map(|(_, tool)| tool).collect()
}

/// Returns the number of words in the tags of several words that the query contains completely.
fn uses(spec: &ToolSpec, query_words: &[String]) -> usize {
    let words_of = |tag: &String| {
        let words = content_words(tag);
        let is_use =
            words.len() > 1 && words.iter().all(|word| query_words.iter().any(|other| is_related(word, other)));
        if is_use { words.len() } else { 0 }
    };
    spec.tags.iter().map(words_of).sum()
}

/// Scores how well a tool matches a word: the name counts most, then a tag or the title, then the description.
fn score(spec: &ToolSpec, word: &str) -> usize {
    let matches = |text: &str| content_words(text).iter().any(|candidate| is_related(candidate, word));
    let tags = spec.tags.iter().any(|tag| matches(tag)) || matches(&spec.title);
    8 * usize::from(matches(&spec.id)) + 4 * usize::from(tags) + usize::from(matches(&spec.description))
}

/// Returns whether one of two stems is the beginning of the other, so that `implement` finds `implementations`.
fn is_related(candidate: &str, word: &str) -> bool {
    const MIN_STEM: usize = 4;
    candidate == word
        || (word.chars().count() >= MIN_STEM && candidate.starts_with(word))
        || (candidate.chars().count() >= MIN_STEM && word.starts_with(candidate))
}
