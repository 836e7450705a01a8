//! Names in the functions around the edits of a rename that would hide the renamed symbol, or that it would hide.
//!
//! Some servers plan such a rename without a word: pyright 1.1, ty, TypeScript. gopls refuses it. The search reads the
//! text around a name, not its meaning, so its result is a note and never refuses a rename.

use zubi_base::position::{TextRange, size};

use super::taken::EditedFile;
use crate::features::mentions::import_around;
use crate::lexical::NonCode;
use crate::outline::{self, OutlineSymbol};
use crate::text_search;

/// The language ids in which `name = value` or `name: value` between the parentheses of a call names a parameter.
const WITH_NAMED_ARGUMENTS: [&str; 7] = ["python", "csharp", "kotlin", "swift", "scala", "ruby", "php"];

/// A use or a declaration of the new name.
pub(super) struct HiddenName {
    pub(super) range: TextRange,
    /// The name of the function; empty outside functions.
    pub(super) function: String,
}

/// A name in a text, with the functions around it.
struct NameUse {
    offset: usize,
    /// The indices of the functions in the order of the outline, outermost first.
    functions: Vec<usize>,
}

/// The functions and the members that a file declares.
#[derive(Default)]
struct FileScopes<'a> {
    functions: Vec<&'a OutlineSymbol>,
    /// The ranges of the names of members.
    members: Vec<TextRange>,
}

impl<'a> FileScopes<'a> {
    fn new(symbols: &'a [OutlineSymbol]) -> Self {
        let mut scopes = Self::default();
        outline::walk(symbols, |above, symbol| {
            if is_function(symbol) {
                scopes.functions.push(symbol);
            }
            if above.last().is_some_and(|parent| !is_function(parent)) {
                scopes.members.push(symbol.selection);
            }
        });
        scopes
    }

    /// Returns the functions around an offset. The name of a function is outside it.
    fn name_use(&self, offset: usize) -> NameUse {
        let at = size(offset);
        let contains = |function: &OutlineSymbol| {
            function.range.contains(at) && !function.selection.contains(at) && function.selection.start() != at
        };
        let functions = self.functions.iter().enumerate().filter(|(_, function)| contains(function));
        NameUse { offset, functions: functions.map(|(index, _)| index).collect() }
    }

    fn is_member(&self, offset: usize) -> bool {
        self.members.iter().any(|range| range.start() == size(offset))
    }
}

impl EditedFile<'_> {
    /// Returns the first name that an edit of this file would hide, or that would hide an edited one: in one of the functions
    /// around the edit, or outside functions.
    pub(super) fn find_hidden(&self, extension: &str, symbols: &[OutlineSymbol]) -> Option<HiddenName> {
        let text = &*self.document.text;
        let scopes = FileScopes::new(symbols);
        let is_plain = |offset: &usize| {
            let after = text.get(*offset..).unwrap_or_default().trim_start_matches(text_search::continues_identifier);
            let before = text.get(..*offset).unwrap_or_default();
            !scopes.is_member(*offset)
                && !follows_qualifier(before)
                && !self.is_label(before, after)
                && import_around(text, *offset).is_none()
        };
        let edits = self.offsets.iter().map(|offset| usize::from(*offset)).filter(is_plain);
        let edits: Vec<NameUse> = edits.map(|offset| scopes.name_use(offset)).collect();
        if edits.is_empty() {
            return None;
        }
        let code = NonCode::scan(text, extension);
        let names = text_search::occurrences(text, self.new_name).filter(|at| !code.contains(*at)).filter(is_plain);
        let found = names.map(|offset| scopes.name_use(offset)).find(|name| {
            edits.iter().any(|edit| edit.offset != name.offset && edit.functions.starts_with(&name.functions))
        })?;
        let function = found.functions.last().and_then(|index| scopes.functions.get(*index));
        Some(HiddenName {
            range: TextRange::at(size(found.offset), size(self.new_name.len())),
            function: function.map(|function| function.name.clone()).unwrap_or_default(),
        })
    }

    /// Whether a name is the key of an object, the field of a structure, or the parameter of a call.
    fn is_label(&self, before: &str, after: &str) -> bool {
        let after = after.trim_start().trim_start_matches('?');
        let has_colon = after.starts_with(':') && !after.starts_with("::") && !after.starts_with(":=");
        let has_equals = after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
        if !has_colon && !has_equals {
            return false;
        }
        let follows = |ends: &[char]| before.trim_end().ends_with(ends);
        let names_arguments = WITH_NAMED_ARGUMENTS.contains(&self.language);
        match open_bracket(before) {
            Some((_, '{')) => has_colon && self.language != "python" && follows(&['{', ',', ';', '}']),
            Some((at, '(')) if names_arguments && follows(&['(', ',']) => {
                let head = before.get(..at).and_then(|head| head.lines().next_back()).unwrap_or_default();
                let head = head.trim_start().trim_start_matches("async ");
                self.language != "python" || !head.starts_with("def ")
            }
            _ => false,
        }
    }
}

fn is_function(symbol: &OutlineSymbol) -> bool {
    matches!(symbol.kind, "function" | "method" | "constructor")
}

/// Whether a name after this text is the member of something: `a.name`, `a->name`, `a::name`, but not `...name`.
fn follows_qualifier(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with("->") || before.ends_with("::") || (before.ends_with('.') && !before.ends_with(".."))
}

/// Returns the innermost bracket that is open at the end of a text. Brackets in strings and comments count, too.
fn open_bracket(before: &str) -> Option<(usize, char)> {
    let mut closed = 0_usize;
    for (at, character) in before.char_indices().rev() {
        match character {
            ')' | ']' | '}' => closed += 1,
            '(' | '[' | '{' if closed == 0 => return Some((at, character)),
            '(' | '[' | '{' => closed -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::taken::tests::with_file;

    /// Renames every `old` to `new`; returns the line and the function of the name that one of both hides.
    fn check(language: &str, file: &str, text: &str) -> String {
        with_file(language, file, text, |edited, symbols| {
            let extension = file.rsplit('.').next().unwrap_or_default();
            edited.find_hidden(extension, symbols).map_or_else(
                || "free".to_owned(),
                |hidden| {
                    let line = edited.document.index.line_col(hidden.range.start()).line + 1;
                    format!("{line} {}", hidden.function).trim_end().to_owned()
                },
            )
        })
    }

    #[test]
    fn python() {
        let check = |text| check("python", "a.py", text);
        assert_eq!(check("def old(): pass\ndef f():\n  new = 1\n  return old() + new\n"), "3 f");
        assert_eq!(check("def old(): pass\ndef f(a, new=1):\n  return old()\n"), "2 f");
        assert_eq!(check("def old(): pass\ndef f(a,\n      new: int):\n  return old()\n"), "3 f");
        assert_eq!(check("def old(): pass\ndef f():\n  old()\ndef g():\n  new = 1\n"), "free");
        assert_eq!(check("def old(): pass\ndef f():\n  g(a, new=old())\n"), "free", "a parameter of another function");
        assert_eq!(check("def old(): pass\ndef f(a):\n  a.new = old()\n"), "free", "a member");
        assert_eq!(check("def f(old):\n  new = 1\n  return old\n"), "2 f", "two variables of a function");
        assert_eq!(check("def f(a):\n  new = 1\n  return a.old\n"), "free", "the edited name is a member");
        assert_eq!(
            check("def old(): pass\ndef f():\n  def g():\n    new = 1\n  old()\n"),
            "free",
            "in an inner function"
        );
        assert_eq!(check("def old(): pass\ndef f():\n  new = 1\n  def g():\n    old()\n"), "3 f", "in an outer one");
        assert_eq!(check("def old(): pass\nprint(new('x'))\n"), "2", "a name of the language");
        assert_eq!(check("def old(): pass\nclass A:\n  new = 1\n  def f(self): old()\n"), "free", "of a class");
        assert_eq!(check("def old(): pass\ndef f():\n  # new\n  return old() + 'new'\n"), "free", "no code");
        assert_eq!(check("from .new import a\ndef old(): pass\n"), "free", "a module");
    }

    #[test]
    fn other_languages() {
        let script = |text| check("typescript", "a.ts", text);
        assert_eq!(script("function old() {}\nfunction f() { const new = 1; return old(); }\n"), "2 f");
        assert_eq!(script("function old() {}\nfunction f(new: number) { return old(); }\n"), "2 f");
        assert_eq!(script("function old() {}\nfunction f() { return { a: 1, new: old() }; }\n"), "free");
        assert_eq!(script("function old() {}\nfunction f() { return [...new, old()]; }\n"), "2 f");
        assert_eq!(script("interface A { new: string }\nfunction old() {}\n"), "free");
        let rust = |text| check("rust", "a.rs", text);
        assert_eq!(rust("fn old() {}\nfn f() { let new = 1; old(); }\n"), "2 f");
        assert_eq!(rust("fn old() {}\nfn f() { A::new(); old(); }\n"), "free");
        assert_eq!(rust("fn old() {}\nfn f() -> A { A { new: old() } }\n"), "free");
        assert_eq!(check("cpp", "a.cpp", "int old();\nint f(A *a) { a->new = 1; return old(); }\n"), "free");
        assert_eq!(check("java", "A.java", "class A { int f(int old) { int new = 1; return old; } }\n"), "1 f");
    }
}
