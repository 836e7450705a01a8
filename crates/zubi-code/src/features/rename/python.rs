//! Declarations and classes in texts of Python, by logical lines and indentation. A server confirms what depends on
//! names.

use std::ops::Range;

use crate::lexical::NonCode;
use crate::text_search;

/// A class or a function around a statement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EnclosingScope {
    /// Classes of one name in one scope are versions of one class: `try: class A … except ImportError: class A …`.
    Class(String),
    /// The byte offset of its name.
    Function(usize),
}

/// A class statement.
#[derive(Debug, Clone)]
pub(super) struct Class {
    /// The class itself after what is around it.
    pub(super) path: Vec<EnclosingScope>,
    /// The byte offset of the name.
    pub(super) name: usize,
    /// The byte offsets of the names that its bases consist of, without those in square brackets: those of `shapes` and
    /// `Shape` in `class Circle(shapes.Shape[int])`.
    pub(super) bases: Vec<usize>,
}

/// The form of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclarationForm {
    /// `def name`, `class name`, `name = …`, `self.name = …` in a method.
    Definition,
    /// `from a import name`.
    Import,
}

/// A place at which a name is declared.
#[derive(Debug, Clone)]
pub(super) struct NamePlace {
    /// The byte offset.
    pub(super) offset: usize,
    /// The class whose attribute the name is, or what is around the statement, outermost first.
    pub(super) enclosing: Vec<EnclosingScope>,
    pub(super) form: DeclarationForm,
}

/// The classes and the declarations of one name in a text.
#[derive(Debug, Default)]
pub(super) struct PythonNames {
    pub(super) classes: Vec<Class>,
    pub(super) places: Vec<NamePlace>,
}

/// A statement without comments and strings.
struct Statement<'a> {
    text: &'a str,
    /// The byte offset of the text.
    start: usize,
}

impl PythonNames {
    /// Scans a text for its classes and the declarations of a name.
    pub(super) fn scan(text: &str, name: &str) -> Self {
        let code = NonCode::scan(text, "py").blank(text);
        let mut found = Self::default();
        let mut stack: Vec<(usize, EnclosingScope)> = Vec::new();
        for line in logical_lines(&code) {
            let indent = line.text.len() - line.text.trim_start_matches([' ', '\t']).len();
            stack.retain(|(depth, _)| *depth < indent);
            let mut enclosing: Vec<EnclosingScope> = stack.iter().map(|(_, scope)| scope.clone()).collect();
            for statement in split_statements(&line) {
                found.add_statement(&statement, &enclosing, name);
                if let Some(scope) = found.scope_of(&statement, &enclosing) {
                    enclosing.push(scope.clone());
                    stack.push((indent, scope));
                }
            }
        }
        found
    }

    /// Returns the class whose statement or name is at an offset.
    pub(super) fn class_at(&self, offset: usize) -> Option<&Class> {
        const KEYWORD: usize = "class ".len();
        self.classes.iter().find(|class| (class.name.saturating_sub(KEYWORD)..=class.name).contains(&offset))
    }

    fn scope_of(&mut self, statement: &Statement<'_>, enclosing: &[EnclosingScope]) -> Option<EnclosingScope> {
        let (word, name) = header(statement.text)?;
        let offset = statement.start + name.start;
        if word != "class" {
            return Some(EnclosingScope::Function(offset));
        }
        let scope = EnclosingScope::Class(statement.text.get(name.clone())?.to_owned());
        let bases = find_bases(statement.text, name.end).into_iter().map(|base| statement.start + base).collect();
        let path = enclosing.iter().cloned().chain([scope.clone()]).collect();
        self.classes.push(Class { path, name: offset, bases });
        Some(scope)
    }

    fn add_statement(&mut self, statement: &Statement<'_>, enclosing: &[EnclosingScope], name: &str) {
        for at in text_search::occurrences(statement.text, name) {
            let Some((form, is_attribute)) = form_of(statement.text, at, name) else { continue };
            let class = enclosing.iter().rposition(|scope| matches!(scope, EnclosingScope::Class(_)));
            let enclosing = match (is_attribute, class) {
                (false, _) => enclosing,
                (true, Some(class)) => enclosing.get(..=class).unwrap_or_default(),
                (true, None) => continue,
            };
            self.places.push(NamePlace { offset: statement.start + at, enclosing: enclosing.to_vec(), form });
        }
    }
}

/// Returns the form of the declaration at an offset of a statement, and whether it is an attribute of `self` or `cls`.
fn form_of(text: &str, at: usize, name: &str) -> Option<(DeclarationForm, bool)> {
    let (before, after) = (text.get(..at)?, text.get(at + name.len()..)?);
    let words: Vec<_> = before.split_whitespace().collect();
    match words.as_slice() {
        ["def" | "class"] | ["async", "def"] => return Some((DeclarationForm::Definition, false)),
        ["from", _, "import", ..] => {
            let next = after.split_whitespace().next();
            // In `from a import name as other`, only the other name is declared.
            return (next != Some("as")).then_some((DeclarationForm::Import, false));
        }
        ["import", ..] => return None,
        _ => {}
    }
    let (start, is_attribute) = match before.strip_suffix("self.").or_else(|| before.strip_suffix("cls.")) {
        Some(head) => (head.len(), true),
        None if before.ends_with('.') => return None,
        None => (at, false),
    };
    is_target(text, start, at + name.len()).then_some((DeclarationForm::Definition, is_attribute))
}

/// Whether a statement assigns to the name in a range: `name = …`, `name += …`, `name: …`, `for name in …`, `with … as
/// name`. It does not assign to an argument of a call or a subscript.
fn is_target(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    if before.rsplit(|one: char| one.is_whitespace() || one == '(').find(|word| !word.is_empty()) == Some("as") {
        return before.trim_start().starts_with("with") || before.trim_start().starts_with("async");
    }
    let is_loop = before.split_whitespace().next() == Some("for") && !before.contains(" in ");
    // Only targets may precede: names, dots, commas, and brackets of a list of targets.
    let head = if is_loop { before.trim_start().trim_start_matches("for") } else { before };
    if head.ends_with('.') || !head.chars().all(|one| one.is_alphanumeric() || " \t_.,*(=[".contains(one)) {
        return false;
    }
    let opens_call = head.char_indices().any(|(at, one)| {
        let word = head.get(..at).unwrap_or_default().trim_end();
        matches!(one, '(' | '[') && word.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | ')'))
    });
    // Without a comma, two words are an expression or a statement of another kind.
    let has_words = head.rsplit([',', '(', '[', '=', '*']).next().is_some_and(|last| !last.trim().is_empty());
    if opens_call || has_words {
        return false;
    }
    let rest = after.trim_start_matches([' ', '\t']);
    if is_loop {
        return rest.starts_with([',', ')', ']']) || rest.starts_with("in ");
    }
    if rest.starts_with(':') && !rest.starts_with(":=") {
        return head.trim().is_empty();
    }
    assigns(rest)
}

/// Whether an assignment (`=`, `+=`) follows a target, directly or after further targets.
fn assigns(rest: &str) -> bool {
    let tail = rest.trim_start_matches(|one: char| one.is_alphanumeric() || " \t_.,*()[]".contains(one));
    // A subscript, a call or an attribute of the name does not declare it.
    if rest.starts_with(['.', '[', '(']) || tail.starts_with("<=") || tail.starts_with(">=") {
        return false;
    }
    let operator = tail.trim_start_matches(['+', '-', '*', '/', '%', '@', '&', '|', '^', '<', '>']);
    operator.starts_with('=') && !operator.starts_with("==") && tail.len() - operator.len() <= 3
}

/// Returns the keyword and the range of the name of a statement that declares a class or a function.
fn header(text: &str) -> Option<(&str, Range<usize>)> {
    let mut names = text_search::identifiers(text).into_iter();
    let mut first = names.next()?;
    if text.get(first.clone()) == Some("async") {
        first = names.next()?;
    }
    let word = text.get(first.clone())?;
    let name = names.next()?;
    let is_header = matches!(word, "class" | "def");
    let between = text.get(first.end..name.start)?;
    (is_header && !between.is_empty() && between.trim().is_empty()).then_some((word, name))
}

/// Returns the offsets of the names in the bases of a class, whose name ends at `end`.
fn find_bases(text: &str, end: usize) -> Vec<usize> {
    let rest = text.get(end..).unwrap_or_default();
    // Type parameters.
    let skipped = rest.trim_start().strip_prefix('[').and_then(|inner| close_of(inner, '[', ']'));
    let begin = end + skipped.map_or(0, |close| rest.len() - rest.trim_start().len() + close + 2);
    let rest = text.get(begin..).unwrap_or_default();
    let Some(inner) = rest.trim_start().strip_prefix('(') else { return Vec::new() };
    let Some(length) = close_of(inner, '(', ')') else { return Vec::new() };
    let offset = begin + rest.len() - inner.len();
    let mut bases = Vec::new();
    let mut depth = 0_usize;
    let mut part = 0;
    let content = inner.get(..length).unwrap_or_default();
    let names = text_search::identifiers(content);
    let mut is_keyword = false;
    for (at, character) in content.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' => (part, is_keyword) = (at + 1, false),
            '=' => {
                // `metaclass=M` does not name a base.
                is_keyword = true;
                bases.retain(|base| *base < part);
            }
            _ if depth == 0 && !is_keyword => {
                let name = names.iter().find(|name| name.start == at);
                let is_word = |name: &Range<usize>| matches!(content.get(name.clone()), Some("if" | "else"));
                bases.extend(name.filter(|name| !is_word(name)).map(|name| name.start));
            }
            _ => {}
        }
    }
    bases.into_iter().map(|base| offset + base).collect()
}

/// Returns the offsets of the names to which a name at an offset is assigned: that of `Shape` in `Base = Shape`, and both
/// in a conditional expression; empty if no assignment begins there.
pub(super) fn assigned_names(text: &str, offset: usize) -> Vec<usize> {
    let line = text.get(offset..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let Some(equals) = line.find('=').filter(|at| !line.get(at + 1..).is_some_and(|rest| rest.starts_with('='))) else {
        return Vec::new();
    };
    let value = line.get(equals + 1..).unwrap_or_default();
    let value = value.split(['#', '[', '"', '\'']).next().unwrap_or_default();
    let names = text_search::identifiers(value).into_iter();
    let names = names.filter(|name| !matches!(value.get(name.clone()), Some("if" | "else" | "None")));
    names.map(|name| offset + equals + 1 + name.start).collect()
}

/// Returns the offset of the bracket that closes the one before a text.
fn close_of(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, character) in text.char_indices() {
        if character == open {
            depth += 1;
        } else if character == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// Splits a text without comments into logical lines: one with open brackets or a backslash at its end continues.
fn logical_lines(code: &str) -> Vec<Statement<'_>> {
    let mut lines = Vec::new();
    let (mut begin, mut depth) = (0, 0_usize);
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' if depth == 0 && !code.get(..at).is_some_and(|line| line.ends_with('\\')) => {
                lines.extend(code.get(begin..at).map(|text| Statement { text, start: begin }));
                begin = at + 1;
            }
            _ => {}
        }
    }
    lines.extend(code.get(begin..).map(|text| Statement { text, start: begin }));
    lines.retain(|line| !line.text.trim().is_empty());
    lines
}

/// Splits a logical line at semicolons, and after the colon of a compound statement (`class A: x = 1`).
fn split_statements<'a>(line: &Statement<'a>) -> Vec<Statement<'a>> {
    const COMPOUND: [&str; 12] =
        ["class", "def", "async", "if", "elif", "else", "for", "while", "with", "try", "except", "finally"];
    let mut parts = Vec::new();
    let (mut begin, mut depth) = (0, 0_usize);
    for (at, byte) in line.text.bytes().enumerate() {
        let first = || {
            let text = line.text.get(begin..).unwrap_or_default();
            text.trim_start().split(|one: char| !one.is_alphanumeric()).next().unwrap_or_default()
        };
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => {
                parts.push(begin..at);
                begin = at + 1;
            }
            b':' if depth == 0 && COMPOUND.contains(&first()) => {
                parts.push(begin..at);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(begin..line.text.len());
    let statement = |part: Range<usize>| {
        let start = line.start + part.start;
        line.text.get(part).filter(|text| !text.trim().is_empty()).map(|text| Statement { text, start })
    };
    parts.into_iter().filter_map(statement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows the declarations of `area` in a text: line, enclosing, form.
    fn check(text: &str) -> String {
        let names = PythonNames::scan(text, "area");
        let name_of = |scope: &EnclosingScope| match scope {
            EnclosingScope::Class(name) => name.clone(),
            EnclosingScope::Function(offset) => {
                text.get(*offset..).unwrap().split(|one: char| !one.is_alphanumeric()).next().unwrap().to_owned() + "()"
            }
        };
        let place = |place: &NamePlace| {
            let line = text.get(..place.offset).unwrap().matches('\n').count() + 1;
            let enclosing: Vec<_> = place.enclosing.iter().map(name_of).collect();
            let form = if place.form == DeclarationForm::Import { " import" } else { "" };
            format!("{line} {}{form}", if enclosing.is_empty() { "module".to_owned() } else { enclosing.join(".") })
        };
        names.places.iter().map(place).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn declarations_and_what_is_around_them() {
        insta::assert_snapshot!(check(r#"
def area(): ...
class A:
    """area: in a docstring

    area = 1
    """
    area: int = 3
    async def area(self):
        self.area = 1
        self.area, self.x = 1, 2
        other.area = 3
        area == 3
        f(area=1)
        self.area += 1
        for self.area in x: pass
    class B: area = 1; x = area
x = dict(
    area=1,
)
a, area = 1, 2
(a, area) = 1, 2
area[0] = 1
area.x = 1
for area in y: print(area)
with open() as area: pass
if x: area = 2
y = f"{area:>{area}} {{"
def make():
    class C:
        def area(self): return area
    def area(): ...
"#), @"
        2 module
        8 A
        9 A
        10 A
        11 A
        15 A
        16 A
        17 A.B
        21 module
        22 module
        25 module
        26 module
        27 module
        31 make().C
        32 make()
        ");
        insta::assert_snapshot!(check("from a import area\nfrom a import (\n    b,\n    area,\n)\nfrom a import b as area\nfrom a import area as b\nfrom area import b\nimport area\n"), @"
        1 module import
        4 module import
        6 module import
        ");
    }

    #[test]
    fn bases_of_classes() {
        for (text, expected) in [
            ("class A: ...", vec![]),
            ("class A(): ...", vec![]),
            ("class A(B, m.C): ...", vec!["B", "m", "C"]),
            ("class A(B[int, str], metaclass=M): ...", vec!["B"]),
            ("class A[T: (int, str)](B[T],\n    C,  # first (see = docs\n): ...", vec!["B", "C"]),
            ("class A(B if x else D): ...", vec!["B", "x", "D"]),
            ("class A(mixed(B)): ...", vec!["mixed", "B"]),
            ("class A(B", vec![]),
        ] {
            let names = PythonNames::scan(text, "area");
            let name = |offset: &usize| {
                let rest = text.get(*offset..).unwrap();
                rest.split(|one: char| !one.is_alphanumeric()).next().unwrap()
            };
            let found: Vec<_> = names.classes.iter().flat_map(|class| &class.bases).map(name).collect();
            assert_eq!(found, expected, "{text}");
            assert_eq!(names.class_at(0).map(|class| class.name), Some(6), "{text}");
        }
    }
}
