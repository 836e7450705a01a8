//! Detects lines that look like declarations, in any language that declares with a keyword or a brace.
//!
//! It uses three signs: a declaring keyword near the beginning of a line (`class Name`, `async fn name`, `local
//! function M.name`); a name before a parameter list on a line that opens a block (`public int name(…) {`); and
//! indentation, which determines the extent of a declaration. It skips comment lines.

use zubi_base::position::{TextRange, size};

use crate::outline::{OutlineSymbol, nest};
use crate::text_search;

/// The maximum number of declarations in one text.
const MAX_SYMBOLS: usize = 5_000;

/// The maximum length of a line, in bytes; longer lines are data.
const MAX_LINE_BYTES: usize = 400;

/// Words that may precede a declaring keyword: `pub(crate) async unsafe extern fn`.
const MODIFIERS: &[&str] = &[
    "abstract",
    "async",
    "case",
    "crate",
    "data",
    "declare",
    "default",
    "export",
    "extern",
    "external",
    "fileprivate",
    "final",
    "global",
    "in",
    "inline",
    "internal",
    "local",
    "open",
    "operator",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "pure",
    "readonly",
    "recursive",
    "sealed",
    "self",
    "static",
    "super",
    "suspend",
    "tailrec",
    "unsafe",
    "value",
    "virtual",
];

/// Declaring keywords, with the kind of the declared symbol.
const KEYWORDS: &[(&str, &str)] = &[
    ("class", "class"),
    ("const", "constant"),
    ("def", "function"),
    ("defmacro", "function"),
    ("defmodule", "module"),
    ("defp", "function"),
    ("enum", "enum"),
    ("fn", "function"),
    ("fun", "function"),
    ("func", "function"),
    ("function", "function"),
    ("interface", "interface"),
    ("macro", "function"),
    ("message", "struct"),
    ("mod", "module"),
    ("module", "module"),
    ("namespace", "namespace"),
    ("object", "object"),
    ("proc", "function"),
    ("procedure", "function"),
    ("protocol", "interface"),
    ("record", "struct"),
    ("rpc", "method"),
    ("service", "interface"),
    ("struct", "struct"),
    ("sub", "function"),
    ("subroutine", "function"),
    ("trait", "interface"),
    ("type", "class"),
    ("union", "struct"),
];

/// Words that open a block with parentheses and declare nothing.
const CONTROL: &[&str] = &[
    "assert",
    "case",
    "catch",
    "do",
    "elif",
    "else",
    "elseif",
    "for",
    "foreach",
    "if",
    "in",
    "lock",
    "match",
    "new",
    "return",
    "switch",
    "synchronized",
    "throw",
    "unless",
    "until",
    "using",
    "when",
    "while",
    "with",
    "yield",
];

/// Beginnings of comment lines. `#` is one in most languages without `#include`, which declares nothing either.
const COMMENTS: &[&str] = &["//", "/*", "*", "#", "--", ";", "%", "\"", "'"];

/// Returns the declarations of a text as a tree, in source order.
pub(crate) fn declarations(text: &str) -> Vec<OutlineSymbol> {
    let lines = lines(text);
    let mut symbols = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if symbols.len() == MAX_SYMBOLS {
            break;
        }
        let Some((name, kind)) = find_declaration(line.text) else { continue };
        let start = line.start + (line.text.len() - line.text.trim_start().len());
        let range = TextRange::new(size(start), size(end_of(&lines, at)));
        let Some(selected) = line.text.get(name.clone()) else { continue };
        symbols.push(OutlineSymbol {
            name: selected.to_owned(),
            kind,
            detail: None,
            selection: TextRange::new(size(line.start + name.start), size(line.start + name.end)),
            range,
            children: Vec::new(),
        });
    }
    nest(symbols)
}

struct OutlineLine<'a> {
    /// The byte offset of its beginning.
    start: usize,
    text: &'a str,
    /// In bytes; `None` for a blank line.
    indentation: Option<usize>,
}

fn lines(text: &str) -> Vec<OutlineLine<'_>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|full_line| {
            let text = full_line.trim_end();
            let indentation = (!text.is_empty()).then(|| text.len() - text.trim_start().len());
            let line = OutlineLine { start, text, indentation };
            start += full_line.len();
            line
        })
        .collect()
}

/// Returns the byte offset of the end of the block that begins on a line: before the next line that is not indented
/// deeper, or after that line if it only closes the block.
fn end_of(lines: &[OutlineLine<'_>], at: usize) -> usize {
    let end = |line: &OutlineLine<'_>| line.start + line.text.len();
    let Some(own) = lines.get(at) else { return 0 };
    let mut last = end(own);
    for line in lines.iter().skip(at + 1) {
        let Some(indentation) = line.indentation else { continue };
        if Some(indentation) > own.indentation {
            last = end(line);
            continue;
        }
        let rest = line.text.trim_start();
        if Some(indentation) == own.indentation && (rest.starts_with(['}', ')', ']']) || rest.starts_with("end")) {
            last = end(line);
        }
        // An opening brace on a line of its own belongs to the declaration above it.
        if rest == "{" {
            last = end(line);
            continue;
        }
        break;
    }
    last
}

/// Returns the name that a line declares, as a byte range of the line, and its kind.
fn find_declaration(line: &str) -> Option<(std::ops::Range<usize>, &'static str)> {
    let code = line.trim_start();
    if code.is_empty() || line.len() > MAX_LINE_BYTES || COMMENTS.iter().any(|mark| code.starts_with(mark)) {
        return None;
    }
    let identifiers = text_search::identifiers(line);
    let word = |at: usize| identifiers.get(at).and_then(|range| line.get(range.clone()));
    let first = word(0)?;
    if CONTROL.contains(&first) {
        return None;
    }
    let unmodified =
        identifiers.iter().position(|range| line.get(range.clone()).is_none_or(|word| !MODIFIERS.contains(&word)));
    let keyword = unmodified.and_then(|at| identifiers.get(at));
    if let Some(keyword) = keyword
        && let Some((_, kind)) = KEYWORDS.iter().find(|(word, _)| line.get(keyword.clone()) == Some(*word))
        // Only `pub(crate)` may be between modifiers: `f(class)` declares nothing.
        && line.get(..keyword.start)?.chars().all(|c| c.is_alphanumeric() || " \t()".contains(c))
    {
        return name_after(line, keyword.end, &identifiers).map(|name| (name, *kind));
    }
    // `int name(…) {`: at least two words, the last directly before the parenthesis, and no assignment.
    let open = line.find('(')?;
    let head = line.get(..open)?;
    if !code.ends_with('{') || head.contains(['=', '"', '\'', '.', ';']) {
        return None;
    }
    let before: Vec<_> = identifiers.iter().filter(|range| range.end <= open).collect();
    let name = before.last()?;
    let follows = line.get(name.end..open)?.trim().is_empty();
    (before.len() >= 2 && follows).then(|| ((*name).clone(), "function"))
}

/// Returns the name after a keyword: after a receiver in parentheses (Go), and the last part of a dotted name (Lua).
fn name_after(line: &str, from: usize, identifiers: &[std::ops::Range<usize>]) -> Option<std::ops::Range<usize>> {
    let mut from = from;
    if line.get(from..)?.trim_start().starts_with('(') {
        from += line.get(from..)?.find(')')? + 1;
    }
    let mut name = identifiers.iter().find(|range| range.start >= from)?.clone();
    if !line.get(from..name.start)?.trim_matches([' ', '\t', '*', '&', '!', '\'', '"']).is_empty() {
        return None;
    }
    while let Some(next) = identifiers.iter().find(|range| range.start > name.end) {
        if !matches!(line.get(name.end..next.start), Some("." | ":" | "::")) {
            break;
        }
        name = next.clone();
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use insta::assert_snapshot;

    use super::*;
    use crate::outline::walk;

    fn check(text: &str) -> String {
        let mut out = String::new();
        walk(&declarations(text), |above, symbol| {
            let lines = |end: usize| text.get(..end).unwrap().matches('\n').count() + 1;
            let (first, last) = (lines(symbol.selection.start().into()), lines(symbol.range.end().into()));
            writeln!(out, "{}{} {} {first}-{last}", "  ".repeat(above.len()), symbol.kind, symbol.name).unwrap();
        });
        out
    }

    #[test]
    fn keywords_and_indentation() {
        assert_snapshot!(check("
class Room:
    # class Comment
    async def lend(self, book):
        def inner(): pass
        return book

    @property
    def open(self): return True

def main():
    pass
"), @"
        class Room 2-9
          function lend 4-6
            function inner 5-5
          function open 9-9
        function main 11-12
        ");
        assert_snapshot!(check("
local M = {}
function M.lend(book)
  return book
end
local function helper() end
func (d *Room) Lend(b Book) error {
}
pub(crate) async fn f<T>() {}
export default class App extends Base {
}
defmodule Shop.Cart do
end
"), @"
        function lend 3-5
        function helper 6-6
        function Lend 7-8
        function f 9-9
        class App 10-11
        module Cart 12-13
        ");
    }

    #[test]
    fn names_before_a_block() {
        assert_snapshot!(check("
public final class Room
{
    private int lend(Book book) throws Gone {
        if (book.gone()) {
            return 1;
        }
        while (true) {}
        Runnable r = () -> {
        };
    }
}
static int
main(int argc) {
}
int add(int a, int b) {
    return a + b;
}
"), @"
        class Room 2-12
          function lend 4-11
        function add 16-18
        ");
    }

    #[test]
    fn texts_without_declarations() {
        assert_snapshot!(check("
the class of things
x = function() {
return new class {
import type x from 'y'
// class A
print(\"class B\")
"), @"");
    }
}
