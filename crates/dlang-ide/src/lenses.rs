//! Code lenses: commands shown above a line.

use dlang_syntax::ast::{ContextMap, HasName as _};
use dlang_syntax::{AstNode as _, Parse, TextRange};

use crate::lines::Lines;

/// A command above a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeLens {
    /// The beginning of the line, empty.
    pub range: TextRange,
    /// The text to show.
    pub title: &'static str,
    /// The command, as the editor's extension registers it. Its argument is the document, which the caller knows.
    pub command: &'static str,
    /// The name of the map, if it has one.
    pub map: Option<String>,
}

/// Returns the lenses of a text: one for each context map, which opens its diagram.
pub fn lenses(parse: &Parse) -> Vec<CodeLens> {
    let root = parse.syntax();
    let maps: Vec<_> = root.descendants().filter_map(ContextMap::cast).collect();
    if maps.is_empty() {
        return Vec::new();
    }
    let lines = Lines::new(&root.text().to_string());
    let lens = |map: ContextMap| CodeLens {
        range: TextRange::empty(lines.line(lines.number(map.syntax().text_range().start())).start()),
        title: "Open diagram",
        command: "domainlang.diagram.open",
        map: map.name().map(|name| name.text()),
    };
    maps.into_iter().map(lens).collect()
}

#[cfg(test)]
mod tests {
    use dlang_syntax::parse;

    use super::lenses;

    #[test]
    fn context_maps_have_lenses() {
        let lenses = lenses(&parse("cmap A { }\nns N {\n  /** Doc. */\n  ContextMap B { }\n}\ndmap C { } cmap {"));
        let rendered: Vec<_> = lenses.iter().map(|it| format!("{:?} {:?}", it.range.start(), it.map)).collect();
        assert_eq!(rendered, ["0 Some(\"A\")", "32 Some(\"B\")", "53 None"]);
        assert!(lenses.iter().all(|lens| (lens.title, lens.command) == ("Open diagram", "domainlang.diagram.open")));
    }
}
