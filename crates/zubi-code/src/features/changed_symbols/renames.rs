//! Moved files: pairs of removed and added files with similar texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use zubi_syntax::MAX_TEXT_BYTES;

use crate::version_control::{FileDifference, FileVersion, VersionedKind};

/// The maximum number of removed files, and of added ones, that are compared.
const MAX_CANDIDATES: usize = 60;

/// The minimum share of common lines, in percent. That of git (`diff.renames`, git-diff(1), `-M`) is the same.
const MIN_SIMILARITY: usize = 50;

/// Returns the indexes of the removed and of the added files that may be moved.
pub(super) fn candidates(files: &[FileDifference]) -> (Vec<usize>, Vec<usize>) {
    let is_text = |version: &FileVersion| {
        version.kind == VersionedKind::File && (1..=MAX_TEXT_BYTES as u64).contains(&version.bytes)
    };
    let select = |is_candidate: &dyn Fn(&FileDifference) -> bool| {
        let selected = files.iter().zip(0..).filter(|(file, _)| is_candidate(file)).map(|(_, index)| index);
        selected.take(MAX_CANDIDATES).collect::<Vec<usize>>()
    };
    let removed = select(&|file| file.new.is_none() && file.old.as_ref().is_some_and(is_text));
    let added = select(&|file| file.old.is_none() && file.new.as_ref().is_some_and(is_text));
    (removed, added)
}

/// Returns the pairs of similar texts, each index in at most one, the most similar first.
pub(super) fn pairs(removed: &[(usize, Option<Arc<str>>)], added: &[(usize, Option<Arc<str>>)]) -> Vec<(usize, usize)> {
    let olds = counted_lines(removed);
    let news = counted_lines(added);
    let mut found = Vec::new();
    for (old, old_lines) in &olds {
        for (new, new_lines) in &news {
            let similarity = similarity(old_lines, new_lines);
            if similarity >= MIN_SIMILARITY {
                found.push((similarity, *old, *new));
            }
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (_, old, new) in found {
        if pairs.iter().all(|(known_old, known_new)| *known_old != old && *known_new != new) {
            pairs.push((old, new));
        }
    }
    pairs
}

/// Replaces the files of each pair by one moved file in the place of the added one.
pub(super) fn join(files: &[FileDifference], pairs: &[(usize, usize)]) -> Vec<FileDifference> {
    let mut joined = Vec::new();
    for (file, index) in files.iter().zip(0..) {
        if pairs.iter().any(|(old, _)| *old == index) {
            continue;
        }
        let moved = pairs.iter().find(|(_, new)| *new == index).and_then(|(old, _)| files.get(*old)?.old.clone());
        joined.push(FileDifference { old: moved.or_else(|| file.old.clone()), new: file.new.clone() });
    }
    joined
}

/// Counts the lines of the texts that exist.
fn counted_lines(texts: &[(usize, Option<Arc<str>>)]) -> Vec<(usize, BTreeMap<&str, usize>)> {
    texts.iter().filter_map(|(index, text)| Some((*index, count_lines(text.as_deref()?)))).collect()
}

fn count_lines(text: &str) -> BTreeMap<&str, usize> {
    let mut lines = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| line.len() > 1) {
        *lines.entry(line).or_default() += 1;
    }
    lines
}

/// Returns the share of common lines in percent.
fn similarity(old: &BTreeMap<&str, usize>, new: &BTreeMap<&str, usize>) -> usize {
    let total = old.values().sum::<usize>() + new.values().sum::<usize>();
    let common = old.iter().map(|(line, count)| new.get(line).map_or(0, |other| *count.min(other)));
    (200 * common.sum::<usize>()).checked_div(total).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(removed: &[&str], added: &[&str]) -> Vec<(usize, usize)> {
        let texts = |texts: &[&str]| texts.iter().map(|text| Some(Arc::from(*text))).enumerate().collect::<Vec<_>>();
        pairs(&texts(removed), &texts(added))
    }

    #[test]
    fn the_most_similar_texts_are_one_file() {
        assert_eq!(check(&["aa\nbb\ncc\n"], &["xx\n", "aa\nbb\n", "aa\nbb\ncc\ndd\n"]), [(0, 2)]);
        assert_eq!(check(&["aa\nbb\n", "aa\nbb\n"], &["aa\nbb\n", "aa\nbb\n"]), [(0, 0), (1, 1)]);
        assert_eq!(check(&["aa\nbb\ncc\n"], &["aa\nxx\nyy\nzz\n"]), []);
        assert_eq!(check(&["", "}\n"], &["", "}\n"]), []);
        assert_eq!(pairs(&[(0, None)], &[(1, Some(Arc::from("aa")))]), []);
    }
}
