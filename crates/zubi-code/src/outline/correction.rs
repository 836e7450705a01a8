//! Kinds that LSP does not have. Servers report an imported name as a variable and a type alias as a class; the text
//! shows what it is.

use zubi_base::position::TextSize;

use super::OutlineSymbol;
use crate::features::mentions::import_around;
use crate::text_search;

/// The kind of a name that an import statement binds.
pub const IMPORT: &str = "import";

/// The kind of another name for a type.
pub const TYPE_ALIAS: &str = "type alias";

/// The maximum number of bytes after a name in which zubi looks for `=`: type parameters may be in between.
const MAX_PARAMETERS: usize = 200;

/// Corrects the kinds of a tree's symbols by the text of the document.
pub(crate) fn correct_kinds(symbols: &mut [OutlineSymbol], text: &str) {
    for symbol in symbols {
        symbol.kind = corrected_kind(text, symbol.selection.start(), symbol.kind);
        correct_kinds(&mut symbol.children, text);
    }
}

/// Returns the kind of a symbol whose name is at `offset`, for which a server has sent `kind`.
pub(crate) fn corrected_kind(text: &str, offset: TextSize, kind: &'static str) -> &'static str {
    let offset = usize::from(offset);
    match kind {
        "class" | "interface" | "struct" | "type parameter" | "variable" | "constant" if is_alias(text, offset) => {
            TYPE_ALIAS
        }
        "variable" | "constant" | "module" if is_import(text, offset) => IMPORT,
        kind => kind,
    }
}

/// Whether the declaration at an offset has the form `type Name = …` or `using Name = …`.
fn is_alias(text: &str, offset: usize) -> bool {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
    let word = line.rsplit(|character: char| !character.is_alphanumeric() && character != '_').next();
    // The selection of some servers is the whole declaration.
    let declared = text.get(offset..).unwrap_or_default();
    let rest = match word {
        Some("type" | "using") => declared,
        _ => match declared.strip_prefix("type ").or_else(|| declared.strip_prefix("export type ")) {
            Some(rest) => rest.trim_start(),
            None => return false,
        },
    };
    let is_part = |character: char| character == '_' || character == '$' || unicode_ident::is_xid_continue(character);
    let after = rest.trim_start_matches(is_part).trim_start();
    let after = match after.chars().next() {
        Some('<') => after_bracket(after, '<', '>'),
        Some('[') => after_bracket(after, '[', ']'),
        _ => Some(after),
    };
    after.is_some_and(|after| after.trim_start().starts_with('='))
}

/// Returns the text after the bracket at its start.
fn after_bracket(text: &str, open: char, close: char) -> Option<&str> {
    let mut depth = 0_usize;
    let mut previous = ' ';
    for (at, character) in text.char_indices().take_while(|(at, _)| *at < MAX_PARAMETERS) {
        if character == open {
            depth += 1;
        } else if character == close && previous != '=' {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return text.get(at + close.len_utf8()..);
            }
        }
        previous = character;
    }
    None
}

/// Whether an import statement is around an offset.
fn is_import(text: &str, offset: usize) -> bool {
    let Some(statement) = import_around(text, offset).and_then(|range| text.get(range)) else { return false };
    let first = text_search::identifiers(statement).into_iter().next().and_then(|range| statement.get(range));
    matches!(first, Some("import" | "from" | "use" | "pub" | "using")) || statement.contains("require(")
}

#[cfg(test)]
mod tests {
    use zubi_base::position::size;

    use super::corrected_kind;

    #[test]
    fn kinds() {
        for (fixture, kind, expected) in [
            ("import { $0a } from \"./a\";", "variable", "import"),
            ("import {\n  b,\n  $0a,\n} from \"./a\";", "variable", "import"),
            ("const $0fs = require(\"fs\");", "constant", "import"),
            ("from os import $0path", "variable", "import"),
            ("const $0a = requireAll();", "constant", "constant"),
            ("export type $0Query = { a: number };", "class", "type alias"),
            ("type $0Query<T extends A = {}> =\n  | A;", "class", "type alias"),
            ("export $0type Query = A", "class", "type alias"),
            ("using $0Size = int;", "class", "type alias"),
            ("type $0Server struct {", "struct", "struct"),
            ("type $0Alias = Server", "struct", "type alias"),
            ("class $0Query {}", "class", "class"),
            ("let type = $0a = 1", "variable", "variable"),
            ("x = 1\n$0y = 2", "variable", "variable"),
        ] {
            let offset = fixture.find("$0").unwrap();
            assert_eq!(corrected_kind(&fixture.replace("$0", ""), size(offset), kind), expected, "{fixture}");
        }
    }
}
