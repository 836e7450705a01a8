//! "Did you mean": finds the known names that are closest to an unknown one. All errors about an unknown name use this,
//! so that the caller can correct a typing error without another request.

/// The maximum difference of a suggestion, as a share of the longer name's length: one edit in two characters already
/// makes a different word.
const MAX_SHARE: f64 = 0.45;

/// Returns at most `limit` known names closest to `name`, best first. Ignores case and the separators `-`, `_` and `.`.
/// A name that contains `name` counts as close.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    nearest_by(name, candidates, |candidate| candidate, limit)
}

/// Like [`nearest`], for values with a name.
pub fn nearest_by<T>(
    name: &str,
    known: impl IntoIterator<Item = T>,
    name_of: impl Fn(&T) -> &str,
    limit: usize,
) -> Vec<T> {
    let folded_name = fold(name);
    let mut scored: Vec<(f64, T)> = known
        .into_iter()
        .filter_map(|candidate| {
            let folded = fold(name_of(&candidate));
            let (left, right) = (folded_name.chars().count(), folded.chars().count());
            let longer = left.max(right).max(1);
            #[expect(clippy::cast_precision_loss, reason = "names are a few dozen characters")]
            let share_of_longer = |edits: usize| edits as f64 / longer as f64;
            // The difference in length is a lower bound of the edits. It is checked first, because a caller's name may
            // be a megabyte and a comparison costs the product of both lengths.
            let mut share = share_of_longer(left.abs_diff(right));
            if share <= MAX_SHARE {
                share = share_of_longer(strsim::damerau_levenshtein(&folded_name, &folded));
            }
            let contained = left >= 3 && folded.contains(&folded_name);
            (share <= MAX_SHARE || contained).then_some((share, candidate))
        })
        .collect();
    scored.sort_by(|left, right| left.0.total_cmp(&right.0).then_with(|| name_of(&left.1).cmp(name_of(&right.1))));
    scored.into_iter().take(limit).map(|(_, candidate)| candidate).collect()
}

fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_match_and_unrelated_names_do_not() {
        const NAMES: [&str; 5] = ["lsp_definition", "lsp_references", "lsp_hover", "newName", "read-only"];
        for (name, expected) in [
            ("lsp_hovr", vec!["lsp_hover"]),
            ("definition", vec!["lsp_definition"]),
            ("new_name", vec!["newName"]),
            ("readonly", vec!["read-only"]),
            ("Lsp.References", vec!["lsp_references"]),
            ("kubernetes", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(nearest(name, NAMES, 3), expected, "{name}");
        }
        assert_eq!(nearest("lsp", NAMES, 2).len(), 2, "the limit holds");
        assert_eq!(nearest(&"x".repeat(1 << 22), NAMES, 2).len(), 0, "a long name is compared in bounded time");
    }
}
