//! Search for elements of the project by name.

use dlang_model::{Db, Definition, ElementKind, File, definitions, file_index, project_files};
use dlang_syntax::TextRange;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use smol_str::SmolStr;

use crate::symbols::SymbolKind;

/// The maximum length of a query, in bytes; a longer one matches nothing, because no path of an element is longer.
const MAX_QUERY: usize = 512;

/// The result of a symbol search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolMatches {
    /// The best matches, best first.
    pub symbols: Vec<ProjectSymbol>,
    /// The number of all matching elements, including those that are left out.
    pub total: usize,
}

/// An element of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectSymbol {
    /// The simple name; for a namespace, the name as it is written.
    pub name: SmolStr,
    /// The fully qualified name; `None` if an enclosing namespace has no name, or if it is too long to be named.
    pub fqn: Option<SmolStr>,
    /// The kind of the symbol.
    pub kind: SymbolKind,
    pub file: File,
    /// The whole declaration.
    pub range: TextRange,
    /// The range of the name inside the declaration.
    pub selection: TextRange,
}

/// Searches for elements whose simple or fully qualified name has the letters of a query, in order but not necessarily
/// adjacent; for a query of several words, the letters of each word. Case does not matter. An empty query matches
/// everything.
///
/// Better matches come first: whole words and beginnings of words, and the simple name before the path to it; then
/// shorter names; then by files and positions.
pub fn symbol_search(db: &dyn Db, query: &str, limit: usize) -> SymbolMatches {
    if query.len() > MAX_QUERY {
        return SymbolMatches { symbols: Vec::new(), total: 0 };
    }
    let pattern = Pattern::new(query, CaseMatching::Ignore, Normalization::Never, AtomKind::Fuzzy);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut characters = Vec::new();
    let mut matches = Vec::new();
    for file in project_files(db) {
        for (definition, element) in definitions(db, *file).zip(&file_index(db, *file).elements) {
            let Some(name) = &element.name else { continue };
            let mut score = |text: &str| pattern.score(Utf32Str::new(text, &mut characters), &mut matcher);
            let by_name = score(name);
            // The fully qualified name contains the simple one, so it matches at least as often.
            let score = match (by_name, element.fqn().filter(|fqn| *fqn != name)) {
                (Some(by_name), _) => Some((true, by_name)),
                (None, Some(fqn)) => score(fqn).map(|score| (false, score)),
                (None, None) => None,
            };
            if let Some(score) = score {
                matches.push((std::cmp::Reverse(score), element.fqn().unwrap_or(name).len(), definition));
            }
        }
    }
    // The sort is stable, so files and positions stay in order.
    matches.sort_by_key(|(score, length, _)| (*score, *length));
    let symbols = matches.iter().take(limit).filter_map(|(.., definition)| symbol(db, *definition)).collect();
    SymbolMatches { symbols, total: matches.len() }
}

fn symbol(db: &dyn Db, definition: Definition) -> Option<ProjectSymbol> {
    Some(ProjectSymbol {
        name: definition.name(db)?,
        fqn: definition.fqn(db),
        kind: kind(definition.kind(db)?),
        file: definition.file,
        range: definition.range(db)?,
        selection: definition.focus(db)?,
    })
}

fn kind(kind: ElementKind) -> SymbolKind {
    match kind {
        ElementKind::Domain => SymbolKind::Domain,
        ElementKind::BoundedContext => SymbolKind::BoundedContext,
        ElementKind::Team => SymbolKind::Team,
        ElementKind::Classification => SymbolKind::Classification,
        ElementKind::Metadata => SymbolKind::Metadata,
        ElementKind::ContextMap => SymbolKind::ContextMap,
        ElementKind::DomainMap => SymbolKind::DomainMap,
        ElementKind::Namespace => SymbolKind::Namespace,
    }
}

#[cfg(test)]
mod tests {
    use dlang_model::testing::{host, position};

    use super::symbol_search;

    const MODEL: &str = r#"
//- care.dlang
Domain Care
Namespace Clinic.Ward { bc BedPlanning  bc Beds  Team Night-Shift  cmap Overview { } }
//- sales.dlang
bc Orders
bc OrderContext
Namespace Sales { bc Orders }
Namespace { Team Hidden }
Domain
"#;

    /// Renders the number of matches, and the first ones.
    fn check(query: &str) -> String {
        let host = host(MODEL);
        let found = symbol_search(host.db(), query, 4);
        let rendered = found.symbols.iter().map(|symbol| {
            let text = symbol.file.text(host.db());
            assert_eq!(&text[symbol.selection], symbol.name.as_str());
            let (path, location) = (symbol.file.path(host.db()), position(text, symbol.selection.start()));
            format!("\n{:?} {} = {:?} {path}:{location}", symbol.kind, symbol.name, symbol.fqn.as_deref())
        });
        format!("{}{}", found.total, rendered.collect::<String>())
    }

    #[test]
    fn by_simple_names_and_paths() {
        insta::assert_snapshot!(check("beds"), @r#"
        1
        BoundedContext Beds = Some("Clinic.Ward.Beds") care.dlang:2:44
        "#);
        insta::assert_snapshot!(check("ordcon"), @r#"
        1
        BoundedContext OrderContext = Some("OrderContext") sales.dlang:2:4
        "#);
        insta::assert_snapshot!(check("orders"), @r#"
        2
        BoundedContext Orders = Some("Orders") sales.dlang:1:4
        BoundedContext Orders = Some("Sales.Orders") sales.dlang:3:22
        "#);
        insta::assert_snapshot!(check("Sales.Ord"), @r#"
        1
        BoundedContext Orders = Some("Sales.Orders") sales.dlang:3:22
        "#);
        insta::assert_snapshot!(check("ward bed"), @r#"
        2
        BoundedContext Beds = Some("Clinic.Ward.Beds") care.dlang:2:44
        BoundedContext BedPlanning = Some("Clinic.Ward.BedPlanning") care.dlang:2:28
        "#);
        insta::assert_snapshot!(check("hidden"), @r"
        1
        Team Hidden = None sales.dlang:4:18
        ");
        insta::assert_snapshot!(check("night-"), @r#"
        1
        Team Night-Shift = Some("Clinic.Ward.Night-Shift") care.dlang:2:55
        "#);
    }

    #[test]
    fn names_without_matches() {
        assert_eq!(check("Nothing"), "0");
        assert_eq!(check("é"), "0");
        assert_eq!(check(&"a".repeat(1000)), "0");
    }

    #[test]
    fn an_empty_query_matches_all_elements() {
        insta::assert_snapshot!(check(""), @r#"
        11
        Domain Care = Some("Care") care.dlang:1:8
        Namespace Sales = Some("Sales") sales.dlang:3:11
        BoundedContext Orders = Some("Orders") sales.dlang:1:4
        Team Hidden = None sales.dlang:4:18
        "#);
    }

    #[test]
    fn pattern_characters_are_matched_literally() {
        assert_eq!(check("^Orders"), "0");
        assert_eq!(check("!Orders"), "0");
    }
}
