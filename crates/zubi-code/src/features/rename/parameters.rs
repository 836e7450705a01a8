//! The parameters in a text: two of one list cannot have the same name, and TypeScript's constructors declare properties
//! with them. Outlines have no parameters.

use zubi_base::position::{TextRange, size};

use crate::outline::OutlineSymbol;
use crate::text_search::continues_identifier;

/// The language ids that write the type of a parameter before its name.
const TYPE_FIRST: [&str; 9] = ["c", "cpp", "cuda-cpp", "objective-c", "objective-cpp", "java", "csharp", "dart", "php"];

/// Words before the name of a parameter in other languages.
const MODIFIERS: [&str; 9] = ["borrowing", "consuming", "inout", "mut", "ref", "using", "val", "var", "vararg"];

/// The modifiers that make a parameter of TypeScript's constructor a property (typescriptlang.org/docs/handbook/2/classes).
const PROPERTY_MODIFIERS: [&str; 5] = ["override", "private", "protected", "public", "readonly"];

/// The maximum number of characters between the name of a function and its parameters, for its type parameters.
const MAX_GENERICS: usize = 500;

/// A parameter of a function, or a name in its pattern.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parameter<'t> {
    pub(super) name: &'t str,
    pub(super) range: TextRange,
    /// Whether it is also a property of the class.
    pub(super) is_property: bool,
}

impl Parameter<'_> {
    /// Returns the parameter as a symbol.
    pub(super) fn to_symbol(&self, kind: &'static str) -> OutlineSymbol {
        let name = self.name.to_owned();
        OutlineSymbol { name, kind, detail: None, range: self.range, selection: self.range, children: Vec::new() }
    }
}

/// Returns the parameters of a function; none for another symbol. `code` is the text of its file with spaces for comments
/// and strings.
pub(super) fn parameters_of<'t>(code: &'t str, language: &str, function: &OutlineSymbol) -> Vec<Parameter<'t>> {
    let is_function = function.is_function(code);
    let Some(start) = list_start(code, function).filter(|_| is_function) else { return Vec::new() };
    let mut found = Vec::new();
    let parts = split_list(code, start);
    // The parameters of a lambda have commas as well.
    if parts.iter().any(|(_, part)| part.contains("lambda")) {
        return found;
    }
    for (start, part) in parts {
        let part_end = start + part.len();
        let words = words_of(code, start, part_end);
        let is_pattern = part.trim_start().starts_with(['{', '[', '(']);
        let names: Vec<(usize, &str)> = if is_pattern {
            pattern_names(code, start, part_end)
        } else if TYPE_FIRST.contains(&language) {
            // `int (*name)(int)` is a pointer to a function.
            let pointer = part.find("(*").and_then(|open| Some(open..open + part.get(open..)?.find(')')?));
            let declarator = pointer.map_or(part, |pointer| part.get(..pointer.end).unwrap_or_default());
            let declarator = declarator.split('=').next().unwrap_or_default().trim_end();
            let before_size = declarator.strip_suffix(']').and_then(|rest| rest.split_once('['));
            let end = start + before_size.map_or(declarator, |(before, _)| before).len();
            words.iter().copied().rfind(|(at, _)| *at < end).into_iter().collect()
        } else {
            words
                .iter()
                .copied()
                .find(|(_, word)| !MODIFIERS.contains(word) && !PROPERTY_MODIFIERS.contains(word))
                .into_iter()
                .collect()
        };
        let is_property = function.kind == "constructor"
            && words.iter().any(|(at, word)| {
                names.first().is_some_and(|(name, _)| at < name) && PROPERTY_MODIFIERS.contains(word)
            });
        found.extend(names.into_iter().map(|(at, name)| Parameter {
            name,
            range: TextRange::at(size(at), size(name.len())),
            is_property,
        }));
    }
    found
}

/// Returns the offset after the parenthesis that opens the list behind the name of a function.
fn list_start(code: &str, function: &OutlineSymbol) -> Option<usize> {
    let from = usize::from(function.selection.end());
    // The server of TypeScript selects nothing before `constructor`.
    let keyword = code.get(from..)?.len() - code.get(from..)?.trim_start_matches(continues_identifier).len();
    let from = from + keyword;
    let rest = code.get(from..usize::from(function.range.end()).max(from))?;
    let mut depth = 0_usize;
    for (at, character) in rest.char_indices().take(MAX_GENERICS) {
        match character {
            '<' | '[' => depth += 1,
            // The arrow of a function's type.
            '>' if rest.get(..at).is_some_and(|before| before.ends_with(['=', '-'])) => {}
            '>' | ']' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => return Some(from + at + 1),
            // `name = (…) => …` and `name: (…) => …`
            ' ' | '\t' | '\r' | '\n' | '=' | ':' | '?' => {}
            _ if depth > 0 => {}
            _ if rest.get(..at).is_some_and(|before| before.trim_end().ends_with('=')) => {
                let is_async =
                    rest.get(at..).is_some_and(|rest| rest.starts_with("async") || rest.starts_with("function"));
                return is_async.then(|| rest.get(at..)?.find('(').map(|open| from + at + open + 1)).flatten();
            }
            _ => return None,
        }
    }
    None
}

/// Returns the parts between the commas of a list that begins at an offset, up to its closing bracket, with their offsets.
fn split_list(code: &str, start: usize) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_usize, start);
    for (at, character) in code.get(start..).unwrap_or_default().char_indices() {
        match character {
            '(' | '[' | '{' | '<' => depth += 1,
            // The arrow of a function's type.
            '>' if code.get(..start + at).is_some_and(|before| before.ends_with(['=', '-'])) => {}
            ')' | ']' | '}' if depth == 0 => {
                parts.extend(code.get(from..start + at).map(|part| (from, part)));
                return parts;
            }
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(code.get(from..start + at).map(|part| (from, part)));
                from = start + at + 1;
            }
            _ => {}
        }
    }
    Vec::new()
}

/// Returns the names that the pattern at the start of a part binds: `b` and `c` in `{ a: b, c = 1 }: Type`.
fn pattern_names(code: &str, start: usize, end: usize) -> Vec<(usize, &str)> {
    let part = code.get(start..end).unwrap_or_default();
    let open = start + part.len() - part.trim_start().len() + 1;
    let mut found = Vec::new();
    for (from, inner) in split_list(code, open).into_iter().filter(|(_, inner)| !inner.trim().is_empty()) {
        let value = inner.find(':').map_or(from, |colon| from + colon + 1);
        found.extend(words_of(code, value, from + inner.len()).into_iter().next());
    }
    found
}

/// Returns the identifiers in a range with their offsets.
fn words_of(code: &str, start: usize, end: usize) -> Vec<(usize, &str)> {
    let mut at = start;
    let mut words = Vec::new();
    for word in code.get(start..end).unwrap_or_default().split_inclusive(|it: char| !continues_identifier(it)) {
        let name = word.trim_end_matches(|it: char| !continues_identifier(it));
        if !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()) {
            words.push((at, name));
        }
        at += word.len();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the parameters of the first function in a text.
    fn check(language: &str, file: &str, text: &str) -> String {
        let outline = zubi_syntax::outline_of_file(file, text, &|| false).unwrap().unwrap();
        let symbols = crate::syntax::to_symbols(&outline, text, None);
        let mut found = None;
        crate::outline::walk(&symbols, |_, symbol| {
            if found.is_none() && matches!(symbol.kind, "function" | "method" | "constructor") {
                found = Some(parameters_of(text, language, symbol));
            }
        });
        let names = found.unwrap_or_default().into_iter().map(|it| {
            assert_eq!(text.get(usize::from(it.range.start())..usize::from(it.range.end())), Some(it.name));
            format!("{}{}", it.name, if it.is_property { " (property)" } else { "" })
        });
        names.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn parameters() {
        for (language, file, text, expected) in [
            ("typescript", "a.ts", "function f<T>(a: Map<T, U>, { b: c, d = 1 }: X, ...e: T[]) {}", "a, c, d, e"),
            ("typescript", "a.ts", "class A { constructor(private a: number, b = g(1, 2)) {} }", "a (property), b"),
            ("typescript", "a.ts", "const f = async (a: (x: T) => U, b?: V) => a;", "a, b"),
            ("python", "a.py", "def f(a, *b, c: int = 1, **d): pass", "a, b, c, d"),
            ("rust", "a.rs", "fn f<T: Into<u8>>(mut a: T, b: &str) {}", "a, b"),
            ("go", "a.go", "package a\nfunc f(a, b int, c ...string) {}", "a, b, c"),
            ("java", "A.java", "class A { void f(final Map<K, V> a, int[] b, String... c) {} }", "a, b, c"),
            ("cpp", "a.cpp", "int f(const std::string& a, int b[3], T c = {}) { return 1; }", "a, b, c"),
            ("typescript", "a.ts", "function f() {}", ""),
            ("typescript", "a.ts", "function f<T extends () => void>(a: T, b: T) {}", "a, b"),
            ("cpp", "a.cpp", "int f(void (*cb)(int count), int n) { return 1; }", "cb, n"),
            ("rust", "a.rs", "fn f<F: Fn(u8) -> u8>(cb: F, n: u8) {}", "cb, n"),
            ("python", "a.py", "def f(self, x, y=lambda q, r: q): pass", ""),
        ] {
            assert_eq!(check(language, file, text), expected, "{text}");
        }
    }
}
