//! The scopes of a file for the comparison of names: the members of a declaration, and of those that merge with it.

use super::parameters::parameters_of;
use super::taken::TYPESCRIPT;
use crate::outline::{self, OutlineSymbol};

/// The language ids in which a namespace may be declared in several parts.
const WITH_PARTIAL_NAMESPACES: [&str; 5] = ["cpp", "cuda-cpp", "objective-cpp", "csharp", "php"];

/// The symbols that one scope declares.
pub(super) struct NameScope<'a> {
    /// The name of the declaration; empty for a file.
    pub(super) name: &'a str,
    pub(super) symbols: Vec<&'a OutlineSymbol>,
}

/// Returns the properties that the parameters of TypeScript's constructors declare, with their constructors. `code` is the
/// text of the file with spaces for comments and strings.
pub(super) fn parameter_properties<'a>(
    code: &str,
    language: &str,
    symbols: &'a [OutlineSymbol],
) -> Vec<(&'a OutlineSymbol, OutlineSymbol)> {
    let mut found = Vec::new();
    if !TYPESCRIPT.contains(&language) {
        return found;
    }
    outline::walk(symbols, |_, constructor| {
        if constructor.kind == "constructor" {
            let properties = parameters_of(code, language, constructor).into_iter().filter(|it| it.is_property);
            found.extend(properties.map(|property| (constructor, property.to_symbol("property"))));
        }
    });
    found
}

/// Returns all scopes of a file, outermost first. `properties` are those of [`parameter_properties`].
pub(super) fn scopes<'a>(
    symbols: &'a [OutlineSymbol],
    language: &str,
    properties: &'a [(&OutlineSymbol, OutlineSymbol)],
) -> Vec<NameScope<'a>> {
    let mut scopes = vec![NameScope { name: "", symbols: symbols.iter().collect() }];
    let mut next = 0;
    while let Some(scope) = scopes.get(next) {
        let mut inner: Vec<(NameScope<'a>, &'a OutlineSymbol)> = Vec::new();
        for symbol in scope.symbols.iter().filter(|symbol| !symbol.children.is_empty()) {
            let mut members: Vec<&OutlineSymbol> = symbol.children.iter().collect();
            let own = properties.iter().filter(|(constructor, _)| symbol.children.contains(constructor));
            members.extend(own.map(|(_, property)| property));
            match inner.iter_mut().find(|(_, first)| is_merged(first, symbol, language)) {
                Some((scope, _)) => scope.symbols.append(&mut members),
                None => inner.push((NameScope { name: &symbol.name, symbols: members }, symbol)),
            }
        }
        scopes.extend(inner.into_iter().map(|(scope, _)| scope));
        next += 1;
    }
    scopes
}

/// Whether two declarations of one scope are parts of one: TypeScript's interfaces, classes and namespaces
/// (typescriptlang.org/docs/handbook/declaration-merging.html), and the namespaces of other languages.
fn is_merged(one: &OutlineSymbol, other: &OutlineSymbol, language: &str) -> bool {
    if one.name != other.name {
        return false;
    }
    let is_enum = |it: &OutlineSymbol| it.kind == "enum";
    let is_namespace = |it: &OutlineSymbol| matches!(it.kind, "namespace" | "module");
    let is_type = |it: &OutlineSymbol| matches!(it.kind, "interface" | "class");
    let is_typescript = TYPESCRIPT.contains(&language);
    let are_namespaces = is_namespace(one) && is_namespace(other);
    are_namespaces && (is_typescript || WITH_PARTIAL_NAMESPACES.contains(&language))
        || is_typescript && (is_type(one) && is_type(other) || is_enum(one) && is_enum(other))
}
