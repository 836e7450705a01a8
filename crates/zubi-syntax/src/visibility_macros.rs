//! Macros of C and C++ before a declaration, such as `class LEVELDB_EXPORT Status {`. The grammars do not know what a macro
//! expands to, and reject the declaration or take it for another one.

use std::borrow::Cow;

use crate::language::SyntaxLanguage;

/// The ends of the names of macros that expand to an attribute or to nothing.
const ENDS: &[&str] =
    &["API", "DEPRECATED", "EXPORT", "EXPORTED", "EXTERN", "IMPORT", "NODISCARD", "PUBLIC", "VISIBLE"];

/// Macros that are members of a class by themselves: Qt's (doc.qt.io, `QObject` and `QtQmlEngine`) and those of the Unreal
/// Engine.
const STANDALONE: &[&str] = &[
    "GENERATED_BODY",
    "GENERATED_UCLASS_BODY",
    "GENERATED_USTRUCT_BODY",
    "QML_ANONYMOUS",
    "QML_ELEMENT",
    "QML_SINGLETON",
    "QML_UNCREATABLE",
    "Q_CLASSINFO",
    "Q_DECLARE_PRIVATE",
    "Q_DECLARE_PUBLIC",
    "Q_DISABLE_COPY",
    "Q_DISABLE_COPY_MOVE",
    "Q_ENUM",
    "Q_FLAG",
    "Q_GADGET",
    "Q_INTERFACES",
    "Q_NAMESPACE",
    "Q_OBJECT",
    "Q_PLUGIN_METADATA",
    "Q_PROPERTY",
];

/// The labels in a class after which members begin.
const LABELS: &[&str] = &[
    "private",
    "protected",
    "public",
    "signals",
    "Q_SIGNALS",
    "slots",
    "private slots",
    "protected slots",
    "public slots",
    "private Q_SLOTS",
    "protected Q_SLOTS",
    "public Q_SLOTS",
];

/// Returns a text of the same length in which such macros are spaces, if its language has them.
pub(crate) fn blank_in<'t>(language: &SyntaxLanguage, text: &'t str) -> Cow<'t, str> {
    if matches!(language.id, "c" | "cpp") { blank(text) } else { Cow::Borrowed(text) }
}

fn blank(text: &str) -> Cow<'_, str> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut previous = "";
    for (start, word) in (Words { text, at: 0 }) {
        let begins_line =
            text.get(..start).unwrap_or_default().rsplit('\n').next().is_some_and(|it| it.trim().is_empty());
        let is_after_keyword = matches!(previous, "class" | "struct" | "union");
        previous = word;
        if !is_macro(word) {
            continue;
        }
        let end = start + word.len();
        let rest = text.get(end..).unwrap_or_default();
        let is_attribute = ENDS.iter().any(|suffix| word.ends_with(suffix));
        if begins_line && let Some(length) = standalone_length(text, start, word) {
            found.push((start, start + length));
            continue;
        }
        if is_after_keyword && names_type(rest) || begins_line && is_attribute && continues_declaration(rest) {
            found.push((start, end));
        }
    }
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut blanked = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end) in found {
        blanked.push_str(text.get(at..start).unwrap_or_default());
        blanked.extend(std::iter::repeat_n(' ', end - start));
        at = end;
    }
    blanked.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(blanked)
}

/// Returns the length of a macro that is alone in its line and no part of the next declaration: it begins or ends something
/// (`G_BEGIN_DECLS`), or is between declarations with a blank line behind it.
fn standalone_length(text: &str, start: usize, word: &str) -> Option<usize> {
    let line = text.get(start..)?.lines().next()?;
    let rest = line.get(word.len()..)?.trim();
    let is_call = rest.starts_with('(') && rest.trim_end_matches(';').ends_with(')') && !rest.contains('{');
    if !rest.is_empty() && !is_call {
        return None;
    }
    let is_bracket = word.split('_').any(|part| matches!(part, "BEGIN" | "END" | "DECLS"));
    let next = text.get(start + line.len()..)?.trim_start_matches(['\r', '\n']);
    let gap = text.get(start + line.len()..)?.len() - next.len();
    let has_blank_line = next.is_empty()
        || next.trim_start().starts_with('}')
        || text.get(start + line.len()..)?.get(..gap)?.matches('\n').count() > 1;
    let before = text.get(..start)?.trim_end();
    let last_line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    // A definition of a macro may continue in several lines.
    let is_defined = before
        .lines()
        .rev()
        .skip(1)
        .take_while(|it| it.ends_with('\\'))
        .last()
        .is_some_and(|it| it.trim_start().starts_with('#'));
    let is_label = last_line.strip_suffix(':').is_some_and(|label| LABELS.contains(&label.trim_end()));
    let is_between = before.is_empty()
        || is_defined
        || is_label
        || before.ends_with([';', '}', '{'])
        || before.ends_with("*/")
        || last_line.starts_with('#')
        || last_line.starts_with("//")
        || last_line.split('(').next().is_some_and(|name| is_macro(name.trim()));
    let is_alone = STANDALONE.contains(&word) || is_bracket || has_blank_line;
    (is_alone && is_between && !is_in_list(before)).then_some(line.trim_end().len())
}

/// The maximum number of bytes before a macro in which the enclosing brace is looked for.
const MAX_ENCLOSING: usize = 20_000;

/// Whether the innermost open brace of a text is that of an enumeration or of a list of values, whose last element may be
/// a name in capital letters.
fn is_in_list(before: &str) -> bool {
    let mut closed = 0_usize;
    let start = before.len().saturating_sub(MAX_ENCLOSING);
    let start = (start..before.len()).find(|at| before.is_char_boundary(*at)).unwrap_or(start);
    let before = &blank_comments(before.get(start..).unwrap_or_default());
    for (at, byte) in before.bytes().enumerate().rev() {
        match byte {
            b'}' => closed += 1,
            b'{' if closed > 0 => closed -= 1,
            b'{' => {
                let header = before.get(..at).unwrap_or_default().rsplit([';', '{', '}']).next().unwrap_or_default();
                let is_value = header.trim_end().ends_with(['=', '(', ',']) || header.trim().is_empty();
                return is_value || header.split(|it: char| !is_word(it)).any(|word| word == "enum");
            }
            _ => {}
        }
    }
    false
}

/// Returns a text in which comments, strings and preprocessor lines are spaces.
fn blank_comments(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let line = rest.find('\n').unwrap_or(rest.len());
        let begins_line = blanked.rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
        let length = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("//") || begins_line && first == '#' {
            line
        } else if first == '"' {
            rest.get(1..line).and_then(|rest| rest.find('"')).map_or(1, |end| end + 2)
        } else {
            0
        };
        let (blank, next) = rest.split_at_checked(length).unwrap_or((rest, ""));
        blanked.extend(blank.chars().map(|it| if it == '\n' { '\n' } else { ' ' }));
        rest = next;
        if length == 0 {
            blanked.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    blanked
}

/// Whether a word is written as macros are.
fn is_macro(word: &str) -> bool {
    word.len() > 2
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && word.starts_with(|first: char| !first.is_ascii_digit())
}

/// Whether a text begins with the name of a type and its body, its bases or `final`. `struct POINT corner;` declares a
/// variable.
fn names_type(rest: &str) -> bool {
    let rest = skip_space(rest);
    let after = rest.trim_start_matches(is_word);
    if after.len() == rest.len() {
        return false;
    }
    let after = skip_space(after);
    after.starts_with('{') || after.starts_with(':') && !after.starts_with("::") || after.starts_with("final")
}

/// Whether a declaration follows on the same line.
fn continues_declaration(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default();
    line.starts_with([' ', '\t'])
        && line.trim_start().starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches(|character: char| character.is_ascii_whitespace())
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// The words of a text with their offsets.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.get(self.at..)?;
        let start = self.at + rest.find(is_word)?;
        let rest = self.text.get(start..)?;
        let end = start + rest.find(|character: char| !is_word(character)).unwrap_or(rest.len());
        self.at = end;
        Some((start, self.text.get(start..end)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_macros_before_declarations_are_blanked() {
        for (text, expected) in [
            ("class A_EXPORT B {", "class          B {"),
            ("struct A_EXPORT B final : C {", "struct          B final : C {"),
            ("class A_EXPORT B\n    : public C {", "class          B\n    : public C {"),
            ("A_API int f();\n  A_EXPORT extern B* g(", "      int f();\n           extern B* g("),
            ("struct POINT corner;", "struct POINT corner;"),
            ("struct POINT corner = { 1 };", "struct POINT corner = { 1 };"),
            ("class A_EXPORT;", "class A_EXPORT;"),
            ("HANDLE h;\nA_API\nMY_API(x) y;", "HANDLE h;\nA_API\nMY_API(x) y;"),
            ("é class É {", "é class É {"),
            ("enum e {\n  // last\n  A_LAST\n};", "enum e {\n  // last\n  A_LAST\n};"),
            ("enum class e {\n  A_ONLY\n};", "enum class e {\n  A_ONLY\n};"),
            ("int a[] = {\n  B_ONE,\n#if X\n  B_TWO\n#endif\n};", "int a[] = {\n  B_ONE,\n#if X\n  B_TWO\n#endif\n};"),
            ("class A {\n  Q_OBJECT\n int a; };", "class A {\n          \n int a; };"),
            (
                "#include \"x/enum.h\"\n// An enum.\nclass A {\n  Q_OBJECT\n int a; };",
                "#include \"x/enum.h\"\n// An enum.\nclass A {\n          \n int a; };",
            ),
            ("enum { /* } */ Z_A,\n // z\n Z_B\n};", "enum { /* } */ Z_A,\n // z\n Z_B\n};"),
            ("namespace n {\nF_BEGIN\nint a;\nF_END\n}", "namespace n {\n       \nint a;\n     \n}"),
        ] {
            assert_eq!(blank(text), expected);
        }
    }
}
