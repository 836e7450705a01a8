//! Lookup of an element by name, independent of a file.

use dlang_model::{
    Db, Definition, ElementKind, context_domain, definitions_by_fqn, definitions_by_name, file_index, nearest_names,
    project_files,
};
use smol_str::SmolStr;

/// The maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 5;

/// The result of a lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// Exactly this element.
    Found(Definition),
    /// No element has the name, or several have it.
    NotFound {
        /// Fully qualified names of elements that may be meant, the likeliest first; at most five.
        suggestions: Vec<SmolStr>,
    },
}

impl Lookup {
    /// Returns the element, if there is exactly one.
    pub fn element(&self) -> Option<Definition> {
        match self {
            Self::Found(definition) => Some(*definition),
            Self::NotFound { .. } => None,
        }
    }
}

/// Looks up an element of the project. The name may be
///
/// 1. its fully qualified name,
/// 2. `Domain.Context`, if exactly one context of that name is for a domain of that name (its simple or fully qualified
///    one), or
/// 3. its simple name, if no other element has it.
///
/// If a fully qualified name is declared more than once, the first declaration counts, in the order of files and of
/// their texts, as for a reference in the file of that declaration.
pub fn find(db: &dyn Db, name: &str) -> Lookup {
    let found = definitions_by_fqn(db, name).first().copied();
    let found =
        found.or_else(|| context_of_domain(db, name)).or_else(|| single_element(db, definitions_by_name(db, name)));
    found.map_or_else(|| Lookup::NotFound { suggestions: suggestions(db, name) }, Lookup::Found)
}

/// Returns the context that `Domain.Context` means.
fn context_of_domain(db: &dyn Db, name: &str) -> Option<Definition> {
    let (domain_name, context_name) = name.rsplit_once('.')?;
    let is_match = |context: &Definition| {
        context.kind(db) == Some(ElementKind::BoundedContext)
            && context_domain(db, *context).is_some_and(|domain| is_called(db, domain, domain_name))
    };
    let contexts: Vec<Definition> = definitions_by_name(db, context_name).iter().copied().filter(is_match).collect();
    single_element(db, &contexts)
}

/// Whether this is an element's simple or fully qualified name.
pub(super) fn is_called(db: &dyn Db, definition: Definition, name: &str) -> bool {
    let Some(element) = file_index(db, definition.file).element(definition.number) else { return false };
    element.name.as_deref() == Some(name) || element.fqn().is_some_and(|fqn| fqn == name)
}

/// Returns the element that all of these declare; usually there is one declaration.
fn single_element(db: &dyn Db, definitions: &[Definition]) -> Option<Definition> {
    let (first, others) = definitions.split_first()?;
    let is_same = |other: &Definition| first.fqn(db).is_some_and(|fqn| other.fqn(db) == Some(fqn));
    others.iter().all(is_same).then_some(*first)
}

fn suggestions(db: &dyn Db, name: &str) -> Vec<SmolStr> {
    let elements = project_files(db).iter().flat_map(|file| &file_index(db, *file).elements);
    let nearest = nearest_names(name, elements.filter_map(|element| element.fqn().cloned()));
    nearest.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use dlang_model::testing::host;

    use super::{Lookup, find};

    const MODEL: &str = r#"
//- a.dlang
import "./b.dlang"
Domain Sales { vision: "v" }
Domain Support { vision: "v" }
Namespace Shop {
    bc Orders for Sales { description: "d" }
    bc Tickets for Support { description: "d" }
    bc Stock { description: "d" }
    Namespace Inner.Deep { Team Pickers }
    cmap Overview { contains Orders }
}
bc Tickets for Sales { description: "d" }
Team Crew
//- b.dlang
Namespace Shop {
    bc Tickets for Help.Support { description: "d" }
    bc Stock { description: "d" }
}
Namespace Help { Domain Support { vision: "v" } Team Crew bc Stock }
Metadata Language
"#;

    /// Renders the result of a lookup: type, fully qualified name and file, or the suggestions.
    #[track_caller]
    fn check(name: &str) -> String {
        let host = host(MODEL);
        let db = host.db();
        match find(db, name) {
            Lookup::Found(it) => {
                let kind = it.kind(db).expect("an element").type_name();
                format!("{kind} {} in {}", it.fqn(db).expect("a name"), it.file.path(db))
            }
            Lookup::NotFound { suggestions } => format!("? {}", suggestions.join(" ")),
        }
    }

    #[test]
    fn fully_qualified_names() {
        assert_eq!(check("Shop.Orders"), "BoundedContext Shop.Orders in a.dlang");
        assert_eq!(check("Shop.Inner.Deep"), "NamespaceDeclaration Shop.Inner.Deep in a.dlang");
        assert_eq!(check("Shop.Overview"), "ContextMap Shop.Overview in a.dlang");
        assert_eq!(check("Language"), "Metadata Language in b.dlang");
    }

    #[test]
    fn a_fully_qualified_name_takes_precedence_over_a_simple_one() {
        assert_eq!(check("Crew"), "Team Crew in a.dlang");
        assert_eq!(check("Support"), "Domain Support in a.dlang");
    }

    #[test]
    fn the_first_of_several_declarations_is_found() {
        assert_eq!(check("Shop.Stock"), "BoundedContext Shop.Stock in a.dlang");
        assert_eq!(check("Shop"), "NamespaceDeclaration Shop in a.dlang");
    }

    #[test]
    fn contexts_by_their_domains() {
        assert_eq!(check("Sales.Orders"), "BoundedContext Shop.Orders in a.dlang");
        assert_eq!(check("Sales.Tickets"), "BoundedContext Tickets in a.dlang");
        assert_eq!(check("Help.Support.Tickets"), "BoundedContext Shop.Tickets in b.dlang");
        // Two domains have the name, and each its context; both of these are `Shop.Tickets`.
        assert_eq!(check("Support.Tickets"), "BoundedContext Shop.Tickets in a.dlang");
        assert_eq!(check("Support.Orders"), "? Shop.Orders");
    }

    #[test]
    fn unique_simple_names_are_resolved() {
        assert_eq!(check("Orders"), "BoundedContext Shop.Orders in a.dlang");
        assert_eq!(check("Inner.Deep"), "NamespaceDeclaration Shop.Inner.Deep in a.dlang");
        assert_eq!(check("Pickers"), "Team Shop.Inner.Deep.Pickers in a.dlang");
        assert_eq!(check("Stock"), "? Help.Stock Shop.Stock");
    }

    #[test]
    fn suggestions() {
        assert_eq!(check("Order"), "? Shop.Orders");
        assert_eq!(check("shop.orders"), "? Shop.Orders");
        assert_eq!(check("Nowhere.Crew"), "? Crew Help.Crew");
        assert_eq!(check("Deep.Pickers"), "? Shop.Inner.Deep.Pickers Tickets Shop.Tickets");
        assert_eq!(check("Zebra"), "? ");
        assert_eq!(check(""), "? ");
        assert_eq!(check("."), "? ");
    }
}
