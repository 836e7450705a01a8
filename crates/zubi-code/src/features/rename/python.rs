//! Declarations and classes in texts of Python. The scan knows no grammar; it finds candidates, and a server confirms
//! them.

use std::ops::Range;

use crate::features::mentions::import_around;
use crate::lexical::NonCode;
use crate::text_search;

/// The maximum number of bytes of a class header.
const MAX_HEADER: usize = 4_000;

/// The form of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclarationForm {
    /// `def name`, `class name`.
    Statement,
    /// `name = …`, `name: …`.
    Assignment,
    /// `self.name = …` in a method.
    Attribute,
    /// `from a import name`.
    Import,
}

/// Returns the form of the declaration at an offset; `None` if the code there does not declare the name.
pub(super) fn declaration_form(text: &str, offset: usize, name: &str) -> Option<DeclarationForm> {
    let before = text.get(..offset)?;
    let after = text.get(offset + name.len()..)?.trim_start_matches([' ', '\t']);
    let assigns = after.starts_with(':') || after.starts_with('=') && !after.starts_with("==");
    let head = before.rsplit('\n').next()?.trim_start();
    match head.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["def" | "class"] | ["async", "def"] => Some(DeclarationForm::Statement),
        [] if assigns => Some(DeclarationForm::Assignment),
        ["self." | "cls."] if assigns => Some(DeclarationForm::Attribute),
        _ => {
            let import = text.get(import_around(text, offset)?)?;
            let names = import.split_once("import").filter(|_| import.trim_start().starts_with("from"))?.1;
            // In `from a import name as other`, only the other name is declared.
            let declares =
                names.split(['(', ')', ',', '\n']).any(|part| part.split_whitespace().next_back() == Some(name));
            (declares && !after.starts_with("as ")).then_some(DeclarationForm::Import)
        }
    }
}

/// Returns the offset of the name of the class whose statement or name begins at an offset.
pub(super) fn class_name_at(text: &str, offset: usize) -> Option<usize> {
    let rest = text.get(offset..)?;
    if let Some(after) = rest.strip_prefix("class").filter(|after| after.starts_with([' ', '\t'])) {
        return Some(offset + rest.len() - after.trim_start().len());
    }
    let head = text.get(..offset)?.rsplit('\n').next()?;
    (head.split_whitespace().eq(["class"]) && head.ends_with([' ', '\t'])).then_some(offset)
}

/// Returns the offsets of the last names of a class's bases: that of `Shape` in `class Circle(shapes.Shape[int])`.
pub(super) fn base_offsets(text: &str, class_name: usize) -> Vec<usize> {
    find_bases(text, class_name).unwrap_or_default()
}

fn find_bases(text: &str, class_name: usize) -> Option<Vec<usize>> {
    let name = text_search::identifier_at(text.get(class_name..)?.lines().next()?, 0)?;
    let mut open = skip_space(text, class_name + name.end);
    if text.get(open..)?.starts_with('[') {
        open = skip_space(text, content_of(text, open)?.end + 1);
    }
    if !text.get(open..)?.starts_with('(') {
        return None;
    }
    let content = content_of(text, open)?;
    let non_code = NonCode::scan(text, "py");
    let (mut begin, mut bases) = (content.start, Vec::new());
    while begin < content.end {
        let part = part_of(text, begin..content.end);
        let base = text.get(part.clone())?.split(['[', '(']).next().filter(|base| !base.contains('='));
        // A comment may follow the comma.
        let mut names = base.map(text_search::identifiers).unwrap_or_default();
        names.retain(|name| !non_code.contains(part.start + name.start));
        let last = names.pop();
        bases.extend(last.map(|last| part.start + last.start));
        begin = part.end + 1;
    }
    Some(bases)
}

fn skip_space(text: &str, offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or_default();
    offset + rest.len() - rest.trim_start().len()
}

/// Returns the range between the bracket at `open` and the one that closes it.
fn content_of(text: &str, open: usize) -> Option<Range<usize>> {
    let mut depth = 0_usize;
    for (index, byte) in text.bytes().enumerate().skip(open).take(MAX_HEADER) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 1 => return Some(open + 1..index),
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Returns the beginning of a range until the first comma that is not in brackets.
fn part_of(text: &str, range: Range<usize>) -> Range<usize> {
    let mut depth = 0_usize;
    for (index, byte) in text.bytes().enumerate().take(range.end).skip(range.start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return range.start..index,
            _ => {}
        }
    }
    range
}

/// Returns the 1-based line at which the body of a class declares a name.
pub(super) fn member_line(text: &str, class_name: usize, name: &str) -> Option<usize> {
    let first = text.get(..class_name)?.matches('\n').count();
    let mut lines = text.lines().enumerate().skip(first);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(lines.next()?.1);
    let in_body =
        |line: &str| line.trim().is_empty() || indent(line) > own || line.trim_start().starts_with([')', '#']);
    let mut body = None;
    for (number, line) in lines.take_while(|(_, line)| in_body(line)).filter(|(_, line)| !line.trim().is_empty()) {
        let depth = *body.get_or_insert_with(|| indent(line));
        if indent(line) == depth || line.trim_start().starts_with("self.") {
            let offset = text_search::occurrences(line, name).next();
            if offset.is_some_and(|offset| declaration_form(line, offset, name).is_some()) {
                return Some(number + 1);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text without `$0`, and the offset of the marker.
    fn split_marker(fixture: &str) -> (String, usize) {
        (fixture.replacen("$0", "", 1), fixture.find("$0").unwrap())
    }

    #[test]
    fn forms_of_declarations() {
        use DeclarationForm::{Assignment, Attribute, Import, Statement};
        for (fixture, expected) in [
            ("def $0area():\n", Some(Statement)),
            ("async  def $0area():\n", Some(Statement)),
            ("class $0area(A):\n", Some(Statement)),
            ("    $0area: int = 3\n", Some(Assignment)),
            ("$0area = 3\n", Some(Assignment)),
            ("        self.$0area = 3\n", Some(Attribute)),
            ("        self.$0area == 3\n", None),
            ("        other.$0area = 3\n", None),
            ("print($0area)\n", None),
            ("from a import $0area\n", Some(Import)),
            ("from a import (\n    b,\n    $0area,\n)\n", Some(Import)),
            ("from a import b as $0area\n", Some(Import)),
            ("from a import $0area as b\n", None),
            ("from $0area import b\n", None),
            ("import $0area\n", None),
        ] {
            let (text, offset) = split_marker(fixture);
            assert_eq!(declaration_form(&text, offset, "area"), expected, "{fixture}");
        }
    }

    #[test]
    fn bases_of_a_class() {
        for (fixture, expected) in [
            ("class $0A: ...", vec![]),
            ("class $0A(): ...", vec![]),
            ("class $0A(B, m.C): ...", vec!["B", "C"]),
            ("class $0A(B[int, str], metaclass=M): ...", vec!["B"]),
            ("class $0A[T: (int, str)](B[T],\n    C,  # first\n): ...", vec!["B", "C"]),
            ("class $0A(namedtuple(\"A\", \"x\")): ...", vec!["namedtuple"]),
            ("class $0A(B", vec![]),
        ] {
            let (text, offset) = split_marker(fixture);
            let name = |offset: usize| {
                let rest = text.get(offset..).unwrap();
                rest.get(text_search::identifier_at(rest.lines().next().unwrap(), 0).unwrap()).unwrap()
            };
            let found: Vec<_> = base_offsets(&text, offset).into_iter().map(name).collect();
            assert_eq!(found, expected, "{fixture}");
        }
    }

    #[test]
    fn classes_and_their_members() {
        for (fixture, expected) in [
            ("$0class A:\n    def area(self): ...\n", Some(2)),
            ("class $0A:\n\n    x = 1\n    area: int\n", Some(4)),
            ("class $0A(\n    B,\n):\n    def area(self): ...\n", Some(4)),
            ("class $0A:\n    def __init__(self):\n        self.area = 1\n", Some(3)),
            ("class $0A:\n    def f(self):\n        area = 1\n", None),
            ("class $0A:\n    pass\ndef area(): ...\n", None),
            ("x = $0A\n", None),
        ] {
            let (text, offset) = split_marker(fixture);
            let line = class_name_at(&text, offset).and_then(|name| member_line(&text, name, "area"));
            assert_eq!(line, expected, "{fixture}");
        }
    }
}
