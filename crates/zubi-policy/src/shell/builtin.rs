//! Shell builtins: the arguments that have no effect of their own. All other arguments are unresolved: they may be
//! evaluated, set variables of any name, or run something. The lists contain harmless arguments only, because builtins
//! have too many ways to run code to list them all.

use zubi_base::env::is_name;

use super::names;
use super::shorten;
use super::word::ShellWord;

/// Options of `[[`, `[` and `test` that compare numbers. Bash's `[[` and some shells' `test` evaluate their operands as
/// arithmetic, which runs the subscripts of names.
const NUMERIC_COMPARISONS: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// Returns the reason why the effect of the builtin `name` on its words cannot be determined; `None` if it can.
pub(super) fn problem(name: &str, words: &[ShellWord]) -> Option<String> {
    let arguments = words.get(1..).unwrap_or_default();
    match name {
        // `printf -v` and `wait -p` set any variable.
        "printf" | "wait" => arguments
            .first()
            .filter(|word| word.text.starts_with('-') && word.text != "--" && word.text != "-")
            .map(|word| format!("`{name} {}` sets a variable", shorten(&word.text))),
        "jobs" => arguments
            .iter()
            .filter(|word| word.text.starts_with('-'))
            .find(|word| word.text.contains(|c: char| !"-lnprs".contains(c)))
            .map(|word| format!("`jobs {}` runs a command", shorten(&word.text))),
        "set" => set_problem(arguments),
        "export" | "declare" | "typeset" | "readonly" | "local" => declaration_problem(name, arguments),
        "test" | "[" | "[[" => test_problem(words),
        "read" => read_problem(arguments),
        "getopts" => arguments.get(1).and_then(|word| assignment_problem(&word.text, None)),
        "exit" | "return" | "break" | "continue" | "shift" | "logout" => arguments
            .first()
            .filter(|word| !is_number(&word.text))
            .map(|word| format!("`{name} {}` may be worked out", shorten(&word.text))),
        _ => None,
    }
}

/// Returns the reason why setting a variable of the shell requires approval.
pub(super) fn assignment_problem(name: &str, value: Option<&str>) -> Option<String> {
    match () {
        () if !is_name(name) => Some(format!("`{}` may be evaluated once more", shorten(name))),
        () if !names::is_shell_variable(name) && !names::is_inert(name, value.unwrap_or("/")) => {
            Some(format!("`{}` decides what programs do, or may", shorten(name)))
        }
        () if value.is_some_and(names::may_be_evaluated) => {
            Some(format!("the value of `{}` may be evaluated once more", shorten(name)))
        }
        () => None,
    }
}

/// Returns the reason why setting a variable that programs receive requires approval.
pub(super) fn export_problem(name: &str, value: Option<&str>) -> Option<String> {
    match value {
        Some(value) if is_name(name) && names::is_inert(name, value) && !names::may_be_evaluated(value) => None,
        // Without a value, the variable retains its earlier value, which was checked when it was set.
        None if is_name(name) && names::is_inert(name, "") => None,
        _ => Some(format!("`{}` may decide what programs do", shorten(name))),
    }
}

/// Checks `set`. The allowed options do not change how scripts are read, and evaluate nothing (`-x` evaluates `PS4`).
fn set_problem(arguments: &[ShellWord]) -> Option<String> {
    const NAMES: &[&str] = &[
        "errexit",
        "nounset",
        "pipefail",
        "noglob",
        "noclobber",
        "noexec",
        "verbose",
        "errtrace",
        "notify",
        "hashall",
        "monitor",
    ];
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        at += 1;
        let letters = word.text.strip_prefix(['-', '+'])?;
        if letters.is_empty() || letters == "-" {
            return None;
        }
        let is_off = word.text.starts_with('+');
        for letter in letters.chars() {
            let is_supported = match letter {
                'o' => {
                    let name = arguments.get(at).map(|word| word.text.as_str());
                    at += 1;
                    name.is_none_or(|name| NAMES.contains(&name) || (is_off && name == "xtrace"))
                }
                'x' => is_off,
                letter => "euvfnCEbhm".contains(letter),
            };
            if !is_supported {
                return Some(format!("`set {}` changes what the script means", shorten(&word.text)));
            }
        }
    }
    None
}

/// Checks `export` and similar builtins. Allows only plain names, and attributes that do not change their meaning.
fn declaration_problem(builtin: &str, arguments: &[ShellWord]) -> Option<String> {
    let mut is_export = builtin == "export";
    for word in arguments {
        if let Some(letters) = word.text.strip_prefix(['-', '+']) {
            if letters.chars().any(|letter| !"rxgplu-".contains(letter)) || word.text.starts_with('+') {
                return Some(format!("`{builtin} {}` changes what a name means", shorten(&word.text)));
            }
            is_export |= letters.contains('x');
            continue;
        }
        let (name, value) = match word.text.split_once('=') {
            Some((name, value)) => (name.strip_suffix('+').unwrap_or(name), Some(value)),
            None => (word.text.as_str(), None),
        };
        let problem = if is_export { export_problem(name, value) } else { assignment_problem(name, value) };
        if problem.is_some() {
            return problem;
        }
    }
    None
}

/// Checks `test`, `[` or a part of `[[ … ]]`.
pub(super) fn test_problem(words: &[ShellWord]) -> Option<String> {
    for (at, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        if matches!(text, "-v" | "-R") {
            return Some(format!("`{text}` evaluates the subscript of a name"));
        }
        let neighbors = || at.checked_sub(1).and_then(|before| words.get(before)).into_iter().chain(words.get(at + 1));
        if NUMERIC_COMPARISONS.contains(&text)
            && let Some(other) = neighbors().find(|word| !is_number(&word.text))
        {
            return Some(format!("`{}` is worked out as arithmetic", shorten(&other.raw)));
        }
        if text == "-t" && words.get(at + 1).is_some_and(|word| !is_number(&word.text) && !word.text.starts_with(']')) {
            return Some("`-t` is given no number".to_owned());
        }
        // Some shells evaluate a subscript wherever they expect a name.
        if word.text.contains("$(") || word.text.contains('`') {
            return Some(format!("`{}` may be evaluated once more", shorten(&word.raw)));
        }
    }
    None
}

fn read_problem(arguments: &[ShellWord]) -> Option<String> {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        at += 1;
        match word.text.strip_prefix('-') {
            Some("p" | "t" | "n" | "N" | "d" | "u") => at += 1,
            Some(letters) if letters.chars().all(|letter| matches!(letter, 'r' | 's')) => {}
            Some(_) => return Some(format!("`read {}` is not understood", shorten(&word.text))),
            None => {
                if let Some(problem) = assignment_problem(&word.text, None) {
                    return Some(problem);
                }
            }
        }
    }
    None
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
