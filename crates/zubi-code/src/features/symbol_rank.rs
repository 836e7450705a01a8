//! The order of symbols that match a name: how well they match, what they are, and how similar the names are.

use rustc_hash::FxHashMap;
use zubi_base::nearest::nearest;

use crate::locate::declared_segments;

/// How well the name of a symbol matches a query, best first. Variables and parameters come after the other symbols that
/// contain the query, because a common name has hundreds of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SymbolMatch {
    Equal,
    EqualIgnoringCase,
    Prefix,
    Part,
    ValueEqual,
    ValueEqualIgnoringCase,
    /// A typing error away.
    Similar,
    ValuePrefix,
    ValuePart,
    Other,
}

/// The position of a symbol in an answer, best first: the match, the group of its kind, and the similarity of the name.
pub(super) type SymbolRank = (SymbolMatch, u8, usize);

/// Ranks symbols for one query.
pub(super) struct SymbolRanking {
    query: String,
    lowercase_query: String,
    /// The positions of the similar names.
    similar: FxHashMap<String, usize>,
}

impl SymbolRanking {
    /// Creates a ranking of symbols with these names.
    pub(super) fn new<'a>(query: &str, names: impl Iterator<Item = &'a str>) -> Self {
        let mut plain: Vec<String> = names.map(plain_name).collect();
        plain.sort_unstable();
        plain.dedup();
        let near = nearest(query, plain.iter().map(String::as_str), usize::MAX);
        let similar = near.into_iter().enumerate().map(|(position, name)| (name.to_owned(), position)).collect();
        Self { query: query.to_owned(), lowercase_query: query.to_lowercase(), similar }
    }

    pub(super) fn rank(&self, name: &str, kind: &str) -> SymbolRank {
        let name = plain_name(name);
        let lowercase = name.to_lowercase();
        let group = kind_group(kind);
        let is_value = group == VALUE_GROUP;
        let found = if name == self.query {
            if is_value { SymbolMatch::ValueEqual } else { SymbolMatch::Equal }
        } else if lowercase == self.lowercase_query {
            if is_value { SymbolMatch::ValueEqualIgnoringCase } else { SymbolMatch::EqualIgnoringCase }
        } else if lowercase.starts_with(&self.lowercase_query) {
            if is_value { SymbolMatch::ValuePrefix } else { SymbolMatch::Prefix }
        } else if lowercase.contains(&self.lowercase_query) {
            if is_value { SymbolMatch::ValuePart } else { SymbolMatch::Part }
        } else if self.similar.contains_key(&name) {
            SymbolMatch::Similar
        } else {
            SymbolMatch::Other
        };
        (found, group, self.similar.get(&name).copied().unwrap_or(usize::MAX))
    }
}

/// Returns a symbol's own name without the qualifiers and parameters that some servers add.
fn plain_name(name: &str) -> String {
    declared_segments(name).pop().unwrap_or_default()
}

const VALUE_GROUP: u8 = 5;

fn kind_group(kind: &str) -> u8 {
    match kind {
        "class" | "interface" | "struct" | "enum" | "type alias" | "type parameter" | "module" | "namespace"
        | "package" => 0,
        "function" => 1,
        "method" | "constructor" | "operator" => 2,
        "constant" => 3,
        "variable" | "import" => VALUE_GROUP,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sort(query: &str, symbols: &[(&str, &str)]) -> Vec<String> {
        let ranking = SymbolRanking::new(query, symbols.iter().map(|(_, name)| *name));
        let mut symbols = symbols.to_vec();
        symbols.sort_by_key(|(kind, name)| ranking.rank(name, kind));
        symbols.iter().map(|(kind, name)| format!("{kind} {name}")).collect()
    }

    #[test]
    fn kinds_precede_the_similarity_of_names() {
        let symbols = [
            ("variable", "queryset"),
            ("class", "RawQuerySet"),
            ("method", "get_queryset"),
            ("method", "queryset"),
            ("class", "QuerySet"),
            ("class", "QuerySetChoice"),
        ];
        assert_eq!(
            sort("QuerySet", &symbols),
            [
                "class QuerySet",
                "method queryset",
                "class QuerySetChoice",
                "class RawQuerySet",
                "method get_queryset",
                "variable queryset",
            ]
        );
    }

    #[test]
    fn a_typing_error_finds_the_class() {
        let symbols = [
            ("variable", "console"),
            ("function", "get_console"),
            ("class", "WindowsConsoleFeatures"),
            ("class", "Console"),
        ];
        assert_eq!(sort("Consle", &symbols)[0], "class Console");
        assert_eq!(sort("Cnosole", &symbols)[0], "class Console");
        assert_eq!(
            sort("print", &[("method", "sprinter"), ("variable", "print"), ("function", "x::print")])[0],
            "function x::print"
        );
    }
}
