//! Names that mean something to a shell: variables that decide what programs do, built-ins that change how a script reads.

/// Whether a variable decides which programs run or what they do, so that setting it makes a command another one. Wide on
/// purpose: a name too many costs a question.
pub(super) fn steers(variable: &str) -> bool {
    const NAMES: &[&str] =
        &["IFS", "ENV", "PS4", "HOME", "SHELL", "VISUAL", "BROWSER", "LESS", "TERMINFO", "CC", "CXX", "AR", "LD", "AS"];
    const BEGINNINGS: &[&str] = &[
        "LD_", "DYLD_", "GIT_", "SSH_", "PYTHON", "PERL", "RUBY", "NODE", "NPM_", "npm_", "JAVA", "_JAVA", "JDK_",
        "MAVEN_", "GRADLE_", "CARGO_", "RUST", "GO", "LUA_", "XDG_", "BASH", "ZDOTDIR", "MAKE", "DOCKER_", "PIP_",
        "YARN_", "AWS_", "KUBE", "GCONV", "LOCPATH", "NLSPATH", "PROMPT_",
    ];
    const PARTS: &[&str] =
        &["PATH", "OPTS", "OPTIONS", "FLAGS", "COMMAND", "PAGER", "EDITOR", "WRAPPER", "PRELOAD", "LESSOPEN", "PROXY"];
    let upper = variable.to_ascii_uppercase();
    NAMES.contains(&variable)
        || BEGINNINGS.iter().any(|beginning| variable.starts_with(beginning))
        || PARTS.iter().any(|part| upper.contains(part))
        || upper.ends_with("RC")
}

/// The name of `NAME=…` or `NAME+=…`.
pub(super) fn assigned(raw: &str) -> Option<&str> {
    let (name, _) = raw.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    is_name(name).then_some(name)
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Built-ins after which the text of a script no longer says what it does.
pub(super) const REWRITES: &[&str] = &[
    "eval",
    "source",
    ".",
    "alias",
    "unalias",
    "trap",
    "enable",
    "hash",
    "bind",
    "complete",
    "compopt",
    "mapfile",
    "readarray",
    "fc",
    "let",
    "pushd",
    "popd",
    "dirs",
    "shopt",
    "unset",
];

/// Built-ins that set variables by name, and evaluate subscripts of the names they are given.
pub(super) const SETS_VARIABLES: &[&str] =
    &["export", "declare", "typeset", "readonly", "local", "read", "getopts", "printf", "test", "[", "[[", "wait"];

/// Shells, by the name of their program.
pub(super) const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"];

/// Reserved words before which a command begins anew.
pub(super) const BEFORE_COMMAND: &[&str] =
    &["if", "then", "elif", "else", "do", "while", "until", "{", "!", "time", "coproc"];
/// Reserved words that end a compound command.
pub(super) const AFTER_COMMAND: &[&str] = &["fi", "done", "}", "esac"];
/// Words that make a script's commands run more than once or later, so that the order of the text is not theirs.
pub(super) const REPEATS: &[&str] = &["while", "until", "for", "select", "function"];
