//! Import strings as links.

use dlang_syntax::{Parse, TextRange};

/// The string of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportLink {
    /// The range between the quotes.
    pub range: TextRange,
    /// The specifier with escapes resolved. The caller determines its target file.
    pub specifier: String,
}

/// Returns the imports of a text, in order, except those whose string is missing or empty.
pub fn import_links(parse: &Parse) -> Vec<ImportLink> {
    let strings = parse.tree().imports().filter_map(|import| import.uri()).collect::<Vec<_>>();
    let links = strings.iter().map(|uri| ImportLink { range: uri.raw_range(), specifier: uri.value() });
    links.filter(|link| !link.specifier.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use dlang_syntax::parse;

    use super::import_links;

    #[test]
    fn links() {
        let links = import_links(&parse("import \"./a\" as b import '\\@x/y' import \"\" import as c import \"open"));
        let rendered: Vec<_> = links.iter().map(|link| format!("{:?} {}", link.range, link.specifier)).collect();
        assert_eq!(rendered, ["8..11 ./a", "26..31 @x/y", "63..67 open"]);
    }
}
