//! Names that mean something to a shell: variables that decide what programs do, built-ins that change how a script reads.

use zubi_base::env::is_name;

/// Whether a variable decides which programs run or what they do, so that setting it makes a command another one. Wide on
/// purpose: a name too many costs a question.
pub(super) fn affects_execution(variable: &str) -> bool {
    const NAMES: &[&str] =
        &["IFS", "ENV", "PS4", "HOME", "SHELL", "VISUAL", "BROWSER", "LESS", "TERMINFO", "CC", "CXX", "AR", "LD", "AS"];
    const PREFIXES: &[&str] = &[
        "LD_", "DYLD_", "GIT_", "SSH_", "PYTHON", "PERL", "RUBY", "NODE", "NPM_", "npm_", "JAVA", "_JAVA", "JDK_",
        "MAVEN_", "GRADLE_", "CARGO_", "RUST", "GO", "LUA_", "XDG_", "BASH", "ZDOTDIR", "MAKE", "DOCKER_", "PIP_",
        "YARN_", "AWS_", "KUBE", "GCONV", "LOCPATH", "NLSPATH", "PROMPT_",
    ];
    const PARTS: &[&str] =
        &["PATH", "OPTS", "OPTIONS", "FLAGS", "COMMAND", "PAGER", "EDITOR", "WRAPPER", "PRELOAD", "LESSOPEN", "PROXY"];
    let upper = variable.to_ascii_uppercase();
    NAMES.contains(&variable)
        || PREFIXES.iter().any(|beginning| variable.starts_with(beginning))
        || PARTS.iter().any(|part| upper.contains(part))
        || upper.ends_with("RC")
}

/// Whether programs run a variable's value, or what it leads to: one who sets it chooses a command. Unlike [`affects_execution`] only
/// names of which that is known.
pub(super) fn selects_commands(variable: &str) -> bool {
    const NAMES: &[&str] = &[
        "BROWSER",
        "CC",
        "CXX",
        "DISPLAY",
        "EMACSLOADPATH",
        "ENV",
        "GIT_ASKPASS",
        "GIT_DIR",
        "GIT_EXEC_PATH",
        "GIT_EXTERNAL_DIFF",
        "GIT_SSH",
        "GIT_TEMPLATE_DIR",
        "GIT_WORK_TREE",
        "HOME",
        "IFS",
        "LESS",
        "LESSCLOSE",
        "LESSOPEN",
        "MAKEFILES",
        "MAKEFLAGS",
        "OPENSSL_CONF",
        "PATH",
        "PS0",
        "PS1",
        "PS2",
        "PS4",
        "RUBYLIB",
        "RUBYOPT",
        "RUSTC",
        "SHELL",
        "SHELLOPTS",
        "SSH_ASKPASS",
        "SUDO_ASKPASS",
        "TERMINFO",
        "VIMINIT",
        "VISUAL",
        "XDG_CONFIG_HOME",
        "ZDOTDIR",
    ];
    const PREFIXES: &[&str] = &[
        "LD_",
        "DYLD_",
        "BASH",
        "PYTHON",
        "PERL",
        "NODE_",
        "GIT_CONFIG",
        "LUA_",
        "CARGO_",
        "NPM_CONFIG",
        "npm_config",
    ];
    const SUFFIXES: &[&str] = &[
        "COMMAND",
        "PAGER",
        "EDITOR",
        "WRAPPER",
        "_OPTS",
        "_OPTIONS",
        "FLAGS",
        "_LIBRARY_PATH",
        "CLASSPATH",
        "_PRELOAD",
    ];
    NAMES.contains(&variable)
        || PREFIXES.iter().any(|beginning| variable.starts_with(beginning))
        || SUFFIXES.iter().any(|end| variable.to_ascii_uppercase().ends_with(end))
}

/// Whether a program may receive a variable with this value without approval: nothing that programs do with these names
/// selects what runs. This is a list of what is harmless, because no list of dangerous names is complete
/// (`OPENSSL_CONF`, `VIMINIT`, …).
pub(super) fn is_inert(variable: &str, value: &str) -> bool {
    const NAMES: &[&str] = &[
        "CI",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLORTERM",
        "COLUMNS",
        "LINES",
        "DEBUG",
        "VERBOSE",
        "LOG_LEVEL",
        "NODE_ENV",
        "RUST_BACKTRACE",
        "RUST_LIB_BACKTRACE",
        "RUST_LOG",
        "RUST_TEST_THREADS",
        "CARGO_TERM_COLOR",
        "CARGO_TERM_PROGRESS_WHEN",
        "CARGO_INCREMENTAL",
        "CARGO_NET_OFFLINE",
        "CARGO_BUILD_JOBS",
        "PYTHONUNBUFFERED",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONHASHSEED",
        "CGO_ENABLED",
        "SOURCE_DATE_EPOCH",
        "DEBIAN_FRONTEND",
        "PROPTEST_CASES",
        "INSTA_UPDATE",
        // Names of examples, which no program reads.
        "FOO",
        "BAR",
        "BAZ",
    ];
    let word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte));
    match variable {
        // A path would be read as a file, though one of a time zone, not of a program.
        "TZ" => word(&value.replace(['/', '+'], "")) && !value.starts_with('/') && !value.contains(".."),
        "LANG" | "LANGUAGE" | "TERM" => word(value),
        _ if variable.starts_with("LC_") => word(value),
        _ => NAMES.contains(&variable),
    }
}

/// Whether a script may set a variable of the shell itself: as far as the name shows, it is not already exported.
pub(super) fn is_shell_variable(variable: &str) -> bool {
    !variable.bytes().any(|byte| byte.is_ascii_uppercase()) && !affects_execution(variable)
}

/// Whether a variable's value could be evaluated once more, where arithmetic or a subscript meets its name.
pub(super) fn may_be_evaluated(value: &str) -> bool {
    value.contains("$(") || value.contains(['`', '['])
}

/// The name of `NAME=…` or `NAME+=…`.
pub(super) fn assigned_name(raw: &str) -> Option<&str> {
    let (name, _) = raw.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    is_name(name).then_some(name)
}

/// Built-ins after which the text of a script no longer says what it does.
pub(super) const REINTERPRETING_BUILTINS: &[&str] = &[
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
    "compgen",
    "history",
];

/// Shells, by the name of their program.
pub(super) const SHELLS: &[&str] =
    &["sh", "bash", "rbash", "dash", "ash", "ksh", "mksh", "rksh", "zsh", "rzsh", "yash"];
/// Shells with a language of their own: their text is read too, but the result is always unresolved.
pub(super) const FOREIGN_SHELLS: &[&str] = &["fish", "csh", "tcsh", "pwsh", "powershell", "nu", "xonsh", "elvish"];
/// Programs that start the command among their words, whose options are not read here.
pub(super) const WRAPPER_PROGRAMS: &[&str] = &[
    "su",
    "runuser",
    "script",
    "unshare",
    "nsenter",
    "chroot",
    "parallel",
    "sem",
    "watch",
    "setarch",
    "linux32",
    "linux64",
    "i386",
    "x86_64",
    "systemd-run",
    "prlimit",
    "setpriv",
    "ltrace",
    "gdb",
    "pkexec",
    "entr",
    "rlwrap",
    "unbuffer",
    "firejail",
    "bwrap",
    "proot",
    "fakeroot",
    "dbus-run-session",
    "xvfb-run",
    "start-stop-daemon",
    "sg",
    "gosu",
    "su-exec",
    "capsh",
    "choom",
    "numactl",
    "cgexec",
    "ld.so",
];

/// Reserved words after which a new command begins.
pub(super) const BEFORE_COMMAND: &[&str] =
    &["if", "then", "elif", "else", "do", "while", "until", "{", "!", "time", "coproc"];
/// Reserved words that end a compound command.
pub(super) const AFTER_COMMAND: &[&str] = &["fi", "done", "}", "esac"];
/// Words that make a script's commands run more than once or later, so that the order of the text is not theirs.
pub(super) const LOOP_WORDS: &[&str] = &["while", "until", "for", "select", "function"];
