//! The sample of mentions that zubi checks, and what it says about the others.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::proof::{Candidate, MentionVerdict};

/// The maximum number of files in which zubi checks mentions.
const MAX_FILES: usize = 8;

/// The maximum number of mentions that zubi checks, over all files.
const MAX_REQUESTS: usize = 16;

/// The mentions of a file with the same reason.
pub(super) type FilePart = (Utf8PathBuf, Option<String>);

/// Selects the mentions to check: the first of each file, then the second, and so on. Mentions without a known reason
/// come first.
pub(super) fn select(candidates: &[Candidate]) -> Vec<usize> {
    let mut by_file: Vec<(&Utf8Path, Vec<usize>)> = Vec::new();
    let mut order: Vec<_> = candidates.iter().enumerate().collect();
    order.sort_by_key(|(_, candidate)| candidate.reason.is_some());
    for (index, candidate) in order {
        if let Some((_, indices)) = by_file.iter_mut().find(|(path, _)| *path == candidate.path) {
            indices.push(index);
        } else if by_file.len() < MAX_FILES {
            by_file.push((&candidate.path, vec![index]));
        }
    }
    let longest = by_file.iter().map(|(_, indices)| indices.len()).max().unwrap_or_default();
    let rounds =
        (0..longest).flat_map(|round| by_file.iter().filter_map(move |(_, indices)| indices.get(round).copied()));
    rounds.take(MAX_REQUESTS).collect()
}

/// Returns the verdict on all mentions of a file, or of those with one reason, whose checked ones have the same.
pub(super) fn agreed_verdicts(
    candidates: &[Candidate],
    verdicts: &FxHashMap<usize, MentionVerdict>,
) -> FxHashMap<FilePart, MentionVerdict> {
    let mut by_file: FxHashMap<FilePart, MentionVerdict> = FxHashMap::default();
    for (index, candidate) in candidates.iter().enumerate() {
        let Some(verdict) = verdicts.get(&index) else { continue };
        by_file
            .entry(candidate.part())
            .and_modify(|known| {
                if std::mem::discriminant(known) != std::mem::discriminant(verdict) {
                    *known = MentionVerdict::Unchecked;
                }
            })
            .or_insert_with(|| verdict.clone());
    }
    by_file
}

impl Candidate {
    pub(super) fn part(&self) -> FilePart {
        (self.path.clone(), self.reason.clone())
    }
}
