//! Names with a meaning for shells: variables that control programs, and builtins that change how a script is read.

use zubi_base::env::is_name;

/// Returns whether a variable affects which programs run or what they do, so that setting it changes the meaning of a
/// command. Errs towards `true`: an unnecessary match costs only an approval prompt.
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

/// Returns whether programs run a variable's value or a file that it names, so that setting it selects a command.
/// Unlike [`affects_execution`], matches only variables known to do this.
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

/// Returns whether a program may receive a variable with this value without approval, because the variable cannot
/// select what runs. The list contains harmless names, because no list of dangerous names is complete (`OPENSSL_CONF`,
/// `VIMINIT`, …).
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
        // Names from examples, which no program reads.
        "FOO",
        "BAR",
        "BAZ",
    ];
    let word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte));
    match variable {
        // Programs read a path as a file, although only as time zone data.
        "TZ" => word(&value.replace(['/', '+'], "")) && !value.starts_with('/') && !value.contains(".."),
        "LANG" | "LANGUAGE" | "TERM" | "GOOS" | "GOARCH" => word(value),
        _ if variable.starts_with("LC_") => word(value),
        _ => NAMES.contains(&variable),
    }
}

/// Returns whether a script may set this variable of the shell: its name suggests that it is not exported already.
pub(super) fn is_shell_variable(variable: &str) -> bool {
    !variable.bytes().any(|byte| byte.is_ascii_uppercase()) && !affects_execution(variable)
}

/// Returns whether a value could be evaluated again, when arithmetic or a subscript uses its variable.
pub(super) fn may_be_evaluated(value: &str) -> bool {
    value.contains("$(") || value.contains(['`', '['])
}

/// Returns the variable's name in `NAME=…` or `NAME+=…`.
pub(super) fn assigned_name(raw: &str) -> Option<&str> {
    let (name, _) = raw.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    is_name(name).then_some(name)
}

/// Builtins after which the text of a script no longer determines its effects.
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

/// Shells, by program name.
pub(super) const SHELLS: &[&str] =
    &["sh", "bash", "rbash", "dash", "ash", "ksh", "mksh", "rksh", "zsh", "rzsh", "yash"];
/// Shells with a different language. zubi reads their scripts too, but the result is always unresolved.
pub(super) const FOREIGN_SHELLS: &[&str] = &["fish", "csh", "tcsh", "pwsh", "powershell", "nu", "xonsh", "elvish"];
/// Programs that start a command from their words and whose options zubi does not parse.
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
/// Words after which commands may run repeatedly or later, so that they do not run in text order.
pub(super) const LOOP_WORDS: &[&str] = &["while", "until", "for", "select", "function"];
