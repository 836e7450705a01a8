//! The check of the new name of a rename: an identifier that is not a reserved word. Some servers do not check it: ty
//! renames to `1`, pyright and TypeScript 7 to `class`.

use crate::error::CodeError;
use crate::locate::ResolvedTarget;
use crate::markup::clean_line;

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

/// The language ids in which only a binding or a reference may not have the name of a reserved word, but a member may.
const SCRIPTS: [&str; 6] = ["javascript", "javascriptreact", "typescript", "typescriptreact", "vue", "svelte"];

/// The reserved words of ECMAScript without those of strict mode (ECMA-262, 12.7.2).
const SCRIPT_WORDS: &str = "break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with";

/// The words after which a script declares a variable, a function or a type.
const SCRIPT_DECLARATIONS: [&str; 8] = ["const", "let", "var", "function", "class", "enum", "interface", "type"];

/// Checks a new name without a language.
pub(super) fn check_new_name(at: &ResolvedTarget, new_name: &str) -> Result<(), CodeError> {
    if new_name.trim().is_empty() || new_name.chars().any(char::is_control) {
        return Err(CodeError::input("newName", "the new name is empty or holds control characters", HINT));
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
    let is_reserved = RESERVED
        .iter()
        .any(|(languages, words)| languages.contains(&language) && words.split(' ').any(|word| word == new_name));
    if is_reserved { Err(reserved_word_error(language, new_name)) } else { Ok(()) }
}

/// Refuses a name that a declaration cannot have; `before` is the text before the declared name.
pub(super) fn check_declaration(language: &str, before: &str, new_name: &str) -> Result<(), CodeError> {
    let is_reserved = SCRIPTS.contains(&language) && SCRIPT_WORDS.split(' ').any(|word| word == new_name);
    let last = || {
        before
            .trim_end()
            .trim_end_matches('*')
            .trim_end()
            .rsplit(|character: char| !character.is_alphanumeric() && !matches!(character, '_' | '$'))
    };
    let is_declaration = is_reserved && last().next().is_some_and(|word| SCRIPT_DECLARATIONS.contains(&word));
    if is_declaration { Err(reserved_word_error(language, new_name)) } else { Ok(()) }
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
        ] {
            assert!(allowed(language, name), "{language} {name}");
        }
    }

    #[test]
    fn a_member_of_a_script_may_have_a_reserved_name() {
        let allowed = |before, name| check_declaration("typescript", before, name).is_ok();
        for before in ["export const ", "async function* ", "class", "let\n  "] {
            assert!(!allowed(before, "delete"), "{before}");
            assert!(allowed(before, "of"), "{before}");
        }
        for before in ["items.", "class A {\n  ", "{ ", "", "myconst "] {
            assert!(allowed(before, "delete"), "{before}");
        }
        assert!(check_declaration("go", "const ", "delete").is_ok());
    }
}
