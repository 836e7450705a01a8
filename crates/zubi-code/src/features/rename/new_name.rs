//! The check of the new name of a rename: an identifier that is not a reserved word. Some servers do not check it: ty
//! renames to `1`, pyright and TypeScript 7 to `class`.

use crate::error::CodeError;
use crate::features::mentions::import_around;
use crate::lexical::NonCode;
use crate::locate::ResolvedTarget;
use crate::markup::clean_line;
use crate::text_search;

const HINT: &str = "Give an identifier of the language.";

/// Reserved words by LSP's language ids. Words that are reserved in some contexts only are not listed, and neither are
/// languages in which a server writes a reserved word as a raw identifier (Rust), or in which a member may have such a
/// name (Ruby, PHP, Swift).
const RESERVED: &[(&[&str], &str)] = &[
    // docs.python.org/3/reference/lexical_analysis.html#keywords
    (
        &["python"],
        "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield",
    ),
    // go.dev/ref/spec#Keywords
    (
        &["go"],
        "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
    ),
    // cppreference.com/w/c/keyword, without the words that C23 adds
    (
        &["c", "cpp", "objective-c", "objective-cpp", "cuda-cpp"],
        "auto break case char const continue default do double else enum extern float for goto if inline int long register return short signed sizeof static struct switch typedef union unsigned void volatile while",
    ),
    // cppreference.com/w/cpp/keyword, those that C does not have
    (
        &["cpp", "objective-cpp", "cuda-cpp"],
        "alignas alignof bool catch class const_cast constexpr decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept nullptr operator private protected public reinterpret_cast static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t",
    ),
    // docs.oracle.com/javase/specs/jls/se21/html/jls-3.html#jls-3.9
    (
        &["java"],
        "abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for goto if implements import instanceof int interface long native new package private protected public return short static strictfp super switch synchronized this throw throws transient try void volatile while true false null _",
    ),
    // learn.microsoft.com/dotnet/csharp/language-reference/keywords
    (
        &["csharp"],
        "abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long namespace new null object operator out override params private protected public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while",
    ),
    // kotlinlang.org/docs/keyword-reference.html#hard-keywords
    (
        &["kotlin"],
        "as break class continue do else false for fun if in interface is null object package return super this throw true try typealias typeof val var when while",
    ),
    // dart.dev/language/keywords
    (
        &["dart"],
        "assert break case catch class const continue default do else enum extends false final finally for if in is new null rethrow return super switch this throw true try var void while with",
    ),
    // lua.org/manual/5.1/manual.html#2.1
    (
        &["lua"],
        "and break do else elseif end false for function if in local nil not or repeat return then true until while",
    ),
    // docs.scala-lang.org/scala3/reference/syntax.html#keywords
    (
        &["scala"],
        "abstract case catch class def do else extends false final finally for if implicit import lazy match new null object override package private protected return sealed super this throw trait true try type val var while with yield",
    ),
];

/// The language ids in which every name is an identifier: letters, digits, `_`, and `$` in some.
const IDENTIFIERS_ONLY: [&str; 6] = ["python", "go", "c", "cpp", "java", "lua"];

/// The language ids in which only a binding or a reference may not have the name of a reserved word, but a member may.
const SCRIPTS: [&str; 6] = ["javascript", "javascriptreact", "typescript", "typescriptreact", "vue", "svelte"];

/// The reserved words of ECMAScript without those of strict mode (ECMA-262, 12.7.2).
const SCRIPT_WORDS: &str = "break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with";

/// The further reserved words of a module, which is in strict mode (ECMA-262, 12.7.2).
const MODULE_WORDS: &str = "await implements interface let package private protected public static yield";

/// The words of scripts after which only a declared name, an expression or a type can follow on the same line, not a
/// member. `const`, `let` and `var` also allow it on the next line.
const SCRIPT_DECLARERS: &str = "function class enum interface type namespace import return typeof await yield throw new delete void in of instanceof case extends implements keyof else do";

/// The modifiers of a member, or of a parameter that declares a member.
const MODIFIERS: [&str; 4] = ["public", "private", "protected", "readonly"];

/// Checks a new name without a language.
pub(super) fn check_new_name(at: &ResolvedTarget, new_name: &str) -> Result<(), CodeError> {
    if new_name.trim().is_empty() || new_name.chars().any(char::is_control) {
        return Err(CodeError::input("newName", "the new name is empty or holds control characters", HINT));
    }
    if at.name.as_deref() == Some(new_name) {
        return Err(CodeError::input(
            "newName",
            format!("the symbol already has the name `{new_name}`"),
            "Give another name.",
        ));
    }
    let digit = |name: &str| name.starts_with(|first: char| first.is_ascii_digit());
    if new_name.contains(char::is_whitespace) || digit(new_name) && !at.name.as_deref().is_some_and(digit) {
        let message = format!("`{}` is not a valid identifier", clean_line(new_name));
        return Err(CodeError::input("newName", message, HINT));
    }
    Ok(())
}

/// Refuses a name that nothing in a language can have.
pub(super) fn check_reserved(language: &str, new_name: &str) -> Result<(), CodeError> {
    if IDENTIFIERS_ONLY.contains(&language) && !is_identifier(new_name) {
        let message = format!("`{}` is not an identifier of the language ({language})", clean_line(new_name));
        return Err(CodeError::input("newName", message, HINT));
    }
    let is_reserved = RESERVED
        .iter()
        .any(|(languages, words)| languages.contains(&language) && words.split(' ').any(|word| word == new_name));
    if is_reserved { Err(reserved_word_error(language, new_name)) } else { Ok(()) }
}

/// Refuses a name that only a member can have where the text around it shows a declaration, an expression or a type.
pub(super) fn check_place(language: &str, before: &str, after: &str, new_name: &str) -> Result<(), CodeError> {
    let is_in = |words: &str| words.split(' ').any(|word| word == new_name);
    let is_reserved = SCRIPTS.contains(&language)
        && (is_in(SCRIPT_WORDS) || is_in(MODULE_WORDS) && (is_module(before) || is_module(after)));
    if is_reserved && excludes_member(before, after) { Err(reserved_word_error(language, new_name)) } else { Ok(()) }
}

/// Whether a part of a script imports or exports.
fn is_module(text: &str) -> bool {
    text.lines().any(|line| {
        let rest = ["import", "export"].iter().find_map(|word| line.strip_prefix(word));
        rest.is_some_and(|rest| rest.starts_with([' ', '{', '*', '"', '\'']))
    })
}

/// Whether the text around a name of a script shows that the name is not a member's.
fn excludes_member(before: &str, after: &str) -> bool {
    let code = NonCode::scan(before, "ts").blank(before);
    let head = code.trim_end();
    if before.ends_with(['"', '\'', '`']) || before.trim_end().ends_with("${") {
        return before.trim_end().ends_with('{');
    }
    // A line may end a statement, so that a member follows a type or a regular expression.
    let is_new_line = before.get(head.len()..).is_some_and(|space| space.contains('\n'));
    let mut words = head.rsplit(|character: char| !character.is_alphanumeric() && !matches!(character, '_' | '$'));
    let word = words.next().unwrap_or_default();
    let is_imported = || {
        let statement = import_around(&code, code.len().saturating_sub(1)).and_then(|range| code.get(range));
        statement.is_some_and(|statement| statement.trim_start().starts_with("import"))
    };
    match (word, head.chars().next_back()) {
        _ if after.trim_start().starts_with("=>") => true,
        // `import { a as name }`, `name as Type`; an export may have any name after `as`.
        ("as", _) => is_imported() || opening_bracket(head) != Some('{'),
        (word, _) if MODIFIERS.contains(&word) => opening_bracket(head) == Some('('),
        ("const" | "let" | "var", _) => true,
        (word, _) if !word.is_empty() => !is_new_line && SCRIPT_DECLARERS.split(' ').any(|one| one == word),
        (_, Some('*')) => head.trim_end_matches('*').trim_end().ends_with("function"),
        (_, Some('.')) => head.ends_with("..."),
        (_, Some('>')) => head.ends_with("=>"),
        (_, Some('{')) => is_imported() && !after.trim_start().starts_with("as "),
        (_, Some(',')) => match opening_bracket(head) {
            Some('{') => is_imported() && !after.trim_start().starts_with("as "),
            bracket => bracket.is_some(),
        },
        (_, last) => last.is_some_and(|last| "([=&|?:".contains(last) || !is_new_line && "<!+-/%^~@".contains(last)),
    }
}

fn opening_bracket(text: &str) -> Option<char> {
    text.get(text_search::open_bracket(text)?..)?.chars().next()
}

fn is_identifier(name: &str) -> bool {
    let is_part = |character: char| matches!(character, '_' | '$') || unicode_ident::is_xid_continue(character);
    // C++ has destructors and operators.
    let name = name.trim_start_matches('~');
    name.chars().all(is_part) || name.starts_with("operator")
}

fn reserved_word_error(language: &str, new_name: &str) -> CodeError {
    CodeError::input("newName", format!("`{new_name}` is a reserved word of the language ({language})"), HINT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words() {
        let allowed = |language, name| check_reserved(language, name).is_ok();
        for (language, name) in [
            ("python", "class"),
            ("python", "None"),
            ("go", "type"),
            ("c", "struct"),
            ("cpp", "struct"),
            ("cpp", "class"),
            ("java", "_"),
            ("csharp", "lock"),
            ("kotlin", "when"),
            ("python", "a-b"),
            ("go", "r#x"),
        ] {
            assert!(!allowed(language, name), "{language} {name}");
        }
        for (language, name) in [
            ("python", "match"),
            ("python", "none"),
            ("go", "string"),
            ("c", "class"),
            ("csharp", "@lock"),
            ("csharp", "value"),
            ("kotlin", "`when`"),
            ("rust", "r#type"),
            ("typescript", "delete"),
            ("ruby", "class"),
            ("python", "naïve"),
            ("ruby", "ok?"),
            ("css", "my-card"),
            ("cpp", "~Shape"),
        ] {
            assert!(allowed(language, name), "{language} {name}");
        }
    }

    #[test]
    fn a_member_of_a_script_may_have_a_reserved_name() {
        let allowed = |fixture: &str, name| {
            let (before, after) = fixture.split_once("$0").unwrap();
            check_place("typescript", before, after, name).is_ok()
        };
        for fixture in [
            "export const $0 = 1",
            "async function* $0() {",
            "class$0",
            "let\n  $0 = 1",
            "function f($0: number) {",
            "function f(a: { b: 1 }, $0 = 2) {",
            "constructor(private $0: number) {",
            "const f = (...$0: number[]) => 1",
            "const f = async $0 => $0",
            "import { a as $0 } from \"./a\"",
            "import { $0 } from \"./a\"",
            "import {\n  a,\n  $0,\n} from \"./a\"",
            "import $0 from \"./a\"",
            "import * as $0 from \"./a\"",
            "return $0",
            "call(a, $0)",
            "[1, $0]",
            "`${$0}`",
            "x = a ? $0 : 1",
            "x = { a: $0 }",
            "x as $0",
            "f<$0>()",
        ] {
            let fixture = fixture.replacen("$0", "$1", 1).replace("$0", "name").replace("$1", "$0");
            assert!(!allowed(&fixture, "delete"), "{fixture}");
            assert!(allowed(&fixture, "of"), "{fixture}");
        }
        for fixture in [
            "items.$0()",
            "items?.$0()",
            "class A {\n  $0() {}",
            "class A {\n  x = 1;\n  $0 = 2",
            "class A {\n  static async $0() {}",
            "class A {\n  private $0() {}",
            "class A {\n  *$0() {}",
            "class A {\n  x = 1;\n  /** Removes. */\n  $0() {}",
            "class A {\n  // Removes (all\n  // of a +\n  $0() {}",
            "interface A {\n  start(): void\n  $0(): void",
            "class A {\n  pattern = /a+/\n  $0() {}",
            "class A {\n  note = \"1) open (\";\n  private $0() {}",
            "x = { open: \"a [b\", $0: 1 }",
            "configure({ a: \"1) x\", $0: 1 })",
            "x = { $0: 1 }",
            "x = { a: 1, $0: 2 }",
            "export { a as $0 }",
            "import { $0 as a } from \"./a\"",
            "$0",
            "myconst $0",
            "a[\"$0\"]",
        ] {
            assert!(allowed(fixture, "delete"), "{fixture}");
        }
        assert!(check_place("go", "const ", "", "delete").is_ok());
        assert!(allowed("const $0 = 1", "await"));
        assert!(!allowed("export {}\nconst $0 = 1", "await"));
        assert!(!allowed("const $0 = 1\nimport { a } from \"./a\"", "static"));
        assert!(allowed("export {}\nclass A {\n  $0() {}", "static"));
    }
}
