//! Similar names.

use smol_str::SmolStr;

/// Minimum similarity of two names, from 0 to 1.
const SIMILAR: f64 = 0.7;

/// Returns those of `names` that are similar to `written`, each once, with its score: the most similar first, then the
/// shorter.
///
/// A name that differs only in its qualifier scores highest, then one that differs only in case, then by edit
/// distance.
pub fn nearest_names(written: &str, names: impl IntoIterator<Item = SmolStr>) -> Vec<(f64, SmolStr)> {
    let scored = names.into_iter().filter_map(|name| Some((score(written, &name)?, name)));
    let mut scored: Vec<(f64, SmolStr)> = scored.collect();
    scored.sort_by(|(one, one_name), (other, other_name)| {
        other.total_cmp(one).then_with(|| (one_name.len(), one_name).cmp(&(other_name.len(), other_name)))
    });
    scored.dedup_by(|(_, one), (_, other)| one == other);
    scored
}

fn score(written: &str, name: &str) -> Option<f64> {
    let (written_simple, simple) = (simple(written), simple(name));
    if written_simple == simple {
        return Some(3.0);
    }
    if written.eq_ignore_ascii_case(name) || written_simple.eq_ignore_ascii_case(simple) {
        return Some(2.0);
    }
    let similarity = similarity(written, name).max(similarity(written_simple, simple));
    (similarity >= SIMILAR).then_some(similarity)
}

fn simple(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

/// Returns the similarity of two names from 0 to 1; 0 without computing it if their lengths differ too much.
fn similarity(one: &str, other: &str) -> f64 {
    let (one_length, other_length) = (one.chars().count(), other.chars().count());
    let (shorter, longer) = (one_length.min(other_length), one_length.max(other_length));
    // Each additional character of the longer name is a difference.
    #[expect(clippy::cast_precision_loss, reason = "no name has 2^52 characters")]
    let is_too_short = (shorter as f64) < SIMILAR * longer as f64;
    if is_too_short { 0.0 } else { strsim::normalized_damerau_levenshtein(one, other) }
}
