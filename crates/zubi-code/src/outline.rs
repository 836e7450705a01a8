//! The symbols of a document as a tree, from any of LSP's forms.

use std::sync::Arc;

use camino::Utf8PathBuf;
use serde::Deserialize as _;
use serde_json::Value;
use zubi_base::lsp::{self, SymbolKind};
use zubi_base::position::{Encoding, TextIndex, TextRange};

use crate::cache::RevisionCache;
use crate::markup::clean_line;
use crate::status::QualifiedAnswer;

mod correction;

pub use correction::{IMPORT, TYPE_ALIAS};
pub(crate) use correction::{correct_kinds, corrected_kind};

/// One declared symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineSymbol {
    /// The server's name, without control characters. May have decorations (`impl Foo for Bar`, `(anonymous)`).
    pub name: String,
    pub kind: &'static str,
    /// The server's signature or type.
    pub detail: Option<String>,
    /// The range of the whole declaration.
    pub range: TextRange,
    /// The range of the name in it.
    pub selection: TextRange,
    pub children: Vec<Self>,
}

impl OutlineSymbol {
    /// Calls `visit` for this symbol and its descendants in source order, with the ancestors, outermost first.
    fn walk<'a>(&'a self, above: &mut Vec<&'a Self>, visit: &mut dyn FnMut(&[&'a Self], &'a Self)) {
        visit(above, self);
        above.push(self);
        for child in &self.children {
            child.walk(above, visit);
        }
        above.pop();
    }
}

/// Calls `visit` for every symbol of a tree in source order, with its ancestors, outermost first.
pub fn walk<'a>(symbols: &'a [OutlineSymbol], mut visit: impl FnMut(&[&'a OutlineSymbol], &'a OutlineSymbol)) {
    let mut above = Vec::new();
    for symbol in symbols {
        symbol.walk(&mut above, &mut visit);
    }
}

impl OutlineSymbol {
    /// Whether the symbol is a function, so that what it contains is local to it. A variable is one if its text shows that
    /// its value is a function.
    pub fn is_function(&self, text: &str) -> bool {
        match self.kind {
            "function" | "method" | "constructor" | "operator" => true,
            "variable" | "constant" | "property" | "field" => {
                let first = self.children.first().map(|child| child.range.start());
                let head = first.and_then(|first| text.get(self.selection.end().into()..first.into()));
                head.is_some_and(|head| head.contains("=>") || head.contains("function"))
            }
            _ => false,
        }
    }
}

/// The maximum number of symbols from one response; a larger outline is too long to read.
pub(crate) const MAX_SYMBOLS: usize = 20_000;

/// The maximum depth of a tree, so that a malicious server cannot exhaust the stack.
const MAX_DEPTH: usize = 64;

/// Returns the readable name of an LSP symbol kind.
pub fn kind_name(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::File => "file",
        SymbolKind::Module => "module",
        SymbolKind::Namespace => "namespace",
        SymbolKind::Package => "package",
        SymbolKind::Class => "class",
        SymbolKind::Method => "method",
        SymbolKind::Property => "property",
        SymbolKind::Field => "field",
        SymbolKind::Constructor => "constructor",
        SymbolKind::Enum => "enum",
        SymbolKind::Interface => "interface",
        SymbolKind::Function => "function",
        SymbolKind::Variable => "variable",
        SymbolKind::Constant => "constant",
        SymbolKind::String => "string",
        SymbolKind::Number => "number",
        SymbolKind::Boolean => "boolean",
        SymbolKind::Array => "array",
        SymbolKind::Object => "object",
        SymbolKind::Key => "key",
        SymbolKind::Null => "null",
        SymbolKind::EnumMember => "enum member",
        SymbolKind::Struct => "struct",
        SymbolKind::Event => "event",
        SymbolKind::Operator => "operator",
        SymbolKind::TypeParameter => "type parameter",
        SymbolKind::Custom(_) => "symbol",
    }
}

/// All kinds that a `kind` filter accepts.
pub const KINDS: [&str; 28] = [
    "file",
    "module",
    "namespace",
    "package",
    "class",
    "method",
    "property",
    "field",
    "constructor",
    "enum",
    "interface",
    "function",
    "variable",
    "constant",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "key",
    "null",
    "enum member",
    "struct",
    "event",
    "operator",
    "type parameter",
    TYPE_ALIAS,
    IMPORT,
];

/// The last four outlines in which names were looked up. An agent's requests concern a few files at a time.
pub(crate) type RecentOutlines = RevisionCache<Utf8PathBuf, Outline, 4>;

/// An outline and the text to which its offsets refer.
pub(crate) struct Outline {
    pub(crate) text: Arc<str>,
    pub(crate) answer: Arc<QualifiedAnswer<Vec<OutlineSymbol>>>,
}

/// Parses either form of a `textDocument/documentSymbol` result. Skips invalid items.
pub fn parse(result: &Value, index: &TextIndex, encoding: Encoding) -> Vec<OutlineSymbol> {
    let Value::Array(items) = result else { return Vec::new() };
    let mut quota = MAX_SYMBOLS;
    if items.first().is_some_and(|item| item.get("location").is_some()) {
        return nest(items.iter().take(quota).filter_map(|item| flat(item, index, encoding)).collect());
    }
    tree(items, index, encoding, &mut quota, 0)
}

fn tree(items: &[Value], index: &TextIndex, encoding: Encoding, quota: &mut usize, depth: usize) -> Vec<OutlineSymbol> {
    let mut symbols = Vec::new();
    for item in items {
        if *quota == 0 || depth == MAX_DEPTH {
            break;
        }
        let range = |field: &str| -> Option<TextRange> {
            let range = lsp::Range::deserialize(item.get(field)?).ok()?;
            Some(index.range_from_lsp(&range, encoding))
        };
        let (Some(name), Some(selection)) = (item.get("name").and_then(Value::as_str), range("selectionRange")) else {
            continue;
        };
        *quota -= 1;
        let children = item.get("children").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        symbols.push(OutlineSymbol {
            name: clean_line(name),
            kind: kind_of(item),
            detail: item.get("detail").and_then(Value::as_str).map(clean_line).filter(|detail| !detail.is_empty()),
            range: range("range").unwrap_or(selection),
            selection,
            children: tree(children, index, encoding, quota, depth + 1),
        });
    }
    symbols.sort_by_key(|symbol| (symbol.range.start(), symbol.selection.start()));
    symbols
}

/// Returns the readable name of an item's `kind`.
pub(crate) fn kind_of(item: &Value) -> &'static str {
    let kind = item.get("kind").and_then(Value::as_u64).and_then(|kind| u32::try_from(kind).ok());
    kind.map_or("symbol", |kind| kind_name(SymbolKind::from(kind)))
}

fn flat(item: &Value, index: &TextIndex, encoding: Encoding) -> Option<OutlineSymbol> {
    let location = lsp::Location::deserialize(item.get("location")?).ok()?;
    let range = index.range_from_lsp(&location.range, encoding);
    Some(OutlineSymbol {
        name: clean_line(item.get("name")?.as_str()?),
        kind: kind_of(item),
        detail: None,
        range,
        selection: range,
        children: Vec::new(),
    })
}

/// Builds a tree from a flat list: the parent of a symbol is the smallest one whose range contains it.
pub(crate) fn nest(mut flat: Vec<OutlineSymbol>) -> Vec<OutlineSymbol> {
    flat.sort_by_key(|symbol| (symbol.range.start(), std::cmp::Reverse(symbol.range.end())));
    let mut roots: Vec<OutlineSymbol> = Vec::new();
    let mut open: Vec<OutlineSymbol> = Vec::new();
    let close = |open: &mut Vec<OutlineSymbol>, roots: &mut Vec<OutlineSymbol>| {
        if let Some(done) = open.pop() {
            match open.last_mut() {
                Some(parent) => parent.children.push(done),
                None => roots.push(done),
            }
        }
    };
    for symbol in flat {
        while open.last().is_some_and(|last| !last.range.contains_range(symbol.range) || last.range == symbol.range) {
            close(&mut open, &mut roots);
        }
        // Ranges of a malicious server may nest without limit, and dropping a deep tree recurses.
        if open.len() < MAX_DEPTH {
            open.push(symbol);
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    roots
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(symbols: &[OutlineSymbol]) -> String {
        let mut out = String::new();
        walk(symbols, |above, symbol| {
            for part in ["  ".repeat(above.len()).as_str(), symbol.kind, " ", &symbol.name, "\n"] {
                out.push_str(part);
            }
        });
        out
    }

    #[test]
    fn flat_lists_nest_by_range() {
        let index = TextIndex::new("class A:\n  def f(self):\n    x = 1\nclass B:\n  pass\n");
        let item = |name: &str, kind: u32, start: u32, end: u32| {
            json!({ "name": name, "kind": kind, "location": { "uri": "file:///a.py", "range": {
                "start": { "line": start, "character": 0 }, "end": { "line": end, "character": 9 } } } })
        };
        let result = json!([item("B", 5, 3, 4), item("x", 13, 2, 2), item("f", 6, 1, 2), item("A", 5, 0, 2)]);
        insta::assert_snapshot!(names(&parse(&result, &index, Encoding::Utf16)), @r"
        class A
          method f
            variable x
        class B
        ");
    }

    #[test]
    fn invalid_symbols_are_skipped() {
        let index = TextIndex::new("fn f() {}\n");
        let range = json!({ "start": { "line": 0, "character": 3 }, "end": { "line": 0, "character": 4 } });
        let result = json!([
            { "name": 7 }, null, { "name": "no range" },
            { "name": "f\u{1b}", "kind": 99, "selectionRange": range, "children": "none" },
        ]);
        insta::assert_snapshot!(names(&parse(&result, &index, Encoding::Utf16)), @"symbol f ");
    }

    #[test]
    fn endless_nesting_is_bounded() {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } });
        let mut item = json!({ "name": "x", "kind": 12, "range": range, "selectionRange": range });
        for _ in 0..100 {
            item = json!({ "name": "x", "kind": 12, "range": range, "selectionRange": range, "children": [item] });
        }
        let symbols = parse(&json!([item]), &TextIndex::new("a"), Encoding::Utf16);
        assert_eq!(names(&symbols).lines().count(), MAX_DEPTH);
    }
}
