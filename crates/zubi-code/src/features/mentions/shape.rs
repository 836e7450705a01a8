//! The shape of the code around a mention: a declaration, an import, a member of something. The scan knows no grammar;
//! it decides how zubi reads the response of a server that does not resolve the mention.

use std::ops::Range;

use camino::Utf8Path;
use rustc_hash::FxHashSet;

use crate::lexical::NonCode;
use crate::text_search;

/// Words after which a name is declared, in any language in which they mean nothing else.
const DECLARERS: [&str; 22] = [
    "fn",
    "def",
    "class",
    "func",
    "function",
    "fun",
    "struct",
    "enum",
    "trait",
    "interface",
    "let",
    "const",
    "var",
    "val",
    "local",
    "macro_rules!",
    "defp",
    "module",
    "message",
    "service",
    "sub",
    "record",
];

/// Extensions of languages in which a type precedes a name, so that a word such as `struct` or `const` may precede a use.
const TYPE_FIRST: [&str; 13] = ["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "cu", "cs", "java"];

/// Extensions of languages in which the type of a receiver or a callee is often unknown.
const DYNAMIC: [&str; 26] = [
    "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro", "lua", "rb", "php",
    "jl", "r", "R", "toy", "cc", "cpp", "cxx", "hh", "hpp", "hxx",
];

/// The maximum number of lines of an import statement.
const MAX_IMPORT_LINES: usize = 40;

/// The maximum number of characters of a line that decide whether it is an import.
const MAX_IMPORT_HEAD: usize = 300;

/// The maximum number of occurrences of a name that zubi checks for an import.
const MAX_OCCURRENCES: usize = 200;

/// The maximum number of lines in which zubi looks for a declaration.
const MAX_DECLARATION_LINES: usize = 2_000;

/// A mention in a text.
#[derive(Clone, Copy)]
pub(super) struct MentionText<'a> {
    pub(super) path: &'a Utf8Path,
    pub(super) text: &'a str,
    /// The byte offset of the word.
    pub(super) offset: usize,
    pub(super) word: &'a str,
}

impl<'a> MentionText<'a> {
    fn extension(self) -> &'a str {
        self.path.extension().unwrap_or_default()
    }

    fn text_before(self) -> &'a str {
        self.text.get(..self.offset).unwrap_or_default()
    }

    fn text_after(self) -> &'a str {
        self.text.get(self.offset + self.word.len()..).unwrap_or_default()
    }

    /// Whether the word before the mention declares it.
    pub(super) fn is_declaration(self) -> bool {
        if TYPE_FIRST.contains(&self.extension()) {
            return false;
        }
        let line = self.text_before().rsplit('\n').next().unwrap_or_default();
        line.ends_with([' ', '\t'])
            && line.split_whitespace().next_back().is_some_and(|word| DECLARERS.contains(&word))
            && !(line.trim_end().ends_with("let") && self.is_pattern())
            && !has_import_keyword(line)
    }

    /// Whether the mention begins a pattern, as in `let Point { x } = p`, or an expression of a shell (`let n+=1`).
    fn is_pattern(self) -> bool {
        let after = self.text_after().trim_start();
        after.starts_with(['{', '(', '+', '-']) || after.starts_with("::")
    }

    /// Whether the server may not know the type that the mention belongs to: a member, an argument by name, a key.
    pub(super) fn is_untyped(self) -> bool {
        if !DYNAMIC.contains(&self.extension()) {
            return false;
        }
        let (before, after) = (self.text_before().trim_end(), self.text_after().trim_start());
        let is_member = before.ends_with('.') || before.ends_with("->") || before.ends_with("?.");
        let is_named_value = after.starts_with('=') && !after.starts_with("==") || after.starts_with(':');
        is_member || is_named_value && before.ends_with(['(', ',', '{'])
    }

    /// Whether the mention is in a data file, whose keys have no definition.
    pub(super) fn is_data(self) -> bool {
        matches!(self.extension(), "yaml" | "yml" | "toml" | "json" | "jsonc" | "json5")
    }

    /// Whether a response that names the mention itself means that the server does not resolve it. A type of a Protocol
    /// Buffers field is followed by the field's name (buf 1.75 responds so).
    pub(super) fn is_use_of_type(self) -> bool {
        self.extension() == "proto" && self.text_after().trim_start().starts_with(|next: char| next.is_alphabetic())
    }

    /// Whether the mention is in an attribute (`#[serde(default)]`) or a variable of a macro (`$name`) of Rust.
    pub(super) fn is_rust_attribute(self) -> bool {
        let line = self.text_before().rsplit('\n').next().unwrap_or_default();
        self.extension() == "rs"
            && line.rfind("#[").or(line.rfind("#![")).is_some_and(|open| line.get(open..).is_some_and(is_unclosed))
    }

    /// Whether the mention is a variable of a macro (`$name`) or the name of a macro's argument (`println!("…", name = 1)`).
    pub(super) fn is_rust_macro_name(self) -> bool {
        let (before, after) = (self.text_before(), self.text_after().trim_start());
        let names_argument = before.trim_end().ends_with(',') && after.starts_with('=') && !after.starts_with("==");
        self.extension() == "rs" && (before.ends_with('$') || names_argument && self.rust_macro().is_some())
    }

    /// Returns the name of the innermost macro of Rust in whose arguments the mention is.
    pub(super) fn rust_macro(self) -> Option<&'a str> {
        let mut head = self.text_before();
        while self.extension() == "rs" {
            let open = text_search::open_bracket(head)?;
            head = head.get(..open)?.trim_end();
            let Some(path) = head.strip_suffix('!') else { continue };
            let line = path.rsplit('\n').next().unwrap_or_default();
            let name = text_search::identifiers(line).pop().filter(|name| name.end == line.len())?;
            return line.get(name);
        }
        None
    }

    /// Returns the texts of the import statements that bind the mention: the one that it is in, else all of the file that
    /// name it or the name in front of it (`g` in `g.area`).
    pub(super) fn imports(self) -> Vec<&'a str> {
        if let Some(own) = import_around(self.text, self.offset) {
            return self.text.get(own).into_iter().collect();
        }
        let line = self.text_before().rsplit('\n').next().unwrap_or_default();
        let is_path = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | ':' | '?');
        let path = line.get(line.trim_end_matches(is_path).len()..).unwrap_or_default();
        let root = text_search::identifiers(path).into_iter().next().and_then(|range| path.get(range));
        let name = root.unwrap_or(self.word);
        let mut found: Vec<Range<usize>> = Vec::new();
        for at in text_search::occurrences(self.text, name).take(MAX_OCCURRENCES) {
            if let Some(range) = import_around(self.text, at).filter(|range| !found.contains(range)) {
                found.push(range);
            }
        }
        found.into_iter().filter_map(|range| self.text.get(range)).collect()
    }
}

/// Whether a file's language declares symbols apart from their definitions.
pub(super) fn has_separate_declarations(path: &Utf8Path) -> bool {
    path.extension().is_some_and(|own| TYPE_FIRST.contains(&own) && !matches!(own, "java" | "cs"))
}

/// Returns the offset of the first name that a text declares in code, except `word`.
pub(super) fn find_declaration(path: &Utf8Path, text: &str, word: &str) -> Option<usize> {
    let non_code = NonCode::of_file(path, text);
    let mut begin = 0;
    for line in text.split_inclusive('\n').take(MAX_DECLARATION_LINES) {
        for range in text_search::identifiers(line) {
            let mention = MentionText { path, text, offset: begin + range.start, word: line.get(range)? };
            if mention.word != word && mention.is_declaration() && !non_code.contains(mention.offset) {
                return Some(mention.offset);
            }
        }
        begin += line.len();
    }
    None
}

/// Whether an import statement names one of the modules.
pub(super) fn names_module(statement: &str, modules: &FxHashSet<&str>) -> bool {
    statement
        .lines()
        .flat_map(|line| text_search::identifiers(line).into_iter().filter_map(|range| line.get(range)))
        .any(|word| modules.contains(word))
}

/// Returns the range of the import statement around an offset. A statement of several lines has brackets.
pub(crate) fn import_around(text: &str, offset: usize) -> Option<Range<usize>> {
    let line_start = |at: usize| text.get(..at).and_then(|head| head.rfind('\n')).map_or(0, |end| end + 1);
    let mut start = line_start(offset);
    for _ in 0..MAX_IMPORT_LINES {
        let rest = text.get(start..)?;
        let line = rest.lines().next().unwrap_or_default();
        if has_import_keyword(line) {
            // On another line, each line before it leaves the brackets open.
            let mut head = 0;
            for line in text.get(start..offset)?.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
                head += line.len();
                if !is_unclosed(text.get(start..start + head)?) {
                    return None;
                }
            }
            let mut end = start;
            for line in rest.split_inclusive('\n').take(MAX_IMPORT_LINES) {
                end += line.len();
                if end > offset && !is_unclosed(text.get(start..end)?) {
                    break;
                }
            }
            return Some(start..end);
        }
        // A line that ends a statement cannot be within an import.
        if start == 0 || start < offset && line.trim_end().ends_with([';', ':']) {
            return None;
        }
        start = line_start(start - 1);
    }
    None
}

/// Whether a text opens more brackets than it closes.
fn is_unclosed(text: &str) -> bool {
    let mut depth = 0_i32;
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    depth > 0
}

/// Whether a line begins an import statement: `import`, `from`, `pub use`, `export … from`, `x = require(…)`.
fn has_import_keyword(line: &str) -> bool {
    let head = line.char_indices().nth(MAX_IMPORT_HEAD).map_or(line, |(end, _)| line.get(..end).unwrap_or_default());
    let mut words = text_search::identifiers(head).into_iter().filter_map(|range| head.get(range));
    match words.next() {
        Some("import" | "from" | "use" | "using" | "require") => true,
        Some("pub" | "global") => words.take(2).any(|word| matches!(word, "use" | "using")),
        Some("export") => {
            let exported = head.trim_start().trim_start_matches("export").trim_start();
            let exported = exported.strip_prefix("type ").unwrap_or(exported).trim_start();
            exported.starts_with(['{', '*'])
        }
        _ => head.contains('=') && head.contains("require"),
    }
}

/// Returns the range of the CSS name around an offset, which may contain `-`: `--brand`, `card-title`.
pub(super) fn css_name(text: &str, offset: usize) -> Range<usize> {
    let is_part = |character: &char| character.is_alphanumeric() || matches!(character, '-' | '_');
    let before: usize =
        text.get(..offset).unwrap_or_default().chars().rev().take_while(is_part).map(char::len_utf8).sum();
    let after: usize = text.get(offset..).unwrap_or_default().chars().take_while(is_part).map(char::len_utf8).sum();
    offset - before..offset + after
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mention<'a>(path: &'a str, text: &'a str) -> MentionText<'a> {
        MentionText { path: Utf8Path::new(path), text, offset: text.rfind("word").unwrap(), word: "word" }
    }

    #[test]
    fn declarations() {
        for (path, text, expected) in [
            ("a.py", "def word():", true),
            ("a.py", "x = word", false),
            ("a.rs", "pub fn word() {", true),
            ("a.rs", "use a::word;", false),
            ("a.ts", "export const word = 1", true),
            ("a.ts", "export { word } from \"a\"", false),
            ("a.ts", "export function f(word: A) {", false),
            ("a.rs", "let word { x } = p;", false),
            ("a.ts", "const word = 1", true),
            ("a.c", "struct word x;", false),
            ("a.ts", "import type { word } from \"a\"", false),
        ] {
            assert_eq!(mention(path, text).is_declaration(), expected, "{text}");
        }
    }

    #[test]
    fn members_arguments_and_keys_may_have_no_type() {
        for (path, text, expected) in [
            ("a.py", "x.word", true),
            ("a.py", "f(word=1)", true),
            ("a.py", "f(1,\n  word = 1)", true),
            ("a.py", "word = 1", false),
            ("a.py", "f(word == 1)", false),
            ("a.ts", "{ word: 1 }", true),
            ("a.go", "x.word", false),
            ("a.cpp", "x->word()", true),
        ] {
            assert_eq!(mention(path, text).is_untyped(), expected, "{text}");
        }
    }

    #[test]
    fn imports_that_bind_a_mention() {
        for (text, expected) in [
            ("from a import word\n", vec!["from a import word\n"]),
            ("from a import (\n    b,\n    word,\n)\nx\n", vec!["from a import (\n    b,\n    word,\n)\n"]),
            ("import a\n\na.word()\n", vec!["import a\n"]),
            ("from a import word\n\nword()\n", vec!["from a import word\n"]),
            ("import {\n  b,\n  word,\n} from \"./a\";\n", vec!["import {\n  b,\n  word,\n} from \"./a\";\n"]),
            ("import a\nword()\n", vec![]),
            ("@import \"a.css\";\n.b { c: var(--word) }\n", vec![]),
            ("const { word } = require(\"./a\");\n", vec!["const { word } = require(\"./a\");\n"]),
        ] {
            assert_eq!(mention("a.py", text).imports(), expected, "{text}");
        }
    }

    #[test]
    fn rust_attributes_and_css_names() {
        assert!(mention("a.rs", "#[serde(word)]").is_rust_attribute());
        assert!(!mention("a.rs", "#[test] fn word()").is_rust_attribute());
        assert!(mention("a.rs", "$word").is_rust_macro_name());
        assert!(mention("a.rs", "println!(\"{x}\", word = 1)").is_rust_macro_name());
        assert!(!mention("a.rs", "println!(\"{x}\", word == 1)").is_rust_macro_name());
        for (text, expected) in [
            ("log::debug!(\"{}\", f(word))", Some("debug")),
            ("debug!(x); f(word)", None),
            ("vec![1, if a { word } else { 2 }]", Some("vec")),
            ("if !(word) {}", None),
        ] {
            assert_eq!(mention("a.rs", text).rust_macro(), expected, "{text}");
        }
        let text = ".card-title { color: var(--brand) }";
        for (word, expected) in [("card", "card-title"), ("brand", "--brand")] {
            assert_eq!(text.get(css_name(text, text.find(word).unwrap())), Some(expected));
        }
    }

    #[test]
    fn the_first_declared_name() {
        for (path, text, expected) in [
            ("a.py", "# def x\ndef word(): ...\ndef other(): ...\n", Some("other")),
            ("a.rs", "pub fn from_lost() { word() }", Some("from_lost")),
            ("a.css", ".word {}", None),
        ] {
            let found = find_declaration(Utf8Path::new(path), text, "word");
            let expected = expected.map(|name| text.rfind(name).unwrap());
            assert_eq!(found, expected, "{text}");
        }
    }
}
